// remote.h - the environments of a learner that samplers play (serve.h), over wires (src/dist/wire.h).
//
// Each sampler has an equal part of every group, in order, so that all of them play while the network looks at another
// group. Of an observation only the newest frame travels, as long as an episode goes on; stacks are put together here.
#ifndef REMOTE_H
#define REMOTE_H
#include "field.h"

typedef struct mega_remote_facts {
    uint32_t envs;
    uint32_t actions;
    size_t observation_size, state_size;
} mega_remote_facts;

typedef struct mega_remote_desc {
    mega_dist *dist; // with wires to the samplers; borrowed
    uint32_t envs;
    uint32_t groups;
    uint32_t stack; // frames of an observation
    uint32_t first; // number of the first environment among all
} mega_remote_desc;

int mega_remote_create(const mega_remote_desc *desc, mega_remote **out, mega_message *message);
void mega_remote_destroy(mega_remote *remote); // NULL is allowed
// Lets all samplers of `dist` go, whether they have heard of anything before or not: they end with `exit_code`.
void mega_remote_end(mega_dist *dist, int exit_code);

const mega_remote_facts *mega_remote_facts_of(const mega_remote *remote);
uint32_t mega_remote_group(const mega_remote *remote, uint32_t group, uint32_t *first);

// See field.h.
int mega_remote_reset(mega_remote *remote, const uint8_t *mask, const int32_t *seeds,
                      const mega_vector_out *out, mega_message *message);
int mega_remote_step(mega_remote *remote, const int32_t *actions, const mega_vector_out *out,
                     mega_message *message);
int mega_remote_group_send(mega_remote *remote, uint32_t group, const int32_t *actions,
                           mega_message *message);
int mega_remote_group_recv(mega_remote *remote, uint32_t group, const mega_vector_out *out,
                           mega_message *message);
uint32_t mega_remote_drain_episodes(mega_remote *remote, mega_episode *episodes, uint32_t capacity);
int mega_remote_save(mega_remote *remote, uint32_t first, uint32_t count, uint8_t *states,
                     mega_message *message);
int mega_remote_restore(mega_remote *remote, uint32_t first, uint32_t count, const uint8_t *states,
                        mega_message *message);

#endif
