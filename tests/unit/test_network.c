// test_network.c - descriptions of networks are read, or refused with a reason; first parameters are as promised.
#include "network.h"

#include <math.h>
#include <stdlib.h>

#include "mega_test.h"

static mega_network network;
static mega_message message;

static void describe(const char *text, uint32_t stack, uint32_t height, uint32_t width, uint32_t actions) {
    message.text[0] = '\0';
    const int result = mega_network_describe(text, stack, height, width, actions, &network, &message);
    MEGA_CHECK_EQ(result, 0);
    if (result != 0) {
        fprintf(stderr, "'%s': %s\n", text, message.text);
    }
}

static size_t numbers_without_gaps(void) {
    size_t count = 0;
    for (uint32_t i = 0; i < network.tensor_count; i++) {
        count += network.tensor[i].count;
    }
    return count;
}

// ---- descriptions ------------------------------------------------------------------------------------

static void test_nature(void) {
    static const char *const names[] = {"conv1.weight",  "conv1.bias",  "conv2.weight", "conv2.bias",
                                        "conv3.weight",  "conv3.bias",  "fc.weight",    "fc.bias",
                                        "policy.weight", "policy.bias", "value.weight", "value.bias"};
    describe("nature", 4, 84, 84, 6);
    MEGA_CHECK_EQ(network.conv_count, 3);
    MEGA_CHECK_EQ(network.conv[0].out_height, 20);
    MEGA_CHECK_EQ(network.conv[1].out_width, 9);
    MEGA_CHECK_EQ(network.conv[2].out_width, 7);
    MEGA_CHECK_EQ(network.conv[2].in_channels, 64);
    MEGA_CHECK_EQ(network.features, 3136);
    MEGA_CHECK_EQ(network.hidden, 512);
    MEGA_CHECK_EQ(network.tensor_count, 12);
    // 8,224 + 32,832 + 36,928 + 1,606,144 + 3,078 + 513
    MEGA_CHECK_EQ(numbers_without_gaps(), 1687719);
    MEGA_CHECK_EQ(mega_network_observation_size(&network), 4 * 84 * 84);
    for (uint32_t i = 0; i < network.tensor_count && i < 12; i++) {
        MEGA_CHECK(strcmp(network.tensor[i].name, names[i]) == 0);
        MEGA_CHECK(mega_network_find(&network, names[i]) == &network.tensor[i]);
    }
    MEGA_CHECK(mega_network_find(&network, "conv4.weight") == NULL);
    MEGA_CHECK(mega_network_find(&network, "fc") == NULL);
}

static void test_other_names(void) {
    describe("a3c", 4, 84, 84, 4);
    MEGA_CHECK_EQ(network.conv_count, 2);
    MEGA_CHECK_EQ(network.features, 32 * 9 * 9);
    MEGA_CHECK_EQ(network.hidden, 256);
    describe("stooke", 4, 104, 80, 18);
    MEGA_CHECK_EQ(network.conv[0].out_height, 25);
    MEGA_CHECK_EQ(network.conv[0].out_width, 19);
    MEGA_CHECK_EQ(network.conv[1].padding, 1);
    MEGA_CHECK_EQ(network.features, 32 * 12 * 9);
    describe("small", 4, 42, 42, 3);
    MEGA_CHECK_EQ(network.features, 16 * 9 * 9);
    MEGA_CHECK_EQ(network.hidden, 64);
    describe("small", 4, 84, 84, 3);
}

static void test_slab(void) {
    describe("conv 3x3/2+1,conv 5x2/1 ,  fc 7", 2, 9, 6, 5);
    MEGA_CHECK_EQ(network.conv[0].out_height, 5);
    MEGA_CHECK_EQ(network.conv[0].out_width, 3);
    MEGA_CHECK_EQ(network.features, 5 * 4 * 2);
    static const uint32_t counts[] = {54, 3, 60, 5, 280, 7, 35, 5, 7, 1};
    size_t first = 0;
    MEGA_CHECK_EQ(network.tensor_count, 10);
    for (uint32_t i = 0; i < 10; i++) {
        MEGA_CHECK_EQ(network.tensor[i].count, counts[i]);
        MEGA_CHECK_EQ(network.tensor[i].first, first);
        first += (counts[i] + 15u) / 16u * 16u;
    }
    MEGA_CHECK_EQ(network.parameter_count, first);
    const mega_tensor *weight = mega_network_find(&network, "conv2.weight");
    MEGA_CHECK(weight != NULL && weight->rank == 4 && weight->shape[0] == 5 && weight->shape[1] == 3 &&
               weight->shape[2] == 2 && weight->shape[3] == 2);
    const mega_tensor *value = mega_network_find(&network, "value.weight");
    MEGA_CHECK(value != NULL && value->rank == 2 && value->shape[0] == 1 && value->shape[1] == 7);
    describe("fc 3", 1, 2, 2, 2); // no convolutions at all
    MEGA_CHECK_EQ(network.conv_count, 0);
    MEGA_CHECK_EQ(network.features, 4);
}

static void check_tensor(const char *name, uint32_t rows, uint32_t columns) {
    const mega_tensor *tensor = mega_network_find(&network, name);
    MEGA_CHECK(tensor != NULL);
    if (tensor != NULL) {
        MEGA_CHECK_EQ(tensor->rank, columns > 0 ? 2 : 1);
        MEGA_CHECK_EQ(tensor->shape[0], rows);
        MEGA_CHECK_EQ(tensor->shape[1], columns > 0 ? columns : 1);
    }
}

static void describe_q(uint32_t atoms, bool is_dueling) {
    MEGA_CHECK_EQ(mega_network_describe_q("nature", 4, 84, 84, 6, atoms, is_dueling, &network, &message), 0);
    MEGA_CHECK(network.is_q);
    MEGA_CHECK_EQ(network.actions, 6);
    MEGA_CHECK_EQ(network.atoms, atoms);
    MEGA_CHECK_EQ(network.outputs, 6 * atoms);
    MEGA_CHECK_EQ(network.hidden, 512);
}

static void test_actor_critic(void) {
    describe("nature", 4, 84, 84, 6);
    MEGA_CHECK(!network.is_q);
    MEGA_CHECK_EQ(network.atoms, 1);
    MEGA_CHECK_EQ(network.outputs, 6);
    MEGA_CHECK_EQ(network.value_outputs, 1);
    MEGA_CHECK_EQ(network.streams, 1);
    MEGA_CHECK_EQ(network.hidden_total, 512);
    MEGA_CHECK_EQ(mega_network_value_hidden(&network), 0);
    MEGA_CHECK(mega_network_heads(&network) == mega_network_find(&network, "policy.weight"));
}

static void test_q_networks(void) {
    describe_q(51, false);
    MEGA_CHECK_EQ(network.tensor_count, 10); // there is no value
    MEGA_CHECK_EQ(network.value_outputs, 0);
    MEGA_CHECK_EQ(network.streams, 1);
    MEGA_CHECK_EQ(network.hidden_total, 512);
    check_tensor("q.weight", 306, 512);
    check_tensor("q.bias", 306, 0);
    describe_q(51, true);
    MEGA_CHECK_EQ(network.tensor_count, 12);
    MEGA_CHECK_EQ(network.value_outputs, 51);
    MEGA_CHECK_EQ(network.streams, 2);
    MEGA_CHECK_EQ(network.hidden_total, 1024);
    MEGA_CHECK_EQ(mega_network_value_hidden(&network), 512);
    check_tensor("fc.weight", 1024, 3136);
    check_tensor("fc.bias", 1024, 0);
    check_tensor("advantage.weight", 306, 512);
    check_tensor("value.weight", 51, 512);
    check_tensor("value.bias", 51, 0);
    MEGA_CHECK(mega_network_heads(&network) == mega_network_find(&network, "advantage.weight"));
    MEGA_CHECK(mega_network_find(&network, "policy.weight") == NULL);
    describe_q(1, true);
    check_tensor("value.weight", 1, 512);
}

// ---- refusals ----------------------------------------------------------------------------------------

static void refuse_sized(const char *text, uint32_t stack, uint32_t height, uint32_t width, uint32_t actions,
                         const char *reason) {
    message.text[0] = '\0';
    MEGA_CHECK_EQ(mega_network_describe(text, stack, height, width, actions, &network, &message), -1);
    if (strstr(message.text, reason) == NULL) {
        MEGA_FAIL("another reason was expected");
        fprintf(stderr, "'%s' gives: %s\n", text, message.text);
    }
    MEGA_CHECK_EQ(mega_network_describe(text, stack, height, width, actions, &network, NULL), -1);
}

static void refuse(const char *text, const char *reason) {
    refuse_sized(text, 4, 84, 84, 6, reason);
}

static void refuse_q(const char *text, uint32_t actions, uint32_t atoms, const char *reason) {
    message.text[0] = '\0';
    MEGA_CHECK_EQ(mega_network_describe_q(text, 4, 84, 84, actions, atoms, true, &network, &message), -1);
    if (strstr(message.text, reason) == NULL) {
        MEGA_FAIL("another reason was expected");
        fprintf(stderr, "%u atoms give: %s\n", atoms, message.text);
    }
}

static void test_q_refusals(void) {
    refuse_q("nature", 6, 0, "cannot have 0 atoms for each action; 1 to 1024 are allowed");
    refuse_q("nature", 6, 1025, "cannot have 1025 atoms");
    refuse_q("nature", 0, 51, "cannot choose between 0 actions");
    refuse_q("nature", 65536, 1024, "'fc 512' is too large");
    refuse_q("fc 30000", 6, 1, "'fc 30000' is too large"); // twice as many units
    refuse_q("natur", 6, 51, "there is no network 'natur'");
}

static void test_refusals(void) {
    refuse("conv 32x8/4, conv 64x4/2, conv 64x3/1, conv 64x9/1, fc 512",
           "the network's layer 'conv 64x9/1' does not fit its input of 7 x 7");
    refuse("natur", "there is no network 'natur'; use nature, a3c, stooke, small");
    refuse("", "there is no network ''");
    refuse("conv 16x8/4", "does not end with a layer such as 'fc 256'");
    refuse("fc 256, conv 16x8/4", "the network's layer 'conv 16x8/4' comes after the fully connected layer");
    refuse("fc 256, fc 256", "the network's layer 'fc 256' comes after");
    refuse("conv 16x8, fc 256", "the network's layer 'conv 16x8' cannot be read");
    refuse("conv 16x8/4+, fc 256", "'conv 16x8/4+' cannot be read");
    refuse("conv 16x8/4 2, fc 256", "cannot be read");
    refuse("conv 16 x8/4, fc 256", "cannot be read");
    refuse("conv -16x8/4, fc 256", "cannot be read");
    refuse("pool 2, fc 256", "the network's layer 'pool 2' cannot be read");
    refuse("fc 256,", "the network's layer '' comes after");
    refuse(", fc 256", "the network's layer '' cannot be read");
    refuse("fc 256x2", "'fc 256x2' cannot be read");
    refuse("fc                                                               5", "cannot be read");
    refuse("conv 0x8/4, fc 256", "'conv 0x8/4' has a number that is 0");
    refuse("conv 16x8/0, fc 256", "'conv 16x8/0' has a number that is 0");
    refuse("conv 16x0/1, fc 256", "has a number that is 0");
    refuse("fc 0", "'fc 0' has a number that is 0");
    refuse("fc 65537", "above 65536");
    refuse("fc 99999999999999999999", "above 65536");
    refuse("conv 16x4/2+4, fc 256", "'conv 16x4/2+4' has a padding that is not smaller than its kernel");
    refuse("conv 60000x80/1, fc 1", "'conv 60000x80/1' is too large");
    refuse("conv 65536x4/1, fc 65536", "'fc 65536' is too large");
    refuse("conv 1x1/1, conv 1x1/1, conv 1x1/1, conv 1x1/1, conv 2x1/1, fc 1",
           "'conv 2x1/1' is one convolution too many");
    refuse_sized("nature", 4, 20, 84, 6, "'conv 64x3/1' does not fit its input of 1 x 9");
    refuse_sized("nature", 0, 84, 84, 6, "cannot look at 0 frames of 84 x 84");
    refuse_sized("nature", 4, 70000, 84, 6, "cannot look at 4 frames of 70000 x 84");
    refuse_sized("nature", 4, 60000, 60000, 6, "cannot look at");
    refuse_sized("nature", 4, 84, 84, 0, "cannot choose between 0 actions");
}

// ---- first parameters --------------------------------------------------------------------------------

static float *initialise(uint32_t kind, uint64_t seed) {
    float *parameters = (float *)malloc(network.parameter_count * sizeof *parameters);
    memset(parameters, 0x7F, network.parameter_count * sizeof *parameters);
    mega_network_initialise(&network, kind, seed, parameters);
    return parameters;
}

// Vectors of a matrix: rows, or columns if there are more rows. Their products are gain^2 or 0.
static double worst_product(const float *matrix, size_t rows, size_t columns, double gain) {
    const int wide = rows <= columns;
    const size_t count = wide ? rows : columns, length = wide ? columns : rows;
    double worst = 0;
    for (size_t a = 0; a < count; a++) {
        for (size_t b = 0; b <= a; b++) {
            double sum = a == b ? -gain * gain : 0;
            for (size_t i = 0; i < length; i++) {
                sum += wide ? (double)matrix[a * columns + i] * (double)matrix[b * columns + i]
                            : (double)matrix[i * columns + a] * (double)matrix[i * columns + b];
            }
            worst = fabs(sum) > worst ? fabs(sum) : worst;
        }
    }
    return worst / (gain * gain);
}

static void check_gaps(const float *parameters) {
    for (uint32_t i = 0; i < network.tensor_count; i++) {
        const size_t end =
            i + 1 < network.tensor_count ? network.tensor[i + 1].first : network.parameter_count;
        for (size_t k = network.tensor[i].first + network.tensor[i].count; k < end; k++) {
            MEGA_CHECK(parameters[k] == 0.0f);
        }
    }
}

static void check_orthogonal(double head_gain) {
    float *parameters = initialise(MEGA_INIT_ORTHOGONAL, 11);
    for (uint32_t i = 0; i < network.tensor_count; i += 2) {
        const mega_tensor *weight = &network.tensor[i], *bias = &network.tensor[i + 1];
        const mega_tensor *heads = mega_network_heads(&network);
        const double gain = weight < heads ? sqrt(2.0) : weight == heads ? head_gain : 1;
        MEGA_CHECK(worst_product(parameters + weight->first, weight->shape[0],
                                 weight->count / weight->shape[0], gain) < 1e-6);
        for (size_t k = 0; k < bias->count; k++) {
            MEGA_CHECK(parameters[bias->first + k] == 0.0f);
        }
    }
    check_gaps(parameters);
    free(parameters);
}

static void check_policy(const char *text, uint32_t height, uint32_t width, uint32_t actions) {
    describe(text, 2, height, width, actions);
    check_orthogonal(0.01);
}

static void check_q(const char *text, uint32_t height, uint32_t width, bool is_dueling) {
    MEGA_CHECK_EQ(mega_network_describe_q(text, 2, height, width, 3, 7, is_dueling, &network, &message), 0);
    check_orthogonal(1);
}

// A random orthogonal 2 x 2 matrix: each entry has mean 0 and mean square 1/2, and half of them are reflections.
static void test_orthogonal_is_uniform(void) {
    describe("fc 2", 2, 1, 1, 2);
    double sums[4] = {0}, squares[4] = {0};
    int reflections = 0;
    for (uint64_t seed = 0; seed < 4000; seed++) {
        float *parameters = initialise(MEGA_INIT_ORTHOGONAL, seed);
        for (int i = 0; i < 4; i++) {
            sums[i] += (double)parameters[i] / sqrt(2.0);
            squares[i] += (double)(parameters[i] * parameters[i]) / 2;
        }
        reflections += parameters[0] * parameters[3] < parameters[1] * parameters[2];
        free(parameters);
    }
    for (int i = 0; i < 4; i++) {
        MEGA_CHECK(fabs(sums[i] / 4000) < 0.04); // four times its spread
        MEGA_CHECK(fabs(squares[i] / 4000 - 0.5) < 0.025);
    }
    MEGA_CHECK(reflections > 1870 && reflections < 2130);
}

static void test_uniform(void) {
    describe("nature", 4, 84, 84, 6);
    float *parameters = initialise(MEGA_INIT_UNIFORM, 3), *other = initialise(MEGA_INIT_UNIFORM, 4);
    for (uint32_t i = 0; i < network.tensor_count; i++) {
        const mega_tensor *tensor = &network.tensor[i], *weight = &network.tensor[i & ~1u];
        const double bound = 1 / sqrt((double)weight->count / weight->shape[0]);
        double sum = 0, squares = 0, largest = 0;
        for (size_t k = 0; k < tensor->count; k++) {
            const double number = (double)parameters[tensor->first + k] / bound;
            sum += number;
            squares += number * number;
            largest = fabs(number) > largest ? fabs(number) : largest;
        }
        const double count = (double)tensor->count;
        MEGA_CHECK(largest <= 1);
        MEGA_CHECK(fabs(sum) < 4.5 * sqrt(count / 3));
        MEGA_CHECK(fabs(squares - count / 3) < 4.5 * sqrt(count * 4 / 45));
        MEGA_CHECK(memcmp(parameters + tensor->first, other + tensor->first, tensor->count * sizeof(float)) !=
                   0);
    }
    check_gaps(parameters);
    free(parameters);
    parameters = initialise(MEGA_INIT_UNIFORM, 4);
    MEGA_CHECK_BYTES(parameters, other, network.parameter_count * sizeof(float));
    free(parameters);
    free(other);
}

int main(void) {
    test_nature();
    test_other_names();
    test_slab();
    test_actor_critic();
    test_q_networks();
    test_refusals();
    test_q_refusals();
    check_q("conv 8x3/2, fc 40", 13, 9, true);
    check_q("conv 8x3/2, fc 40", 13, 9, false);
    check_policy("conv 8x3/2, conv 5x3/1+1, fc 40", 13, 9, 5);
    check_policy("conv 30x2/1, fc 6", 4, 3, 9); // more rows than columns, too
    check_policy("small", 42, 42, 4);
    check_policy("fc 200", 10, 10, 4); // a square: the last vectors have almost no room left
    test_orthogonal_is_uniform();
    test_uniform();
    return mega_test_result();
}
