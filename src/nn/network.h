// network.h - what a network is: its layers, and its parameters, which lie in one slab.
//
// All networks here look at a stack of frames, send it through convolutions with rectifiers, then through one fully
// connected layer with a rectifier, which one or two heads read:
//
//     observation [stack][height][width]    bytes, divided by 255
//     convN.weight [out][in][k][k]  convN.bias [out]     N = 1, 2, ...
//     fc.weight [hidden_total][channels * rows * columns]  fc.bias [hidden_total]
//
// An actor-critic's heads are the policy (a logit per action) and the value (a number), and both read all hidden units:
//
//     policy.weight [actions][hidden]  policy.bias [actions]
//     value.weight [1][hidden]  value.bias [1]
//
// A Q-network has `atoms` numbers for each action: its value, or the logits of a distribution of returns (Bellemare et al.
// 2017). They are those of one head, or (dueling, Wang et al. 2016) are made of advantages and a value that all actions
// share. Then there are two hidden layers side by side: the advantage's, then the value's.
//
//     q.weight [actions * atoms][hidden]  q.bias [actions * atoms]
// or
//     advantage.weight [actions * atoms][hidden]  advantage.bias [actions * atoms]
//     value.weight [atoms][hidden]  value.bias [atoms]
//
// These are PyTorch's shapes and PyTorch's order of numbers. A tensor starts at a multiple of 16 numbers; what lies
// between tensors is zero and stays zero, so that optimisers and checkpoints see one array.
#ifndef NETWORK_H
#define NETWORK_H
#include "message.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    MEGA_NETWORK_CONVS = 4,                              // at most
    MEGA_NETWORK_TENSORS = 2 * (MEGA_NETWORK_CONVS + 3), // a weight and a bias each
    MEGA_NETWORK_ATOMS = 1024                            // at most
};

typedef struct mega_conv_layer {
    uint32_t channels; // out
    uint32_t kernel;   // square
    uint32_t stride;
    uint32_t padding; // zeros on each side
    uint32_t in_channels;
    uint32_t in_height;
    uint32_t in_width;
    uint32_t out_height;
    uint32_t out_width;
} mega_conv_layer;

typedef struct mega_tensor {
    char name[24]; // "conv1.weight"
    uint32_t rank;
    uint32_t shape[4]; // the first `rank` count
    size_t first;      // its first number in the slab
    size_t count;      // numbers
} mega_tensor;

typedef struct mega_network {
    uint32_t stack; // of an observation
    uint32_t height;
    uint32_t width;
    uint32_t actions;
    bool is_q;
    uint32_t atoms;   // numbers for each action
    uint32_t outputs; // of the first head: actions * atoms, in this order
    uint32_t
        value_outputs; // of the value's: 1 for an actor-critic, atoms for a dueling Q-network, else 0: it has none
    uint32_t conv_count;
    mega_conv_layer conv[MEGA_NETWORK_CONVS];
    uint32_t features;     // what the fully connected layer gets
    uint32_t streams;      // hidden layers side by side: 2 if it is dueling
    uint32_t hidden;       // what it gives each head
    uint32_t hidden_total; // and in all: streams * hidden
    uint32_t tensor_count;
    mega_tensor tensor[MEGA_NETWORK_TENSORS]; // in the order above
    size_t parameter_count;                   // numbers of the slab, with what lies between
} mega_network;

// Fills *network, an actor-critic, from a name or a description:
//     "nature"  conv 32x8/4, conv 64x4/2, conv 64x3/1, fc 512   (Mnih et al. 2015)
//     "a3c"     conv 16x8/4, conv 32x4/2, fc 256                (Mnih et al. 2016)
//     "stooke"  conv 16x8/4, conv 32x4/2+1, fc 256              (Stooke & Abbeel 2018, for 104 x 80 pictures)
//     "small"   conv 8x4/2, conv 16x3/2, fc 64                  (demonstrations on a CPU, at 42 x 42)
// In a description, 64x3/1+1 means 64 channels, a kernel of 3 x 3, stride 1, padding 1 (none if left out).
// Convolutions may be missing altogether; the fully connected layer is always there, and last.
// Fails on descriptions it cannot read and on sizes that do not fit, naming the layer.
int mega_network_describe(const char *text, uint32_t stack, uint32_t height, uint32_t width, uint32_t actions,
                          mega_network *network, mega_message *message);
// The same for a Q-network. `atoms` is 1 for plain values, and at most MEGA_NETWORK_ATOMS.
int mega_network_describe_q(const char *text, uint32_t stack, uint32_t height, uint32_t width,
                            uint32_t actions, uint32_t atoms, bool is_dueling, mega_network *network,
                            mega_message *message);
// Bytes of one observation.
size_t mega_network_observation_size(const mega_network *network);
// The tensor of that name, or NULL.
const mega_tensor *mega_network_find(const mega_network *network, const char *name);
// Weight and bias of the first head, then those of the value's, if there is one.
const mega_tensor *mega_network_heads(const mega_network *network);
// The first hidden unit that the value's head reads.
uint32_t mega_network_value_hidden(const mega_network *network);

enum {
    MEGA_INIT_ORTHOGONAL, // gain sqrt 2, 0.01 for the policy, 1 for other heads; biases 0
    MEGA_INIT_UNIFORM     // PyTorch's default: weights and biases in +-1/sqrt(fan in)
};
// First parameters, drawn from `seed`. `parameters` has network->parameter_count numbers.
void mega_network_initialise(const mega_network *network, uint32_t kind, uint64_t seed, float *parameters);

#endif
