// mega_cell.h - many environments in the memory of a device. Shared source: the host fills these structs.
#ifndef MEGA_CELL_H
#define MEGA_CELL_H
#include "mega_task_core.h"

// A game with its settings: what environments share and nobody changes.
typedef struct mega_course {
    mega_settings settings;
    mega_task_settings task;
    mega_cartridge cartridge;
    const uint8_t *image;
    const uint8_t *shades;
    const mega_resizer *resizer;
    uint8_t actions[24];
    uint32_t action_count;
    int32_t mode; // the game's default
    uint32_t console_seed;
    uint32_t memorable; // 1: most starts of episodes can be copied (mega_memo.h)
} mega_course;

// One environment between steps.
typedef struct mega_cell {
    mega_session session;
    mega_mt19937 random;
    mega_mt19937 console_random;
    uint32_t console_position;
    mega_task_state task;
    uint32_t sticky_action;
    float sticky_strength;
    mega_task_progress step; // the last one, for those who draw it
    uint32_t course;
    uint32_t over;   // 1: the next step is a reset
    uint32_t failed; // 1: the game's mode could not be selected
    uint32_t fresh;  // 1: an episode has just begun
    uint32_t power;  // 1: the next start is a power cycle with `seed`
    uint32_t seed;
    uint32_t forced; // 1: the next start was ordered, so no game goes on
    int32_t mode;    // in force from the first reset on
    uint32_t difficulty;
    uint32_t memo; // where the beginning of this episode was found + 1, or 0
} mega_cell;

// A finished or running episode: the bytes of a mega_episode.
typedef struct mega_ending {
    int64_t score;
    int32_t env_id;
    uint32_t steps, frames;
    uint8_t terminated, truncated, pad[2];
} mega_ending;

// The episodes of an environment: the bytes of a mega_vector_statistics, and the running one.
typedef struct mega_tally {
    uint64_t episodes;
    int64_t score_sum;
    uint64_t steps_sum, frames_sum;
    mega_ending last;
    mega_ending running;
} mega_tally;

// A finished episode on its way to the host.
typedef struct mega_notice {
    mega_ending ending;
    uint64_t step; // when it ended
} mega_notice;

// What a step came to.
typedef struct mega_result {
    int32_t reward, score;
    int32_t lives;
    uint8_t terminated, truncated, ended, jammed;
} mega_result;

// What the learner sees, by environment.
typedef struct mega_columns {
    int32_t *rewards, *lives, *frame_numbers, *episode_frame_numbers;
    uint8_t *terminations, *truncations, *episode_ends;
    uint8_t *final_observations; // NULL: nobody wants them
    const int32_t *indices;      // actions as the learner numbers them
} mega_columns;

// Environments that begin an episode: twice, in any order, and by game.
typedef struct mega_roster {
    uint32_t *count; // of `queue`
    int32_t *queue;
    uint32_t *count_of_course; // of the part of `lanes` that belongs to a course
    int32_t *lanes;
} mega_roster;

// Beginnings of episodes (mega_memo.h): `room` places for each course.
#define MEMO_PICTURES 64u                     // few beginnings need them
#define MEMO_PICTURE_SIZE (MEGA_WIDTH * 256u) // the highest screen has 256 lines
typedef struct mega_memo_entry mega_memo_entry;
typedef struct mega_memo {
    uint32_t *tags;  // 0: free
    uint32_t *known; // 1: the entry is complete
    mega_memo_entry *entries;
    uint32_t *counts;   // of episodes: those that were found, those that were played
    uint32_t *selects;  // by course: frames of acts in which resets select the mode
    uint32_t *pictured; // by course: pictures that are taken ...
    uint8_t *pictures;  // ... of MEMO_PICTURES, each of MEMO_PICTURE_SIZE bytes
    uint32_t room;      // 0: nothing is remembered
} mega_memo;

// All of them, or a group: the argument of every kernel.
typedef struct mega_batch {
    uint32_t count;             // environments
    uint32_t lanes;             // a multiple of 32: warps are of one game, so some lanes have no environment
    const int32_t *env_of_lane; // -1: none
    const mega_course *courses;
    mega_cell *cells;
    mega_video *videos;
    uint8_t *pooled; // [count][screen_size]
    uint8_t *observations;
    uint8_t *cart_ram; // [count][cart_ram_size], for those that do not fit in the console
    uint32_t screen_size, observation_size, cart_ram_size;
    const int32_t *actions; // action numbers
    mega_result *results;
    uint32_t first;     // the first environment of a group; its lanes are those of the group ...
    uint32_t from;      // ... or a part of them, and this is the number of the first
    uint32_t starts;    // 1: a program's mega_step brings those on the roster to the beginning of an episode
    uint32_t same_step; // 1: the step that ends an episode also resets
    uint64_t step;      // number of the step
    const float *strengths; // of the paddles' movement; NULL: 1
    uint32_t *draws;        // [count][draw_room]: of a console's random sequence
    uint32_t draw_room;
    uint32_t course_count;
    const uint32_t *first_lane; // by course; one more for the end
    const uint8_t *orders;      // of a reset: MEGA_ORDER_*
    const int32_t *seeds;       // likewise
    mega_roster roster;
    mega_columns columns;
    mega_memo memo;
    mega_tally *tallies;
    mega_notice *notices; // ring of notice_room
    uint32_t *notice_count;
    uint32_t notice_room;
    uint32_t *failed;           // the lowest environment that failed in this call
    unsigned long long *counts; // of mega_warp, where lanes count (MEGA_COUNT); or NULL
    uint8_t action_of_index[24];
    uint32_t index_count;
} mega_batch;

enum {
    MEGA_ORDER_NONE,
    MEGA_ORDER_RESET,
    MEGA_ORDER_POWER // and reset
};

#endif
