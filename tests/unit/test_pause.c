// test_pause.c - resets in the pauses of a learner (resets = pause): what is played against tasks of its own, what counts
// against plain counts, losses against those of a batch without the samples that do not count.
#include "mega_returns.h"
#include "mega_test_trainer.h"
#include "trainer_parts.h"

enum {
    ENVS = 6,
    SLOTS = 5,
    ACTIONS = 3,
    SAMPLES = 40,
    ROUNDS = 12
};

static mega_message message;

static mega_train_settings pausing(uint32_t algo) {
    mega_train_settings settings = small_settings(algo);
    settings.resets = MEGA_RESETS_PAUSE;
    settings.lives = MEGA_LIVES_EPISODE; // ends at many times, not only all at once
    return settings;
}

// ---- what is played ----

typedef struct model {
    mega_task *task;
    uint8_t *observation;
    uint8_t over;
} model;

static mega_task_desc task_of(const mega_train_settings *s) {
    const mega_task_desc desc = {.struct_size = sizeof desc,
                                 .frame_skip = (uint32_t)s->frame_skip,
                                 .height = (uint32_t)s->height,
                                 .width = (uint32_t)s->width,
                                 .stack = (uint32_t)s->stack,
                                 .noop_max = (int32_t)s->noop_max,
                                 .max_episode_frames = (int32_t)s->max_episode_frames,
                                 .no_reward_clipping = !s->clip_rewards,
                                 .episodic_life = s->lives == MEGA_LIVES_EPISODE};
    return desc;
}

static void open_models(model *models, const mega_train_settings *settings, size_t size) {
    const mega_task_desc desc = task_of(settings);
    mega_rom *rom = NULL;
    MEGA_CHECK_EQ(mega_rom_builtin(&rom), MEGA_OK);
    for (uint32_t e = 0; e < ENVS; e++) {
        models[e].over = 0;
        models[e].observation = malloc(size);
        MEGA_CHECK_EQ(mega_task_create(&desc, rom, &models[e].task), MEGA_OK);
        MEGA_CHECK_EQ(mega_task_reset(models[e].task, settings->seed + e, models[e].observation, size, NULL),
                      MEGA_OK);
    }
    mega_rom_destroy(rom);
}

// A step of the model with the action of the rollout; false if it only waits.
static bool check_step(model *m, const mega_rollout *r, uint32_t slot, uint32_t e) {
    const size_t cell = (size_t)slot * r->envs + e, size = r->observation_size;
    mega_task_result result;
    if (m->over) {
        MEGA_CHECK_EQ(r->flags[cell], MEGA_STEP_VOID | MEGA_STEP_CUT);
        MEGA_CHECK(r->rewards[cell] == 0.0f);
        return false;
    }
    MEGA_CHECK_BYTES(mega_rollout_observations(r, slot, e), m->observation, size);
    MEGA_CHECK_EQ(mega_task_step(m->task, (uint32_t)r->actions[cell], 1.0f, m->observation, size, &result),
                  MEGA_OK);
    MEGA_CHECK(r->rewards[cell] == (float)result.reward);
    MEGA_CHECK_EQ(r->flags[cell], step_flags(result.terminated, result.truncated, 0));
    m->over = result.episode_over;
    // Whatever is played next, here the last observation of an episode is still seen.
    MEGA_CHECK_BYTES(mega_rollout_observations(r, (slot + 1) % r->slots, e), m->observation, size);
    return true;
}

// What the pause leaves: nothing is over, and a step that was cut just before it is void.
static uint32_t check_pause(model *m, const mega_rollout *r, uint32_t e, uint8_t last, bool has_waited) {
    const size_t size = r->observation_size;
    const uint8_t flags = r->flags[mega_rollout_last(r) + e];
    const bool is_lost = m->over && !has_waited && last == MEGA_STEP_CUT;
    MEGA_CHECK_EQ(flags, is_lost ? MEGA_STEP_CUT | MEGA_STEP_VOID : last);
    MEGA_CHECK_EQ(r->over[e], 0);
    if (m->over) {
        MEGA_CHECK_EQ(mega_task_reset(m->task, -1, m->observation, size, NULL), MEGA_OK);
        m->over = 0;
    }
    MEGA_CHECK_BYTES(mega_rollout_observations(r, r->slot, e), m->observation, size);
    return is_lost;
}

typedef struct totals {
    uint64_t played, waited;
    uint32_t lost;
} totals;

static void check_round(mega_trainer *trainer, model *models, uint32_t steps, totals *sum) {
    mega_sampler *sampler = trainer->learner.sampler;
    const mega_rollout *r = mega_sampler_rollout(sampler);
    uint8_t last[ENVS];
    bool has_waited[ENVS];
    MEGA_CHECK_EQ(mega_learner_play(&trainer->learner, steps, &message), 0);
    for (uint32_t t = 0; t < steps; t++) {
        const uint32_t slot = (r->slot + r->slots - steps + t) % r->slots;
        for (uint32_t e = 0; e < ENVS; e++) {
            has_waited[e] = !check_step(&models[e], r, slot, e);
            sum->played += has_waited[e] ? 0 : 1;
            sum->waited += has_waited[e] ? 1 : 0;
        }
    }
    memcpy(last, r->flags + mega_rollout_last(r), sizeof last);
    MEGA_CHECK_EQ(mega_sampler_pause(sampler, &message), 0);
    MEGA_CHECK_EQ(mega_sampler_resume(sampler, &message), 0);
    MEGA_CHECK_EQ(mega_sampler_resume(sampler, &message), 0); // once more is nothing
    for (uint32_t e = 0; e < ENVS; e++) {
        sum->lost += check_pause(&models[e], r, e, last[e], has_waited[e]);
    }
}

static void test_play(uint32_t groups, uint32_t threads, uint32_t lives) {
    mega_train_settings settings = pausing(MEGA_ALGO_PPO);
    settings.steps = 23;
    settings.groups = groups;
    settings.threads = threads;
    settings.lives = lives;
    // An episode that nothing else ends has 23 steps: some end with a round, others in it.
    static const uint32_t lengths[] = {18, 5, 23, 9};
    mega_trainer *trainer = make_trainer(&settings);
    model models[ENVS];
    totals sum = {0, 0, 0};
    MEGA_CHECK_EQ(mega_trainer_start(trainer, &message), 0);
    open_models(models, &settings, mega_sampler_rollout(trainer->learner.sampler)->observation_size);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        check_round(trainer, models, lengths[round % 4], &sum);
        MEGA_CHECK_EQ(mega_trainer_count(trainer).frames, 4 * sum.played);
    }
    check_round(trainer, models, 11, &sum);
    MEGA_CHECK(sum.waited > 40 && sum.played > 600);
    MEGA_CHECK(lives == MEGA_LIVES_EPISODE || sum.lost > 0);
    for (uint32_t e = 0; e < ENVS; e++) {
        mega_task_destroy(models[e].task);
        free(models[e].observation);
    }
    mega_trainer_destroy(trainer);
}

// Samples that were trained on are those that were played, as often as they were used.
static void test_samples(void) {
    for (uint32_t algo = MEGA_ALGO_A2C; algo <= MEGA_ALGO_PPO; algo++) {
        mega_train_settings settings = pausing(algo);
        settings.steps = settings.steps_per_update = 25;
        settings.batches = 1;
        mega_trainer *trainer = make_trainer(&settings);
        MEGA_CHECK_EQ(mega_trainer_start(trainer, &message), 0);
        for (uint64_t i = 1; i <= 4; i++) {
            iterate(trainer, 1);
            const mega_train_count count = mega_trainer_count(trainer);
            const uint64_t uses = algo == MEGA_ALGO_PPO ? (uint64_t)settings.epochs : 1;
            MEGA_CHECK_EQ(count.samples, uses * count.frames / 4);
            MEGA_CHECK(count.frames < i * 25 * ENVS * 4);
        }
        MEGA_CHECK(mega_trainer_count(trainer).episodes >= 4 * ENVS); // each pause begins others
        mega_trainer_destroy(trainer);
    }
}

// Where environments wait, the mean is over the samples that count.
static void test_weights(void) {
    for (uint32_t algo = MEGA_ALGO_A2C; algo <= MEGA_ALGO_PPO; algo++) {
        mega_train_settings settings = pausing(algo), other = settings;
        settings.steps = other.steps = 25;
        other.resets = MEGA_RESETS_NOW;
        mega_trainer *trainer = make_trainer(&settings), *now = make_trainer(&other);
        const mega_samples all = {.count = 25 * ENVS, .envs = ENVS};
        mega_loss loss = {.count = 25 * ENVS};
        MEGA_CHECK_EQ(mega_trainer_start(trainer, &message), 0);
        MEGA_CHECK_EQ(mega_learner_play(&trainer->learner, 25, &message), 0);
        MEGA_CHECK_EQ(mega_learner_weigh(&trainer->learner, &all, &loss, &message), 0);
        const uint64_t played = mega_trainer_count(trainer).frames / 4;
        MEGA_CHECK(played < 25 * ENVS && loss.counted == played && loss.share == 1.0f / (float)played);
        MEGA_CHECK(mega_loss_share(&loss) == loss.share);
        loss.share = 0.0f;
        MEGA_CHECK_EQ(mega_learner_weigh(&now->learner, &all, &loss, &message), 0);
        MEGA_CHECK(mega_loss_share(&loss) == 1.0f / (25.0f * ENVS));
        mega_trainer_destroy(trainer);
        mega_trainer_destroy(now);
    }
}

// Random play before the first step resets at once, and nothing is over when it ends.
static void test_random_starts(void) {
    mega_train_settings settings = pausing(MEGA_ALGO_A2C);
    settings.random_steps = 60;
    mega_trainer *trainer = make_trainer(&settings);
    MEGA_CHECK_EQ(mega_trainer_start(trainer, &message), 0);
    mega_vector_statistics statistics;
    MEGA_CHECK_EQ(mega_vector_get_statistics(trainer->field.vector, -1, &statistics), MEGA_OK);
    MEGA_CHECK(statistics.episodes >= ENVS);
    MEGA_CHECK_EQ(mega_learner_play(&trainer->learner, 1, &message), 0);
    MEGA_CHECK_EQ(mega_trainer_count(trainer).frames, ENVS * 4);
    mega_trainer_destroy(trainer);
}

// ---- what counts ----

static float uniform(uint32_t stream, uint32_t index) {
    return mega_philox_uniform(mega_philox_word(3, stream, index));
}

static void test_count(mega_compute *compute) {
    mega_rollout rollout;
    uint32_t counted, expected;
    MEGA_CHECK_EQ(mega_rollout_create(compute, SLOTS, ENVS, 1, &rollout, &message), 0);
    for (uint32_t i = 0; i < SLOTS * ENVS; i++) {
        rollout.flags[i] = uniform(1, i) < 0.4f ? MEGA_STEP_VOID | MEGA_STEP_CUT : i % 3 == 0 ? 3 : 0;
    }
    for (uint32_t i = 0; i < SLOTS * (SLOTS - 1) * ENVS; i++) {
        const uint32_t slot = i % SLOTS, steps = 1 + i / SLOTS % (SLOTS - 1),
                       first = i / (SLOTS * (SLOTS - 1));
        const mega_samples part = {.count = steps * (ENVS - first), .first = first, .envs = ENVS - first};
        rollout.slot = slot;
        expected = 0;
        for (uint32_t t = 1; t <= steps; t++) {
            for (uint32_t e = first; e < ENVS; e++) {
                expected += !(rollout.flags[(slot + SLOTS - t) % SLOTS * ENVS + e] & MEGA_STEP_VOID);
            }
        }
        MEGA_CHECK_EQ(compute->ops->count(compute, &rollout, &part, &counted, &message), 0);
        MEGA_CHECK_EQ(counted, expected);
    }
    const int32_t rows[] = {0, 7, 7, 29, 12, 3};
    const mega_samples listed = {.rows = rows, .count = 6};
    expected = 0;
    for (uint32_t i = 0; i < 6; i++) {
        expected += !(rollout.flags[rows[i]] & MEGA_STEP_VOID);
    }
    MEGA_CHECK_EQ(compute->ops->count(compute, &rollout, &listed, &counted, &message), 0);
    MEGA_CHECK_EQ(counted, expected);
    mega_rollout_destroy(compute, &rollout);
}

typedef struct batch {
    mega_lesson lesson;
    mega_pass *pass;
} batch;

static batch make_batch(mega_compute *compute, mega_net *net, uint32_t count) {
    batch made = {0};
    MEGA_CHECK_EQ(mega_lesson_create(compute, count, 1, &made.lesson, &message), 0);
    MEGA_CHECK_EQ(mega_pass_create(net, count, true, &made.pass, &message), 0);
    return made;
}

// Sample `number`, of any numbers, comes to place i.
static void fill_sample(batch *b, uint32_t i, uint32_t number, uint8_t flags) {
    b->lesson.flags[i] = flags;
    b->lesson.actions[i] = (int32_t)(number % ACTIONS);
    b->lesson.advantages[i] = 6 * uniform(2, number) - 2;
    b->lesson.targets[i] = 2 * uniform(3, number);
    b->lesson.log_probabilities[i] = -1 - uniform(4, number);
    b->lesson.values[i] = uniform(5, number);
    b->pass->values[i] = uniform(6, number);
    for (uint32_t a = 0; a < ACTIONS; a++) {
        b->pass->logits[i * ACTIONS + a] = 2 * uniform(7 + a, number);
    }
}

// A batch with samples that do not count has the gradients and sums of one without them, and none for them.
static void check_loss(mega_compute *compute, mega_net *net, bool is_ppo) {
    const mega_loss_weights weights = {.value = 0.5f, .entropy = 0.02f, .clip = 0.1f};
    double stats[2][MEGA_STAT_COUNT], norm, zero[MEGA_STAT_COUNT] = {0};
    uint32_t n = 0, place[SAMPLES];
    batch all = make_batch(compute, net, SAMPLES);
    for (uint32_t i = 0; i < SAMPLES; i++) {
        const uint8_t flags = i % 7 > 3 ? MEGA_STEP_VOID | MEGA_STEP_CUT : 0;
        fill_sample(&all, i, i, flags);
        place[i] = flags ? SAMPLES : n++;
    }
    batch some = make_batch(compute, net, n);
    for (uint32_t i = 0; i < SAMPLES; i++) {
        if (place[i] < SAMPLES) {
            fill_sample(&some, place[i], i, 0);
        }
    }
    const mega_loss masked = {.is_ppo = is_ppo,
                              .lesson = &all.lesson,
                              .count = SAMPLES,
                              .weights = weights,
                              .normalize = is_ppo,
                              .share = 1.0f / (float)n};
    const mega_loss whole = {
        .is_ppo = is_ppo, .lesson = &some.lesson, .count = n, .weights = weights, .normalize = is_ppo};
    MEGA_CHECK_EQ(compute->ops->write_stats(compute, zero, &message), 0);
    MEGA_CHECK_EQ(compute->ops->loss(compute, &masked, all.pass, &message), 0);
    MEGA_CHECK_EQ(compute->ops->read_stats(compute, stats[0], &norm, &message), 0);
    MEGA_CHECK_EQ(compute->ops->write_stats(compute, zero, &message), 0);
    MEGA_CHECK_EQ(compute->ops->loss(compute, &whole, some.pass, &message), 0);
    MEGA_CHECK_EQ(compute->ops->read_stats(compute, stats[1], &norm, &message), 0);
    MEGA_CHECK_BYTES(stats[0], stats[1], sizeof stats[0]);
    MEGA_CHECK(stats[0][MEGA_STAT_SAMPLES] == (double)n);
    for (uint32_t i = 0; i < SAMPLES; i++) {
        const uint32_t to = place[i];
        for (uint32_t a = 0; a < ACTIONS; a++) {
            MEGA_CHECK(all.pass->logit_grads[i * ACTIONS + a] ==
                       (to < SAMPLES ? some.pass->logit_grads[to * ACTIONS + a] : 0.0f));
        }
        MEGA_CHECK(all.pass->value_grads[i] == (to < SAMPLES ? some.pass->value_grads[to] : 0.0f));
    }
    mega_pass_destroy(all.pass);
    mega_pass_destroy(some.pass);
    mega_lesson_destroy(compute, &all.lesson);
    mega_lesson_destroy(compute, &some.lesson);
}

static void test_losses(mega_compute *compute) {
    mega_network network;
    mega_net *net = NULL;
    MEGA_CHECK_EQ(mega_network_describe("fc 4", 1, 8, 8, ACTIONS, &network, &message), 0);
    MEGA_CHECK_EQ(compute->ops->create_net(compute, &network, &net, &message), 0);
    check_loss(compute, net, false);
    check_loss(compute, net, true);
    mega_net_destroy(net);
}

// ---- settings ----

static void test_settings(void) {
    mega_train_settings settings = pausing(MEGA_ALGO_DQN);
    MEGA_CHECK_EQ(mega_train_check(&settings, &message), -1);
    MEGA_CHECK(strstr(message.text, "resets = now") != NULL);
    settings = pausing(MEGA_ALGO_VTRACE);
    settings.steps_per_update = settings.steps + 1;
    MEGA_CHECK_EQ(mega_train_check(&settings, &message), -1);
    MEGA_CHECK(strstr(message.text, "steps_per_update = 5") != NULL);
}

int main(void) {
    mega_compute *compute = NULL;
    MEGA_CHECK_EQ(mega_compute_cpu(1, true, &compute, &message), 0);
    test_count(compute);
    test_losses(compute);
    mega_compute_destroy(compute);
    test_settings();
    test_random_starts();
    test_play(1, 1, MEGA_LIVES_EPISODE);
    test_play(2, 2, MEGA_LIVES_IGNORED);
    test_play(4, 3, MEGA_LIVES_EPISODE);
    test_samples();
    test_weights();
    for (uint32_t algo = MEGA_ALGO_A2C; algo <= MEGA_ALGO_PPO; algo++) {
        check_runs_repeat(pausing(algo));
        check_resume(pausing(algo), 1);
        check_resume(pausing(algo), SAVED_AFTER);
    }
    mega_test_remove_files();
    return mega_test_result();
}
