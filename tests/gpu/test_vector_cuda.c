// test_vector_cuda.c - on a machine with a GPU: a vector there against one on the CPU, row by row and state
// by state, for every game that is found. Skipped, with the reason, where there is no GPU.
//
//     test_vector_cuda [GAME|all|mixed [STEPS [ENVIRONMENTS [translated]]]]
//
// On the CPU programs are interpreted, which takes most of the time, or translated.
// `mixed` has all games in one vector, with that many environments of each. Otherwise several games are played at
// the same time, because a few environments leave most of a GPU idle.
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "cuda_vector.h"
#include "vector.h"

#include "mega_test_machine.h"
#include "mega_test_pair.h"

static uint32_t step_count = 200, env_count = 64;

// Where the time goes.
typedef struct test_times {
    double cpu, gpu, compare; // the CPU's step, what the GPU's takes beyond it, looking at both
} test_times;

// ---- comparing in threads ------------------------------------------------------------------------------

#define THREADS 8u
#define MANY 1000u // environments: one thread is enough to compare fewer

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

static uint32_t compare_shares(const test_pair *pair, const mega_cell *cells) {
    uint32_t differing = 0;
    pthread_t threads[THREADS];
    test_share shares[THREADS];
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

// Returns how many environments differ after a step.
static uint32_t compare_step(const test_pair *pair, mega_cell *cells) {
    const mega_cuda_vector *gpu = (const mega_cuda_vector *)pair->gpu.vector;
    MEGA_CHECK_EQ(cuda_device_enter(gpu->device), MEGA_OK);
    MEGA_CHECK_EQ(
        gpu->device->driver->cuMemcpyDtoH(cells, CUDA_ADDRESS(gpu->all.cells), pair->count * sizeof *cells),
        CUDA_SUCCESS);
    cuda_device_leave(gpu->device);
    if (pair->count > MANY) {
        return compare_shares(pair, cells);
    }
    test_share all = {pair, cells, 0, pair->count, 0};
    (void)compare_share(&all);
    return all.differing;
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
    test_pair pair;
    const double start = now();
    const uint32_t count = rom_count > 1 ? rom_count : env_count;
    uint32_t differing = 0, episodes = 0;
    test_times times = {0};
    mega_cell *cells = calloc(count, sizeof *cells);
    mega_vector_desc desc = {.struct_size = sizeof desc, .count = count, .rom_count = rom_count};
    desc.roms = roms;
    desc.threads = count > MANY ? 0 : 1;
    desc.autoreset = autoreset;
    desc.task =
        (mega_task_desc){.struct_size = sizeof desc.task,
                         .max_episode_frames = step_count < 1000 ? 240 : 4800, // so that there are resets
                         .envpool = envpool,
                         .episodic_life = envpool,
                         .sticky = 0.25f};
    if (!pair_open(&pair, &desc, "cuda")) {
        MEGA_FAIL(name);
        free(cells);
        return;
    }
    const double opened = now();
    differing += pair_reset(&pair, NULL, NULL);
    const double begun = now();
    differing += pair_compare_states(&pair);
    if (count > MANY) {
        fprintf(stderr, "%s: opened in %.1f s (CPU %.1f), reset in %.1f s, states compared in %.1f s\n", name,
                opened - start, pair.cpu_opened - start, begun - opened, now() - begun);
    }
    for (uint32_t t = 0; t < step_count && differing == 0; t++) {
        differing += step_together(&pair, cells, &times);
        for (uint32_t i = 0; i < count; i++) {
            episodes += pair.cpu.out.episode_ends[i];
        }
        if (count > MANY && (t + 1) % 100 == 0 && t + 1 < step_count) {
            report(name, &pair, &times, episodes, now() - start);
        }
    }
    differing += pair_compare_states(&pair);
    report(name, &pair, &times, episodes, now() - start);
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

// ---- games one by one ----------------------------------------------------------------------------------

#define PLAYERS 16u // threads that compare a game each

typedef struct test_queue {
    const mega_rom *builtin;
    const test_rom_set *roms;
    const char *only;
    atomic_uint next;
} test_queue;

// The built-in game in four ways, and each of the others in one.
static void compare_entry(const test_queue *queue, uint32_t k) {
    if (k < 4) {
        compare("(built in)", &queue->builtin, 1, k % 2, k >= 2);
        return;
    }
    const mega_rom *rom = queue->roms->roms[k - 4];
    compare(mega_rom_get_info(rom)->name, &rom, 1, k % 2, k % 5 == 4);
}

static int is_wanted(const test_queue *queue, uint32_t k) {
    return queue->only == NULL ||
           (k >= 4 && strcmp(queue->only, mega_rom_get_info(queue->roms->roms[k - 4])->name) == 0);
}

static void *compare_queue(void *argument) {
    test_queue *queue = argument;
    const uint32_t count = 4 + queue->roms->count;
    for (uint32_t k = queue->next++; k < count; k = queue->next++) {
        if (is_wanted(queue, k)) {
            compare_entry(queue, k);
        }
    }
    return NULL;
}

static void compare_games(test_queue *queue) {
    pthread_t players[PLAYERS];
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const uint32_t count = cores < 1 ? 1 : cores < (long)PLAYERS ? (uint32_t)cores : PLAYERS;
    for (uint32_t t = 0; t < count; t++) {
        MEGA_CHECK_EQ(pthread_create(&players[t], NULL, compare_queue, queue), 0);
    }
    for (uint32_t t = 0; t < count; t++) {
        MEGA_CHECK_EQ(pthread_join(players[t], NULL), 0);
    }
}

int main(int argc, char **argv) {
    const char *only = argc > 1 && strcmp(argv[1], "all") != 0 ? argv[1] : NULL;
    const mega_cuda_driver *driver;
    mega_rom *builtin;
    test_rom_set roms;
    if (cuda_driver_get(&driver) != MEGA_OK) {
        printf("skipped: %s\n", mega_last_error());
        return 77;
    }
    step_count = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : step_count;
    env_count = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : env_count;
    pair_cpu_translate =
        argc > 4 && strcmp(argv[4], "translated") == 0 ? MEGA_TRANSLATE_NOW : MEGA_TRANSLATE_OFF;
    MEGA_CHECK_EQ(mega_rom_builtin(&builtin), MEGA_OK);
    test_load_roms(&roms);
    if (only != NULL && strcmp(only, "mixed") == 0) {
        compare_mixed(&roms, env_count * roms.count, MEGA_AUTORESET_SAME_STEP);
    } else {
        test_queue queue = {.builtin = builtin, .roms = &roms, .only = only};
        compare_games(&queue);
        if (only == NULL && roms.count > 1) {
            compare_mixed(&roms, env_count, MEGA_AUTORESET_NEXT_STEP);
        }
    }
    test_release_roms(&roms);
    mega_rom_destroy(builtin);
    return mega_test_result();
}
