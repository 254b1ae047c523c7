// dqn_noise.c - noisy layers of a Q-learner (Fortunato et al. 2017). See dqn.h.
#include "dqn.h"

#include <stdlib.h>

// Draws of a seed: those of updates, of the target network in updates, and of play.
enum {
    DRAW_UPDATE,
    DRAW_TARGET,
    DRAW_PLAY,
    DRAW_KINDS
};

int dqn_noise_create(mega_learner *learner, mega_message *message) {
    dqn *own = learner->own;
    const mega_network *network = &learner->net->network;
    if (mega_noise_create(learner->compute, network, &own->noise, message) < 0) {
        return -1;
    }
    learner->learned = mega_noise_slab(own->noise);
    return mega_noise_create(learner->compute, network, &own->target_noise, message);
}

void dqn_noise_destroy(mega_learner *learner) {
    dqn *own = learner->own;
    mega_noise_destroy(learner->compute, own->noise);
    mega_noise_destroy(learner->compute, own->target_noise);
}

static int mix(mega_learner *learner, mega_noise *noise, mega_net *net, uint64_t draw,
               mega_message *message) {
    mega_compute *compute = learner->compute;
    if (compute->ops->draw_noise(compute, noise, (uint64_t)learner->settings->seed, draw, message) < 0) {
        return -1;
    }
    return compute->ops->mix_noise(compute, noise, net, message);
}

int dqn_noise_start(mega_learner *learner, mega_message *message) {
    const dqn *own = learner->own;
    mega_compute *compute = learner->compute;
    const size_t size = own->noise->count * sizeof(float);
    float *learned = malloc(size);
    if (learned == NULL) {
        return mega_message_set(message, "there is no memory for the first weights");
    }
    mega_noise_initialise(&learner->net->network, learner->settings->noise, (uint64_t)learner->settings->seed,
                          learned);
    const int result = compute->ops->upload(compute, own->noise->learned, learned, size, message);
    free(learned);
    return result < 0 ? -1 : dqn_noise_silence(learner, message);
}

int dqn_noise_draw(mega_learner *learner, mega_message *message) {
    const dqn *own = learner->own;
    const uint64_t update = (learner->first_draw + learner->state.updates) * DRAW_KINDS;
    if (mix(learner, own->noise, learner->net, update + DRAW_UPDATE, message) < 0) {
        return -1;
    }
    return mix(learner, own->target_noise, own->target, update + DRAW_TARGET, message);
}

int dqn_noise_explore(mega_learner *learner, mega_message *message) {
    const dqn *own = learner->own;
    return mix(learner, own->noise, learner->net,
               (learner->first_draw + learner->state.steps) * DRAW_KINDS + DRAW_PLAY, message);
}

int dqn_noise_silence(mega_learner *learner, mega_message *message) {
    const dqn *own = learner->own;
    return mix(learner, own->noise, learner->net, MEGA_NOISE_NONE, message);
}

int dqn_noise_spread_gradients(mega_learner *learner, mega_message *message) {
    const dqn *own = learner->own;
    mega_compute *compute = learner->compute;
    return compute->ops->spread_gradients(compute, own->noise, learner->net, message);
}

int dqn_noise_copy_target(mega_learner *learner, mega_message *message) {
    const dqn *own = learner->own;
    return learner->compute->ops->copy(learner->compute, own->target_noise->learned, own->noise->learned,
                                       own->noise->count * sizeof(float), message);
}

int dqn_noise_keep(mega_learner *learner, const mega_part_mover *mover, mega_message *message) {
    const dqn *own = learner->own;
    const size_t size = own->noise->count * sizeof(float);
    if (mega_part_move_same(mover, "noisy", own->noise->learned, size, message) < 0) {
        return -1;
    }
    return mega_part_move_same(mover, "noisy_target", own->target_noise->learned, size, message);
}
