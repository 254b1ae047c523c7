// setup.c - see setup.h: checks a description of an environment and prepares what does not change.
#include "setup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "status.h"

// The reference keeps settings as text of six digits.
static double six_digits(float value) {
    char text[32];
    snprintf(text, sizeof(text), "%.6g", (double)value);
    return (double)(float)strtod(text, NULL);
}

static int32_t paddle_limit(int32_t asked, int32_t usual) {
    return asked == 0 ? usual : asked == -1 ? 0 : asked;
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
    if (desc->translate > MEGA_TRANSLATE_NOW) {
        return mega_fail(MEGA_ERROR_ARGUMENT, "translate is %u, expected one of MEGA_TRANSLATE_*",
                         desc->translate);
    }
    const int32_t paddle_min = paddle_limit(desc->paddle_min, MEGA_PADDLE_MIN);
    const int32_t paddle_max = paddle_limit(desc->paddle_max, MEGA_PADDLE_MAX);
    if (paddle_min < 0 || paddle_max > 1000000 || paddle_min > paddle_max) {
        return mega_fail(MEGA_ERROR_ARGUMENT, "paddles from %d to %d; expected a range in 0 to 1000000",
                         paddle_min, paddle_max);
    }
    return MEGA_OK;
}

static void fill_settings(mega_setup *setup, const mega_env_desc *desc, int32_t game) {
    mega_settings *settings = &setup->settings;
    const mega_game_facts *facts = setup->facts;
    mega_rules rules;
    settings->game = game;
    settings->legal_actions = facts != NULL ? facts->legal_actions : (1u << MEGA_ACTION_COUNT) - 1u;
    settings->starting_actions = facts != NULL ? facts->starting_actions : NULL;
    settings->starting_action_count = facts != NULL ? facts->starting_action_count : 0;
    settings->frame_skip = desc->frame_skip != 0 && desc->frame_skip_high == 0 ? desc->frame_skip : 1;
    settings->sticky = six_digits(desc->sticky);
    settings->max_episode_frames = desc->max_episode_frames;
    memset(&rules, 0, sizeof(rules));
    mega_rules_construct(game, &rules);
    settings->max_lives = rules.lives;
    const int limited = desc->reward_min != 0 || desc->reward_max != 0;
    settings->reward_min = limited ? desc->reward_min : INT32_MIN;
    settings->reward_max = limited ? desc->reward_max : INT32_MAX;
    settings->truncate_on_life_loss = desc->truncate_on_life_loss != 0;
    settings->sound = desc->sound != 0;
    settings->plain = desc->plain != 0;
}

static void fill_paddles(mega_setup *setup, const mega_env_desc *desc) {
    setup->paddle_min = paddle_limit(desc->paddle_min, MEGA_PADDLE_MIN);
    setup->paddle_max = paddle_limit(desc->paddle_max, MEGA_PADDLE_MAX);
    if (setup->facts != NULL && setup->facts->paddle_max != 0) {
        setup->paddle_max = setup->facts->paddle_max; // two games set their own, whatever was asked for
    }
}

mega_status setup_open(const mega_env_desc *desc, const mega_rom *rom, mega_setup **out) {
    *out = NULL;
    MEGA_TRY(check_desc(desc));
    mega_setup *setup = calloc(1, sizeof(*setup));
    uint8_t *image = malloc(rom->size);
    if (setup == NULL || image == NULL) {
        free(setup);
        free(image);
        return mega_fail_memory(sizeof(*setup) + rom->size);
    }
    memcpy(image, rom->bytes, rom->size);
    setup->image = image;
    setup->play = mega_play_best();
    setup->cartridge = rom->cartridge;
    setup->console_seed = desc->own_console_seed ? desc->console_seed : MEGA_CONSOLE_SEED;
    setup->facts = mega_catalogue_game(rom->info.game);
    memcpy(setup->image_md5, rom->md5, sizeof(setup->image_md5));
    fill_settings(setup, desc, setup->facts != NULL ? rom->info.game : -1);
    fill_paddles(setup, desc);
    const mega_status status = reset_memo_create(&setup->settings, &setup->cartridge, &setup->memo);
    if (status != MEGA_OK) {
        setup_close(setup);
        return status;
    }
    if (!setup->settings.plain) {
        setup->translation = translation_acquire(&setup->cartridge, setup->image, desc->translate);
    }
    *out = setup;
    return MEGA_OK;
}

void setup_close(mega_setup *setup) {
    if (setup != NULL) {
        translation_release(setup->translation);
        reset_memo_destroy(setup->memo);
        free(setup->image);
        free(setup);
    }
}

void setup_wait(const mega_setup *setup) {
    translation_wait(setup->translation);
}

// ---- mode and difficulty -------------------------------------------------------------------------------

static mega_status fail_choice(const mega_setup *setup, const char *kind, int32_t value) {
    const char *name = setup->facts != NULL ? setup->facts->name : NULL;
    return mega_fail(MEGA_ERROR_MODE, "%s has no %s %d; `megacade games %s` lists them",
                     name != NULL ? name : "this cartridge", kind, value, name != NULL ? name : "");
}

mega_status setup_check_mode(const mega_setup *setup, int32_t mode) {
    for (uint32_t i = 0; setup->facts != NULL && i < setup->facts->mode_count; i++) {
        if (setup->facts->modes[i] == mode) {
            return MEGA_OK;
        }
    }
    return fail_choice(setup, "mode", mode);
}

mega_status setup_check_difficulty(const mega_setup *setup, uint32_t difficulty) {
    for (uint32_t i = 0; setup->facts != NULL && i < setup->facts->difficulty_count; i++) {
        if (setup->facts->difficulties[i] == difficulty) {
            return MEGA_OK;
        }
    }
    return fail_choice(setup, "difficulty", (int32_t)difficulty);
}
