// test_onnx.c - ONNX models: their encoding is sound and all that a network is made of is in them. Whether they compute
// the right thing is seen by running them: tests/python/test_exports.py.
#include "mega_test.h"
#include "mega_test_files.h"
#include "onnx.h"

enum {
    ROOM = 1 << 16
};

static mega_message message;
static mega_network network;
static float *parameters;
static uint8_t bytes[ROOM];

typedef struct span {
    const uint8_t *at;
    const uint8_t *end;
} span;

static int broken;

static uint64_t varint(span *span) {
    uint64_t value = 0;
    for (int shift = 0; shift < 64 && span->at < span->end; shift += 7) {
        const uint8_t byte = *span->at++;
        value |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80) {
            return value;
        }
    }
    broken = 1;
    return 0;
}

// Takes a field; `inner` becomes its bytes, *value its number.
static int next(span *outer, uint32_t *field, span *inner, uint64_t *value) {
    if (broken || outer->at == outer->end) {
        return 0;
    }
    const uint64_t key = varint(outer);
    *field = (uint32_t)(key >> 3);
    *value = varint(outer);
    *inner = *outer;
    if ((key & 7) == 2) {
        if (*value > (uint64_t)(outer->end - outer->at)) {
            broken = 1;
            return 0;
        }
        outer->at += *value;
        inner->end = outer->at;
    } else if ((key & 7) != 0) {
        broken = 1;
    }
    return !broken;
}

static int is_text(span span, const char *text) {
    return (size_t)(span.end - span.at) == strlen(text) && memcmp(span.at, text, strlen(text)) == 0;
}

// The `index`th field of that number, or an empty span.
static span find(span message_span, uint32_t wanted, uint32_t index) {
    uint32_t field = 0;
    uint64_t value = 0;
    span inner;
    while (next(&message_span, &field, &inner, &value)) {
        if (field == wanted && index-- == 0) {
            return inner;
        }
    }
    return (span){NULL, NULL};
}

static void check_initializer(span graph, uint32_t index, const mega_tensor *tensor) {
    const span found = find(graph, 5, index);
    const span raw = find(found, 9, 0);
    MEGA_CHECK(is_text(find(found, 8, 0), tensor->name));
    MEGA_CHECK_EQ(raw.end - raw.at, tensor->count * sizeof(float));
    MEGA_CHECK_BYTES(raw.at, parameters + tensor->first, tensor->count * sizeof(float));
    span all = found, inner;
    uint32_t field = 0, rank = 0;
    uint64_t value = 0;
    while (next(&all, &field, &inner, &value)) {
        if (field == 1) {
            MEGA_CHECK(rank < tensor->rank && value == tensor->shape[rank]);
            rank++;
        }
    }
    MEGA_CHECK_EQ(rank, tensor->rank);
}

// Writes the network and returns the model as it is in the file.
static span write_model(const mega_onnx_support *support) {
    static const mega_export_note notes[] = {{"game", "pong"}};
    const char *path = mega_test_path("network.onnx");
    MEGA_CHECK_EQ(mega_onnx_write(path, &network, parameters, support, notes, 1, &message), 0);
    FILE *stream = fopen(path, "rb");
    const size_t size = stream != NULL ? fread(bytes, 1, ROOM, stream) : 0;
    if (stream != NULL) {
        fclose(stream);
    }
    MEGA_CHECK(size > 1000 && size < ROOM);
    return (span){bytes, bytes + size};
}

// Its nodes are of these types, and its tensors are all there.
static void check_graph(span graph, const char *const *types, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        MEGA_CHECK(is_text(find(find(graph, 1, i), 4, 0), types[i]));
    }
    MEGA_CHECK(find(graph, 1, count).at == NULL);
    for (uint32_t i = 0; i < network.tensor_count; i++) {
        check_initializer(graph, i + 1, &network.tensor[i]); // the first is the scale
    }
    MEGA_CHECK(is_text(find(find(graph, 11, 0), 1, 0), "observation"));
}

static void test_model(void) {
    static const char *const types[] = {"Cast",    "Mul",  "Conv", "Relu", "Conv", "Relu",
                                        "Flatten", "Gemm", "Relu", "Gemm", "Gemm"};
    const span model = write_model(NULL);
    const span graph = find(model, 7, 0);
    MEGA_CHECK_EQ(bytes[0], 8); // the first field is the version of the format: 8
    MEGA_CHECK_EQ(bytes[1], 8);
    check_graph(graph, types, 11);
    MEGA_CHECK(is_text(find(find(graph, 12, 0), 1, 0), "logits"));
    MEGA_CHECK(is_text(find(find(graph, 12, 1), 1, 0), "value"));
    MEGA_CHECK(is_text(find(find(model, 14, 0), 1, 0), "megacade"));
    MEGA_CHECK(is_text(find(find(model, 14, 1), 1, 0), "game") &&
               is_text(find(find(model, 14, 1), 2, 0), "pong"));
    MEGA_CHECK(!broken);
}

static void test_q_model(void) {
    static const char *const types[] = {"Cast",       "Mul",   "Conv", "Relu",    "Flatten", "Gemm",
                                        "Relu",       "Split", "Gemm", "Gemm",    "Reshape", "Reshape",
                                        "ReduceMean", "Sub",   "Add",  "Softmax", "MatMul"};
    const mega_onnx_support support = {-2, 4};
    const float places[] = {-2, 0, 2, 4};
    const span graph = find(write_model(&support), 7, 0);
    check_graph(graph, types, 17);
    const span last = find(graph, 5, network.tensor_count + 1);
    MEGA_CHECK(is_text(find(last, 8, 0), "support"));
    MEGA_CHECK_BYTES(find(last, 9, 0).at, places, sizeof places);
    MEGA_CHECK(is_text(find(find(graph, 12, 0), 1, 0), "q"));
    MEGA_CHECK(find(graph, 12, 1).at == NULL);
    MEGA_CHECK(!broken);
}

static void test_mistakes(void) {
    MEGA_CHECK_EQ(
        mega_onnx_write(mega_test_path("absent/x.onnx"), &network, parameters, NULL, NULL, 0, &message), -1);
    MEGA_CHECK(strstr(message.text, "cannot write") != NULL);
    if (access("/dev/full", W_OK) == 0) {
        MEGA_CHECK_EQ(mega_onnx_write("/dev/full", &network, parameters, NULL, NULL, 0, &message), -1);
        MEGA_CHECK(strstr(message.text, "No space left") != NULL);
    }
}

int main(void) {
    MEGA_CHECK_EQ(mega_network_describe("conv 4x3/2+1, conv 3x2/1, fc 6", 2, 13, 11, 3, &network, &message),
                  0);
    parameters = malloc(network.parameter_count * sizeof *parameters);
    mega_network_initialise(&network, MEGA_INIT_UNIFORM, 3, parameters);
    test_model();
    test_mistakes();
    free(parameters);
    MEGA_CHECK_EQ(mega_network_describe_q("conv 4x3/2+1, fc 6", 2, 13, 11, 3, 4, true, &network, &message),
                  0);
    parameters = malloc(network.parameter_count * sizeof *parameters);
    mega_network_initialise(&network, MEGA_INIT_UNIFORM, 3, parameters);
    test_q_model();
    free(parameters);
    mega_test_remove_files();
    return mega_test_result();
}
