// field.h - the environments that a trainer plays: those of a vector in this process, or of samplers (remote.h).
//
// What is played, and what is returned, is the same. Those on a GPU are in a vector, and there are more calls for them
// (sampler.c). As with a vector, what has been sent to a group is received before anything else is asked of it.
#ifndef FIELD_H
#define FIELD_H
#include "dist.h"
#include "megacade.h"
#include "train_settings.h"

typedef struct mega_remote mega_remote;

typedef struct mega_field { // one of the two
    mega_vector *vector;
    mega_remote *remote;
} mega_field;

// What of a run's environments a vector has, and how they play.
typedef struct mega_field_plan {
    const mega_train_settings *settings;
    const mega_rom *rom;
    uint32_t first; // number of the first environment among all, by which it is seeded,
    uint32_t count;
    uint32_t pin;   // as of mega_vector_desc
    bool evaluates; // without clipped rewards and ends of lives, in one group
} mega_field_plan;

int mega_field_make_vector(const mega_field_plan *plan, mega_vector **out, mega_message *message);
void mega_field_destroy(mega_field *field);

uint32_t mega_field_count(const mega_field *field);
uint32_t mega_field_group(const mega_field *field, uint32_t group, uint32_t *first);
uint32_t mega_field_actions(const mega_field *field);
size_t mega_field_observation_size(const mega_field *field);
size_t mega_field_state_size(const mega_field *field);

// As mega_vector's. Of `out` there are observations, rewards, terminations, truncations and episode_ends; a reset has the
// first of them alone.
int mega_field_reset(mega_field *field, const uint8_t *mask, const int32_t *seeds, const mega_vector_out *out,
                     mega_message *message);
int mega_field_step(mega_field *field, const int32_t *actions, const mega_vector_out *out,
                    mega_message *message);
int mega_field_group_send(mega_field *field, uint32_t group, const int32_t *actions, mega_message *message);
int mega_field_group_recv(mega_field *field, uint32_t group, const mega_vector_out *out,
                          mega_message *message);
uint32_t mega_field_drain_episodes(mega_field *field, mega_episode *episodes, uint32_t capacity);
// States of `count` environments from `first` on, mega_field_state_size() bytes each.
int mega_field_save(mega_field *field, uint32_t first, uint32_t count, uint8_t *states,
                    mega_message *message);
int mega_field_restore(mega_field *field, uint32_t first, uint32_t count, const uint8_t *states,
                       mega_message *message);

static inline int mega_vector_result(mega_status status, mega_message *message) {
    return status == MEGA_OK ? 0 : mega_message_set(message, "%s", mega_last_error());
}

// The same for a vector; at most MEGA_FIELD_STATES at a time.
enum {
    MEGA_FIELD_STATES = 64
};
int mega_field_save_vector(mega_vector *vector, uint32_t first, uint32_t count, uint8_t *states,
                           mega_message *message);
int mega_field_restore_vector(mega_vector *vector, uint32_t first, uint32_t count, const uint8_t *states,
                              mega_message *message);

#endif
