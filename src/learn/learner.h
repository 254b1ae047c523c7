// learner.h - what the algorithms have in common, and the table that a new one enters.
//
// An algorithm is one file: it plays with the sampler, takes lessons out of its rollout, and moves the network. All
// that must survive a checkpoint is in mega_learner, or in `own` and moved by the algorithm's `keep`.
#ifndef LEARNER_H
#define LEARNER_H
#include "async.h"
#include "part_mover.h"
#include "reduce.h"
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
    // What follows may be NULL.
    // A run begins: the network has its first parameters.
    int (*start)(mega_learner *learner, mega_message *message);
    // learner->learned was changed by others: the networks follow.
    int (*follow)(mega_learner *learner, mega_message *message);
    // Moves whatever a checkpoint has to keep besides what all algorithms have.
    int (*keep)(mega_learner *learner, const mega_part_mover *mover, mega_message *message);
} mega_algorithm;

extern const mega_algorithm mega_algorithm_a2c;
extern const mega_algorithm mega_algorithm_vtrace;
extern const mega_algorithm mega_algorithm_ppo;
extern const mega_algorithm mega_algorithm_dqn;

typedef struct mega_learner_state { // saved as it is
    uint64_t steps;                 // of each environment
    uint64_t updates;               // of the network
    uint64_t samples;               // that it was trained on, counted as often as it was
} mega_learner_state;

struct mega_learner {
    const mega_train_settings *settings; // of this rank's part (share.h)
    const mega_algorithm *algorithm;
    mega_dist *dist;   // those who learn together; NULL: alone
    mega_async *async; // their store, if they do not wait for each other; else NULL
    mega_slab learned; // what the optimiser moves: the net's parameters, or means and spreads of noisy layers
    mega_reduce *reduce;   // how gradients become the mean of all, if they wait for each other; else NULL
    mega_compute *compute; // on which it learns,
    mega_compute *acting;  // and on which the actor plays: the same, or another stream of the GPU
    mega_net *net;         // that learns
    mega_net *actor;       // that plays: the same, or a copy that stays as it is while the other one learns
    mega_q_shape q;        // of a network of Q-values; no atoms: it gives a policy
    mega_optimizer *optimizer;
    mega_sampler *sampler;
    mega_learner_state state;
    uint64_t
        waited; // steps in which single environments, of all ranks, waited for their reset and played no frame
    uint64_t
        first_draw; // added to steps and updates where they name a draw: asynchronous processes count anew
    uint64_t schedule_frames; // before the present iteration: where the learning rate's schedule is
    void *own;                // the algorithm's
};

const mega_algorithm *mega_algorithm_find(uint32_t algo);

// Emulated frames so far.
uint64_t mega_learner_frames(const mega_learner *learner);
// What the network gives, if that is Q-values; or NULL.
static inline const mega_q_shape *mega_learner_q(const mega_learner *learner) {
    return learner->q.atoms > 0 ? &learner->q : NULL;
}
// The share of random actions at present: those of Q-learners.
double mega_learner_exploration(const mega_learner *learner);
// Plays steps of all environments and counts them.
int mega_learner_play(mega_learner *learner, uint32_t steps, mega_message *message);
// Around all work of an update. On a GPU it is launched in one piece, or in two if ranks have to talk in the middle of it.
int mega_learner_begin_update(mega_learner *learner, mega_message *message);
int mega_learner_end_update(mega_learner *learner, mega_message *message);
// How a loss weighs these samples of the rollout, before the update begins: where environments wait for their resets, the
// mean is over the samples that count, those of all ranks.
int mega_learner_weigh(mega_learner *learner, const mega_samples *samples, mega_loss *loss,
                       mega_message *message);
// An update of so many samples, by learner->learned's gradients: clipped, and a step of the optimiser, together with the
// other processes. Counts it.
int mega_learner_descend(mega_learner *learner, uint32_t samples, mega_message *message);
// One update: the loss's gradients through the pass into the network, clipped, and a step of the optimiser. A gradient
// that is not finite moves nothing; mega_trainer_sum() will tell.
int mega_learner_update(mega_learner *learner, const mega_loss *loss, mega_pass *pass, mega_message *message);
// The step size of the present iteration.
double mega_learner_rate(const mega_learner *learner);
// The weights of losses that the settings name.
mega_loss_weights mega_learner_weights(const mega_learner *learner);

#endif
