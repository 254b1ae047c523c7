// vector_env.c - environments that move between a vector and a mega_env, as the states that vectors save.
#include <stdlib.h>
#include <string.h>

#include "status.h"
#include "vector_engine.h"
#include "vector_format.h"

static uint8_t *put(uint8_t *to, const void *from, size_t size) {
    if (size != 0) {
        memcpy(to, from, size);
    }
    return to + size;
}

static const uint8_t *take(const uint8_t *from, void *to, size_t size) {
    if (size != 0) {
        memcpy(to, from, size);
    }
    return from + size;
}

// Both play the same image.
static mega_status check_fit(const mega_vector *vector, uint32_t env_id, const mega_environment *env) {
    if (env_id >= mega_vector_count(vector)) {
        return mega_fail(MEGA_ERROR_ARGUMENT, "environment %u is not one of 0 to %u", env_id,
                         mega_vector_count(vector) - 1);
    }
    const mega_setup *setup = vector_setup(vector, env_id)->environment;
    if (memcmp(setup->image_md5, env->setup->image_md5, sizeof(setup->image_md5)) != 0) {
        return mega_fail(MEGA_ERROR_STATE, "environment %u of the vector plays another cartridge", env_id);
    }
    return MEGA_OK;
}

// ---- from a mega_env -----------------------------------------------------------------------------------

static void fill_core(const mega_environment *env, uint32_t env_id, mega_state_core *core) {
    memset(core, 0, sizeof(*core));
    core->session = env->session;
    core->random = env->random;
    mega_mt_seed(&core->noop_random, 0);
    core->running.env_id = (int32_t)env_id;
    core->sticky_action = env->stage.sticky_action;
    core->sticky_strength = env->stage.sticky_strength;
    core->lives = env->session.rules.lives;
    core->frames = env->session.episode_frame_number;
    core->failed = env->stage.failed;
    core->over = (uint32_t)(env_game_over(&env->stage) != 0);
}

mega_status mega_vector_set_env(mega_vector *vector, uint32_t env_id, mega_env *source) {
    mega_environment *env = env_core(source);
    const int32_t id = (int32_t)env_id;
    MEGA_TRY(check_fit(vector, env_id, env));
    const mega_lane_setup *lane = vector_setup(vector, env_id);
    const mega_state_header header = state_header_of(lane);
    uint8_t *state = calloc(1, state_bytes(lane));
    if (state == NULL) {
        return mega_fail_memory(state_bytes(lane));
    }
    mega_state_core core;
    fill_core(env, env_id, &core);
    uint8_t *to = put(state, &header, sizeof(header));
    to = put(to, &core, sizeof(core));
    to = put(to, env->cart_ram, state_extra_ram(env->setup));
    to += lane->observation_size + lane->screen_size;
    to = put(to, env->setup->play->picture(&env->stage, 0), state_picture_size(env->setup));
    (void)put(to, env->setup->play->picture(&env->stage, 1), state_picture_size(env->setup));
    const mega_status status = mega_vector_restore(vector, &id, 1, state, state_bytes(lane));
    free(state);
    return status;
}

// ---- into a mega_env -----------------------------------------------------------------------------------

static void take_state(mega_environment *env, const mega_lane_setup *lane, const uint8_t *from) {
    mega_state_core core;
    mega_video *video = env->stage.machine.video;
    from = take(from + sizeof(mega_state_header), &core, sizeof(core));
    env->session = core.session;
    env->random = core.random;
    env->stage.sticky_action = core.sticky_action;
    env->stage.sticky_strength = core.sticky_strength;
    env->stage.failed = core.failed;
    from = take(from, env->cart_ram, state_extra_ram(env->setup));
    from += lane->observation_size + lane->screen_size;
    memset(video, 0, sizeof(*video));
    from = take(from, video->picture[0], state_picture_size(env->setup));
    (void)take(from, video->picture[1], state_picture_size(env->setup));
}

mega_status mega_vector_get_env(mega_vector *vector, uint32_t env_id, mega_env *out) {
    mega_environment *env = env_core(out);
    const int32_t id = (int32_t)env_id;
    const size_t size = mega_vector_state_size(vector);
    MEGA_TRY(check_fit(vector, env_id, env));
    uint8_t *state = malloc(size);
    if (state == NULL) {
        return mega_fail_memory(size);
    }
    const mega_status status = mega_vector_save(vector, &id, 1, state, size);
    if (status == MEGA_OK) {
        take_state(env, vector_setup(vector, env_id), state);
    }
    free(state);
    return status;
}
