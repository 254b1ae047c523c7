// fuzz_vector.c - random calls into vectors, with good and bad arguments, from several threads at once (each
// with vectors of its own).
//
//     fuzz_vector [--calls N] [--threads N] [--seed N]
//
// --calls    how many in all (200000)
// --threads  threads that call (3)
// --seed     of the first thread (0)
// Most useful with the sanitizers: build-asan/tests/fuzz_vector, build-tsan/tests/fuzz_vector. Ends with 1 at the
// first status that the library does not document.
#include "mega_test_api.h"

#include <pthread.h>
#include <stdatomic.h>

#define MEMBERS 6
#define ROMS 8
#define CALLERS_MAX 64

static test_rom_set roms;
static mega_rom *builtin;
static atomic_int failed;

// One calling thread. Arrays are as large as they must be and not larger, so that the sanitizer sees what is
// written beyond them.
typedef struct fuzz_caller {
    pthread_t thread;
    test_random random;
    uint64_t calls, made;
    uint64_t accepted;
    mega_vector *vector, *other;
    uint8_t *observations[2], *state;
    size_t state_size; // of all members
    int32_t numbers[5][MEMBERS];
    uint8_t flags[3][MEMBERS];
} fuzz_caller;

static uint32_t below(fuzz_caller *caller, uint32_t count) {
    return test_below(&caller->random, count);
}
static uint32_t once_in(fuzz_caller *caller, uint32_t count) {
    return test_once_in(&caller->random, count);
}

static void note(fuzz_caller *caller, mega_status status, const char *what) {
    caller->made++;
    caller->accepted += status == MEGA_OK;
    if (!test_is_status(status) && !atomic_exchange(&failed, 1)) {
        fprintf(stderr, "%s: status %d\n", what, status);
    }
}

// ---- vectors -------------------------------------------------------------------------------------------

static void random_task(fuzz_caller *caller, mega_task_desc *task) {
    task->struct_size = once_in(caller, 50) ? 3 : sizeof *task;
    task->frame_skip = 1 + below(caller, 2);
    task->height = once_in(caller, 3) ? 84 : 1 + below(caller, 20);
    task->width = task->height == 84 ? 84 : 1 + below(caller, 20);
    task->stack = below(caller, 5);
    task->noop_max = (int32_t)below(caller, 4) - 1;
    task->max_episode_frames = 5 + (int32_t)below(caller, 600);
    task->sticky = once_in(caller, 20) ? test_float(&caller->random) : 0.25f;
    task->rgb = (uint8_t)once_in(caller, 4);
    task->no_maxpool = (uint8_t)once_in(caller, 4);
    task->episodic_life = (uint8_t)once_in(caller, 4);
    task->full_actions = (uint8_t)once_in(caller, 4);
    task->plain = (uint8_t)once_in(caller, 100);
    task->envpool = (uint8_t)once_in(caller, 4);
}

static mega_vector *random_vector(fuzz_caller *caller) {
    const mega_rom *list[MEMBERS];
    int32_t modes[MEMBERS];
    mega_vector_desc desc = {.struct_size = sizeof desc, .roms = list, .modes = modes};
    mega_vector *vector = NULL;
    for (uint32_t i = 0; i < MEMBERS; i++) {
        const uint32_t pick = below(caller, ROMS);
        list[i] = roms.count == 0 || pick < ROMS - 2 ? builtin : roms.roms[(pick * 13) % roms.count];
        modes[i] = once_in(caller, 40) ? (int32_t)below(caller, 5) : MEGA_MODE_DEFAULT;
    }
    desc.count = once_in(caller, 50) ? 0 : 1 + below(caller, MEMBERS);
    desc.rom_count = once_in(caller, 2) ? 1 : desc.count;
    desc.batch = once_in(caller, 2) ? 0 : below(caller, desc.count + 2);
    desc.threads = below(caller, 5);
    desc.pin = below(caller, 3);
    desc.groups = once_in(caller, 3) ? below(caller, 5) : 0;
    desc.autoreset = below(caller, once_in(caller, 50) ? 5 : 3);
    desc.blind = (uint8_t)once_in(caller, 8);
    desc.episode_log = below(caller, 4);
    desc.start_states = once_in(caller, 6) ? below(caller, 4) : 0;
    desc.start_seed = below(caller, 3) - 1;
    random_task(caller, &desc.task);
    note(caller, mega_vector_create(once_in(caller, 200) ? NULL : &desc, &vector), "create");
    return vector;
}

static void renew(fuzz_caller *caller) {
    free(caller->observations[0]);
    free(caller->observations[1]);
    free(caller->state);
    mega_vector_destroy(caller->other);
    caller->other = caller->vector;
    do {
        caller->vector = random_vector(caller);
    } while (caller->vector == NULL);
    const uint32_t count = mega_vector_count(caller->vector);
    const size_t size = mega_vector_observation_size(caller->vector) * mega_vector_batch(caller->vector);
    caller->observations[0] = malloc(size + 1);
    caller->observations[1] = malloc(size + 1);
    caller->state_size = mega_vector_state_size(caller->vector) * count;
    caller->state = calloc(1, caller->state_size);
}

// ---- calls ---------------------------------------------------------------------------------------------

static const mega_vector_out *random_out(fuzz_caller *caller, mega_vector_out *out) {
    memset(out, 0, sizeof *out);
    out->observations = once_in(caller, 2) ? caller->observations[0] : NULL;
    out->final_observations = once_in(caller, 2) ? caller->observations[1] : NULL;
    out->rewards = caller->numbers[0];
    out->env_ids = caller->numbers[1];
    out->lives = caller->numbers[2];
    out->frame_numbers = once_in(caller, 2) ? caller->numbers[3] : NULL;
    out->episode_frame_numbers = caller->numbers[4];
    out->terminations = caller->flags[0];
    out->truncations = once_in(caller, 2) ? caller->flags[1] : NULL;
    out->episode_ends = caller->flags[2];
    return once_in(caller, 5) ? NULL : out;
}

typedef struct fuzz_words {
    int32_t actions[MEMBERS], ids[MEMBERS];
    float strengths[MEMBERS];
    uint8_t mask[MEMBERS];
} fuzz_words;

static void random_words(fuzz_caller *caller, fuzz_words *words) {
    uint32_t choices;
    (void)mega_vector_actions(caller->vector, &choices);
    const uint32_t bad = once_in(caller, 20);
    for (uint32_t i = 0; i < MEMBERS; i++) {
        words->actions[i] = (int32_t)below(caller, choices + bad) - (int32_t)(bad && once_in(caller, 9));
        words->ids[i] = (int32_t)below(caller, mega_vector_count(caller->vector) + bad) - (int32_t)bad;
        words->strengths[i] = bad ? test_float(&caller->random) : 1.0f;
        words->mask[i] = (uint8_t)below(caller, 2);
    }
}

static void call_to_play(fuzz_caller *caller, uint32_t what) {
    mega_vector *vector = caller->vector;
    mega_vector_out place;
    fuzz_words words;
    random_words(caller, &words);
    const mega_vector_out *out = random_out(caller, &place);
    const float *strengths = once_in(caller, 3) ? words.strengths : NULL;
    const int32_t *actions = once_in(caller, 60) ? NULL : words.actions;
    const uint32_t group = below(caller, 3), batch = mega_vector_batch(vector);
    const int32_t timeout = (int32_t)below(caller, 3) - 1;
    switch (what) {
    case 0: note(caller, mega_vector_reset(vector, NULL, NULL, out), "reset"); break;
    case 1: note(caller, mega_vector_reset(vector, words.mask, words.actions, out), "reset of some"); break;
    case 2: note(caller, mega_vector_send(vector, NULL, batch, actions, strengths), "send"); break;
    case 3:
        note(caller, mega_vector_send(vector, words.ids, below(caller, batch + 1), actions, strengths),
             "send");
        break;
    case 4: note(caller, mega_vector_recv(vector, timeout, out), "recv"); break;
    case 5: note(caller, mega_vector_group_send(vector, group, actions, strengths), "group_send"); break;
    case 6: note(caller, mega_vector_group_recv(vector, group, timeout, out), "group_recv"); break;
    case 7: note(caller, mega_vector_group_restart(vector, group), "group_restart"); break;
    default: note(caller, mega_vector_step(vector, actions, strengths, out), "step"); break;
    }
}

static void call_to_look(fuzz_caller *caller, uint32_t what) {
    static _Thread_local uint8_t pixels[TEST_SCREEN_MAX];
    mega_vector *vector = caller->vector;
    fuzz_words words;
    mega_vector_statistics statistics;
    mega_episode episodes[3];
    random_words(caller, &words);
    const uint32_t count = mega_vector_count(vector), some = below(caller, count + 1);
    const uint32_t env_id = below(caller, count + once_in(caller, 9));
    const size_t size = some * mega_vector_state_size(vector) - once_in(caller, 30);
    const size_t screen = (size_t)480 * mega_vector_screen_height(vector, env_id);
    if (what == 2 && once_in(caller, 2)) {
        caller->state[below(caller, once_in(caller, 3) ? (uint32_t)caller->state_size : 1000)] ^= 0x11;
    }
    switch (what) {
    case 0: note(caller, mega_vector_set_ram(vector, env_id, below(caller, 130), 77), "set_ram"); break;
    case 1: note(caller, mega_vector_save(vector, words.ids, some, caller->state, size), "save"); break;
    case 2: note(caller, mega_vector_restore(vector, words.ids, some, caller->state, size), "restore"); break;
    case 3: note(caller, mega_vector_screen_rgb(vector, env_id, pixels, screen), "screen"); break;
    case 4:
        note(caller, mega_vector_get_statistics(vector, (int32_t)env_id - 1, &statistics), "statistics");
        (void)mega_vector_drain_episodes(vector, episodes, 3);
        break;
    default:
        note(caller,
             mega_vector_copy(vector, words.ids,
                              once_in(caller, 2) || !caller->other ? vector : caller->other,
                              words.mask[0] ? words.ids + 1 : words.ids, 1),
             "copy");
        break;
    }
}

static void *call_on(void *argument) {
    fuzz_caller *caller = argument;
    renew(caller);
    while (caller->made < caller->calls && !atomic_load(&failed)) {
        if (once_in(caller, 600)) {
            renew(caller);
        } else if (once_in(caller, 4)) {
            call_to_look(caller, below(caller, 6));
        } else {
            call_to_play(caller, once_in(caller, 20) ? below(caller, 7) : 2 + below(caller, 9));
        }
    }
    mega_vector_destroy(caller->vector);
    mega_vector_destroy(caller->other);
    free(caller->observations[0]);
    free(caller->observations[1]);
    free(caller->state);
    return NULL;
}

static int read_options(int count, char **words, uint64_t *calls, uint64_t *threads, uint64_t *seed) {
    for (int i = 1; i < count; i += 2) {
        char *end = NULL;
        const unsigned long long value = i + 1 < count ? strtoull(words[i + 1], &end, 10) : 0;
        uint64_t *to = strcmp(words[i], "--calls") == 0     ? calls
                       : strcmp(words[i], "--threads") == 0 ? threads
                       : strcmp(words[i], "--seed") == 0    ? seed
                                                            : NULL;
        if (to == NULL || end == NULL || *end != '\0') {
            return -1;
        }
        *to = value;
    }
    return *threads >= 1 && *threads <= CALLERS_MAX ? 0 : -1;
}

int main(int count, char **words) {
    static fuzz_caller callers[CALLERS_MAX];
    uint64_t calls = 200000, threads = 3, seed = 0, made = 0, accepted = 0;
    if (read_options(count, words, &calls, &threads, &seed) != 0 || mega_rom_builtin(&builtin) != MEGA_OK) {
        fprintf(stderr, "usage: fuzz_vector [--calls N] [--threads 1..%d] [--seed N]\n", CALLERS_MAX);
        return 2;
    }
    test_load_roms(&roms);
    printf("%u of %u images found\n", roms.count, roms.known);
    for (uint64_t i = 0; i < threads; i++) {
        callers[i].random.state = seed + i;
        callers[i].calls = calls * (i + 1) / threads - calls * i / threads;
        if (pthread_create(&callers[i].thread, NULL, call_on, &callers[i]) != 0) {
            return 2;
        }
    }
    for (uint64_t i = 0; i < threads; i++) {
        pthread_join(callers[i].thread, NULL);
        made += callers[i].made;
        accepted += callers[i].accepted;
    }
    test_release_roms(&roms);
    mega_rom_destroy(builtin);
    printf("fuzz_vector: %llu calls from %llu threads, %llu of them accepted, %s\n", (unsigned long long)made,
           (unsigned long long)threads, (unsigned long long)accepted, failed ? "FAILED" : "none failed");
    return failed;
}
