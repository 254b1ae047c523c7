// test_noise.c - noisy layers: the distribution of what is drawn, how it gets into a net's parameters, and gradients of
// what is learned against differences of a loss.
#include "noise.h"

#include <math.h>
#include <stdlib.h>

#include "mega_test.h"

enum {
    BATCH = 3
};

static mega_compute *compute;
static mega_message message;
static mega_network network;
static mega_net *net;
static mega_pass *pass;
static mega_noise *noise;
static uint8_t observations[BATCH * 2 * 6 * 5];

static void must(int status) {
    if (status != 0) {
        fprintf(stderr, "%s\n", message.text);
        MEGA_FAIL("a call has failed");
        exit(mega_test_result());
    }
}

static float drawn(uint64_t stream, uint64_t index) {
    return 2 * mega_philox_uniform(mega_philox_word(77, stream, index)) - 1;
}

static void open_scene(void) {
    must(mega_compute_cpu(1, true, &compute, &message));
    must(mega_network_describe_q("conv 3x3/1, fc 7", 2, 6, 5, 3, 5, true, &network, &message));
    must(compute->ops->create_net(compute, &network, &net, &message));
    must(mega_pass_create(net, BATCH, true, &pass, &message));
    must(mega_noise_create(compute, &network, &noise, &message));
    mega_noise_initialise(&network, 0.5, 3, noise->learned);
    for (size_t i = 0; i < sizeof observations; i++) {
        observations[i] = (uint8_t)mega_philox_word(77, 0, i);
    }
    for (size_t i = 0; i < BATCH * network.outputs; i++) {
        pass->logit_grads[i] = drawn(1, i);
    }
    for (size_t i = 0; i < BATCH * network.value_outputs; i++) {
        pass->value_grads[i] = drawn(2, i);
    }
}

static void close_scene(void) {
    mega_noise_destroy(compute, noise);
    mega_noise_destroy(compute, NULL);
    mega_pass_destroy(pass);
    mega_net_destroy(net);
    mega_compute_destroy(compute);
}

// Where the next tensor begins.
static size_t end_of(uint32_t tensor) {
    return tensor + 1 < network.tensor_count ? network.tensor[tensor + 1].first : network.parameter_count;
}

// ---- what is drawn ----

// A normal number has mean 0, mean square 1 and mean magnitude sqrt(2 / pi), which is the mean square of its root.
static void test_distribution(void) {
    enum {
        COUNT = 200000
    };
    double sum = 0, squares = 0, roots = 0, root_squares = 0, neighbours = 0, last = 0;
    uint32_t beyond = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        const double normal = (double)noise_normal(5, i % 1000, i / 1000);
        const double root = (double)noise_vector(5, i % 1000, i / 1000);
        MEGA_CHECK(fabs(root * fabs(root) - normal) <= 1e-6 * (1 + fabs(normal)));
        sum += normal;
        squares += normal * normal;
        roots += root;
        root_squares += root * root;
        neighbours += root * last;
        beyond += fabs(normal) > 1.959964;
        last = root;
    }
    const double spread = 1 / sqrt((double)COUNT), magnitude = sqrt(2 / 3.14159265358979);
    MEGA_CHECK(fabs(sum / COUNT) < 4 * spread);
    MEGA_CHECK(fabs(squares / COUNT - 1) < 4 * sqrt(2.0) * spread);
    MEGA_CHECK(fabs(roots / COUNT) < 4 * spread);
    MEGA_CHECK(fabs(root_squares / COUNT - magnitude) < 4 * spread);
    MEGA_CHECK(fabs(neighbours / COUNT) < 4 * spread);
    MEGA_CHECK(fabs(beyond / (double)COUNT - 0.05) < 4 * sqrt(0.05 * 0.95) * spread);
}

static void test_draws(void) {
    const size_t size = noise->plan.vector_count * sizeof(float);
    float *first = malloc(size);
    must(compute->ops->draw_noise(compute, noise, 9, 4, &message));
    memcpy(first, noise->vectors, size);
    must(compute->ops->draw_noise(compute, noise, 9, 5, &message));
    uint32_t same = 0;
    for (uint32_t i = 0; i < noise->plan.vector_count; i++) {
        same += noise->vectors[i] == first[i];
    }
    MEGA_CHECK_EQ(same, 0);
    must(compute->ops->draw_noise(compute, noise, 10, 4, &message));
    MEGA_CHECK(memcmp(first, noise->vectors, size) != 0); // another seed
    must(compute->ops->draw_noise(compute, noise, 9, 4, &message));
    MEGA_CHECK_BYTES(noise->vectors, first, size);
    free(first);
}

// ---- what becomes of it ----

static void test_plan(void) {
    const mega_noise_plan *plan = &noise->plan;
    MEGA_CHECK_EQ(plan->means, network.parameter_count);
    MEGA_CHECK_EQ(plan->first, mega_network_find(&network, "fc.weight")->first);
    MEGA_CHECK_EQ(plan->layer_count, 3);
    MEGA_CHECK_EQ(plan->vector_count, (network.features + 14) + (7 + 15) + (7 + 5));
    MEGA_CHECK_EQ(noise->count, 2 * plan->means - plan->first);
    mega_network other;
    must(mega_network_describe_q("fc 4", 1, 2, 2, 2, 1, false, &other, &message));
    const mega_noise_plan plain = mega_noise_plan_of(&other);
    MEGA_CHECK_EQ(plain.layer_count, 2);
    MEGA_CHECK_EQ(plain.first, 0);
}

static void test_first_numbers(void) {
    float *uniform = malloc(network.parameter_count * sizeof *uniform);
    mega_network_initialise(&network, MEGA_INIT_UNIFORM, 3, uniform);
    MEGA_CHECK_BYTES(noise->learned, uniform, network.parameter_count * sizeof *uniform);
    free(uniform);
    const float *spreads = noise->learned + noise->plan.means - noise->plan.first;
    for (uint32_t t = 2 * network.conv_count; t < network.tensor_count; t++) {
        const mega_tensor *tensor = &network.tensor[t], *weight = &network.tensor[t & ~1u];
        for (size_t i = tensor->first; i < end_of(t); i++) {
            const bool inside = i < tensor->first + tensor->count;
            const double expected = inside ? 0.5 / sqrt((double)weight->shape[1]) : 0;
            MEGA_CHECK(fabs((double)spreads[i] - expected) < 1e-7);
        }
    }
}

// Parameter by parameter, from the definition.
static void check_layer(uint32_t k, const char *name) {
    const mega_noise_layer *layer = &noise->plan.layer[k];
    char weight[24], bias[24];
    (void)snprintf(weight, sizeof weight, "%s.weight", name);
    (void)snprintf(bias, sizeof bias, "%s.bias", name);
    const size_t w = mega_network_find(&network, weight)->first, b = mega_network_find(&network, bias)->first;
    const float *spreads = noise->learned + noise->plan.means - noise->plan.first;
    const float *in = noise->vectors + layer->in_noise, *out = noise->vectors + layer->out_noise;
    MEGA_CHECK(layer->weight == w && layer->bias == b);
    for (size_t o = 0; o < layer->outs; o++) {
        for (size_t i = 0; i < layer->ins; i++) {
            const size_t at = w + o * layer->ins + i;
            MEGA_CHECK(fabsf(net->parameters[at] - (noise->learned[at] + spreads[at] * (in[i] * out[o]))) <
                       1e-6f);
        }
        MEGA_CHECK(fabsf(net->parameters[b + o] - (noise->learned[b + o] + spreads[b + o] * out[o])) < 1e-6f);
    }
}

static void test_mix(void) {
    const size_t size = network.parameter_count * sizeof(float);
    must(compute->ops->draw_noise(compute, noise, 9, 4, &message));
    must(compute->ops->mix_noise(compute, noise, net, &message));
    check_layer(0, "fc");
    check_layer(1, "advantage");
    check_layer(2, "value");
    MEGA_CHECK_BYTES(net->parameters, noise->learned, noise->plan.first * sizeof(float)); // convolutions
    MEGA_CHECK(memcmp(net->parameters, noise->learned, size) != 0);
    for (uint32_t t = 0; t < network.tensor_count; t++) {
        for (size_t i = network.tensor[t].first + network.tensor[t].count; i < end_of(t); i++) {
            MEGA_CHECK(net->parameters[i] == 0.0f);
        }
    }
    must(compute->ops->draw_noise(compute, noise, 9, MEGA_NOISE_NONE, &message));
    must(compute->ops->mix_noise(compute, noise, net, &message));
    MEGA_CHECK_BYTES(net->parameters, noise->learned, size);
}

// ---- gradients ----

static double loss_now(void) {
    double loss = 0;
    must(compute->ops->mix_noise(compute, noise, net, &message));
    must(mega_pass_forward(pass, observations, NULL, &message));
    for (size_t i = 0; i < BATCH * network.outputs; i++) {
        loss += (double)pass->logits[i] * (double)pass->logit_grads[i];
    }
    for (size_t i = 0; i < BATCH * network.value_outputs; i++) {
        loss += (double)pass->values[i] * (double)pass->value_grads[i];
    }
    return loss;
}

// The loss is in floats, so that steps are not small. With these draws no unit is so near to zero that a step switches it
// on or off.
static void check_gradients(uint64_t draw) {
    const float step = 1e-3f;
    double worst = 0, largest = 0;
    must(compute->ops->draw_noise(compute, noise, 9, draw, &message));
    (void)loss_now();
    must(mega_pass_backward(pass, &message));
    must(compute->ops->spread_gradients(compute, noise, net, &message));
    MEGA_CHECK_BYTES(noise->gradients, net->gradients, network.parameter_count * sizeof(float));
    for (size_t i = noise->plan.first; i < noise->count; i++) {
        const float before = noise->learned[i];
        noise->learned[i] = before + step;
        const double above = loss_now();
        noise->learned[i] = before - step;
        const double below = loss_now();
        noise->learned[i] = before;
        const double slope = (above - below) / (2 * (double)step);
        worst = fmax(worst, fabs(slope - (double)noise->gradients[i]));
        largest = i >= noise->plan.means ? fmax(largest, fabs(slope)) : largest;
    }
    MEGA_CHECK(largest > 1); // of a spread
    MEGA_CHECK(worst < 5e-4);
}

// Optimisers work on what is learned.
static void test_optimise(void) {
    const mega_optimizer_rule rule = {MEGA_OPTIMIZER_ADAM, 0.9, 0.999, 1e-5, false};
    const mega_slab slab = mega_noise_slab(noise);
    mega_optimizer *optimizer = NULL;
    must(compute->ops->create_optimizer(compute, &rule, slab.count, &optimizer, &message));
    const double before = loss_now();
    for (int i = 0; i < 20; i++) {
        (void)loss_now();
        must(mega_pass_backward(pass, &message));
        must(compute->ops->spread_gradients(compute, noise, net, &message));
        must(compute->ops->optimise(compute, &slab, optimizer, 1e-3, 0, &message));
    }
    MEGA_CHECK(loss_now() < before - 0.01);
    const float *spreads = slab.parameters + noise->plan.means - noise->plan.first;
    for (uint32_t t = 2 * network.conv_count; t < network.tensor_count; t++) {
        for (size_t i = network.tensor[t].first + network.tensor[t].count; i < end_of(t); i++) {
            MEGA_CHECK(slab.parameters[i] == 0.0f && spreads[i] == 0.0f); // between tensors
        }
    }
    compute->ops->destroy_optimizer(compute, optimizer);
}

int main(void) {
    open_scene();
    test_distribution();
    test_draws();
    test_plan();
    test_first_numbers();
    test_mix();
    check_gradients(1);
    check_gradients(2);
    check_gradients(3);
    test_optimise();
    close_scene();
    return mega_test_result();
}
