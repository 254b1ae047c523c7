// test_remote.c - environments of samplers against those of a vector: every row of every step, resets, states, episodes.
// Samplers are processes of their own, over TCP.
#include "field.h"
#include "mega_test.h"
#include "mega_test_port.h"
#include "remote.h"
#include "serve.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    ENVS = 10,
    STEPS = 150,
    MOST = 4 // processes
};

static mega_message message;

static mega_train_settings settings_with(uint32_t groups, uint32_t stack) {
    mega_train_settings settings;
    mega_train_defaults(MEGA_ALGO_A2C, &settings);
    settings.height = settings.width = 44;
    settings.stack = stack;
    settings.envs = ENVS;
    settings.groups = groups;
    settings.threads = 2;
    settings.seed = 4294967290; // numbers of environments go around
    settings.max_episode_frames = 120;
    return settings;
}

// ---- processes ----

static mega_dist *join(uint32_t rank) {
    mega_dist *dist = NULL;
    test_set_number("RANK", rank);
    if (mega_dist_open(MEGA_DIST_TCP, 20.0, &dist, &message) != 0 || mega_dist_part(dist, 1, &message) != 0) {
        fprintf(stderr, "rank %u: %s\n", rank, message.text);
        exit(1);
    }
    return dist;
}

static void sample(uint32_t rank, const mega_train_settings *settings, const mega_rom *rom) {
    int exit_code = 1;
    mega_dist *dist = join(rank);
    if (mega_serve(settings, rom, dist, &exit_code, &message) != 0) {
        fprintf(stderr, "rank %u: %s\n", rank, message.text);
    }
    mega_dist_close(dist);
    exit(exit_code);
}

static mega_dist *start(uint32_t samplers, const mega_train_settings *settings, const mega_rom *rom,
                        pid_t *children) {
    setenv("MASTER_ADDR", "127.0.0.1", 1);
    test_set_number("MASTER_PORT", test_free_port());
    test_set_number("WORLD_SIZE", samplers + 1);
    for (uint32_t i = 0; i < samplers; i++) {
        children[i] = fork();
        MEGA_CHECK(children[i] >= 0);
        if (children[i] == 0) {
            sample(i + 1, settings, rom);
        }
    }
    return join(0);
}

static void end(mega_dist *dist, uint32_t samplers, const pid_t *children) {
    mega_remote_end(dist, 7);
    mega_dist_close(dist);
    for (uint32_t i = 0; i < samplers; i++) {
        int status = -1;
        MEGA_CHECK_EQ(waitpid(children[i], &status, 0), children[i]);
        MEGA_CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7); // as the learner has said
    }
}

// ---- two fields ----

typedef struct results {
    uint8_t *observations;
    int32_t rewards[ENVS];
    uint8_t terminations[ENVS], truncations[ENVS], ends[ENVS];
} results;

static mega_vector_out out_from(results *r, uint32_t first, size_t size) {
    const mega_vector_out out = {.observations = r->observations + first * size,
                                 .rewards = r->rewards + first,
                                 .terminations = r->terminations + first,
                                 .truncations = r->truncations + first,
                                 .episode_ends = r->ends + first};
    return out;
}

typedef struct pair {
    mega_field fields[2]; // here, and of samplers
    results results[2];
    size_t size; // of an observation
    uint32_t groups;
    uint32_t state; // of random numbers
    uint32_t episodes;
    uint32_t compared;
} pair;

static uint32_t draw(pair *p, uint32_t below) {
    p->state = p->state * 1664525u + 1013904223u;
    return (p->state >> 8) % below;
}

static void create(pair *p, const mega_train_settings *settings, const mega_rom *rom, mega_dist *dist) {
    memset(p, 0, sizeof *p);
    const mega_field_plan plan = {.settings = settings, .rom = rom, .first = 3, .count = ENVS};
    const mega_remote_desc desc = {.dist = dist,
                                   .envs = ENVS,
                                   .groups = (uint32_t)settings->groups,
                                   .stack = (uint32_t)settings->stack,
                                   .first = 3};
    MEGA_CHECK_EQ(mega_field_make_vector(&plan, &p->fields[0].vector, &message), 0);
    MEGA_CHECK_EQ(mega_remote_create(&desc, &p->fields[1].remote, &message), 0);
    if (p->fields[1].remote == NULL) {
        fprintf(stderr, "%s\n", message.text);
        exit(1);
    }
    p->size = mega_field_observation_size(&p->fields[0]);
    p->groups = (uint32_t)settings->groups;
    for (int i = 0; i < 2; i++) {
        p->results[i].observations = malloc(ENVS * p->size);
    }
    MEGA_CHECK_EQ(mega_field_count(&p->fields[1]), ENVS);
    MEGA_CHECK_EQ(mega_field_actions(&p->fields[1]), mega_field_actions(&p->fields[0]));
    MEGA_CHECK_EQ(mega_field_observation_size(&p->fields[1]), p->size);
    MEGA_CHECK_EQ(mega_field_state_size(&p->fields[1]), mega_field_state_size(&p->fields[0]));
    for (uint32_t g = 0; g <= p->groups; g++) {
        uint32_t first[2] = {0};
        MEGA_CHECK_EQ(mega_field_group(&p->fields[0], g, &first[0]),
                      mega_field_group(&p->fields[1], g, &first[1]));
        MEGA_CHECK(g == p->groups || first[0] == first[1]);
    }
}

static void destroy(pair *p) {
    for (int i = 0; i < 2; i++) {
        mega_field_destroy(&p->fields[i]);
        free(p->results[i].observations);
    }
}

static void compare(pair *p) {
    const results *a = &p->results[0], *b = &p->results[1];
    MEGA_CHECK_BYTES(a->observations, b->observations, ENVS * p->size);
    MEGA_CHECK_BYTES(a->rewards, b->rewards, sizeof a->rewards);
    MEGA_CHECK_BYTES(a->terminations, b->terminations, sizeof a->terminations);
    MEGA_CHECK_BYTES(a->truncations, b->truncations, sizeof a->truncations);
    MEGA_CHECK_BYTES(a->ends, b->ends, sizeof a->ends);
    p->compared++;
}

static void compare_episodes(pair *p) {
    mega_episode episodes[2][4];
    uint32_t count;
    do { // a few at a time
        count = mega_field_drain_episodes(&p->fields[0], episodes[0], 4);
        MEGA_CHECK_EQ(mega_field_drain_episodes(&p->fields[1], episodes[1], 4), count);
        MEGA_CHECK_BYTES(episodes[0], episodes[1], count * sizeof *episodes[0]);
        p->episodes += count;
    } while (count > 0);
}

// ---- what is played ----

static void reset(pair *p, const uint8_t *mask, const int32_t *seeds, bool wants) {
    for (int i = 0; i < 2; i++) {
        const mega_vector_out out = {.observations = wants ? p->results[i].observations : NULL};
        MEGA_CHECK_EQ(mega_field_reset(&p->fields[i], mask, seeds, &out, &message), 0);
    }
    if (wants) {
        compare(p);
    }
}

static void play_all(pair *p) {
    int32_t actions[ENVS];
    for (uint32_t e = 0; e < ENVS; e++) {
        actions[e] = (int32_t)draw(p, mega_field_actions(&p->fields[0]));
    }
    for (int i = 0; i < 2; i++) {
        const mega_vector_out out = out_from(&p->results[i], 0, p->size);
        MEGA_CHECK_EQ(mega_field_step(&p->fields[i], actions, &out, &message), 0);
    }
    compare(p);
}

// All groups are on their way before any is received.
static void play_groups(pair *p) {
    int32_t actions[ENVS];
    uint32_t first;
    for (uint32_t e = 0; e < ENVS; e++) {
        actions[e] = (int32_t)draw(p, mega_field_actions(&p->fields[0]));
    }
    for (int i = 0; i < 2; i++) {
        for (uint32_t g = 0; g < p->groups; g++) {
            (void)mega_field_group(&p->fields[i], g, &first);
            MEGA_CHECK_EQ(mega_field_group_send(&p->fields[i], g, actions + first, &message), 0);
        }
        for (uint32_t g = 0; g < p->groups; g++) {
            (void)mega_field_group(&p->fields[i], g, &first);
            const mega_vector_out out = out_from(&p->results[i], first, p->size);
            MEGA_CHECK_EQ(mega_field_group_recv(&p->fields[i], g, &out, &message), 0);
        }
    }
    compare(p);
}

// Environments change places: states that were saved on one side are restored on the other.
static void swap_states(pair *p) {
    const size_t size = mega_field_state_size(&p->fields[0]);
    uint8_t *states[2] = {malloc(ENVS * size), malloc(ENVS * size)};
    for (int i = 0; i < 2; i++) {
        MEGA_CHECK_EQ(mega_field_save(&p->fields[i], 1, ENVS - 2, states[i], &message), 0);
    }
    MEGA_CHECK_BYTES(states[0], states[1], (ENVS - 2) * size);
    for (int i = 0; i < 2; i++) {
        MEGA_CHECK_EQ(mega_field_restore(&p->fields[i], 0, ENVS - 2, states[1 - i], &message), 0);
        free(states[1 - i]);
    }
}

static void play(pair *p) {
    uint8_t mask[ENVS];
    int32_t seeds[ENVS];
    reset(p, NULL, NULL, true);
    for (uint32_t step = 0; step < STEPS; step++) {
        (step % 3 == 0 ? play_all : play_groups)(p);
        if (step % 20 == 7) {
            for (uint32_t e = 0; e < ENVS; e++) {
                mask[e] = (uint8_t)draw(p, 2);
                seeds[e] = draw(p, 3) == 0 ? -1 : (int32_t)draw(p, 1000);
            }
            reset(p, mask, step % 40 == 7 ? seeds : NULL, false);
        }
        if (step % 30 == 11) {
            swap_states(p);
        }
        if (step % 5 == 4) {
            compare_episodes(p);
        }
    }
    reset(p, NULL, seeds, true);
    play_groups(p);
}

static void test_same(uint32_t samplers, uint32_t groups, uint32_t stack, const mega_rom *rom) {
    const mega_train_settings settings = settings_with(groups, stack);
    pid_t children[MOST];
    mega_dist *dist = start(samplers, &settings, rom, children);
    pair p;
    create(&p, &settings, rom, dist);
    play(&p);
    MEGA_CHECK_EQ(p.compared, STEPS + 3);
    MEGA_CHECK(p.episodes > ENVS);
    destroy(&p);
    end(dist, samplers, children);
}

// What a sampler cannot do is a failure here, with its rank; nothing more is answered, and it leaves as it is told.
static void test_failure(const mega_rom *rom) {
    const mega_train_settings settings = settings_with(2, 2);
    pid_t children[MOST];
    mega_dist *dist = start(2, &settings, rom, children);
    pair p;
    create(&p, &settings, rom, dist);
    reset(&p, NULL, NULL, true);
    uint8_t *states = calloc(ENVS, mega_field_state_size(&p.fields[1]));
    MEGA_CHECK_EQ(mega_field_restore(&p.fields[1], 0, ENVS, states, &message), -1);
    MEGA_CHECK(strncmp(message.text, "rank 1: ", 8) == 0);
    free(states);
    destroy(&p);
    end(dist, 2, children);
}

int main(void) {
    // A translation that is under way here when a process is forked looks like a leak there to a sanitizer.
    setenv("MEGACADE_TRANSLATE", "0", 1);
    mega_rom *rom = NULL;
    MEGA_CHECK_EQ(mega_rom_builtin(&rom), MEGA_OK);
    test_same(1, 1, 4, rom);
    test_same(2, 3, 3, rom);
    test_same(3, 4, 1, rom); // some have none of a group
    test_failure(rom);
    mega_rom_destroy(rom);
    return mega_test_result();
}
