// test_replay.c - replay memories against a model that keeps everything: what may be drawn and how often,
// what a sample is, priorities and importance; checkpoints; and what is refused.
#include "mega_test_replay.h"
#include "megacade.h"

#include <math.h>

enum {
    BATCH = 16
};

static mega_compute *cpu;
static mega_message message;

static mega_replay_desc small_desc(void) {
    const mega_replay_desc desc = {.envs = 5,
                                   .slots = 23,
                                   .stack = 4,
                                   .n_step = 3,
                                   .ahead = 3,
                                   .frame_size = 32,
                                   .discount = 0.9f,
                                   .alpha = 0.6f};
    return desc;
}

static int is_near(double a, double b) {
    return fabs(a - b) <= 1e-5 * (1 + fabs(b));
}

// ---- samples ----

// Counts what is wrong with sample i.
static uint32_t wrong_sample(const test_play *play, const mega_replay *replay, const mega_replay_batch *batch,
                             uint32_t i) {
    const uint32_t envs = play->desc.envs, env = (uint32_t)batch->cells[i] % envs;
    const int64_t step = test_step_of(play, replay, batch->cells[i]);
    if (step < 0) {
        return 1;
    }
    double sum = 0, factor = 1;
    uint64_t next = (uint64_t)step;
    uint8_t flags = 0;
    for (uint32_t k = 0; k < play->desc.n_step && !(flags & MEGA_STEP_CUT); k++, next++) {
        flags = play->flags[next * envs + env];
        sum += factor * (double)play->rewards[next * envs + env];
        factor *= (double)play->desc.discount;
    }
    const uint8_t *observation = batch->observations + i * play->stack_size;
    const uint8_t *next_observation = batch->next_observations + i * play->stack_size;
    uint32_t wrong = memcmp(observation, test_observation(play, (uint64_t)step, env), play->stack_size) != 0;
    wrong += memcmp(next_observation, test_observation(play, next, env), play->stack_size) != 0;
    wrong += batch->actions[i] != play->actions[(uint64_t)step * envs + env];
    wrong += !is_near((double)batch->returns[i], sum);
    wrong += !is_near((double)batch->discounts[i], flags & MEGA_STEP_TERMINAL ? 0 : factor);
    return wrong;
}

static void check_batch(const test_play *play, const mega_replay *replay, const mega_replay_batch *batch) {
    uint32_t wrong = 0;
    float most = 0.0f;
    for (uint32_t i = 0; i < batch->count; i++) {
        wrong += wrong_sample(play, replay, batch, i);
        wrong += !(batch->weights[i] > 0.0f && batch->weights[i] <= 1.0f);
        most = fmaxf(most, batch->weights[i]);
    }
    MEGA_CHECK_EQ(wrong, 0);
    MEGA_CHECK(most == 1.0f);
}

// ---- priorities ----

// What the leaves should be.
typedef struct model {
    float *priorities; // [cells]
    float most;
    int64_t end; // of the steps that have one
} model;

static void model_publish(model *m, const test_play *play, const mega_replay *replay) {
    const uint32_t envs = play->desc.envs, cells = play->desc.slots * envs;
    for (uint32_t cell = 0; cell < cells; cell++) {
        const int64_t step = test_step_of(play, replay, (int32_t)cell);
        m->priorities[cell] = step < 0 ? 0.0f : step >= m->end ? m->most : m->priorities[cell];
    }
    m->end = test_end_step(replay);
}

static double plain_priority(double error, double alpha) {
    return pow(fabs(error) + 1e-6, alpha);
}

// Random errors, some of which are no numbers, for a batch in which cells may be there twice.
static void change_priorities(model *m, const mega_replay *replay, const mega_replay_batch *batch,
                              uint64_t seed) {
    float errors[BATCH];
    for (uint32_t i = 0; i < BATCH; i++) {
        const uint32_t word = test_word(8, seed * BATCH + i);
        errors[i] = word % 13 == 0   ? NAN
                    : word % 13 == 1 ? -INFINITY
                                     : 4.0f * mega_philox_uniform(word) - 2.0f;
        bool is_last = isfinite(errors[i]);
        for (uint32_t k = i + 1; k < BATCH; k++) {
            is_last = is_last && batch->cells[k] != batch->cells[i];
        }
        if (is_last && m->priorities[batch->cells[i]] > 0.0f) {
            m->priorities[batch->cells[i]] =
                (float)plain_priority((double)errors[i], (double)replay->desc.alpha);
        }
    }
    // The last of the same cell counts, even if it is not finite.
    for (uint32_t i = 0; i < BATCH; i++) {
        m->most = fmaxf(m->most, m->priorities[batch->cells[i]]);
    }
    MEGA_CHECK_EQ(mega_replay_set_priorities(cpu, replay, batch, errors, &message), 0);
}

// The leaves are near the model's, which takes theirs over so that roundings do not add up; their sum is the
// total.
static void check_priorities(model *m, const mega_replay *replay) {
    const mega_sum_tree *tree = &replay->view.tree;
    double sum = 0;
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < tree->leaves; i++) {
        wrong += !is_near((double)tree->nodes[i], (double)m->priorities[i]);
        wrong += (tree->nodes[i] > 0.0f) != (m->priorities[i] > 0.0f);
        sum += (double)tree->nodes[i];
        m->priorities[i] = tree->nodes[i];
    }
    MEGA_CHECK_EQ(wrong, 0);
    MEGA_CHECK(is_near((double)tree_total(tree), sum));
    MEGA_CHECK(is_near((double)*replay->view.max_priority, (double)m->most));
    m->most = *replay->view.max_priority;
}

// ---- whole plays ----

typedef struct course {
    test_play play;
    mega_replay replay;
    mega_replay_batch batch;
    model model;
} course;

static course make_course(const mega_replay_desc *desc, uint32_t steps) {
    course c = {.play = test_play_make(cpu, desc, steps)};
    MEGA_CHECK_EQ(mega_replay_create(cpu, desc, &c.replay, &message), 0);
    MEGA_CHECK_EQ(mega_replay_batch_create(cpu, desc, BATCH, &c.batch, &message), 0);
    c.model.priorities = calloc((size_t)desc->slots * desc->envs, sizeof(float));
    c.model.most = 1.0f;
    return c;
}

static void free_course(course *c) {
    mega_replay_batch_destroy(cpu, &c->batch);
    mega_replay_destroy(cpu, &c->replay);
    test_play_free(cpu, &c->play);
    free(c->model.priorities);
}

static void publish(course *c) {
    MEGA_CHECK_EQ(mega_replay_publish(cpu, &c->replay, &message), 0);
    if (c->replay.desc.is_prioritised) {
        model_publish(&c->model, &c->play, &c->replay);
        check_priorities(&c->model, &c->replay);
    }
}

static void sample(course *c, uint64_t index) {
    MEGA_CHECK_EQ(mega_replay_sample(cpu, &c->replay, &c->batch, 5, index, 0.5f, &message), 0);
    check_batch(&c->play, &c->replay, &c->batch);
}

// Stores so many steps and publishes each.
static void play_on(course *c, uint32_t steps) {
    for (uint32_t i = 0; i < steps; i++) {
        MEGA_CHECK_EQ(test_play_store(cpu, &c->play, &c->replay, &message), 0);
        publish(c);
    }
}

// Steps are published at random times, and sampled from all the while; priorities change, also those of cells
// that have left in the meantime.
static void test_course(mega_replay_desc desc) {
    course c = make_course(&desc, 130);
    uint64_t index = 0;
    for (uint32_t step = 0; step < c.play.steps; step++) {
        MEGA_CHECK_EQ(test_play_store(cpu, &c.play, &c.replay, &message), 0);
        if (mega_replay_steps(&c.replay) > 0) {
            sample(&c, index++);
        }
        if (c.replay.stored - c.replay.published == desc.ahead || test_chance(9, step, 0.4f)) {
            publish(&c);
        }
        if (desc.is_prioritised && index > 0) {
            change_priorities(&c.model, &c.replay, &c.batch, step);
            check_priorities(&c.model, &c.replay);
        }
    }
    MEGA_CHECK(index > 90);
    free_course(&c);
}

static void test_courses(void) {
    static const uint32_t n_steps[] = {1, 3, 5};
    for (uint32_t i = 0; i < 12; i++) {
        mega_replay_desc desc = small_desc();
        desc.n_step = n_steps[i % 3];
        desc.is_prioritised = i % 2 != 0;
        desc.envs = i % 4 < 2 ? 5 : 17;
        desc.ahead = 1 + i % 4;
        desc.stack = i < 9 ? 4 : 1;
        desc.frame_size = i % 5 == 4 ? 7 : 32;
        desc.frames_on_host = i % 3 == 1;
        test_course(desc);
    }
    mega_replay_desc least = small_desc();
    least.slots = least.stack + least.n_step + least.ahead + 1;
    test_course(least);
    least.is_prioritised = true;
    test_course(least);
}

// ---- how often ----

static uint32_t drawable_cells(const course *c) {
    uint32_t count = 0;
    for (uint32_t cell = 0; cell < c->replay.desc.slots * c->replay.desc.envs; cell++) {
        count += test_step_of(&c->play, &c->replay, (int32_t)cell) >= 0;
    }
    return count;
}

// Chi-square of `draws` batches: cells come in proportion to `shares`. Its mean is cells - 1.
static double chi_square(course *c, uint32_t draws, const double *shares, double total) {
    const uint32_t cells = c->replay.desc.slots * c->replay.desc.envs;
    uint32_t *counts = calloc(cells, sizeof *counts);
    for (uint32_t k = 0; k < draws; k++) {
        MEGA_CHECK_EQ(mega_replay_sample(cpu, &c->replay, &c->batch, 6, k, 0.5f, &message), 0);
        for (uint32_t i = 0; i < BATCH; i++) {
            counts[c->batch.cells[i]]++;
        }
    }
    double sum = 0;
    for (uint32_t cell = 0; cell < cells; cell++) {
        const double expected = shares[cell] / total * draws * BATCH, off = counts[cell] - expected;
        MEGA_CHECK(expected > 0 || counts[cell] == 0);
        sum += expected > 0 ? off * off / expected : 0;
    }
    free(counts);
    return sum;
}

static void test_uniform(void) {
    const mega_replay_desc desc = small_desc();
    course c = make_course(&desc, 80);
    play_on(&c, 70);
    const uint32_t drawable = drawable_cells(&c), cells = desc.slots * desc.envs;
    double *shares = calloc(cells, sizeof *shares);
    for (uint32_t cell = 0; cell < cells; cell++) {
        shares[cell] = test_step_of(&c.play, &c.replay, (int32_t)cell) >= 0 ? 1 : 0;
    }
    MEGA_CHECK(drawable > 40 && drawable < mega_replay_capacity(&desc));
    const double chi = chi_square(&c, 4000, shares, drawable);
    MEGA_CHECK(chi < drawable + 5 * sqrt(2.0 * drawable) && chi > drawable - 5 * sqrt(2.0 * drawable));
    free(shares);
    free_course(&c);
}

// Priorities of all cells by errors of their own.
static void spread_priorities(course *c, double *shares, double *total) {
    const uint32_t cells = c->replay.desc.slots * c->replay.desc.envs;
    *total = 0;
    for (uint32_t cell = 0; cell < cells; cell++) {
        float errors[BATCH];
        const float error = 0.1f + 3.0f * mega_philox_uniform(test_word(10, cell));
        for (uint32_t i = 0; i < BATCH; i++) {
            c->batch.cells[i] = (int32_t)cell;
            errors[i] = i + 1 < BATCH ? NAN : -error;
        }
        MEGA_CHECK_EQ(mega_replay_set_priorities(cpu, &c->replay, &c->batch, errors, &message), 0);
        const int is_drawable = test_step_of(&c->play, &c->replay, (int32_t)cell) >= 0;
        shares[cell] = is_drawable ? plain_priority((double)error, (double)c->replay.desc.alpha) : 0;
        *total += shares[cell];
    }
    MEGA_CHECK(is_near((double)tree_total(&c->replay.view.tree), *total));
}

static void check_weights(course *c, const double *shares, double total, double beta) {
    MEGA_CHECK_EQ(mega_replay_sample(cpu, &c->replay, &c->batch, 6, 1, (float)beta, &message), 0);
    double weights[BATCH], most = 0;
    const double count =
        (double)(test_end_step(&c->replay) - test_first_step(&c->replay)) * c->replay.desc.envs;
    for (uint32_t i = 0; i < BATCH; i++) {
        weights[i] = pow(count * shares[c->batch.cells[i]] / total, -beta);
        most = fmax(most, weights[i]);
    }
    for (uint32_t i = 0; i < BATCH; i++) {
        MEGA_CHECK(is_near((double)c->batch.weights[i], weights[i] / most));
    }
}

static void test_prioritised(void) {
    mega_replay_desc desc = small_desc();
    desc.is_prioritised = true;
    course c = make_course(&desc, 80);
    play_on(&c, 70);
    double *shares = calloc((size_t)desc.slots * desc.envs, sizeof *shares), total = 0;
    spread_priorities(&c, shares, &total);
    const uint32_t drawable = drawable_cells(&c);
    // Parts of the total are drawn one by one, which makes for less chance than free draws have.
    MEGA_CHECK(chi_square(&c, 4000, shares, total) < drawable + 5 * sqrt(2.0 * drawable));
    check_weights(&c, shares, total, 0.4);
    check_weights(&c, shares, total, 1.0);
    check_weights(&c, shares, total, 0.0);
    free(shares);
    free_course(&c);
}

// ---- laws ----

static void check_same_batch(const mega_replay_desc *desc, const mega_replay_batch *a,
                             const mega_replay_batch *b) {
    const size_t pixels = a->count * desc->stack * desc->frame_size;
    MEGA_CHECK_BYTES(a->cells, b->cells, a->count * sizeof *a->cells);
    MEGA_CHECK_BYTES(a->observations, b->observations, pixels);
    MEGA_CHECK_BYTES(a->next_observations, b->next_observations, pixels);
    MEGA_CHECK_BYTES(a->actions, b->actions, a->count * sizeof *a->actions);
    MEGA_CHECK_BYTES(a->returns, b->returns, a->count * sizeof *a->returns);
    MEGA_CHECK_BYTES(a->discounts, b->discounts, a->count * sizeof *a->discounts);
    MEGA_CHECK_BYTES(a->weights, b->weights, a->count * sizeof *a->weights);
}

// Saved and restored, a memory goes on as the one that it was; and the same draw is the same twice.
static void test_restore(bool is_prioritised, uint32_t saved_at) {
    mega_replay_desc desc = small_desc();
    desc.is_prioritised = is_prioritised;
    course a = make_course(&desc, 130), b = make_course(&desc, 130);
    play_on(&a, saved_at);
    sample(&a, 0);
    change_priorities(&a.model, &a.replay, &a.batch, 1);
    mega_replay_part from[MEGA_REPLAY_PARTS], to[MEGA_REPLAY_PARTS];
    mega_replay_restore(&b.replay, a.replay.stored);
    const uint32_t parts = mega_replay_parts(&a.replay, from);
    MEGA_CHECK_EQ(mega_replay_parts(&b.replay, to), parts);
    for (uint32_t i = 0; i < parts; i++) {
        MEGA_CHECK(strcmp(from[i].name, to[i].name) == 0 && from[i].step_size == to[i].step_size);
        memcpy(to[i].memory, from[i].memory, mega_replay_filled(&a.replay) * from[i].step_size);
    }
    if (is_prioritised) {
        *b.replay.view.max_priority = *a.replay.view.max_priority;
    }
    MEGA_CHECK_EQ(mega_replay_rebuild(cpu, &b.replay, &message), 0);
    for (uint32_t step = saved_at; step < a.play.steps; step++) {
        MEGA_CHECK_EQ(mega_replay_sample(cpu, &a.replay, &a.batch, 5, step, 0.5f, &message), 0);
        MEGA_CHECK_EQ(mega_replay_sample(cpu, &b.replay, &b.batch, 5, step, 0.5f, &message), 0);
        check_same_batch(&desc, &a.batch, &b.batch);
        MEGA_CHECK_EQ(test_play_store(cpu, &a.play, &a.replay, &message), 0);
        MEGA_CHECK_EQ(test_play_store(cpu, &b.play, &b.replay, &message), 0);
        MEGA_CHECK_EQ(mega_replay_publish(cpu, &a.replay, &message), 0);
        MEGA_CHECK_EQ(mega_replay_publish(cpu, &b.replay, &message), 0);
    }
    MEGA_CHECK_EQ(mega_replay_sample(cpu, &b.replay, &b.batch, 5, 0, 0.5f, &message), 0);
    MEGA_CHECK(memcmp(a.batch.cells, b.batch.cells, BATCH * sizeof *a.batch.cells) != 0);
    free_course(&a);
    free_course(&b);
}

// Where nearly all steps are resets, a draw walks on to one that is not.
static void test_few(void) {
    mega_replay_desc desc = small_desc();
    desc.envs = 50;
    course c = make_course(&desc, 20);
    memset(c.play.flags, MEGA_STEP_VOID | MEGA_STEP_CUT, (size_t)c.play.steps * desc.envs);
    c.play.flags[10 * desc.envs + 7] = 0;
    for (uint32_t step = 0; step < c.play.steps; step++) {
        MEGA_CHECK_EQ(test_play_store(cpu, &c.play, &c.replay, &message), 0);
        MEGA_CHECK_EQ(mega_replay_publish(cpu, &c.replay, &message), 0);
    }
    MEGA_CHECK_EQ(mega_replay_sample(cpu, &c.replay, &c.batch, 5, 0, 0.5f, &message), 0);
    for (uint32_t i = 0; i < BATCH; i++) {
        MEGA_CHECK_EQ(c.batch.cells[i], 10 * desc.envs + 7);
        MEGA_CHECK(c.batch.weights[i] == 1.0f);
    }
    free_course(&c);
}

// ---- environments ----

// Plays the built-in game, with lost lives and episodes of 30 steps, in the place of the made-up play.
static void record_play(test_play *play, mega_vector *vector) {
    const size_t envs = play->desc.envs;
    uint32_t choices = 0;
    (void)mega_vector_actions(vector, &choices);
    int32_t *rewards = calloc(envs, sizeof *rewards);
    uint8_t *ends = calloc(envs, 4), *over = ends + envs, *terminations = ends + 2 * envs,
            *truncations = ends + 3 * envs;
    mega_vector_out out = {.observations = play->observations};
    MEGA_CHECK_EQ(mega_vector_reset(vector, NULL, NULL, &out), MEGA_OK);
    out.rewards = rewards;
    out.terminations = terminations;
    out.truncations = truncations;
    out.episode_ends = ends;
    for (uint32_t step = 0; step + 1 < play->steps; step++) {
        const size_t cell = step * envs;
        for (size_t e = 0; e < envs; e++) {
            play->actions[cell + e] = (int32_t)mega_philox_below(test_word(11, cell + e), choices);
        }
        out.observations = test_observation(play, step + 1, 0);
        MEGA_CHECK_EQ(mega_vector_step(vector, play->actions + cell, NULL, &out), MEGA_OK);
        for (size_t e = 0; e < envs; e++) {
            play->rewards[cell + e] = (float)rewards[e];
            play->flags[cell + e] = step_flags(terminations[e], truncations[e], over[e]);
            over[e] = ends[e];
        }
    }
    free(rewards);
    free(ends);
}

// Stacks that are rebuilt are what environments showed, from the first observation of an episode on.
static void test_environments(void) {
    mega_replay_desc desc = small_desc();
    desc.frame_size = 28 * 20;
    mega_rom *rom = NULL;
    mega_vector *vector = NULL;
    MEGA_CHECK_EQ(mega_rom_builtin(&rom), MEGA_OK);
    const mega_rom *const roms[] = {rom};
    mega_vector_desc wanted = {.struct_size = sizeof wanted, .count = desc.envs, .threads = 1};
    wanted.roms = roms;
    wanted.rom_count = 1;
    wanted.task.struct_size = sizeof wanted.task;
    wanted.task.height = 28;
    wanted.task.width = 20;
    wanted.task.max_episode_frames = 120;
    wanted.task.life_loss_info = 1;
    MEGA_CHECK_EQ(mega_vector_create(&wanted, &vector), MEGA_OK);
    course c = make_course(&desc, 151);
    record_play(&c.play, vector);
    uint32_t resets = 0;
    for (uint32_t step = 0; step + 1 < c.play.steps; step++) {
        resets += (c.play.flags[step * desc.envs] & MEGA_STEP_VOID) != 0;
        MEGA_CHECK_EQ(test_play_store(cpu, &c.play, &c.replay, &message), 0);
        publish(&c);
        if (mega_replay_steps(&c.replay) > 0) {
            sample(&c, step);
        }
    }
    MEGA_CHECK(resets >= 4);
    free_course(&c);
    mega_vector_destroy(vector);
    mega_rom_destroy(rom);
}

// ---- sizes, and what is refused ----

static void test_sizes(void) {
    mega_replay_desc desc = {.envs = 8, .stack = 4, .n_step = 3, .ahead = 4, .frame_size = 84 * 84};
    desc.slots = mega_replay_slots(&desc, 1000000);
    MEGA_CHECK_EQ(mega_replay_capacity(&desc), 1000000);
    MEGA_CHECK(mega_replay_size(&desc) > 1000000ull * 84 * 84 && mega_replay_size(&desc) < 7100ull << 20);
    const uint64_t plain = mega_replay_size(&desc);
    desc.is_prioritised = true;
    MEGA_CHECK(mega_replay_size(&desc) > plain + 4000000 && mega_replay_size(&desc) < plain + 5000000);
    desc.slots = mega_replay_slots(&desc, 1);
    MEGA_CHECK_EQ(desc.slots, 4 + 3 + 4 + 1);
    MEGA_CHECK_EQ(mega_replay_slots(&desc, UINT64_MAX / 2), UINT32_MAX);
}

static void check_refused(mega_replay_desc desc, const char *why) {
    mega_replay replay;
    MEGA_CHECK_EQ(mega_replay_create(cpu, &desc, &replay, &message), -1);
    mega_test_check(strstr(message.text, why) != NULL, message.text, __FILE__, __LINE__);
    mega_replay_destroy(cpu, &replay);
}

static void test_refused(void) {
    mega_replay_desc desc = small_desc();
    desc.slots = desc.stack + desc.n_step + desc.ahead;
    check_refused(desc, "make `replay` more than 50");
    desc = small_desc();
    desc.frame_size = (size_t)1 << 50;
    check_refused(desc, "make `replay` at most 0");
    desc = small_desc();
    desc.frame_size = 84 * 84;
    desc.slots = mega_replay_slots(&desc, 200000000);
    check_refused(desc, "make `replay` at most");
    desc.frames_on_host = true;
    check_refused(desc, "the host has");
    desc.slots = UINT32_MAX;
    check_refused(desc, "too large");
    desc = small_desc();
    desc.stack = 256;
    check_refused(desc, "cannot be made");
}

static void test_misuse(void) {
    const mega_replay_desc desc = small_desc();
    course c = make_course(&desc, 20);
    mega_rollout other;
    MEGA_CHECK_EQ(mega_rollout_create(cpu, 2, desc.envs, 33, &other, &message), 0);
    MEGA_CHECK_EQ(mega_replay_store(cpu, &c.replay, &other, 0, &message), -1);
    mega_rollout_destroy(cpu, &other);
    play_on(&c, desc.stack - 1 + desc.n_step);
    MEGA_CHECK_EQ(mega_replay_sample(cpu, &c.replay, &c.batch, 5, 0, 0.5f, &message), -1);
    play_on(&c, 1);
    sample(&c, 0);
    for (uint32_t i = 0; i < desc.ahead; i++) {
        MEGA_CHECK_EQ(test_play_store(cpu, &c.play, &c.replay, &message), 0);
    }
    MEGA_CHECK_EQ(test_play_store(cpu, &c.play, &c.replay, &message), -1);
    MEGA_CHECK(strstr(message.text, "publish first") != NULL);
    free_course(&c);
}

int main(void) {
    MEGA_CHECK_EQ(mega_compute_cpu(1, true, &cpu, &message), 0);
    test_courses();
    test_uniform();
    test_prioritised();
    test_restore(false, 12);
    test_restore(true, 12);
    test_restore(true, 60);
    test_few();
    test_environments();
    test_sizes();
    test_refused();
    test_misuse();
    mega_compute_destroy(cpu);
    return mega_test_result();
}
