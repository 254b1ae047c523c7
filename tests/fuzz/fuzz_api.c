// fuzz_api.c - random images, settings, actions and damaged save states through the public functions.
//
//     fuzz_api [--cases N] [--seconds S] [--seed N]
//
// --cases    how many (1000)
// --seconds  stop after so long (never)
// --seed     of the first case (0); repeat a failing one with --cases 1 --seed N
// Most useful with the sanitizers: build-asan/tests/fuzz_api. Ends with 1 at the first failure.
#include "mega_test_api.h"

#include <time.h>

static test_image image;
static test_buffers buffers;
static test_rom_set roms;

int main(int count, char **words) {
    uint64_t cases = 1000, seed = 0, done = 0;
    double seconds = 1e30;
    const time_t started = time(NULL);
    for (int i = 1; i < count; i += 2) {
        char *end = NULL;
        const double value = i + 1 < count ? strtod(words[i + 1], &end) : -1.0;
        const int known = strcmp(words[i], "--cases") == 0     ? 1
                          : strcmp(words[i], "--seconds") == 0 ? 2
                          : strcmp(words[i], "--seed") == 0    ? 3
                                                               : 0;
        if (known == 0 || value < 0.0 || *end != '\0') {
            fprintf(stderr, "usage: fuzz_api [--cases N] [--seconds S] [--seed N]\n");
            return 2;
        }
        cases = known == 1 ? (uint64_t)value : cases;
        seconds = known == 2 ? value : seconds;
        seed = known == 3 ? (uint64_t)value : seed;
    }
    test_load_roms(&roms);
    printf("%u of %u images found\n", roms.count, roms.known);
    for (; done < cases && difftime(time(NULL), started) < seconds; done++) {
        if (done % 100 == 0) {
            printf("case %llu\n", (unsigned long long)(seed + done));
            fflush(stdout);
        }
        if (test_api_case(&image, &buffers, &roms, seed + done, 20) != 0) {
            fprintf(stderr, "seed %llu failed: %s\n", (unsigned long long)(seed + done), image.kind);
            return 1;
        }
    }
    test_release_roms(&roms);
    printf("fuzz_api: %llu cases from seed %llu, none failed\n", (unsigned long long)done,
           (unsigned long long)seed);
    return 0;
}
