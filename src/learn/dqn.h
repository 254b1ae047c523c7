// dqn.h - what dqn.c and dqn_noise.c share.
#ifndef DQN_H
#define DQN_H
#include "learner.h"
#include "noise.h"
#include "replay.h"

typedef struct dqn {
    mega_net *target;       // theta-
    mega_pass *pass;        // of a batch's observations,
    mega_pass *next_pass;   // of those after them (Double: else NULL),
    mega_pass *target_pass; // and of these by the target network
    mega_replay replay;
    mega_replay_batch batch;
    float *q;                 // [batch][actions], of the next observations
    float *targets;           // [batch][atoms]
    float *errors;            // [batch]
    void *slab;               // holds these three
    mega_noise *noise;        // of the network that learns, if it is noisy: else NULL
    mega_noise *target_noise; // and of the target network
} dqn;

// ---- noisy layers (dqn_noise.c): all but the first two are for noisy networks only ----
//
// What is learned are the means and spreads of weights. Every update and every round of play has noise of its own.

// destroy takes what a failed or no create left.
int dqn_noise_create(mega_learner *learner, mega_message *message);
void dqn_noise_destroy(mega_learner *learner);
// First means and spreads.
int dqn_noise_start(mega_learner *learner, mega_message *message);
// New noise in the network that learns and in the target network, for an update; in the network, to play with; none, for
// evaluations and exports.
int dqn_noise_draw(mega_learner *learner, mega_message *message);
int dqn_noise_explore(mega_learner *learner, mega_message *message);
int dqn_noise_silence(mega_learner *learner, mega_message *message);
// The gradients of means and spreads, after a backward pass.
int dqn_noise_spread_gradients(mega_learner *learner, mega_message *message);
// The target network's means and spreads become those of the network.
int dqn_noise_copy_target(mega_learner *learner, mega_message *message);
int dqn_noise_keep(mega_learner *learner, const mega_part_mover *mover, mega_message *message);

#endif
