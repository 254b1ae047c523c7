// network.c - see network.h.
#include "network.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum {
    NUMBER_MAX = 65536,      // of channels, pixels, actions, ...: products of two fit 64 bits easily
    COUNT_MAX = 1 << 30,     // of a tensor's numbers and of an activation's: indices fit 32 bits
    TENSOR_ALIGNMENT = 16,   // numbers
    LAYER_TEXT_SIZE = 64,    // of a layer's text in errors, with the zero
    DESCRIPTION_EXCERPT = 80 // characters of a description in errors
};

typedef struct network_name {
    const char *name;
    const char *description;
} network_name;

static const network_name names[] = {
    {"nature", "conv 32x8/4, conv 64x4/2, conv 64x3/1, fc 512"},
    {"a3c", "conv 16x8/4, conv 32x4/2, fc 256"},
    {"stooke", "conv 16x8/4, conv 32x4/2+1, fc 256"},
    {"small", "conv 8x4/2, conv 16x3/2, fc 64"},
};

// ---- reading -----------------------------------------------------------------------------------------

// What is left of a description, and the layer that is being read.
typedef struct reader {
    const char *rest;
    char layer[LAYER_TEXT_SIZE];
    const char *at; // in `layer`
} reader;

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n';
}

// Copies the text up to the next comma, without spaces around it. False at the end.
static bool next_layer(reader *reader) {
    if (reader->rest == NULL) {
        return false;
    }
    const char *first = reader->rest;
    const char *comma = strchr(first, ',');
    const char *end = comma != NULL ? comma : first + strlen(first);
    reader->rest = comma != NULL ? comma + 1 : NULL;
    while (first < end && is_space(*first)) {
        first++;
    }
    while (first < end && is_space(end[-1])) {
        end--;
    }
    (void)snprintf(reader->layer, sizeof reader->layer, "%.*s", (int)(end - first), first);
    reader->at = end - first < LAYER_TEXT_SIZE ? reader->layer : ""; // what was cut cannot be read
    return true;
}

static bool read_word(reader *reader, const char *word) {
    const size_t length = strlen(word);
    if (strncmp(reader->at, word, length) != 0) {
        return false;
    }
    reader->at += length;
    return true;
}

static void skip_spaces(reader *reader) {
    while (is_space(*reader->at)) {
        reader->at++;
    }
}

// Decimal digits; a number beyond NUMBER_MAX is read as one that is too large.
static bool read_number(reader *reader, uint32_t *number) {
    const char *first = reader->at;
    uint32_t value = 0;
    while (*reader->at >= '0' && *reader->at <= '9') {
        value = value > NUMBER_MAX ? value : 10 * value + (uint32_t)(*reader->at - '0');
        reader->at++;
    }
    *number = value;
    return reader->at > first;
}

static bool at_end(const reader *reader) {
    return *reader->at == '\0';
}

// CHANNELSxKERNEL/STRIDE or CHANNELSxKERNEL/STRIDE+PADDING
static bool read_conv(reader *reader, mega_conv_layer *conv) {
    if (!read_number(reader, &conv->channels) || !read_word(reader, "x") ||
        !read_number(reader, &conv->kernel) || !read_word(reader, "/") ||
        !read_number(reader, &conv->stride)) {
        return false;
    }
    conv->padding = 0;
    if (read_word(reader, "+") && !read_number(reader, &conv->padding)) {
        return false;
    }
    return at_end(reader);
}

// ---- layers ------------------------------------------------------------------------------------------

static int fail_layer(const reader *reader, const char *what, mega_message *message) {
    return mega_message_set(message, "the network's layer '%s' %s", reader->layer, what);
}

static bool out_of_range(uint32_t number) {
    return number == 0 || number > NUMBER_MAX;
}

static int add_conv(mega_network *network, const reader *reader, mega_conv_layer conv,
                    mega_message *message) {
    if (network->conv_count == MEGA_NETWORK_CONVS) {
        return fail_layer(reader, "is one convolution too many; 4 are allowed", message);
    }
    if (out_of_range(conv.channels) || out_of_range(conv.kernel) || out_of_range(conv.stride)) {
        return fail_layer(reader, "has a number that is 0 or above 65536", message);
    }
    if (conv.padding >= conv.kernel) {
        return fail_layer(reader, "has a padding that is not smaller than its kernel", message);
    }
    const uint32_t index = network->conv_count;
    const mega_conv_layer *before = index > 0 ? &network->conv[index - 1] : NULL;
    conv.in_channels = before != NULL ? before->channels : network->stack;
    conv.in_height = before != NULL ? before->out_height : network->height;
    conv.in_width = before != NULL ? before->out_width : network->width;
    const uint32_t height = conv.in_height + 2 * conv.padding, width = conv.in_width + 2 * conv.padding;
    if (conv.kernel > height || conv.kernel > width) {
        return mega_message_set(message, "the network's layer '%s' does not fit its input of %u x %u",
                                reader->layer, conv.in_height, conv.in_width);
    }
    conv.out_height = (height - conv.kernel) / conv.stride + 1;
    conv.out_width = (width - conv.kernel) / conv.stride + 1;
    const uint64_t window = (uint64_t)conv.in_channels * conv.kernel * conv.kernel;
    const uint64_t picture = (uint64_t)conv.out_height * conv.out_width;
    if (window > COUNT_MAX / conv.channels || picture > COUNT_MAX / conv.channels) {
        return fail_layer(reader, "is too large", message);
    }
    network->conv[network->conv_count++] = conv;
    return 0;
}

static int add_hidden(mega_network *network, const reader *reader, uint32_t hidden, mega_message *message) {
    network->features = network->stack * network->height * network->width;
    if (network->conv_count > 0) {
        const mega_conv_layer *last = &network->conv[network->conv_count - 1];
        network->features = last->channels * last->out_height * last->out_width;
    }
    if (out_of_range(hidden)) {
        return fail_layer(reader, "has a number that is 0 or above 65536", message);
    }
    const uint32_t total = network->streams * hidden;
    if (network->features > COUNT_MAX / total || network->outputs > COUNT_MAX / total) {
        return fail_layer(reader, "is too large", message);
    }
    network->hidden = hidden;
    network->hidden_total = total;
    return 0;
}

static int read_layer(mega_network *network, reader *reader, mega_message *message) {
    mega_conv_layer conv = {0};
    uint32_t hidden;
    if (network->hidden != 0) {
        return fail_layer(reader, "comes after the fully connected layer, which is the last", message);
    }
    if (read_word(reader, "conv")) {
        skip_spaces(reader);
        if (read_conv(reader, &conv)) {
            return add_conv(network, reader, conv, message);
        }
    } else if (read_word(reader, "fc")) {
        skip_spaces(reader);
        if (read_number(reader, &hidden) && at_end(reader)) {
            return add_hidden(network, reader, hidden, message);
        }
    }
    return fail_layer(reader,
                      "cannot be read; layers are 'conv CHANNELSxKERNEL/STRIDE', "
                      "'conv CHANNELSxKERNEL/STRIDE+PADDING' and 'fc UNITS'",
                      message);
}

// ---- tensors -----------------------------------------------------------------------------------------

// The next tensor of the slab; dimensions beyond `rank` are 1.
static void add_tensor(mega_network *network, const char *layer, const char *kind, uint32_t rank,
                       const uint32_t *shape) {
    assert(network->tensor_count < MEGA_NETWORK_TENSORS);
    mega_tensor *tensor = &network->tensor[network->tensor_count++];
    (void)snprintf(tensor->name, sizeof tensor->name, "%s.%s", layer, kind);
    tensor->rank = rank;
    tensor->count = 1;
    for (uint32_t i = 0; i < 4; i++) {
        tensor->shape[i] = i < rank ? shape[i] : 1;
        tensor->count *= tensor->shape[i];
    }
    tensor->first = network->parameter_count;
    network->parameter_count += (tensor->count + TENSOR_ALIGNMENT - 1) & ~(size_t)(TENSOR_ALIGNMENT - 1);
}

static void add_dense(mega_network *network, const char *layer, uint32_t out, uint32_t in) {
    const uint32_t shape[2] = {out, in};
    add_tensor(network, layer, "weight", 2, shape);
    add_tensor(network, layer, "bias", 1, shape);
}

static void add_tensors(mega_network *network) {
    for (uint32_t i = 0; i < network->conv_count; i++) {
        const mega_conv_layer *conv = &network->conv[i];
        const uint32_t shape[4] = {conv->channels, conv->in_channels, conv->kernel, conv->kernel};
        char layer[8];
        (void)snprintf(layer, sizeof layer, "conv%u", (i + 1) & 0xFu);
        add_tensor(network, layer, "weight", 4, shape);
        add_tensor(network, layer, "bias", 1, shape);
    }
    const char *head = !network->is_q ? "policy" : network->value_outputs > 0 ? "advantage" : "q";
    add_dense(network, "fc", network->hidden_total, network->features);
    add_dense(network, head, network->outputs, network->hidden);
    if (network->value_outputs > 0) {
        add_dense(network, "value", network->value_outputs, network->hidden);
    }
}

// ---- interface ---------------------------------------------------------------------------------------

static const char *description_of(const char *text) {
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(text, names[i].name) == 0) {
            return names[i].description;
        }
    }
    return text;
}

static int check_sizes(const mega_network *network, mega_message *message) {
    if (out_of_range(network->stack) || out_of_range(network->height) || out_of_range(network->width) ||
        (uint64_t)network->height * network->width > COUNT_MAX / network->stack) {
        return mega_message_set(message, "a network cannot look at %u frames of %u x %u pixels",
                                network->stack, network->height, network->width);
    }
    if (out_of_range(network->actions)) {
        return mega_message_set(message, "a network cannot choose between %u actions", network->actions);
    }
    if (network->atoms == 0 || network->atoms > MEGA_NETWORK_ATOMS) {
        return mega_message_set(message,
                                "a network cannot have %u atoms for each action; 1 to %d are allowed",
                                network->atoms, MEGA_NETWORK_ATOMS);
    }
    return 0;
}

// The sizes of *network that the description does not give are there already.
static int describe(const char *text, mega_network *network, mega_message *message) {
    if (check_sizes(network, message) != 0) {
        return -1;
    }
    network->outputs = network->actions * network->atoms;
    const char *description = description_of(text);
    reader reader = {.rest = description};
    if (description == text && strpbrk(text, " ,0123456789") == NULL) {
        return mega_message_set(message,
                                "there is no network '%.*s'; use nature, a3c, stooke, small or a description "
                                "such as 'conv 16x8/4, conv 32x4/2, fc 256'",
                                DESCRIPTION_EXCERPT, text);
    }
    while (next_layer(&reader)) {
        if (read_layer(network, &reader, message) != 0) {
            return -1;
        }
    }
    if (network->hidden == 0) {
        return mega_message_set(message, "the network '%.*s' does not end with a layer such as 'fc 256'",
                                DESCRIPTION_EXCERPT, text);
    }
    add_tensors(network);
    return 0;
}

int mega_network_describe(const char *text, uint32_t stack, uint32_t height, uint32_t width, uint32_t actions,
                          mega_network *network, mega_message *message) {
    *network = (mega_network){.stack = stack,
                              .height = height,
                              .width = width,
                              .actions = actions,
                              .atoms = 1,
                              .value_outputs = 1,
                              .streams = 1};
    return describe(text, network, message);
}

int mega_network_describe_q(const char *text, uint32_t stack, uint32_t height, uint32_t width,
                            uint32_t actions, uint32_t atoms, bool is_dueling, mega_network *network,
                            mega_message *message) {
    *network = (mega_network){.stack = stack,
                              .height = height,
                              .width = width,
                              .actions = actions,
                              .is_q = true,
                              .atoms = atoms,
                              .value_outputs = is_dueling ? atoms : 0,
                              .streams = is_dueling ? 2 : 1};
    return describe(text, network, message);
}

size_t mega_network_observation_size(const mega_network *network) {
    return (size_t)network->stack * network->height * network->width;
}

const mega_tensor *mega_network_find(const mega_network *network, const char *name) {
    for (uint32_t i = 0; i < network->tensor_count; i++) {
        if (strcmp(network->tensor[i].name, name) == 0) {
            return &network->tensor[i];
        }
    }
    return NULL;
}

const mega_tensor *mega_network_heads(const mega_network *network) {
    return &network->tensor[2 * (network->conv_count + 1)];
}

uint32_t mega_network_value_hidden(const mega_network *network) {
    return network->hidden_total - network->hidden;
}
