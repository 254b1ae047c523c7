// test_modes.c - fast mode, drawn at once, later or never, is plain mode: the same state byte by byte and the
// same pictures. tests/fuzz/fuzz_modes.c does this at length.
#include "mega_test_modes.h"

#include "mega_test.h"

#define ROM_FRAMES 300
#define FUZZED_IMAGES 100
#define FUZZED_FRAMES 60

static test_trio trio;
static test_image image;
static test_rom_set roms;

static void test_images_found(void) {
    for (uint32_t i = 0; i < roms.count; i++) {
        const mega_rom *rom = roms.roms[i];
        MEGA_CHECK_EQ(test_modes_agree(&trio, rom->info.name, &rom->cartridge, rom->bytes, ROM_FRAMES, i), 0);
    }
}

static void test_builtin(void) {
    const mega_cartridge cartridge = test_cartridge(MEGA_SCHEME_4K, 4096);
    MEGA_CHECK_EQ(test_modes_agree(&trio, "built-in", &cartridge, mega_builtin_rom, 600, 1), 0);
}

// The last instruction of a cartridge runs into TIA addresses, where the next opcode is mostly what was left on
// the data bus.
static void test_run_off_the_end(void) {
    test_random random = {1};
    for (uint32_t opcode = 0; opcode < 512; opcode++) {
        char name[64];
        const uint8_t scheme = opcode < 256 ? MEGA_SCHEME_4K : MEGA_SCHEME_2K;
        memset(&image, 0, sizeof image);
        image.cartridge = test_cartridge(scheme, 4096 >> (opcode >> 8));
        for (uint32_t i = 0; i < image.cartridge.image_size; i++) {
            image.bytes[i] = test_byte(&random);
        }
        uint8_t *end = image.bytes + image.cartridge.image_size;
        end[-3] =
            (uint8_t)opcode; // also the high byte of the reset vector, which it may be only in some mirrors
        end[-4] = 0x40;
        end[-2] = test_byte(&random);
        end[-1] = (uint8_t)(test_once_in(&random, 2) ? test_below(&random, 3) : test_byte(&random));
        if ((opcode & 0x10u) == 0) {
            continue;
        }
        // At the reset vector: A = something, then on to $FFFD.
        static const uint8_t program[] = {0xA9, 0x9C, 0xA2, 0x03, 0xA0, 0x05, 0x4C, 0xFD, 0xFF};
        memcpy(image.bytes + (((opcode & 0xFu) << 8 | 0x40u) & (image.cartridge.image_size - 1u)), program,
               sizeof program);
        snprintf(name, sizeof name, "opcode %02X at the end of a cartridge of %u bytes", opcode & 0xFFu,
                 image.cartridge.image_size);
        MEGA_CHECK_EQ(test_modes_agree(&trio, name, &image.cartridge, image.bytes, 3, opcode), 0);
    }
}

// BRK where its vector is not plain ROM: CLI, BRK, and the same again.
static void test_break(void) {
    memset(&image, 0, sizeof image);
    image.cartridge = test_cartridge(MEGA_SCHEME_F8SC, 8192);
    for (uint32_t bank = 0; bank < 8192; bank += 4096) {
        image.bytes[bank + 0x200] = 0x58;
        image.bytes[bank + 0xFFC] = image.bytes[bank + 0xFFE] = 0x00;
        image.bytes[bank + 0xFFD] = image.bytes[bank + 0xFFF] = 0xF2;
    }
    MEGA_CHECK_EQ(test_modes_agree(&trio, "BRK", &image.cartridge, image.bytes, 3, 0), 0);
}

// In RAM, right below addresses of the TIA: PF0 is written with what it has, which moves the beam, and the next opcode,
// a cycle later, is what was written, and halts the processor.
static void test_read_after_write(void) {
    static const uint8_t program[] = {
        0xA2, 0x40, 0x85, 0x02, 0xCA, 0xD0, 0xFB,                   // 64 lines
        0xA9, 0x85, 0x85, 0xFE, 0xA9, 0x0D, 0x85, 0xFF, 0xA9, 0x02, // at $FE: STA PF0, and A = $02
    };
    static const uint8_t jump[] = {0x4C, 0xFE, 0x00};
    for (uint32_t delay = 0; delay < 8; delay++) {
        memset(&image, 0xEA, sizeof image.bytes); // NOP
        image.cartridge = test_cartridge(MEGA_SCHEME_4K, 4096);
        uint8_t *code = image.bytes;
        memcpy(code, program, sizeof program);
        code += sizeof program;
        if ((delay & 1u) != 0) {
            *code++ = 0xA5; // LDA $80, 3 cycles; then A again
            *code++ = 0x80;
            *code++ = 0xA9;
            *code++ = 0x02;
        }
        code += delay >> 1;
        memcpy(code, jump, sizeof jump);
        image.bytes[0xFFC] = 0x00;
        image.bytes[0xFFD] = 0xF0;
        MEGA_CHECK_EQ(test_modes_agree(&trio, "a read after a write", &image.cartridge, image.bytes, 3, 0),
                      0);
    }
}

// Frames that end in the blank of a line, after HMOVE: what is blanked of the line, which stays unfinished, is up to the
// access after HMOVE, even if it changes nothing. Every fourth frame is like that; the others leave a picture to blank.
static void test_unfinished_hmove(void) {
    static const uint8_t frame[] = {
        0xA9, 0x0E, 0x85, 0x09, 0xA9, 0x00, 0x85, 0x01,                         // COLUBK = $0E, VBLANK = 0
        0xE6, 0x80, 0xA5, 0x80, 0xA2, 0xFC, 0x29, 0x03, 0xD0, 0x02, 0xA2, 0x64, // 252 lines, or 100
        0x85, 0x02, 0xCA, 0xD0, 0xFB, 0xA9, 0x02, 0x85, 0x00, 0x85, 0x02,       // and VSYNC
    };
    static const uint8_t hmove[] = {0x85, 0x2A}, same[] = {0xA0, 0x0E, 0x84, 0x09}; // COLUBK = $0E again
    static const uint8_t between[4][4] = {
        {0xEA, 0xEA, 0xEA, 0xEA}, // nothing
        {0xA5, 0x80, 0x85, 0x06}, // COLUP0 = number of the frame
        {0x85, 0x2A, 0xEA, 0xEA}, // HMOVE
        {0x85, 0x2A, 0x84, 0x09}, // HMOVE, COLUBK = $0E
    };
    static const uint8_t end[] = {0xA9, 0x00, 0x85, 0x00, 0x4C, 0x08, 0xF0}; // no VSYNC
    for (uint32_t i = 0; i < 64; i++) {
        memset(&image, 0xEA, sizeof image.bytes); // NOP
        image.cartridge = test_cartridge(MEGA_SCHEME_4K, 4096);
        uint8_t *code = image.bytes;
        memcpy(code, frame, sizeof frame);
        memcpy(code += sizeof frame, hmove, sizeof hmove);
        memcpy(code += sizeof hmove + i % 4u, same, sizeof same);
        memcpy(code += sizeof same, between[i / 4u % 4u], 4);
        memcpy(code + 4 + i / 16u, end, sizeof end);
        image.bytes[0xFFC] = 0x00;
        image.bytes[0xFFD] = 0xF0;
        MEGA_CHECK_EQ(test_modes_agree(&trio, "HMOVE", &image.cartridge, image.bytes, 40, i), 0);
    }
}

// Nothing is seen, so that a frame is replayed for its registers alone. CTRLPF asks for a mirrored playfield in all lines of
// the picture, and below it, late in a line, no more: that is not what the last line had.
static void test_blind_reflection(void) {
    static const uint8_t program[] = {
        0xA9, 0x01, 0x85, 0x0A, 0xA2, 0xFC, 0x85, 0x02, 0xCA, 0xD0, 0xFB, // CTRLPF = 1, 252 lines
        0xA0, 0x0A, 0x88, 0xD0, 0xFD, 0xA9, 0x00, 0x85, 0x0A,             // 50 cycles, CTRLPF = 0
        0xA9, 0x02, 0x85, 0x00, 0x85, 0x02, 0x85, 0x02, 0xA9, 0x00, 0x85, 0x00, 0x4C, 0x00, 0xF0, // VSYNC
    };
    memset(&image, 0, sizeof image);
    image.cartridge = test_cartridge(MEGA_SCHEME_4K, 4096);
    memcpy(image.bytes, program, sizeof program);
    image.bytes[0xFFD] = 0xF0;
    MEGA_CHECK_EQ(test_modes_agree(&trio, "CTRLPF", &image.cartridge, image.bytes, 12, 0), 0);
}

// Two pushes of a JSR fall on one cycle at the end of a line: RESM0 is seen with a delay, in the next line, so RESP1 comes
// after the end of this one. The frame ends before the next end of a line, and nothing is seen in it.
static void test_blind_pushes(void) {
    for (uint32_t cycles = 2; cycles < MEGA_CYCLES_PER_LINE; cycles++) {
        static const uint8_t begin[] = {
            0xA2, 0xC8, 0x85, 0x02, 0xCA, 0xD0, 0xFB,       // 200 lines
            0xA9, 0x02, 0x85, 0x00, 0x85, 0x02, 0x85, 0x02, // VSYNC on, two lines
            0xA2, 0x12, 0x9A,                               // the stack in RESM0
        };
        static const uint8_t end[] = {
            0x20, 0x80, 0xF0, // JSR $F080
        };
        static const uint8_t after[] = {
            0xA9, 0x00, 0x85, 0x00, 0xA2, 0xFF, 0x9A, 0x4C, 0x00, 0xF0, // VSYNC off
        };
        uint32_t at = sizeof begin, left = cycles;
        memset(&image, 0, sizeof image);
        image.cartridge = test_cartridge(MEGA_SCHEME_4K, 4096);
        memcpy(image.bytes, begin, sizeof begin);
        if (left % 2 != 0) {
            image.bytes[at++] = 0x24; // BIT $80
            image.bytes[at++] = 0x80;
            left -= 3;
        }
        for (; left != 0; left -= 2) {
            image.bytes[at++] = 0xEA; // NOP
        }
        memcpy(image.bytes + at, end, sizeof end);
        memcpy(image.bytes + 0x80, after, sizeof after);
        image.bytes[0xFFD] = 0xF0;
        MEGA_CHECK_EQ(test_modes_agree(&trio, "JSR", &image.cartridge, image.bytes, 6, 0), 0);
    }
}

static void test_fuzzed(void) {
    for (uint64_t seed = 0; seed < FUZZED_IMAGES; seed++) {
        char name[96];
        test_fuzz_image(&image, &roms, seed);
        snprintf(name, sizeof name, "image %u (%s)", (unsigned)seed, image.kind);
        MEGA_CHECK_EQ(test_modes_agree(&trio, name, &image.cartridge, image.bytes, FUZZED_FRAMES, seed), 0);
    }
}

#if MEGA_AHEAD
// What is pressed by somebody who wants to play.
static void play_on(uint32_t frame, test_random *random) {
    mega_pads *pads = &trio.plain.pads;
    memset(pads, 0, sizeof *pads);
    pads->press[0] = test_below(random, 32);
    pads->reset = frame >= 60 && frame < 70;
    console_set_input(&trio.plain.machine, pads);
    console_set_input(&trio.fast.machine, pads);
}

// Plays a game whose frames are too short now and then; returns how many of these a warp drew.
static uint64_t play_ragged(const mega_rom *rom, uint32_t frames) {
    test_random random = {1};
    const uint64_t before = test_painted;
    const char *difference = NULL;
    test_rig_open(&trio.plain, &rom->cartridge, rom->bytes);
    test_rig_open(&trio.fast, &rom->cartridge, rom->bytes);
    for (uint32_t frame = 0; frame < frames && difference == NULL; frame++) {
        if (frame % 4u == 0) {
            play_on(frame, &random);
        }
        console_run_frame(&trio.plain.machine, MEGA_RUN_PLAIN);
        test_run_fast(&trio.fast.machine);
        difference = test_state_difference(&trio.plain, &trio.fast);
        if (difference == NULL && trio.fast.machine.run.painted) {
            difference = test_picture_difference(&trio.plain, &trio.fast, 0);
        }
        if (difference != NULL) {
            fprintf(stderr, "%s: frame %u: %s\n", rom->info.name, frame, difference);
        }
    }
    MEGA_CHECK(difference == NULL);
    return test_painted - before;
}

static void test_ragged_games(void) {
    static const struct {
        const char *name;
        uint32_t frames, least;
    } games[] = {{"alien", 3000, 2}, {"journey_escape", 300, 200}, {"qbert", 300, 10}, {"amidar", 300, 1}};
    for (uint32_t i = 0; i < sizeof games / sizeof games[0]; i++) {
        for (uint32_t k = 0; k < roms.count; k++) {
            if (strcmp(roms.roms[k]->info.name, games[i].name) == 0) {
                const uint64_t painted = play_ragged(roms.roms[k], games[i].frames);
                printf("%s: a warp drew %llu ragged frames\n", games[i].name, (unsigned long long)painted);
                MEGA_CHECK(painted >= games[i].least);
            }
        }
    }
}
#endif

int main(void) {
    test_skip_unless_runnable();
    test_load_roms(&roms);
    printf("%u of %u images found\n", roms.count, roms.known);
    test_builtin();
    test_run_off_the_end();
    test_break();
    test_read_after_write();
    test_unfinished_hmove();
    test_blind_reflection();
    test_blind_pushes();
    test_images_found();
    test_fuzzed();
#if MEGA_AHEAD
    printf("%llu ragged frames, a warp drew %llu of them\n", (unsigned long long)test_ragged,
           (unsigned long long)test_painted);
    MEGA_CHECK(test_painted > 100 && test_painted < test_ragged);
    test_ragged_games();
#endif
    test_release_roms(&roms);
    return mega_test_result();
}
