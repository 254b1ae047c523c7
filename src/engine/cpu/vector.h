// vector.h - a vector of environments and what its parts tell each other. Host code.
//
//     vector_create.c  description, memory, threads    vector_play.c   what a thread does with an environment
//     vector_step.c    reset, step, groups             vector_async.c  send, recv
//     vector_state.c   save, restore, copy             vector_look.c   views, screens, statistics
//     vector_starts.c  start states that resets copy
//
// Whose is what: between round_take or ring_take and round_finish or ring_add a member belongs to the thread
// that took it; at all other times to the caller.
#ifndef VECTOR_H
#define VECTOR_H
#include "crew.h"
#include "vector_engine.h"
#include "vector_games.h"
#include "work.h"

enum {
    MEGA_JOB_REPORT, // show the last result once more
    MEGA_JOB_RESET,
    MEGA_JOB_RESTART, // if its episode has ended
    MEGA_JOB_STEP
};

typedef struct mega_job {
    uint8_t kind;   // MEGA_JOB_*
    uint8_t action; // its number
    int32_t seed;   // of a reset; negative to go on
    float strength;
} mega_job;

typedef struct mega_outcome {
    int32_t reward;
    uint8_t terminated, truncated;
    uint8_t ended;     // 1: an episode ended, and `statistics.last` tells of it
    uint8_t has_final; // 1: its last observation was kept
    mega_status status;
} mega_outcome;

// One environment of a vector.
typedef struct mega_member {
    _Alignas(64) mega_lane lane;
    mega_job job;
    mega_outcome outcome;
    uint8_t powered; // 1: the console has been switched on
    uint8_t over;    // 1: the episode has ended, and no other one has begun
    uint8_t started; // 1: a reset has been asked for, or a state restored
    uint8_t queued;  // 1: sent and not yet received
    uint32_t start_pool;
    mega_episode running;
    mega_vector_statistics statistics;
} mega_member;

// A group of environments with the round that steps them.
typedef struct mega_group {
    mega_round round;
    bool running;               // between group_send and group_recv
    bool direct;                // threads write their rows to `out` themselves
    const mega_vector_out *out; // NULL: nothing is wanted
} mega_group;

struct mega_cpu_vector {
    mega_vector base;
    mega_crew crew;
    mega_ring jobs, results;
    uint32_t count, batch, autoreset, seed;
    uint32_t hands; // threads, with the caller's
    mega_vector_games games;

    mega_member *members; // [count]
    mega_group *groups;   // [group_count]
    uint32_t group_count;
    mega_scratch **scratch; // one for each hand of the crew
    uint8_t *observations;  // [count][observation_size]
    uint8_t *finals;        // likewise, with MEGA_AUTORESET_SAME_STEP
    uint8_t *pooled;        // [count][screen_stride]
    uint8_t *stores;        // [count][store_stride]: parked pictures
    size_t screen_stride, store_stride;
    mega_range *ranges; // [group_count][hands]
    atomic_uint *slots; // of both rings
    uint8_t *state;     // one saved state, for copies
    uint8_t *starts;    // [start_pool_count][start_count]: saved states, of the largest one's size each
    uint32_t start_count, start_pool_count;

    // The caller's own.
    int32_t *last_ids; // [batch] of the last batch, for send without ids
    uint32_t queued;   // members that are queued
    uint32_t unstarted;
    int32_t failed; // the environment that made the last call fail, or -1
    mega_vector_statistics total;
    mega_episode *episodes; // ring of episode_capacity
    uint32_t episode_capacity, episode_count;
    uint64_t episode_next;
};

// ---- vector_create.c

// Makes an environment that was never reset.
mega_status vector_open_member(mega_cpu_vector *vector, const mega_vector_desc *desc, uint32_t i);

// ---- vector_play.c

// The crew's run_one.
bool vector_run_one(void *vector, uint32_t hand);
// Takes one environment of this group and plays it; false if none is left.
bool vector_run_group(mega_cpu_vector *vector, mega_group *group, uint32_t hand);
// Writes what environment `env_id` last showed to a row of `out`.
void vector_write_row(const mega_cpu_vector *vector, uint32_t env_id, const mega_vector_out *out,
                      uint32_t row);

// ---- vector_step.c

// In a child process the threads are started again, unless there was work that is now lost.
mega_status vector_ready(mega_cpu_vector *vector);
mega_status vector_check_idle(const mega_cpu_vector *vector);
// There is such an environment, and its work is not outstanding.
mega_status vector_check_free(const mega_cpu_vector *vector, int32_t env_id);
// Sets the jobs of `count` steps: of the environments `ids`, or of those from `first` on. Either all or none.
mega_status vector_set_steps(mega_cpu_vector *vector, const int32_t *ids, uint32_t first, uint32_t count,
                             const int32_t *actions, const float *strengths);
// Notes the end of an episode and a failure of an environment whose work is done.
void vector_collect(mega_cpu_vector *vector, uint32_t env_id);
// MEGA_OK, or what vector_collect found.
mega_status vector_verdict(const mega_cpu_vector *vector);
// Waits for everything outstanding and forgets its results.
void vector_discard(mega_cpu_vector *vector);

// ---- vector_async.c

// Sends the job that each of these environments holds; NULL is all of them.
void vector_enqueue(mega_cpu_vector *vector, const int32_t *ids, uint32_t count);
// Helps, then waits, until the k-th result is there. False when the time was up.
bool vector_await(mega_cpu_vector *vector, uint32_t k, const mega_deadline *deadline, uint32_t *env_id);

// ---- vector_state.c

// Writes the state of an environment: at most state_largest() bytes.
void vector_save_member(mega_cpu_vector *vector, uint32_t env_id, uint8_t *to);
// Puts a state that was checked into an environment whose lane is bound.
void vector_restore_bound(mega_member *member, const uint8_t *from);

// ---- vector_starts.c

// Makes the start states, with the members as they are before their first reset, and leaves them so.
mega_status vector_make_starts(mega_cpu_vector *vector, const mega_vector_desc *desc);
// Starts an episode in an environment whose lane is bound.
void vector_copy_start(const mega_cpu_vector *vector, mega_member *member);

#endif
