// replay.h - the replay memory of learners that learn from the past more than once: a ring of steps of all
// environments in the device's memory, from which batches are drawn, uniformly or by priority (Schaul et al.
// 2016).
//
// Steps are stored one after the other, and published: samples see only what is. Between two publications up
// to `ahead` steps may be stored by one thread while another samples; all that is sampled from stays where it
// is until the next publication, for which both have to stop. A frame is kept once: 84 x 84 pixels and a
// million transitions are 6.6 GiB.
//
//     mega_replay_store(compute, &replay, rollout, slot, &message);        after each step
//     mega_replay_publish(compute, &replay, &message);                     after `ahead` of them at most
//     mega_replay_sample(compute, &replay, &batch, seed, index, beta, &message);
//     ... learn from the batch ...
//     mega_replay_set_priorities(compute, &replay, &batch, errors, &message);
//
// A step can be drawn when the frames of its observation and the n steps from it on are there, and it is no
// reset. The n-step return ends early with its episode: then `discounts` has fewer powers, or is 0.
#ifndef REPLAY_H
#define REPLAY_H
#include "compute.h"
#include "mega_replay.h"

typedef struct mega_replay_desc {
    uint32_t envs;
    uint32_t slots;  // steps in the ring, more than stack + n_step + ahead; mega_replay_slots() computes them
    uint32_t stack;  // frames of an observation, 1 to 255
    uint32_t n_step; // at least 1
    uint32_t ahead;  // steps that are stored between two publications, at most; at least 1
    size_t frame_size; // bytes; multiples of 16 are copied faster
    float discount;
    bool is_prioritised;
    float alpha;         // priorities are (|error| + 1e-6)^alpha
    bool frames_on_host; // for a GPU that has no room for them
} mega_replay_desc;

typedef struct mega_replay {
    mega_replay_desc desc;
    uint64_t stored; // steps so far
    uint64_t published;
    mega_replay_view view; // its arrays are in the device's memory
    void *slab;            // holds them all, but for
    void *frames;          // those on the host, if they are there
} mega_replay;

// The work of a device. Whoever has a memory calls the functions below, which check and count.
typedef struct mega_replay_ops {
    // Makes the device ready, and says how many bytes a memory may take there.
    int (*prepare)(mega_compute *compute, uint64_t *room, mega_message *message);
    int (*store)(mega_compute *compute, const mega_replay_view *view, const mega_replay_step *step,
                 mega_message *message);
    // Steps that have left the window lose their priorities; those that came get the largest so far.
    int (*publish)(mega_compute *compute, const mega_replay_view *view, mega_replay_span left,
                   mega_replay_span came, mega_message *message);
    int (*sample)(mega_compute *compute, const mega_replay_view *view, const mega_replay_batch *batch,
                  uint64_t seed, uint64_t index, float beta, mega_message *message);
    int (*set_priorities)(mega_compute *compute, const mega_replay_view *view, const mega_replay_batch *batch,
                          const float *errors, mega_message *message);
    int (*rebuild)(mega_compute *compute, const mega_replay_view *view, mega_message *message);
} mega_replay_ops;

extern const mega_replay_ops mega_replay_cpu;

// Slots with which `capacity` transitions can be drawn from when the ring is full; of the desc all but slots
// is read.
uint32_t mega_replay_slots(const mega_replay_desc *desc, uint64_t capacity);
// Transitions that can be drawn from when the ring is full: what mega_replay_slots() was asked for, or a few
// more.
uint64_t mega_replay_capacity(const mega_replay_desc *desc);
// Bytes on the device.
uint64_t mega_replay_size(const mega_replay_desc *desc);
// And on the host, beside a GPU's.
uint64_t mega_replay_host_size(const mega_replay_desc *desc);

// An empty memory. Where it is too large for the device, the message says how many transitions are not.
// destroy takes what a failed or no create left.
int mega_replay_create(mega_compute *compute, const mega_replay_desc *desc, mega_replay *replay,
                       mega_message *message);
void mega_replay_destroy(mega_compute *compute, mega_replay *replay);

int mega_replay_batch_create(mega_compute *compute, const mega_replay_desc *desc, uint32_t count,
                             mega_replay_batch *batch, mega_message *message);
void mega_replay_batch_destroy(mega_compute *compute, mega_replay_batch *batch);

// Takes a slot of a rollout as the next step: the newest frames, actions, rewards and flags.
int mega_replay_store(mega_compute *compute, mega_replay *replay, const mega_rollout *rollout, uint32_t slot,
                      mega_message *message);
// Shows all steps that are stored.
int mega_replay_publish(mega_compute *compute, mega_replay *replay, mega_message *message);
// Steps of each environment that samples may see; a batch can be drawn when it is not 0.
static inline uint32_t mega_replay_steps(const mega_replay *replay) {
    return replay->view.steps;
}
// Draws batch number `index` of a seed and fills it: the same for the same contents, on every device. `beta`
// is the exponent of the importance of samples that were drawn by priority.
int mega_replay_sample(mega_compute *compute, const mega_replay *replay, const mega_replay_batch *batch,
                       uint64_t seed, uint64_t index, float beta, mega_message *message);
// Sets the priorities of a batch's cells by their errors ([count], on the device). Of samples of the same
// cell the last one counts; an error that is not finite leaves what was there. Without priorities it does
// nothing.
int mega_replay_set_priorities(mega_compute *compute, const mega_replay *replay,
                               const mega_replay_batch *batch, const float *errors, mega_message *message);

// ---- checkpoints ----

enum {
    MEGA_REPLAY_PARTS = 6
};

typedef struct mega_replay_part {
    const char *name; // "frames"
    void *memory;     // on the device: [slots][step_size]
    size_t step_size; // bytes of a step of all environments
} mega_replay_part;

// Steps in the ring: so many slots of each part, from the first on, are filled.
static inline uint64_t mega_replay_filled(const mega_replay *replay) {
    return replay->stored < replay->view.slots ? replay->stored : replay->view.slots;
}
// Lists what a checkpoint has to keep besides `stored` and, with priorities, the number at view.max_priority; returns how
// many parts that is. Whoever restores a memory makes one of the same desc, calls mega_replay_restore(), lists its
// parts, fills them, and rebuilds.
uint32_t mega_replay_parts(const mega_replay *replay, mega_replay_part parts[MEGA_REPLAY_PARTS]);
// An empty memory counts `stored` steps, all published, as one that is saved should be.
void mega_replay_restore(mega_replay *replay, uint64_t stored);
// Computes what is not saved: the sums of the priorities.
int mega_replay_rebuild(mega_compute *compute, const mega_replay *replay, mega_message *message);

#endif
