// safetensors.c - see safetensors.h. A file is the size of its header (8 bytes), the header (JSON), and the numbers of
// all tensors without a gap.
#include "safetensors.h"

#include "json.h"
#include "json_reader.h"
#include "little_endian.h"
#include "megacade.h"
#include "out_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    SIZE_SIZE = 8,         // of the number in front of the header
    HEADER_ALIGNMENT = 8,  // readers map the file and use the numbers in place
    HEADER_MAX = 16 << 20, // of files that we read; ours have 2 KiB
    NAME_SIZE = 256        // of tensors that are not ours
};

// ---- writing -----------------------------------------------------------------------------------------

// The numbers of the tensors in the order of their names, which is how the format's own library lays out tensors of
// one type.
static void sort_tensors(const mega_network *network, uint32_t order[MEGA_NETWORK_TENSORS]) {
    for (uint32_t i = 0; i < network->tensor_count; i++) {
        uint32_t at = i;
        for (; at > 0 && strcmp(network->tensor[order[at - 1]].name, network->tensor[i].name) > 0; at--) {
            order[at] = order[at - 1];
        }
        order[at] = i;
    }
}

static void put_tensor(mega_json *json, const mega_tensor *tensor, size_t *offset) {
    mega_json_object_begin(json, tensor->name);
    mega_json_text(json, "dtype", "F32");
    mega_json_array_begin(json, "shape");
    for (uint32_t i = 0; i < tensor->rank; i++) {
        mega_json_int(json, NULL, tensor->shape[i]);
    }
    mega_json_array_end(json);
    mega_json_array_begin(json, "data_offsets");
    mega_json_int(json, NULL, (int64_t)*offset);
    *offset += tensor->count * sizeof(float);
    mega_json_int(json, NULL, (int64_t)*offset);
    mega_json_array_end(json);
    mega_json_object_end(json);
}

static void put_header(FILE *out, const mega_network *network, const uint32_t *order,
                       const mega_export_note *notes, size_t note_count) {
    mega_json json = mega_json_begin(out);
    mega_json_object_begin(&json, "__metadata__");
    mega_json_text(&json, "format", "pt");
    mega_json_text(&json, "megacade", MEGA_VERSION);
    for (size_t i = 0; i < note_count; i++) {
        mega_json_text(&json, notes[i].key, notes[i].value);
    }
    mega_json_object_end(&json);
    size_t offset = 0;
    for (uint32_t i = 0; i < network->tensor_count; i++) {
        put_tensor(&json, &network->tensor[order[i]], &offset);
    }
    mega_json_end(&json);
}

// The header with the size before it and blanks after it, to be freed; NULL when out of memory.
static uint8_t *make_header(const mega_network *network, const uint32_t *order, const mega_export_note *notes,
                            size_t note_count, size_t *size) {
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    if (stream == NULL) {
        return NULL;
    }
    put_header(stream, network, order, notes, note_count);
    if (fclose(stream) != 0) {
        free(text);
        return NULL;
    }
    length--; // the line feed at the end
    const size_t padded = (length + HEADER_ALIGNMENT - 1) / HEADER_ALIGNMENT * HEADER_ALIGNMENT;
    uint8_t *header = malloc(SIZE_SIZE + padded);
    if (header != NULL) {
        mega_put_u64(header, padded);
        memset(header + SIZE_SIZE, ' ', padded);
        memcpy(header + SIZE_SIZE, text, length);
        *size = SIZE_SIZE + padded;
    }
    free(text);
    return header;
}

int mega_safetensors_write(const char *path, const mega_network *network, const float *parameters,
                           const mega_export_note *notes, size_t note_count, mega_message *message) {
    uint32_t order[MEGA_NETWORK_TENSORS];
    size_t size = 0;
    sort_tensors(network, order);
    uint8_t *header = make_header(network, order, notes, note_count, &size);
    if (header == NULL) {
        return mega_message_set(message, "out of memory");
    }
    mega_out_file file;
    if (mega_out_file_open(&file, path, message) != 0) {
        free(header);
        return -1;
    }
    // Failures of the stream are kept in it and reported by the commit.
    (void)fwrite(header, 1, size, file.stream);
    for (uint32_t i = 0; i < network->tensor_count; i++) {
        const mega_tensor *tensor = &network->tensor[order[i]];
        (void)fwrite(parameters + tensor->first, sizeof(float), tensor->count, file.stream);
    }
    free(header);
    return mega_out_file_commit(&file, message);
}

// ---- reading -----------------------------------------------------------------------------------------

// A tensor of a file, and the file.
typedef struct source {
    FILE *stream;
    const char *path;
    uint64_t data;      // where the numbers begin
    uint64_t data_size; // their bytes
} source;

typedef struct described {
    char type[16];
    uint32_t rank;
    double shape[4]; // of ranks above 4 the rest is not kept
    double begin;
    double end;
} described;

static int refuse(const source *source, const char *why, mega_message *message) {
    return mega_message_set(message, "%s is not a sound .safetensors file: %s", source->path, why);
}

// Opens the file and reads its header, to be freed.
static int read_header(source *source, char **header, size_t *size, mega_message *message) {
    struct stat status;
    uint8_t bytes[SIZE_SIZE];
    source->stream = fopen(source->path, "rb");
    if (source->stream == NULL || fstat(fileno(source->stream), &status) != 0) {
        return mega_message_set(message, "cannot read %s: %s", source->path, strerror(errno));
    }
    const uint64_t file_size = S_ISREG(status.st_mode) ? (uint64_t)status.st_size : 0;
    if (file_size < SIZE_SIZE || fread(bytes, 1, SIZE_SIZE, source->stream) != SIZE_SIZE) {
        return refuse(source, "it is too short", message);
    }
    const uint64_t header_size = mega_get_u64(bytes);
    if (header_size > file_size - SIZE_SIZE || header_size > HEADER_MAX) {
        return refuse(source, "its header does not fit", message);
    }
    *size = (size_t)header_size;
    *header = malloc(*size + 1);
    if (*header == NULL) {
        return mega_message_set(message, "out of memory");
    }
    if (fread(*header, 1, *size, source->stream) != *size) {
        return refuse(source, "it cannot be read", message);
    }
    source->data = SIZE_SIZE + header_size;
    source->data_size = file_size - source->data;
    return 0;
}

static void read_shape(mega_json_reader *reader, described *tensor) {
    tensor->rank = 0;
    for (bool more = mega_json_read_open(reader, '['); more; more = mega_json_read_more(reader, ']')) {
        double side = 0.0;
        if (!mega_json_read_number(reader, &side)) {
            return;
        }
        if (tensor->rank < 4) {
            tensor->shape[tensor->rank] = side;
        }
        tensor->rank++;
    }
}

static void read_offsets(mega_json_reader *reader, described *tensor) {
    if (mega_json_read_open(reader, '[') && mega_json_read_number(reader, &tensor->begin) &&
        mega_json_read_more(reader, ']') && mega_json_read_number(reader, &tensor->end) &&
        !mega_json_read_more(reader, ']')) {
        return;
    }
    (void)mega_json_reader_fail(reader, "data_offsets are two numbers");
}

// What the header says about one tensor.
static bool read_description(mega_json_reader *reader, described *tensor) {
    char key[32];
    *tensor = (described){.begin = -1.0, .end = -1.0};
    for (bool more = mega_json_read_open(reader, '{'); more; more = mega_json_read_more(reader, '}')) {
        if (!mega_json_read_key(reader, key, sizeof key)) {
            return false;
        }
        if (strcmp(key, "dtype") == 0) {
            (void)mega_json_read_text(reader, tensor->type, sizeof tensor->type);
        } else if (strcmp(key, "shape") == 0) {
            read_shape(reader, tensor);
        } else if (strcmp(key, "data_offsets") == 0) {
            read_offsets(reader, tensor);
        } else {
            (void)mega_json_read_skip(reader);
        }
    }
    return reader->mistake == NULL;
}

static bool same_shape(const mega_tensor *wanted, const described *tensor) {
    bool same = wanted->rank == tensor->rank && strcmp(tensor->type, "F32") == 0;
    for (uint32_t i = 0; same && i < wanted->rank; i++) {
        same = tensor->shape[i] == (double)wanted->shape[i];
    }
    return same;
}

static int read_numbers(const source *source, const mega_tensor *wanted, const described *tensor,
                        float *parameters, mega_message *message) {
    if (!same_shape(wanted, tensor)) {
        return mega_message_set(message,
                                "tensor '%s' of %s is not F32 or has another shape than the network's",
                                wanted->name, source->path);
    }
    const size_t size = wanted->count * sizeof(float);
    // Doubles hold whole numbers up to 2^53 exactly, which is more than any file has.
    if (!(tensor->begin >= 0.0 && tensor->end <= (double)source->data_size &&
          tensor->end - tensor->begin == (double)size && tensor->begin == (double)(uint64_t)tensor->begin)) {
        return refuse(source, "a tensor does not lie in it", message);
    }
    const uint64_t offset = source->data + (uint64_t)tensor->begin;
    if (fseeko(source->stream, (off_t)offset, SEEK_SET) != 0 ||
        fread(parameters + wanted->first, 1, size, source->stream) != size) {
        return refuse(source, "it cannot be read", message);
    }
    return 0;
}

static int read_tensors(const source *source, mega_json_reader *reader, const mega_network *network,
                        float *parameters, mega_message *message) {
    bool found[MEGA_NETWORK_TENSORS] = {false};
    for (bool more = mega_json_read_open(reader, '{'); more; more = mega_json_read_more(reader, '}')) {
        char name[NAME_SIZE];
        described tensor;
        if (!mega_json_read_key(reader, name, sizeof name)) {
            break;
        }
        const mega_tensor *wanted = mega_network_find(network, name);
        if (wanted == NULL) {
            (void)mega_json_read_skip(reader);
            continue;
        }
        if (found[wanted - network->tensor]) {
            return refuse(source, "it has a tensor twice", message);
        }
        if (read_description(reader, &tensor)) {
            if (read_numbers(source, wanted, &tensor, parameters, message) != 0) {
                return -1;
            }
            found[wanted - network->tensor] = true;
        }
    }
    if (!mega_json_read_end(reader)) {
        return refuse(source, reader->mistake, message);
    }
    for (uint32_t i = 0; i < network->tensor_count; i++) {
        if (!found[i]) {
            return mega_message_set(message, "%s has no tensor '%s'", source->path, network->tensor[i].name);
        }
    }
    return 0;
}

int mega_safetensors_read(const char *path, const mega_network *network, float *parameters,
                          mega_message *message) {
    source source = {.path = path};
    char *header = NULL;
    size_t size = 0;
    int status = read_header(&source, &header, &size, message);
    if (status == 0) {
        mega_json_reader reader = mega_json_reader_begin(header, size);
        memset(parameters, 0, network->parameter_count * sizeof *parameters);
        status = read_tensors(&source, &reader, network, parameters, message);
    }
    free(header);
    if (source.stream != NULL) {
        (void)fclose(source.stream);
    }
    return status;
}
