// compute.h - the device that a learner computes on: its memory, its networks, and what is not a layer.
//
// A learner is written once. Its arrays are in the device's memory, and whatever touches them is a call of this
// table; the work of a sample is shared source (mega_policy.h, mega_returns.h, mega_optimizer.h), so that devices do
// the same. Calls are in order; a GPU does them later, and download() waits for it.
//
// Words:
//     rollout  what was seen and done of late: a ring of slots, each with a step of all environments
//     lesson   steps of some environments in one piece, taken out of a rollout to learn from
//     pass     a batch on its way through the network (net.h)
#ifndef COMPUTE_H
#define COMPUTE_H
#include "mega_lesson.h"
#include "mega_policy.h"
#include "net.h"
#include "optimizer.h"

// Slot s holds the observations before a step and what the step was; those after it are in slot s + 1, modulo slots.
typedef struct mega_rollout {
    uint32_t slots;
    uint32_t envs;
    size_t observation_size;
    uint32_t slot;            // with the present observations; its other arrays are not filled yet
    uint8_t *observations;    // [slots][envs][observation_size]
    int32_t *actions;         // [slots][envs]: indices of actions
    float *rewards;           // [slots][envs]
    uint8_t *flags;           // [slots][envs]: MEGA_STEP_*
    float *log_probabilities; // [slots][envs]: of the action, by the policy that chose it
    float *values;            // [slots][envs]: by the same network
    uint8_t *over;            // [envs]: 1: the next step is none of a game
    bool waits; // nobody resets but restart(): until then an environment that is over stands still
    void *slab; // holds them all
} mega_rollout;

typedef struct mega_lesson {
    uint32_t steps;
    uint32_t envs;
    int32_t *rows;    // [steps + 1][envs]: where the observations are: slot * envs of the rollout + env
    int32_t *actions; // [steps][envs], from here on
    float *rewards;
    uint8_t *flags;
    float *log_probabilities;
    float *values; // [steps + 1][envs]
    float *ratios; // V-trace: of probabilities, present to past
    float *advantages;
    float *targets; // of the value
    void *slab;     // holds them all
} mega_lesson;

typedef struct mega_act {
    const float *logits; // [count][actions]
    uint32_t count;
    uint32_t actions;
    uint32_t first; // the number of the first environment; with seed and step it makes the random number
    uint64_t seed;
    uint64_t step;
    bool greedy;
    float epsilon;            // probability of an action at random instead
    int32_t *chosen;          // [count]
    int32_t *chosen_too;      // [count], for those who want them twice, or NULL
    float *log_probabilities; // [count], or NULL
} mega_act;

// What environments returned, in the device's memory.
typedef struct mega_outcome {
    const int32_t *rewards;
    const uint8_t *terminations;
    const uint8_t *truncations;
    const uint8_t *episode_ends;
} mega_outcome;

typedef struct mega_loss {
    bool is_ppo;
    const mega_lesson *lesson;
    const int32_t *samples; // [count]: which of the lesson's, or NULL: the first `count`
    uint32_t count;         // at most the pass's batch; gradients of the rest are 0
    mega_loss_weights weights;
    bool normalize;   // advantages have mean 0 and deviation 1 over the samples that count
    float share;      // what a sample weighs in the mean; 0: 1 / count
    uint32_t counted; // with a share: samples that are not void, of all processes together
} mega_loss;
static inline float mega_loss_share(const mega_loss *loss) {
    return loss->share > 0.0f ? loss->share : 1.0f / (float)loss->count;
}

// Parameters of any kind that an optimiser moves, and their gradients.
typedef struct mega_slab {
    float *parameters;
    float *gradients;
    size_t count; // that of the optimiser
} mega_slab;
static inline mega_slab mega_net_slab(const mega_net *net) {
    return (mega_slab){net->parameters, net->gradients, net->network.parameter_count};
}

typedef struct mega_noise mega_noise; // noise.h
typedef struct mega_compute mega_compute;

typedef struct mega_compute_ops {
    // Memory; zero at first. Copies are between the host and the device.
    int (*allocate)(mega_compute *compute, size_t size, void **out, mega_message *message);
    void (*release)(mega_compute *compute, void *memory);
    // Memory of the host that the device reaches as well, slowly; zero, too.
    int (*allocate_host)(mega_compute *compute, size_t size, void **out, mega_message *message);
    void (*release_host)(mega_compute *compute, void *memory);
    int (*upload)(mega_compute *compute, void *to, const void *from, size_t size, mega_message *message);
    int (*download)(mega_compute *compute, void *to, const void *from, size_t size, mega_message *message);
    int (*copy)(mega_compute *compute, void *to, const void *from, size_t size,
                mega_message *message); // on it
    // A network on the device; mega_net_destroy() frees it.
    int (*create_net)(mega_compute *compute, const mega_network *network, mega_net **out,
                      mega_message *message);
    // An optimiser with its slabs on the device.
    int (*create_optimizer)(mega_compute *compute, const mega_optimizer_rule *rule, size_t count,
                            mega_optimizer **out, mega_message *message);
    void (*destroy_optimizer)(mega_compute *compute, mega_optimizer *optimizer);
    // Chooses actions.
    int (*act)(mega_compute *compute, const mega_act *act, mega_message *message);
    // Takes down what a slot's step of the environments first to first + count - 1 was.
    int (*note)(mega_compute *compute, mega_rollout *rollout, uint32_t slot, uint32_t first, uint32_t count,
                const mega_outcome *outcome, mega_message *message);
    // Episodes of environments first to first + count - 1 that were over have begun anew: nothing is over there.
    int (*restart)(mega_compute *compute, mega_rollout *rollout, uint32_t first, uint32_t count,
                   mega_message *message);
    // How many of a rollout's samples are not void. Waits.
    int (*count)(mega_compute *compute, const mega_rollout *rollout, const mega_samples *samples,
                 uint32_t *counted, mega_message *message);
    // Fills a lesson (all but ratios, advantages and targets) with the last lesson->steps steps of the rollout's
    // environments from `first` on. The last row of values is that of the present slot.
    int (*gather)(mega_compute *compute, const mega_rollout *rollout, uint32_t first, mega_lesson *lesson,
                  mega_message *message);
    // All samples of the last `steps` steps of a rollout in random order, number `index` of a seed's: which they are in a
    // lesson of them, and where their observations are.
    int (*shuffle)(mega_compute *compute, const mega_rollout *rollout, uint32_t steps, uint64_t seed,
                   uint64_t index, int32_t *samples, int32_t *rows, mega_message *message);
    int (*n_step)(mega_compute *compute, mega_lesson *lesson, float discount, mega_message *message);
    int (*gae)(mega_compute *compute, mega_lesson *lesson, float discount, float lambda,
               mega_message *message);
    // With the logits and values of a pass of all (steps + 1) * envs observations; lesson->values become these.
    int (*v_trace)(mega_compute *compute, mega_lesson *lesson, const mega_pass *pass, float discount,
                   float rho_max, float c_max, mega_message *message);
    // Fills the pass's gradients; adds to the sums that read_stats() returns.
    int (*loss)(mega_compute *compute, const mega_loss *loss, mega_pass *pass, mega_message *message);
    // The sums so far, and the norm of the last update's gradient; not finite if that of any update since the device was
    // made was not. Waits.
    int (*read_stats)(mega_compute *compute, double stats[MEGA_STAT_COUNT], double *norm,
                      mega_message *message);
    // What the sums go on from: zeros, or those of a checkpoint, so that it does not matter when they are read.
    int (*write_stats)(mega_compute *compute, const double stats[MEGA_STAT_COUNT], mega_message *message);
    // Limits the norm of the gradient to `norm_max` (0: not). On a GPU descend() does it.
    int (*clip)(mega_compute *compute, const mega_slab *slab, double norm_max, mega_message *message);
    // Moves the parameters from `first` on by a step, number optimizer->t, against a gradient that was clipped; not if that
    // was not finite. If they are a net's, mega_net_changed() comes after it.
    int (*descend)(mega_compute *compute, const mega_slab *slab, mega_optimizer *optimizer, size_t first,
                   size_t count, double learning_rate, mega_message *message);
    // The next step: both, for all parameters.
    int (*optimise)(mega_compute *compute, const mega_slab *slab, mega_optimizer *optimizer,
                    double learning_rate, double norm_max, mega_message *message);
    // Noisy layers. Draws the noise with this number of a seed's; MEGA_NOISE_NONE is none.
    int (*draw_noise)(mega_compute *compute, mega_noise *noise, uint64_t seed, uint64_t index,
                      mega_message *message);
    // Sets the net's parameters to what was learned and the noise; tells the net.
    int (*mix_noise)(mega_compute *compute, const mega_noise *noise, mega_net *net, mega_message *message);
    // The gradients of what is learned, from those of the net's parameters with this noise.
    int (*spread_gradients)(mega_compute *compute, mega_noise *noise, const mega_net *net,
                            mega_message *message);
    // For a thread that is not the one that made the compute: before its first call, and after its last.
    int (*enter)(mega_compute *compute, mega_message *message);
    void (*leave)(mega_compute *compute);
    // What is asked for in between may wait until run_bundle(), so that it goes to the device in one piece. Nothing of it
    // may be for the host to read, and no memory may be taken or given back. The same work, and the same results; it pays
    // for a whole update of a small network. NULL where it would not.
    int (*begin_bundle)(mega_compute *compute, mega_message *message);
    int (*run_bundle)(mega_compute *compute, mega_message *message);
    // Waits until all that was asked for is done.
    int (*finish)(mega_compute *compute, mega_message *message);
    void (*destroy)(mega_compute *compute);
} mega_compute_ops;

struct mega_compute {
    const mega_compute_ops *ops;
    const struct mega_q_ops *q;                   // compute_q.h
    const struct mega_replay_ops *replay;         // replay memories (replay.h)
    const struct mega_collective_ops *collective; // means over processes (collective.h); NULL on the CPU
    void *stream; // a GPU's CUstream in which all work is ordered; NULL on the CPU
};

// The CPU. `plain` networks are those of net_ref.c.
int mega_compute_cpu(uint32_t threads, bool plain, mega_compute **out, mega_message *message);
// A GPU, by its number. Work is in `stream`, a CUstream, or in one of its own (NULL). Numbers are bfloat16 where that
// is fast, or floats. The device is current in the thread that makes this until the same thread destroys it.
int mega_compute_cuda(int32_t device, void *stream, bool is_bf16, mega_compute **out, mega_message *message);
// NULL is allowed. Everything that was made with it must be gone.
static inline void mega_compute_destroy(mega_compute *compute) {
    if (compute != NULL) {
        compute->ops->destroy(compute);
    }
}

// Rings and lessons of these sizes, all zero. destroy takes what a failed or no create left.
int mega_rollout_create(mega_compute *compute, uint32_t slots, uint32_t envs, size_t observation_size,
                        mega_rollout *rollout, mega_message *message);
void mega_rollout_destroy(mega_compute *compute, mega_rollout *rollout);
int mega_lesson_create(mega_compute *compute, uint32_t steps, uint32_t envs, mega_lesson *lesson,
                       mega_message *message);
void mega_lesson_destroy(mega_compute *compute, mega_lesson *lesson);
// The first cell of the slot before the present one.
static inline size_t mega_rollout_last(const mega_rollout *rollout) {
    return (size_t)((rollout->slot + rollout->slots - 1) % rollout->slots) * rollout->envs;
}
static inline uint8_t *mega_rollout_observations(const mega_rollout *rollout, uint32_t slot, uint32_t env) {
    return rollout->observations + ((size_t)slot * rollout->envs + env) * rollout->observation_size;
}

#endif
