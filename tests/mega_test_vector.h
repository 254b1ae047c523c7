// mega_test_vector.h - what a vector must be: as many tasks, each reset when its episode is over. The model
// plays one environment at a time; a vector's rows are compared with it as they come.
#ifndef MEGA_TEST_VECTOR_H
#define MEGA_TEST_VECTOR_H
#include <stdbool.h>
#include <stdlib.h>

#include "mega_test.h"
#include "mega_test_machine.h"
#include "megacade.h"

#define TEST_MEMBERS_MAX 16

typedef struct test_member {
    mega_task *task;
    mega_task_result result;
    uint8_t *observation, *final;
    uint8_t sets[MEGA_ACTION_COUNT]; // its task's action set
    uint32_t steps;                  // since the last seeded reset; actions are drawn from it
    uint8_t over, ended, has_final;
    uint64_t episodes;
    int64_t score; // of the running episode, when rewards are not clipped
    int64_t score_sum;
} test_member;

typedef struct test_model {
    mega_vector_desc desc;
    uint32_t mixed; // 1: actions are numbers instead of indices
    size_t size;    // of an observation
    test_member members[TEST_MEMBERS_MAX];
} test_model;

// ---- the model -----------------------------------------------------------------------------------------

static inline void model_open(test_model *model, const mega_vector_desc *desc) {
    memset(model, 0, sizeof *model);
    model->desc = *desc;
    for (uint32_t i = 0; i < desc->count; i++) {
        test_member *member = &model->members[i];
        const mega_rom *rom = desc->roms[desc->rom_count == 1 ? 0 : i];
        model->mixed |= rom != desc->roms[0];
        MEGA_CHECK_EQ(mega_task_create(&desc->task, rom, &member->task), MEGA_OK);
        model->size = mega_task_observation_size(member->task);
        member->observation = calloc(2, model->size);
        member->final = member->observation + model->size;
        const mega_game_info *game = mega_game_get_info(mega_rom_get_info(rom)->game);
        const uint32_t set = desc->task.full_actions ? game->legal_actions : game->minimal_actions;
        for (uint32_t action = 0, at = 0; action < MEGA_ACTION_COUNT; action++) {
            if ((set >> action & 1u) != 0) {
                member->sets[at++] = (uint8_t)action;
            }
        }
    }
}

static inline void model_close(test_model *model) {
    for (uint32_t i = 0; i < model->desc.count; i++) {
        mega_task_destroy(model->members[i].task);
        free(model->members[i].observation);
    }
}

static inline void model_reset(test_model *model, uint32_t i, int32_t seed) {
    test_member *member = &model->members[i];
    MEGA_CHECK_EQ(mega_task_reset(member->task, seed, member->observation, model->size, &member->result),
                  MEGA_OK);
    member->over = member->ended = member->has_final = 0;
    member->score = 0;
    member->steps = seed >= 0 ? 0 : member->steps;
}

// The action of the next step: an index into the task's set, by environment and step alone.
static inline uint32_t model_choice(const test_model *model, uint32_t i) {
    test_random random = {1000u * i + model->members[i].steps};
    return test_below(&random, mega_task_action_count(model->members[i].task));
}
// The same as the vector wants it.
static inline int32_t model_action(const test_model *model, uint32_t i) {
    const uint32_t choice = model_choice(model, i);
    return (int32_t)(model->mixed ? model->members[i].sets[choice] : choice);
}

// With MEGA_AUTORESET_OFF: nothing happened, and the last picture is there once more.
static inline void model_stand_still(test_model *model, uint32_t i) {
    test_member *member = &model->members[i];
    const size_t frame = model->size / (model->desc.task.stack != 0 ? model->desc.task.stack : 4);
    memmove(member->observation, member->observation + frame, model->size - frame);
    member->result.reward = 0;
    member->result.terminated = member->result.truncated = member->ended = 0;
}

// As a vector's restart.
static inline void model_restart(test_model *model, uint32_t i) {
    test_member *member = &model->members[i];
    if (member->over) {
        model_reset(model, i, -1);
    }
    member->result.reward = 0;
    member->result.terminated = member->result.truncated = member->ended = 0;
}

static inline void model_step(test_model *model, uint32_t i) {
    test_member *member = &model->members[i];
    const uint32_t choice = model_choice(model, i);
    member->steps++;
    if (member->over && model->desc.autoreset == MEGA_AUTORESET_OFF) {
        model_stand_still(model, i);
        return;
    }
    if (member->over) {
        model_reset(model, i, -1);
        return;
    }
    member->ended = member->has_final = 0;
    MEGA_CHECK_EQ(
        mega_task_step(member->task, choice, 1.0f, member->observation, model->size, &member->result),
        MEGA_OK);
    member->score += member->result.reward;
    if (!member->result.episode_over) {
        return;
    }
    member->episodes++;
    member->score_sum += member->score;
    if (model->desc.autoreset != MEGA_AUTORESET_SAME_STEP) {
        member->over = member->ended = 1;
        return;
    }
    const mega_task_result last = member->result;
    memcpy(member->final, member->observation, model->size);
    model_reset(model, i, -1);
    member->result.reward = last.reward;
    member->result.terminated = last.terminated;
    member->result.truncated = last.truncated;
    member->ended = member->has_final = 1;
}

// ---- rows ----------------------------------------------------------------------------------------------

// Arrays for all that a vector reports.
typedef struct test_rows {
    mega_vector_out out;
    uint8_t *bytes;
    int32_t numbers[5][TEST_MEMBERS_MAX];
    uint8_t flags[3][TEST_MEMBERS_MAX];
} test_rows;

static inline void rows_open(test_rows *rows, const mega_vector *vector) {
    memset(rows, 0, sizeof *rows);
    const size_t size = mega_vector_observation_size(vector) * mega_vector_count(vector);
    rows->bytes = calloc(2, size + 1);
    rows->out.observations = rows->bytes;
    rows->out.final_observations = rows->bytes + size;
    rows->out.rewards = rows->numbers[0];
    rows->out.env_ids = rows->numbers[1];
    rows->out.lives = rows->numbers[2];
    rows->out.frame_numbers = rows->numbers[3];
    rows->out.episode_frame_numbers = rows->numbers[4];
    rows->out.terminations = rows->flags[0];
    rows->out.truncations = rows->flags[1];
    rows->out.episode_ends = rows->flags[2];
}

static inline void rows_close(test_rows *rows) {
    free(rows->bytes);
}

// A row is what the model's environment of that id shows.
static inline void rows_check(const test_rows *rows, uint32_t row, const test_model *model, uint32_t i) {
    const test_member *member = &model->members[i];
    const mega_vector_out *out = &rows->out;
    MEGA_CHECK_EQ(out->env_ids[row], i);
    MEGA_CHECK_EQ(out->rewards[row], member->result.reward);
    MEGA_CHECK_EQ(out->terminations[row], member->result.terminated);
    MEGA_CHECK_EQ(out->truncations[row], member->result.truncated);
    MEGA_CHECK_EQ(out->episode_ends[row], member->ended);
    MEGA_CHECK_EQ(out->lives[row], member->result.lives);
    MEGA_CHECK_EQ(out->frame_numbers[row], member->result.frame_number);
    MEGA_CHECK_EQ(out->episode_frame_numbers[row], member->result.episode_frame_number);
    MEGA_CHECK_BYTES(out->observations + row * model->size, member->observation, model->size);
    if (member->has_final) {
        MEGA_CHECK_BYTES(out->final_observations + row * model->size, member->final, model->size);
    }
}

#endif
