// evaluate.c - evaluations of a trainer's network. See trainer.h.
//
// Each environment plays one episode from a seed of its own. All start together and play until the last one is done;
// a second episode of one that was faster does not count, so that short episodes do not count more than long ones.
#include "trainer_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void mega_evaluator_destroy(mega_evaluator *evaluator) {
    mega_sampler_destroy(evaluator->sampler);
    mega_field_destroy(&evaluator->field);
    memset(evaluator, 0, sizeof *evaluator);
}

static int evaluator_create(mega_trainer *trainer, uint32_t episodes, mega_message *message) {
    mega_evaluator *evaluator = &trainer->evaluator;
    if (evaluator->episodes == episodes) {
        return 0;
    }
    mega_evaluator_destroy(evaluator);
    if (mega_trainer_make_vector(trainer, episodes, true, &evaluator->field.vector, message) < 0) {
        return -1;
    }
    const mega_sampler_desc sampler = {
        .compute = trainer->learner.compute,
        .net = trainer->learner.net,
        .field = &evaluator->field,
        .groups = 1,
        .slots = 2,
        .seed = mega_philox_at((uint64_t)trainer->own.seed, (uint64_t)MEGA_DRAW_EVALUATION << 32, 0).word[1],
        .q = mega_learner_q(&trainer->learner),
    };
    if (mega_sampler_create(&sampler, &evaluator->sampler, message) < 0) {
        mega_evaluator_destroy(evaluator);
        return -1;
    }
    evaluator->episodes = episodes;
    return 0;
}

static int start_episodes(mega_trainer *trainer, uint64_t index, mega_message *message) {
    mega_evaluator *evaluator = &trainer->evaluator;
    int32_t *seeds = malloc(evaluator->episodes * sizeof *seeds);
    if (seeds == NULL) {
        return mega_message_set(message, "there is no memory for an evaluation");
    }
    for (uint32_t i = 0; i < evaluator->episodes; i++) {
        const uint32_t word = draw_word((uint64_t)trainer->own.seed, MEGA_DRAW_EVALUATION, 1 + i, index);
        seeds[i] = (int32_t)(word & 0x7FFFFFFFu);
    }
    mega_episode old;
    while (mega_field_drain_episodes(&evaluator->field, &old, 1) > 0) {}
    const int result = mega_sampler_reset(evaluator->sampler, seeds, 0, message);
    mega_sampler_set_steps(evaluator->sampler, index << 16); // other actions than in other evaluations
    free(seeds);
    return result;
}

// First episodes by environment; `done` says whose are known.
typedef struct evaluation_scores {
    uint32_t missing;
    uint8_t *done;
    double *score;
    uint64_t frames;
} evaluation_scores;

static void take_first_episodes(mega_evaluator *evaluator, evaluation_scores *scores) {
    mega_episode episode;
    while (mega_field_drain_episodes(&evaluator->field, &episode, 1) > 0) {
        if (!scores->done[episode.env_id]) {
            scores->done[episode.env_id] = 1;
            scores->score[episode.env_id] = (double)episode.score;
            scores->frames += episode.frames;
            scores->missing--;
        }
    }
}

static int play_episodes(mega_trainer *trainer, evaluation_scores *scores, mega_message *message) {
    const bool is_q = mega_learner_q(&trainer->learner) != NULL;
    const bool greedy = is_q || trainer->own.eval_policy == MEGA_EVAL_GREEDY;
    const float epsilon = is_q ? (float)trainer->own.eval_explore : 0.0f;
    mega_evaluator *evaluator = &trainer->evaluator;
    scores->missing = evaluator->episodes;
    while (scores->missing > 0) {
        if (mega_sampler_play(evaluator->sampler, 1, greedy, epsilon, message) < 0) {
            return -1;
        }
        take_first_episodes(evaluator, scores);
    }
    return 0;
}

static void summarise(const evaluation_scores *scores, uint32_t episodes, mega_evaluation *out) {
    double sum = 0, squares = 0;
    out->episodes = episodes;
    out->frames = scores->frames;
    out->lowest = INFINITY;
    out->highest = -INFINITY;
    for (uint32_t i = 0; i < episodes; i++) {
        sum += scores->score[i];
        out->lowest = fmin(out->lowest, scores->score[i]);
        out->highest = fmax(out->highest, scores->score[i]);
    }
    out->mean = sum / episodes;
    for (uint32_t i = 0; i < episodes; i++) {
        squares += (scores->score[i] - out->mean) * (scores->score[i] - out->mean);
    }
    out->deviation = episodes > 1 ? sqrt(squares / (episodes - 1)) : 0;
}

int mega_trainer_evaluate(mega_trainer *trainer, uint32_t episodes, uint64_t index, mega_evaluation *out,
                          mega_message *message) {
    memset(out, 0, sizeof *out);
    if (evaluator_create(trainer, episodes, message) < 0 || start_episodes(trainer, index, message) < 0) {
        return -1;
    }
    evaluation_scores scores = {0};
    scores.done = calloc(episodes, 1);
    scores.score = calloc(episodes, sizeof *scores.score);
    int result = -1;
    if (scores.done == NULL || scores.score == NULL) {
        (void)mega_message_set(message, "there is no memory for an evaluation");
    } else {
        result = play_episodes(trainer, &scores, message);
    }
    if (result == 0) {
        summarise(&scores, episodes, out);
    }
    free(scores.done);
    free(scores.score);
    return result;
}
