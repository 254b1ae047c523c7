// mega_env.h - reset and act, exactly as the reference does them. Shared source.
#ifndef MEGA_ENV_H
#define MEGA_ENV_H
#include "mega_env_state.h"

#define MEGA_ENV_ACTIONS 18u
#define MEGA_ENV_RESET 40u // the RESET switch, only inside resets

#define MEGA_PADDLE_STEP 23000.0
#define MEGA_PADDLE_MIN 27450
#define MEGA_PADDLE_MAX 790196

// What each action presses.
MEGA_TABLE uint8_t env_presses[MEGA_ENV_ACTIONS] = {
    0,                                                    // NOOP
    MEGA_PRESS_FIRE,                                      // FIRE
    MEGA_PRESS_UP,                                        // UP
    MEGA_PRESS_RIGHT,                                     // RIGHT
    MEGA_PRESS_LEFT,                                      // LEFT
    MEGA_PRESS_DOWN,                                      // DOWN
    MEGA_PRESS_UP | MEGA_PRESS_RIGHT,                     // UPRIGHT
    MEGA_PRESS_UP | MEGA_PRESS_LEFT,                      // UPLEFT
    MEGA_PRESS_DOWN | MEGA_PRESS_RIGHT,                   // DOWNRIGHT
    MEGA_PRESS_DOWN | MEGA_PRESS_LEFT,                    // DOWNLEFT
    MEGA_PRESS_UP | MEGA_PRESS_FIRE,                      // UPFIRE
    MEGA_PRESS_RIGHT | MEGA_PRESS_FIRE,                   // RIGHTFIRE
    MEGA_PRESS_LEFT | MEGA_PRESS_FIRE,                    // LEFTFIRE
    MEGA_PRESS_DOWN | MEGA_PRESS_FIRE,                    // DOWNFIRE
    MEGA_PRESS_UP | MEGA_PRESS_RIGHT | MEGA_PRESS_FIRE,   // UPRIGHTFIRE
    MEGA_PRESS_UP | MEGA_PRESS_LEFT | MEGA_PRESS_FIRE,    // UPLEFTFIRE
    MEGA_PRESS_DOWN | MEGA_PRESS_RIGHT | MEGA_PRESS_FIRE, // DOWNRIGHTFIRE
    MEGA_PRESS_DOWN | MEGA_PRESS_LEFT | MEGA_PRESS_FIRE,  // DOWNLEFTFIRE
};

// ---- questions -----------------------------------------------------------------------------------------

MEGA_FN uint32_t env_truncated(const mega_stage *stage) {
    const mega_settings *settings = stage->settings;
    const mega_session *session = stage->session;
    return (settings->max_episode_frames > 0 &&
            session->episode_frame_number >= (uint32_t)settings->max_episode_frames) ||
           (settings->truncate_on_life_loss && session->rules.lives < settings->max_lives);
}
MEGA_FN uint32_t env_game_over(const mega_stage *stage) {
    return stage->session->rules.terminal || env_truncated(stage);
}
MEGA_FN mega_memory env_memory(const mega_stage *stage) {
    mega_memory memory;
    memory.ram = stage->session->console.riot.ram;
    memory.cart_ram = stage->machine.cartridge->ram_size == 128 ? stage->machine.cart_ram : NULL;
    return memory;
}

// ---- frames --------------------------------------------------------------------------------------------

// One frame with the switches as they are. Not inlined: every way of playing comes here.
MEGA_NOINLINE void env_run_frame(mega_stage *stage) {
    console_run_frame(&stage->machine, stage->settings->plain ? MEGA_RUN_PLAIN : stage->how);
}

MEGA_NOINLINE void env_step_rules(mega_stage *stage) {
    mega_rules_step(stage->settings->game, &stage->session->rules, env_memory(stage));
}

// The end of a run of frames: the reference then copies RAM over the bus, which leaves its last byte there.
MEGA_FN void env_end_run(mega_stage *stage) {
    mega_console *console = &stage->session->console;
    console->bus = console->riot.ram[127];
}

MEGA_FN mega_pads env_released(const mega_stage *stage) {
    mega_pads pads;
    pads.press[0] = pads.press[1] = 0;
    pads.resistance[0] = stage->session->paddle[0];
    pads.resistance[1] = stage->session->paddle[1];
    pads.select = 0;
    pads.reset = 0;
    pads.difficulty = stage->session->difficulty;
    return pads;
}

// A paddle moves by a step per frame: RIGHT lowers its resistance. The product is a double in the reference.
MEGA_FN void env_move_paddles(mega_stage *stage, uint32_t presses, float strength) {
    mega_session *session = stage->session;
    const double size = strength < 0.0f ? -(double)strength : (double)strength;
    double way = 0.0;
    if ((presses & MEGA_PRESS_RIGHT) != 0) {
        way = -MEGA_PADDLE_STEP * size;
    } else if ((presses & MEGA_PRESS_LEFT) != 0) {
        way = MEGA_PADDLE_STEP * size;
    }
    // Beyond this it is at the limit anyway, and the conversion stays defined.
    way = way > 2e9 ? 2e9 : way < -2e9 ? -2e9 : way;
    int64_t to = (int64_t)session->paddle[0] + (int32_t)way;
    for (uint32_t player = 0; player < 2; player++) {
        to = to < session->paddle_min ? session->paddle_min : to;
        to = to > session->paddle_max ? session->paddle_max : to;
        session->paddle[player] = (int32_t)to;
        to = session->paddle[1];
    }
}

// Sets the controllers for a frame with one action of player A; player B does nothing.
MEGA_FN void env_hold(mega_stage *stage, uint32_t action, float strength) {
    const uint32_t presses = action < MEGA_ENV_ACTIONS ? env_presses[action] : 0u;
    if (cartridge_has_paddles(stage->machine.cartridge)) {
        env_move_paddles(stage, presses, strength);
    }
    mega_pads pads = env_released(stage);
    pads.press[0] = presses;
    pads.reset = action == MEGA_ENV_RESET;
    console_set_input(&stage->machine, &pads);
}

// ---- act -----------------------------------------------------------------------------------------------

MEGA_FN void env_make_sound(mega_stage *stage) {
    if (stage->settings->sound) {
        sound_generate(&stage->sound_generator, stage->session->console.sync.audio, stage->sound,
                       MEGA_SOUND_SAMPLES);
    }
}

// One frame of an act, before and after it runs: two draws, and a frame unless the episode is over. The first
// part returns 1 if there is a frame to run, the second its reward.
MEGA_FN uint32_t env_begin_act_frame(mega_stage *stage, uint32_t action, float strength) {
    const double a = mega_mt_next(stage->random) / 4294967296.0;
    mega_mt_next(stage->random); // player B's draw: whatever it says, B does nothing
    if (a >= stage->settings->sticky) {
        stage->sticky_action = action;
        stage->sticky_strength = strength;
    }
    if (env_game_over(stage)) {
        return 0;
    }
    const uint32_t legal = stage->settings->legal_actions >> stage->sticky_action & 1u;
    env_hold(stage, legal ? stage->sticky_action : 0u, stage->sticky_strength);
    return 1;
}
MEGA_FN int32_t env_end_act_frame(mega_stage *stage) {
    env_step_rules(stage);
    env_end_run(stage);
    stage->session->frame_number++;
    stage->session->episode_frame_number++;
    return stage->session->rules.reward;
}
MEGA_FN int32_t env_act_frame(mega_stage *stage, uint32_t action, float strength) {
    if (!env_begin_act_frame(stage, action, strength)) {
        return 0;
    }
    env_run_frame(stage);
    return env_end_act_frame(stage);
}

// What an act reports for the sum of its frames' rewards.
MEGA_FN int32_t env_limit_reward(const mega_settings *settings, int32_t reward) {
    return reward < settings->reward_min   ? settings->reward_min
           : reward > settings->reward_max ? settings->reward_max
                                           : reward;
}

// `action` is below MEGA_ENV_ACTIONS.
MEGA_FN int32_t env_act(mega_stage *stage, uint32_t action, float strength) {
    uint32_t sum = 0; // wraps as 32-bit rewards do
    for (uint32_t i = 0; i < stage->settings->frame_skip; i++) {
        sum += (uint32_t)env_act_frame(stage, action, strength);
    }
    env_make_sound(stage);
    return env_limit_reward(stage->settings, (int32_t)sum);
}

// ---- reset ---------------------------------------------------------------------------------------------

// A reset as a list of frames, one at a time, so that whoever runs frames can do it: a loop, or many consoles
// together. script_next() sets the controllers for the next frame and says whether there is one; script_ran()
// comes after the frame.
typedef struct mega_script {
    uint8_t place;  // SCRIPT_*: what comes after the run of frames in progress
    uint8_t stop;   // where the script ends
    uint8_t kind;   // of the run: RUN_*
    uint8_t action; // that is held
    uint8_t end;    // what happens at its end: END_*
    uint8_t picked; // 1: a number of the environment's generator was used otherwise than by acts
    uint8_t pad[2];
    uint32_t acts;  // frames of acts so far, each of which draws two numbers
    uint32_t start; // the next starting action
    uint32_t left;  // frames
} mega_script;

enum {
    RUN_PLAIN, // the switches stay, and the rules do not look
    RUN_HOLD,  // an action is held, and the rules look
    RUN_ACT    // an act, as by a player: may stick, and plays no frame when the game is over
};
enum {
    END_NOT, // the run goes on in the next one
    END_RUN,
    END_SOFT_RESET,
    END_COUNTED, // it counts as one frame
    END_ACT
};
enum {
    SCRIPT_EARLY,
    SCRIPT_LATE,
    SCRIPT_SOFT_RESET,
    SCRIPT_RULES,
    SCRIPT_SELECT,
    SCRIPT_RELEASE,
    SCRIPT_LAST_RESET,
    SCRIPT_START,
    SCRIPT_DONE
};

// A reset begins with a few frames in which most programs clear RAM and the random start of the timer stops
// mattering; so most resets are the same from there on.
#define MEGA_RESET_EARLY_FRAMES 4

MEGA_FN void script_set_run(mega_script *script, uint32_t kind, uint32_t action, uint32_t frames,
                            uint32_t end, uint32_t place) {
    script->kind = (uint8_t)kind;
    script->action = (uint8_t)action;
    script->left = frames;
    script->end = (uint8_t)end;
    script->place = (uint8_t)place;
}
// The part of a reset from one place to another.
MEGA_FN void script_begin(mega_script *script, uint32_t place, uint32_t stop) {
    script_set_run(script, RUN_PLAIN, 0, 0, END_NOT, place);
    script->stop = (uint8_t)stop;
    script->start = 0;
    script->picked = script->pad[0] = script->pad[1] = 0;
    script->acts = 0;
}
// One act, outside of a reset.
MEGA_FN void script_begin_act(mega_script *script, uint32_t action) {
    script_begin(script, SCRIPT_DONE, SCRIPT_DONE);
    script_set_run(script, RUN_ACT, action, 1, END_ACT, SCRIPT_DONE);
}

MEGA_FN void script_end_run(mega_script *script, mega_stage *stage) {
    const uint32_t end = script->end;
    script->end = END_NOT;
    if (end == END_NOT) {
        return;
    }
    if (end == END_ACT) {
        env_make_sound(stage);
        return;
    }
    env_end_run(stage);
    if (end == END_SOFT_RESET) {
        stage->sticky_action = 0;
        stage->sticky_strength = 1.0f;
    } else if (end == END_COUNTED) {
        stage->session->frame_number++;
        stage->session->episode_frame_number++;
    }
}

// SELECT is held without the rules looking; only the frame after its release counts.
MEGA_FN void script_press_select(mega_script *script, mega_stage *stage, uint32_t frames) {
    mega_pads pads = env_released(stage);
    pads.select = 1;
    console_set_input(&stage->machine, &pads);
    script_set_run(script, RUN_PLAIN, 0, frames, END_RUN, SCRIPT_RELEASE);
}

MEGA_FN void script_select_mode(mega_script *script, mega_stage *stage) {
    const mega_request request = mega_rules_select(stage->settings->game, &stage->session->rules,
                                                   env_memory(stage), stage->session->mode);
    switch (request.kind) {
    case MEGA_REQUEST_SELECT: script_press_select(script, stage, (uint32_t)request.amount); break;
    case MEGA_REQUEST_SELECT_RND:
        script->picked = 1;
        script_press_select(script, stage, 2u + mega_mt_next(stage->random) % 256u);
        break;
    case MEGA_REQUEST_ACT:
        script_set_run(script, RUN_ACT, (uint32_t)request.amount, stage->settings->frame_skip, END_ACT,
                       SCRIPT_SELECT);
        break;
    case MEGA_REQUEST_SOFT_RESET:
        script_set_run(script, RUN_HOLD, MEGA_ENV_RESET, 4, END_SOFT_RESET, SCRIPT_SELECT);
        break;
    case MEGA_REQUEST_FAIL:
        stage->failed = 1;
        script->place = SCRIPT_LAST_RESET;
        break;
    default: script->place = SCRIPT_LAST_RESET; break;
    }
}

// Sets up the run of frames that comes next.
MEGA_FN void script_enter(mega_script *script, mega_stage *stage) {
    const mega_settings *settings = stage->settings;
    switch (script->place) {
    case SCRIPT_EARLY:
        script_set_run(script, RUN_HOLD, 0, MEGA_RESET_EARLY_FRAMES, END_NOT, SCRIPT_LATE);
        break;
    case SCRIPT_LATE:
        script_set_run(script, RUN_HOLD, 0, 60 - MEGA_RESET_EARLY_FRAMES, END_RUN, SCRIPT_SOFT_RESET);
        break;
    case SCRIPT_SOFT_RESET:
        script_set_run(script, RUN_HOLD, MEGA_ENV_RESET, 4, END_SOFT_RESET, SCRIPT_RULES);
        break;
    case SCRIPT_RULES:
        mega_rules_reset(settings->game, &stage->session->rules);
        script->place = SCRIPT_SELECT;
        break;
    case SCRIPT_SELECT: script_select_mode(script, stage); break;
    case SCRIPT_RELEASE: script_set_run(script, RUN_HOLD, 0, 1, END_COUNTED, SCRIPT_SELECT); break;
    case SCRIPT_LAST_RESET:
        script_set_run(script, RUN_HOLD, MEGA_ENV_RESET, 4, END_SOFT_RESET, SCRIPT_START);
        break;
    default:
        if (script->start < settings->starting_action_count) {
            script_set_run(script, RUN_HOLD, settings->starting_actions[script->start++], 1, END_RUN,
                           SCRIPT_START);
        } else {
            script->place = SCRIPT_DONE;
        }
        break;
    }
}

// Returns 1 if there is a frame to run, 0 at the end of the script, also when asked again.
MEGA_NOINLINE uint32_t script_next(mega_script *script, mega_stage *stage) {
    for (;;) {
        for (; script->left != 0; script->left--) {
            if (script->kind == RUN_HOLD) {
                env_hold(stage, script->action, 1.0f);
            }
            script->acts += script->kind == RUN_ACT;
            if (script->kind != RUN_ACT || env_begin_act_frame(stage, script->action, 1.0f)) {
                return 1;
            }
        }
        script_end_run(script, stage);
        if (script->place == script->stop) {
            return 0;
        }
        script_enter(script, stage);
    }
}

MEGA_NOINLINE void script_ran(mega_script *script, mega_stage *stage) {
    if (script->kind == RUN_HOLD) {
        env_step_rules(stage);
    } else if (script->kind == RUN_ACT) {
        env_end_act_frame(stage);
    }
    script->left--;
}

MEGA_FN void env_play_script(mega_stage *stage, uint32_t place, uint32_t stop) {
    mega_script script;
    script_begin(&script, place, stop);
    while (script_next(&script, stage)) {
        env_run_frame(stage);
        script_ran(&script, stage);
    }
}

// What comes before the first frame: a system reset. `draws` are the next console_reset_draws() numbers of
// the console's sequence.
MEGA_FN void env_prepare_reset(mega_stage *stage, const uint32_t *draws) {
    mega_session *session = stage->session;
    stage->failed = 0;
    session->episode_frame_number = 0;
    session->paddle[0] = session->paddle[1] = (session->paddle_min + session->paddle_max) / 2;
    console_reset(&stage->machine, draws);
}

// A new episode, in two parts. The second depends on nothing but the console, the mode, the difficulty and
// the paddles, unless it draws from the environment's generator.
MEGA_FN void env_begin_reset(mega_stage *stage, const uint32_t *draws) {
    env_prepare_reset(stage, draws);
    env_play_script(stage, SCRIPT_EARLY, SCRIPT_LATE);
}
MEGA_FN void env_finish_reset(mega_stage *stage) {
    env_play_script(stage, SCRIPT_LATE, SCRIPT_DONE);
}

// ---- the console's random sequence ---------------------------------------------------------------------

// The next `count` numbers, at the place that the console's state names. `position` is how far the generator,
// which begins with `seed`, has been drawn.
MEGA_FN void env_draw(mega_mt19937 *random, uint32_t seed, uint32_t *position, const mega_console *console,
                      uint32_t count, uint32_t *draws) {
    if (*position != console->draws) {
        mega_mt_seed(random, seed);
        for (*position = 0; *position < console->draws; ++*position) {
            mega_mt_next(random);
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        draws[i] = mega_mt_next(random);
    }
    *position += count;
}

// ---- power on ------------------------------------------------------------------------------------------

// Before anything is plugged in by the environment: nothing pressed, paddles at 0, the cartridge's switches.
MEGA_FN void env_unplugged(mega_stage *stage) {
    const mega_cartridge *cartridge = stage->machine.cartridge;
    mega_pads pads = env_released(stage);
    pads.resistance[0] = pads.resistance[1] = 0;
    pads.difficulty = (uint32_t)cartridge->left_difficulty_a | (uint32_t)cartridge->right_difficulty_a << 1;
    console_set_input(&stage->machine, &pads);
}

// The frames that find out the television format; what they leave in RAM survives. `cartridge` is the
// description in force meanwhile.
MEGA_FN void env_probe(mega_stage *stage, const mega_cartridge *cartridge, const uint32_t *draws) {
    const mega_cartridge *final = stage->machine.cartridge;
    stage->machine.cartridge = cartridge;
    console_reset(&stage->machine, draws);
    for (uint32_t i = 0; i < 60; i++) {
        env_run_frame(stage);
    }
    stage->machine.cartridge = final;
}

#endif
