// learner.h - what the algorithms have in common, and the table that a new one enters.
//
// An algorithm is one file: it plays with the sampler, takes lessons out of its rollout, and moves the network. All
// that must survive a checkpoint is in mega_learner; what an algorithm keeps in `own` is made anew.
#ifndef LEARNER_H
#define LEARNER_H
#include "sampler.h"
#include "train_settings.h"

typedef struct mega_learner mega_learner;

typedef struct mega_algorithm {
    const char *name;
    // How many of the last steps must be restored for a run to go on.
    uint32_t (*history)(const mega_train_settings *settings);
    // Slots that the rollout needs.
    uint32_t (*slots)(const mega_train_settings *settings);
    int (*create)(mega_learner *learner, mega_message *message);
    void (*destroy)(mega_learner *learner); // takes what a failed create left
    // Plays some steps and learns from them. Adds to the counts of `state`.
    int (*iterate)(mega_learner *learner, mega_message *message);
} mega_algorithm;

extern const mega_algorithm mega_algorithm_a2c;
extern const mega_algorithm mega_algorithm_vtrace;
extern const mega_algorithm mega_algorithm_ppo;

typedef struct mega_learner_state { // saved as it is
    uint64_t steps;                 // of each environment
    uint64_t updates;               // of the network
    uint64_t samples;               // that it was trained on, counted as often as it was
} mega_learner_state;

struct mega_learner {
    const mega_train_settings *settings;
    const mega_algorithm *algorithm;
    mega_compute *compute;
    mega_net *net;
    mega_optimizer *optimizer;
    mega_sampler *sampler;
    mega_learner_state state;
    uint64_t schedule_frames; // before the present iteration: where the learning rate's schedule is
    void *own;                // the algorithm's
};

const mega_algorithm *mega_algorithm_find(uint32_t algo);

// Emulated frames so far.
uint64_t mega_learner_frames(const mega_learner *learner);
// Plays steps of all environments and counts them.
int mega_learner_play(mega_learner *learner, uint32_t steps, mega_message *message);
// One update: the loss's gradients through the pass into the network, clipped, and a step of the optimiser. A gradient
// that is not finite moves nothing; mega_trainer_sum() will tell.
int mega_learner_update(mega_learner *learner, const mega_loss *loss, mega_pass *pass, mega_message *message);
// The step size of the present iteration.
double mega_learner_rate(const mega_learner *learner);
// The weights of losses that the settings name.
mega_loss_weights mega_learner_weights(const mega_learner *learner);

#endif
