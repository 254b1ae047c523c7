// field.c - see field.h.
#include "field.h"

#include "remote.h"

#include <string.h>

int mega_field_make_vector(const mega_field_plan *plan, mega_vector **out, mega_message *message) {
    const mega_train_settings *settings = plan->settings;
    const bool waits = !plan->evaluates && settings->resets == MEGA_RESETS_PAUSE;
    const bool own_sticky = plan->evaluates && settings->eval_sticky >= 0;
    const mega_vector_desc desc = {
        .struct_size = sizeof desc,
        .count = plan->count,
        .threads = (uint32_t)settings->threads,
        .pin = plan->pin,
        .groups = plan->evaluates ? 1 : (uint32_t)settings->groups,
        .autoreset = waits ? MEGA_AUTORESET_OFF : MEGA_AUTORESET_NEXT_STEP,
        .seed = (uint32_t)settings->seed + plan->first,
        .roms = &plan->rom,
        .rom_count = 1,
        .device = settings->env_device[0] != '\0' ? settings->env_device : settings->device,
        .task =
            {
                .struct_size = sizeof desc.task,
                .frame_skip = (uint32_t)settings->frame_skip,
                .height = (uint32_t)settings->height,
                .width = (uint32_t)settings->width,
                .stack = (uint32_t)settings->stack,
                .noop_max = settings->noop_max == 0 ? -1 : (int32_t)settings->noop_max,
                .max_episode_frames = (int32_t)settings->max_episode_frames,
                .sticky = (float)(own_sticky ? settings->eval_sticky : settings->sticky),
                .no_reward_clipping = plan->evaluates || !settings->clip_rewards,
                .full_actions = settings->full_actions,
                .episodic_life = !plan->evaluates && settings->lives == MEGA_LIVES_EPISODE,
                .life_loss_info = !plan->evaluates && settings->lives == MEGA_LIVES_TERMINAL,
            },
    };
    *out = NULL;
    return mega_vector_result(mega_vector_create(&desc, out), message);
}

void mega_field_destroy(mega_field *field) {
    mega_vector_destroy(field->vector);
    mega_remote_destroy(field->remote);
    memset(field, 0, sizeof *field);
}

uint32_t mega_field_count(const mega_field *field) {
    return field->remote == NULL ? mega_vector_count(field->vector)
                                 : mega_remote_facts_of(field->remote)->envs;
}

uint32_t mega_field_group(const mega_field *field, uint32_t group, uint32_t *first) {
    return field->remote == NULL ? mega_vector_group(field->vector, group, first)
                                 : mega_remote_group(field->remote, group, first);
}

uint32_t mega_field_actions(const mega_field *field) {
    uint32_t actions = 0;
    if (field->remote != NULL) {
        return mega_remote_facts_of(field->remote)->actions;
    }
    (void)mega_vector_actions(field->vector, &actions);
    return actions;
}

size_t mega_field_observation_size(const mega_field *field) {
    return field->remote == NULL ? mega_vector_observation_size(field->vector)
                                 : mega_remote_facts_of(field->remote)->observation_size;
}

size_t mega_field_state_size(const mega_field *field) {
    return field->remote == NULL ? mega_vector_state_size(field->vector)
                                 : mega_remote_facts_of(field->remote)->state_size;
}

int mega_field_reset(mega_field *field, const uint8_t *mask, const int32_t *seeds, const mega_vector_out *out,
                     mega_message *message) {
    return field->remote == NULL
               ? mega_vector_result(mega_vector_reset(field->vector, mask, seeds, out), message)
               : mega_remote_reset(field->remote, mask, seeds, out, message);
}

int mega_field_step(mega_field *field, const int32_t *actions, const mega_vector_out *out,
                    mega_message *message) {
    return field->remote == NULL
               ? mega_vector_result(mega_vector_step(field->vector, actions, NULL, out), message)
               : mega_remote_step(field->remote, actions, out, message);
}

int mega_field_group_send(mega_field *field, uint32_t group, const int32_t *actions, mega_message *message) {
    return field->remote == NULL
               ? mega_vector_result(mega_vector_group_send(field->vector, group, actions, NULL), message)
               : mega_remote_group_send(field->remote, group, actions, message);
}

int mega_field_group_recv(mega_field *field, uint32_t group, const mega_vector_out *out,
                          mega_message *message) {
    return field->remote == NULL
               ? mega_vector_result(mega_vector_group_recv(field->vector, group, -1, out), message)
               : mega_remote_group_recv(field->remote, group, out, message);
}

uint32_t mega_field_drain_episodes(mega_field *field, mega_episode *episodes, uint32_t capacity) {
    return field->remote == NULL ? mega_vector_drain_episodes(field->vector, episodes, capacity)
                                 : mega_remote_drain_episodes(field->remote, episodes, capacity);
}

// ---- states ----

static void number(int32_t ids[MEGA_FIELD_STATES], uint32_t first, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        ids[i] = (int32_t)(first + i);
    }
}

int mega_field_save_vector(mega_vector *vector, uint32_t first, uint32_t count, uint8_t *states,
                           mega_message *message) {
    int32_t ids[MEGA_FIELD_STATES];
    number(ids, first, count);
    return mega_vector_result(
        mega_vector_save(vector, ids, count, states, count * mega_vector_state_size(vector)), message);
}

int mega_field_restore_vector(mega_vector *vector, uint32_t first, uint32_t count, const uint8_t *states,
                              mega_message *message) {
    int32_t ids[MEGA_FIELD_STATES];
    number(ids, first, count);
    return mega_vector_result(
        mega_vector_restore(vector, ids, count, states, count * mega_vector_state_size(vector)), message);
}

int mega_field_save(mega_field *field, uint32_t first, uint32_t count, uint8_t *states,
                    mega_message *message) {
    return field->remote == NULL ? mega_field_save_vector(field->vector, first, count, states, message)
                                 : mega_remote_save(field->remote, first, count, states, message);
}

int mega_field_restore(mega_field *field, uint32_t first, uint32_t count, const uint8_t *states,
                       mega_message *message) {
    return field->remote == NULL ? mega_field_restore_vector(field->vector, first, count, states, message)
                                 : mega_remote_restore(field->remote, first, count, states, message);
}
