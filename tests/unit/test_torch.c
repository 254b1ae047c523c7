// test_torch.c - networks and optimisers compute what PyTorch computes: tests/golden/torch_net.txt, which
// tools/make_torch_golden.py wrote. Parameters and inputs are drawn here and there from the same generator.
#include "mega_philox.h"
#include "noise.h"

#include <math.h>
#include <stdlib.h>

#include "mega_test.h"

static const char *const GOLDEN = "tests/golden/torch_net.txt";
static const uint64_t SEED = 2600;
static const double CLOSE = 1e-5; // relative to the largest number of a tensor

static FILE *golden;
static const mega_net_backend *backend;

// ---- drawing -----------------------------------------------------------------------------------------

static double signed_uniform(uint64_t stream, uint64_t index) {
    return 2 * (double)mega_philox_uniform(mega_philox_word(SEED, stream, index)) - 1;
}

static uint32_t below(uint64_t stream, uint64_t index, uint32_t limit) {
    return mega_philox_below(mega_philox_word(SEED, stream, index), limit);
}

static void draw_parameters(const mega_network *network, bool is_round, float *parameters) {
    mega_network_initialise(network, MEGA_INIT_UNIFORM, SEED, parameters);
    for (uint32_t i = 0; i < network->tensor_count; i++) {
        const mega_tensor *tensor = &network->tensor[i];
        for (size_t k = 0; k < tensor->count; k++) {
            float *number = &parameters[tensor->first + k];
            *number = is_round ? ((float)below(i, k, 7) - 3) / 32 : *number * 2;
        }
    }
}

static void draw_observations(uint64_t stream, bool is_round, uint8_t *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        bytes[i] = (uint8_t)mega_philox_word(SEED, stream, i);
        if (is_round) {
            bytes[i] = bytes[i] < 128 ? 0 : 255;
        }
    }
}

// ---- the file ----------------------------------------------------------------------------------------

// The numbers of the next line, which must have this name and count. They are to be freed.
static double *read_line(const char *name, size_t count) {
    char found[64] = "";
    size_t found_count = 0;
    double *numbers = (double *)calloc(count, sizeof *numbers);
    if (fscanf(golden, "%63s %zu", found, &found_count) != 2 || strcmp(found, name) != 0 ||
        found_count != count) {
        fprintf(stderr, "%s: '%s %zu' comes where '%s %zu' should be\n", GOLDEN, found, found_count, name,
                count);
        MEGA_FAIL("the golden file has another line");
        exit(mega_test_result());
    }
    for (size_t i = 0; i < count; i++) {
        MEGA_CHECK(fscanf(golden, "%lf", &numbers[i]) == 1);
    }
    return numbers;
}

static void check_close(const float *ours, const double *theirs, size_t count, const char *what) {
    double worst = 0, largest = 0;
    for (size_t i = 0; i < count; i++) {
        worst = fmax(worst, isfinite(ours[i]) ? fabs((double)ours[i] - theirs[i]) : INFINITY);
        largest = fmax(largest, fabs(theirs[i]));
    }
    MEGA_CHECK(worst <= CLOSE * largest);
    if (!(worst <= CLOSE * largest)) {
        fprintf(stderr, "%s: %s is off by %g of %g\n", backend->name, what, worst, largest);
    }
}

static void check_line(const char *name, const float *ours, size_t count) {
    double *theirs = read_line(name, count);
    check_close(ours, theirs, count, name);
    free(theirs);
}

// A norm, and products with random vectors, instead of all numbers.
static void check_products(const mega_tensor *tensor, uint32_t index, const float *ours) {
    double *theirs = read_line(tensor->name, 5);
    double sums[5] = {0};
    for (size_t i = 0; i < tensor->count; i++) {
        sums[0] += (double)ours[i] * (double)ours[i];
        for (uint32_t k = 0; k < 4; k++) {
            sums[1 + k] += (double)ours[i] * signed_uniform(1000 + 10 * index + k, i);
        }
    }
    sums[0] = sqrt(sums[0]);
    for (uint32_t k = 0; k < 5; k++) {
        MEGA_CHECK(fabs(sums[k] - theirs[k]) <= CLOSE * theirs[0]);
        if (!(fabs(sums[k] - theirs[k]) <= CLOSE * theirs[0])) {
            fprintf(stderr, "%s: product %u of %s is %g, not %g (norm %g)\n", backend->name, k, tensor->name,
                    sums[k], theirs[k], theirs[0]);
        }
    }
    free(theirs);
}

// ---- passes ------------------------------------------------------------------------------------------

static mega_pass *make_pass(const mega_network *network, uint32_t batch, bool is_round) {
    mega_message message = {""};
    mega_net *net = NULL;
    mega_pass *pass = NULL;
    if (mega_net_create(backend, network, 1, &net, &message) != 0 ||
        mega_pass_create(net, batch, true, &pass, &message) != 0) {
        fprintf(stderr, "%s\n", message.text);
        MEGA_FAIL("a pass cannot be made");
        exit(mega_test_result());
    }
    draw_parameters(network, is_round, net->parameters);
    mega_net_changed(net);
    return pass;
}

static void drop_pass(mega_pass *pass) {
    mega_net *const net = pass->net;
    mega_pass_destroy(pass);
    mega_net_destroy(net);
}

// The loss of actor and critic of make_torch_golden.py.
static double loss_of(const mega_pass *pass) {
    const uint32_t actions = pass->net->network.actions;
    double loss = 0;
    for (uint32_t b = 0; b < pass->batch; b++) {
        const float *logits = pass->logits + (size_t)b * actions;
        double total = 0, entropy = 0;
        for (uint32_t i = 0; i < actions; i++) {
            total += exp((double)logits[i]);
        }
        for (uint32_t i = 0; i < actions; i++) {
            const double log_policy = (double)logits[i] - log(total);
            entropy -= exp(log_policy) * log_policy;
        }
        const double chosen = (double)logits[below(102, b, actions)] - log(total);
        const double miss = (double)pass->values[b] - signed_uniform(104, b);
        loss += -chosen * signed_uniform(103, b) + 0.5 * miss * miss - 0.01 * entropy;
    }
    return loss / pass->batch;
}

// The number of an atom of an action: the value's, and the advantage's above the mean.
static double dueling_at(const mega_pass *pass, uint32_t b, uint32_t action, uint32_t atom) {
    const mega_network *network = &pass->net->network;
    const float *logits = pass->logits + (size_t)b * network->outputs;
    double mean = 0;
    for (uint32_t a = 0; a < network->actions; a++) {
        mean += (double)logits[a * network->atoms + atom] / network->actions;
    }
    return (double)pass->values[b * network->atoms + atom] + (double)logits[action * network->atoms + atom] -
           mean;
}

// The loss of dueling Q-networks of make_torch_golden.py.
static double dueling_loss_of(const mega_pass *pass) {
    const mega_network *network = &pass->net->network;
    double loss = 0;
    for (uint32_t b = 0; b < pass->batch; b++) {
        const uint32_t action = below(102, b, network->actions);
        double total = 0, wanted = 0, sum = 0;
        for (uint32_t i = 0; i < network->atoms; i++) {
            const double weight = signed_uniform(105, (uint64_t)b * network->atoms + i) + 1;
            total += exp(dueling_at(pass, b, action, i));
            wanted += weight;
            sum += weight * dueling_at(pass, b, action, i);
        }
        loss += log(total) - sum / wanted;
    }
    return loss / pass->batch;
}

static void fill(float *to, const char *name, size_t count) {
    double *numbers = read_line(name, count);
    for (size_t i = 0; i < count; i++) {
        to[i] = (float)numbers[i];
    }
    free(numbers);
}

// Both ways: the outputs and the loss are compared, gradients are in the net after it.
static void run_pass(mega_pass *pass, bool is_round) {
    const mega_network *network = &pass->net->network;
    const uint32_t batch = pass->batch;
    const size_t size = batch * mega_network_observation_size(network);
    uint8_t *observations = (uint8_t *)malloc(size);
    draw_observations(101, is_round, observations, size);
    MEGA_CHECK_EQ(mega_pass_forward(pass, observations, NULL, NULL), 0);
    check_line("logits", pass->logits, (size_t)batch * network->outputs);
    check_line("values", pass->values, (size_t)batch * network->value_outputs);
    const float loss = (float)(network->is_q ? dueling_loss_of(pass) : loss_of(pass));
    check_line("loss", &loss, 1);
    fill(pass->logit_grads, "logit_grads", (size_t)batch * network->outputs);
    fill(pass->value_grads, "value_grads", (size_t)batch * network->value_outputs);
    MEGA_CHECK_EQ(mega_pass_backward(pass, NULL), 0);
    free(observations);
}

static void check_net(const mega_network *network, uint32_t batch, bool is_round) {
    mega_pass *pass = make_pass(network, batch, is_round);
    run_pass(pass, is_round);
    for (uint32_t i = 0; i < network->tensor_count; i++) {
        const mega_tensor *tensor = &network->tensor[i];
        if (is_round) {
            check_products(tensor, i, pass->net->gradients + tensor->first);
        } else {
            check_line(tensor->name, pass->net->gradients + tensor->first, tensor->count);
        }
    }
    drop_pass(pass);
}

// Means, spreads and noise of make_torch_golden.py.
static void draw_noisy(const mega_network *network, mega_noise *noise) {
    const mega_noise_plan *plan = &noise->plan;
    float *spreads = noise->learned + plan->means - plan->first;
    draw_parameters(network, false, noise->learned);
    for (uint32_t k = 0; k < plan->layer_count; k++) {
        const mega_noise_layer *layer = &plan->layer[k];
        const uint32_t weight = 2 * (network->conv_count + k);
        for (uint32_t i = 0; i < layer->ins; i++) {
            noise->vectors[layer->in_noise + i] = noise_root((float)(3 * signed_uniform(600 + weight, i)));
        }
        for (uint32_t i = 0; i < layer->outs; i++) {
            noise->vectors[layer->out_noise + i] = noise_root((float)(3 * signed_uniform(601 + weight, i)));
        }
        for (uint32_t t = weight; t < weight + 2; t++) {
            for (size_t i = 0; i < network->tensor[t].count; i++) {
                spreads[network->tensor[t].first + i] = (float)(0.5 * signed_uniform(500 + t, i));
            }
        }
    }
}

static void check_noisy(const mega_network *network, uint32_t batch) {
    mega_compute *compute = NULL;
    mega_noise *noise = NULL;
    mega_pass *pass = make_pass(network, batch, false);
    MEGA_CHECK_EQ(mega_compute_cpu(1, backend == &mega_net_ref, &compute, NULL), 0);
    MEGA_CHECK_EQ(mega_noise_create(compute, network, &noise, NULL), 0);
    draw_noisy(network, noise);
    MEGA_CHECK_EQ(compute->ops->mix_noise(compute, noise, pass->net, NULL), 0);
    run_pass(pass, false);
    MEGA_CHECK_EQ(compute->ops->spread_gradients(compute, noise, pass->net, NULL), 0);
    const float *spreads = noise->gradients + noise->plan.means - noise->plan.first;
    for (uint32_t i = 0; i < network->tensor_count; i++) {
        check_line(network->tensor[i].name, noise->gradients + network->tensor[i].first,
                   network->tensor[i].count);
    }
    for (uint32_t i = 2 * network->conv_count; i < network->tensor_count; i++) {
        check_line(network->tensor[i].name, spreads + network->tensor[i].first, network->tensor[i].count);
    }
    mega_noise_destroy(compute, noise);
    mega_compute_destroy(compute);
    drop_pass(pass);
}

static void test_net(void) {
    uint32_t stack, height, width, actions, batch;
    char kind[16] = "", description[128] = "";
    mega_network network;
    mega_message message = {""};
    MEGA_CHECK_EQ(fscanf(golden, "%u %u %u %u %u %15s %127[^\n]", &stack, &height, &width, &actions, &batch,
                         kind, description),
                  7);
    if (mega_network_describe(description, stack, height, width, actions, &network, &message) != 0) {
        fprintf(stderr, "%s\n", message.text);
        MEGA_FAIL("a network cannot be read");
        exit(mega_test_result());
    }
    check_net(&network, batch, strcmp(kind, "round") == 0);
}

static void test_dueling(bool is_noisy) {
    uint32_t stack, height, width, actions, atoms, batch;
    char description[128] = "";
    mega_network network;
    mega_message message = {""};
    MEGA_CHECK_EQ(fscanf(golden, "%u %u %u %u %u %u %127[^\n]", &stack, &height, &width, &actions, &atoms,
                         &batch, description),
                  7);
    if (mega_network_describe_q(description, stack, height, width, actions, atoms, true, &network,
                                &message) != 0) {
        fprintf(stderr, "%s\n", message.text);
        MEGA_FAIL("a network cannot be read");
        exit(mega_test_result());
    }
    if (is_noisy) {
        check_noisy(&network, batch);
    } else {
        check_net(&network, batch, false);
    }
}

// ---- optimisers --------------------------------------------------------------------------------------

enum {
    STEPS = 10
};

typedef struct named_rule {
    const char *name;
    double rate;
    mega_optimizer_rule rule;
} named_rule;

static const named_rule rules[] = {
    {"adam", 2.5e-3, {MEGA_OPTIMIZER_ADAM, 0.9, 0.999, 1e-5, false}},
    {"rmsprop_outside", 7e-4, {MEGA_OPTIMIZER_RMSPROP, 0, 0.99, 1e-3, false}},
    {"rmsprop_inside", 7e-4, {MEGA_OPTIMIZER_RMSPROP, 0, 0.99, 1e-5, true}},
    {"centred_outside", 2.5e-4, {MEGA_OPTIMIZER_RMSPROP_CENTRED, 0, 0.95, 1e-2, false}},
    {"centred_inside", 2.5e-4, {MEGA_OPTIMIZER_RMSPROP_CENTRED, 0, 0.95, 1e-2, true}},
};

static void descend(mega_pass *pass, mega_optimizer *optimizer, double rate, uint64_t step, double norm) {
    const mega_network *network = &pass->net->network;
    const size_t size = pass->batch * mega_network_observation_size(network);
    uint8_t *observations = (uint8_t *)malloc(size);
    draw_observations(200 + step, false, observations, size);
    MEGA_CHECK_EQ(mega_pass_forward(pass, observations, NULL, NULL), 0);
    for (size_t i = 0; i < (size_t)pass->batch * network->actions; i++) {
        pass->logit_grads[i] = (float)signed_uniform(300 + step, i);
    }
    for (size_t i = 0; i < pass->batch; i++) {
        pass->value_grads[i] = (float)signed_uniform(400 + step, i);
    }
    MEGA_CHECK_EQ(mega_pass_backward(pass, NULL), 0);
    const double ours = mega_optimizer_clip(pass->net->gradients, network->parameter_count, 0.5);
    MEGA_CHECK(norm > 0.5 && fabs(ours / norm - 1) < CLOSE);
    mega_optimizer_descend(optimizer, rate, pass->net->gradients, pass->net->parameters);
    mega_net_changed(pass->net);
    free(observations);
}

static void check_rule(const named_rule *named) {
    mega_network network;
    mega_optimizer *optimizer = NULL;
    MEGA_CHECK_EQ(mega_network_describe("conv 3x3/2+1, conv 4x2/1, fc 7", 2, 9, 6, 5, &network, NULL), 0);
    MEGA_CHECK_EQ(mega_optimizer_create(&named->rule, network.parameter_count, &optimizer, NULL), 0);
    mega_pass *pass = make_pass(&network, 3, false);
    double *norms = read_line("norms", STEPS);
    for (uint32_t step = 0; step < STEPS; step++) {
        descend(pass, optimizer, named->rate, step, norms[step]);
    }
    for (uint32_t i = 0; i < network.tensor_count; i++) {
        check_line(network.tensor[i].name, pass->net->parameters + network.tensor[i].first,
                   network.tensor[i].count);
    }
    free(norms);
    mega_optimizer_destroy(optimizer);
    drop_pass(pass);
}

static void test_optimizer(void) {
    char name[32] = "";
    MEGA_CHECK_EQ(fscanf(golden, "%31s", name), 1);
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        if (strcmp(rules[i].name, name) == 0) {
            check_rule(&rules[i]);
            return;
        }
    }
    MEGA_FAIL("the golden file has an unknown optimiser");
}

// ---- all ---------------------------------------------------------------------------------------------

static void test_backend(const mega_net_backend *which) {
    char word[32];
    int nets = 0, duels = 0, optimizers = 0;
    backend = which;
    golden = fopen(GOLDEN, "r");
    MEGA_CHECK(golden != NULL);
    if (golden == NULL) {
        return;
    }
    MEGA_CHECK(fscanf(golden, "torch %31s", word) == 1);
    while (fscanf(golden, "%31s", word) == 1) {
        if (strcmp(word, "net") == 0) {
            test_net();
            nets++;
        } else if (strcmp(word, "dueling") == 0 || strcmp(word, "noisy") == 0) {
            test_dueling(strcmp(word, "noisy") == 0);
            duels++;
        } else if (strcmp(word, "optimizer") == 0) {
            test_optimizer();
            optimizers++;
        } else {
            MEGA_FAIL("the golden file cannot be read");
            break;
        }
    }
    MEGA_CHECK(nets == 5 && duels == 3 && optimizers == 5);
    fclose(golden);
}

int main(void) {
    test_backend(&mega_net_ref);
    if (mega_net_cpu() != &mega_net_ref) {
        test_backend(mega_net_cpu());
    }
    return mega_test_result();
}
