// sampler.h - plays environments with a network and keeps what happened in a rollout.
//
// With several groups, one group's environments play while the network looks at another's observations (the
// alternating groups of Stooke & Abbeel). What is played does not depend on the number of groups, nor on threads.
#ifndef SAMPLER_H
#define SAMPLER_H
#include "compute_q.h"
#include "field.h"

typedef struct mega_sampler mega_sampler;

typedef struct mega_sampler_desc {
    mega_compute *compute;
    mega_net *net;
    mega_field *field; // with next-step resets, or none; borrowed, and no one else may step it
    bool waits; // it has none: environments that are over wait for mega_sampler_pause(); a vector's alone
    uint32_t groups;       // as the field was made; 1 for environments on a GPU
    uint32_t first;        // number of the field's first environment among those of all processes
    uint32_t slots;        // of the rollout: steps to keep, and one
    uint64_t seed;         // of the actions
    const mega_q_shape *q; // of a network of Q-values; NULL: it gives a policy. Borrowed
} mega_sampler_desc;

int mega_sampler_create(const mega_sampler_desc *desc, mega_sampler **out, mega_message *message);
void mega_sampler_destroy(mega_sampler *sampler);

// Starts all environments, with seeds or (NULL) where their generators stand. With `random_steps`, each first plays a number of random actions of its own between 0 and
// that, so that they do not all stand at the beginning (Stooke & Abbeel, 5.3).
int mega_sampler_reset(mega_sampler *sampler, const int32_t *seeds, uint32_t random_steps,
                       mega_message *message);
// Plays `steps` steps of all environments, by the policy or (greedy) by its best actions, or with probability `epsilon`
// by any.
int mega_sampler_play(mega_sampler *sampler, uint32_t steps, bool greedy, float epsilon,
                      mega_message *message);
// Fills the values of the present observations: what returns are continued with.
int mega_sampler_look(mega_sampler *sampler, mega_message *message);
// The learner pauses: environments that are over are reset from now on, in the vector's threads or in its streams on the
// GPU, while other work is done. Until resume, which waits for that and takes their first observations as the present
// ones, nothing may be played. Both do nothing where environments do not wait, resume also without a pause.
int mega_sampler_pause(mega_sampler *sampler, mega_message *message);
int mega_sampler_resume(mega_sampler *sampler, mega_message *message);

mega_rollout *mega_sampler_rollout(mega_sampler *sampler);
// Sets the steps of each environment since the reset, by which actions are drawn: for a run that goes on where another
// was saved, after its environments and its rollout were restored.
void mega_sampler_set_steps(mega_sampler *sampler, uint64_t steps);

#endif
