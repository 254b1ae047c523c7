// export_network.c - writes a network with known parameters in every format that we export, and what it answers, so
// that other programs can be asked the same (tests/python/test_exports.py).
//
//     export_network FOLDER NETWORK STACK HEIGHT WIDTH ACTIONS [ATOMS DUELING]
//
// With the last two (DUELING is 0 or 1) it is a Q-network, else an actor-critic.
//
// Writes into FOLDER:
//     network.safetensors, network.onnx
//     network.json        layers and tensors
//     parameters.raw      float32, the tensors of network.json one after the other
//     observations.raw    uint8, BATCH observations
//     logits.raw, values.raw   float32, by the reference backend: what the heads give
#include "json.h"
#include "net.h"
#include "onnx.h"
#include "out_file.h"
#include "safetensors.h"

#include <stdlib.h>
#include <string.h>

enum {
    BATCH = 3,
    PATH_SIZE = 4096
};

static mega_message message;
static const mega_onnx_support SUPPORT = {-10, 10};

static void must(int status) {
    if (status != 0) {
        fprintf(stderr, "export_network: %s\n", message.text);
        exit(1);
    }
}

static const char *path_of(const char *folder, const char *name) {
    static char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_raw(const char *folder, const char *name, const void *bytes, size_t size) {
    mega_out_file file;
    must(mega_out_file_open(&file, path_of(folder, name), &message));
    fwrite(bytes, 1, size, file.stream);
    must(mega_out_file_commit(&file, &message));
}

static void write_parameters(const char *folder, const mega_network *network, const float *parameters) {
    mega_out_file file;
    must(mega_out_file_open(&file, path_of(folder, "parameters.raw"), &message));
    for (uint32_t i = 0; i < network->tensor_count; i++) {
        fwrite(parameters + network->tensor[i].first, sizeof(float), network->tensor[i].count, file.stream);
    }
    must(mega_out_file_commit(&file, &message));
}

static void write_layers(const char *folder, const mega_network *network) {
    mega_out_file file;
    must(mega_out_file_open(&file, path_of(folder, "network.json"), &message));
    mega_json json = mega_json_begin(file.stream);
    mega_json_int(&json, "batch", BATCH);
    mega_json_int(&json, "is_q", network->is_q);
    mega_json_int(&json, "atoms", network->atoms);
    mega_json_int(&json, "value_outputs", network->value_outputs);
    mega_json_int(&json, "least", (int64_t)SUPPORT.least);
    mega_json_int(&json, "most", (int64_t)SUPPORT.most);
    mega_json_array_begin(&json, "convs");
    for (uint32_t i = 0; i < network->conv_count; i++) {
        mega_json_object_begin(&json, NULL);
        mega_json_int(&json, "stride", network->conv[i].stride);
        mega_json_int(&json, "padding", network->conv[i].padding);
        mega_json_object_end(&json);
    }
    mega_json_array_end(&json);
    mega_json_array_begin(&json, "tensors");
    for (uint32_t i = 0; i < network->tensor_count; i++) {
        mega_json_object_begin(&json, NULL);
        mega_json_text(&json, "name", network->tensor[i].name);
        mega_json_array_begin(&json, "shape");
        for (uint32_t k = 0; k < network->tensor[i].rank; k++) {
            mega_json_int(&json, NULL, network->tensor[i].shape[k]);
        }
        mega_json_array_end(&json);
        mega_json_object_end(&json);
    }
    mega_json_array_end(&json);
    mega_json_end(&json);
    must(mega_out_file_commit(&file, &message));
}

// What the network answers to observations that are written, too.
static void write_answers(const char *folder, const mega_network *network, const float *parameters) {
    const size_t size = BATCH * mega_network_observation_size(network);
    uint8_t *observations = malloc(size);
    uint64_t state = 1;
    for (size_t i = 0; i < size; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        observations[i] = (uint8_t)(state >> 56);
    }
    mega_net *net = NULL;
    mega_pass *pass = NULL;
    must(mega_net_create(&mega_net_ref, network, 1, &net, &message));
    memcpy(net->parameters, parameters, network->parameter_count * sizeof *parameters);
    mega_net_changed(net);
    must(mega_pass_create(net, BATCH, false, &pass, &message));
    must(mega_pass_forward(pass, observations, NULL, &message));
    write_raw(folder, "observations.raw", observations, size);
    write_raw(folder, "logits.raw", pass->logits, (size_t)BATCH * network->outputs * sizeof(float));
    write_raw(folder, "values.raw", pass->values, (size_t)BATCH * network->value_outputs * sizeof(float));
    mega_pass_destroy(pass);
    mega_net_destroy(net);
    free(observations);
}

int main(int count, char **words) {
    static const mega_export_note notes[] = {{"game", "pong"}, {"quote", "\"\\ \xC3\xA4"}};
    uint32_t sizes[6];
    mega_network network;
    if (count != 7 && count != 9) {
        fprintf(stderr, "usage: export_network FOLDER NETWORK STACK HEIGHT WIDTH ACTIONS [ATOMS DUELING]\n");
        return 2;
    }
    for (int i = 0; i < count - 3; i++) {
        sizes[i] = (uint32_t)strtoul(words[3 + i], NULL, 10);
    }
    must(count == 9
             ? mega_network_describe_q(words[2], sizes[0], sizes[1], sizes[2], sizes[3], sizes[4],
                                       sizes[5] != 0, &network, &message)
             : mega_network_describe(words[2], sizes[0], sizes[1], sizes[2], sizes[3], &network, &message));
    float *parameters = malloc(network.parameter_count * sizeof *parameters);
    // Biases that are not zero, so that all of them matter.
    mega_network_initialise(&network, MEGA_INIT_UNIFORM, 7, parameters);
    must(mega_safetensors_write(path_of(words[1], "network.safetensors"), &network, parameters, notes, 2,
                                &message));
    must(mega_onnx_write(path_of(words[1], "network.onnx"), &network, parameters, &SUPPORT, notes, 2,
                         &message));
    write_parameters(words[1], &network, parameters);
    write_layers(words[1], &network);
    write_answers(words[1], &network, parameters);
    free(parameters);
    return 0;
}
