// test_safetensors.c - parameters out and back in; files that are damaged, or of another network, are refused.
#include "mega_test.h"
#include "mega_test_files.h"
#include "safetensors.h"

#include <stdbool.h>

enum {
    ROOM = 1 << 16
};

static mega_message message;
static mega_network network;
static float *parameters;
static float *found;
static uint8_t bytes[ROOM];
static size_t size;

static bool says(const char *part) {
    const bool has = strstr(message.text, part) != NULL;
    if (!has) {
        fprintf(stderr, "'%s' does not say '%s'\n", message.text, part);
    }
    return has;
}

static void load(const char *path) {
    FILE *stream = fopen(path, "rb");
    MEGA_CHECK(stream != NULL);
    size = stream != NULL ? fread(bytes, 1, ROOM, stream) : 0;
    if (stream != NULL) {
        fclose(stream);
    }
}

static void test_round_trip(const char *path) {
    static const mega_export_note notes[] = {{"game", "pong"}, {"note", "a \"quoted\" one"}};
    MEGA_CHECK_EQ(mega_safetensors_write(path, &network, parameters, notes, 2, &message), 0);
    const size_t slab = network.parameter_count * sizeof *found;
    memset(found, 0xFF, slab);
    MEGA_CHECK_EQ(mega_safetensors_read(path, &network, found, &message), 0);
    MEGA_CHECK_BYTES(found, parameters, slab); // what lies between tensors is zero, too
    load(path);
    MEGA_CHECK(size > 100 && size < ROOM);
    MEGA_CHECK_EQ(bytes[0] % 8, 0);
    const char *start = "{\"__metadata__\": {\"format\": \"pt\", \"megacade\": \"";
    MEGA_CHECK_BYTES(bytes + 8, start, strlen(start));
    bytes[size] = '\0';
    const char *header = (const char *)bytes + 8;
    MEGA_CHECK(strstr(header, "\"game\": \"pong\", \"note\": \"a \\\"quoted\\\" one\"}") != NULL);
    MEGA_CHECK(
        strstr(header, "\"conv1.bias\": {\"dtype\": \"F32\", \"shape\": [2], \"data_offsets\": [0, 8]}") !=
        NULL);
}

static int read_status(const void *data, size_t data_size) {
    const char *path = mega_test_write("changed.safetensors", data, data_size);
    mega_test_made_count--; // the same file again and again
    strcpy(message.text, "nothing");
    return mega_safetensors_read(path, &network, found, &message);
}

static void test_cut_short(void) {
    static uint8_t copy[ROOM];
    memcpy(copy, bytes, size);
    for (size_t i = 0; i < size; i++) {
        MEGA_CHECK_EQ(read_status(copy, i), -1);
        MEGA_CHECK(says("changed.safetensors is not a sound .safetensors file: "));
    }
    MEGA_CHECK_EQ(read_status(copy, size), 0);
}

// Writes a file with this header and 64 bytes of numbers.
static int read_header(const char *header) {
    uint8_t file[2048] = {0};
    const size_t length = strlen(header);
    file[0] = (uint8_t)length;
    file[1] = (uint8_t)(length >> 8);
    memcpy(file + 8, header, length);
    return read_status(file, 8 + length + 64);
}

static void test_headers(void) {
    MEGA_CHECK(read_header("{}") == -1 && says("has no tensor 'conv1.weight'"));
    MEGA_CHECK(read_header("[]") == -1 && says("an object was expected"));
    MEGA_CHECK(read_header("{\"conv1.bias\": 1}") == -1 && says("an object was expected"));
    MEGA_CHECK(
        read_header("{\"conv1.bias\": {\"dtype\": \"F16\", \"shape\": [2], \"data_offsets\": [0, 8]}}") ==
            -1 &&
        says("tensor 'conv1.bias' of") && says("is not F32 or has another shape"));
    MEGA_CHECK(
        read_header("{\"conv1.bias\": {\"dtype\": \"F32\", \"shape\": [3], \"data_offsets\": [0, 8]}}") ==
            -1 &&
        says("another shape"));
    MEGA_CHECK(
        read_header("{\"conv1.bias\": {\"dtype\": \"F32\", \"shape\": [2, 1], \"data_offsets\": [0, 8]}}") ==
            -1 &&
        says("another shape"));
}

static void test_offsets(void) {
    static const char *const offsets[] = {"[0, 12]",
                                          "[8, 0]",
                                          "[-8, 0]",
                                          "[60, 68]",
                                          "[0.5, 8.5]",
                                          "[1e300, 1e300]",
                                          "[9007199254740992, 9007199254741000]"};
    for (size_t i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
        char header[256];
        snprintf(header, sizeof header,
                 "{\"conv1.bias\": {\"dtype\": \"F32\", \"shape\": [2], \"data_offsets\": %s}}", offsets[i]);
        MEGA_CHECK(read_header(header) == -1 && says("a tensor does not lie in it"));
    }
    MEGA_CHECK(read_header("{\"conv1.bias\": {\"dtype\": \"F32\", \"shape\": [2]}}") == -1);
    MEGA_CHECK(read_header("{\"conv1.bias\": {\"dtype\": \"F32\", \"shape\": [2], \"data_offsets\": [0]}}") ==
               -1);
}

// Others are passed over, whatever they are, and one that comes twice is not chosen from.
static void test_names(void) {
    MEGA_CHECK(
        read_header(
            "{\"other\": {\"dtype\": [[]], \"x\": null}, \"conv1.bias\": {\"dtype\": \"F32\", \"shape\": "
            "[2], \"data_offsets\": [56, 64]}}") == -1 &&
        says("has no tensor 'conv1.weight'"));
    MEGA_CHECK(read_header(
                   "{\"conv1.bias\": {\"dtype\": \"F32\", \"shape\": [2], \"data_offsets\": [0, 8]}, "
                   "\"conv1.bias\": {\"dtype\": \"F32\", \"shape\": [2], \"data_offsets\": [0, 8]}}") == -1 &&
               says("twice"));
}

static void test_files(const char *path) {
    mega_network other;
    MEGA_CHECK_EQ(mega_network_describe("conv 2x3/2, fc 5", 1, 9, 7, 4, &other, &message), 0);
    float *more = malloc(other.parameter_count * sizeof *more);
    MEGA_CHECK(mega_safetensors_read(path, &other, more, &message) == -1 && says("'policy."));
    free(more);
    MEGA_CHECK(mega_safetensors_read(mega_test_path("missing"), &network, found, &message) == -1 &&
               says("No such file"));
    MEGA_CHECK_EQ(mega_safetensors_read("/dev/zero", &network, found, &message), -1);
    MEGA_CHECK_EQ(mega_safetensors_read("/tmp", &network, found, &message), -1);
    MEGA_CHECK(mega_safetensors_write(mega_test_path("absent/x"), &network, parameters, NULL, 0, &message) ==
                   -1 &&
               says("cannot write"));
    if (access("/dev/full", W_OK) == 0) {
        MEGA_CHECK(mega_safetensors_write("/dev/full", &network, parameters, NULL, 0, &message) == -1 &&
                   says("No space left"));
    }
}

int main(void) {
    MEGA_CHECK_EQ(mega_network_describe("conv 2x3/2, fc 5", 1, 9, 7, 3, &network, &message), 0);
    parameters = malloc(network.parameter_count * sizeof *parameters);
    found = malloc(network.parameter_count * sizeof *found);
    mega_network_initialise(&network, MEGA_INIT_UNIFORM, 3, parameters);
    const char *path = mega_test_path("network.safetensors");
    test_round_trip(path);
    test_cut_short();
    test_headers();
    test_offsets();
    test_names();
    test_files(path);
    free(parameters);
    free(found);
    mega_test_path("changed.safetensors");
    mega_test_remove_files();
    return mega_test_result();
}
