// env_api.c - the functions of megacade.h, section env.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "environment.h"
#include "mega_gym.h"
#include "mega_palettes.h"
#include "screen.h"
#include "status.h"

struct mega_env {
    mega_environment core;
    mega_setup *setup;
    mega_scratch *scratch;
    mega_pcg64 skip_random;       // draws the frame skip, when it is a range
    uint32_t skip_low, skip_high; // the range; skip_high is 0 when it is fixed
    uint8_t *blend;               // 65536 entries, NULL unless colours are averaged
};

// ---- set-up --------------------------------------------------------------------------------------------

// One entry of the table that averages the colours of two frames. Odd colours come out as black.
static uint8_t blend_colors(const uint8_t *palette, uint32_t a, uint32_t b) {
    int32_t mixed[3];
    if (((a | b) & 1u) != 0) {
        return 0;
    }
    for (uint32_t c = 0; c < 3; c++) {
        const int32_t one = palette[3 * a + c], two = palette[3 * b + c];
        const int32_t high = one > two ? one : two, low = one > two ? two : one;
        mixed[c] = ((high - low) * 77 / 100 + low) & ~3;
    }
    uint8_t best = 0;
    int32_t least = INT32_MAX;
    for (uint32_t e = 0; e < 256; e += 2) {
        int32_t distance = 0;
        for (uint32_t c = 0; c < 3; c++) {
            distance += abs(palette[3 * e + c] - mixed[c]);
        }
        if (distance < least) {
            least = distance;
            best = (uint8_t)e;
        }
    }
    return best;
}

static void build_blend(mega_env *env) {
    const uint8_t *palette = mega_palette_rgb[env->setup->cartridge.pal];
    for (uint32_t a = 0; a < 256; a++) {
        for (uint32_t b = a; b < 256; b++) {
            env->blend[256 * a + b] = env->blend[256 * b + a] = blend_colors(palette, a, b);
        }
    }
}

static mega_status open_parts(mega_env *env, const mega_env_desc *desc, const mega_rom *rom) {
    MEGA_TRY(setup_open(desc, rom, &env->setup));
    setup_wait(env->setup);
    MEGA_TRY(scratch_open(env->setup->cartridge.ram_size, &env->scratch));
    MEGA_TRY(environment_open(&env->core, env->setup));
    environment_connect(&env->core, env->scratch);
    env->skip_low = desc->frame_skip;
    env->skip_high = desc->frame_skip_high;
    pcg64_seed(&env->skip_random, (uint32_t)desc->seed);
    if (desc->color_averaging) {
        env->blend = malloc(65536);
        if (env->blend == NULL) {
            return mega_fail_memory(65536);
        }
        build_blend(env);
    }
    const mega_status status = environment_power_on(&env->core, (uint32_t)desc->seed);
    return status == MEGA_ERROR_JAMMED ? MEGA_OK : status;
}

mega_status mega_env_create(const mega_env_desc *desc, const mega_rom *rom, mega_env **out) {
    if (out == NULL) {
        return mega_fail(MEGA_ERROR_ARGUMENT, "mega_env_create needs a place for its result");
    }
    *out = NULL;
    if (rom == NULL) {
        return mega_fail(MEGA_ERROR_ARGUMENT, "mega_env_create needs a ROM; mega_rom_builtin has one");
    }
    mega_env *env = calloc(1, sizeof(*env));
    if (env == NULL) {
        return mega_fail_memory(sizeof(*env));
    }
    const mega_status status = open_parts(env, desc, rom);
    if (status != MEGA_OK) {
        mega_env_destroy(env);
        return status;
    }
    *out = env;
    return MEGA_OK;
}

void mega_env_destroy(mega_env *env) {
    if (env != NULL) {
        environment_close(&env->core);
        setup_close(env->setup);
        free(env->scratch);
        free(env->blend);
        free(env);
    }
}

mega_environment *env_core(mega_env *env) {
    return &env->core;
}

// ---- playing -------------------------------------------------------------------------------------------

mega_status mega_env_reset(mega_env *env) {
    return environment_reset(&env->core);
}

mega_status mega_env_reseed(mega_env *env, int32_t seed) {
    return environment_power_on(&env->core, (uint32_t)seed);
}

mega_status mega_env_gym_reset(mega_env *env, uint64_t seed) {
    const int32_t mode = env->core.session.mode;
    const uint32_t difficulty = env->core.session.difficulty;
    uint32_t numpy_seed, env_seed;
    gym_seeds(seed, &numpy_seed, &env_seed);
    pcg64_seed(&env->skip_random, numpy_seed);
    MEGA_TRY(environment_power_on(&env->core, env_seed));
    env->core.session.mode = mode;
    env->core.session.difficulty = difficulty;
    return environment_reset(&env->core);
}

mega_status mega_env_act(mega_env *env, uint32_t action, float strength, int32_t *reward) {
    if (reward != NULL) {
        *reward = 0;
    }
    if (action >= MEGA_ACTION_COUNT) {
        return mega_fail(MEGA_ERROR_ACTION, "action %u is not one of 0 to %d", action, MEGA_ACTION_COUNT - 1);
    }
    if (isnan(strength)) {
        return mega_fail(MEGA_ERROR_ARGUMENT, "the paddle strength is not a number");
    }
    int32_t gained = 0;
    environment_prepare(&env->core);
    if (env->skip_high == 0) {
        gained = env->setup->play->act(&env->core.stage, action, strength);
    } else {
        for (uint32_t left = pcg64_integers(&env->skip_random, env->skip_low, env->skip_high); left > 0;
             left--) {
            gained += env->setup->play->act(&env->core.stage, action, strength);
        }
    }
    if (reward != NULL) {
        *reward = gained;
    }
    return environment_fault(&env->core);
}

int mega_env_game_over(const mega_env *env) {
    return env_game_over(&env->core.stage) != 0;
}
int mega_env_terminal(const mega_env *env) {
    return env->core.session.rules.terminal != 0;
}
int mega_env_truncated(const mega_env *env) {
    return env_truncated(&env->core.stage) != 0;
}
int32_t mega_env_lives(const mega_env *env) {
    return env->core.session.rules.lives;
}
uint32_t mega_env_frame_number(const mega_env *env) {
    return env->core.session.frame_number;
}
uint32_t mega_env_episode_frame_number(const mega_env *env) {
    return env->core.session.episode_frame_number;
}

// ---- mode and difficulty -------------------------------------------------------------------------------

mega_status mega_env_set_mode(mega_env *env, int32_t mode) {
    MEGA_TRY(setup_check_mode(env->setup, mode));
    env->core.session.mode = mode;
    return MEGA_OK;
}

mega_status mega_env_set_difficulty(mega_env *env, uint32_t difficulty) {
    MEGA_TRY(setup_check_difficulty(env->setup, difficulty));
    env->core.session.difficulty = difficulty;
    return MEGA_OK;
}

int32_t mega_env_mode(const mega_env *env) {
    return env->core.session.mode;
}
uint32_t mega_env_difficulty(const mega_env *env) {
    return env->core.session.difficulty;
}

// ---- screen, RAM, sound --------------------------------------------------------------------------------

uint32_t mega_env_screen_height(const mega_env *env) {
    return env->setup->cartridge.height;
}

mega_status mega_env_screen(mega_env *env, uint8_t *pixels, size_t size) {
    MEGA_TRY(screen_check(env->setup, pixels, size, 1));
    memcpy(pixels, env->setup->play->picture(&env->core.stage, 0), size);
    if (env->blend != NULL) {
        const uint8_t *previous = env->setup->play->picture(&env->core.stage, 1);
        for (size_t i = 0; i < size; i++) {
            pixels[i] = env->blend[256u * pixels[i] + previous[i]];
        }
    }
    return MEGA_OK;
}

mega_status mega_env_screen_gray(mega_env *env, uint8_t *pixels, size_t size) {
    const uint8_t *gray = mega_palette_gray[env->setup->cartridge.pal];
    uint8_t above[MEGA_SCREEN_WIDTH]; // the last row that was converted, as indices
    MEGA_TRY(mega_env_screen(env, pixels, size));
    for (uint8_t *row = pixels; row < pixels + size; row += sizeof(above)) {
        if (row > pixels && memcmp(row, above, sizeof(above)) == 0) {
            memcpy(row, row - sizeof(above), sizeof(above)); // most rows are like the one above
            continue;
        }
        memcpy(above, row, sizeof(above));
        for (size_t x = 0; x < sizeof(above); x++) {
            row[x] = gray[above[x]];
        }
    }
    return MEGA_OK;
}

mega_status mega_env_screen_rgb(mega_env *env, uint8_t *pixels, size_t size) {
    MEGA_TRY(screen_check(env->setup, pixels, size, 3));
    MEGA_TRY(mega_env_screen(env, screen_indices(pixels, size), size / 3));
    screen_to_rgb(env->setup, pixels, size);
    return MEGA_OK;
}

const uint8_t *mega_env_palette(const mega_env *env) {
    return mega_palette_rgb[env->setup->cartridge.pal];
}

const uint8_t *mega_env_ram(const mega_env *env) {
    return env->core.session.console.riot.ram;
}

mega_status mega_env_set_ram(mega_env *env, uint32_t index, uint32_t value) {
    if (index >= MEGA_RAM_SIZE || value > 255) {
        return mega_fail(MEGA_ERROR_ARGUMENT,
                         "RAM byte %u = %u; there are bytes 0 to 127 with values 0 to 255", index, value);
    }
    env->core.session.console.riot.ram[index] = (uint8_t)value;
    return MEGA_OK;
}

const uint8_t *mega_env_audio(const mega_env *env) {
    return env->core.stage.sound;
}

// ---- save states ---------------------------------------------------------------------------------------

// Layout: header, session, cartridge RAM beyond the session's, generator. The bytes are those of this
// machine's structs (little-endian, no pointers); the version changes with any of them.
#define STATE_VERSION 1u
typedef struct state_header {
    char magic[4]; // "MEGA"
    uint32_t version;
    uint32_t size; // of everything
    uint32_t has_random;
    char md5[32]; // of the cartridge
} state_header;

static size_t extra_ram(const mega_env *env) {
    return env->core.cart_ram != NULL ? env->setup->cartridge.ram_size : 0;
}

size_t mega_env_state_size(const mega_env *env) {
    return sizeof(state_header) + sizeof(mega_session) + extra_ram(env) + sizeof(mega_mt19937);
}

mega_status mega_env_save(const mega_env *env, int with_random, void *bytes, size_t size) {
    if (bytes == NULL || size != mega_env_state_size(env)) {
        return mega_fail(MEGA_ERROR_ARGUMENT, "a state has %zu bytes, and there is room for %zu",
                         mega_env_state_size(env), bytes == NULL ? 0 : size);
    }
    state_header header = {{'M', 'E', 'G', 'A'}, STATE_VERSION, (uint32_t)size, with_random != 0, {0}};
    memcpy(header.md5, env->setup->image_md5, sizeof(header.md5));
    uint8_t *to = bytes;
    memcpy(to, &header, sizeof(header));
    to += sizeof(header);
    memcpy(to, &env->core.session, sizeof(mega_session));
    to += sizeof(mega_session);
    if (env->core.cart_ram != NULL) {
        memcpy(to, env->core.cart_ram, extra_ram(env));
        to += extra_ram(env);
    }
    if (with_random) {
        memcpy(to, &env->core.random, sizeof(mega_mt19937));
    } else {
        memset(to, 0, sizeof(mega_mt19937));
    }
    return MEGA_OK;
}

static mega_status check_header(const mega_env *env, const state_header *header, size_t size) {
    if (memcmp(header->magic, "MEGA", 4) != 0) {
        return mega_fail(MEGA_ERROR_STATE, "these bytes are not a saved state");
    }
    if (header->version != STATE_VERSION) {
        return mega_fail(MEGA_ERROR_STATE_VERSION, "the state has version %u, and this library reads %u",
                         header->version, STATE_VERSION);
    }
    if (header->size != size || size != mega_env_state_size(env)) {
        return mega_fail(MEGA_ERROR_STATE, "the state has %zu bytes, expected %zu; it may be cut short", size,
                         mega_env_state_size(env));
    }
    if (memcmp(header->md5, env->setup->image_md5, sizeof(header->md5)) != 0) {
        return mega_fail(MEGA_ERROR_STATE, "the state belongs to the cartridge with md5 %.32s", header->md5);
    }
    return MEGA_OK;
}

mega_status mega_env_load(mega_env *env, const void *bytes, size_t size) {
    state_header header;
    mega_session session;
    mega_mt19937 random;
    if (bytes == NULL || size < sizeof(header)) {
        return mega_fail(MEGA_ERROR_STATE, "these bytes are not a saved state");
    }
    const uint8_t *from = bytes;
    memcpy(&header, from, sizeof(header));
    MEGA_TRY(check_header(env, &header, size));
    from += sizeof(header);
    memcpy(&session, from, sizeof(session));
    from += sizeof(session);
    memcpy(&random, from + extra_ram(env), sizeof(random));
    if (environment_check_session(env->setup, &session) != 0 ||
        (header.has_random && random.index > MEGA_MT_WORDS)) {
        return mega_fail(MEGA_ERROR_STATE, "the state is damaged: a field is out of its range");
    }
    // Some rules' variables are not part of a state in the reference.
    const uint32_t unsaved = mega_rules_unsaved_vars(env->setup->settings.game);
    for (uint32_t i = 0; i < MEGA_RULES_VARS; i++) {
        if ((unsaved >> i & 1u) != 0) {
            session.rules.var[i] = env->core.session.rules.var[i];
        }
    }
    env->core.session = session;
    if (env->core.cart_ram != NULL) {
        memcpy(env->core.cart_ram, from, extra_ram(env));
    }
    if (header.has_random) {
        env->core.random = random;
    }
    return MEGA_OK;
}
