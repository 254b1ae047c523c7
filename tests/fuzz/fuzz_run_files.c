// fuzz_run_files.c - damaged settings, weights and logs through their readers: whatever is in them, they are read or
// refused. (Checkpoints have a fuzzer of their own.)
//
//     fuzz_run_files [--cases N] [--seed N]
//
// --cases  how many (20000)
// --seed   of the first case (0); repeat a failing one with --cases 1 --seed N
// Most useful with the sanitizers: build-asan/tests/fuzz_run_files. Ends with 1 at the first failure.
#include "mega_test_files.h"
#include "mega_test_fuzz.h"
#include "mega_test_settings.h"
#include "run_log.h"
#include "safetensors.h"

enum {
    ROOM = 1 << 14,
    KINDS = 4 // config, preset, weights, log
};

typedef struct sample {
    uint8_t bytes[ROOM];
    size_t size;
} sample;

static sample samples[KINDS];
static uint8_t bytes[ROOM];
static const char *path;
static mega_network network;
static float *parameters;
static mega_message message;
static uint64_t accepted[KINDS];

static const mega_log_column columns[] = {{"frames", true}, {"return", false}, {"seconds", false}};

static void must(int status) {
    if (status != 0) {
        fprintf(stderr, "fuzz_run_files: %s\n", message.text);
        exit(1);
    }
}

static void keep_file(sample *sample) {
    FILE *stream = fopen(path, "rb");
    sample->size = stream != NULL ? fread(sample->bytes, 1, ROOM, stream) : 0;
    if (stream == NULL || fclose(stream) != 0 || sample->size == 0 || sample->size == ROOM) {
        fprintf(stderr, "fuzz_run_files: a sample could not be made\n");
        exit(1);
    }
}

static void make_samples(void) {
    static const char preset[] = "# a preset\nenvs = 32\nlearning_rate = 7e-4 # usual\nalgorithm = ppo\n"
                                 "network = conv 8x4/2, fc 9\nclip_rewards = yes\n";
    test_settings values;
    test_settings_default(&values);
    must(mega_settings_write_json(&test_settings_table, &values, NULL, 0, path, &message));
    keep_file(&samples[0]);
    memcpy(samples[1].bytes, preset, sizeof preset - 1);
    samples[1].size = sizeof preset - 1;
    must(mega_network_describe("conv 2x3/2, fc 5", 1, 9, 7, 3, &network, &message));
    parameters = malloc(network.parameter_count * sizeof *parameters);
    mega_network_initialise(&network, MEGA_INIT_UNIFORM, 3, parameters);
    must(mega_safetensors_write(path, &network, parameters, NULL, 0, &message));
    keep_file(&samples[2]);
    mega_run_log *log = NULL;
    must(mega_run_log_create(path, columns, 3, &log, &message));
    for (int i = 1; i < 20; i++) {
        must(mega_run_log_row(log, (const double[]){1000.0 * i, 0.1 * i, 1.0}, &message));
    }
    must(mega_run_log_close(log, &message));
    keep_file(&samples[3]);
}

static int read_log(void) {
    mega_run_log *log = NULL;
    const int status = mega_run_log_resume(path, columns, 3, 10000.0, &log, &message);
    if (status == 0) {
        must(mega_run_log_row(log, (const double[]){10001.0, 0.0, 0.0}, &message));
        must(mega_run_log_close(log, &message));
        // What was accepted once is accepted again.
        must(mega_run_log_resume(path, columns, 3, 10000.0, &log, &message));
        must(mega_run_log_close(log, &message));
    }
    return status;
}

// Values that were accepted are within their limits and come back from a file of ours.
static void check_values(test_settings *values) {
    test_settings again;
    memset(&again, 0, sizeof again);
    if (values->envs < 1 || values->envs > 65536 || !(values->rate >= 0.0 && values->rate <= 1.0) ||
        values->algorithm > 2 || memchr(values->network, 0, sizeof values->network) == NULL) {
        mega_message_set(&message, "a value out of its limits was accepted");
        must(-1);
    }
    must(mega_settings_write_json(&test_settings_table, values, NULL, 0, path, &message));
    must(mega_settings_read_json(&test_settings_table, &again, NULL, 0, path, &message));
    if (memcmp(&again, values, sizeof again) != 0) {
        mega_message_set(&message, "values changed on their way through a file");
        must(-1);
    }
}

static int read_settings(size_t kind, const char *text, size_t size) {
    test_settings values;
    test_settings_default(&values);
    const int status =
        kind == 0
            ? mega_settings_parse_json(&test_settings_table, &values, NULL, 0, text, size, "c", &message)
            : mega_settings_parse_preset(&test_settings_table, &values, text, size, "p", &message);
    if (status == 0) {
        check_values(&values);
    }
    return status;
}

static int run_case(size_t kind, size_t size) {
    if (kind >= 2) {
        fuzz_write(path, bytes, size);
        return kind == 2 ? mega_safetensors_read(path, &network, parameters, &message) : read_log();
    }
    // Memory of just that size, so that a step over its end is seen.
    char *text = malloc(size > 0 ? size : 1);
    memcpy(text, bytes, size);
    const int status = read_settings(kind, text, size);
    free(text);
    return status;
}

int main(int count, char **words) {
    const fuzz_options options = fuzz_read_options(count, words, 20000);
    path = mega_test_path("file");
    make_samples();
    for (uint64_t i = 0; i < options.cases; i++) {
        uint64_t random = options.seed + i;
        const size_t kind = fuzz_below(&random, KINDS);
        memcpy(bytes, samples[kind].bytes, samples[kind].size);
        const size_t size = fuzz_damage(bytes, samples[kind].size, ROOM, &random);
        message.text[0] = '\0';
        const int status = run_case(kind, size);
        if (status != 0 && message.text[0] == '\0') {
            fprintf(stderr, "fuzz_run_files: seed %llu was refused without a word\n",
                    (unsigned long long)(options.seed + i));
            return 1;
        }
        accepted[kind] += status == 0;
    }
    free(parameters);
    mega_test_remove_files();
    printf(
        "fuzz_run_files: %llu cases from seed %llu; read: %llu configs, %llu presets, %llu weights, %llu logs\n",
        (unsigned long long)options.cases, (unsigned long long)options.seed, (unsigned long long)accepted[0],
        (unsigned long long)accepted[1], (unsigned long long)accepted[2], (unsigned long long)accepted[3]);
    return 0;
}
