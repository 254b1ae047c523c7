// mega_test_ram_image.h - made-up cartridges for fuzzing whose programs run code in RAM, which they and the code itself
// change. The same seed gives the same image.
#ifndef MEGA_TEST_RAM_IMAGE_H
#define MEGA_TEST_RAM_IMAGE_H
#include "mega_test_program.h"

typedef struct ram_program {
    test_code code;        // the bank
    uint32_t start, size;  // of the code in RAM
    uint8_t operands[128]; // offsets of bytes that may be anything
    uint32_t operand_count;
} ram_program;

// A byte of the code: mostly one that does no harm.
static inline uint32_t ram_place(const ram_program *p) {
    test_random *random = p->code.random;
    return p->operand_count != 0 && !test_once_in(random, 12)
               ? p->start + p->operands[test_below(random, p->operand_count)]
               : p->start + test_below(random, p->size + 1u);
}

// An instruction of the code in RAM.
static inline void ram_instruction(ram_program *p, test_code *code) {
    test_random *random = code->random;
    static const uint8_t loads[] = {0xA9, 0xA2, 0xA0, 0x69, 0x49, 0x29, 0xC9, 0xE9}; // with a number
    static const uint8_t plain[] = {0xE8, 0xC8, 0xCA, 0x88, 0xAA, 0x8A, 0x0A,
                                    0x4A, 0x18, 0x38, 0xEA, 0x68, 0x48, 0x08};
    static const uint8_t stores[] = {0x85, 0x86, 0x84, 0xE6, 0xC6, 0x06, 0x87, 0x95};
    static const uint8_t reads[] = {0xA5, 0xA6, 0xB5, 0x65, 0x24, 0xAD};
    switch (test_below(random, 12)) {
    case 0:
    case 1:
    case 2:
        code_put(code, loads[test_below(random, sizeof loads)]);
        p->operands[p->operand_count++] = (uint8_t)code->at;
        code_put(code, test_byte(random));
        break;
    case 3:
    case 4: code_put(code, plain[test_below(random, sizeof plain)]); break;
    case 5: code_put2(code, 0x84 + test_below(random, 3), code_register(code)); break;
    case 6: code_put2(code, 0x84 + test_below(random, 3), 0x80 + test_below(random, 128)); break;
    case 7: code_put2(code, stores[test_below(random, sizeof stores)], ram_place(p)); break;
    case 8: {
        const uint32_t opcode = reads[test_below(random, sizeof reads)];
        code_put2(code, opcode, test_byte(random));
        if (opcode == 0xAD) {
            code_put(code, test_once_in(random, 2) ? 0xFF : test_below(random, 4));
        }
        break;
    }
    case 9: // a branch over an instruction
        code_put2(code, 0x10 + 0x20 * test_below(random, 8), 2);
        code_put2(code, 0xE6, 0xF0 + test_below(random, 4));
        break;
    case 10: code_put3(code, test_once_in(random, 2) ? 0x9D : 0x8D, ram_place(p)); break;
    default:
        if (test_once_in(random, 4)) {
            code_anything(code);
        } else if (test_once_in(random, 4)) {
            code_put3(code, 0x20, 0xFF00); // JSR to an RTS
        } else {
            code_put2(code, 0x85, TIA_WSYNC);
        }
        break;
    }
}

// The cartridge changes a byte of the code: always in the same way, by the number of the frame, or only later.
static inline void ram_patch(ram_program *p) {
    test_code *code = &p->code;
    test_random *random = code->random;
    const uint32_t later = test_once_in(random, 3);
    if (later) {
        code_put2(code, 0xA5, 0x80); // LDA $80
        code_put2(code, 0x10, 4);    // BPL over: 128 of 256 frames
    }
    switch (later ? 0 : test_below(random, 3)) {
    case 0:
        code_put2(code, 0xA9, test_byte(random)); // LDA #
        code_put2(code, 0x85, ram_place(p));
        break;
    case 1:
        code_put2(code, 0xA5, 0x80); // LDA $80
        code_put2(code, 0x85, ram_place(p));
        break;
    default: code_put2(code, 0xE6, ram_place(p)); break; // INC
    }
}

static inline void test_ram_bank(uint8_t *bytes, test_random *random) {
    ram_program p;
    memset(&p, 0, sizeof p);
    memset(bytes, 0xEA, 4096);
    p.start = 0x82 + test_below(random, 40);
    test_code routine = {bytes + 0xC00, 0, 20 + test_below(random, 50), random};
    p.code = routine;
    p.size = routine.end;
    const uint32_t loops = test_once_in(random, 2);
    while (routine.at + 8u < routine.end) {
        ram_instruction(&p, &routine);
    }
    if (loops) {
        code_put2(&routine, 0xC6, 0x81); // DEC $81
        code_put2(&routine, 0xD0, 0u - (routine.at + 2u));
    }
    code_put(&routine, 0x60); // RTS
    p.size = routine.at;
    p.code = (test_code){bytes, 0x100, 0xF00, random};
    test_code *code = &p.code;
    code_put2(code, 0xA2, 0xFF); // LDX #$FF, TXS
    code_put(code, 0x9A);
    code_put2(code, 0xE6, 0x80);       // INC $80
    code_put2(code, 0xA2, p.size - 1); // LDX #
    const uint32_t loop = code->at;
    code_put3(code, 0xBD, 0xFC00);  // LDA $FC00,X
    code_put2(code, 0x95, p.start); // STA start,X
    code_put2(code, 0xCA, 0x10);    // DEX, BPL
    code_put(code, loop - code->at - 1u);
    for (uint32_t calls = 1 + test_below(random, 5); calls > 0; calls--) {
        for (uint32_t patches = test_below(random, 4); patches > 0; patches--) {
            ram_patch(&p);
        }
        code_put2(code, 0xA9, 1 + test_below(random, 20)); // LDA #, STA $81
        code_put2(code, 0x85, 0x81);
        code_put3(code, 0x20, p.start | (test_once_in(random, 8) ? 0x2100u : 0u)); // JSR
    }
    code_put2(code, 0xA0, 100 + test_below(random, 100)); // LDY #
    code_put2(code, 0x85, TIA_WSYNC);
    code_put2(code, 0x88, 0xD0); // DEY, BNE
    code_put(code, 0xFB);
    code_vsync(code, 0);
    code_put3(code, 0x4C, 0xF100);
    bytes[0xF00] = 0x60; // RTS
    static const uint8_t vectors[] = {0x00, 0xF1, 0x00, 0xF1};
    memcpy(bytes + 0xFFC, vectors, sizeof vectors);
}

// The same program in all banks, so that it does not matter which one is there.
static inline void test_ram_image(test_image *image, uint64_t seed) {
    test_random random = {seed};
    static const struct {
        uint8_t scheme;
        uint32_t size;
    } schemes[] = {{MEGA_SCHEME_4K, 4096}, {MEGA_SCHEME_F8, 8192}, {MEGA_SCHEME_F6SC, 16384}};
    const uint32_t which = test_below(&random, 3);
    memset(image, 0, sizeof(*image));
    image->cartridge = test_cartridge(schemes[which].scheme, schemes[which].size);
    test_ram_bank(image->bytes, &random);
    for (uint32_t at = 4096; at < schemes[which].size; at += 4096) {
        memcpy(image->bytes + at, image->bytes, 4096);
    }
    snprintf(image->kind, sizeof image->kind, "code in RAM, %u bytes", schemes[which].size);
}

#endif
