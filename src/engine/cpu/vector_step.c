// vector_step.c - reset, step and groups of a vector: work that is done in rounds. Runs in the caller's
// thread.
#include <math.h>
#include <string.h>

#include "status.h"
#include "vector.h"

// ---- common ground -------------------------------------------------------------------------------------

static bool is_idle(const mega_cpu_vector *vector) {
    return cpu_vector_outstanding(vector) == 0;
}

mega_status vector_ready(mega_cpu_vector *vector) {
    vector->failed = -1;
    if (!crew_is_stranded(&vector->crew)) {
        return MEGA_OK;
    }
    if (!is_idle(vector)) {
        return mega_fail(MEGA_ERROR_ORDER,
                         "this process was forked while environments were being stepped; their "
                         "results stayed with the parent, so create a new vector");
    }
    return crew_restart(&vector->crew);
}

mega_status vector_check_idle(const mega_cpu_vector *vector) {
    return is_idle(vector) ? MEGA_OK
                           : mega_fail(MEGA_ERROR_ORDER, "results are outstanding; receive them first");
}

mega_status vector_check_free(const mega_cpu_vector *vector, int32_t env_id) {
    if (env_id < 0 || (uint32_t)env_id >= vector->count) {
        return mega_fail(MEGA_ERROR_ARGUMENT, "environment %d is not one of 0 to %u", env_id,
                         vector->count - 1);
    }
    bool busy = vector->members[env_id].queued;
    for (uint32_t g = 0; g < vector->group_count; g++) {
        const mega_group *group = &vector->groups[g];
        busy = busy || (group->running && (uint32_t)env_id - group->round.first < group->round.count);
    }
    return !busy ? MEGA_OK
                 : mega_fail(MEGA_ERROR_ORDER,
                             "the result of environment %d is outstanding; receive it first", env_id);
}

void vector_collect(mega_cpu_vector *vector, uint32_t env_id) {
    const mega_member *member = &vector->members[env_id];
    if (member->outcome.status != MEGA_OK && vector->failed < 0) {
        vector->failed = (int32_t)env_id;
    }
    if (!member->outcome.ended) {
        return;
    }
    const mega_episode *episode = &member->statistics.last;
    mega_vector_statistics *total = &vector->total;
    total->episodes++;
    total->score_sum = (int64_t)((uint64_t)total->score_sum + (uint64_t)episode->score);
    total->steps_sum += episode->steps;
    total->frames_sum += episode->frames;
    total->last = *episode;
    vector->episodes[vector->episode_next++ % vector->episode_capacity] = *episode;
    vector->episode_count += vector->episode_count < vector->episode_capacity;
}

mega_status vector_verdict(const mega_cpu_vector *vector) {
    if (vector->failed < 0) {
        return MEGA_OK;
    }
    const mega_status status = environment_fault(&vector->members[vector->failed].lane.environment);
    return mega_fail(status, "environment %d: %s", vector->failed, mega_last_error());
}

// ---- jobs ----------------------------------------------------------------------------------------------

static mega_status check_step(const mega_cpu_vector *vector, int32_t env_id, int32_t action, float strength) {
    if (action < 0 || (uint32_t)action >= vector->games.action_count) {
        return mega_fail(MEGA_ERROR_ACTION, "action %d of environment %d is not one of 0 to %u", action,
                         env_id, vector->games.action_count - 1);
    }
    if (isnan(strength)) {
        return mega_fail(MEGA_ERROR_ARGUMENT, "the paddle strength of environment %d is not a number",
                         env_id);
    }
    return MEGA_OK;
}

mega_status vector_set_steps(mega_cpu_vector *vector, const int32_t *ids, uint32_t first, uint32_t count,
                             const int32_t *actions, const float *strengths) {
    if (actions == NULL) {
        return mega_fail(MEGA_ERROR_ARGUMENT, "a step needs %u actions", count);
    }
    for (uint32_t k = 0; k < count; k++) {
        const int32_t env_id = ids != NULL ? ids[k] : (int32_t)(first + k);
        MEGA_TRY(check_step(vector, env_id, actions[k], strengths != NULL ? strengths[k] : 1.0f));
    }
    for (uint32_t k = 0; k < count; k++) {
        mega_job *job = &vector->members[ids != NULL ? (uint32_t)ids[k] : first + k].job;
        job->kind = MEGA_JOB_STEP;
        job->action = vector->games.actions[actions[k]];
        job->strength = strengths != NULL ? strengths[k] : 1.0f;
    }
    return MEGA_OK;
}

static mega_status check_started(const mega_cpu_vector *vector) {
    return vector->unstarted == 0 ? MEGA_OK
                                  : mega_fail(MEGA_ERROR_ORDER,
                                              "%u environments were never reset; call "
                                              "mega_vector_reset first",
                                              vector->unstarted);
}

// ---- rounds --------------------------------------------------------------------------------------------

static void start_group(mega_group *group, bool direct, const mega_vector_out *out) {
    group->direct = direct;
    group->out = out;
    group->running = true;
    round_start(&group->round);
}

// Helps, then waits, until the group's round is over. False when the time was up.
static bool finish_group(mega_cpu_vector *vector, mega_group *group, const mega_deadline *deadline) {
    for (;;) {
        const unsigned seen = gate_look(&vector->crew.done);
        if (round_over(&group->round)) {
            group->running = false;
            break;
        }
        const bool helped = vector_run_group(vector, group, 0);
        if (helped ? deadline_passed(deadline) : !gate_wait(&vector->crew.done, seen, deadline)) {
            return false;
        }
    }
    const mega_round *round = &group->round;
    if (atomic_load_explicit(&round->notable, memory_order_relaxed) != 0) {
        for (uint32_t i = 0; i < round->count; i++) {
            vector_collect(vector, round->first + i);
        }
    }
    return true;
}

static mega_status run_rounds(mega_cpu_vector *vector, const mega_vector_out *out) {
    const mega_deadline never = deadline_in(-1);
    for (uint32_t g = 0; g < vector->group_count; g++) {
        start_group(&vector->groups[g], true, out);
    }
    gate_signal(&vector->crew.work);
    for (uint32_t g = 0; g < vector->group_count; g++) {
        (void)finish_group(vector, &vector->groups[g], &never);
    }
    return vector_verdict(vector);
}

void vector_discard(mega_cpu_vector *vector) {
    const mega_deadline never = deadline_in(-1);
    uint32_t env_id;
    for (uint32_t g = 0; g < vector->group_count; g++) {
        if (vector->groups[g].running) {
            (void)finish_group(vector, &vector->groups[g], &never);
        }
    }
    for (uint32_t k = 0; k < vector->queued; k++) {
        (void)vector_await(vector, k, &never, &env_id);
        vector_collect(vector, env_id);
        vector->members[env_id].queued = 0;
    }
    ring_drop(&vector->results, vector->queued);
    vector->queued = 0;
    vector->failed = -1;
}

// ---- public --------------------------------------------------------------------------------------------

static mega_status set_resets(mega_cpu_vector *vector, const uint8_t *mask, const int32_t *seeds) {
    for (uint32_t i = 0; mask != NULL && i < vector->count; i++) {
        if (mask[i] == 0 && !vector->members[i].started) {
            return mega_fail(MEGA_ERROR_ORDER, "environment %u was never reset; the first reset is of all",
                             i);
        }
        if (mask[i] == 0 && vector->batch < vector->count) {
            return mega_fail(MEGA_ERROR_ARGUMENT,
                             "a reset of some environments needs batch == count; the batch "
                             "is %u of %u",
                             vector->batch, vector->count);
        }
    }
    for (uint32_t i = 0; i < vector->count; i++) {
        mega_member *member = &vector->members[i];
        const bool chosen = mask == NULL || mask[i] != 0;
        member->job.kind = chosen ? MEGA_JOB_RESET : MEGA_JOB_REPORT;
        member->job.seed = seeds != NULL ? seeds[i] : -1;
        member->started = 1;
    }
    vector->unstarted = 0;
    return MEGA_OK;
}

mega_status cpu_vector_reset(mega_cpu_vector *vector, const uint8_t *mask, const int32_t *seeds,
                             const mega_vector_out *out) {
    MEGA_TRY(vector_ready(vector));
    vector_discard(vector);
    MEGA_TRY(set_resets(vector, mask, seeds));
    if (vector->batch == vector->count) {
        return run_rounds(vector, out);
    }
    vector_enqueue(vector, NULL, vector->count);
    return cpu_vector_recv(vector, -1, out);
}

mega_status cpu_vector_step(mega_cpu_vector *vector, const int32_t *actions, const float *strengths,
                            const mega_vector_out *out) {
    if (vector->batch < vector->count) {
        MEGA_TRY(cpu_vector_send(vector, NULL, vector->batch, actions, strengths));
        return cpu_vector_recv(vector, -1, out);
    }
    MEGA_TRY(vector_ready(vector));
    MEGA_TRY(vector_check_idle(vector));
    MEGA_TRY(check_started(vector));
    MEGA_TRY(vector_set_steps(vector, NULL, 0, vector->count, actions, strengths));
    return run_rounds(vector, out);
}

static mega_status check_group(const mega_cpu_vector *vector, uint32_t group) {
    if (vector->batch < vector->count) {
        return mega_fail(MEGA_ERROR_ORDER, "groups need batch == count; the batch is %u of %u", vector->batch,
                         vector->count);
    }
    if (group >= vector->group_count) {
        return mega_fail(MEGA_ERROR_ARGUMENT, "group %u is not one of 0 to %u", group,
                         vector->group_count - 1);
    }
    return MEGA_OK;
}

mega_status cpu_vector_group_send(mega_cpu_vector *vector, uint32_t group, const int32_t *actions,
                                  const float *strengths) {
    MEGA_TRY(vector_ready(vector));
    MEGA_TRY(check_group(vector, group));
    MEGA_TRY(check_started(vector));
    mega_group *chosen = &vector->groups[group];
    if (chosen->running || vector->queued != 0) {
        return mega_fail(MEGA_ERROR_ORDER, "results of group %u are outstanding; receive them first", group);
    }
    MEGA_TRY(vector_set_steps(vector, NULL, chosen->round.first, chosen->round.count, actions, strengths));
    start_group(chosen, false, NULL);
    gate_signal(&vector->crew.work);
    return MEGA_OK;
}

mega_status cpu_vector_group_restart(mega_cpu_vector *vector, uint32_t group) {
    MEGA_TRY(vector_ready(vector));
    MEGA_TRY(check_group(vector, group));
    MEGA_TRY(check_started(vector));
    MEGA_TRY(vector_check_restart(vector->autoreset));
    mega_group *chosen = &vector->groups[group];
    if (chosen->running || vector->queued != 0) {
        return mega_fail(MEGA_ERROR_ORDER, "results of group %u are outstanding; receive them first", group);
    }
    for (uint32_t i = 0; i < chosen->round.count; i++) {
        vector->members[chosen->round.first + i].job.kind = MEGA_JOB_RESTART;
    }
    start_group(chosen, false, NULL);
    gate_signal(&vector->crew.work);
    return MEGA_OK;
}

mega_status cpu_vector_group_recv(mega_cpu_vector *vector, uint32_t group, int32_t timeout_ms,
                                  const mega_vector_out *out) {
    MEGA_TRY(vector_ready(vector));
    MEGA_TRY(check_group(vector, group));
    mega_group *chosen = &vector->groups[group];
    if (!chosen->running) {
        return mega_fail(MEGA_ERROR_ORDER, "nothing was sent to group %u", group);
    }
    const mega_deadline deadline = deadline_in(timeout_ms);
    if (!finish_group(vector, chosen, &deadline)) {
        return mega_fail(MEGA_ERROR_TIMEOUT, "group %u was not ready within %d ms", group, timeout_ms);
    }
    for (uint32_t i = 0; i < chosen->round.count; i++) {
        vector_write_row(vector, chosen->round.first + i, out, i);
    }
    return vector_verdict(vector);
}
