// test_cuda_vector.c - a vector on a GPU is a vector on the CPU, bit for bit. The GPU is the fake one, which
// runs the kernels' source on the host (tests/gpu/fake_kernels.c).
#include "cuda_vector.h"
#include "mega_test_cuda.h"
#include "mega_test_machine.h"
#include "mega_test_pair.h"

static mega_rom *builtin;
static test_rom_set roms;
static test_pair pair;
static uint32_t found, played; // beginnings of episodes

// Short episodes, so that a few steps hold many resets.
static mega_vector_desc short_episodes(uint32_t count) {
    static const mega_rom *one[1];
    mega_vector_desc desc = {.struct_size = sizeof desc, .count = count, .rom_count = 1, .threads = 1};
    one[0] = builtin;
    desc.roms = one;
    desc.task = (mega_task_desc){.struct_size = sizeof desc.task,
                                 .max_episode_frames = 60,
                                 .noop_max = 8,
                                 .no_reward_clipping = 1,
                                 .sticky = 0.25f};
    return desc;
}

static void check_statistics(void) {
    mega_vector_statistics a, b;
    mega_episode left[4], right[4];
    uint32_t got;
    for (int32_t i = -1; i < (int32_t)pair.count; i++) {
        MEGA_CHECK_EQ(mega_vector_get_statistics(pair.cpu.vector, i, &a), MEGA_OK);
        MEGA_CHECK_EQ(mega_vector_get_statistics(pair.gpu.vector, i, &b), MEGA_OK);
        MEGA_CHECK_BYTES(&a, &b, sizeof a);
    }
    MEGA_CHECK(a.episodes > 0);
    do {
        got = mega_vector_drain_episodes(pair.cpu.vector, left, 4);
        MEGA_CHECK_EQ(mega_vector_drain_episodes(pair.gpu.vector, right, 4), got);
        MEGA_CHECK_BYTES(left, right, got * sizeof left[0]);
    } while (got != 0);
}

static void check_ram(void) {
    for (uint32_t i = 0; i < pair.count; i++) {
        MEGA_CHECK_BYTES(mega_vector_ram(pair.cpu.vector, i), mega_vector_ram(pair.gpu.vector, i),
                         MEGA_RAM_SIZE);
    }
}

static void check_screens(void) {
    for (uint32_t i = 0; i < pair.count; i++) {
        const size_t size = (size_t)mega_vector_screen_height(pair.cpu.vector, i) * MEGA_SCREEN_WIDTH * 3;
        uint8_t *a = malloc(2 * size), *b = a + size;
        MEGA_CHECK_EQ(mega_vector_screen_rgb(pair.cpu.vector, i, a, size), MEGA_OK);
        MEGA_CHECK_EQ(mega_vector_screen_rgb(pair.gpu.vector, i, b, size), MEGA_OK);
        MEGA_CHECK_BYTES(a, b, size);
        free(a);
    }
}

static void play(uint32_t steps) {
    for (uint32_t t = 0; t < steps; t++) {
        MEGA_CHECK_EQ(pair_step(&pair), 0);
    }
}

static void play_through(const mega_vector_desc *desc, uint32_t steps) {
    MEGA_CHECK(pair_open(&pair, desc, "cuda"));
    if (pair.gpu.vector == NULL) {
        return;
    }
    int32_t *seeds = calloc(desc->count, sizeof *seeds);
    uint8_t *mask = calloc(desc->count, 1);
    for (uint32_t i = 0; i < desc->count; i++) {
        seeds[i] = (int32_t)(i % 3 == 2 ? -1 : (int32_t)(100 + i));
        mask[i] = i % 2 == 0;
    }
    MEGA_CHECK_EQ(pair_reset(&pair, NULL, seeds), 0);
    MEGA_CHECK_EQ(pair_compare_states(&pair), 0);
    play(steps);
    check_ram();
    check_screens();
    MEGA_CHECK_EQ(pair_compare_states(&pair), 0);
    MEGA_CHECK_EQ(pair_reset(&pair, mask, seeds), 0);
    play(steps / 2);
    MEGA_CHECK_EQ(pair_reset(&pair, NULL, NULL), 0);
    play(steps / 2);
    MEGA_CHECK_EQ(pair_compare_states(&pair), 0);
    check_statistics();
    // Memory of the fake GPU is the host's.
    const uint32_t *counts = ((const mega_cuda_vector *)pair.gpu.vector)->all.memo.counts;
    found += counts[0];
    played += counts[1];
    free(seeds);
    free(mask);
    pair_close(&pair);
}

// ---- cases ---------------------------------------------------------------------------------------------

static void case_builtin(void) {
    for (uint32_t k = 0; k < 4; k++) {
        mega_vector_desc desc = short_episodes(5);
        desc.autoreset = k % 2;
        desc.groups = 1 + k / 2;
        desc.task.sticky = k == 3 ? 0.0f : 0.25f;
        play_through(&desc, 40);
    }
    MEGA_CHECK(found > played);
    MEGA_CHECK_EQ(mega_test_cuda_ask("fake_cuda_held"), 0);
}

static void case_settings(void) {
    for (uint32_t k = 0; k < 7; k++) {
        mega_vector_desc desc = short_episodes(3);
        desc.autoreset = k % 2;
        desc.task.rgb = k == 0;
        desc.task.stack = k == 1 ? 1 : 3;
        desc.task.height = k == 2 ? 105 : k == 5 ? 250 : 84;
        desc.task.width = k == 6 ? 80 : 84;
        desc.task.episodic_life = k == 3;
        desc.task.life_loss_info = k == 4;
        desc.task.full_actions = k == 4;
        desc.task.no_maxpool = k == 1;
        desc.task.frame_skip = k == 5 ? 1 : 4;
        desc.task.max_episode_frames = k == 5 ? 12 : 60;
        desc.task.noop_max = k == 6 ? -1 : 8;
        desc.task.no_fire_reset = k == 6;
        desc.blind = k == 4;
        play_through(&desc, 30);
    }
}

// EnvPool's episodes may go on with the game of the one before; those that the user asks for do not. A game of
// Asterix is soon over, in any frame of a step.
static void case_envpool(void) {
    mega_rom *rom = NULL;
    const mega_rom *one[1] = {builtin};
    if (mega_rom_find("asterix", NULL, &rom) == MEGA_OK) {
        one[0] = rom;
    }
    for (uint32_t k = 0; k < 12; k++) {
        mega_vector_desc desc = short_episodes(k % 3 == 2 ? 8 : 4);
        desc.roms = k % 3 == 2 ? one : desc.roms;
        desc.autoreset = k % 2;
        desc.task.envpool = 1;
        desc.task.episodic_life = k < 8;
        desc.task.max_episode_frames = k % 3 == 2 ? 4000 : 148;
        desc.task.sticky = k % 4 < 2 ? 0.0f : 0.25f;
        desc.task.rgb = k % 6 == 5;
        desc.task.frame_skip = k == 6 ? 2 : k == 7 ? 1 : 4;
        play_through(&desc, k % 3 == 2 ? 250 : 60);
    }
    MEGA_CHECK(found > 0);
    mega_rom_destroy(rom);
}

static void case_different_games(void) {
    const mega_rom *list[9];
    mega_vector_desc desc = short_episodes(9);
    for (uint32_t i = 0; i < 9; i++) {
        list[i] = roms.count == 0 || i % 4 == 0 ? builtin : roms.roms[(i / 2 * 37) % roms.count];
    }
    desc.roms = list;
    desc.rom_count = 9;
    for (uint32_t k = 0; k < 2; k++) {
        desc.autoreset = k;
        desc.groups = 1 + k;
        play_through(&desc, 25);
    }
}

// A program on a cartridge with 2 KiB of RAM, which it shows and changes.
static mega_rom *open_ram_image(void) {
    static const uint8_t code[] = {0x2C, 0xE7, 0xFF, 0xE6, 0x80, 0xA6, 0x80, 0xBD, 0x00, 0xF4, 0x18, 0x69,
                                   0x03, 0x9D, 0x00, 0xF0, 0x85, 0x09, 0x8D, 0x00, 0xF8, 0x4C, 0x03, 0xFA};
    static uint8_t image[16384];
    mega_rom *rom = NULL;
    memcpy(image, (const uint8_t[]){0xAD, 0xE5, 0xFF}, 3); // how such cartridges are recognised
    memcpy(image + 16384 - 0x600, code, sizeof code);
    image[16384 - 3] = 0xFA;
    MEGA_CHECK_EQ(mega_rom_from_memory(image, sizeof image, "ram", &rom), MEGA_OK);
    return rom;
}

static void play_ram_image(void) {
    mega_rom *rom = open_ram_image();
    const mega_rom *list[2] = {rom, builtin};
    mega_vector_desc desc = short_episodes(2);
    desc.roms = list;
    desc.rom_count = 2;
    desc.start_states = 3;
    play_through(&desc, 40);
    MEGA_CHECK(pair_open(&pair, &desc, "cuda"));
    MEGA_CHECK(((const mega_cuda_vector *)pair.gpu.vector)->all.cart_ram_size == 2048);
    pair_close(&pair);
    mega_rom_destroy(rom);
}

// Episodes that begin in one of a few start states: by all kinds of resets, in games that go on, with RAM on the
// cartridge, in modes of their own.
static void case_start_states(void) {
    static const char *const names[3] = {"asterix", "pitfall2", "air_raid"};
    const mega_rom *list[3] = {builtin, builtin, builtin};
    const int32_t modes[3] = {MEGA_MODE_DEFAULT, MEGA_MODE_DEFAULT, 3};
    mega_rom *others[3] = {NULL, NULL, NULL};
    int several = 1;
    for (uint32_t i = 0; i < 3; i++) {
        several = mega_rom_find(names[i], NULL, &others[i]) == MEGA_OK && several;
    }
    for (uint32_t k = 0; k < 10; k++) {
        const uint32_t is_mixed = several && k >= 7;
        mega_vector_desc desc = short_episodes(is_mixed ? 3 : 6);
        desc.start_states = 1 + k % 4;
        desc.start_seed = 50 + k;
        desc.autoreset = k % 2;
        desc.groups = 1 + k / 2 % 2;
        desc.task.rgb = k == 2;
        desc.task.height = k == 3 ? 100 : 84;
        desc.blind = k == 4;
        if (k == 5 || k == 6) { // lives end episodes, and the game goes on
            list[0] = others[0] != NULL ? others[0] : builtin;
            desc.task.envpool = desc.task.episodic_life = 1;
            desc.task.max_episode_frames = 4000;
        }
        if (is_mixed) {
            memcpy(list, others, sizeof list);
            desc.modes = modes;
            desc.rom_count = 3;
        }
        desc.roms = list;
        play_through(&desc, k == 5 || k == 6 ? 250 : 40);
        list[0] = builtin;
    }
    play_ram_image();
    MEGA_CHECK_EQ(found, 0); // the table of beginnings is not asked
    for (uint32_t i = 0; i < 3; i++) {
        mega_rom_destroy(others[i]);
    }
}

// States go from one device to the other and back, and play on alike.
static void case_copies(void) {
    const int32_t ids[4] = {0, 1, 2, 3}, others[4] = {3, 2, 1, 0};
    mega_vector_desc desc = short_episodes(4);
    MEGA_CHECK(pair_open(&pair, &desc, "cuda:0"));
    MEGA_CHECK_EQ(pair_reset(&pair, NULL, NULL), 0);
    play(11);
    MEGA_CHECK_EQ(mega_vector_copy(pair.cpu.vector, others, pair.gpu.vector, ids, 4), MEGA_OK);
    MEGA_CHECK_EQ(mega_vector_copy(pair.gpu.vector, ids, pair.cpu.vector, ids, 4), MEGA_OK);
    MEGA_CHECK_EQ(pair_compare_states(&pair), 0);
    play(20);
    MEGA_CHECK_EQ(mega_vector_copy(pair.gpu.vector, others, pair.gpu.vector, ids, 4), MEGA_OK);
    MEGA_CHECK_EQ(mega_vector_copy(pair.cpu.vector, others, pair.cpu.vector, ids, 4), MEGA_OK);
    MEGA_CHECK_EQ(pair_compare_states(&pair), 0);
    MEGA_CHECK_EQ(mega_vector_set_ram(pair.cpu.vector, 1, 5, 77), MEGA_OK);
    MEGA_CHECK_EQ(mega_vector_set_ram(pair.gpu.vector, 1, 5, 77), MEGA_OK);
    play(20);
    check_ram();
    pair_close(&pair);
}

// An environment of its own moves into a vector, plays there and comes back as if it had played alone.
static void case_environments(void) {
    const mega_env_desc settings = {.struct_size = sizeof settings, .seed = 9, .sticky = 0.25f};
    mega_vector_desc desc = short_episodes(3);
    mega_env *alone = NULL, *mover = NULL;
    uint8_t states[2][16384];
    desc.task.frame_skip = 1;
    desc.task.max_episode_frames = 10000;
    desc.task.full_actions = 1;
    MEGA_CHECK(pair_open(&pair, &desc, "cuda"));
    MEGA_CHECK_EQ(mega_env_create(&settings, builtin, &alone), MEGA_OK);
    MEGA_CHECK_EQ(mega_env_create(&settings, builtin, &mover), MEGA_OK);
    const size_t size = mega_env_state_size(alone);
    MEGA_CHECK(size <= sizeof states[0]);
    MEGA_CHECK_EQ(pair_reset(&pair, NULL, NULL), 0);
    mega_vector *vectors[] = {pair.cpu.vector, pair.gpu.vector};
    for (uint32_t k = 0; k < 6; k++) {
        MEGA_CHECK_EQ(mega_vector_set_env(vectors[k % 2], 1, mover), MEGA_OK);
        for (int32_t t = 0; t < 20; t++) {
            int32_t reward;
            const int32_t actions[3] = {0, (t + (int32_t)k) % 5, 1};
            MEGA_CHECK_EQ(mega_env_act(alone, (uint32_t)actions[1], 1.0f, &reward), MEGA_OK);
            MEGA_CHECK_EQ(mega_vector_step(vectors[k % 2], actions, NULL, NULL), MEGA_OK);
        }
        MEGA_CHECK_EQ(mega_vector_get_env(vectors[k % 2], 1, mover), MEGA_OK);
        MEGA_CHECK_EQ(mega_env_save(alone, 1, states[0], size), MEGA_OK);
        MEGA_CHECK_EQ(mega_env_save(mover, 1, states[1], size), MEGA_OK);
        MEGA_CHECK_BYTES(states[0], states[1], size);
    }
    MEGA_CHECK_EQ(mega_vector_get_env(pair.gpu.vector, 3, mover), MEGA_ERROR_ARGUMENT);
    if (roms.count != 0) {
        mega_env *other = NULL;
        MEGA_CHECK_EQ(mega_env_create(&settings, roms.roms[0], &other), MEGA_OK);
        MEGA_CHECK_EQ(mega_vector_set_env(pair.gpu.vector, 0, other), MEGA_ERROR_STATE);
        mega_env_destroy(other);
    }
    mega_env_destroy(alone);
    mega_env_destroy(mover);
    pair_close(&pair);
}

// An episode that is over in a state goes on with a reset, also where the step that ends one resets.
static void case_over(void) {
    mega_vector_desc desc = short_episodes(3);
    const int32_t ids[3] = {0, 1, 2}, actions[3] = {0, 0, 0};
    mega_vector *ending = NULL;
    uint8_t ends[3] = {0};
    const mega_vector_out out = {.episode_ends = ends};
    MEGA_CHECK_EQ(mega_vector_create(&desc, &ending), MEGA_OK);
    MEGA_CHECK_EQ(mega_vector_reset(ending, NULL, NULL, NULL), MEGA_OK);
    for (uint32_t t = 0; t < 100 && !ends[1]; t++) {
        MEGA_CHECK_EQ(mega_vector_step(ending, actions, NULL, &out), MEGA_OK);
    }
    MEGA_CHECK(ends[1]);
    desc.autoreset = MEGA_AUTORESET_SAME_STEP;
    MEGA_CHECK(pair_open(&pair, &desc, "cuda"));
    MEGA_CHECK_EQ(mega_vector_copy(pair.cpu.vector, ids, ending, ids, 3), MEGA_OK);
    MEGA_CHECK_EQ(mega_vector_copy(pair.gpu.vector, ids, ending, ids, 3), MEGA_OK);
    play(30);
    MEGA_CHECK_EQ(pair_compare_states(&pair), 0);
    pair_close(&pair);
    mega_vector_destroy(ending);
}

static void restart_pair(uint32_t groups) {
    for (uint32_t g = 0; g < groups; g++) {
        const uint32_t first = (uint32_t)((uint64_t)pair.count * g / groups);
        mega_vector *const vectors[] = {pair.cpu.vector, pair.gpu.vector};
        const test_side *const sides[] = {&pair.cpu, &pair.gpu};
        for (uint32_t i = 0; i < 2; i++) {
            mega_vector_out out = sides[i]->out;
            out.observations += first * pair.size;
            out.rewards += first;
            out.terminations += first;
            out.truncations += first;
            out.episode_ends += first;
            out.env_ids += first;
            out.lives += first;
            out.frame_numbers += first;
            out.episode_frame_numbers += first;
            MEGA_CHECK_EQ(mega_vector_group_restart(vectors[i], g), MEGA_OK);
            MEGA_CHECK_EQ(mega_vector_group_restart(vectors[i], g), MEGA_ERROR_ORDER);
            MEGA_CHECK_EQ(mega_vector_group_recv(vectors[i], g, -1, &out), MEGA_OK);
        }
    }
    MEGA_CHECK_EQ(pair_compare(&pair), 0);
}

// Episodes that begin when the caller says so; until then nothing moves but the stack. States that are over go on alike.
static void case_off(void) {
    for (uint32_t k = 0; k < 7; k++) {
        const int32_t ids[5] = {0, 1, 2, 3, 4}, others[5] = {4, 3, 2, 1, 0};
        mega_vector_desc desc = short_episodes(5);
        desc.autoreset = MEGA_AUTORESET_OFF;
        desc.groups = 1 + k % 2;
        desc.task.rgb = k == 2;
        desc.task.episodic_life = k == 3;
        desc.task.max_episode_frames = k == 4 ? 58 : 60; // or a step is left early
        desc.task.envpool = k == 5;
        desc.blind = k == 6;
        MEGA_CHECK(pair_open(&pair, &desc, "cuda"));
        MEGA_CHECK_EQ(mega_vector_group_restart(pair.gpu.vector, 0), MEGA_ERROR_ORDER);
        MEGA_CHECK_EQ(pair_reset(&pair, NULL, NULL), 0);
        for (uint32_t t = 0; t < 6; t++) {
            play(4 + 3 * t);
            MEGA_CHECK_EQ(pair_compare_states(&pair), 0);
            restart_pair(desc.groups);
            MEGA_CHECK_EQ(pair_compare_states(&pair), 0);
        }
        // At once after an end.
        for (uint32_t t = 0; t < 40 && (t == 0 || !pair.cpu.out.episode_ends[0]); t++) {
            play(1);
        }
        MEGA_CHECK(pair.cpu.out.episode_ends[0]);
        restart_pair(desc.groups);
        // Some are over, others have just begun; they change places.
        play(18);
        MEGA_CHECK_EQ(pair_reset(&pair, (const uint8_t[5]){1, 1, 0, 0, 0}, NULL), 0);
        play(2);
        MEGA_CHECK_EQ(mega_vector_copy(pair.gpu.vector, others, pair.cpu.vector, ids, 5), MEGA_OK);
        MEGA_CHECK_EQ(mega_vector_copy(pair.cpu.vector, ids, pair.gpu.vector, ids, 5), MEGA_OK);
        play(3);
        MEGA_CHECK_EQ(pair_compare_states(&pair), 0);
        restart_pair(desc.groups);
        play(10);
        check_statistics();
        pair_close(&pair);
    }
}

// Paddles that move by parts of a step.
static void case_strengths(void) {
    mega_rom *rom = NULL;
    const float strengths[3] = {0.5f, 1.0f, 0.1f};
    const mega_rom *one[1] = {builtin};
    mega_vector_desc desc = short_episodes(3);
    if (mega_rom_find("breakout", NULL, &rom) == MEGA_OK) {
        one[0] = rom;
    }
    desc.roms = one;
    desc.groups = 2;
    MEGA_CHECK(pair_open(&pair, &desc, "cuda"));
    MEGA_CHECK_EQ(pair_reset(&pair, NULL, NULL), 0);
    for (uint32_t t = 0; t < 40; t++) {
        for (uint32_t i = 0; i < 3; i++) {
            pair.actions[i] = (int32_t)((t / 4 + i) % pair.choices);
        }
        MEGA_CHECK_EQ(mega_vector_step(pair.cpu.vector, pair.actions, strengths, &pair.cpu.out), MEGA_OK);
        MEGA_CHECK_EQ(mega_vector_step(pair.gpu.vector, pair.actions, strengths, &pair.gpu.out), MEGA_OK);
        MEGA_CHECK_EQ(pair_compare(&pair), 0);
    }
    check_ram();
    pair_close(&pair);
    mega_rom_destroy(rom);
}

// Without the table of beginnings everything is played.
static void case_no_memo(void) {
    mega_vector_desc desc = short_episodes(3);
    play_through(&desc, 30);
    MEGA_CHECK_EQ(found, 0);
    MEGA_CHECK(played > 0);
}

// Calls of all kinds after the GPU was lost: a sentence each.
static void check_lost(mega_vector *vector) {
    const int32_t ids[1] = {0}, actions[2] = {0, 0};
    static uint8_t pixels[3 * 160 * 300], state[1 << 20];
    const size_t size = (size_t)mega_vector_screen_height(vector, 0) * MEGA_SCREEN_WIDTH;
    mega_vector_statistics statistics;
    mega_episode episode;
    const mega_status results[] = {
        mega_vector_reset(vector, NULL, NULL, NULL),
        mega_vector_step(vector, actions, NULL, NULL),
        mega_vector_step_device(vector, MEGA_STEP_SAMPLE, NULL),
        mega_vector_set_ram(vector, 0, 1, 2),
        mega_vector_screen(vector, 0, pixels, size),
        mega_vector_save(vector, ids, 1, state, mega_vector_state_size(vector)),
        mega_vector_get_statistics(vector, -1, &statistics),
        mega_vector_group_step_device(vector, 0, NULL),
        mega_vector_group_make_stream_wait(vector, 0, NULL),
        mega_vector_finish(vector),
        mega_vector_wait_for_stream(vector, NULL),
        mega_vector_make_stream_wait(vector, NULL),
    };
    for (size_t i = 0; i < sizeof results / sizeof results[0]; i++) {
        MEGA_CHECK_EQ(results[i], MEGA_ERROR_CUDA_LOST);
    }
    MEGA_CHECK_MESSAGE("the GPU failed");
    MEGA_CHECK(mega_vector_ram(vector, 0) == NULL);
    MEGA_CHECK(mega_vector_observations(vector) == NULL);
    MEGA_CHECK_EQ(mega_vector_drain_episodes(vector, &episode, 1), 0);
}

// The GPU fails at any of the calls that reach it: a status, nothing is kept, and the CPU plays on.
static void case_lost(void) {
    mega_vector_desc desc = short_episodes(2);
    mega_vector *cpu = NULL;
    const int32_t actions[2] = {0, 0};
    uint32_t whole = 0;
    MEGA_CHECK_EQ(mega_vector_create(&desc, &cpu), MEGA_OK);
    MEGA_CHECK_EQ(mega_vector_reset(cpu, NULL, NULL, NULL), MEGA_OK);
    desc.device = "cuda";
    desc.autoreset = MEGA_AUTORESET_SAME_STEP;
    desc.task.translate = MEGA_TRANSLATE_OFF;
    for (uint32_t after = 0; whole == 0 && after < 2000; after += after < 64 ? 3 : 37) {
        mega_vector *vector = NULL;
        char limit[32];
        snprintf(limit, sizeof limit, "%ld", mega_test_cuda_ask("fake_cuda_calls") + (long)after);
        setenv("FAKE_CUDA_LOST_AFTER", limit, 1);
        mega_status status = mega_vector_create(&desc, &vector);
        if (status == MEGA_OK) {
            status = mega_vector_reset(vector, NULL, NULL, NULL);
        }
        for (uint32_t t = 0; t < 30 && status == MEGA_OK; t++) {
            status = mega_vector_step(vector, actions, NULL, NULL);
        }
        whole += status == MEGA_OK;
        MEGA_CHECK(status == MEGA_OK || status == MEGA_ERROR_CUDA_LOST);
        MEGA_CHECK_EQ(mega_vector_step(cpu, actions, NULL, NULL), MEGA_OK);
        if (status != MEGA_OK && vector != NULL) {
            check_lost(vector);
        }
        mega_vector_destroy(vector);
        MEGA_CHECK_EQ(mega_test_cuda_ask("fake_cuda_held"), 0);
    }
    MEGA_CHECK(whole != 0);
    mega_vector_destroy(cpu);
}

static void case_device_view(void) {
    mega_vector_desc desc = short_episodes(4);
    mega_vector_device_view view;
    MEGA_CHECK(pair_open(&pair, &desc, "cuda"));
    MEGA_CHECK_EQ(pair_reset(&pair, NULL, NULL), 0);
    MEGA_CHECK_EQ(mega_vector_get_device_view(pair.cpu.vector, &view), MEGA_ERROR_ARGUMENT);
    uint64_t needed = 1, executed = 1;
    MEGA_CHECK_EQ(mega_vector_get_lanes(pair.cpu.vector, &needed, &executed), MEGA_ERROR_ARGUMENT);
    MEGA_CHECK_EQ(mega_vector_get_lanes(pair.gpu.vector, &needed, NULL), MEGA_ERROR_ARGUMENT);
    MEGA_CHECK_EQ(mega_vector_get_lanes(pair.gpu.vector, &needed, &executed), MEGA_OK);
    MEGA_CHECK_EQ(needed + executed, 0); // nobody asked for counting
    MEGA_CHECK_EQ(mega_vector_get_device_view(pair.gpu.vector, &view), MEGA_OK);
    // Memory of the fake GPU is the host's.
    for (int32_t t = 0; t < 20; t++) {
        for (int32_t i = 0; i < 4; i++) {
            pair.actions[i] = (t + i) % (int32_t)pair.choices;
        }
        MEGA_CHECK_EQ(mega_vector_step(pair.cpu.vector, pair.actions, NULL, &pair.cpu.out), MEGA_OK);
        memcpy(view.actions, pair.actions, 4 * sizeof(int32_t));
        if (t % 2 == 0) {
            MEGA_CHECK_EQ(mega_vector_step_device(pair.gpu.vector, 0, &pair.gpu.out), MEGA_OK);
            MEGA_CHECK_EQ(pair_compare(&pair), 0);
        } else {
            MEGA_CHECK_EQ(mega_vector_step_device(pair.gpu.vector, MEGA_STEP_NO_WAIT, NULL), MEGA_OK);
        }
        MEGA_CHECK_BYTES(view.rewards, pair.cpu.out.rewards, 4 * sizeof(int32_t));
        MEGA_CHECK_BYTES(view.observations, pair.cpu.out.observations, 4 * pair.size);
    }
    MEGA_CHECK_EQ(mega_vector_step_device(pair.gpu.vector, MEGA_STEP_SAMPLE, NULL), MEGA_OK);
    MEGA_CHECK_EQ(mega_vector_step_device(pair.gpu.vector, MEGA_STEP_NO_WAIT, &pair.gpu.out),
                  MEGA_ERROR_ARGUMENT);
    MEGA_CHECK_EQ(mega_vector_step_device(pair.gpu.vector, 8, NULL), MEGA_ERROR_ARGUMENT);
    pair_close(&pair);
}

// Groups that play actions in the GPU's memory, each in a stream of its own.
static void case_group_steps(void) {
    mega_vector_desc desc = short_episodes(4);
    mega_vector_device_view view;
    void *other = (void *)(uintptr_t)0x40;
    desc.groups = 2;
    MEGA_CHECK(pair_open(&pair, &desc, "cuda"));
    MEGA_CHECK_EQ(mega_vector_group_step_device(pair.gpu.vector, 0, other), MEGA_ERROR_ORDER);
    MEGA_CHECK_EQ(pair_reset(&pair, NULL, NULL), 0);
    MEGA_CHECK_EQ(mega_vector_get_device_view(pair.gpu.vector, &view), MEGA_OK);
    for (int32_t t = 0; t < 20; t++) {
        for (int32_t i = 0; i < 4; i++) {
            view.actions[i] = pair.actions[i] = (t + i) % (int32_t)pair.choices;
        }
        MEGA_CHECK_EQ(mega_vector_step(pair.cpu.vector, pair.actions, NULL, &pair.cpu.out), MEGA_OK);
        for (uint32_t g = 0; g < 2; g++) {
            (void)mega_test_cuda_ask("fake_cuda_recorded_stream");
            MEGA_CHECK_EQ(mega_vector_group_step_device(pair.gpu.vector, g, other), MEGA_OK);
            MEGA_CHECK_EQ(mega_test_cuda_ask("fake_cuda_recorded_stream"), 0x40);
            MEGA_CHECK_EQ(mega_vector_group_make_stream_wait(pair.gpu.vector, g, other), MEGA_OK);
            MEGA_CHECK_EQ(mega_test_cuda_ask("fake_cuda_waiting_stream"), 0x40);
        }
        MEGA_CHECK_EQ(mega_vector_finish(pair.gpu.vector), MEGA_OK);
        MEGA_CHECK_BYTES(view.rewards, pair.cpu.out.rewards, 4 * sizeof(int32_t));
        MEGA_CHECK_BYTES(view.episode_ends, pair.cpu.out.episode_ends, 4);
        MEGA_CHECK_BYTES(view.observations, pair.cpu.out.observations, 4 * pair.size);
    }
    MEGA_CHECK_EQ(mega_vector_group_restart(pair.gpu.vector, 0), MEGA_ERROR_ORDER);
    MEGA_CHECK_EQ(mega_vector_group_restart_device(pair.gpu.vector, 0, other), MEGA_ERROR_ORDER);
    MEGA_CHECK_EQ(mega_vector_group_restart_device(pair.cpu.vector, 0, other), MEGA_ERROR_ARGUMENT);
    MEGA_CHECK_EQ(mega_vector_group_step_device(pair.gpu.vector, 2, other), MEGA_ERROR_ARGUMENT);
    MEGA_CHECK_EQ(mega_vector_group_make_stream_wait(pair.gpu.vector, 2, other), MEGA_ERROR_ARGUMENT);
    MEGA_CHECK_EQ(mega_vector_group_step_device(pair.cpu.vector, 0, other), MEGA_ERROR_ARGUMENT);
    MEGA_CHECK_EQ(mega_vector_group_make_stream_wait(pair.cpu.vector, 0, other), MEGA_ERROR_ARGUMENT);
    MEGA_CHECK_EQ(mega_vector_finish(pair.cpu.vector), MEGA_ERROR_ARGUMENT);
    MEGA_CHECK_EQ(mega_vector_group_send(pair.gpu.vector, 0, pair.actions, NULL), MEGA_OK);
    MEGA_CHECK_EQ(mega_vector_group_step_device(pair.gpu.vector, 0, other), MEGA_ERROR_ORDER);
    MEGA_CHECK_EQ(mega_vector_finish(pair.gpu.vector), MEGA_ERROR_ORDER);
    MEGA_CHECK_EQ(mega_vector_group_recv(pair.gpu.vector, 0, -1, NULL), MEGA_OK);
    pair_close(&pair);
}

// Episodes that begin in a group's stream, after what is in another one, and before what is put into that later.
static void case_group_restarts(void) {
    mega_vector_desc desc = short_episodes(4);
    mega_vector_device_view view;
    void *other = (void *)(uintptr_t)0x40;
    desc.groups = 2;
    desc.autoreset = MEGA_AUTORESET_OFF;
    MEGA_CHECK(pair_open(&pair, &desc, "cuda"));
    MEGA_CHECK_EQ(pair_reset(&pair, NULL, NULL), 0);
    MEGA_CHECK_EQ(mega_vector_get_device_view(pair.gpu.vector, &view), MEGA_OK);
    for (uint32_t t = 0; t < 5; t++) {
        play(20);
        for (uint32_t g = 0; g < 2; g++) {
            (void)mega_test_cuda_ask("fake_cuda_recorded_stream");
            MEGA_CHECK_EQ(mega_vector_group_restart_device(pair.gpu.vector, g, other), MEGA_OK);
            MEGA_CHECK_EQ(mega_test_cuda_ask("fake_cuda_recorded_stream"), 0x40);
            MEGA_CHECK_EQ(mega_vector_group_make_stream_wait(pair.gpu.vector, g, other), MEGA_OK);
            MEGA_CHECK_EQ(mega_vector_group_restart(pair.cpu.vector, g), MEGA_OK);
            MEGA_CHECK_EQ(mega_vector_group_recv(pair.cpu.vector, g, -1, NULL), MEGA_OK);
        }
        MEGA_CHECK_EQ(mega_vector_finish(pair.gpu.vector), MEGA_OK);
        MEGA_CHECK_EQ(pair_compare_states(&pair), 0);
        MEGA_CHECK_BYTES(view.observations, mega_vector_observations(pair.cpu.vector), 4 * pair.size);
    }
    pair_close(&pair);
}

// Actions from an array of somebody else on the GPU, and streams that wait for each other.
static void case_streams(void) {
    mega_vector_desc desc = short_episodes(4);
    int64_t wide[4];
    int32_t narrow[4], rewards[4];
    mega_vector_device_view view;
    void *other = (void *)(uintptr_t)0x40;
    MEGA_CHECK(pair_open(&pair, &desc, "cuda"));
    MEGA_CHECK_EQ(pair_reset(&pair, NULL, NULL), 0);
    MEGA_CHECK_EQ(mega_vector_get_device_view(pair.gpu.vector, &view), MEGA_OK);
    for (int32_t t = 0; t < 20; t++) {
        for (int32_t i = 0; i < 4; i++) {
            wide[i] = narrow[i] = pair.actions[i] = (t + i) % (int32_t)pair.choices;
        }
        const void *actions = t % 2 == 0 ? (const void *)wide : (const void *)narrow;
        MEGA_CHECK_EQ(mega_vector_step(pair.cpu.vector, pair.actions, NULL, &pair.cpu.out), MEGA_OK);
        MEGA_CHECK_EQ(mega_vector_take_actions(pair.gpu.vector, actions, t % 2 == 0 ? 8 : 4), MEGA_OK);
        MEGA_CHECK_EQ(mega_vector_step_device(pair.gpu.vector, 0, &pair.gpu.out), MEGA_OK);
        MEGA_CHECK_EQ(pair_compare(&pair), 0);
        MEGA_CHECK_EQ(mega_vector_read(pair.gpu.vector, view.rewards, rewards, sizeof rewards), MEGA_OK);
        MEGA_CHECK_BYTES(rewards, pair.cpu.out.rewards, sizeof rewards);
    }
    (void)mega_test_cuda_ask("fake_cuda_waiting_stream");
    (void)mega_test_cuda_ask("fake_cuda_recorded_stream");
    MEGA_CHECK_EQ(mega_vector_wait_for_stream(pair.gpu.vector, other), MEGA_OK);
    MEGA_CHECK_EQ(mega_test_cuda_ask("fake_cuda_recorded_stream"), 0x40);
    MEGA_CHECK_EQ(mega_test_cuda_ask("fake_cuda_waiting_stream"), -1);
    MEGA_CHECK_EQ(mega_vector_make_stream_wait(pair.gpu.vector, other), MEGA_OK);
    MEGA_CHECK_EQ(mega_test_cuda_ask("fake_cuda_recorded_stream"), -1);
    MEGA_CHECK_EQ(mega_test_cuda_ask("fake_cuda_waiting_stream"), 0x40);
    MEGA_CHECK_EQ(mega_vector_take_actions(pair.gpu.vector, NULL, 4), MEGA_ERROR_ARGUMENT);
    MEGA_CHECK_EQ(mega_vector_take_actions(pair.gpu.vector, wide, 2), MEGA_ERROR_ARGUMENT);
    MEGA_CHECK_EQ(mega_vector_read(pair.gpu.vector, NULL, wide, 4), MEGA_ERROR_ARGUMENT);
    MEGA_CHECK_EQ(mega_vector_wait_for_stream(pair.cpu.vector, other), MEGA_ERROR_ARGUMENT);
    MEGA_CHECK_EQ(mega_vector_make_stream_wait(pair.cpu.vector, other), MEGA_ERROR_ARGUMENT);
    MEGA_CHECK_EQ(mega_vector_take_actions(pair.cpu.vector, wide, 8), MEGA_ERROR_ARGUMENT);
    MEGA_CHECK_EQ(mega_vector_read(pair.cpu.vector, wide, wide, 8), MEGA_ERROR_ARGUMENT);
    pair_close(&pair);
    desc.groups = 2;
    MEGA_CHECK(pair_open(&pair, &desc, "cuda"));
    MEGA_CHECK_EQ(mega_vector_take_actions(pair.gpu.vector, wide, 8), MEGA_ERROR_ARGUMENT);
    MEGA_CHECK_MESSAGE("one group");
    pair_close(&pair);
}

static void case_groups(void) {
    mega_vector_desc desc = short_episodes(5);
    desc.groups = 2;
    MEGA_CHECK(pair_open(&pair, &desc, "cuda"));
    MEGA_CHECK_EQ(pair_reset(&pair, NULL, NULL), 0);
    for (uint32_t t = 0; t < 30; t++) {
        uint32_t first;
        const uint32_t group = t % 2, count = mega_vector_group(pair.gpu.vector, group, &first);
        test_side *sides[] = {&pair.cpu, &pair.gpu};
        for (uint32_t i = 0; i < count; i++) {
            pair.actions[i] = (int32_t)((t + first + i) % pair.choices);
        }
        for (uint32_t k = 0; k < 2; k++) {
            MEGA_CHECK_EQ(mega_vector_group_recv(sides[k]->vector, group, -1, NULL), MEGA_ERROR_ORDER);
            MEGA_CHECK_EQ(mega_vector_group_send(sides[k]->vector, group, pair.actions, NULL), MEGA_OK);
            MEGA_CHECK_EQ(mega_vector_group_send(sides[k]->vector, group, pair.actions, NULL),
                          MEGA_ERROR_ORDER);
            MEGA_CHECK_EQ(mega_vector_step(sides[k]->vector, pair.actions, NULL, NULL), MEGA_ERROR_ORDER);
            MEGA_CHECK_EQ(mega_vector_outstanding(sides[k]->vector), count);
            MEGA_CHECK(mega_vector_ram(sides[k]->vector, first) == NULL);
            MEGA_CHECK_EQ(mega_vector_group_recv(sides[k]->vector, group, -1, &sides[k]->out), MEGA_OK);
            MEGA_CHECK_EQ(mega_vector_outstanding(sides[k]->vector), 0);
        }
        MEGA_CHECK_EQ(pair_compare(&pair), 0);
    }
    pair_close(&pair);
}

static void check_refused(mega_vector_desc *desc, mega_status status, const char *message) {
    mega_vector *vector = NULL;
    MEGA_CHECK_EQ(mega_vector_create(desc, &vector), status);
    MEGA_CHECK(vector == NULL);
    MEGA_CHECK_MESSAGE(message);
    MEGA_CHECK_EQ(mega_test_cuda_ask("fake_cuda_held"), 0);
}

static void case_errors(void) {
    mega_vector_desc desc = short_episodes(4);
    const int32_t actions[4] = {0, 0, 99, 0};
    desc.device = "gpu";
    check_refused(&desc, MEGA_ERROR_ARGUMENT, "unknown device \"gpu\"");
    desc.device = "cuda:3";
    check_refused(&desc, MEGA_ERROR_CUDA, "no GPU has number 3");
    desc.device = "cuda";
    desc.batch = 2;
    check_refused(&desc, MEGA_ERROR_ARGUMENT, "on a GPU a batch is all of them");
    desc.batch = 0;
    desc.start_states = 65537;
    check_refused(&desc, MEGA_ERROR_ARGUMENT, "start_states is 65537, expected at most 65536");
    desc.start_states = 65536;
    check_refused(&desc, MEGA_ERROR_CUDA_MEMORY, "65536 start states for each of 1 games or modes need 4.");
    MEGA_CHECK_MESSAGE("GiB are free; ask for fewer start_states");
    desc.start_states = 0;
    desc.count = 1000000;
    check_refused(&desc, MEGA_ERROR_CUDA_MEMORY, "environments would fit");
    desc.count = 4;
    mega_vector *vector = NULL;
    MEGA_CHECK_EQ(mega_vector_create(&desc, &vector), MEGA_OK);
    MEGA_CHECK_EQ(mega_vector_step(vector, actions, NULL, NULL), MEGA_ERROR_ORDER);
    MEGA_CHECK_EQ(mega_vector_reset(vector, NULL, NULL, NULL), MEGA_OK);
    MEGA_CHECK_EQ(mega_vector_step(vector, actions, NULL, NULL), MEGA_ERROR_ACTION);
    MEGA_CHECK_MESSAGE("action 99 of environment 2");
    MEGA_CHECK_EQ(mega_vector_step(vector, NULL, NULL, NULL), MEGA_ERROR_ARGUMENT);
    mega_vector_destroy(vector);
    MEGA_CHECK_EQ(mega_test_cuda_ask("fake_cuda_held"), 0);
}

// A program that jams at once.
static void case_jammed(void) {
    static uint8_t image[4096];
    mega_rom *rom;
    memset(image, 0x02, sizeof image);
    image[0xFFD] = 0xF0;
    MEGA_CHECK_EQ(mega_rom_from_memory(image, sizeof image, "jam", &rom), MEGA_OK);
    const mega_rom *list[3] = {builtin, rom, rom};
    mega_vector_desc desc = short_episodes(3);
    desc.roms = list;
    desc.rom_count = 3;
    MEGA_CHECK(pair_open(&pair, &desc, "cuda"));
    const test_side *sides[] = {&pair.cpu, &pair.gpu};
    char messages[2][256];
    for (uint32_t k = 0; k < 2; k++) {
        MEGA_CHECK_EQ(mega_vector_reset(sides[k]->vector, NULL, NULL, &sides[k]->out), MEGA_ERROR_JAMMED);
        snprintf(messages[k], sizeof messages[k], "%s", mega_last_error());
        MEGA_CHECK_EQ(mega_vector_failed(sides[k]->vector), 1);
        MEGA_CHECK_EQ(mega_vector_step(sides[k]->vector, pair.actions, NULL, &sides[k]->out),
                      MEGA_ERROR_JAMMED);
        MEGA_CHECK_EQ(mega_vector_failed(sides[k]->vector), 1);
    }
    MEGA_CHECK_BYTES(messages[0], messages[1], strlen(messages[0]) + 1);
    MEGA_CHECK_EQ(pair_compare(&pair), 0);
    pair_close(&pair);
    desc.start_states = 2;
    desc.device = "cuda";
    check_refused(&desc, MEGA_ERROR_JAMMED,
                  "start state 0 of jam: the program jammed the processor at $F003");
    desc.device = NULL;
    check_refused(&desc, MEGA_ERROR_JAMMED,
                  "start state 0 of jam: the program jammed the processor at $F003");
    mega_rom_destroy(rom);
}

// A program that is rarely done with a frame: what a learner sees is pictures that are drawn in parts.
static void case_unfinished(void) {
    // Waits as long as a counter says, then counts and shows the number.
    static const uint8_t code[] = {0xA6, 0x80, 0xA0, 0x00, 0x88, 0xD0, 0xFD, 0xCA, 0xD0, 0xFA, 0xE6,
                                   0x80, 0xA5, 0x80, 0x85, 0x09, 0x85, 0x06, 0x4C, 0x00, 0xF0};
    static uint8_t image[4096];
    mega_rom *rom;
    memcpy(image, code, sizeof code);
    image[0xFFD] = 0xF0;
    MEGA_CHECK_EQ(mega_rom_from_memory(image, sizeof image, "waits", &rom), MEGA_OK);
    const mega_rom *one[1] = {rom};
    for (uint32_t k = 0; k < 6; k++) {
        mega_vector_desc desc = short_episodes(4);
        desc.roms = one;
        desc.autoreset = k % 2;
        desc.task.max_episode_frames = 50 + (int32_t)k; // not a multiple of the skip: steps that end early
        desc.task.rgb = k / 2 == 1;
        desc.task.height = k / 2 == 2 ? 100 : 84;
        play_through(&desc, 60);
    }
    mega_rom_destroy(rom);
}

// Games: power, and several resets. All of them take minutes, so a usual run looks at some.
static uint32_t game_stride = 13, game_first;

static void case_games(void) {
    for (uint32_t k = game_first; k < roms.count; k += game_stride) {
        const mega_rom *one[1] = {roms.roms[k]};
        mega_vector_desc desc = short_episodes(3);
        const int failures = mega_test_failures;
        found = played = 0;
        desc.roms = one;
        desc.autoreset = k % 2;
        desc.task.max_episode_frames = 12;
        desc.task.noop_max = 12;
        desc.task.sticky = k % 3 == 0 ? 0.0f : 0.25f;
        play_through(&desc, game_stride == 1 ? 60 : 24);
        if (mega_test_failures != failures || game_stride == 1) {
            printf("%s: %s, %u beginnings found, %u played\n", mega_rom_get_info(one[0])->name,
                   mega_test_failures != failures ? "differs" : "the same", found, played);
            fflush(stdout);
        }
    }
    MEGA_CHECK(1);
}

int main(int argc, char **argv) {
    MEGA_CHECK_EQ(mega_rom_builtin(&builtin), MEGA_OK);
    test_load_roms(&roms);
    printf("%u of %u images found\n", roms.count, roms.known);
    // `test_cuda_vector games 1 40`: every game from number 40 on.
    game_stride = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : game_stride;
    game_first = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 0;
    setenv("MEGACADE_NVRTC", MEGA_FAKE_NVRTC, 1);
    setenv("MEGACADE_CACHE", "/nonexistent", 1);
    static const struct {
        const char *name;
        void (*body)(void);
        const char *setting;
    } cases[] = {
        {"builtin", case_builtin, NULL},
        {"settings", case_settings, NULL},
        {"envpool", case_envpool, NULL},
        {"different_games", case_different_games, NULL},
        {"start_states", case_start_states, NULL},
        {"copies", case_copies, NULL},
        {"environments", case_environments, NULL},
        {"over", case_over, NULL},
        {"off", case_off, NULL},
        {"strengths", case_strengths, NULL},
        {"no_memo", case_no_memo, "MEGACADE_CUDA_MEMO=0"},
        {"lost", case_lost, NULL},
        {"view", case_device_view, NULL},
        {"streams", case_streams, NULL},
        {"group_steps", case_group_steps, NULL},
        {"group_restarts", case_group_restarts, NULL},
        {"groups", case_groups, NULL},
        {"errors", case_errors, NULL},
        {"jammed", case_jammed, NULL},
        {"unfinished", case_unfinished, NULL},
        {"games", case_games, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (argc < 2 || strcmp(argv[1], cases[i].name) == 0) {
            mega_test_case(cases[i].body, cases[i].setting);
        }
    }
    test_release_roms(&roms);
    mega_rom_destroy(builtin);
    return mega_test_result();
}
