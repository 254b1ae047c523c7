// vector_async.c - send and recv: environments one by one, results as they come. Runs in the caller's thread.
#include "status.h"
#include "vector.h"

void vector_enqueue(mega_cpu_vector *vector, const int32_t *ids, uint32_t count) {
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t env_id = ids != NULL ? (uint32_t)ids[k] : k;
        vector->members[env_id].queued = 1;
        ring_give(&vector->jobs, env_id);
    }
    vector->queued += count;
    gate_signal(&vector->crew.work);
}

// Marks the environments as queued, so that one that is named twice is found; undone by the caller on
// failure.
static mega_status mark_queued(mega_cpu_vector *vector, const int32_t *ids, uint32_t count,
                               uint32_t *marked) {
    for (*marked = 0; *marked < count; ++*marked) {
        const int32_t env_id = ids[*marked];
        MEGA_TRY(vector_check_free(vector, env_id));
        mega_member *member = &vector->members[env_id];
        if (!member->started) {
            return mega_fail(MEGA_ERROR_ORDER, "environment %d was never reset; call mega_vector_reset first",
                             env_id);
        }
        member->queued = 1;
    }
    return MEGA_OK;
}

mega_status cpu_vector_send(mega_cpu_vector *vector, const int32_t *env_ids, uint32_t count,
                            const int32_t *actions, const float *strengths) {
    MEGA_TRY(vector_ready(vector));
    if (env_ids == NULL && count != vector->batch) {
        return mega_fail(MEGA_ERROR_ARGUMENT, "%u actions for a batch of %u environments", count,
                         vector->batch);
    }
    const int32_t *ids = env_ids != NULL ? env_ids : vector->last_ids;
    uint32_t marked = 0;
    mega_status status = mark_queued(vector, ids, count, &marked);
    if (status == MEGA_OK) {
        status = vector_set_steps(vector, ids, 0, count, actions, strengths);
    }
    if (status != MEGA_OK) {
        while (marked > 0) {
            vector->members[ids[--marked]].queued = 0;
        }
        return status;
    }
    vector_enqueue(vector, ids, count);
    return MEGA_OK;
}

bool vector_await(mega_cpu_vector *vector, uint32_t k, const mega_deadline *deadline, uint32_t *env_id) {
    for (;;) {
        const unsigned seen = gate_look(&vector->crew.done);
        if (ring_peek(&vector->results, k, env_id)) {
            return true;
        }
        const bool helped = vector_run_one(vector, 0);
        if (helped ? deadline_passed(deadline) : !gate_wait(&vector->crew.done, seen, deadline)) {
            return false;
        }
    }
}

mega_status cpu_vector_recv(mega_cpu_vector *vector, int32_t timeout_ms, const mega_vector_out *out) {
    MEGA_TRY(vector_ready(vector));
    if (vector->queued < vector->batch) {
        return mega_fail(MEGA_ERROR_ORDER, "a batch has %u results, and %u are outstanding", vector->batch,
                         vector->queued);
    }
    const mega_deadline deadline = deadline_in(timeout_ms);
    uint32_t env_id;
    // Rows are copied while other environments are still being played. A row has its place for good, so after
    // a timeout the next call finds the same ones.
    for (uint32_t k = 0; k < vector->batch; k++) {
        if (!vector_await(vector, k, &deadline, &env_id)) {
            return mega_fail(MEGA_ERROR_TIMEOUT, "%u of %u results came within %d ms", k, vector->batch,
                             timeout_ms);
        }
        vector_write_row(vector, env_id, out, vector->batch == vector->count ? env_id : k);
    }
    for (uint32_t k = 0; k < vector->batch; k++) {
        (void)ring_peek(&vector->results, k, &env_id);
        vector->members[env_id].queued = 0;
        vector->last_ids[vector->batch == vector->count ? env_id : k] = (int32_t)env_id;
    }
    for (uint32_t row = 0; row < vector->batch; row++) {
        vector_collect(vector, (uint32_t)vector->last_ids[row]);
    }
    ring_drop(&vector->results, vector->batch);
    vector->queued -= vector->batch;
    return vector_verdict(vector);
}
