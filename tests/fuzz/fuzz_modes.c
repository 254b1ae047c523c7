// fuzz_modes.c - fast mode against plain mode on all images found and on made-up ones, for as long as you like.
//
//     fuzz_modes [--roms N] [--frames N] [--seconds S] [--seed N]
//
// --roms     made-up images (2000); 0 leaves them out
// --frames   frames of each image found (5000); 0 leaves them out. Made-up images run for 120.
// --seconds  stop after so long (never)
// --seed     first seed of the made-up images (0); the seed of a failing one is printed: repeat it with
//            --frames 0 --roms 1 --seed N
// Ends with 1 at the first difference.
#include "mega_test_modes.h"

#include <time.h>

#define FUZZED_FRAMES 120

static test_trio trio;
static test_image image;
static test_rom_set roms;
static struct timespec started;

static double seconds_since_start(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - started.tv_sec) + 1e-9 * (double)(now.tv_nsec - started.tv_nsec);
}

typedef struct ragged_counts {
    uint64_t ragged, painted;
} ragged_counts;

// Frames that are too short are drawn in two ways where the fast console is a lane of a warp; says how often.
static const char *ragged_since(const ragged_counts *before) {
    static char text[96];
#if MEGA_AHEAD
    snprintf(text, sizeof text, ": %llu ragged, %llu of them drawn by the warp",
             (unsigned long long)(test_ragged - before->ragged),
             (unsigned long long)(test_painted - before->painted));
#else
    (void)before;
#endif
    return text;
}

typedef struct settings {
    uint64_t roms, frames, seed;
    double seconds;
} settings;

static int read_options(int count, char **words, settings *out) {
    for (int i = 1; i < count; i += 2) {
        char *end = NULL;
        const double value = i + 1 < count ? strtod(words[i + 1], &end) : -1.0;
        if (value < 0.0 || end == words[i + 1] || *end != '\0') {
            return -1;
        }
        if (strcmp(words[i], "--roms") == 0) {
            out->roms = (uint64_t)value;
        } else if (strcmp(words[i], "--frames") == 0) {
            out->frames = (uint64_t)value;
        } else if (strcmp(words[i], "--seed") == 0) {
            out->seed = (uint64_t)value;
        } else if (strcmp(words[i], "--seconds") == 0) {
            out->seconds = value;
        } else {
            return -1;
        }
    }
    return 0;
}

int main(int count, char **words) {
    settings set = {2000, 5000, 0, 1e30};
    uint64_t played = 0, made_up = 0, frames = 0;
    if (read_options(count, words, &set) != 0) {
        fprintf(stderr, "usage: fuzz_modes [--roms N] [--frames N] [--seconds S] [--seed N]\n");
        return 2;
    }
    clock_gettime(CLOCK_MONOTONIC, &started);
    test_skip_unless_runnable();
    test_load_roms(&roms);
    printf("%u of %u images found\n", roms.count, roms.known);
    for (uint32_t i = 0; i < roms.count && set.frames > 0 && seconds_since_start() < set.seconds; i++) {
        const mega_rom *rom = roms.roms[i];
        const ragged_counts before = {test_ragged, test_painted};
        if (test_modes_agree(&trio, rom->info.name, &rom->cartridge, rom->bytes, (uint32_t)set.frames,
                             set.seed)) {
            return 1;
        }
        played++;
        frames += set.frames;
        printf("%s: %llu frames equal (%.0f s)%s\n", rom->info.name, (unsigned long long)set.frames,
               seconds_since_start(), ragged_since(&before));
        fflush(stdout);
    }
    for (uint64_t seed = set.seed; seed < set.seed + set.roms && seconds_since_start() < set.seconds;
         seed++) {
        char name[128];
        test_fuzz_image(&image, &roms, seed);
        snprintf(name, sizeof name, "seed %llu (%s)", (unsigned long long)seed, image.kind);
        if (test_modes_agree(&trio, name, &image.cartridge, image.bytes, FUZZED_FRAMES, seed)) {
            return 1;
        }
        made_up++;
        frames += FUZZED_FRAMES;
        if (made_up % 100 == 0) {
            printf("%llu made-up images equal (%.0f s)\n", (unsigned long long)made_up,
                   seconds_since_start());
            fflush(stdout);
        }
    }
    test_release_roms(&roms);
    printf("fuzz_modes: no difference in %llu images, %llu made-up images, %llu frames, %.0f s\n",
           (unsigned long long)played, (unsigned long long)made_up, (unsigned long long)frames,
           seconds_since_start());
    const ragged_counts none = {0, 0};
    printf("all%s\n", ragged_since(&none));
    return 0;
}
