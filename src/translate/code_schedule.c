// code_schedule.c - see code_schedule.h.
#include "code_schedule.h"

#include <stdlib.h>
#include <string.h>

#include "status.h"

// Machine instructions of a vote, and of an instruction of the program: what they are on an H200, roughly.
#define VOTE_COST 25u
#define STEP_COST 4u

mega_status code_frames_make(code_frames *out) {
    memset(out, 0, sizeof(*out));
    out->step = calloc((size_t)CODE_LANES * CODE_STEPS, sizeof(*out->step));
    return out->step != NULL ? MEGA_OK
                             : mega_fail_memory((size_t)CODE_LANES * CODE_STEPS * sizeof(*out->step));
}

void code_frames_release(code_frames *frames) {
    free(frames->step);
    memset(frames, 0, sizeof(*frames));
}

void code_frames_begin(code_frames *frames) {
    const uint32_t draw = (frames->seen * 0x9E3779B9u >> 8) % (frames->seen + 1u);
    frames->lane = frames->seen < CODE_LANES ? frames->seen : draw < CODE_LANES ? draw : CODE_LANES;
    frames->seen++;
    if (frames->lane < CODE_LANES) {
        frames->count[frames->lane] = 0;
    }
}

void code_frames_add(code_frames *frames, uint32_t index, uint32_t cycle, uint32_t sp) {
    const uint32_t lane = frames->lane;
    if (lane < CODE_LANES && frames->count[lane] < CODE_STEPS) {
        frames->step[lane * CODE_STEPS + frames->count[lane]++] =
            (code_step){index, cycle & 0xFFFFFFu, sp & 0xFFu};
    }
}

// ---- blocks instead of instructions --------------------------------------------------------------------

typedef struct visit {
    uint32_t rank, cost;
    uint32_t cycle : 24, sp : 8;
} visit;

typedef struct lane_path {
    const visit *next, *end;
} lane_path;

// Loops that wait are jumped over, so a block that follows itself counts once.
static uint32_t find_visits(const code_map *map, const uint32_t *rank, const code_step *steps, uint32_t count,
                            visit *out) {
    uint32_t visits = 0;
    bool repeats = false;
    for (uint32_t i = 0; i < count; i++) {
        const code_step *step = &steps[i];
        if ((map->flags[step->index] & CODE_BLOCK) != 0) {
            repeats = visits != 0 && out[visits - 1u].rank == rank[step->index];
            if (!repeats) {
                out[visits++] = (visit){rank[step->index], VOTE_COST, step->cycle, step->sp};
            }
        }
        if (visits != 0 && !repeats) {
            out[visits - 1u].cost += STEP_COST;
        }
    }
    return visits;
}

// ---- a warp --------------------------------------------------------------------------------------------

static uint64_t key_of(const visit *visit, code_schedule schedule) {
    const uint64_t window = visit->cycle >> schedule.window, depth = schedule.depth != 0 ? visit->sp : 0u;
    return window << 40 | depth << 32 | visit->rank;
}

// What it costs to serve all lanes to the end of their frames.
static uint64_t play(const lane_path *paths, uint32_t count, code_schedule schedule) {
    lane_path lanes[CODE_LANES];
    uint64_t sum = 0;
    memcpy(lanes, paths, count * sizeof(*lanes));
    for (;;) {
        uint64_t lead = UINT64_MAX;
        uint32_t cost = 0;
        for (uint32_t i = 0; i < count; i++) {
            if (lanes[i].next != lanes[i].end) {
                const uint64_t key = key_of(lanes[i].next, schedule);
                lead = key < lead ? key : lead;
            }
        }
        if (lead == UINT64_MAX) {
            return sum;
        }
        for (uint32_t i = 0; i < count; i++) {
            if (lanes[i].next != lanes[i].end && lanes[i].next->rank == (uint32_t)lead) {
                cost = lanes[i].next->cost > cost ? lanes[i].next->cost : cost;
                lanes[i].next++;
            }
        }
        sum += cost;
    }
}

mega_status code_schedule_find(const code_map *map, const code_frames *frames, const uint32_t *rank,
                               code_schedule *out) {
    static const uint32_t windows[] = {CODE_NO_WINDOW, 12, 11, 10, 9, 8, 7};
    const uint32_t count = frames->seen < CODE_LANES ? frames->seen : CODE_LANES;
    visit *visits = calloc((size_t)CODE_LANES * CODE_STEPS, sizeof(*visits));
    lane_path paths[CODE_LANES];
    uint64_t least = UINT64_MAX;
    *out = (code_schedule){CODE_NO_WINDOW, 1};
    if (visits == NULL) {
        return mega_fail_memory((size_t)CODE_LANES * CODE_STEPS * sizeof(*visits));
    }
    for (uint32_t i = 0; i < count; i++) {
        const size_t at = (size_t)i * CODE_STEPS;
        paths[i].next = visits + at;
        paths[i].end = visits + at + find_visits(map, rank, frames->step + at, frames->count[i], visits + at);
    }
    for (uint32_t i = 0; i < sizeof(windows) / sizeof(windows[0]); i++) {
        for (uint32_t depth = 0; depth < 2; depth++) {
            const code_schedule schedule = {windows[i], 1u - depth};
            const uint64_t cost = play(paths, count, schedule);
            if (cost < least) {
                least = cost;
                *out = schedule;
            }
        }
    }
    free(visits);
    return MEGA_OK;
}
