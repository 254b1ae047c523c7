// trainer_parts.h - what trainer.c, trainer_file.c and evaluate.c share.
#ifndef TRAINER_PARTS_H
#define TRAINER_PARTS_H
#include "learner.h"
#include "trainer.h"

enum {
    MEGA_RECENT_SCORES = 100
};

typedef struct mega_score_ring { // saved as it is
    uint64_t episodes;
    int64_t scores[MEGA_RECENT_SCORES];
} mega_score_ring;

// Of the samples that were trained on since means were last asked for; saved as it is.
typedef struct mega_train_sums {
    double stats[MEGA_STAT_COUNT];
    double gradient_norm;
} mega_train_sums;

// What all ranks have told each other when means were last asked for.
typedef struct mega_train_shared {
    double episodes;
    double known, sum; // scores that are known, and their sum
} mega_train_shared;

// Environments that play with the trainer's network in evaluations.
typedef struct mega_evaluator {
    mega_field field;
    mega_sampler *sampler;
    uint32_t episodes;
} mega_evaluator;

struct mega_trainer {
    const mega_train_settings *all; // the run's,
    mega_train_settings own;        // and those of this rank's part of it
    mega_dist *dist;                // NULL: one process
    mega_rom *rom;
    mega_field field;
    mega_learner learner;
    mega_score_ring recent;
    mega_train_sums sums;
    mega_train_shared shared;
    mega_evaluator evaluator;
};

// A vector as the settings say; for evaluations without clipped rewards and ends of lives.
int mega_trainer_make_vector(const mega_trainer *trainer, uint32_t count, bool evaluates, mega_vector **out,
                             mega_message *message);
// Brings what the device has summed up to trainer->sums, and back.
int mega_trainer_take_sums(mega_trainer *trainer, mega_message *message);
int mega_trainer_put_sums(mega_trainer *trainer, mega_message *message);
// Of what was played so far.
void mega_trainer_forget_scores(mega_trainer *trainer);
// Whether it is one of processes that do not wait for each other.
static inline bool mega_trainer_is_async(const mega_trainer *trainer) {
    return trainer->own.asynchronous && trainer->dist != NULL;
}
void mega_evaluator_destroy(mega_evaluator *evaluator);

#endif
