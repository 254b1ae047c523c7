// player.c - see player.h.
#include "player.h"

#include "trainer_parts.h"

#include <stdlib.h>
#include <string.h>

struct mega_player {
    mega_train_settings settings; // of the run, but with one environment
    mega_trainer *trainer;
    mega_vector *vector;
    mega_pass *pass;
    uint8_t *observation; // in the device's memory, as are
    int32_t *chosen;
    float *q; // [actions], if the network gives them
    int32_t index;
    uint64_t seed;
    uint64_t steps;
    uint8_t over;
};

static int vector_failed(mega_message *message) {
    return mega_message_set(message, "%s", mega_last_error());
}

static int start(mega_player *player, int32_t seed, mega_message *message) {
    mega_compute *compute = player->trainer->learner.compute;
    void *observation = NULL, *chosen = NULL, *q = NULL;
    if (mega_trainer_make_vector(player->trainer, 1, true, &player->vector, message) < 0 ||
        mega_pass_create(player->trainer->learner.net, 1, false, &player->pass, message) < 0 ||
        compute->ops->allocate(compute, mega_vector_observation_size(player->vector), &observation, message) <
            0) {
        return -1;
    }
    player->observation = observation;
    if (compute->ops->allocate(compute, sizeof *player->chosen, &chosen, message) < 0) {
        return -1;
    }
    player->chosen = chosen;
    const size_t q_size = player->trainer->learner.net->network.actions * sizeof *player->q;
    if (compute->ops->allocate(compute, q_size, &q, message) < 0) {
        return -1;
    }
    player->q = q;
    return mega_vector_reset(player->vector, NULL, &seed, NULL) == MEGA_OK ? 0 : vector_failed(message);
}

int mega_player_create(const mega_train_settings *settings, const mega_rom *rom, const char *checkpoint,
                       int32_t seed, mega_player **out, mega_message *message) {
    *out = NULL;
    mega_player *player = calloc(1, sizeof *player);
    if (player == NULL) {
        return mega_message_set(message, "there is no memory for a player");
    }
    player->settings = *settings;
    player->seed = (uint32_t)seed;
    mega_train_shrink(&player->settings);
    if (mega_trainer_create(&player->settings, rom, NULL, &player->trainer, message) < 0 ||
        mega_trainer_restore_network(player->trainer, checkpoint, message) < 0 ||
        start(player, seed, message) < 0) {
        mega_player_destroy(player);
        return -1;
    }
    *out = player;
    return 0;
}

void mega_player_destroy(mega_player *player) {
    if (player == NULL) {
        return;
    }
    if (player->trainer != NULL) {
        mega_compute *compute = player->trainer->learner.compute;
        mega_pass_destroy(player->pass);
        compute->ops->release(compute, player->observation);
        compute->ops->release(compute, player->chosen);
        compute->ops->release(compute, player->q);
    }
    mega_vector_destroy(player->vector);
    mega_trainer_destroy(player->trainer);
    free(player);
}

// Sends the present observation through the network, and makes its Q-values of it if it gives those.
static int look(mega_player *player, mega_message *message) {
    mega_compute *compute = player->trainer->learner.compute;
    const mega_q_shape *shape = mega_learner_q(&player->trainer->learner);
    if (compute->ops->upload(compute, player->observation, mega_vector_observations(player->vector),
                             mega_vector_observation_size(player->vector), message) < 0 ||
        mega_pass_forward(player->pass, player->observation, NULL, message) < 0) {
        return -1;
    }
    return shape == NULL ? 0 : compute->q->values(compute, shape, player->pass, player->q, message);
}

int mega_player_choose(mega_player *player, uint32_t *action, mega_message *message) {
    mega_compute *compute = player->trainer->learner.compute;
    const bool is_q = mega_learner_q(&player->trainer->learner) != NULL;
    const mega_act act = {
        .logits = is_q ? player->q : player->pass->logits,
        .count = 1,
        .actions = player->trainer->learner.net->network.actions,
        .seed = player->seed,
        .step = player->steps,
        .greedy = is_q || player->settings.eval_policy == MEGA_EVAL_GREEDY,
        .epsilon = is_q ? (float)player->settings.eval_explore : 0.0f,
        .chosen = player->chosen,
    };
    if (look(player, message) < 0 || compute->ops->act(compute, &act, message) < 0 ||
        compute->ops->download(compute, &player->index, player->chosen, sizeof player->index, message) < 0) {
        return -1;
    }
    uint32_t count = 0;
    *action = mega_vector_actions(player->vector, &count)[player->index];
    return 0;
}

int mega_player_copy(mega_player *player, mega_env *env, mega_message *message) {
    return mega_vector_get_env(player->vector, 0, env) == MEGA_OK ? 0 : vector_failed(message);
}

int mega_player_step(mega_player *player, mega_message *message) {
    const mega_vector_out out = {.episode_ends = &player->over};
    player->steps++;
    return mega_vector_step(player->vector, &player->index, NULL, &out) == MEGA_OK ? 0
                                                                                   : vector_failed(message);
}

bool mega_player_is_over(const mega_player *player) {
    return player->over != 0;
}
