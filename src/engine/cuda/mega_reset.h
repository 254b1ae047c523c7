// mega_reset.h - power and the beginning of episodes in the memory of a device. Shared source.
//
// The way to a new episode as a learner sees it is long: power and a probe of the television format, a reset,
// a press of FIRE, no-ops, another reset if the game is over by then. It is written as a list of frames
// (mega_script, and around it mega_start), so that the lanes of a warp, each at another place of its own
// list, run their frames together.
#ifndef MEGA_RESET_H
#define MEGA_RESET_H
#include "mega_memo.h"

enum {
    START_POWER,
    START_PROBED,
    START_POWERED,
    START_EPISODE,
    START_EARLY,
    START_FIRE,
    START_NOOPS,
    START_AFTER_NOOP,
    START_LAST_FIRE,
    START_DONE
};

typedef struct mega_start {
    mega_script script;
    uint32_t place; // START_*: what comes after the script
    uint32_t noops; // to go
    mega_recall recall;
    mega_cartridge probing;
} mega_start;

// ---- the list of frames ----------------------------------------------------------------------------------

MEGA_NOINLINE const uint32_t *start_draw(const mega_batch *batch, uint32_t env, const mega_player *player,
                                         uint32_t count) {
    mega_cell *cell = &batch->cells[env];
    const uint32_t seed = batch->courses[cell->course].console_seed;
    uint32_t *draws = batch->draws + (uint64_t)batch->draw_room * env;
    env_draw(&cell->console_random, seed, &cell->console_position, &player->session.console, count, draws);
    return draws;
}

MEGA_NOINLINE void start_reset_console(const mega_batch *batch, uint32_t env, mega_player *player) {
    mega_machine *machine = &player->stage.machine;
    console_reset(machine, start_draw(batch, env, player, console_reset_draws(machine->cartridge)));
}

// A system reset, then the frames of a reset.
MEGA_NOINLINE void start_reset(const mega_batch *batch, uint32_t env, mega_player *player,
                               mega_start *start) {
    const uint32_t count = console_reset_draws(player->stage.machine.cartridge);
    env_prepare_reset(&player->stage, start_draw(batch, env, player, count));
    script_begin(&start->script, SCRIPT_EARLY, SCRIPT_DONE);
}

MEGA_FN void start_switch_on(const mega_batch *batch, uint32_t env, mega_player *player) {
    mega_session *session = &player->session;
    mega_video *video = player->stage.machine.video;
    const int32_t paddle_min = session->paddle_min, paddle_max = session->paddle_max;
    MEGA_FILL(session, 0, sizeof(*session));
    session->paddle_min = paddle_min;
    session->paddle_max = paddle_max;
    session->mode = batch->courses[batch->cells[env].course].mode;
    video->current = 0;
    video->slot = 0;
    console_power_on(&player->stage.machine, start_draw(batch, env, player, MEGA_POWER_DRAWS));
    env_unplugged(&player->stage);
}

// With the format known; environment_power_on() from here on.
MEGA_FN void start_powered(const mega_batch *batch, uint32_t env, mega_player *player) {
    mega_cell *cell = &batch->cells[env];
    start_reset_console(batch, env, player);
    mega_mt_seed(&cell->random, cell->seed);
    mega_mt_seed(&cell->task.noop_random, cell->seed);
    mega_rules_construct(player->stage.settings->game, &player->session.rules);
    player->stage.sticky_action = 0;
    player->stage.sticky_strength = 1.0f;
}

// Goes on to the next part.
MEGA_NOINLINE void start_enter(const mega_batch *batch, uint32_t env, mega_player *player,
                               mega_start *start) {
    const mega_cell *cell = &batch->cells[env];
    mega_machine *machine = &player->stage.machine;
    const uint32_t place = start->place++, envpool = player->view.settings->envpool;
    switch (place) {
    case START_POWER:
        start_switch_on(batch, env, player);
        if (machine->cartridge->format_probed) {
            start->probing = *machine->cartridge;
            start->probing.pal = 0;
            start->probing.height = start->probing.probe_height;
            machine->cartridge = &start->probing;
            start_reset_console(batch, env, player);
            script_set_run(&start->script, RUN_PLAIN, 0, 60, END_NOT, SCRIPT_DONE);
        }
        break;
    case START_PROBED:
        machine->cartridge = &batch->courses[cell->course].cartridge;
        start_powered(batch, env, player);
        start_reset(batch, env, player, start);
        break;
    case START_POWERED:
        player->session.mode = cell->mode;
        player->session.difficulty = cell->difficulty;
        break;
    case START_EPISODE:
        player->view.state->continued = !cell->forced && task_goes_on(&player->view);
        if (player->view.state->continued) {
            start->noops = task_draw_noops(&player->view);
            start->place = START_FIRE;
            break;
        }
        start_reset(batch, env, player, start);
        start->script.stop = SCRIPT_LATE;
        break;
    case START_EARLY:
        start->noops = task_draw_noops(&player->view);
        if (memo_find(batch, cell->course, player, start->noops,
                      batch->draws + (uint64_t)batch->draw_room * env, &start->recall)) {
            start->place = START_DONE;
            break;
        }
        script_begin(&start->script, SCRIPT_LATE, SCRIPT_DONE);
        break;
    case START_FIRE:
        memo_compare_acts(batch, cell->course, &start->script, &start->recall);
        if (!envpool && task_needs_fire(&player->view)) {
            script_begin_act(&start->script, 1);
        }
        break;
    case START_NOOPS:
        if (start->noops == 0) {
            start->place = START_LAST_FIRE;
            break;
        }
        start->noops--;
        script_begin_act(&start->script, 0);
        break;
    case START_LAST_FIRE:
        if (envpool && task_needs_fire(&player->view)) {
            script_begin_act(&start->script, 1);
        }
        break;
    default: // after a no-op
        start->place = START_NOOPS;
        if (env_game_over(&player->stage)) {
            start_reset(batch, env, player, start);
            start->recall.tag = 0;
        }
        break;
    }
}

MEGA_FN void start_begin(mega_start *start, uint32_t power) {
    script_begin(&start->script, SCRIPT_DONE, SCRIPT_DONE);
    start->place = power ? START_POWER : START_EPISODE;
    start->noops = 0;
    start->recall.tag = start->recall.found = 0;
}

// As script_next().
MEGA_FN uint32_t start_next(const mega_batch *batch, uint32_t env, mega_player *player, mega_start *start) {
    while (!script_next(&start->script, &player->stage)) {
        if (start->place == START_DONE) {
            return 0;
        }
        start_enter(batch, env, player, start);
    }
    return 1;
}

// ---- a warp ----------------------------------------------------------------------------------------------

// The episode has begun; its picture is left to others: it is the only one of its stack, and is not pooled.
MEGA_FN void batch_end_start(const mega_batch *batch, uint32_t env, mega_player *player) {
    mega_cell *cell = &batch->cells[env];
    cell->power = cell->forced = 0;
    cell->fresh = 1;
    task_begin_counting(&player->view);
    task_begin_step(&player->view, &cell->step);
    cell->step.left = 0;
    batch_disconnect(batch, env, player);
}

// Brings a warp of environments to the beginning of an episode; `plays` is 0 for a lane without one.
MEGA_FN void batch_start(const mega_batch *batch, mega_warp *warp, uint32_t env, uint32_t plays) {
    mega_player player;
    mega_start start;
    batch_connect(batch, env, &player);
    mega_stage *stage = &player.stage;
    start_begin(&start, batch->cells[env].power);
#if MEGA_COUNT
    warp->counts = NULL;
#endif
    for (;;) {
        const uint32_t frame = plays && start_next(batch, env, &player, &start);
        if (!MEGA_WARP_ANY(frame)) {
            break;
        }
        if (frame) {
            console_begin_request(&stage->machine, MEGA_RUN_FAST);
        }
        MEGA_WARP_BARRIER();
        warp_run_frame(&stage->machine, stage->machine.console, warp, frame, 0);
        warp_settle(&stage->machine, warp, frame);
        warp_draw_ragged(&stage->machine, frame);
        if (frame) {
            console_end_request(&stage->machine, MEGA_RUN_FAST);
            script_ran(&start.script, stage);
            memo_see_frame(stage->machine.video, &start.recall);
        }
        MEGA_WARP_BARRIER();
    }
    if (plays) {
        batch->cells[env].memo = start.recall.found;
        MEGA_ATOMIC_ADD(&batch->memo.counts[start.recall.found == 0], 1u);
        if (start.recall.found == 0) {
            memo_store(batch, batch->cells[env].course, &player, &start.recall);
        }
        batch_end_start(batch, env, &player);
    }
}

// ---- who begins ------------------------------------------------------------------------------------------

MEGA_FN void roster_add(const mega_batch *batch, uint32_t env) {
    const mega_roster *roster = &batch->roster;
    const uint32_t course = batch->cells[env].course;
    roster->queue[MEGA_ATOMIC_ADD(roster->count, 1u)] = (int32_t)env;
    roster->lanes[batch->first_lane[course] + MEGA_ATOMIC_ADD(&roster->count_of_course[course], 1u)] =
        (int32_t)env;
}

// Warps over which those are spread that begin an episode: all others wait for them. More would take time from the
// others, because a warp costs the same with one lane and with 32.
#define ROSTER_WARPS 128u

// The environment that begins in a lane of the group, or -1.
MEGA_FN int32_t roster_find(const mega_batch *batch, uint32_t lane) {
    uint32_t course = 0, spread = 1;
    while (course + 1u < batch->course_count && batch->first_lane[course + 1u] <= lane) {
        course++;
    }
    const uint32_t first = batch->first_lane[course], lanes = batch->first_lane[course + 1u] - first;
    const uint32_t count = batch->roster.count_of_course[course], place = lane - first;
    while (spread < 32u && 2u * spread * count <= lanes && 2u * spread * count <= 32u * ROSTER_WARPS) {
        spread *= 2u;
    }
    return place % spread == 0 && place / spread < count ? batch->roster.lanes[first + place / spread] : -1;
}

// Those of the warp that begin an episode do so, in lanes of which this is one.
MEGA_NOINLINE void roster_start(const mega_batch *batch, mega_warp *warp, uint32_t lane) {
    const int32_t env = roster_find(batch, batch->from + lane);
    // A lane without an environment looks at one of its game, so that there is something to look at.
    const int32_t other = MEGA_WARP_MAX(env);
    if (other >= 0) {
        batch_start(batch, warp, (uint32_t)(env >= 0 ? env : other), env >= 0);
    }
}

// Before a reset: what the host ordered.
MEGA_FN void batch_take_order(const mega_batch *batch, uint32_t env) {
    mega_cell *cell = &batch->cells[env];
    const uint32_t order = batch->orders[env];
    if (order != MEGA_ORDER_NONE) {
        cell->power = order == MEGA_ORDER_POWER;
        cell->seed = (uint32_t)batch->seeds[env];
        cell->forced = 1;
        roster_add(batch, env);
    }
}

// Before a step: what the learner's choice means, and who begins instead.
MEGA_FN void batch_take_action(const mega_batch *batch, uint32_t env, int32_t *actions) {
    const uint32_t index = (uint32_t)batch->columns.indices[env];
    actions[env] = batch->action_of_index[index < batch->index_count ? index : 0u];
    if (batch->cells[env].over) {
        roster_add(batch, env);
    }
}

// A random number of a step of an environment.
MEGA_FN uint32_t batch_sample(uint32_t env, uint32_t seed, uint32_t step) {
    uint32_t h = seed ^ env * 0x9E3779B9u ^ step * 0x85EBCA6Bu;
    h ^= h >> 16;
    h *= 0x7FEB352Du;
    h ^= h >> 15;
    h *= 0x846CA68Bu;
    return h ^ h >> 16;
}

// ---- what the learner sees -------------------------------------------------------------------------------

MEGA_FN void columns_show(const mega_batch *batch, uint32_t env) {
    const mega_session *session = &batch->cells[env].session;
    const mega_columns *columns = &batch->columns;
    columns->lives[env] = session->rules.lives;
    columns->frame_numbers[env] = (int32_t)session->frame_number;
    columns->episode_frame_numbers[env] = (int32_t)session->episode_frame_number;
}

MEGA_FN void batch_note_failure(const mega_batch *batch, uint32_t env) {
    const mega_cell *cell = &batch->cells[env];
    if (cell->session.console.cpu.jammed || cell->failed) {
        MEGA_ATOMIC_MIN(batch->failed, env);
    }
}

// An episode has begun, by a reset or in place of a step.
MEGA_FN void batch_settle_start(const mega_batch *batch, uint32_t env) {
    mega_cell *cell = &batch->cells[env];
    mega_ending *running = &batch->tallies[env].running;
    cell->over = 0;
    cell->fresh = 0;
    running->score = 0;
    running->env_id = 0;
    running->steps = 0;
    running->frames = cell->task.frames; // not 0 where the game goes on; they are not this episode's
    running->terminated = running->truncated = 0;
    columns_show(batch, env);
    batch_note_failure(batch, env);
}

MEGA_FN void columns_clear(const mega_batch *batch, uint32_t env) {
    const mega_columns *columns = &batch->columns;
    columns->rewards[env] = 0;
    columns->terminations[env] = columns->truncations[env] = columns->episode_ends[env] = 0;
}

MEGA_NOINLINE void batch_end_episode(const mega_batch *batch, uint32_t env) {
    const mega_result *result = &batch->results[env];
    mega_tally *tally = &batch->tallies[env];
    mega_ending *last = &tally->last;
    *last = tally->running;
    last->env_id = (int32_t)env;
    last->frames = batch->cells[env].task.frames - tally->running.frames;
    last->terminated = result->terminated;
    last->truncated = result->truncated;
    tally->episodes++;
    tally->score_sum = (int64_t)((uint64_t)tally->score_sum + (uint64_t)last->score);
    tally->steps_sum += last->steps;
    tally->frames_sum += last->frames;
    mega_notice *notice = &batch->notices[MEGA_ATOMIC_ADD(batch->notice_count, 1u) % batch->notice_room];
    notice->ending = *last;
    notice->step = batch->step;
}

// After a step and its pictures.
MEGA_FN void batch_settle_step(const mega_batch *batch, uint32_t env) {
    const mega_cell *cell = &batch->cells[env];
    const mega_result *result = &batch->results[env];
    const mega_columns *columns = &batch->columns;
    mega_ending *running = &batch->tallies[env].running;
    if (cell->fresh) {
        columns_clear(batch, env);
        batch_settle_start(batch, env);
        return;
    }
    columns->rewards[env] = result->reward;
    columns->terminations[env] = result->terminated;
    columns->truncations[env] = result->truncated;
    columns->episode_ends[env] = result->ended;
    running->score += result->score;
    running->steps++;
    if (result->ended) {
        batch_end_episode(batch, env);
    }
    if (result->ended && batch->same_step) {
        roster_add(batch, env);
        return;
    }
    columns_show(batch, env);
    batch_note_failure(batch, env);
}

// After a reset: those that were not chosen show once more what they did last.
MEGA_FN void batch_settle_order(const mega_batch *batch, uint32_t env) {
    if (batch->orders[env] == MEGA_ORDER_NONE) {
        batch->columns.episode_ends[env] = 0;
        return;
    }
    columns_clear(batch, env);
    batch_settle_start(batch, env);
}

// ---- memory, by all threads of a block -------------------------------------------------------------------

MEGA_FN void block_copy(uint8_t *to, const uint8_t *from, uint64_t size, uint32_t thread, uint32_t threads) {
    if ((((uint64_t)to | (uint64_t)from) & 7u) == 0) {
        const uint64_t words = size / 8u;
        for (uint64_t i = thread; i < words; i += threads) {
            ((uint64_t *)to)[i] = ((const uint64_t *)from)[i];
        }
        for (uint64_t i = 8u * words + thread; i < size; i += threads) {
            to[i] = from[i];
        }
        return;
    }
    for (uint64_t i = thread; i < size; i += threads) {
        to[i] = from[i];
    }
}

// The last observation of an episode, before the next one begins.
MEGA_FN void block_keep_final(const mega_batch *batch, uint32_t env, uint32_t thread, uint32_t threads) {
    const uint64_t at = (uint64_t)batch->observation_size * env;
    if (batch->columns.final_observations != NULL) {
        block_copy(batch->columns.final_observations + at, batch->observations + at, batch->observation_size,
                   thread, threads);
    }
}

// Before the first picture of an episode is looked at: it is there, and black before it, unless the game goes on.
MEGA_FN void block_prepare(const mega_batch *batch, uint32_t env, uint32_t thread, uint32_t threads) {
    uint8_t *frames = batch->observations + (uint64_t)batch->observation_size * env;
    memo_block_show(batch, env, thread, threads);
    const uint32_t size = batch->cells[env].task.continued ? 0u : batch->observation_size;
    for (uint32_t i = thread; i < size; i += threads) {
        frames[i] = 0;
    }
}

#endif
