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
    uint32_t over; // 1: the next step is a reset
} mega_cell;

// What a step came to.
typedef struct mega_result {
    int32_t reward, score;
    int32_t lives;
    uint8_t terminated, truncated, ended, jammed;
} mega_result;

// All of them: the argument of every kernel.
typedef struct mega_batch {
    uint32_t count;             // environments
    uint32_t lanes;             // a multiple of 32: warps are of one game, so some lanes have no environment
    const int32_t *env_of_lane; // -1: none
    const mega_course *courses;
    mega_cell *cells;
    mega_video *videos;
    uint8_t *pooled;  // [count][screen_size]
    uint8_t *earlier; // [count][screen_size]
    uint8_t *observations;
    uint8_t *cart_ram; // [count][cart_ram_size], for those that do not fit in the console
    uint32_t screen_size, observation_size, cart_ram_size;
    const int32_t *actions; // action numbers
    mega_result *results;
} mega_batch;

#endif
