// trainer.h - a training run: environments, network and algorithm as the settings say, from start to checkpoint.
//
//     mega_trainer_create(&settings, rom, &trainer, &message);
//     mega_trainer_start(trainer, &message);                       // or mega_trainer_restore(trainer, path, ...)
//     while (mega_trainer_count(trainer).frames < settings.frames)
//         mega_trainer_iterate(trainer, &message);
//     mega_trainer_save(trainer, path, &message);
//
// A run that is restored goes on bit for bit as if it had never been saved, with the same number of threads. One
// thread at a time.
#ifndef TRAINER_H
#define TRAINER_H
#include "megacade.h"
#include "dist.h"
#include "network.h"
#include "reduce.h"
#include "train_settings.h"

typedef struct mega_trainer mega_trainer;

// Borrows the settings for its life, and `dist`; the image is copied. With several processes (share.h) each makes one of the
// same settings, and all calls but count() and evaluate() are collective (of asynchronous ones: join, settle, destroy); a
// failure of one of them then ends them all.
int mega_trainer_create(const mega_train_settings *settings, const mega_rom *rom, mega_dist *dist,
                        mega_trainer **out, mega_message *message);
void mega_trainer_destroy(mega_trainer *trainer);

// First parameters and first episodes.
int mega_trainer_start(mega_trainer *trainer, mega_message *message);
// Several processes, after they have started or restored, and before they end. Asynchronous ones then have the same
// parameters; others have found the way that their gradients go.
int mega_trainer_join(mega_trainer *trainer, mega_message *message);
int mega_trainer_settle(mega_trainer *trainer, mega_message *message);
// And to end: one asks, the others hear of it when they ask whether they should.
int mega_trainer_ask_to_stop(mega_trainer *trainer, mega_message *message);
int mega_trainer_is_stopped(mega_trainer *trainer, bool *is_stopped, mega_message *message);
// Plays some steps and learns from them. After a failure the parameters are those of the last good update.
int mega_trainer_iterate(mega_trainer *trainer, mega_message *message);
// Plays steps and learns nothing, for measurements: what a Q-learner plays so is not in its memory, and is not to be saved.
int mega_trainer_play(mega_trainer *trainer, uint32_t steps, mega_message *message);

// A checkpoint holds all of a run; rank 0 writes it, all read it. Files that are damaged, or of a run with other settings,
// are refused. With another number of processes a run goes on with the same environments, memories and network, but not
// bit for bit. Asynchronous processes save only the network, which rank 0 does alone; their environments and memories begin
// anew.
int mega_trainer_save(mega_trainer *trainer, const char *path, mega_message *message);
int mega_trainer_restore(mega_trainer *trainer, const char *path, mega_message *message);
// Only the network, for evaluation.
int mega_trainer_restore_network(mega_trainer *trainer, const char *path, mega_message *message);

typedef struct mega_train_count {
    uint64_t frames;  // emulated
    uint64_t steps;   // of each environment
    uint64_t updates; // of the network
    uint64_t samples; // that it was trained on
    uint64_t episodes;
    double score; // mean of the last 100 episodes of each process; NaN before the first
} mega_train_count;
// With several processes, episodes and score are those of the last means.
mega_train_count mega_trainer_count(const mega_trainer *trainer);

// Means over the samples that were trained on since the last call; NaN without any.
typedef struct mega_train_means {
    double policy_loss, value_loss, entropy, kl, clipped; // NaN where the algorithm has none
    double q;                                             // of the actions that were taken: Q-learners
    double exploration;                                   // share of random actions at present: Q-learners
    double gradient_norm;                                 // of the last update
    double learning_rate;                                 // of the last iteration
} mega_train_means;
int mega_trainer_means(mega_trainer *trainer, mega_train_means *out, mega_message *message);

typedef struct mega_evaluation {
    uint32_t episodes;
    double mean, deviation, lowest, highest; // of scores
    uint64_t frames;
} mega_evaluation;
// Plays episodes with the present network, in environments of their own: training is not touched. `index` names the
// draw: the same index and network, the same scores.
int mega_trainer_evaluate(mega_trainer *trainer, uint32_t episodes, uint64_t index, mega_evaluation *out,
                          mega_message *message);

// How gradients of several processes become their mean, once they have joined; NULL where they do not.
const mega_reduce *mega_trainer_reduce(const mega_trainer *trainer);
const mega_network *mega_trainer_network(const mega_trainer *trainer);
// The parameters, in the host's memory: network->parameter_count numbers.
int mega_trainer_parameters(mega_trainer *trainer, float *parameters, mega_message *message);

#endif
