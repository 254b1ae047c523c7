// trace_vector.c - see trace_vector.h.
#include "trace_vector.h"

#include <stdlib.h>

mega_status trace_vector_open(trace_vector *trace, const mega_vector_desc *desc, int64_t seed,
                              float strength) {
    const size_t count = desc->count;
    trace->count = desc->count;
    trace->streams = calloc(count, sizeof *trace->streams);
    trace->indices = calloc(count, sizeof *trace->indices);
    trace->numbers = calloc(4 * count, sizeof *trace->numbers);
    trace->ends = calloc(count, 1);
    trace->mask = calloc(count, 1);
    trace->strengths = calloc(count, sizeof *trace->strengths);
    if (trace->streams == NULL || trace->indices == NULL || trace->numbers == NULL || trace->ends == NULL ||
        trace->mask == NULL || trace->strengths == NULL) {
        return MEGA_ERROR_MEMORY;
    }
    trace->mask[0] = 1;
    for (size_t i = 0; i < count; i++) {
        trace->streams[i].state = (uint64_t)seed + i;
        trace->strengths[i] = strength;
    }
    const mega_status status = mega_vector_create(desc, &trace->vector);
    if (status == MEGA_OK) {
        (void)mega_vector_actions(trace->vector, &trace->choices);
    }
    return status;
}

void trace_vector_close(trace_vector *trace) {
    mega_vector_destroy(trace->vector);
    mega_env_destroy(trace->first);
    mega_env_destroy(trace->frames);
    free(trace->streams);
    free(trace->indices);
    free(trace->numbers);
    free(trace->ends);
    free(trace->mask);
    free(trace->strengths);
}

static mega_vector_out results(const trace_vector *trace) {
    const mega_vector_out out = {
        .rewards = trace->numbers,
        .lives = trace->numbers + trace->count,
        .frame_numbers = trace->numbers + 2 * (size_t)trace->count,
        .episode_frame_numbers = trace->numbers + 3 * (size_t)trace->count,
        .terminations = trace->ends,
    };
    return out;
}

static void read_row(trace_vector *trace, const mega_vector_out *out) {
    trace_row *row = &trace->row;
    row->reward = out->rewards[0];
    row->lives = out->lives[0];
    row->over = out->terminations[0] != 0;
    row->frame_number = (uint32_t)out->frame_numbers[0];
    row->episode_frame_number = (uint32_t)out->episode_frame_numbers[0];
    row->cut = trace->frames_max != 0 && row->episode_frame_number >= trace->frames_max;
}

void trace_row_read(const mega_env *env, trace_row *row) {
    row->lives = mega_env_lives(env);
    row->over = mega_env_terminal(env) != 0;
    row->cut = mega_env_truncated(env) != 0;
    row->frame_number = mega_env_frame_number(env);
    row->episode_frame_number = mega_env_episode_frame_number(env);
}

void trace_vector_begin(trace_vector *trace) {
    trace_row_read(trace->first, &trace->row);
    trace->resets_act = trace->frame_skip != 1 && trace->row.episode_frame_number != 0;
}

// What is illegal in the game does nothing, as does the first action.
static int32_t index_of(const trace_vector *trace, uint32_t action) {
    uint32_t count = 0;
    const uint8_t *const actions = mega_vector_actions(trace->vector, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (actions[i] == action) {
            return (int32_t)i;
        }
    }
    return 0;
}

// Frames of an act after the end of the episode are not played, but they draw from the generator.
static mega_status draw_rest(trace_vector *trace, uint32_t action, float strength, uint32_t left) {
    mega_status status = mega_vector_get_env(trace->vector, 0, trace->frames);
    for (; status == MEGA_OK && left > 0; left--) {
        int32_t reward;
        status = mega_env_act(trace->frames, action, strength, &reward);
    }
    return status == MEGA_OK ? mega_vector_set_env(trace->vector, 0, trace->frames) : status;
}

mega_status trace_vector_act(trace_vector *trace, uint32_t action, float strength) {
    const mega_vector_out out = results(trace);
    mega_status status = MEGA_OK;
    uint32_t sum = 0, left = trace->frame_skip; // the sum wraps as 32-bit rewards do
    for (uint32_t i = 1; i < trace->count; i++) {
        trace->indices[i] = (int32_t)mega_stream_below(&trace->streams[i], trace->choices);
    }
    trace->indices[0] = index_of(trace, action);
    for (; status == MEGA_OK && left > 0 && !trace->row.over && !trace->row.cut; left--) {
        status = mega_vector_step(trace->vector, trace->indices, trace->strengths, &out);
        read_row(trace, &out);
        sum += (uint32_t)trace->row.reward;
    }
    trace->row.reward = (int32_t)sum;
    return status == MEGA_OK && left > 0 ? draw_rest(trace, action, strength, left) : status;
}

static mega_status reset_outside(trace_vector *trace) {
    mega_status status = mega_vector_get_env(trace->vector, 0, trace->first);
    if (status == MEGA_OK) {
        status = mega_env_reset(trace->first);
    }
    trace_row_read(trace->first, &trace->row);
    return status == MEGA_OK ? mega_vector_set_env(trace->vector, 0, trace->first) : status;
}

mega_status trace_vector_reset(trace_vector *trace) {
    const mega_vector_out out = results(trace);
    if (trace->resets_act) {
        return reset_outside(trace);
    }
    const mega_status status = mega_vector_reset(trace->vector, trace->mask, NULL, &out);
    read_row(trace, &out);
    return status;
}
