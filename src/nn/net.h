// net.h - a network on a device, and passes through it.
//
// A mega_net owns the slabs of parameters and gradients. A mega_pass is a batch size: it owns room for the activations
// of so many observations, and whatever the device's libraries prepare for that shape. Forward passes leave logits and
// values in the pass; backward passes take the gradients of a loss with respect to both and leave the gradients of the
// parameters in the net. Three backends do the same: "ref" is plain C and the truth, "onednn" is for CPUs, "cuda" for
// GPUs. Pointers are in the memory of the device (ref and onednn: the host's).
//
// Passes of a net may be used one at a time.
#ifndef NET_H
#define NET_H
#include "network.h"

#include <stdbool.h>

typedef struct mega_net mega_net;
typedef struct mega_pass mega_pass;

struct mega_net {
    const struct mega_net_backend *backend;
    mega_network network; // a copy
    float *parameters;    // [network.parameter_count]; call mega_net_changed() after writing
    float *gradients;     // likewise
};

struct mega_pass {
    mega_net *net;
    uint32_t batch;
    bool trains;        // backward is allowed
    float *logits;      // [batch][outputs]: of the first head
    float *values;      // [batch][value_outputs]: of the value's; not to be touched if it has none
    float *logit_grads; // [batch][outputs], for the caller to fill before backward; NULL unless it trains
    float *value_grads; // [batch][value_outputs], likewise
};

typedef struct mega_net_backend {
    const char *name;
    int (*create)(const mega_network *network, uint32_t threads, mega_net **out, mega_message *message);
    void (*destroy)(mega_net *net);
    void (*changed)(mega_net *net);
    int (*pass_create)(mega_net *net, uint32_t batch, bool trains, mega_pass **out, mega_message *message);
    void (*pass_destroy)(mega_pass *pass);
    int (*forward)(mega_pass *pass, const uint8_t *observations, const int32_t *rows, mega_message *message);
    int (*backward)(mega_pass *pass, mega_message *message);
} mega_net_backend;

extern const mega_net_backend mega_net_ref;
// create fails with a sentence where the build or the machine has no oneDNN
extern const mega_net_backend mega_net_onednn;
// The best backend for a CPU here: onednn, or ref where that cannot be used.
const mega_net_backend *mega_net_cpu(void);

// Parameters and gradients are zero at first. `threads` are for "onednn"; 0 means as many as cores. "ref" has one.
static inline int mega_net_create(const mega_net_backend *backend, const mega_network *network,
                                  uint32_t threads, mega_net **out, mega_message *message) {
    return backend->create(network, threads, out, message);
}
// NULL is allowed. Its passes must be gone.
static inline void mega_net_destroy(mega_net *net) {
    if (net != NULL) {
        net->backend->destroy(net);
    }
}
// The parameters were written to: what the backend keeps of them in other shapes is out of date.
static inline void mega_net_changed(mega_net *net) {
    net->backend->changed(net);
}

static inline int mega_pass_create(mega_net *net, uint32_t batch, bool trains, mega_pass **out,
                                   mega_message *message) {
    return net->backend->pass_create(net, batch, trains, out, message);
}
static inline void mega_pass_destroy(mega_pass *pass) {
    if (pass != NULL) {
        pass->net->backend->pass_destroy(pass);
    }
}
// Observation i of the batch is the row rows[i] of `observations`, or row i if `rows` is NULL. Both must stay as they
// are until the backward pass, if there will be one.
static inline int mega_pass_forward(mega_pass *pass, const uint8_t *observations, const int32_t *rows,
                                    mega_message *message) {
    return pass->net->backend->forward(pass, observations, rows, message);
}
// After a forward pass of a pass that trains: net->gradients becomes the gradient of
// sum(logits * logit_grads) + sum(values * value_grads).
static inline int mega_pass_backward(mega_pass *pass, mega_message *message) {
    return pass->net->backend->backward(pass, message);
}

#endif
