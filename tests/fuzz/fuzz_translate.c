// fuzz_translate.c - translated cartridges against interpreted ones: all images found and made-up ones.
//
//     fuzz_translate [--frames N] [--first I] [--images N] [--roms N] [--seed N] [--seconds S]
//
// --frames   frames of each image found (5000); 0 leaves them out. Made-up images run for 120.
// --first    the first of the images found (0), and how many of them (--images, all)
// --roms     made-up images (1000): generated programs, damaged images, random bytes, programs with code in RAM
// --seed     first seed of the made-up images (0); the seed of a failing one is printed: repeat it with
//            --frames 0 --roms 1 --seed N
// --seconds  stop after so long (never)
// Ends with 1 at the first difference. $MEGACADE_CFLAGS=-fsanitize=address,undefined in a build with sanitizers
// checks every access of the translated code, too.
#include "mega_test_translate.h"

#include <time.h>

#include "mega_test_files.h"
#include "mega_test_ram_image.h"

#define FUZZED_FRAMES 120
#define FUZZED_TRIAL 20

static test_pair pair;
static test_image image;
static test_rom_set roms;
static struct timespec started;

typedef struct settings {
    double frames, first, images, roms, seed, seconds;
} settings;

static double seconds_since_start(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - started.tv_sec) + 1e-9 * (double)(now.tv_nsec - started.tv_nsec);
}

static int read_options(int count, char **words, settings *out) {
    const struct {
        const char *name;
        double *value;
    } options[] = {{"--frames", &out->frames}, {"--first", &out->first}, {"--images", &out->images},
                   {"--roms", &out->roms},     {"--seed", &out->seed},   {"--seconds", &out->seconds}};
    for (int i = 1; i < count; i += 2) {
        char *end = NULL;
        const double value = i + 1 < count ? strtod(words[i + 1], &end) : -1.0;
        double *to = NULL;
        for (size_t k = 0; k < sizeof options / sizeof options[0]; k++) {
            to = strcmp(words[i], options[k].name) == 0 ? options[k].value : to;
        }
        if (to == NULL || value < 0.0 || end == words[i + 1] || *end != '\0') {
            return -1;
        }
        *to = value;
    }
    return 0;
}

// Returns 0 when all is well.
static int play(const char *name, const mega_cartridge *cartridge, const uint8_t *bytes, uint32_t trial,
                uint32_t frames, uint64_t seed) {
    mega_native native;
    const int failed = test_translate(cartridge, bytes, trial, &native) ||
                       test_pair_agrees(&pair, name, cartridge, bytes, &native, frames, seed);
    native_close(&native);
    if (failed) {
        fprintf(stderr, "%s: failed\n", name);
    }
    return failed;
}

int main(int count, char **words) {
    settings set = {5000, 0, 1000, 1000, 0, 1e30};
    uint32_t played = 0, made_up = 0;
    if (read_options(count, words, &set) != 0) {
        fprintf(stderr, "usage: fuzz_translate [--frames N] [--first I] [--images N] [--roms N] [--seed N] "
                        "[--seconds S]\n");
        return 2;
    }
    clock_gettime(CLOCK_MONOTONIC, &started);
    setenv("MEGACADE_CACHE", mega_test_path("cache"), 1);
    test_load_roms(&roms);
    printf("%u of %u images found\n", roms.count, roms.known);
    for (uint32_t i = (uint32_t)set.first; i < roms.count && i < set.first + set.images && set.frames > 0;
         i++) {
        const mega_rom *rom = roms.roms[i];
        if (seconds_since_start() > set.seconds) {
            break;
        }
        if (play(rom->info.name, &rom->cartridge, rom->bytes, 2000, (uint32_t)set.frames, i)) {
            return 1;
        }
        const double all = (double)(test_in_blocks + test_elsewhere);
        printf("%3u %s: %.0f frames equal, %.3f %% in blocks (%.0f s)\n", i, rom->info.name, set.frames,
               all > 0.0 ? 100.0 * (double)test_in_blocks / all : 0.0, seconds_since_start());
        fflush(stdout);
        played++;
    }
    for (uint32_t i = 0; i < set.roms && seconds_since_start() < set.seconds; i++) {
        char name[128];
        const uint64_t seed = (uint64_t)set.seed + i;
        if (seed % 3u == 0) {
            test_ram_image(&image, seed);
        } else {
            test_fuzz_image(&image, &roms, seed);
        }
        snprintf(name, sizeof name, "seed %llu (%s)", (unsigned long long)seed, image.kind);
        if (play(name, &image.cartridge, image.bytes, FUZZED_TRIAL, FUZZED_FRAMES, seed)) {
            return 1;
        }
        made_up++;
        if (made_up % 50 == 0) {
            printf("%u made-up images equal (%.0f s)\n", made_up, seconds_since_start());
            fflush(stdout);
        }
    }
    test_release_roms(&roms);
    mega_test_remove_files();
    printf("fuzz_translate: no difference in %u images, %u made-up images, %.0f s\n", played, made_up,
           seconds_since_start());
    return 0;
}
