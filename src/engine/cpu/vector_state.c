// vector_state.c - save states of whole environments, in memory and from outside. Runs in the caller's
// thread.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "status.h"
#include "vector.h"

// Layout: header, core, cartridge RAM beyond the session's, stack, pooled screen, the last two pictures (the
// newer first). The bytes are those of this machine's structs; the version changes with any of them.
#define STATE_VERSION 1u
#define SCORE_MAX ((int64_t)1 << 40) // far more than any game gives

typedef struct state_header {
    char magic[4]; // "MEGV"
    uint32_t version;
    uint64_t size; // of everything
    char md5[32];  // of the cartridge
    uint32_t stack, height, width, channels;
} state_header;

typedef struct state_core {
    mega_session session;
    mega_mt19937 random, noop_random;
    mega_episode running;
    uint32_t sticky_action;
    float sticky_strength;
    int32_t lives;
    uint32_t frames;
    uint32_t failed, over;
} state_core;

// ---- sizes ---------------------------------------------------------------------------------------------

static size_t extra_ram(const mega_setup *setup) {
    return setup->cartridge.ram_size > MEGA_CART_RAM ? setup->cartridge.ram_size : 0;
}

static size_t picture_size(const mega_setup *setup) {
    return (size_t)MEGA_WIDTH * setup->cartridge.height;
}

static size_t state_size(const mega_lane_setup *setup) {
    return sizeof(state_header) + sizeof(state_core) + extra_ram(setup->environment) +
           setup->observation_size + setup->screen_size + 2 * picture_size(setup->environment);
}

size_t vector_largest_state(const mega_vector *vector) {
    size_t most = 0;
    for (uint32_t i = 0; i < vector->setup_count; i++) {
        const size_t size = state_size(vector->setups[i]);
        most = size > most ? size : most;
    }
    return most;
}

size_t mega_vector_state_size(const mega_vector *vector) {
    return vector_largest_state(vector);
}

static state_header header_of(const mega_lane_setup *setup) {
    state_header header = {{'M', 'E', 'G', 'V'}, STATE_VERSION, state_size(setup), {0}, 0, 0, 0, 0};
    memcpy(header.md5, setup->environment->image_md5, sizeof(header.md5));
    header.stack = setup->settings.stack;
    header.height = setup->resizer.height;
    header.width = setup->resizer.width;
    header.channels = setup->settings.channels;
    return header;
}

// ---- saving --------------------------------------------------------------------------------------------

static uint8_t *put(uint8_t *to, const void *from, size_t size) {
    if (size != 0) {
        memcpy(to, from, size);
    }
    return to + size;
}

static void fill_core(const mega_member *member, state_core *core) {
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

void vector_save_member(mega_vector *vector, uint32_t env_id, uint8_t *to) {
    mega_member *member = &vector->members[env_id];
    mega_lane *lane = &member->lane;
    const mega_setup *setup = lane->environment.setup;
    const state_header header = header_of(lane->setup);
    state_core core;
    fill_core(member, &core);
    to = put(to, &header, sizeof(header));
    to = put(to, &core, sizeof(core));
    to = put(to, lane->environment.cart_ram, extra_ram(setup));
    to = put(to, lane->view.frames, lane->setup->observation_size);
    to = put(to, lane->view.pooled, lane->setup->screen_size);
    lane_bind(lane, vector->scratch[0]);
    to = put(to, setup->play->picture(&lane->environment.stage, 0), picture_size(setup));
    (void)put(to, setup->play->picture(&lane->environment.stage, 1), picture_size(setup));
    lane_unbind(lane);
}

// ---- restoring -----------------------------------------------------------------------------------------

static const uint8_t *take(const uint8_t *from, void *to, size_t size) {
    if (size != 0) {
        memcpy(to, from, size);
    }
    return from + size;
}

static mega_status check_header(const mega_lane_setup *setup, const uint8_t *bytes, size_t size) {
    const state_header expected = header_of(setup);
    state_header header;
    if (size < sizeof(header) || memcmp(bytes, expected.magic, sizeof(expected.magic)) != 0) {
        return mega_fail(MEGA_ERROR_STATE, "these bytes are not a saved state of a vector");
    }
    memcpy(&header, bytes, sizeof(header));
    if (header.version != STATE_VERSION) {
        return mega_fail(MEGA_ERROR_STATE_VERSION, "the state has version %u, and this library reads %u",
                         header.version, STATE_VERSION);
    }
    if (memcmp(header.md5, expected.md5, sizeof(header.md5)) != 0) {
        return mega_fail(MEGA_ERROR_STATE, "the state belongs to the cartridge with md5 %.32s", header.md5);
    }
    if (header.stack != expected.stack || header.height != expected.height ||
        header.width != expected.width || header.channels != expected.channels) {
        return mega_fail(MEGA_ERROR_STATE,
                         "the state has observations of %u x %u x %u x %u, expected %u x %u x %u "
                         "x %u (stack, height, width, channels)",
                         header.stack, header.height, header.width, header.channels, expected.stack,
                         expected.height, expected.width, expected.channels);
    }
    if (header.size != expected.size || size < expected.size) {
        return mega_fail(MEGA_ERROR_STATE, "the state has %zu bytes, expected %zu; it may be cut short", size,
                         (size_t)expected.size);
    }
    return MEGA_OK;
}

static mega_status check_state(const mega_lane_setup *setup, const uint8_t *bytes, size_t size) {
    state_core core;
    MEGA_TRY(check_header(setup, bytes, size));
    memcpy(&core, bytes + sizeof(state_header), sizeof(core));
    const bool sane = environment_check_session(setup->environment, &core.session) == 0 &&
                      core.random.index <= MEGA_MT_WORDS && core.noop_random.index <= MEGA_MT_WORDS &&
                      core.sticky_action < MEGA_ACTION_COUNT && !isnan(core.sticky_strength) &&
                      core.failed <= 1 && core.over <= 1 && core.running.score < SCORE_MAX &&
                      core.running.score > -SCORE_MAX;
    return sane ? MEGA_OK : mega_fail(MEGA_ERROR_STATE, "the state is damaged: a field is out of its range");
}

static void take_core(mega_member *member, const state_core *core) {
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
    state_core core;
    from = take(from + sizeof(state_header), &core, sizeof(core));
    take_core(member, &core);
    from = take(from, lane->environment.cart_ram, extra_ram(setup));
    from = take(from, lane->view.frames, lane->setup->observation_size);
    from = take(from, lane->view.pooled, lane->setup->screen_size);
    mega_video *video = lane->environment.stage.machine.video;
    memset(video, 0, sizeof(*video));
    from = take(from, video->picture[0], picture_size(setup));
    (void)take(from, video->picture[1], picture_size(setup));
    task_mark_repeats(&lane->view);
}

// The bytes have been checked.
static void restore_member(mega_vector *vector, uint32_t env_id, const uint8_t *from) {
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

static mega_status check_ids(mega_vector *vector, const int32_t *ids, uint32_t count) {
    MEGA_TRY(vector_ready(vector));
    for (uint32_t k = 0; k < count; k++) {
        if (ids == NULL) {
            return mega_fail(MEGA_ERROR_ARGUMENT, "%u environments, and no list of them", count);
        }
        MEGA_TRY(vector_check_free(vector, ids[k]));
    }
    return MEGA_OK;
}

static mega_status check_saveable(mega_vector *vector, const int32_t *ids, uint32_t count) {
    MEGA_TRY(check_ids(vector, ids, count));
    for (uint32_t k = 0; k < count; k++) {
        if (!vector->members[ids[k]].powered) {
            return mega_fail(MEGA_ERROR_ORDER, "environment %d was never reset, so it has no state", ids[k]);
        }
    }
    return MEGA_OK;
}

mega_status mega_vector_save(mega_vector *vector, const int32_t *env_ids, uint32_t count, void *bytes,
                             size_t size) {
    const size_t each = mega_vector_state_size(vector);
    MEGA_TRY(check_saveable(vector, env_ids, count));
    if ((bytes == NULL && count != 0) || size != each * count) {
        return mega_fail(MEGA_ERROR_ARGUMENT, "%u states have %zu bytes, and there is room for %zu", count,
                         each * count, bytes == NULL ? 0 : size);
    }
    for (uint32_t k = 0; k < count; k++) {
        uint8_t *to = (uint8_t *)bytes + each * k;
        const size_t used = state_size(vector->members[env_ids[k]].lane.setup);
        vector_save_member(vector, (uint32_t)env_ids[k], to);
        memset(to + used, 0, each - used);
    }
    return MEGA_OK;
}

mega_status mega_vector_restore(mega_vector *vector, const int32_t *env_ids, uint32_t count,
                                const void *bytes, size_t size) {
    MEGA_TRY(check_ids(vector, env_ids, count));
    if (count != 0 && (bytes == NULL || size % count != 0)) {
        return mega_fail(MEGA_ERROR_STATE, "%zu bytes are not %u states", bytes == NULL ? 0 : size, count);
    }
    const size_t each = count != 0 ? size / count : 0;
    for (uint32_t k = 0; k < count; k++) {
        MEGA_TRY(
            check_state(vector->members[env_ids[k]].lane.setup, (const uint8_t *)bytes + each * k, each));
    }
    for (uint32_t k = 0; k < count; k++) {
        restore_member(vector, (uint32_t)env_ids[k], (const uint8_t *)bytes + each * k);
    }
    return MEGA_OK;
}

mega_status mega_vector_copy(mega_vector *to, const int32_t *to_ids, mega_vector *from,
                             const int32_t *from_ids, uint32_t count) {
    MEGA_TRY(check_saveable(from, from_ids, count));
    MEGA_TRY(check_ids(to, to_ids, count));
    for (uint32_t k = 0; k < count; k++) {
        const state_header header = header_of(from->members[from_ids[k]].lane.setup);
        MEGA_TRY(
            check_header(to->members[to_ids[k]].lane.setup, (const uint8_t *)&header, (size_t)header.size));
    }
    for (uint32_t k = 0; k < count; k++) {
        vector_save_member(from, (uint32_t)from_ids[k], from->state);
        restore_member(to, (uint32_t)to_ids[k], from->state);
    }
    return MEGA_OK;
}
