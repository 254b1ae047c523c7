// mega_test_program.h - cartridge images for fuzzing: random bytes, damaged images, and generated programs that
// keep the TIA busy. The same seed gives the same image.
#ifndef MEGA_TEST_PROGRAM_H
#define MEGA_TEST_PROGRAM_H
#include "builtin_rom.h"
#include "mega_test_machine.h"

#define TEST_IMAGE_MAX 131072

typedef struct test_image {
    uint8_t bytes[TEST_IMAGE_MAX];
    mega_cartridge cartridge;
    char kind[64]; // for messages
} test_image;

// ---- an assembler, of sorts ------------------------------------------------------------------------------

typedef struct test_code {
    uint8_t *bytes; // a bank of 4 KiB that is seen at $F000
    uint32_t at;    // next byte
    uint32_t end;   // none may be written here or beyond
    test_random *random;
} test_code;

static inline void code_put(test_code *code, uint32_t byte) {
    if (code->at < code->end) {
        code->bytes[code->at++] = (uint8_t)byte;
    }
}
static inline void code_put2(test_code *code, uint32_t a, uint32_t b) {
    code_put(code, a);
    code_put(code, b);
}
static inline void code_put3(test_code *code, uint32_t opcode, uint32_t address) {
    code_put(code, opcode);
    code_put2(code, address & 0xFFu, address >> 8);
}

// A TIA register, those that draw more often than the rest.
static inline uint32_t code_register(test_code *code) {
    static const uint8_t favourites[] = {
        TIA_GRP0,   TIA_GRP1,   TIA_RESP0,  TIA_RESP1,  TIA_RESM0,  TIA_RESM1,  TIA_RESBL,  TIA_NUSIZ0,
        TIA_NUSIZ1, TIA_ENAM0,  TIA_ENAM1,  TIA_ENABL,  TIA_PF0,    TIA_PF1,    TIA_PF2,    TIA_CTRLPF,
        TIA_HMOVE,  TIA_HMOVE,  TIA_REFP0,  TIA_REFP1,  TIA_VDELP0, TIA_VDELP1, TIA_VDELBL, TIA_RESMP0,
        TIA_RESMP1, TIA_COLUP0, TIA_COLUP1, TIA_COLUPF, TIA_COLUBK, TIA_HMP0,   TIA_HMM0,   TIA_HMBL};
    for (;;) {
        const uint32_t reg = test_below(code->random, 4) != 0
                                 ? favourites[test_below(code->random, (uint32_t)sizeof favourites)]
                                 : test_below(code->random, 64);
        // VSYNC and VBLANK here would make most pictures empty.
        if ((reg != TIA_VSYNC && reg != TIA_VBLANK && reg != TIA_WSYNC && reg != TIA_CXCLR) ||
            test_once_in(code->random, 12)) {
            return reg;
        }
    }
}

// Some cycles pass.
static inline void code_pause(test_code *code) {
    switch (test_below(code->random, 6)) {
    case 0:
        code_put(code, 0xEA); // NOP
        break;
    case 1:
        code_put2(code, 0x04, 0x80); // NOP zp
        break;
    case 2:
        code_put3(code, 0x0C, 0xF000); // NOP abs
        break;
    case 3:
        code_put2(code, 0xA2,
                  1u + test_below(code->random, test_once_in(code->random, 8) ? 255 : 14)); // LDX #
        code_put2(code, 0xCA, 0xD0);                                                        // DEX, BNE
        code_put(code, 0xFD);
        break;
    case 4:
        code_put2(code, 0xA0, 1u + test_below(code->random, 9)); // LDY #
        code_put2(code, 0x88, 0xD0);                             // DEY, BNE
        code_put(code, 0xFD);
        break;
    default: code_put2(code, 0x85, TIA_WSYNC); break;
    }
}

static inline void code_load_a(test_code *code) {
    switch (test_below(code->random, 4)) {
    case 0:
        code_put2(code, 0xA5, 0x80u + test_below(code->random, 128)); // LDA zp
        break;
    case 1:
        code_put2(code, 0x65, 0x80u + test_below(code->random, 16)); // ADC zp
        break;
    default:
        code_put2(code, 0xA9, test_byte(code->random)); // LDA #
        break;
    }
}

// A timer is set, and may be waited for.
static inline void code_timer(test_code *code) {
    code_put2(code, 0xA9, test_below(code->random, 60));
    code_put3(code, 0x8D, 0x294u + test_below(code->random, 4));
    if (test_below(code->random, 2) != 0) {
        static const uint8_t loads[] = {0xAD, 0xAE, 0xAC}, branches[] = {0xD0, 0x10, 0xF0, 0x30};
        code_put3(code, loads[test_below(code->random, 3)], 0x284);
        code_put2(code, branches[test_below(code->random, 4)], 0xFB);
    }
}

// The stack pointer in TIA space: pushes become register writes. It is put back afterwards.
static inline void code_push_to_tia(test_code *code) {
    code_put2(code, 0xA2, test_below(code->random, 128)); // LDX #
    code_put(code, 0x9A);                                 // TXS
    for (uint32_t i = test_below(code->random, 4) + 1u; i > 0; i--) {
        switch (test_below(code->random, 8)) {
        case 0:
            code_put3(code, 0x20, 0xF000u + code->at + 3u); // JSR to the next instruction
            break;
        case 1:
            code_put(code, 0x68); // PLA
            break;
        case 2:
        case 3:
            code_put(code, 0x08); // PHP
            break;
        default:
            code_put(code, 0x48); // PHA
            break;
        }
    }
    code_put2(code, 0xA2, 0xFF);
    code_put(code, 0x9A);
}

// What can make stars of missile 0.
static inline void code_stars(test_code *code) {
    code_put2(code, 0xA9, 0x70);
    code_put2(code, 0x85, TIA_HMM0);
    code_put2(code, 0xA9, 0x60);
    code_put2(code, 0x85, TIA_WSYNC);
    code_put2(code, 0x85, TIA_HMOVE);
    code_put2(code, 0xA2, 0x02); // 21 cycles from HMOVE to HMM0: 2 + 9 + 2 + 2 + 3 + 3
    code_put2(code, 0xCA, 0xD0);
    code_put(code, 0xFD);
    code_put2(code, 0xEA, 0xEA);
    code_put2(code, 0x04, 0x80);
    code_put2(code, 0x85, TIA_HMM0);
}

// Any instruction with any operand, but none that jumps away or halts.
static inline void code_anything(test_code *code) {
    for (;;) {
        const uint32_t opcode = test_byte(code->random);
        const uint32_t low = opcode & 0x1Fu;
        const int flow = low == 0x10 || (low & 0xFu) == 0x02 || opcode == 0x00 || opcode == 0x20 ||
                         opcode == 0x40 || opcode == 0x60 || opcode == 0x4C || opcode == 0x6C;
        if (flow && !(opcode == 0xA2 || opcode == 0x82 || opcode == 0xC2 || opcode == 0xE2)) {
            continue;
        }
        code_put(code, opcode);
        const uint32_t column = opcode & 0xFu;
        if (column == 0x8 || column == 0xA) {
            return; // one byte
        }
        if ((column >= 0xC || low == 0x19 || low == 0x1B) && low != 0x09 && low != 0x0B) {
            code_put2(code, test_byte(code->random), test_below(code->random, 3)); // TIA, RAM or RIOT
        } else {
            code_put(code, test_byte(code->random));
        }
        return;
    }
}

static inline void code_block(test_code *code, uint32_t count, uint32_t wild) {
    for (; count > 0 && code->at + 32u < code->end; count--) {
        switch (test_below(code->random, 24)) {
        case 0:
        case 1:
        case 2:
        case 3: code_pause(code); break;
        case 4: // a collision or an input, kept in RAM
            code_put2(code, 0xA5, test_below(code->random, 16) | (test_below(code->random, 4) << 4));
            code_put2(code, 0x85, 0x80u + test_below(code->random, 128));
            break;
        case 5:
            code_put2(code, 0x24, test_below(code->random, 16)); // BIT of a collision steers the program
            code_put2(code, 0x50 + 0x20u * test_below(code->random, 2), 2);
            code_put2(code, 0xE6, 0x80u + test_below(code->random, 128));
            break;
        case 6:
            code_put2(code, 0xE6 - 0x20u * test_below(code->random, 2),
                      0x80u + test_below(code->random, 16)); // INC
            break;
        case 7: // read-modify-write and undocumented stores on the TIA
            code_put2(code, 0x07u | test_below(code->random, 8) << 5, code_register(code));
            break;
        case 8:
            if (test_once_in(code->random, 4)) {
                code_timer(code);
            }
            break;
        case 9:
            if (test_once_in(code->random, wild)) {
                code_push_to_tia(code);
            }
            break;
        case 10:
            if (test_once_in(code->random, wild)) {
                code_anything(code);
            }
            break;
        case 11:
            if (test_once_in(code->random, 6)) {
                code_stars(code);
            }
            break;
        case 12: // through mirrors, with absolute and indexed addresses
            code_put3(code, test_once_in(code->random, 2) ? 0x8D : 0x9D,
                      code_register(code) | test_below(code->random, 2) << 6 |
                          test_below(code->random, 2) << 8);
            break;
        case 13:
            code_put2(code, 0x84 + 2u * test_below(code->random, 2), code_register(code)); // STY, STX
            break;
        default:
            code_load_a(code);
            code_put2(code, 0x85, code_register(code));
            break;
        }
    }
}

// `lines` lines with the same program each, or rather passes: they need not last a line.
static inline void code_lines(test_code *code, uint32_t lines, uint32_t writes, uint32_t wild) {
    const uint32_t counter = 0xF0u + test_below(code->random, 8);
    code_put2(code, 0xA9, lines);
    code_put2(code, 0x85, counter);
    const uint32_t top = code->at;
    if (test_below(code->random, 8) != 0) {
        code_put2(code, 0x85, TIA_WSYNC);
    }
    code_block(code, writes, wild);
    code_put2(code, 0xC6, counter); // DEC
    code_put2(code, 0xF0, 0x03);    // BEQ
    code_put3(code, 0x4C, 0xF000u + top);
}

// The end of a frame, or something like it.
static inline void code_vsync(test_code *code, uint32_t odd) {
    if (!odd || test_below(code->random, 2) != 0) {
        code_put2(code, 0x85, TIA_WSYNC);
    }
    code_put2(code, 0xA9, 0x02 | (test_byte(code->random) & 0xC0u));
    code_put2(code, 0x85, TIA_VBLANK);
    code_put2(code, 0xA9, 0x02);
    code_put2(code, 0x85, TIA_VSYNC);
    for (uint32_t i = odd ? test_below(code->random, 4) : 3; i > 0; i--) {
        code_put2(code, 0x85, TIA_WSYNC);
    }
    if (odd) {
        code_block(code, test_below(code->random, 8), 4);
    }
    code_put2(code, 0xA9, 0x00);
    code_put2(code, 0x85, TIA_VSYNC);
}

// A program with a frame loop, in the bank at `bytes`.
static inline void test_generate_bank(uint8_t *bytes, uint32_t start, test_random *random) {
    test_code code = {bytes, start, 0xF80, random};
    const uint32_t wild = test_once_in(random, 3) ? 1 : 6;
    const uint32_t odd = test_once_in(random, 4);
    for (uint32_t i = 0; i < 4096; i++) {
        bytes[i] = (uint8_t)(test_once_in(random, 2) ? 0xEA : test_byte(random));
    }
    code_put2(&code, 0xA2, 0xFF); // LDX #$FF, TXS
    code_put(&code, 0x9A);
    code_block(&code, test_below(random, 30), 1000);
    const uint32_t frame = code.at;
    code_vsync(&code, odd);
    if (test_below(random, 8) != 0) {
        code_lines(&code, 20u + test_below(random, 40), test_below(random, 4), 1000); // below VBLANK
    }
    code_put2(&code, 0xA9, test_once_in(random, 16) ? 0x82 : 0x00);
    code_put2(&code, 0x85, TIA_VBLANK);
    // Short, usual or too long: by the number and the size of the parts.
    for (uint32_t parts = 1u + test_below(random, 6); parts > 0; parts--) {
        const uint32_t lines =
            test_once_in(random, 10) ? 1u + test_below(random, 255) : 10u + test_below(random, 60);
        code_lines(&code, lines, test_below(random, 14), wild);
    }
    if (test_once_in(random, 100)) {
        code_put(&code, 0x02); // halts
    }
    code_put3(&code, 0x4C, 0xF000u + frame);
    // Where BRK and a program that has lost its way arrive.
    const uint32_t vector = test_once_in(random, 2) ? 0xF000u + start : 0xF000u + frame;
    bytes[0xFFC] = (uint8_t)(start & 0xFFu);
    bytes[0xFFD] = (uint8_t)(0xF0u | start >> 8);
    bytes[0xFFE] = (uint8_t)(vector & 0xFFu);
    bytes[0xFFF] = (uint8_t)(vector >> 8);
}

// ---- images ----------------------------------------------------------------------------------------------

static const struct {
    uint8_t scheme;
    uint32_t size;
} test_schemes[] = {
    {MEGA_SCHEME_4K, 4096},    {MEGA_SCHEME_2K, 2048},    {MEGA_SCHEME_F8, 8192},
    {MEGA_SCHEME_F6, 16384},   {MEGA_SCHEME_F4, 32768},   {MEGA_SCHEME_F8SC, 8192},
    {MEGA_SCHEME_F6SC, 16384}, {MEGA_SCHEME_F4SC, 32768}, {MEGA_SCHEME_FASC, 12288},
    {MEGA_SCHEME_E0, 8192},    {MEGA_SCHEME_E7, 16384},   {MEGA_SCHEME_FE, 8192},
    {MEGA_SCHEME_DPC, 10240},  {MEGA_SCHEME_3F, 8192},    {MEGA_SCHEME_3E, 16384},
    {MEGA_SCHEME_UA, 8192},    {MEGA_SCHEME_CV, 4096},    {MEGA_SCHEME_CV, 2048},
    {MEGA_SCHEME_MB, 65536},   {MEGA_SCHEME_MC, 131072},  {MEGA_SCHEME_3F, 524288 / 8},
    {MEGA_SCHEME_DPC, 10495},
};
#define TEST_SCHEMES ((uint32_t)(sizeof(test_schemes) / sizeof(test_schemes[0])))

// Where a program may start: below are RAM ports in some schemes.
static inline uint32_t test_code_start(uint8_t scheme) {
    return scheme == MEGA_SCHEME_FASC                                                         ? 0x200u
           : scheme == MEGA_SCHEME_E7 || scheme == MEGA_SCHEME_CV || scheme == MEGA_SCHEME_3E ? 0xA00u
                                                                                              : 0x100u;
}

// Unusual televisions and windows.
static inline void test_vary_cartridge(mega_cartridge *cartridge, test_random *random) {
    cartridge->pal = test_once_in(random, 4);
    cartridge->hmove_blanks = test_below(random, 5) != 0;
    if (cartridge->pal) {
        cartridge->height = 250;
    }
    if (test_once_in(random, 6)) {
        static const uint16_t starts[] = {26, 30, 39, 40}, heights[] = {214, 220, 230, 256};
        cartridge->y_start = starts[test_below(random, 4)];
        cartridge->height = heights[test_below(random, 4)];
    }
    cartridge->left_paddles = test_once_in(random, 8);
    cartridge->right_paddles = test_once_in(random, 8);
    cartridge->swap_ports = test_once_in(random, 16);
    cartridge->swap_paddles = test_once_in(random, 16);
}

static inline void test_random_image(test_image *image, test_random *random) {
    const uint32_t which = test_below(random, TEST_SCHEMES);
    image->cartridge = test_cartridge(test_schemes[which].scheme, test_schemes[which].size);
    for (uint32_t i = 0; i < image->cartridge.image_size; i++) {
        image->bytes[i] = test_byte(random);
    }
    snprintf(image->kind, sizeof image->kind, "random bytes, scheme %u, %u bytes", image->cartridge.scheme,
             image->cartridge.image_size);
}

// Every bank holds a program of its own.
static inline void test_generated_image(test_image *image, test_random *random) {
    const uint32_t which = test_below(random, 2) != 0 ? 0 : test_below(random, TEST_SCHEMES);
    const uint8_t scheme = test_schemes[which].scheme;
    uint8_t bank[4096];
    image->cartridge = test_cartridge(scheme, test_schemes[which].size);
    for (uint32_t at = 0; at < image->cartridge.image_size; at += 4096) {
        const uint32_t left = image->cartridge.image_size - at;
        const uint32_t size = left < 4096 ? left : 4096u;
        test_generate_bank(bank, image->cartridge.image_size < 4096 ? 0x800u : test_code_start(scheme),
                           random);
        memcpy(image->bytes + at, bank + 4096 - size, size);
    }
    snprintf(image->kind, sizeof image->kind, "generated program, scheme %u, %u bytes", scheme,
             image->cartridge.image_size);
}

// Where the frames of a program end that mostly are too short.
enum {
    TEST_END_BLANK,  // in the vertical blank
    TEST_END_TURNED, // which was turned on in the same line
    TEST_END_SHOWN,  // in the picture
    TEST_ENDS
};

static inline void code_set(test_code *code, uint32_t reg, uint32_t value) {
    code_put2(code, 0xA9, value); // LDA #
    code_put2(code, 0x85, reg);   // STA
}

// The end of a frame, at a pixel that $80 says, which is drawn anew each time.
static inline void code_ragged_end(test_code *code, uint32_t end, uint32_t moves) {
    static const uint8_t draw[] = {0xA5, 0x80, 0x0A, 0x0A, 0x18,
                                   0x65, 0x80,                   // LDA $80, ASL, ASL, CLC, ADC $80
                                   0x18, 0x69, 0x35, 0x85, 0x80, // CLC, ADC #53, STA $80
                                   0x4A, 0x29, 0x0F, 0xAA};      // LSR, AND #15, TAX
    code_set(code, TIA_VSYNC, 2);
    code_put2(code, 0x85, TIA_WSYNC);
    for (uint32_t i = 0; i < sizeof draw; i++) {
        code_put(code, draw[i]);
    }
    if (end == TEST_END_BLANK) {
        code_set(code, TIA_VBLANK, 2);
    }
    code_put2(code, 0x85, TIA_WSYNC);
    code_put2(code, 0x85, TIA_WSYNC);
    code_put2(code, 0x90, 0x00); // BCC to the next
    if (moves) {
        code_put2(code, 0x85, TIA_HMOVE);
        code_put2(code, 0x85, TIA_COLUBK); // a write in the dark part of the line that is being blanked
    }
    code_put2(code, 0xCA, 0x10); // DEX, BPL
    code_put(code, 0xFD);
    if (end == TEST_END_TURNED) {
        code_set(code, TIA_VBLANK, 2);
    }
    for (uint32_t i = test_below(code->random, 3); i > 0; i--) {
        code_put(code, 0xEA); // NOP
    }
    code_set(code, TIA_VSYNC, 0);
}

// A write of a line. Few objects, because that is where something is left beyond the end of a frame.
static inline void code_ragged_write(test_code *code, uint32_t few) {
    static const uint8_t simple[] = {TIA_COLUBK, TIA_COLUPF, TIA_PF0, TIA_PF1, TIA_PF2, TIA_GRP0};
    code_set(code, few ? simple[test_below(code->random, 4u + few)] : code_register(code),
             test_byte(code->random));
}

// A program whose frames are of any height, most of them too short: $80 says that, too. `few` is 0 for all objects, 1 for
// a playfield, 2 for a player as well.
static inline void test_ragged_image(test_image *image, uint32_t end, uint32_t moves, uint32_t few,
                                     test_random *random) {
    static const uint8_t lines[] = {0xA5, 0x80, 0x29, 0x03, 0xF0, 0x08,  // LDA $80, AND #3, BEQ to LDA #250
                                    0xA5, 0x80, 0x4A, 0x18, 0x69, 0x14,  // LDA $80, LSR, CLC, ADC #20
                                    0xD0, 0x02, 0xA9, 0xFA, 0x85, 0xF8}; // BNE to STA, LDA #250, STA $F8
    test_code code = {image->bytes, 0x200, 0xF80, random};
    memset(image, 0, sizeof(*image));
    image->cartridge = test_cartridge(MEGA_SCHEME_4K, 4096);
    memset(image->bytes, 0xEA, 4096);
    image->bytes[0xFFC] = image->bytes[0xFFE] = 0x00;
    image->bytes[0xFFD] = image->bytes[0xFFF] = 0xF2;
    code_put2(&code, 0xA2, 0xFF); // LDX #$FF, TXS, CLD
    code_put2(&code, 0x9A, 0xD8);
    code_block(&code, few ? 0u : 20u, 1000);
    const uint32_t frame = code.at;
    code_ragged_end(&code, end, moves);
    code_set(&code, TIA_VBLANK, 0);
    for (uint32_t i = 0; i < sizeof lines; i++) {
        code_put(&code, lines[i]);
    }
    const uint32_t top = code.at;
    code_put2(&code, 0x85, TIA_WSYNC);
    for (uint32_t i = 1u + test_below(random, 5); i > 0; i--) {
        code_ragged_write(&code, few);
    }
    code_put2(&code, 0xC6, 0xF8); // DEC
    code_put2(&code, 0xF0, 0x03); // BEQ
    code_put3(&code, 0x4C, 0xF000u + top);
    code_put3(&code, 0x4C, 0xF000u + frame);
    snprintf(image->kind, sizeof image->kind, "ragged frames, end %u, HMOVE %u, few %u", end, moves, few);
}

// An image with some bytes changed: from `roms`, or the built-in game when there are none.
static inline void test_mutated_image(test_image *image, const test_rom_set *roms, test_random *random) {
    if (roms->count == 0) {
        image->cartridge = test_cartridge(MEGA_SCHEME_4K, 4096);
        memcpy(image->bytes, mega_builtin_rom, 4096);
        snprintf(image->kind, sizeof image->kind, "mutated built-in game");
    } else {
        const mega_rom *rom = roms->roms[test_below(random, roms->count)];
        image->cartridge = rom->cartridge;
        memcpy(image->bytes, rom->bytes, rom->size < TEST_IMAGE_MAX ? rom->size : TEST_IMAGE_MAX);
        snprintf(image->kind, sizeof image->kind, "mutated %s", rom->info.name);
    }
    const uint32_t size = image->cartridge.image_size;
    for (uint32_t i = 1u << test_below(random, 8); i > 0; i--) {
        image->bytes[test_below(random, size)] = test_byte(random);
    }
    if (test_once_in(random, 4)) { // as if it had another kind of cartridge
        for (uint32_t i = test_below(random, TEST_SCHEMES), n = 0; n < TEST_SCHEMES;
             n++, i = (i + 1) % TEST_SCHEMES) {
            if (test_schemes[i].size == size) {
                image->cartridge = test_cartridge(test_schemes[i].scheme, size);
                break;
            }
        }
    }
}

static inline void test_fuzz_image(test_image *image, const test_rom_set *roms, uint64_t seed) {
    test_random random = {seed};
    memset(image, 0, sizeof(*image));
    switch (test_below(&random, 8)) {
    case 0: test_random_image(image, &random); break;
    case 1:
    case 2: test_mutated_image(image, roms, &random); break;
    default: test_generated_image(image, &random); break;
    }
    test_vary_cartridge(&image->cartridge, &random);
}

#endif
