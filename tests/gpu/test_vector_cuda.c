// test_vector_cuda.c - on a machine with a GPU: a vector there against one on the CPU, row by row and state
// by state, for every game that is found. Skipped, with the reason, where there is no GPU.
//
//     test_vector_cuda [GAME|all|mixed [STEPS [ENVIRONMENTS]]]
//
// `mixed` has all games in one vector, with that many environments of each.
#include <pthread.h>
#include <time.h>

#include "cuda_vector.h"
#include "vector.h"

#include "mega_test_machine.h"
#include "mega_test_pair.h"

static uint32_t step_count = 200, env_count = 64;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// Where the time goes.
typedef struct test_times {
    double cpu, gpu, compare; // the CPU's step, what the GPU's takes beyond it, looking at both
} test_times;

// ---- comparing in threads ------------------------------------------------------------------------------

#define THREADS 8u

typedef struct test_share {
    const test_pair *pair;
    const mega_cell *cells;
    uint32_t from, until;
    uint32_t differing;
} test_share;

// Rows, and the consoles with their RAM and the rules of their games.
static void *compare_share(void *argument) {
    test_share *share = argument;
    const mega_cpu_vector *cpu = (const mega_cpu_vector *)share->pair->cpu.vector;
    share->differing = pair_compare_rows(share->pair, share->from, share->until);
    for (uint32_t i = share->from; i < share->until; i++) {
        const mega_environment *environment = &cpu->members[i].lane.environment;
        if (memcmp(&share->cells[i].session, &environment->session, sizeof(mega_session)) != 0 &&
            share->differing++ == 0) {
            fprintf(stderr, "step %u, environment %u: another session\n", share->pair->steps, i);
        }
    }
    return NULL;
}

// Returns how many environments differ after a step.
static uint32_t compare_step(const test_pair *pair, mega_cell *cells) {
    const mega_cuda_vector *gpu = (const mega_cuda_vector *)pair->gpu.vector;
    uint32_t differing = 0;
    pthread_t threads[THREADS];
    test_share shares[THREADS];
    MEGA_CHECK_EQ(cuda_device_enter(gpu->device), MEGA_OK);
    MEGA_CHECK_EQ(
        gpu->device->driver->cuMemcpyDtoH(cells, CUDA_ADDRESS(gpu->all.cells), pair->count * sizeof *cells),
        CUDA_SUCCESS);
    cuda_device_leave(gpu->device);
    for (uint32_t t = 0; t < THREADS; t++) {
        shares[t] = (test_share){pair, cells, pair->count * t / THREADS, pair->count * (t + 1) / THREADS, 0};
        MEGA_CHECK_EQ(pthread_create(&threads[t], NULL, compare_share, &shares[t]), 0);
    }
    for (uint32_t t = 0; t < THREADS; t++) {
        MEGA_CHECK_EQ(pthread_join(threads[t], NULL), 0);
        differing += shares[t].differing;
    }
    return differing;
}

// ---- a vector ------------------------------------------------------------------------------------------

// Both vectors step at the same time.
static uint32_t step_together(test_pair *pair, mega_cell *cells, test_times *times) {
    const double start = now();
    pair_draw_actions(pair);
    MEGA_CHECK_EQ(mega_vector_send(pair->gpu.vector, NULL, pair->count, pair->actions, NULL), MEGA_OK);
    MEGA_CHECK_EQ(mega_vector_step(pair->cpu.vector, pair->actions, NULL, &pair->cpu.out), MEGA_OK);
    const double stepped = now();
    MEGA_CHECK_EQ(mega_vector_recv(pair->gpu.vector, -1, &pair->gpu.out), MEGA_OK);
    const double received = now();
    const uint32_t differing = compare_step(pair, cells);
    times->cpu += stepped - start;
    times->gpu += received - stepped;
    times->compare += now() - received;
    return differing;
}

static void report(const char *name, const test_pair *pair, const test_times *times, uint32_t episodes,
                   double seconds) {
    fprintf(stderr, "%s: %u steps, %u episodes, %.1f s (CPU %.1f, then GPU %.1f, comparing %.1f)\n", name,
            pair->steps, episodes, seconds, times->cpu, times->gpu, times->compare);
}

static void compare(const char *name, const mega_rom *const *roms, uint32_t rom_count, uint32_t autoreset,
                    uint8_t envpool) {
    static test_pair pair;
    const double start = now();
    const uint32_t count = rom_count > 1 ? rom_count : env_count;
    uint32_t differing = 0, episodes = 0;
    test_times times = {0};
    mega_cell *cells = calloc(count, sizeof *cells);
    mega_vector_desc desc = {.struct_size = sizeof desc, .count = count, .rom_count = rom_count};
    desc.roms = roms;
    desc.autoreset = autoreset;
    desc.task =
        (mega_task_desc){.struct_size = sizeof desc.task,
                         .max_episode_frames = step_count < 1000 ? 240 : 4800, // so that there are resets
                         .envpool = envpool,
                         .episodic_life = envpool,
                         .sticky = autoreset == MEGA_AUTORESET_SAME_STEP ? 0.25f : 0.0f};
    if (!pair_open(&pair, &desc, "cuda")) {
        MEGA_FAIL(name);
        free(cells);
        return;
    }
    const double opened = now();
    differing += pair_reset(&pair, NULL, NULL);
    const double begun = now();
    differing += pair_compare_states(&pair);
    if (count > 1000) {
        fprintf(stderr, "%s: opened in %.1f s, reset in %.1f s, states compared in %.1f s\n", name,
                opened - start, begun - opened, now() - begun);
    }
    for (uint32_t t = 0; t < step_count && differing == 0; t++) {
        differing += step_together(&pair, cells, &times);
        for (uint32_t i = 0; i < count; i++) {
            episodes += pair.cpu.out.episode_ends[i];
        }
        if ((t + 1) % 100 == 0 && t + 1 < step_count) {
            report(name, &pair, &times, episodes, now() - start);
        }
    }
    differing += pair_compare_states(&pair);
    printf("%-20s %s%s, %u environments, %u steps, %u episodes: %s (%.1f s)\n", name,
           autoreset == MEGA_AUTORESET_SAME_STEP ? "same step" : "next step", envpool ? ", EnvPool" : "",
           count, pair.steps, episodes, differing == 0 ? "the same" : "DIFFERENT", now() - start);
    fflush(stdout);
    MEGA_CHECK_EQ(differing, 0);
    pair_close(&pair);
    free(cells);
}

// All games at once, one after the other.
static void compare_mixed(const test_rom_set *roms, uint32_t count, uint32_t autoreset) {
    const mega_rom **list = calloc(count, sizeof *list);
    for (uint32_t i = 0; i < count; i++) {
        list[i] = roms->roms[i % roms->count];
    }
    compare("different games", list, count, autoreset, 0);
    free(list);
}

int main(int argc, char **argv) {
    const char *only = argc > 1 && strcmp(argv[1], "all") != 0 ? argv[1] : NULL;
    const int mixed = only != NULL && strcmp(only, "mixed") == 0;
    const mega_cuda_driver *driver;
    mega_rom *builtin;
    test_rom_set roms;
    if (cuda_driver_get(&driver) != MEGA_OK) {
        printf("skipped: %s\n", mega_last_error());
        return 77;
    }
    step_count = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : step_count;
    env_count = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : env_count;
    MEGA_CHECK_EQ(mega_rom_builtin(&builtin), MEGA_OK);
    test_load_roms(&roms);
    const mega_rom *one[1] = {builtin};
    for (uint32_t k = 0; k < 4 && only == NULL; k++) {
        compare("(built in)", one, 1, k % 2, k >= 2);
    }
    for (uint32_t k = 0; k < roms.count; k++) {
        one[0] = roms.roms[k];
        const char *name = mega_rom_get_info(one[0])->name;
        if (only == NULL || strcmp(only, name) == 0) {
            compare(name, one, 1, k % 2, k % 5 == 4);
        }
    }
    if (only == NULL && roms.count > 1) {
        compare_mixed(&roms, env_count, MEGA_AUTORESET_NEXT_STEP);
    } else if (mixed) {
        compare_mixed(&roms, env_count * roms.count, MEGA_AUTORESET_SAME_STEP);
    }
    test_release_roms(&roms);
    mega_rom_destroy(builtin);
    return mega_test_result();
}
