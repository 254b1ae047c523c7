// mega_test_translate_programs.h - programs where a translator is easily wrong, for the tests of both kinds of
// translated code. The test defines check(), which translates `image` and compares so many frames.
#ifndef MEGA_TEST_TRANSLATE_PROGRAMS_H
#define MEGA_TEST_TRANSLATE_PROGRAMS_H
#include "mega_test_ram_image.h"
#include "mega_test_translate.h"

#ifndef FUZZED_IMAGES
#define FUZZED_IMAGES 8
#endif

static test_image image;

// `least` is how much must be translated, in thousandths; 0 where that may be nothing.
static void check(const char *name, uint32_t frames, uint32_t least);

static test_code begin(uint8_t scheme, uint32_t size) {
    memset(&image, 0, sizeof image);
    image.cartridge = test_cartridge(scheme, size);
    test_code code = {image.bytes, 0, 4096, NULL};
    for (uint32_t bank = 0; bank < size; bank += 2048) { // start at $F000, BRK goes to $F004
        static const uint8_t vectors[] = {0x00, 0xF0, 0x04, 0xF0};
        memcpy(image.bytes + bank + 2048 - 4, vectors, sizeof vectors);
    }
    code_put2(&code, 0xA2, 0xFF); // LDX #$FF
    code_put(&code, 0x9A);        // TXS
    code_put(&code, 0xD8);        // CLD
    return code;
}

// Some lines, then VSYNC, then back to $F004.
static void end_frame(test_code *code, uint32_t lines) {
    code_put2(code, 0xA0, lines);     // LDY #
    code_put2(code, 0x85, TIA_WSYNC); // STA WSYNC
    code_put(code, 0x88);             // DEY
    code_put2(code, 0xD0, 0xFB);      // BNE
    code_put2(code, 0xA9, 2);
    code_put2(code, 0x85, TIA_VSYNC);
    code_put2(code, 0x85, TIA_WSYNC);
    code_put2(code, 0x85, TIA_WSYNC);
    code_put2(code, 0xA9, 0);
    code_put2(code, 0x85, TIA_VSYNC);
    code_put3(code, 0x4C, 0xF004);
}

// BIT $01A9, entered at its beginning and in its middle, where it is LDA #$01.
static void test_middle_of_instruction(void) {
    test_code code = begin(MEGA_SCHEME_4K, 4096);
    code_put2(&code, 0xE6, 0x80); // INC $80
    code_put2(&code, 0xA5, 0x80);
    code_put(&code, 0x4A);          // LSR
    code_put2(&code, 0xB0, 0x01);   // BCS into the middle
    code_put3(&code, 0x2C, 0x01A9); // BIT $01A9, or LDA #$01
    code_put2(&code, 0x85, 0x81);
    code_put2(&code, 0x85, TIA_COLUBK);
    end_frame(&code, 200);
    check("middle of an instruction", 40, 990);
}

// Two banks of the same program with different numbers; an indexed access in the middle of a block changes them.
static void test_bank_switch_in_block(void) {
    begin(MEGA_SCHEME_F8, 8192);
    for (uint32_t bank = 0; bank < 2; bank++) {
        test_code code = {image.bytes + 4096 * bank, 4, 4096, NULL};
        image.bytes[4096 * bank] = 0xA2; // LDX #$FF, TXS, CLD
        image.bytes[4096 * bank + 1] = 0xFF;
        image.bytes[4096 * bank + 2] = 0x9A;
        image.bytes[4096 * bank + 3] = 0xD8;
        code_put2(&code, 0xE6, 0x80); // INC $80
        code_put2(&code, 0xA5, 0x80);
        code_put2(&code, 0x29, 1); // AND #1
        code_put(&code, 0xAA);     // TAX
        for (uint32_t i = 0; i < 6; i++) {
            static const uint8_t accesses[] = {0xBD, 0x9D, 0xDE}; // LDA, STA, DEC $FFF8,X
            code_put3(&code, accesses[i % 3], 0xFFF8);
            code_put2(&code, 0xA9, 16 * bank + i); // LDA #
            code_put2(&code, 0x95, 0x82 + i);      // STA zp,X
            code_put2(&code, 0xA0, bank);          // LDY #
            code_put3(&code, 0xB9, 0xFFF8);        // LDA $FFF8,Y
            code_put2(&code, 0x85, TIA_COLUBK);
        }
        end_frame(&code, 180 + 10 * bank);
    }
    check("bank switch in a block", 60, 300);
}

// Instructions that lie across the edges of units and banks.
static void test_edges(void) {
    static const struct {
        uint8_t scheme;
        uint32_t size, edge;
    } cases[] = {{MEGA_SCHEME_3F, 8192, 0x800}, {MEGA_SCHEME_E0, 8192, 0x400}, {MEGA_SCHEME_2K, 2048, 0x7F0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        begin(cases[i].scheme, cases[i].size);
        for (uint32_t page = 0; page < cases[i].size; page += 1024) {
            test_random random = {i};
            test_code code = {image.bytes + page, 4, 1020, &random};
            static const uint8_t start[] = {0xA2, 0xFF, 0x9A, 0xD8};
            memcpy(image.bytes + page, start, sizeof start);
            code_put2(&code, 0xE6, 0x80 + page / 1024);
            end_frame(&code, 150 + page / 256);
            // Up to the edge: three bytes, three bytes, ..., and round to the next page.
            code_put3(&code, 0x4C, 0xF000 + cases[i].edge - 7);
            for (uint32_t at = 0x300; at < 1024; at += 3) {
                image.bytes[page + at] = 0xAD; // LDA abs
                image.bytes[page + at + 1] = (uint8_t)(0x80 + page / 1024);
                image.bytes[page + at + 2 - (at + 2 > 1023)] = 0x00;
            }
        }
        static const uint8_t vectors[] = {0x00, 0xF3, 0x04, 0xF0};
        for (uint32_t bank = 1024; bank <= cases[i].size; bank += 1024) {
            memcpy(image.bytes + bank - 4, vectors, sizeof vectors);
        }
        check("edges of units", 40, 0);
    }
}

// A branch to the next instruction, which spends a cycle more: in a chain of blocks, and at the end of a loop.
static void test_branch_to_next(void) {
    test_code code = begin(MEGA_SCHEME_4K, 4096);
    code_put2(&code, 0xA2, 200); // LDX #
    const uint32_t loop = code.at;
    code_put2(&code, 0xA9, 0);    // LDA #0
    code_put2(&code, 0xF0, 0);    // BEQ to the next
    code_put2(&code, 0xE6, 0x80); // INC $80
    code_put2(&code, 0x30, 0);    // BMI to the next
    code_put2(&code, 0x86, TIA_COLUBK);
    code_put(&code, 0xCA);                       // DEX
    code_put2(&code, 0xD0, loop - code.at - 2u); // BNE
    end_frame(&code, 100);
    check("branch to the next instruction", 40, 990);
}

// Jumps to TIA and RIOT addresses: what is executed there is what is on the bus.
static void test_odd_places(void) {
    static const uint32_t places[] = {0x0000, 0x0008, 0x002C, 0x0280, 0x0282, 0x0284, 0x0285, 0x0106};
    test_code code = begin(MEGA_SCHEME_4K, 4096);
    code_put2(&code, 0xE6, 0x80); // INC $80
    code_put2(&code, 0xA5, 0x80);
    code_put2(&code, 0x29, 7);
    code_put(&code, 0x0A); // ASL
    code_put(&code, 0xAA); // TAX
    code_put3(&code, 0xBD, 0xF901);
    code_put(&code, 0x48); // PHA
    code_put3(&code, 0xBD, 0xF900);
    code_put(&code, 0x48);
    code_put(&code, 0x08); // PHP
    code_put(&code, 0x40); // RTI
    for (uint32_t i = 0; i < 8; i++) {
        image.bytes[0x900 + 2 * i] = (uint8_t)places[i];
        image.bytes[0x901 + 2 * i] = (uint8_t)(places[i] >> 8);
    }
    check("TIA and RIOT addresses", 60, 0);
}

// BRK, whose vector leads to the loop; with a stack that goes round.
static void test_break(void) {
    test_code code = begin(MEGA_SCHEME_4K, 4096);
    code_put2(&code, 0xE6, 0x80); // INC $80
    code_put2(&code, 0xA5, 0x80);
    code_put2(&code, 0x29, 0x1F);
    code_put2(&code, 0xF0, 2); // BEQ over the next
    code_put2(&code, 0x00, 0xEA);
    end_frame(&code, 200);
    check("BRK", 60, 900);
}

// Pushes, calls and returns with the stack pointer in TIA space.
static void test_stack_in_tia(void) {
    test_code code = begin(MEGA_SCHEME_4K, 4096);
    code_put2(&code, 0xE6, 0x80); // INC $80
    code_put2(&code, 0xA6, 0x80); // LDX $80
    code_put(&code, 0x9A);        // TXS
    code_put(&code, 0x48);        // PHA
    code_put(&code, 0x08);        // PHP
    code_put(&code, 0x68);        // PLA
    code_put3(&code, 0x20, 0xF000 + code.at + 3);
    code_put(&code, 0xBA);        // TSX
    code_put2(&code, 0x86, 0x81); // STX
    code_put(&code, 0x48);
    code_put(&code, 0x28); // PLP
    code_put(&code, 0xD8);
    code_put2(&code, 0xA2, 0xFF);
    code_put(&code, 0x9A);
    end_frame(&code, 190);
    check("stack in TIA space", 300, 500);
}

// More accesses to the TIA in a frame than a warp can note, with reads that are such only after the trial run, so that
// no block counts them. With two of the three beginnings the room ends in the middle of a block.
static void test_many_accesses(void) {
    for (uint32_t before = 15; before < 60; before += 15) {
        test_code code = begin(MEGA_SCHEME_4K, 4096);
        static const uint8_t choose[] = {0xA5, 0x80, 0xC9, 0x55, 0xF0, 0x08, // LDA $80, CMP #$55, BEQ
                                         0xA9, 0x55, 0x85, 0x80, 0xA9, 0x00, 0x85, 0x81, // once: $81 = 0
                                         0xE6, 0x81, 0xA2, 0x80, 0xA5, 0x81, 0xC9, 0x14, // INC $81, LDX #$80
                                         0x90, 0x02, 0xA2, 0x00}; // from frame 20 on LDX #0
        for (uint32_t i = 0; i < sizeof choose; i++) {
            code_put(&code, choose[i]);
        }
        code_put2(&code, 0xA0, before); // LDY #
        code_put2(&code, 0x84, TIA_COLUBK);
        code_put(&code, 0x88);        // DEY
        code_put2(&code, 0xD0, 0xFB); // BNE
        code_put2(&code, 0xA0, 40);   // LDY #40
        const uint32_t loop = code.at;
        for (uint32_t i = 0; i < 36; i++) {
            code_put2(&code, 0xB5, 0x0C); // LDA INPT4,X
        }
        for (uint32_t i = 0; i < 23; i++) {
            code_put2(&code, 0x84, TIA_COLUBK + i % 2u); // STY
        }
        code_put(&code, 0x88); // DEY
        code_put2(&code, 0xD0, loop - (code.at + 2u));
        end_frame(&code, 100);
        check("many accesses", 60, 900);
    }
}

// All timers, waited for in the ways that are jumped over and in others.
static void test_timers(void) {
    static const uint8_t loads[] = {0xAD, 0xAE, 0xAC}, branches[] = {0xD0, 0x10};
    test_code code = begin(MEGA_SCHEME_4K, 4096);
    for (uint32_t i = 0; i < 6; i++) {
        code_put2(&code, 0xE6, 0x80); // INC $80
        code_put2(&code, 0xA5, 0x80);
        code_put2(&code, 0x29, 0x0F);                        // AND
        code_put3(&code, 0x8D, 0x294u + i % 3u);             // STA TIM1T, TIM8T, TIM64T
        code_put3(&code, loads[i % 3], 0x284);               // INTIM
        code_put2(&code, branches[i / 3], 0xFB);             // and back
        code_put3(&code, 0xAD, 0x285);                       // LDA TIMINT
        code_put2(&code, 0x85, 0x81 + i);                    //
        code_put2(&code, 0xA2, 1u + i);                      // LDX
        code_put2(&code, 0xCA, 0xD0), code_put(&code, 0xFD); // DEX, BNE
    }
    end_frame(&code, 100);
    check("timers", 300, 990);
}

// Never a VSYNC: the frame ends with the first write after so many lines, at another place each time, because the
// number of cycles is odd; or without any write, after 25,000 instructions.
static void test_limits(void) {
    for (uint32_t writes = 0; writes < 3; writes++) {
        test_code code = begin(MEGA_SCHEME_4K, 4096);
        for (uint32_t i = 0; i < 40; i++) {
            code_put2(&code, 0xE6, 0x80 + i); // INC, 5 cycles
            if (writes != 0 && i % (writes == 1 ? 39 : 3) == 0) {
                code_put2(&code, 0x85, TIA_COLUBK);
            }
            code_put2(&code, 0xB0, 0x00); // BCS to the next instruction: a block
            code_put(&code, 0x0A);        // ASL
        }
        code_put3(&code, 0x4C, 0xF004);
        check("limits", 400, 900);
    }
}

// The last instruction of a cartridge runs into TIA addresses.
static void test_run_off_the_end(void) {
    test_code code = begin(MEGA_SCHEME_4K, 4096);
    code_put2(&code, 0xE6, 0x80); // INC $80
    code_put2(&code, 0xA9, 0x60); // LDA #$60
    code_put3(&code, 0x20, 0xFFF0);
    end_frame(&code, 200);
    memset(image.bytes + 0xFF0, 0xEA, 12);
    image.bytes[0xFFE] = 0xA5; // the vector of BRK is LDA $60, and on to $0000
    image.bytes[0xFFF] = 0x60;
    check("the end of a cartridge", 60, 0);
}

#include "mega_test_translate_ram.h"

#include "mega_test_translate_late.h"

static void test_fuzzed(void) {
    static test_rom_set no_roms;
    for (uint64_t seed = 0; seed < FUZZED_IMAGES; seed++) {
        char name[96];
        if (seed % 2u == 0) {
            test_fuzz_image(&image, &no_roms, 1000 + seed);
        } else {
            test_ram_image(&image, 1000 + seed);
        }
        snprintf(name, sizeof name, "image %u (%s)", (unsigned)seed, image.kind);
        check(name, 60, 0);
    }
}

static void test_programs(void) {
    test_middle_of_instruction();
    test_bank_switch_in_block();
    test_edges();
    test_branch_to_next();
    test_ram_programs();
    test_late_jumps();
    test_late_bank();
    test_odd_places();
    test_break();
    test_stack_in_tia();
    test_many_accesses();
    test_timers();
    test_limits();
    test_run_off_the_end();
    test_fuzzed();
}

#endif
