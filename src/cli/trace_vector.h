// trace_vector.h - the environments of a trace in a vector: many of them, or on a GPU.
//
// A vector plays as the reference's vector environment does, a trace as its interface: episodes begin with one reset,
// and an act plays all its frames. So each environment begins as a mega_env and moves into the vector, and acts are
// played frame by frame.
#ifndef TRACE_VECTOR_H
#define TRACE_VECTOR_H
#include "megacade.h"
#include "stream.h"

#include <stdbool.h>

// What a line of the trace shows of the first environment.
typedef struct trace_row {
    int32_t reward, lives;
    bool over, cut;
    uint32_t frame_number, episode_frame_number;
} trace_row;

typedef struct trace_vector {
    mega_vector *vector;
    mega_env *first;  // the first environment as it began ...
    mega_env *frames; // ... and with acts of one frame, to finish acts that the end of an episode cut short
    bool resets_act;  // a reset plays acts of the trace's frame skip: `first` does it
    trace_row row;    // the last one
    uint32_t count;   // environments
    uint32_t frame_skip;  // frames of an act
    uint32_t frames_max;  // of an episode; 0 means no limit
    uint32_t choices;     // actions to draw from
    mega_stream *streams; // the others draw actions of their own
    int32_t *indices;     // the actions of a step, by their indices
    int32_t *numbers;     // [4][count]: rewards, lives, frame numbers, those of the episode
    uint8_t *ends;        // [count]
    float *strengths;     // [count]
    uint8_t *mask;        // [count]: 1 for the first
} trace_vector;

// Makes the vector; count, frame_skip and frames_max are set. The environments have to be put into it next.
mega_status trace_vector_open(trace_vector *trace, const mega_vector_desc *desc, int64_t seed,
                              float strength);
void trace_vector_close(trace_vector *trace);

// When all are in: where the trace begins.
void trace_vector_begin(trace_vector *trace);
// Plays an act, or a reset, of the first environment; trace->row tells what came of it.
mega_status trace_vector_act(trace_vector *trace, uint32_t action, float strength);
mega_status trace_vector_reset(trace_vector *trace);

void trace_row_read(const mega_env *env, trace_row *row);

#endif
