// onnx.c - see onnx.h. Field numbers are those of onnx.proto3 as the format's public description has them.
#include "onnx.h"

#include "little_endian.h"
#include "megacade.h"
#include "out_file.h"
#include "protobuf.h"

#include <stdio.h>
#include <string.h>

enum {
    MODEL_IR_VERSION = 1,
    MODEL_PRODUCER_NAME = 2,
    MODEL_PRODUCER_VERSION = 3,
    MODEL_GRAPH = 7,
    MODEL_OPSET_IMPORT = 8,
    MODEL_METADATA = 14,
    OPSET_DOMAIN = 1,
    OPSET_VERSION = 2,
    ENTRY_KEY = 1,
    ENTRY_VALUE = 2,
    GRAPH_NODE = 1,
    GRAPH_NAME = 2,
    GRAPH_INITIALIZER = 5,
    GRAPH_INPUT = 11,
    GRAPH_OUTPUT = 12,
    NODE_INPUT = 1,
    NODE_OUTPUT = 2,
    NODE_NAME = 3,
    NODE_OP_TYPE = 4,
    NODE_ATTRIBUTE = 5,
    ATTRIBUTE_NAME = 1,
    ATTRIBUTE_I = 3,
    ATTRIBUTE_INTS = 8,
    ATTRIBUTE_TYPE = 20,
    ATTRIBUTE_TYPE_INT = 2,
    ATTRIBUTE_TYPE_INTS = 7,
    TENSOR_DIMS = 1,
    TENSOR_DATA_TYPE = 2,
    TENSOR_NAME = 8,
    TENSOR_RAW_DATA = 9,
    VALUE_NAME = 1,
    VALUE_TYPE = 2,
    TYPE_TENSOR = 1,
    TYPE_TENSOR_ELEMENT = 1,
    TYPE_TENSOR_SHAPE = 2,
    SHAPE_DIMENSION = 1,
    DIMENSION_VALUE = 1,
    DIMENSION_NAME = 2,
    ELEMENT_FLOAT = 1,
    ELEMENT_UINT8 = 2,
    ELEMENT_INT64 = 7,
    IR_VERSION = 8,
    OPERATORS_VERSION = 13
};

#define MODEL_MAX 0x7FFFFFFFu // protobuf's readers refuse more

// ---- pieces ------------------------------------------------------------------------------------------

static void put_int(mega_proto *node, const char *name, int64_t value) {
    mega_proto attribute = {0};
    mega_proto_text(&attribute, ATTRIBUTE_NAME, name);
    mega_proto_int(&attribute, ATTRIBUTE_I, value);
    mega_proto_int(&attribute, ATTRIBUTE_TYPE, ATTRIBUTE_TYPE_INT);
    mega_proto_message(node, NODE_ATTRIBUTE, &attribute);
}

// A list of one number repeated, which is all that square kernels need.
static void put_ints(mega_proto *node, const char *name, int64_t value, int count) {
    mega_proto attribute = {0};
    mega_proto_text(&attribute, ATTRIBUTE_NAME, name);
    for (int i = 0; i < count; i++) {
        mega_proto_int(&attribute, ATTRIBUTE_INTS, value);
    }
    mega_proto_int(&attribute, ATTRIBUTE_TYPE, ATTRIBUTE_TYPE_INTS);
    mega_proto_message(node, NODE_ATTRIBUTE, &attribute);
}

// A node with one output, after which it is named. `second` and `third` may be NULL.
static mega_proto node_of(const char *type, const char *first, const char *second, const char *third,
                          const char *output) {
    const char *const inputs[] = {first, second, third};
    mega_proto node = {0};
    for (int i = 0; i < 3 && inputs[i] != NULL; i++) {
        mega_proto_text(&node, NODE_INPUT, inputs[i]);
    }
    mega_proto_text(&node, NODE_OUTPUT, output);
    mega_proto_text(&node, NODE_NAME, output);
    mega_proto_text(&node, NODE_OP_TYPE, type);
    return node;
}

// The first dimension of inputs and outputs is a name, the others are numbers.
static void put_value(mega_proto *graph, uint32_t field, const char *name, int64_t element,
                      const uint32_t *sides, uint32_t count) {
    mega_proto value = {0}, type = {0}, tensor = {0}, shape = {0};
    for (uint32_t i = 0; i <= count; i++) {
        mega_proto dimension = {0};
        if (i == 0) {
            mega_proto_text(&dimension, DIMENSION_NAME, "N");
        } else {
            mega_proto_int(&dimension, DIMENSION_VALUE, sides[i - 1]);
        }
        mega_proto_message(&shape, SHAPE_DIMENSION, &dimension);
    }
    mega_proto_int(&tensor, TYPE_TENSOR_ELEMENT, element);
    mega_proto_message(&tensor, TYPE_TENSOR_SHAPE, &shape);
    mega_proto_message(&type, TYPE_TENSOR, &tensor);
    mega_proto_text(&value, VALUE_NAME, name);
    mega_proto_message(&value, VALUE_TYPE, &type);
    mega_proto_message(graph, field, &value);
}

static void put_numbers(mega_proto *graph, const char *name, int64_t element, const uint32_t *shape,
                        uint32_t rank, const void *numbers, size_t size) {
    mega_proto tensor = {0};
    for (uint32_t i = 0; i < rank; i++) {
        mega_proto_int(&tensor, TENSOR_DIMS, shape[i]);
    }
    mega_proto_int(&tensor, TENSOR_DATA_TYPE, element);
    mega_proto_text(&tensor, TENSOR_NAME, name);
    mega_proto_bytes(&tensor, TENSOR_RAW_DATA, numbers, size);
    mega_proto_message(graph, GRAPH_INITIALIZER, &tensor);
}

static void put_initializer(mega_proto *graph, const char *name, const uint32_t *shape, uint32_t rank,
                            const float *numbers, size_t count) {
    put_numbers(graph, name, ELEMENT_FLOAT, shape, rank, numbers, count * sizeof *numbers);
}

// ---- the network -------------------------------------------------------------------------------------

static void put_node(mega_proto *graph, mega_proto node) {
    mega_proto_message(graph, GRAPH_NODE, &node);
}

// Bytes to numbers from 0 to 1, named "scaled".
static void put_scaling(mega_proto *graph) {
    mega_proto cast = node_of("Cast", "observation", NULL, NULL, "numbers");
    put_int(&cast, "to", ELEMENT_FLOAT);
    put_node(graph, cast);
    put_node(graph, node_of("Mul", "numbers", "scale", NULL, "scaled"));
}

// Layer `number`, from `input` to "reluN".
static void put_conv(mega_proto *graph, const mega_conv_layer *layer, uint32_t number, const char *input) {
    char weight[32], bias[32], sum[32], output[32];
    (void)snprintf(weight, sizeof weight, "conv%u.weight", (unsigned)number);
    (void)snprintf(bias, sizeof bias, "conv%u.bias", (unsigned)number);
    (void)snprintf(sum, sizeof sum, "conv%u", (unsigned)number);
    (void)snprintf(output, sizeof output, "relu%u", (unsigned)number);
    mega_proto conv = node_of("Conv", input, weight, bias, sum);
    put_ints(&conv, "kernel_shape", layer->kernel, 2);
    put_ints(&conv, "strides", layer->stride, 2);
    put_ints(&conv, "pads", layer->padding, 4);
    put_node(graph, conv);
    put_node(graph, node_of("Relu", sum, NULL, NULL, output));
}

// Fully connected: weights are [out][in], so that they are transposed.
static void put_gemm(mega_proto *graph, const char *input, const char *weight, const char *bias,
                     const char *output) {
    mega_proto gemm = node_of("Gemm", input, weight, bias, output);
    put_int(&gemm, "transB", 1);
    put_node(graph, gemm);
}

static void put_layers(mega_proto *graph, const mega_network *network) {
    char input[32] = "scaled";
    put_scaling(graph);
    for (uint32_t i = 0; i < network->conv_count; i++) {
        put_conv(graph, &network->conv[i], i + 1, input);
        (void)snprintf(input, sizeof input, "relu%u", (unsigned)(i + 1));
    }
    mega_proto flatten = node_of("Flatten", input, NULL, NULL, "features");
    put_int(&flatten, "axis", 1);
    put_node(graph, flatten);
    put_gemm(graph, "features", "fc.weight", "fc.bias", "fc");
    put_node(graph, node_of("Relu", "fc", NULL, NULL, "hidden"));
}

static void put_policy(mega_proto *graph) {
    put_gemm(graph, "hidden", "policy.weight", "policy.bias", "logits");
    put_gemm(graph, "hidden", "value.weight", "value.bias", "value");
}

// Numbers that have to be [N][rows][atoms] to go on with; without atoms they are [N][rows] and stay so. Returns the name
// of what it made of `input`.
static const char *put_atoms(mega_proto *graph, const mega_network *network, const char *input,
                             const char *shape, const char *output) {
    if (network->atoms == 1) {
        return input;
    }
    put_node(graph, node_of("Reshape", input, shape, NULL, output));
    return output;
}

// Value and advantages to `output`: the advantages lose their mean over the actions.
static void put_dueling(mega_proto *graph, const mega_network *network, const char *output) {
    mega_proto split = node_of("Split", "hidden", NULL, NULL, "hidden_advantage");
    mega_proto_text(&split, NODE_OUTPUT, "hidden_value");
    put_int(&split, "axis", 1); // halves
    put_node(graph, split);
    put_gemm(graph, "hidden_advantage", "advantage.weight", "advantage.bias", "advantage");
    put_gemm(graph, "hidden_value", "value.weight", "value.bias", "value");
    const char *advantage = put_atoms(graph, network, "advantage", "action_shape", "advantage_atoms");
    const char *value = put_atoms(graph, network, "value", "value_shape", "value_atoms");
    mega_proto mean = node_of("ReduceMean", advantage, NULL, NULL, "advantage_mean");
    put_ints(&mean, "axes", 1, 1);
    put_int(&mean, "keepdims", 1);
    put_node(graph, mean);
    put_node(graph, node_of("Sub", advantage, "advantage_mean", NULL, "advantage_only"));
    put_node(graph, node_of("Add", "advantage_only", value, NULL, output));
}

// The values of the actions, named "q".
static void put_q(mega_proto *graph, const mega_network *network) {
    const char *output = network->atoms == 1 ? "q" : "atoms";
    if (network->value_outputs > 0) {
        put_dueling(graph, network, output);
    } else {
        put_gemm(graph, "hidden", "q.weight", "q.bias", network->atoms == 1 ? "q" : "logits");
        (void)put_atoms(graph, network, "logits", "action_shape", output);
    }
    if (network->atoms > 1) {
        mega_proto softmax = node_of("Softmax", "atoms", NULL, NULL, "probabilities");
        put_int(&softmax, "axis", 2);
        put_node(graph, softmax);
        put_node(graph, node_of("MatMul", "probabilities", "support", NULL, "q"));
    }
}

// What put_q needs besides parameters.
static void put_q_constants(mega_proto *graph, const mega_network *network,
                            const mega_onnx_support *support) {
    const int64_t shapes[2][3] = {{-1, network->actions, network->atoms}, {-1, 1, network->atoms}};
    const uint32_t three = 3;
    float places[MEGA_NETWORK_ATOMS];
    if (network->atoms == 1) {
        return;
    }
    for (uint32_t i = 0; i < network->atoms; i++) {
        const double step = (support->most - support->least) / (network->atoms - 1);
        places[i] = (float)(support->least + step * i);
    }
    put_initializer(graph, "support", &network->atoms, 1, places, network->atoms);
    put_numbers(graph, "action_shape", ELEMENT_INT64, &three, 1, shapes[0], sizeof shapes[0]);
    if (network->value_outputs > 0) {
        put_numbers(graph, "value_shape", ELEMENT_INT64, &three, 1, shapes[1], sizeof shapes[1]);
    }
}

static void put_outputs(mega_proto *graph, const mega_network *network) {
    const uint32_t one = 1;
    if (network->is_q) {
        put_value(graph, GRAPH_OUTPUT, "q", ELEMENT_FLOAT, &network->actions, 1);
    } else {
        put_value(graph, GRAPH_OUTPUT, "logits", ELEMENT_FLOAT, &network->actions, 1);
        put_value(graph, GRAPH_OUTPUT, "value", ELEMENT_FLOAT, &one, 1);
    }
}

static mega_proto make_graph(const mega_network *network, const float *parameters,
                             const mega_onnx_support *support) {
    const uint32_t observation[] = {network->stack, network->height, network->width};
    const float scale = 1.0f / 255.0f;
    mega_proto graph = {0};
    put_layers(&graph, network);
    if (network->is_q) {
        put_q(&graph, network);
    } else {
        put_policy(&graph);
    }
    mega_proto_text(&graph, GRAPH_NAME, "policy");
    put_initializer(&graph, "scale", NULL, 0, &scale, 1);
    for (uint32_t i = 0; i < network->tensor_count; i++) {
        const mega_tensor *tensor = &network->tensor[i];
        put_initializer(&graph, tensor->name, tensor->shape, tensor->rank, parameters + tensor->first,
                        tensor->count);
    }
    if (network->is_q) {
        put_q_constants(&graph, network, support);
    }
    put_value(&graph, GRAPH_INPUT, "observation", ELEMENT_UINT8, observation, 3);
    put_outputs(&graph, network);
    return graph;
}

static void put_metadata(mega_proto *model, const char *key, const char *value) {
    mega_proto entry = {0};
    mega_proto_text(&entry, ENTRY_KEY, key);
    mega_proto_text(&entry, ENTRY_VALUE, value);
    mega_proto_message(model, MODEL_METADATA, &entry);
}

static mega_proto make_model(mega_proto *graph, const mega_export_note *notes, size_t note_count) {
    mega_proto model = {0}, operators = {0};
    mega_proto_int(&model, MODEL_IR_VERSION, IR_VERSION);
    mega_proto_text(&model, MODEL_PRODUCER_NAME, "megacade");
    mega_proto_text(&model, MODEL_PRODUCER_VERSION, MEGA_VERSION);
    mega_proto_message(&model, MODEL_GRAPH, graph);
    mega_proto_text(&operators, OPSET_DOMAIN, "");
    mega_proto_int(&operators, OPSET_VERSION, OPERATORS_VERSION);
    mega_proto_message(&model, MODEL_OPSET_IMPORT, &operators);
    put_metadata(&model, "megacade", MEGA_VERSION);
    for (size_t i = 0; i < note_count; i++) {
        put_metadata(&model, notes[i].key, notes[i].value);
    }
    return model;
}

int mega_onnx_write(const char *path, const mega_network *network, const float *parameters,
                    const mega_onnx_support *support, const mega_export_note *notes, size_t note_count,
                    mega_message *message) {
    mega_proto graph = make_graph(network, parameters, support);
    mega_proto model = make_model(&graph, notes, note_count);
    mega_out_file file;
    int status = -1;
    if (model.failed) {
        (void)mega_message_set(message, "out of memory");
    } else if (model.size > MODEL_MAX) {
        (void)mega_message_set(message, "cannot write %s: ONNX models have less than 2 GiB", path);
    } else if (mega_out_file_open(&file, path, message) == 0) {
        // A failure of the stream is kept in it and reported by the commit.
        (void)fwrite(model.bytes, 1, model.size, file.stream);
        status = mega_out_file_commit(&file, message);
    }
    mega_proto_release(&model);
    return status;
}
