// vector_play.c - what a thread does with one environment of a vector. Runs in any thread; see vector.h.
#include <string.h>

#include "vector.h"

static uint8_t *row_of(uint8_t *rows, size_t size, uint32_t row) {
    return rows + size * row;
}

// ---- playing -------------------------------------------------------------------------------------------

// `forced`: the user asked for it.
static void start_episode(mega_cpu_vector *vector, mega_member *member, uint32_t env_id, int32_t seed,
                          bool forced) {
    mega_lane *lane = &member->lane;
    if (seed >= 0 || !member->powered) {
        const uint32_t number = seed >= 0 ? (uint32_t)seed : vector->seed + env_id;
        vector->start_count != 0 ? lane_seed(lane, number) : (void)lane_power_on(lane, number);
        member->powered = 1;
    }
    if (vector->start_count != 0 && (forced || !task_goes_on(&lane->view))) {
        vector_copy_start(vector, member);
    } else {
        (void)lane_start_episode(lane, forced);
    }
    member->over = 0;
    memset(&member->running, 0, sizeof(member->running));
    member->running.frames = lane->task.frames; // not 0 where the game goes on; they are not this episode's
}

// Unsigned: a sum may wrap, and nothing depends on it.
static void end_episode(mega_member *member, uint32_t env_id) {
    mega_vector_statistics *statistics = &member->statistics;
    mega_episode *episode = &statistics->last;
    *episode = member->running;
    episode->env_id = (int32_t)env_id;
    episode->frames = member->lane.task.frames - member->running.frames;
    episode->terminated = member->outcome.terminated;
    episode->truncated = member->outcome.truncated;
    statistics->episodes++;
    statistics->score_sum = (int64_t)((uint64_t)statistics->score_sum + (uint64_t)episode->score);
    statistics->steps_sum += episode->steps;
    statistics->frames_sum += episode->frames;
    member->outcome.ended = 1;
}

// `final` is where the last observation of an episode goes, if the step also resets; NULL if nobody wants it.
static void step(mega_cpu_vector *vector, mega_member *member, uint32_t env_id, uint8_t *final) {
    const mega_task_outcome outcome = lane_step(&member->lane, member->job.action, member->job.strength);
    member->outcome.reward = outcome.reward;
    member->outcome.terminated = outcome.terminated;
    member->outcome.truncated = outcome.truncated;
    member->running.score += outcome.score;
    member->running.steps++;
    if (!outcome.episode_over) {
        return;
    }
    end_episode(member, env_id);
    if (vector->autoreset != MEGA_AUTORESET_SAME_STEP) {
        member->over = 1;
        return;
    }
    if (final != NULL) {
        memcpy(final, member->lane.view.frames, vector->games.observation_size);
        member->outcome.has_final = 1;
    }
    start_episode(vector, member, env_id, -1, false);
}

// The episode is over, and nobody has asked for another one. The count of steps is that of an episode that has been told
// already; it goes on because a GPU's does, so that states are the same bytes.
static void stand_still(mega_cpu_vector *vector, mega_member *member) {
    member->running.steps++;
    if (vector->games.observation_size != 0) {
        task_push(&member->lane.view);
    }
}

static void play(mega_cpu_vector *vector, uint32_t env_id, uint32_t hand, uint8_t *final) {
    mega_member *member = &vector->members[env_id];
    if (member->job.kind == MEGA_JOB_REPORT) {
        member->outcome.ended = member->outcome.has_final = 0;
        member->outcome.status = MEGA_OK;
        return;
    }
    memset(&member->outcome, 0, sizeof(member->outcome));
    if (member->job.kind == MEGA_JOB_RESTART && !member->over) {
        return;
    }
    lane_bind(&member->lane, vector->scratch[hand]);
    if (member->job.kind == MEGA_JOB_RESET) {
        start_episode(vector, member, env_id, member->job.seed, true);
    } else if (member->over && member->job.kind == MEGA_JOB_STEP && vector->autoreset == MEGA_AUTORESET_OFF) {
        stand_still(vector, member);
    } else if (member->over) {
        start_episode(vector, member, env_id, -1, false);
    } else {
        step(vector, member, env_id, final);
    }
    member->outcome.status = environment_fault(&member->lane.environment);
    lane_unbind(&member->lane);
}

// ---- rows ----------------------------------------------------------------------------------------------

static void write_numbers(const mega_cpu_vector *vector, uint32_t env_id, const mega_vector_out *out,
                          uint32_t row) {
    const mega_member *member = &vector->members[env_id];
    const mega_session *session = &member->lane.environment.session;
    if (out->rewards != NULL) {
        out->rewards[row] = member->outcome.reward;
    }
    if (out->terminations != NULL) {
        out->terminations[row] = member->outcome.terminated;
    }
    if (out->truncations != NULL) {
        out->truncations[row] = member->outcome.truncated;
    }
    if (out->episode_ends != NULL) {
        out->episode_ends[row] = member->outcome.ended;
    }
    if (out->env_ids != NULL) {
        out->env_ids[row] = (int32_t)env_id;
    }
    if (out->lives != NULL) {
        out->lives[row] = session->rules.lives;
    }
    if (out->frame_numbers != NULL) {
        out->frame_numbers[row] = (int32_t)session->frame_number;
    }
    if (out->episode_frame_numbers != NULL) {
        out->episode_frame_numbers[row] = (int32_t)session->episode_frame_number;
    }
}

void vector_write_row(const mega_cpu_vector *vector, uint32_t env_id, const mega_vector_out *out,
                      uint32_t row) {
    const size_t size = vector->games.observation_size;
    if (out == NULL) {
        return;
    }
    write_numbers(vector, env_id, out, row);
    if (out->observations != NULL && size != 0) {
        memcpy(row_of(out->observations, size, row), row_of(vector->observations, size, env_id), size);
    }
    // A row that its thread wrote directly is not kept here.
    if (out->final_observations != NULL && vector->members[env_id].outcome.has_final) {
        memcpy(row_of(out->final_observations, size, row), row_of(vector->finals, size, env_id), size);
    }
}

// ---- taking work ---------------------------------------------------------------------------------------

bool vector_run_group(mega_cpu_vector *vector, mega_group *group, uint32_t hand) {
    const size_t size = vector->games.observation_size;
    uint32_t env_id;
    if (!round_take(&group->round, hand, &env_id)) {
        return false;
    }
    mega_member *member = &vector->members[env_id];
    uint8_t *final = NULL;
    if (group->direct && group->out != NULL && group->out->final_observations != NULL && size != 0) {
        final = row_of(group->out->final_observations, size, env_id);
    } else if (!group->direct && vector->finals != NULL) {
        final = row_of(vector->finals, size, env_id);
    }
    play(vector, env_id, hand, final);
    if (group->direct) {
        member->outcome.has_final = 0;
        vector_write_row(vector, env_id, group->out, env_id);
    }
    if (round_finish(&group->round, member->outcome.ended || member->outcome.status != MEGA_OK)) {
        gate_signal(&vector->crew.done);
    }
    return true;
}

static bool run_queued(mega_cpu_vector *vector, uint32_t hand) {
    uint32_t env_id;
    if (!ring_take(&vector->jobs, &env_id)) {
        return false;
    }
    play(vector, env_id, hand,
         vector->finals != NULL ? row_of(vector->finals, vector->games.observation_size, env_id) : NULL);
    ring_add(&vector->results, env_id);
    gate_signal(&vector->crew.done);
    return true;
}

bool vector_run_one(void *context, uint32_t hand) {
    mega_cpu_vector *vector = context;
    for (uint32_t g = 0; g < vector->group_count; g++) {
        if (vector_run_group(vector, &vector->groups[g], hand)) {
            return true;
        }
    }
    return run_queued(vector, hand);
}
