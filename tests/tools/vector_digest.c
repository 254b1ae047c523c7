// vector_digest.c - what vectors of environments report and hold, step by step, in few numbers: two devices, or two
// machines, are compared by comparing what this prints. test_vector_cuda compares both in one process, where the CPU's
// part takes most of the time; this has the CPU's done beforehand, on a machine without a GPU.
//
//     vector_digest DEVICE [GAMES|all|mixed [STEPS [ENVIRONMENTS [auto|off|now]]]] >FILE
//
// Plays at random with sticky actions of 0.25 and prints `GAME STEP DIGEST` after every 20 steps: the digest is over all
// rows, observations and sessions (consoles with their RAM, rules of games) of all steps so far, and with the last line
// over all saved states, too. GAMES are separated by commas; `mixed` has all games in one vector, with so many
// environments of each. The last argument is about translation. Lines come in any order: sort them.
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "cuda_vector.h"
#include "vector.h"

#include "mega_test_machine.h"
#include "mega_test_pair.h"

enum {
    PLAYERS = 16, // threads that play a game each, at most
    EVERY = 20    // steps between lines
};

static const char *device, *games;
static uint32_t step_count = 200, env_count = 64;
static uint8_t translate = MEGA_TRANSLATE_AUTO;
static test_rom_set roms;
static atomic_uint next_game;
static atomic_int failed;
static pthread_mutex_t printing = PTHREAD_MUTEX_INITIALIZER;

// ---- digests -------------------------------------------------------------------------------------------

static uint64_t mix(uint64_t a, uint64_t b) {
    a = (a ^ b) * 0x9E3779B97F4A7C15ull;
    return a ^ a >> 29;
}

// Four sums, so that the processor need not wait for each multiplication.
static uint64_t digest_of(const void *bytes, size_t size) {
    const uint8_t *at = (const uint8_t *)bytes;
    uint64_t sums[4] = {size, 1, 2, 3};
    for (; size >= 32; size -= 32, at += 32) {
        uint64_t words[4];
        memcpy(words, at, 32);
        for (int i = 0; i < 4; i++) {
            sums[i] = mix(sums[i], words[i]);
        }
    }
    uint64_t rest[4] = {0, 0, 0, 0};
    memcpy(rest, at, size);
    for (int i = 0; i < 4; i++) {
        sums[0] = mix(mix(sums[0], rest[i]), sums[i]);
    }
    return sums[0];
}

// ---- a vector ------------------------------------------------------------------------------------------

typedef struct player {
    const char *name;
    mega_vector *vector;
    test_side side;
    mega_cell *cells; // on a GPU
    uint32_t count, choices;
    size_t size; // of an observation
    uint64_t digest;
} player;

static void add(player *p, const void *bytes, size_t size) {
    p->digest = mix(p->digest, digest_of(bytes, size));
}

static void complain(const player *p) {
    fprintf(stderr, "%s: %s\n", p->name, mega_last_error());
    failed = 1;
}

static int fetch_cells(player *p) {
    const mega_cuda_vector *gpu = (const mega_cuda_vector *)p->vector;
    if (cuda_device_enter(gpu->device) != MEGA_OK) {
        return 0;
    }
    const CUresult result = gpu->device->driver->cuMemcpyDtoH(p->cells, CUDA_ADDRESS(gpu->all.cells),
                                                              p->count * sizeof *p->cells);
    cuda_device_leave(gpu->device);
    return result == CUDA_SUCCESS;
}

static const mega_session *session_of(const player *p, uint32_t i) {
    return p->cells != NULL ? &p->cells[i].session
                            : &((const mega_cpu_vector *)p->vector)->members[i].lane.environment.session;
}

static int add_step(player *p) {
    const mega_vector_out *out = &p->side.out;
    const void *const numbers[] = {out->rewards, out->env_ids, out->lives, out->frame_numbers,
                                   out->episode_frame_numbers};
    const void *const flags[] = {out->terminations, out->truncations, out->episode_ends};
    for (int i = 0; i < 5; i++) {
        add(p, numbers[i], p->count * sizeof(int32_t));
    }
    for (int i = 0; i < 3; i++) {
        add(p, flags[i], p->count);
    }
    add(p, out->observations, p->size * p->count);
    if (p->cells != NULL && !fetch_cells(p)) {
        return 0;
    }
    for (uint32_t i = 0; i < p->count; i++) {
        if (out->episode_ends[i]) {
            add(p, out->final_observations + p->size * i, p->size);
        }
        add(p, session_of(p, i), sizeof(mega_session));
    }
    return 1;
}

static int add_states(player *p) {
    const size_t size = mega_vector_state_size(p->vector);
    uint8_t *bytes = (uint8_t *)malloc(size);
    int good = bytes != NULL;
    for (int32_t i = 0; good && i < (int32_t)p->count; i++) {
        good = mega_vector_save(p->vector, &i, 1, bytes, size) == MEGA_OK;
        add(p, bytes, size);
    }
    free(bytes);
    return good;
}

static void show(const player *p, uint32_t step) {
    pthread_mutex_lock(&printing);
    printf("%s %05u %016llx\n", p->name, step, (unsigned long long)p->digest);
    fflush(stdout);
    pthread_mutex_unlock(&printing);
}

static int play_steps(player *p) {
    int32_t *actions = (int32_t *)calloc(p->count, sizeof *actions);
    int good = mega_vector_reset(p->vector, NULL, NULL, &p->side.out) == MEGA_OK && add_step(p);
    for (uint32_t step = 1; good && step <= step_count; step++) {
        test_draw_actions(actions, p->count, p->choices, step);
        good = mega_vector_step(p->vector, actions, NULL, &p->side.out) == MEGA_OK && add_step(p);
        if (good && step % EVERY == 0 && step < step_count) {
            show(p, step);
        }
    }
    free(actions);
    return good && add_states(p);
}

static void play(const char *name, const mega_rom *const *images, uint32_t image_count, uint32_t count,
                 uint32_t autoreset, uint8_t envpool) {
    player p = {.name = name, .count = count};
    const double start = now();
    mega_vector_desc desc = {.struct_size = sizeof desc, .count = count, .rom_count = image_count};
    desc.roms = images;
    desc.device = device;
    desc.threads = image_count > 1 ? 0 : 1;
    desc.autoreset = autoreset;
    desc.task =
        (mega_task_desc){.struct_size = sizeof desc.task,
                         .max_episode_frames = step_count < 1000 ? 240 : 4800, // so that there are resets
                         .envpool = envpool,
                         .episodic_life = envpool,
                         .translate = translate,
                         .sticky = 0.25f};
    if (mega_vector_create(&desc, &p.vector) != MEGA_OK) {
        complain(&p);
        return;
    }
    p.size = mega_vector_observation_size(p.vector);
    (void)mega_vector_actions(p.vector, &p.choices);
    p.cells = strcmp(device, "cpu") == 0 ? NULL : (mega_cell *)calloc(count, sizeof *p.cells);
    side_open(&p.side, count, p.size);
    const double opened = now();
    if (play_steps(&p)) {
        show(&p, step_count);
        fprintf(stderr, "%s: opened in %.1f s, played in %.1f s\n", name, opened - start, now() - opened);
    } else {
        complain(&p);
    }
    mega_vector_destroy(p.vector);
    free(p.side.memory);
    free(p.cells);
}

// ---- games ---------------------------------------------------------------------------------------------

static int is_wanted(const char *name) {
    const size_t length = strlen(name);
    for (const char *at = games; at != NULL; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == '\0')) {
            return 1;
        }
    }
    return games == NULL;
}

// As test_vector_cuda has them.
static void *play_queue(void *unused) {
    (void)unused;
    for (uint32_t k = next_game++; k < roms.count; k = next_game++) {
        const char *name = mega_rom_get_info(roms.roms[k])->name;
        if (is_wanted(name)) {
            const mega_rom *const image = roms.roms[k];
            play(name, &image, 1, env_count, k % 2, k % 5 == 0);
        }
    }
    return NULL;
}

static void play_games(void) {
    pthread_t players[PLAYERS];
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const uint32_t count = cores < 1 ? 1 : cores < PLAYERS ? (uint32_t)cores : PLAYERS;
    uint32_t started = 0;
    while (started < count && pthread_create(&players[started], NULL, play_queue, NULL) == 0) {
        started++;
    }
    failed = started == 0 ? 1 : failed;
    for (uint32_t t = 0; t < started; t++) {
        pthread_join(players[t], NULL);
    }
}

static void play_mixed(void) {
    const uint32_t count = env_count * roms.count;
    const mega_rom **list = (const mega_rom **)calloc(count, sizeof *list);
    for (uint32_t i = 0; i < count; i++) {
        list[i] = roms.roms[i % roms.count];
    }
    play("mixed", list, count, count, MEGA_AUTORESET_SAME_STEP, 0);
    free(list);
}

int main(int argc, char **argv) {
    static const char *const ways[] = {"auto", "off", "now"};
    static const uint8_t values[] = {MEGA_TRANSLATE_AUTO, MEGA_TRANSLATE_OFF, MEGA_TRANSLATE_NOW};
    if (argc < 2) {
        fprintf(stderr,
                "usage: vector_digest DEVICE [GAMES|all|mixed [STEPS [ENVIRONMENTS [auto|off|now]]]]\n");
        return 2;
    }
    device = argv[1];
    games = argc > 2 && strcmp(argv[2], "all") != 0 ? argv[2] : NULL;
    step_count = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : step_count;
    env_count = argc > 4 ? (uint32_t)strtoul(argv[4], NULL, 10) : env_count;
    for (int i = 0; argc > 5 && i < 3; i++) {
        translate = strcmp(argv[5], ways[i]) == 0 ? values[i] : translate;
    }
    test_load_roms(&roms);
    if (games != NULL && strcmp(games, "mixed") == 0) {
        play_mixed();
    } else {
        play_games();
    }
    test_release_roms(&roms);
    return failed;
}
