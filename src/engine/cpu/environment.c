// environment.c - memory, power and reset of one environment.
#include "environment.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mega_palettes.h"
#include "status.h"

// ---- the console's random sequence ---------------------------------------------------------------------

// The next `count` numbers, at the position that the console's state names.
static const uint32_t *next_draws(mega_env *env, uint32_t count) {
    if (env->console_position != env->session.console.draws) {
        mega_mt_seed(&env->console_random, MEGA_CONSOLE_SEED);
        for (env->console_position = 0; env->console_position < env->session.console.draws;
             env->console_position++) {
            mega_mt_next(&env->console_random);
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        env->draws[i] = mega_mt_next(&env->console_random);
    }
    env->console_position += count;
    return env->draws;
}

// ---- power and reset -----------------------------------------------------------------------------------

mega_status environment_fault(const mega_env *env) {
    if (env->session.console.cpu.jammed) {
        return mega_fail(MEGA_ERROR_JAMMED,
                         "the program jammed the processor at $%04X; reset the environment",
                         env->session.console.cpu.pc);
    }
    if (env->stage.failed) {
        return mega_fail(MEGA_ERROR_MODE, "mode %d could not be selected", env->session.mode);
    }
    return MEGA_OK;
}

mega_status environment_reset(mega_env *env) {
    mega_stage *stage = &env->stage;
    env->play->begin_reset(stage, next_draws(env, console_reset_draws(&env->cartridge)));
    if (env->memo != NULL) {
        reset_memo_finish(env->memo, env->play, stage);
    } else {
        env->play->finish_reset(stage);
    }
    return environment_fault(env);
}

// Always comes to the same end.
static void power_on_console(mega_env *env) {
    const uint32_t reset_draws = console_reset_draws(&env->cartridge);
    console_power_on(&env->stage.machine, next_draws(env, MEGA_POWER_DRAWS));
    env_unplugged(&env->stage);
    if (env->cartridge.format_probed) {
        mega_cartridge probing = env->cartridge;
        probing.pal = 0;
        probing.height = probing.probe_height;
        env->play->probe(&env->stage, &probing, next_draws(env, reset_draws));
    }
    env->play->system_reset(&env->stage, next_draws(env, reset_draws));
    if (env->memo != NULL) {
        reset_memo_set_powered(env->memo, &env->session.console);
    }
}

mega_status environment_power_on(mega_env *env, uint32_t seed) {
    mega_session *session = &env->session;
    const int32_t paddle_min = session->paddle_min, paddle_max = session->paddle_max;
    memset(session, 0, sizeof(*session));
    memset(env->video, 0, sizeof(*env->video));
    session->paddle_min = paddle_min;
    session->paddle_max = paddle_max;
    session->mode = env->facts != NULL ? env->facts->modes[0] : 0;
    if (env->memo == NULL || !reset_memo_powered(env->memo, &session->console)) {
        power_on_console(env);
    }
    mega_mt_seed(&env->random, seed);
    sound_power_on(&env->stage.sound_generator);
    memset(env->stage.sound, 0, sizeof(env->stage.sound));
    mega_rules_construct(env->settings.game, &session->rules);
    env->settings.max_lives = session->rules.lives;
    env->stage.sticky_action = 0;
    env->stage.sticky_strength = 1.0f;
    return environment_reset(env);
}

// ---- set-up --------------------------------------------------------------------------------------------

// The reference keeps settings as text of six digits.
static double six_digits(float value) {
    char text[32];
    snprintf(text, sizeof(text), "%.6g", (double)value);
    return (double)(float)strtod(text, NULL);
}

static mega_status check_desc(const mega_env_desc *desc) {
    if (desc == NULL || desc->struct_size != sizeof(*desc)) {
        return mega_fail(MEGA_ERROR_ARGUMENT, "mega_env_desc.struct_size is %u, expected %zu",
                         desc == NULL ? 0 : desc->struct_size, sizeof(*desc));
    }
    if (!(desc->sticky >= 0.0f && desc->sticky <= 1.0f)) {
        return mega_fail(MEGA_ERROR_ARGUMENT, "sticky is %g, expected a probability from 0 to 1",
                         (double)desc->sticky);
    }
    if (desc->max_episode_frames < 0) {
        return mega_fail(MEGA_ERROR_ARGUMENT, "max_episode_frames is %d, expected 0 or more",
                         desc->max_episode_frames);
    }
    if (desc->frame_skip > 1000000) {
        return mega_fail(MEGA_ERROR_ARGUMENT, "frame_skip is %u, expected at most 1000000", desc->frame_skip);
    }
    if (desc->frame_skip_high != 0 && (desc->frame_skip == 0 || desc->frame_skip_high <= desc->frame_skip)) {
        return mega_fail(MEGA_ERROR_ARGUMENT, "frame skips from %u to below %u: expected 0 < low < high",
                         desc->frame_skip, desc->frame_skip_high);
    }
    if (desc->reward_min > desc->reward_max) {
        return mega_fail(MEGA_ERROR_ARGUMENT, "reward_min %d is above reward_max %d", desc->reward_min,
                         desc->reward_max);
    }
    const int32_t paddle_min = desc->paddle_min != 0 ? desc->paddle_min : MEGA_PADDLE_MIN;
    const int32_t paddle_max = desc->paddle_max != 0 ? desc->paddle_max : MEGA_PADDLE_MAX;
    if (paddle_min < 0 || paddle_max > 1000000 || paddle_min > paddle_max) {
        return mega_fail(MEGA_ERROR_ARGUMENT, "paddles from %d to %d; expected a range in 0 to 1000000",
                         paddle_min, paddle_max);
    }
    return MEGA_OK;
}

static void fill_settings(mega_env *env, const mega_env_desc *desc, int32_t game) {
    mega_settings *settings = &env->settings;
    const mega_game_facts *facts = env->facts;
    settings->game = game;
    settings->legal_actions = facts != NULL ? facts->legal_actions : (1u << MEGA_ACTION_COUNT) - 1u;
    settings->starting_actions = facts != NULL ? facts->starting_actions : NULL;
    settings->starting_action_count = facts != NULL ? facts->starting_action_count : 0;
    settings->frame_skip = desc->frame_skip != 0 && desc->frame_skip_high == 0 ? desc->frame_skip : 1;
    env->skip_low = desc->frame_skip;
    env->skip_high = desc->frame_skip_high;
    pcg64_seed(&env->skip_random, (uint32_t)desc->seed);
    settings->sticky = six_digits(desc->sticky);
    settings->max_episode_frames = desc->max_episode_frames;
    const int limited = desc->reward_min != 0 || desc->reward_max != 0;
    settings->reward_min = limited ? desc->reward_min : INT32_MIN;
    settings->reward_max = limited ? desc->reward_max : INT32_MAX;
    settings->truncate_on_life_loss = desc->truncate_on_life_loss != 0;
    settings->sound = desc->sound != 0;
    settings->plain = desc->plain != 0;
    env->session.paddle_min = desc->paddle_min != 0 ? desc->paddle_min : MEGA_PADDLE_MIN;
    env->session.paddle_max = desc->paddle_max != 0 ? desc->paddle_max : MEGA_PADDLE_MAX;
    if (facts != NULL && facts->paddle_max != 0) {
        env->session.paddle_max = facts->paddle_max; // two games set their own, whatever was asked for
    }
}

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
    const uint8_t *palette = mega_palette_rgb[env->cartridge.pal];
    for (uint32_t a = 0; a < 256; a++) {
        for (uint32_t b = a; b < 256; b++) {
            env->blend[256 * a + b] = env->blend[256 * b + a] = blend_colors(palette, a, b);
        }
    }
}

mega_status environment_open(const mega_env_desc *desc, const mega_rom *rom, mega_env **out) {
    *out = NULL;
    MEGA_TRY(check_desc(desc));
    mega_env *env = aligned_alloc(64, (sizeof(*env) + 63) / 64 * 64);
    if (env == NULL) {
        return mega_fail_memory(sizeof(*env));
    }
    memset(env, 0, sizeof(*env));
    env->play = mega_play_best();
    env->cartridge = rom->cartridge;
    env->facts = mega_catalogue_game(rom->info.game);
    memcpy(env->image_md5, rom->md5, sizeof(env->image_md5));
    const size_t draws = MEGA_POWER_DRAWS + env->cartridge.ram_size;
    const uint32_t large_ram = env->cartridge.ram_size > MEGA_CART_RAM ? env->cartridge.ram_size : 0;
    env->image = malloc(rom->size);
    env->video = calloc(1, sizeof(*env->video));
    env->draws = calloc(draws, sizeof(*env->draws));
    env->cart_ram = large_ram != 0 ? calloc(1, large_ram) : NULL;
    env->blend = desc->color_averaging ? malloc(65536) : NULL;
    if (env->image == NULL || env->video == NULL || env->draws == NULL ||
        (large_ram != 0 && env->cart_ram == NULL) || (desc->color_averaging && env->blend == NULL)) {
        mega_env_destroy(env);
        return mega_fail_memory(sizeof(*env->video) + rom->size);
    }
    memcpy(env->image, rom->bytes, rom->size);
    fill_settings(env, desc, env->facts != NULL ? rom->info.game : -1);
    const mega_status status = reset_memo_create(&env->settings, &env->cartridge, &env->memo);
    if (status != MEGA_OK) {
        mega_env_destroy(env);
        return status;
    }
    if (env->blend != NULL) {
        build_blend(env);
    }
    mega_stage *stage = &env->stage;
    stage->session = &env->session;
    stage->settings = &env->settings;
    stage->random = &env->random;
    stage->machine.console = &env->session.console;
    stage->machine.cartridge = &env->cartridge;
    stage->machine.image = env->image;
    stage->machine.cart_ram = env->cart_ram != NULL ? env->cart_ram : env->session.console.cart.ram;
    stage->machine.video = env->video;
    stage->machine.shades = mega_palette_gray[env->cartridge.pal];
    stage->how = MEGA_RUN_FAST;
    env->console_position = UINT32_MAX;
    *out = env;
    return MEGA_OK;
}

void mega_env_destroy(mega_env *env) {
    if (env != NULL) {
        reset_memo_destroy(env->memo);
        free(env->video);
        free(env->blend);
        free(env->draws);
        free(env->cart_ram);
        free(env->image);
        free(env);
    }
}

// ---- sessions from outside -----------------------------------------------------------------------------

static int beam_is_sane(const mega_tia *tia, const mega_cartridge *cartridge) {
    const int32_t line = MEGA_CLOCKS_PER_LINE, end = tia_window_end(tia, cartridge);
    if (tia->frame_start > 0 || tia->frame_start <= -line || tia->frame_start % 3 != 0 ||
        tia->line_left < 0 || tia->line_left > line || tia->drawn_to < tia->frame_start ||
        tia->drawn_to > end || (tia->drawn_to + tia->line_left - tia->frame_start) % line != 0 ||
        tia->picture_at < 0) {
        return 0;
    }
    const int32_t x = line - MEGA_CLOCKS_BLANK - tia->line_left;
    const int32_t rows_left = (end - tia->drawn_to) / line + 2;
    return tia->picture_at % MEGA_WIDTH == (x > 0 ? x % MEGA_WIDTH : 0) &&
           (x < MEGA_WIDTH || tia->picture_at >= MEGA_WIDTH) &&
           tia->picture_at / MEGA_WIDTH + rows_left <= MEGA_PICTURE_ROWS;
}

static int tia_is_sane(const mega_tia *tia) {
    int sane = tia->playfield <= 0xFFFFF && (tia->vblank & ~2) == 0 && (tia->ctrlpf & ~0x37) == 0 &&
               tia->enable_ball <= 1 && tia->old_enable_ball <= 1 && tia->delay_ball <= 1 &&
               tia->pf_reflect <= 1 && tia->hmove_blank <= 1 && tia->star_field <= 1 &&
               tia->star_counter <= 3 && tia->m0_override <= MEGA_M0_HIDDEN && tia->color_loss <= 1;
    for (uint32_t i = 0; i < 2; i++) {
        sane = sane && (tia->nusiz[i] & ~0x37) == 0 && tia->reflect[i] <= 1 && tia->enable_missile[i] <= 1 &&
               tia->missile_to_player[i] <= 1 && tia->delay_player[i] <= 1 && tia->first_hidden[i] <= 1;
    }
    for (uint32_t i = 0; i < 5; i++) {
        sane = sane && tia->motion[i] <= 15 && tia->position[i] < MEGA_WIDTH;
    }
    return sane;
}

int environment_check_session(const mega_env *env, const mega_session *session) {
    const mega_console *console = &session->console;
    const mega_cpu *cpu = &console->cpu;
    const mega_riot *riot = &console->riot;
    int sane = tia_is_sane(&console->tia) && beam_is_sane(&console->tia, &env->cartridge) &&
               cpu->carry <= 1 && cpu->overflow <= 1 && cpu->decimal <= 1 && cpu->interrupt <= 1 &&
               cpu->jammed <= 1 && riot->timer_shift <= 10 && riot->timer_was_read <= 1 &&
               console->sync.dump <= 1 && console->sync.unfinished <= 1 && console->sync.greyed <= 1 &&
               console->draws <= 1u << 28 && session->rules.terminal <= 1 && session->difficulty <= 3 &&
               session->paddle_min >= 0 && session->paddle_max <= 1000000 &&
               session->paddle_min <= session->paddle_max && isfinite(console->dpc.fraction) &&
               fabs(console->dpc.fraction) < 1e6;
    for (uint32_t i = 0; i < 8; i++) {
        sane = sane && console->dpc.fetcher[i].counter <= 0x7FF && console->dpc.fetcher[i].music <= 1;
    }
    for (uint32_t i = 0; i < 2; i++) {
        sane = sane && session->paddle[i] >= session->paddle_min && session->paddle[i] <= session->paddle_max;
    }
    // Far more than any score, and far enough from the ends that differences do not overflow.
    for (uint32_t i = 0; i < MEGA_RULES_VARS; i++) {
        sane = sane && abs(session->rules.var[i] / 2) < 1 << 28;
    }
    int known_mode = env->facts == NULL && session->mode == 0;
    for (uint32_t i = 0; env->facts != NULL && i < env->facts->mode_count; i++) {
        known_mode = known_mode || env->facts->modes[i] == session->mode;
    }
    return sane && known_mode ? 0 : -1;
}
