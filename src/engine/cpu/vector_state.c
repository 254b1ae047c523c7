// vector_state.c - save states of whole environments, in memory and from outside. Runs in the caller's
// thread.
#include <stdlib.h>
#include <string.h>

#include "status.h"
#include "vector.h"
#include "vector_format.h"

// ---- saving --------------------------------------------------------------------------------------------

static uint8_t *put(uint8_t *to, const void *from, size_t size) {
    if (size != 0) {
        memcpy(to, from, size);
    }
    return to + size;
}

static void fill_core(const mega_member *member, mega_state_core *core) {
    const mega_environment *env = &member->lane.environment;
    memset(core, 0, sizeof(*core));
    core->session = env->session;
    core->random = env->random;
    core->noop_random = member->lane.task.noop_random;
    core->running = member->running;
    core->sticky_action = env->stage.sticky_action;
    core->sticky_strength = env->stage.sticky_strength;
    core->lives = member->lane.task.lives;
    core->frames = member->lane.task.frames;
    core->failed = env->stage.failed;
    core->over = member->over;
}

void vector_save_member(mega_cpu_vector *vector, uint32_t env_id, uint8_t *to) {
    mega_member *member = &vector->members[env_id];
    mega_lane *lane = &member->lane;
    const mega_setup *setup = lane->environment.setup;
    const mega_state_header header = state_header_of(lane->setup);
    mega_state_core core;
    fill_core(member, &core);
    to = put(to, &header, sizeof(header));
    to = put(to, &core, sizeof(core));
    to = put(to, lane->environment.cart_ram, state_extra_ram(setup));
    to = put(to, lane->view.frames, lane->setup->observation_size);
    to = put(to, lane->view.pooled, lane->setup->screen_size);
    lane_bind(lane, vector->scratch[0]);
    to = put(to, setup->play->picture(&lane->environment.stage, 0), state_picture_size(setup));
    (void)put(to, setup->play->picture(&lane->environment.stage, 1), state_picture_size(setup));
    lane_unbind(lane);
}

// ---- restoring -----------------------------------------------------------------------------------------

static const uint8_t *take(const uint8_t *from, void *to, size_t size) {
    if (size != 0) {
        memcpy(to, from, size);
    }
    return from + size;
}

static void take_core(mega_member *member, const mega_state_core *core) {
    mega_environment *env = &member->lane.environment;
    env->session = core->session;
    env->random = core->random;
    member->lane.task.noop_random = core->noop_random;
    member->running = core->running;
    env->stage.sticky_action = core->sticky_action;
    env->stage.sticky_strength = core->sticky_strength;
    member->lane.task.lives = core->lives;
    member->lane.task.frames = core->frames;
    env->stage.failed = core->failed;
    member->over = (uint8_t)core->over;
}

void vector_restore_bound(mega_member *member, const uint8_t *from) {
    mega_lane *lane = &member->lane;
    const mega_setup *setup = lane->environment.setup;
    mega_state_core core;
    from = take(from + sizeof(mega_state_header), &core, sizeof(core));
    take_core(member, &core);
    from = take(from, lane->environment.cart_ram, state_extra_ram(setup));
    from = take(from, lane->view.frames, lane->setup->observation_size);
    from = take(from, lane->view.pooled, lane->setup->screen_size);
    mega_video *video = lane->environment.stage.machine.video;
    memset(video, 0, sizeof(*video));
    from = take(from, video->picture[0], state_picture_size(setup));
    (void)take(from, video->picture[1], state_picture_size(setup));
    task_mark_repeats(&lane->view);
}

// The bytes have been checked.
static void restore_member(mega_cpu_vector *vector, uint32_t env_id, const uint8_t *from) {
    mega_member *member = &vector->members[env_id];
    lane_bind(&member->lane, vector->scratch[0]);
    vector_restore_bound(member, from);
    lane_unbind(&member->lane);
    memset(&member->outcome, 0, sizeof(member->outcome));
    member->powered = 1;
    vector->unstarted -= !member->started;
    member->started = 1;
}

// ---- public --------------------------------------------------------------------------------------------

const mega_lane_setup *cpu_vector_setup(const mega_cpu_vector *vector, uint32_t env_id) {
    return vector->members[env_id].lane.setup;
}

size_t cpu_vector_state_size(const mega_cpu_vector *vector) {
    return state_largest(&vector->games);
}

static mega_status check_ids(mega_cpu_vector *vector, const int32_t *ids, uint32_t count) {
    MEGA_TRY(vector_ready(vector));
    for (uint32_t k = 0; k < count; k++) {
        if (ids == NULL) {
            return mega_fail(MEGA_ERROR_ARGUMENT, "%u environments, and no list of them", count);
        }
        MEGA_TRY(vector_check_free(vector, ids[k]));
    }
    return MEGA_OK;
}

static mega_status check_saveable(mega_cpu_vector *vector, const int32_t *ids, uint32_t count) {
    MEGA_TRY(check_ids(vector, ids, count));
    for (uint32_t k = 0; k < count; k++) {
        if (!vector->members[ids[k]].powered) {
            return mega_fail(MEGA_ERROR_ORDER, "environment %d was never reset, so it has no state", ids[k]);
        }
    }
    return MEGA_OK;
}

mega_status cpu_vector_save(mega_cpu_vector *vector, const int32_t *env_ids, uint32_t count, void *bytes,
                            size_t size) {
    const size_t each = cpu_vector_state_size(vector);
    MEGA_TRY(check_saveable(vector, env_ids, count));
    if ((bytes == NULL && count != 0) || size != each * count) {
        return mega_fail(MEGA_ERROR_ARGUMENT, "%u states have %zu bytes, and there is room for %zu", count,
                         each * count, bytes == NULL ? 0 : size);
    }
    for (uint32_t k = 0; k < count; k++) {
        uint8_t *to = (uint8_t *)bytes + each * k;
        const size_t used = state_bytes(vector->members[env_ids[k]].lane.setup);
        vector_save_member(vector, (uint32_t)env_ids[k], to);
        memset(to + used, 0, each - used);
    }
    return MEGA_OK;
}

mega_status cpu_vector_restore(mega_cpu_vector *vector, const int32_t *env_ids, uint32_t count,
                               const void *bytes, size_t size) {
    MEGA_TRY(check_ids(vector, env_ids, count));
    if (count != 0 && (bytes == NULL || size % count != 0)) {
        return mega_fail(MEGA_ERROR_STATE, "%zu bytes are not %u states", bytes == NULL ? 0 : size, count);
    }
    const size_t each = count != 0 ? size / count : 0;
    for (uint32_t k = 0; k < count; k++) {
        MEGA_TRY(
            state_check(vector->members[env_ids[k]].lane.setup, (const uint8_t *)bytes + each * k, each));
    }
    for (uint32_t k = 0; k < count; k++) {
        restore_member(vector, (uint32_t)env_ids[k], (const uint8_t *)bytes + each * k);
    }
    return MEGA_OK;
}

mega_status cpu_vector_copy(mega_cpu_vector *to, const int32_t *to_ids, mega_cpu_vector *from,
                            const int32_t *from_ids, uint32_t count) {
    MEGA_TRY(check_saveable(from, from_ids, count));
    MEGA_TRY(check_ids(to, to_ids, count));
    for (uint32_t k = 0; k < count; k++) {
        const mega_state_header header = state_header_of(from->members[from_ids[k]].lane.setup);
        MEGA_TRY(state_check_header(to->members[to_ids[k]].lane.setup, (const uint8_t *)&header,
                                    (size_t)header.size));
    }
    for (uint32_t k = 0; k < count; k++) {
        vector_save_member(from, (uint32_t)from_ids[k], from->state);
        restore_member(to, (uint32_t)to_ids[k], from->state);
    }
    return MEGA_OK;
}
