// environment.c - power and reset of one environment; checks of sessions from outside.
#include "environment.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mega_palettes.h"
#include "status.h"

// ---- memory --------------------------------------------------------------------------------------------

mega_status scratch_open(uint32_t cart_ram, mega_scratch **out) {
    const size_t size = sizeof(mega_scratch) + sizeof(uint32_t) * (MEGA_POWER_DRAWS + cart_ram);
    *out = calloc(1, size);
    return *out != NULL ? MEGA_OK : mega_fail_memory(size);
}

mega_status environment_open(mega_environment *env, const mega_setup *setup) {
    const uint32_t ram = setup->cartridge.ram_size;
    memset(env, 0, sizeof(*env));
    if (ram > MEGA_CART_RAM) {
        env->cart_ram = calloc(1, ram);
        if (env->cart_ram == NULL) {
            return mega_fail_memory(ram);
        }
    }
    env->setup = setup;
    env->session.paddle_min = setup->paddle_min;
    env->session.paddle_max = setup->paddle_max;
    env->console_position = UINT32_MAX;
    mega_stage *stage = &env->stage;
    stage->session = &env->session;
    stage->settings = &setup->settings;
    stage->random = &env->random;
    stage->machine.console = &env->session.console;
    stage->machine.cartridge = &setup->cartridge;
    stage->machine.image = setup->image;
    stage->machine.cart_ram = env->cart_ram != NULL ? env->cart_ram : env->session.console.cart.ram;
    stage->machine.shades = mega_palette_gray[setup->cartridge.pal];
    stage->how = MEGA_RUN_FAST;
    return MEGA_OK;
}

void environment_close(mega_environment *env) {
    free(env->cart_ram);
    env->cart_ram = NULL;
}

void environment_connect(mega_environment *env, mega_scratch *scratch) {
    env->scratch = scratch;
    env->stage.machine.video = &scratch->video;
}

void environment_prepare(mega_environment *env) {
    env->stage.machine.translated = translation_code(env->setup->translation);
}

// ---- the console's random sequence ---------------------------------------------------------------------

static const uint32_t *next_draws(mega_environment *env, uint32_t count) {
    env_draw(&env->console_random, env->setup->console_seed, &env->console_position, &env->session.console,
             count, env->scratch->draws);
    return env->scratch->draws;
}

// ---- power and reset -----------------------------------------------------------------------------------

mega_status environment_fault(const mega_environment *env) {
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

mega_status environment_reset(mega_environment *env) {
    const mega_setup *setup = env->setup;
    environment_prepare(env);
    setup->play->begin_reset(&env->stage, next_draws(env, console_reset_draws(&setup->cartridge)));
    if (setup->memo != NULL) {
        reset_memo_finish(setup->memo, setup->play, &env->stage);
    } else {
        setup->play->finish_reset(&env->stage);
    }
    return environment_fault(env);
}

// Always comes to the same end.
static void power_on_console(mega_environment *env) {
    const mega_setup *setup = env->setup;
    const uint32_t reset_draws = console_reset_draws(&setup->cartridge);
    environment_prepare(env);
    console_power_on(&env->stage.machine, next_draws(env, MEGA_POWER_DRAWS));
    env_unplugged(&env->stage);
    if (setup->cartridge.format_probed) {
        mega_cartridge probing = setup->cartridge;
        probing.pal = 0;
        probing.height = probing.probe_height;
        setup->play->probe(&env->stage, &probing, next_draws(env, reset_draws));
    }
    setup->play->system_reset(&env->stage, next_draws(env, reset_draws));
    if (setup->memo != NULL) {
        reset_memo_set_powered(setup->memo, &env->session.console);
    }
}

mega_status environment_power_on(mega_environment *env, uint32_t seed) {
    const mega_setup *setup = env->setup;
    mega_session *session = &env->session;
    mega_video *video = env->stage.machine.video;
    const int32_t paddle_min = session->paddle_min, paddle_max = session->paddle_max;
    memset(session, 0, sizeof(*session));
    memset(video, 0, sizeof(*video));
    session->paddle_min = paddle_min;
    session->paddle_max = paddle_max;
    session->mode = setup->facts != NULL ? setup->facts->modes[0] : 0;
    if (setup->memo == NULL || !reset_memo_powered(setup->memo, &session->console)) {
        power_on_console(env);
    }
    mega_mt_seed(&env->random, seed);
    sound_power_on(&env->stage.sound_generator);
    memset(env->stage.sound, 0, sizeof(env->stage.sound));
    mega_rules_construct(setup->settings.game, &session->rules);
    env->stage.sticky_action = 0;
    env->stage.sticky_strength = 1.0f;
    return environment_reset(env);
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

int environment_check_session(const mega_setup *setup, const mega_session *session) {
    const mega_console *console = &session->console;
    const mega_cpu *cpu = &console->cpu;
    const mega_riot *riot = &console->riot;
    int sane = tia_is_sane(&console->tia) && beam_is_sane(&console->tia, &setup->cartridge) &&
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
    int known_mode = setup->facts == NULL && session->mode == 0;
    for (uint32_t i = 0; setup->facts != NULL && i < setup->facts->mode_count; i++) {
        known_mode = known_mode || setup->facts->modes[i] == session->mode;
    }
    return sane && known_mode ? 0 : -1;
}
