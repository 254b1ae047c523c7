// compute_q.h - what Q-learners ask of a device besides compute.h and replay.h. The arithmetic is in mega_q.h.
#ifndef COMPUTE_Q_H
#define COMPUTE_Q_H
#include "compute.h"
#include "mega_q.h"

// Samples that a target network has looked at: what they led to.
typedef struct mega_q_lesson {
    const float *returns;   // [count]
    const float *discounts; // [count]: of what comes after; 0 after the end of an episode
    const float *chooser;   // [count][actions]: Q-values by which the next action is the best
    float *targets;         // [count][atoms]
} mega_q_lesson;

typedef struct mega_q_loss {
    const int32_t *actions; // [batch]
    const float *weights;   // [batch]: of the samples
    const float *targets;   // [batch][atoms]
    float clip;             // of the error, with one atom; 0: none
    float *errors;          // [batch]: what priorities are made of
} mega_q_loss;

typedef struct mega_q_ops {
    // Q-values, [batch][actions], of what a pass has looked at.
    int (*values)(mega_compute *compute, const mega_q_shape *shape, const mega_pass *pass, float *q,
                  mega_message *message);
    // Targets, from a pass of the target network over the next observations.
    int (*targets)(mega_compute *compute, const mega_q_shape *shape, const mega_pass *pass,
                   const mega_q_lesson *lesson, mega_message *message);
    // Fills the pass's gradients of the mean over its batch; adds to the sums that read_stats() returns.
    int (*loss)(mega_compute *compute, const mega_q_shape *shape, const mega_q_loss *loss, mega_pass *pass,
                mega_message *message);
} mega_q_ops;

extern const mega_q_ops mega_q_ops_cpu;
extern const mega_q_ops mega_q_ops_cuda;

#endif
