// mega_test_translate_ram.h - programs that run code in RAM and change it; for mega_test_translate_programs.h, whose
// begin(), end_frame() and check() they use.
#ifndef MEGA_TEST_TRANSLATE_RAM_H
#define MEGA_TEST_TRANSLATE_RAM_H

#define ROUTINE 0x90 // where it is in RAM

// Copies so many bytes from $F800 to `to`.
static void copy_to(test_code *code, uint32_t to, uint32_t size) {
    code_put2(code, 0xA2, size - 1); // LDX #
    const uint32_t loop = code->at;
    code_put3(code, 0xBD, 0xF800); // LDA $F800,X
    code_put2(code, 0x95, to);     // STA to,X
    code_put(code, 0xCA);          // DEX
    code_put2(code, 0xD0, loop - (code->at + 2u));
    code_put3(code, 0xAD, 0xF800); // LDA $F800
    code_put2(code, 0x85, to);
}

// A byte of a table of 16, by the number of the frame in $80, to A.
static void load_by_frame(test_code *code, uint32_t table) {
    code_put2(code, 0xA5, 0x80);  // LDA $80
    code_put2(code, 0x29, 0x0F);  // AND #
    code_put(code, 0xAA);         // TAX
    code_put3(code, 0xBD, table); // LDA table,X
}

// Counts frames in $80, from 0 on after the console was turned on.
static void count_frames(test_code *code) {
    static const uint8_t once[] = {0xA5, 0x81, 0xC9, 0x55, 0xF0, 0x08, // LDA $81, CMP #$55, BEQ
                                   0xA9, 0x55, 0x85, 0x81, 0xA9, 0xFF, 0x85, 0x80, 0xE6, 0x80}; // INC $80
    for (uint32_t i = 0; i < sizeof once; i++) {
        code_put(code, once[i]);
    }
}

// A routine that is copied to RAM, changes its own operand and comes back; and one that goes on in the cartridge.
static void test_ram(void) {
    static const uint8_t routine[] = {0xA9, 0x10,        // LDA #
                                      0xE6, ROUTINE + 1, // INC its operand
                                      0x85, TIA_COLUBK,  //
                                      0xC6, 0xA0,        // DEC $A0
                                      0xD0, 0xF6,        // BNE to its beginning
                                      0x60};             // RTS
    test_code code = begin(MEGA_SCHEME_4K, 4096);
    copy_to(&code, ROUTINE, sizeof routine);
    code_put2(&code, 0xA9, 5);
    code_put2(&code, 0x85, 0xA0);
    code_put3(&code, 0x20, ROUTINE); // JSR
    code_put2(&code, 0xA9, 7);
    code_put2(&code, 0x85, 0xA0);
    code_put3(&code, 0x20, 0xC100 + ROUTINE); // JSR to a mirror
    end_frame(&code, 200);
    memcpy(image.bytes + 0x800, routine, sizeof routine);
    check("code in RAM", 40, 990);
}

// Another routine in each of 16 frames, which is more than are translated.
static void test_ram_rewritten(void) {
    static const uint8_t opcodes[16] = {0xE8, 0xC8, 0xCA, 0x88, 0x8A, 0x98, 0xA8, 0xAA,
                                        0x0A, 0x4A, 0x2A, 0x6A, 0x38, 0x18, 0xEA, 0xBA};
    static const uint8_t routine[] = {0xEA, 0x86, 0xB0, 0x84,
                                      0xB1, 0x85, 0xB2, 0x60}; // ?, STX, STY, STA, RTS
    test_code code = begin(MEGA_SCHEME_4K, 4096);
    count_frames(&code);
    copy_to(&code, ROUTINE, sizeof routine);
    load_by_frame(&code, 0xF900);
    code_put2(&code, 0x85, ROUTINE);
    for (uint32_t i = 0; i < 3; i++) {
        code_put3(&code, 0x20, ROUTINE);
    }
    end_frame(&code, 200);
    memcpy(image.bytes + 0x800, routine, sizeof routine);
    memcpy(image.bytes + 0x900, opcodes, sizeof opcodes);
    check("code in RAM that is rewritten", 60, 970);
}

// Code that turns the opcode of one of its next instructions from INX to INY and back, by stores of all kinds.
static void test_ram_own_opcodes(void) {
    static const struct {
        uint8_t size, place; // the byte that has the address
        uint8_t bytes[10];
    } stores[] = {
        {2, 1, {0x85, 0}},                                                  // STA zp
        {3, 1, {0x8D, 0, 0x00}},                                            // STA abs
        {3, 1, {0x8D, 0, 0x01}},                                            // STA to a mirror
        {4, 3, {0xA2, 0x00, 0x95, 0}},                                      // LDX #0, STA zp,X
        {8, 1, {0xA2, 0, 0x86, 0xB4, 0xA0, 0x00, 0x91, 0xB4}},              // STA ($B4),Y
        {10, 4, {0xBA, 0x86, 0xB6, 0xA2, 0, 0x9A, 0x48, 0xA6, 0xB6, 0x9A}}, // PHA on a stack that is there
        {4, 1, {0xA6, 0, 0x86, 0xB7}}};                                     // none: LDX zp, STX
    for (size_t i = 0; i < sizeof stores / sizeof stores[0]; i++) {
        test_code code = begin(MEGA_SCHEME_4K, 4096);
        count_frames(&code);
        test_code routine = {image.bytes + 0x800, 0, 64, NULL};
        code_put2(&routine, 0xA5, 0xB0); // LDA $B0
        code_put2(&routine, 0x49, 0x20); // EOR #$20
        code_put2(&routine, 0x85, 0xB0); // STA $B0
        const uint32_t place = routine.at + stores[i].place;
        for (uint32_t k = 0; k < stores[i].size; k++) {
            code_put(&routine, stores[i].bytes[k]);
        }
        code_put(&routine, 0xEA);
        image.bytes[0x800 + place] = (uint8_t)(ROUTINE + routine.at);
        code_put(&routine, 0xE8);        // INX or INY
        code_put2(&routine, 0x86, 0xB1); // STX
        code_put2(&routine, 0x84, 0xB2); // STY
        code_put(&routine, 0x60);        // RTS
        copy_to(&code, ROUTINE, routine.at);
        load_by_frame(&code, 0xF900);
        code_put2(&code, 0x85, 0xB0);
        for (uint32_t k = 0; k < 3; k++) {
            code_put3(&code, 0x20, ROUTINE);
        }
        end_frame(&code, 200);
        for (uint32_t k = 0; k < 16; k++) {
            image.bytes[0x900 + k] = k % 3u == 0 ? 0xC8 : 0xE8;
        }
        check("code in RAM that writes opcodes", 60, 985);
    }
}

// The cartridge changes a byte of the routine in each frame, from frame `first` on: operands, a register that is written,
// where a branch leads, opcodes. After the trial run that is something that was taken for granted.
static void test_ram_changed_from(uint32_t first, uint32_t least) {
    static const uint8_t routine[] = {0xA9, 0xEA,             // 90 LDA #$EA
                                      0x85, TIA_COLUBK,       // 92 STA COLUBK
                                      0xA2, 0x03,             // 94 LDX #3
                                      0xCA,                   // 96 DEX
                                      0xD0, 0xFD,             // 97 BNE $96
                                      0xE8,                   // 99 INX
                                      0x86, 0xB1,             // 9A STX $B1
                                      0xAD, 0x00,       0xF9, // 9C LDA $F900
                                      0x85, 0xB2,             // 9F STA $B2
                                      0x60};                  // A1 RTS
    static const uint8_t places[16] = {1, 3, 3, 3, 5, 8, 8, 7, 9, 11, 13, 14, 2, 6, 17, 0};
    static const uint8_t values[16] = {0x33, 0xB0, 0x99, TIA_WSYNC, 7,    0x00, 0x01, 0xF0,
                                       0xC8, 0x9D, 0x05, 0xF8,      0x86, 0x88, 0xEA, 0xA5};
    test_code code = begin(MEGA_SCHEME_4K, 4096);
    count_frames(&code);
    copy_to(&code, ROUTINE, sizeof routine);
    code_put2(&code, 0xA9, 0x60); // LDA #$60, RTS after the last byte
    code_put2(&code, 0x85, ROUTINE + sizeof routine);
    code_put2(&code, 0xA5, 0x80);  // LDA $80
    code_put2(&code, 0xC9, first); // CMP #
    code_put2(&code, 0x90, 0);     // BCC over what follows
    const uint32_t over = code.at;
    load_by_frame(&code, 0xF910);
    code_put(&code, 0xA8);           // TAY
    code_put3(&code, 0xBD, 0xF920);  // LDA $F920,X
    code_put3(&code, 0x99, ROUTINE); // STA $0090,Y
    image.bytes[over - 1u] = (uint8_t)(code.at - over);
    for (uint32_t i = 0; i < 3; i++) {
        code_put3(&code, 0x20, ROUTINE);
    }
    end_frame(&code, 200);
    memcpy(image.bytes + 0x800, routine, sizeof routine);
    memcpy(image.bytes + 0x910, places, sizeof places);
    memcpy(image.bytes + 0x920, values, sizeof values);
    check("code in RAM that is changed", 140, least);
}
static void test_ram_changed(void) {
    test_ram_changed_from(0, 900);
    test_ram_changed_from(60, 900);
}

// The lines of a picture from RAM, with more accesses to the TIA than a block may have, collisions and the timer, and the
// end of the frame.
static void test_ram_picture(void) {
    test_code code = begin(MEGA_SCHEME_4K, 4096);
    test_code routine = {image.bytes + 0x800, 0, 120, NULL};
    static const uint8_t registers[] = {TIA_PF1,   TIA_GRP0,   TIA_GRP1,   TIA_COLUP0, TIA_COLUP1,
                                        TIA_ENABL, TIA_COLUBK, TIA_COLUPF, TIA_RESP0,  TIA_HMOVE};
    code_put2(&routine, 0x85, TIA_WSYNC);
    for (uint32_t i = 0; i < 32; i++) {
        code_put2(&routine, 0x84 + i % 3u, registers[i % sizeof registers]); // STY, STA, STX
    }
    code_put2(&routine, 0xA5, 0x02);       // LDA CXP0FB
    code_put2(&routine, 0x85, 0xF8);       //
    code_put3(&routine, 0xAD, 0x284);      // LDA INTIM
    code_put2(&routine, 0x95, TIA_COLUBK); // STA COLUBK,X
    code_put(&routine, 0x88);              // DEY
    code_put2(&routine, 0xD0, 0u - (routine.at + 2u));
    code_put2(&routine, 0xA9, 2);
    code_put2(&routine, 0x85, TIA_VSYNC);
    code_put2(&routine, 0x85, TIA_WSYNC);
    code_put2(&routine, 0xA9, 0);
    code_put2(&routine, 0x85, TIA_VSYNC);
    code_put2(&routine, 0x85, TIA_CXCLR);
    code_put3(&routine, 0x4C, 0xF004);
    copy_to(&code, 0x82, routine.at);
    code_put2(&code, 0xE6, 0x80); // INC $80
    code_put2(&code, 0xA5, 0x80); // LDA $80
    code_put2(&code, 0xA2, 0);    // LDX #0
    code_put2(&code, 0xA0, 190);  // LDY #190
    code_put3(&code, 0x4C, 0x82); // JMP
    check("a picture by code in RAM", 60, 900);
}

// It never comes back: the frame ends because of its length.
static void test_ram_limits(void) {
    for (uint32_t writes = 0; writes < 2; writes++) {
        static const uint8_t routine[] = {0xE6, 0xB0, 0xEA, 0xEA, 0x4C, ROUTINE, 0x00}; // INC, ?, JMP
        test_code code = begin(MEGA_SCHEME_4K, 4096);
        memcpy(image.bytes + 0x800, routine, sizeof routine);
        if (writes) {
            image.bytes[0x802] = 0x85;
            image.bytes[0x803] = TIA_COLUBK;
        }
        copy_to(&code, ROUTINE, sizeof routine);
        code_put3(&code, 0x4C, ROUTINE);
        check("code in RAM without an end", 60, 900);
    }
}

// Banks are switched from RAM, to one that the cartridge writes into the code, and to one that is always the same.
static void test_ram_banks(void) {
    static const uint8_t routine[] = {0xAD, 0xF8,       0xFF,  // LDA $FFF8 or $FFF9
                                      0xAD, 0x00,       0xF9,  // LDA $F900
                                      0x85, 0xB1,              // STA $B1
                                      0x8D, 0xF8,       0xFF,  // STA $FFF8
                                      0xAD, 0x00,       0xF9,  // LDA $F900
                                      0x85, TIA_COLUBK,        //
                                      0xBD, 0xF8,       0xFF,  // LDA $FFF8,X
                                      0x4C, 0x00,       0xFA}; // JMP $FA00
    begin(MEGA_SCHEME_F8, 8192);
    for (uint32_t bank = 0; bank < 2; bank++) {
        uint8_t *bytes = image.bytes + 4096 * bank;
        test_code code = {bytes, 4, 4096, NULL};
        memcpy(bytes, image.bytes, 4);
        memcpy(bytes + 0x800, routine, sizeof routine);
        bytes[0x900] = (uint8_t)(0x20 + bank);
        copy_to(&code, ROUTINE, sizeof routine);
        code_put2(&code, 0xE6, 0x80); // INC $80
        code_put2(&code, 0xA5, 0x80);
        code_put2(&code, 0x29, 1);    // AND #1
        code_put2(&code, 0x09, 0xF8); // ORA #$F8
        code_put2(&code, 0x85, ROUTINE + 1);
        code_put2(&code, 0xA6, 0x80); // LDX $80
        code_put2(&code, 0x8A, 0x4A); // TXA, LSR
        code_put2(&code, 0x29, 1);
        code_put(&code, 0xAA); // TAX
        code_put3(&code, 0x4C, ROUTINE);
        code.at = 0xA00;
        end_frame(&code, 190 + 5 * bank);
    }
    check("banks switched from RAM", 60, 950);
}

// Calls from RAM, also one whose return address falls on its own operand, and BRK.
static void test_ram_calls(void) {
    static const uint8_t routine[] = {0x20, 0x00, 0xFA, // 90 JSR $FA00
                                      0xE6, 0xB0,       // 93 INC $B0
                                      0xA2, 0x9A,       // 95 LDX #$9A
                                      0x9A,             // 97 TXS
                                      0x20, 0xA0, 0xFA, // 98 JSR $FAA0, which becomes $00A0
                                      0xEA, 0xEA, 0xEA, 0xEA, 0xEA, 0xA2, 0xFF, // A0 LDX #$FF
                                      0x9A,                                     // A2 TXS
                                      0xE6, 0xB1,                               // A3 INC $B1
                                      0x00, 0xEA,                               // A5 BRK, to $F004
                                      0xEA};
    test_code code = begin(MEGA_SCHEME_4K, 4096);
    const uint32_t over = code.at;
    code_put3(&code, 0x4C, 0); // JMP, but at each second time
    code_put3(&code, 0xEE, 0x00B2);
    code_put2(&code, 0xA5, 0xB2);
    code_put(&code, 0x4A);
    code_put2(&code, 0x90, 3);
    code_put3(&code, 0x4C, 0xFB00);
    copy_to(&code, ROUTINE, sizeof routine);
    code_put3(&code, 0x4C, ROUTINE);
    image.bytes[over + 1] = (uint8_t)(over + 3);
    image.bytes[over + 2] = 0xF0;
    memset(image.bytes + 0xA00, 0x60, 0x100); // RTS
    image.bytes[0xAA0] = 0xE6;                // INC $B3, where nobody comes
    image.bytes[0xAA1] = 0xB3;
    code.at = 0xB00;
    end_frame(&code, 200);
    memcpy(image.bytes + 0x800, routine, sizeof routine);
    check("calls from RAM", 60, 900);
}

// The last instruction of RAM goes on in TIA space, where what is executed is what is on the bus.
static void test_ram_end(void) {
    static const uint8_t routine[] = {0xE8, 0xE8, 0xE8, 0xE8, 0xA5, 0x80}; // INX, LDA $80
    test_code code = begin(MEGA_SCHEME_4K, 4096);
    count_frames(&code);
    copy_to(&code, 0xFA, sizeof routine);
    code_put3(&code, 0x4C, 0x00FA);
    memcpy(image.bytes + 0x800, routine, sizeof routine);
    check("the end of RAM", 120, 0);
}

static void test_ram_programs(void) {
    test_ram();
    test_ram_rewritten();
    test_ram_own_opcodes();
    test_ram_changed();
    test_ram_picture();
    test_ram_limits();
    test_ram_banks();
    test_ram_calls();
    test_ram_end();
}

#endif
