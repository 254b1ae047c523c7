// test_tia.c - the fast renderer against the plain one and both against the hardware description: masks, HMOVE,
// the worked example of a timed program, random accesses, and states that are carried to another console.
#include "mega_test_modes.h"

#include "mega_test.h"

static test_trio trio;
static test_image image;

// ---- masks ---------------------------------------------------------------------------------------------

static void check_mask(const mega_tia *tia, uint32_t object) {
    uint64_t mask[MEGA_MASK_WORDS];
    mask[3] = 0;
    tia_words_store(mask, tia_mask_of(tia, object));
    const uint32_t enabled = tia_enabled_objects(tia);
    mega_test_checks++;
    for (uint32_t x = 0; x < MEGA_WIDTH; x++) {
        const uint32_t expected = tia_objects_at(tia, enabled, x) >> object & 1u;
        if ((mask[x >> 6] >> (x & 63u) & 1u) != expected) {
            mega_test_failures++;
            fprintf(stderr, "object %u, pixel %u: the mask should have %u\n", object, x, expected);
            return;
        }
    }
    if (mask[2] >> 32 != 0) {
        mega_test_failures++;
        fprintf(stderr, "object %u: pixels past the end of the line\n", object);
    }
}

// Where the text says that a player's pixel is.
static uint32_t player_pixel(const mega_tia *tia, uint32_t n, uint32_t x) {
    static const int offsets[8][3] = {{0, -1, -1}, {0, 16, -1}, {0, 32, -1}, {0, 16, 32},
                                      {0, 64, -1}, {0, -1, -1}, {0, 32, 64}, {0, -1, -1}};
    const uint32_t mode = tia->nusiz[n] & 7u;
    const uint32_t pattern = tia_player_pattern(tia, n);
    const int d = ((int)x - tia->position[n] + MEGA_WIDTH) % MEGA_WIDTH;
    if (mode == 5 || mode == 7) {
        const int width = mode == 5 ? 2 : 4;
        return !tia->first_hidden[n] && d >= 1 && d <= 8 * width ? pattern >> (7 - (d - 1) / width) & 1u : 0u;
    }
    for (uint32_t copy = tia->first_hidden[n]; copy < 3; copy++) {
        const int offset = offsets[mode][copy];
        if (offset >= 0 && d >= offset && d - offset < 8) {
            return pattern >> (7 - (d - offset)) & 1u;
        }
    }
    return 0;
}

static void check_player(const mega_tia *tia, uint32_t n) {
    for (uint32_t x = 0; x < MEGA_WIDTH; x++) {
        const uint32_t drawn = tia_objects_at(tia, tia_enabled_objects(tia), x) >> (MEGA_P0 + n) & 1u;
        if (drawn != player_pixel(tia, n, x)) {
            MEGA_CHECK_EQ(drawn, player_pixel(tia, n, x));
            fprintf(stderr, "NUSIZ %02X, position %u, pixel %u\n", tia->nusiz[n], tia->position[n], x);
            return;
        }
    }
    mega_test_checks++;
}

static void test_masks(void) {
    test_random random = {1};
    mega_tia tia;
    memset(&tia, 0, sizeof tia);
    for (uint32_t position = 0; position < MEGA_WIDTH; position++) {
        for (uint32_t nusiz = 0; nusiz < 0x40; nusiz = nusiz % 8 == 7 ? nusiz + 9 : nusiz + 1) {
            for (uint32_t n = 0; n < 2; n++) {
                tia.nusiz[n] = (uint8_t)nusiz;
                tia.graphics[n] = test_once_in(&random, 4) ? 0xFF : test_byte(&random);
                tia.old_graphics[n] = test_byte(&random);
                tia.reflect[n] = test_once_in(&random, 2);
                tia.delay_player[n] = test_once_in(&random, 4);
                tia.first_hidden[n] = test_once_in(&random, 4);
                tia.enable_missile[n] = test_once_in(&random, 8) ^ 1u;
                tia.missile_to_player[n] = test_once_in(&random, 8);
                tia.position[MEGA_P0 + n] = (uint8_t)position;
                tia.position[MEGA_M0 + n] = (uint8_t)position;
                tia.m0_override = (uint8_t)test_below(&random, 3);
                check_mask(&tia, MEGA_P0 + n);
                check_mask(&tia, MEGA_M0 + n);
                check_player(&tia, n);
            }
            tia.ctrlpf = (uint8_t)(nusiz & 0x37u);
            tia.enable_ball = 1;
            tia.position[MEGA_BL] = (uint8_t)position;
            check_mask(&tia, MEGA_BL);
            tia.pf_reflect = test_once_in(&random, 2);
            tia.playfield = test_once_in(&random, 8) ? 1u << test_below(&random, 20)
                                                     : (uint32_t)(test_next(&random) & 0xFFFFFu);
            check_mask(&tia, MEGA_PF);
        }
    }
    // All patterns at both ends of the line.
    for (uint32_t pattern = 0; pattern < 256; pattern++) {
        for (uint32_t i = 0; i < 64; i++) {
            tia.graphics[0] = (uint8_t)pattern;
            tia.delay_player[0] = 0;
            tia.nusiz[0] = i & 7u;
            tia.reflect[0] = i >> 3 & 1u;
            tia.position[MEGA_P0] = (uint8_t)((156u + (i >> 4) * 3u) % MEGA_WIDTH);
            check_mask(&tia, MEGA_P0);
            check_player(&tia, 0);
        }
    }
}

// Left to right: PF0 bits 4 to 7, PF1 bits 7 to 0, PF2 bits 0 to 7, then the right half, mirrored or not.
static void test_playfield(void) {
    mega_tia tia;
    const mega_cartridge cartridge = test_cartridge(MEGA_SCHEME_4K, 4096);
    for (uint32_t cell = 0; cell < 20; cell++) {
        for (uint32_t mirrored = 0; mirrored < 2; mirrored++) {
            const uint32_t reg = cell < 4 ? TIA_PF0 : cell < 12 ? TIA_PF1 : TIA_PF2;
            const uint32_t bit = cell < 4 ? 4u + cell : cell < 12 ? 11u - cell : cell - 12u;
            tia_reset(&tia);
            tia_apply(&tia, &cartridge, reg, 1u << bit, 0, 0, 0);
            tia_apply(&tia, &cartridge, TIA_CTRLPF, mirrored, 0, 0, 0);
            for (uint32_t x = 0; x < MEGA_WIDTH; x++) {
                const uint32_t here =
                    x < 80 ? x / 4u == cell : (mirrored ? 39u - x / 4u : x / 4u - 20u) == cell;
                MEGA_CHECK_EQ(tia_in_playfield(&tia, x), here);
            }
        }
    }
}

// Bit i of a set of objects is object i; each pair has one latch, at the place the read registers give it.
static void test_collision_table(void) {
    static const struct {
        uint8_t reg, bit, a, b;
    } pairs[] = {{0, 7, MEGA_M0, MEGA_P1}, {0, 6, MEGA_M0, MEGA_P0}, {1, 7, MEGA_M1, MEGA_P0},
                 {1, 6, MEGA_M1, MEGA_P1}, {2, 7, MEGA_P0, MEGA_PF}, {2, 6, MEGA_P0, MEGA_BL},
                 {3, 7, MEGA_P1, MEGA_PF}, {3, 6, MEGA_P1, MEGA_BL}, {4, 7, MEGA_M0, MEGA_PF},
                 {4, 6, MEGA_M0, MEGA_BL}, {5, 7, MEGA_M1, MEGA_PF}, {5, 6, MEGA_M1, MEGA_BL},
                 {6, 7, MEGA_BL, MEGA_PF}, {7, 7, MEGA_P0, MEGA_P1}, {7, 6, MEGA_M0, MEGA_M1}};
    image.cartridge = test_cartridge(MEGA_SCHEME_4K, 4096);
    test_rig_open(&trio.plain, &image.cartridge, image.bytes);
    for (uint32_t set = 0; set < 64; set++) {
        uint8_t expected[8] = {0};
        for (uint32_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
            if ((set >> pairs[i].a & set >> pairs[i].b & 1u) != 0) {
                expected[pairs[i].reg] |= (uint8_t)(1u << pairs[i].bit);
            }
        }
        trio.plain.console.tia.collisions = tia_collisions_of[set];
        for (uint32_t reg = 0; reg < 8; reg++) {
            MEGA_CHECK_EQ(bus_read_plain(&trio.plain.machine, reg, 0, 0), expected[reg]);
            MEGA_CHECK_EQ(bus_read_plain(&trio.plain.machine, 0x130u | reg, 0, 0xFF), expected[reg] | 0x3F);
        }
    }
}

// ---- HMOVE ---------------------------------------------------------------------------------------------

static void test_hmove(void) {
    static const struct {
        uint8_t cycle, nibble;
        int8_t motion;
    } spots[] = {{0, 0, 0},   {0, 7, -7},   {0, 8, 8},   {3, 1, -1}, {3, 15, 1},  {4, 7, -6},
                 {4, 6, -6},  {4, 8, 8},    {7, 5, -4},  {11, 0, 0}, {11, 7, -1}, {12, 7, 0},
                 {13, 7, 1},  {13, 15, 1},  {16, 0, 3},  {20, 0, 6}, {20, 9, 7},  {20, 11, 6},
                 {21, 7, 0},  {21, 8, 0},   {40, 8, 0},  {54, 7, 0}, {55, 7, -1}, {55, 6, 0},
                 {55, 8, 0},  {62, 7, -6},  {63, 7, -7}, {63, 8, 0}, {64, 0, -1}, {64, 15, 0},
                 {70, 0, -5}, {74, 7, -15}, {74, 0, -8}, {74, 8, 0}, {75, 7, -7}, {75, 8, 8}};
    const mega_cartridge cartridge = test_cartridge(MEGA_SCHEME_4K, 4096);
    for (uint32_t i = 0; i < sizeof spots / sizeof spots[0]; i++) {
        MEGA_CHECK_EQ(tia_motion(spots[i].cycle, spots[i].nibble), spots[i].motion);
        mega_tia tia;
        tia_reset(&tia);
        for (uint32_t object = 0; object < 5; object++) {
            tia.motion[object] = spots[i].nibble;
            tia.position[object] = (uint8_t)(39u * object); // 0, 39, ... 156: some wrap
        }
        tia_apply(&tia, &cartridge, TIA_HMOVE, 0, 3 * spots[i].cycle, 3u * spots[i].cycle, 0);
        for (uint32_t object = 0; object < 5; object++) {
            MEGA_CHECK_EQ(tia.position[object],
                          ((int)(39u * object) + spots[i].motion + MEGA_WIDTH) % MEGA_WIDTH);
        }
        MEGA_CHECK_EQ(tia.hmove_blank, spots[i].cycle <= 20 || spots[i].cycle == 75);
        MEGA_CHECK_EQ(tia.last_hmove, 3 * spots[i].cycle);
    }
}

// ---- the worked example --------------------------------------------------------------------------------

static void check_example(test_rig *rig, uint32_t how) {
    test_rig_open(rig, &image.cartridge, image.bytes);
    console_run_frame(&rig->machine, how);
    MEGA_CHECK_EQ(rig->console.cycles, 76 + 13 + 2);
    MEGA_CHECK_EQ(rig->console.tia.position[MEGA_P0], 3);
    MEGA_CHECK_EQ(rig->console.tia.hmove_blank, 1);
    MEGA_CHECK_EQ(rig->console.tia.last_hmove, 3 * (76 + 3));
    MEGA_CHECK_EQ(rig->console.tia.colors[3], 0x0E);
    MEGA_CHECK_EQ(rig->console.cpu.jammed, 1);
}

static void test_example(void) {
    static const uint8_t program[] = {0x85,      TIA_WSYNC, 0x85, TIA_HMOVE, 0xEA,       0x85,
                                      TIA_RESP0, 0xA9,      0x0E, 0x85,      TIA_COLUBK, 0x02};
    memset(&image, 0, sizeof image);
    image.cartridge = test_cartridge(MEGA_SCHEME_4K, 4096);
    memcpy(image.bytes, program, sizeof program);
    image.bytes[0xFFD] = 0xF0;
    check_example(&trio.plain, MEGA_RUN_PLAIN);
    check_example(&trio.fast, MEGA_RUN_FAST);
    check_example(&trio.mixed, MEGA_RUN_DRAWN);
}

// ---- random accesses -----------------------------------------------------------------------------------

static uint32_t random_register(test_random *random, uint32_t calm) {
    if (test_once_in(random, calm)) {
        return test_below(random, 64);
    }
    test_code code = {NULL, 0, 0, random};
    return code_register(&code);
}

// One frame of accesses at random times, to both consoles alike.
static int random_frame(test_random *random, uint32_t density, uint32_t calm) {
    test_rig *rigs[2] = {&trio.plain, &trio.fast};
    uint32_t cycles = 0;
    const uint32_t end = test_once_in(random, 4) ? test_below(random, 24000) : 76u * 262u;
    for (uint32_t i = 0; i < 2; i++) {
        console_begin_frame(&rigs[i]->machine);
        rigs[i]->console.sync.unfinished = 0;
        test_rig_begin_request(rigs[i], i == 1);
        rigs[i]->machine.run.drawing = i == 1 && test_once_in(random, 2);
    }
    while (cycles < end) {
        cycles += 3u + test_below(random, test_once_in(random, 40) ? 76u * 20u : density);
        if (test_once_in(random, 12)) {
            const uint32_t reg = test_below(random, 16);
            const uint8_t bus = test_byte(random);
            const uint8_t a = bus_read_plain(&rigs[0]->machine, reg, cycles, bus);
            const uint8_t b = bus_read_fast(&rigs[1]->machine, reg, cycles, bus);
            if (a != b) {
                fprintf(stderr, "cycle %u: register %u reads %02X and %02X\n", cycles, reg, a, b);
                return 1;
            }
        } else {
            const uint32_t reg = random_register(random, calm);
            const uint8_t value = test_once_in(random, 3) ? 0 : test_byte(random);
            const uint32_t a = bus_write_plain(&rigs[0]->machine, reg, value, cycles, 0);
            const uint32_t b = bus_write_fast(&rigs[1]->machine, reg, value, cycles);
            if (a != b) {
                fprintf(stderr, "cycle %u: after a write the processor goes on at %u and %u\n", cycles, a, b);
                return 1;
            }
            cycles = a;
        }
    }
    for (uint32_t i = 0; i < 2; i++) {
        rigs[i]->console.cycles = cycles;
        rigs[i]->console.sync.unfinished = 0;
    }
    log_end(&trio.fast.machine);
    trio.plain.video.log[trio.plain.video.slot].state = MEGA_SLOT_EMPTY;
    const char *difference = test_state_difference(&trio.plain, &trio.fast);
    if (difference == NULL && test_below(random, 3) != 0) {
        difference = test_picture_difference(&trio.plain, &trio.fast, 0);
        difference = difference != NULL ? difference : test_picture_difference(&trio.plain, &trio.fast, 1);
    }
    if (difference != NULL) {
        fprintf(stderr, "plain and fast differ: %s\n", difference);
        return 1;
    }
    return 0;
}

static void test_random_accesses(void) {
    memset(&image, 0, sizeof image);
    for (uint64_t seed = 0; seed < 150; seed++) {
        test_random random = {seed};
        const uint32_t density = 4u << test_below(&random, 7);
        image.cartridge = test_cartridge(MEGA_SCHEME_4K, 4096);
        test_vary_cartridge(&image.cartridge, &random);
        test_rig_open(&trio.plain, &image.cartridge, image.bytes);
        test_rig_open(&trio.fast, &image.cartridge, image.bytes);
        int differs = 0;
        for (uint32_t frame = 0; frame < 8 && !differs; frame++) {
            differs = random_frame(&random, density, 6);
            if (differs) {
                fprintf(stderr, "seed %llu, frame %u\n", (unsigned long long)seed, frame);
            }
        }
        MEGA_CHECK_EQ(differs, 0);
    }
}

// ---- states --------------------------------------------------------------------------------------------

// Law: a state carried to another console after every frame gives the same run, and from the second frame on
// the same pictures, as long as frames are whole.
static void check_carried(const mega_cartridge *cartridge, const uint8_t *bytes, uint32_t how,
                          uint32_t frames) {
    test_rig *through = &trio.plain, *carried = &trio.fast, *other = &trio.mixed;
    test_rig_open(through, cartridge, bytes);
    test_rig_open(carried, cartridge, bytes);
    uint32_t whole = 0;
    for (uint32_t frame = 0; frame < frames; frame++) {
        test_rig *next = other;
        test_rig_power_on(next, cartridge, bytes);
        next->console = carried->console;
        memcpy(next->cart_ram, carried->cart_ram, sizeof next->cart_ram);
        other = carried;
        carried = next;
        const uint32_t a = console_run_frame(&through->machine, how);
        const uint32_t b = console_run_frame(&carried->machine, how);
        const char *difference = test_state_difference(through, carried);
        const mega_tia *tia = &through->console.tia;
        whole = !through->console.sync.unfinished && tia->drawn_to == tia_window_end(tia, cartridge) &&
                tia->picture_at == MEGA_WIDTH * cartridge->height;
        if (difference == NULL && whole) {
            const uint8_t *left = picture_look(&through->machine, through->video.current);
            const uint8_t *right = picture_look(&carried->machine, carried->video.current);
            if (memcmp(left, right, (size_t)MEGA_WIDTH * cartridge->height) != 0) {
                difference = "the picture";
            }
        }
        if (difference != NULL || a != b) {
            fprintf(stderr, "carried states, mode %u, frame %u: %s\n", how, frame,
                    difference != NULL ? difference : "the number of lines");
            MEGA_FAIL("a run with carried states differs");
            return;
        }
    }
    mega_test_checks++;
}

static void test_carried_states(void) {
    const mega_cartridge builtin = test_cartridge(MEGA_SCHEME_4K, 4096);
    test_rom_set none = {{NULL}, 0, 0};
    for (uint32_t how = MEGA_RUN_PLAIN; how <= MEGA_RUN_DRAWN; how++) {
        check_carried(&builtin, mega_builtin_rom, how, 200);
        for (uint64_t seed = 0; seed < 60; seed++) {
            test_fuzz_image(&image, &none, seed);
            check_carried(&image.cartridge, image.bytes, how, 20);
        }
    }
}

// The fast renderer has the delays of tia_delay() in a table.
static void test_delays(void) {
    for (uint32_t reg = 0; reg < 64; reg++) {
        for (uint32_t cycle = 0; cycle < MEGA_CYCLES_PER_LINE; cycle++) {
            const int32_t delay = tia_delay(reg, 3u * cycle);
            const int32_t drawn = tia_delays[1][reg][cycle & 3u], collided = tia_delays[0][reg][cycle & 3u];
            const uint32_t moves = tia_is_motion(reg);
            const uint32_t colors = reg >= TIA_COLUP0 && reg <= TIA_COLUBK;
            MEGA_CHECK(moves ? drawn < 0 : drawn == delay);
            MEGA_CHECK(moves || colors ? collided < 0 : collided == delay);
            MEGA_CHECK(delay <= TIA_LONGEST_DELAY);
        }
    }
}

int main(void) {
    test_delays();
    test_masks();
    test_playfield();
    test_collision_table();
    test_hmove();
    test_example();
    test_random_accesses();
    test_carried_states();
    return mega_test_result();
}
