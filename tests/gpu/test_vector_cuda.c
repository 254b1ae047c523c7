// test_vector_cuda.c - on a machine with a GPU: a vector there against one on the CPU, row by row and state
// by state, for every game that is found. Skipped, with the reason, where there is no GPU.
//
//     test_vector_cuda [GAME|all|mixed [STEPS [ENVIRONMENTS]]]
//
// `mixed` has all games in one vector, with that many environments of each.
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

// The consoles, with their RAM and the rules of their games, after a step. Returns how many differ.
static uint32_t compare_sessions(const test_pair *pair, mega_cell *cells) {
    const mega_cuda_vector *gpu = (const mega_cuda_vector *)pair->gpu.vector;
    const mega_cpu_vector *cpu = (const mega_cpu_vector *)pair->cpu.vector;
    uint32_t differing = 0;
    MEGA_CHECK_EQ(cuda_device_enter(gpu->device), MEGA_OK);
    MEGA_CHECK_EQ(
        gpu->device->driver->cuMemcpyDtoH(cells, CUDA_ADDRESS(gpu->all.cells), pair->count * sizeof *cells),
        CUDA_SUCCESS);
    cuda_device_leave(gpu->device);
    for (uint32_t i = 0; i < pair->count; i++) {
        const mega_environment *environment = &cpu->members[i].lane.environment;
        if (memcmp(&cells[i].session, &environment->session, sizeof(mega_session)) != 0 && differing++ == 0) {
            fprintf(stderr, "step %u, environment %u: another session\n", pair->steps, i);
        }
    }
    return differing;
}

static void compare(const char *name, const mega_rom *const *roms, uint32_t rom_count, uint32_t autoreset,
                    uint8_t envpool) {
    static test_pair pair;
    const double start = now();
    const uint32_t count = rom_count > 1 ? rom_count : env_count;
    uint32_t differing = 0, episodes = 0;
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
    differing += pair_reset(&pair, NULL, NULL);
    differing += pair_compare_states(&pair);
    for (uint32_t t = 0; t < step_count && differing == 0; t++) {
        differing += pair_step_together(&pair);
        differing += compare_sessions(&pair, cells);
        for (uint32_t i = 0; i < count; i++) {
            episodes += pair.cpu.out.episode_ends[i];
        }
        if ((t + 1) % 250 == 0 && t + 1 < step_count) {
            fprintf(stderr, "%s: %u steps, %u episodes, %.1f s\n", name, t + 1, episodes, now() - start);
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
