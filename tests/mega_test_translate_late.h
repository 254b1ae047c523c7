// mega_test_translate_late.h - code that no trial run comes to, because it begins with frame 60; for
// mega_test_translate_programs.h.
#ifndef MEGA_TEST_TRANSLATE_LATE_H
#define MEGA_TEST_TRANSLATE_LATE_H

// The frame, at an address where nobody comes before its time.
static void put_late_frame(uint32_t bank, uint32_t at, uint32_t color) {
    test_code code = {image.bytes + bank, at, 4096, NULL};
    code_put2(&code, 0xA9, color);
    code_put2(&code, 0x85, TIA_COLUBK);
    end_frame(&code, 200);
}

// To the frame at $F800, and from frame 60 on to that at $FA00, by pointers that are loaded in different ways.
static void test_late_jumps(void) {
    static const uint8_t tables[] = {0x00, 0x00, 0xF8, 0xFA}; // low bytes, high bytes
    for (uint32_t way = 0; way < 4; way++) {
        test_code code = begin(MEGA_SCHEME_4K, 4096);
        count_frames(&code);
        code_put2(&code, 0xA2, 0); // LDX #0
        code_put2(&code, 0xA5, 0x80);
        code_put2(&code, 0xC9, 60);                                              // CMP #60
        code_put2(&code, 0x90, 1);                                               // BCC
        code_put(&code, 0xE8);                                                   // INX
        if (way == 0) {                                                          // numbers
            static const uint8_t choose[] = {0xE0, 0x00, 0xD0, 0x0B,             // CPX #0, BNE
                                             0xA9, 0x00, 0x85, 0x90, 0xA9, 0xF8, // $F800
                                             0x85, 0x91, 0x6C, 0x90, 0x00,       // JMP ($0090)
                                             0xA9, 0x00, 0xA2, 0xFA, 0x85, 0x90, // $FA00
                                             0x86, 0x91, 0x6C, 0x90, 0x00};
            for (uint32_t i = 0; i < sizeof choose; i++) {
                code_put(&code, choose[i]);
            }
        } else if (way < 3) {               // a table and a number, or two tables
            code_put3(&code, 0xBD, 0xFD00); // LDA $FD00,X
            code_put2(&code, 0x85, 0x90);
            if (way == 1) {
                code_put2(&code, 0xA9, 0xF8); // LDA #$F8
            } else {
                code_put3(&code, 0xBD, 0xFD02); // LDA $FD02,X
            }
            code_put2(&code, 0x85, 0x91);
            code_put3(&code, 0x6C, 0x0090);
        } else { // RTS
            code_put3(&code, 0xBD, 0xFD02);
            code_put(&code, 0x48); // PHA
            code_put3(&code, 0xBD, 0xFD00);
            code_put(&code, 0x48);
            code_put(&code, 0x60); // RTS
        }
        memcpy(image.bytes + 0xD00, tables, sizeof tables);
        image.bytes[0xD01] = way == 1 ? 0x80 : 0x00;
        put_late_frame(0, 0x800 + (way == 3), 0x20); // RTS goes to the address after
        put_late_frame(0, way == 1 ? 0x880 : 0xA00 + (way == 3), 0x40);
        check("late code", 140, 980);
    }
}

// From frame 60 on in the second bank, after a hot spot, and there at another mirror.
static void test_late_bank(void) {
    begin(MEGA_SCHEME_F8, 8192);
    for (uint32_t bank = 0; bank < 8192; bank += 4096) {
        memcpy(image.bytes + bank, image.bytes, 4);
        test_code code = {image.bytes + bank, 4, 4096, NULL};
        code_put3(&code, 0xAD, 0xFFF8); // LDA $FFF8: each frame begins in the first bank
        count_frames(&code);
        code_put2(&code, 0xA5, 0x80);
        code_put2(&code, 0xC9, 60);
        code_put2(&code, 0x90, 6);      // BCC
        code_put3(&code, 0xAD, 0xFFF9); // LDA $FFF9
        code_put3(&code, 0x4C, 0xBA00); // JMP, in the second bank
        code_put3(&code, 0x4C, 0xF900);
    }
    put_late_frame(0, 0x900, 0x20);
    put_late_frame(4096, 0xA00, 0x40);
    check("late bank", 140, 980);
}

#endif
