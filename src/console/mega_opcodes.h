// mega_opcodes.h - the 256 opcodes. Generated from facts/opcodes.csv by tools/gen_opcodes.py.
//
// MEGA_OPCODES(READ, WRITE, MODIFY, OTHER) expands to one macro call per opcode:
// READ(code, operation, mode, cycles)   reads its operand; with an index, a page crossing costs a cycle
// WRITE(code, operation, mode, cycles)  writes
// MODIFY(code, operation, mode, cycles) reads, then writes
// OTHER(code, operation, cycles)        has no operand in memory, or treats it in its own way
#ifndef MEGA_OPCODES_H
#define MEGA_OPCODES_H

#define MEGA_OPCODES(READ, WRITE, MODIFY, OTHER) \
    OTHER(0x00, brk, 7)          \
    READ(0x01, ora, IZX, 6)      \
    OTHER(0x02, jam, 2)          \
    MODIFY(0x03, slo, IZX, 8)    \
    READ(0x04, nop, ZP, 3)       \
    READ(0x05, ora, ZP, 3)       \
    MODIFY(0x06, asl, ZP, 5)     \
    MODIFY(0x07, slo, ZP, 5)     \
    OTHER(0x08, php, 3)          \
    READ(0x09, ora, IMM, 2)      \
    OTHER(0x0A, asl_a, 2)        \
    READ(0x0B, anc, IMM, 2)      \
    READ(0x0C, nop, ABS, 4)      \
    READ(0x0D, ora, ABS, 4)      \
    MODIFY(0x0E, asl, ABS, 6)    \
    MODIFY(0x0F, slo, ABS, 6)    \
    OTHER(0x10, bpl, 2)          \
    READ(0x11, ora, IZY, 5)      \
    OTHER(0x12, jam, 2)          \
    MODIFY(0x13, slo, IZY, 8)    \
    READ(0x14, nop, ZPX, 4)      \
    READ(0x15, ora, ZPX, 4)      \
    MODIFY(0x16, asl, ZPX, 6)    \
    MODIFY(0x17, slo, ZPX, 6)    \
    OTHER(0x18, clc, 2)          \
    READ(0x19, ora, ABY, 4)      \
    OTHER(0x1A, nop, 2)          \
    MODIFY(0x1B, slo, ABY, 7)    \
    READ(0x1C, nop, ABX, 4)      \
    READ(0x1D, ora, ABX, 4)      \
    MODIFY(0x1E, asl, ABX, 7)    \
    MODIFY(0x1F, slo, ABX, 7)    \
    OTHER(0x20, jsr, 6)          \
    READ(0x21, and, IZX, 6)      \
    OTHER(0x22, jam, 2)          \
    MODIFY(0x23, rla, IZX, 8)    \
    READ(0x24, bit, ZP, 3)       \
    READ(0x25, and, ZP, 3)       \
    MODIFY(0x26, rol, ZP, 5)     \
    MODIFY(0x27, rla, ZP, 5)     \
    OTHER(0x28, plp, 4)          \
    READ(0x29, and, IMM, 2)      \
    OTHER(0x2A, rol_a, 2)        \
    READ(0x2B, anc, IMM, 2)      \
    READ(0x2C, bit, ABS, 4)      \
    READ(0x2D, and, ABS, 4)      \
    MODIFY(0x2E, rol, ABS, 6)    \
    MODIFY(0x2F, rla, ABS, 6)    \
    OTHER(0x30, bmi, 2)          \
    READ(0x31, and, IZY, 5)      \
    OTHER(0x32, jam, 2)          \
    MODIFY(0x33, rla, IZY, 8)    \
    READ(0x34, nop, ZPX, 4)      \
    READ(0x35, and, ZPX, 4)      \
    MODIFY(0x36, rol, ZPX, 6)    \
    MODIFY(0x37, rla, ZPX, 6)    \
    OTHER(0x38, sec, 2)          \
    READ(0x39, and, ABY, 4)      \
    OTHER(0x3A, nop, 2)          \
    MODIFY(0x3B, rla, ABY, 7)    \
    READ(0x3C, nop, ABX, 4)      \
    READ(0x3D, and, ABX, 4)      \
    MODIFY(0x3E, rol, ABX, 7)    \
    MODIFY(0x3F, rla, ABX, 7)    \
    OTHER(0x40, rti, 6)          \
    READ(0x41, eor, IZX, 6)      \
    OTHER(0x42, jam, 2)          \
    MODIFY(0x43, sre, IZX, 8)    \
    READ(0x44, nop, ZP, 3)       \
    READ(0x45, eor, ZP, 3)       \
    MODIFY(0x46, lsr, ZP, 5)     \
    MODIFY(0x47, sre, ZP, 5)     \
    OTHER(0x48, pha, 3)          \
    READ(0x49, eor, IMM, 2)      \
    OTHER(0x4A, lsr_a, 2)        \
    READ(0x4B, asr, IMM, 2)      \
    OTHER(0x4C, jmp, 3)          \
    READ(0x4D, eor, ABS, 4)      \
    MODIFY(0x4E, lsr, ABS, 6)    \
    MODIFY(0x4F, sre, ABS, 6)    \
    OTHER(0x50, bvc, 2)          \
    READ(0x51, eor, IZY, 5)      \
    OTHER(0x52, jam, 2)          \
    MODIFY(0x53, sre, IZY, 8)    \
    READ(0x54, nop, ZPX, 4)      \
    READ(0x55, eor, ZPX, 4)      \
    MODIFY(0x56, lsr, ZPX, 6)    \
    MODIFY(0x57, sre, ZPX, 6)    \
    OTHER(0x58, cli, 2)          \
    READ(0x59, eor, ABY, 4)      \
    OTHER(0x5A, nop, 2)          \
    MODIFY(0x5B, sre, ABY, 7)    \
    READ(0x5C, nop, ABX, 4)      \
    READ(0x5D, eor, ABX, 4)      \
    MODIFY(0x5E, lsr, ABX, 7)    \
    MODIFY(0x5F, sre, ABX, 7)    \
    OTHER(0x60, rts, 6)          \
    READ(0x61, adc, IZX, 6)      \
    OTHER(0x62, jam, 2)          \
    MODIFY(0x63, rra, IZX, 8)    \
    READ(0x64, nop, ZP, 3)       \
    READ(0x65, adc, ZP, 3)       \
    MODIFY(0x66, ror, ZP, 5)     \
    MODIFY(0x67, rra, ZP, 5)     \
    OTHER(0x68, pla, 4)          \
    READ(0x69, adc, IMM, 2)      \
    OTHER(0x6A, ror_a, 2)        \
    READ(0x6B, arr, IMM, 2)      \
    OTHER(0x6C, jmp_indirect, 5) \
    READ(0x6D, adc, ABS, 4)      \
    MODIFY(0x6E, ror, ABS, 6)    \
    MODIFY(0x6F, rra, ABS, 6)    \
    OTHER(0x70, bvs, 2)          \
    READ(0x71, adc, IZY, 5)      \
    OTHER(0x72, jam, 2)          \
    MODIFY(0x73, rra, IZY, 8)    \
    READ(0x74, nop, ZPX, 4)      \
    READ(0x75, adc, ZPX, 4)      \
    MODIFY(0x76, ror, ZPX, 6)    \
    MODIFY(0x77, rra, ZPX, 6)    \
    OTHER(0x78, sei, 2)          \
    READ(0x79, adc, ABY, 4)      \
    OTHER(0x7A, nop, 2)          \
    MODIFY(0x7B, rra, ABY, 7)    \
    READ(0x7C, nop, ABX, 4)      \
    READ(0x7D, adc, ABX, 4)      \
    MODIFY(0x7E, ror, ABX, 7)    \
    MODIFY(0x7F, rra, ABX, 7)    \
    READ(0x80, nop, IMM, 2)      \
    WRITE(0x81, sta, IZX, 6)     \
    READ(0x82, nop, IMM, 2)      \
    WRITE(0x83, sax, IZX, 6)     \
    WRITE(0x84, sty, ZP, 3)      \
    WRITE(0x85, sta, ZP, 3)      \
    WRITE(0x86, stx, ZP, 3)      \
    WRITE(0x87, sax, ZP, 3)      \
    OTHER(0x88, dey, 2)          \
    READ(0x89, nop, IMM, 2)      \
    OTHER(0x8A, txa, 2)          \
    READ(0x8B, ane, IMM, 2)      \
    WRITE(0x8C, sty, ABS, 4)     \
    WRITE(0x8D, sta, ABS, 4)     \
    WRITE(0x8E, stx, ABS, 4)     \
    WRITE(0x8F, sax, ABS, 4)     \
    OTHER(0x90, bcc, 2)          \
    WRITE(0x91, sta, IZY, 6)     \
    OTHER(0x92, jam, 2)          \
    WRITE(0x93, sha, IZY, 6)     \
    WRITE(0x94, sty, ZPX, 4)     \
    WRITE(0x95, sta, ZPX, 4)     \
    WRITE(0x96, stx, ZPY, 4)     \
    WRITE(0x97, sax, ZPY, 4)     \
    OTHER(0x98, tya, 2)          \
    WRITE(0x99, sta, ABY, 5)     \
    OTHER(0x9A, txs, 2)          \
    WRITE(0x9B, shs, ABY, 5)     \
    WRITE(0x9C, shy, ABX, 5)     \
    WRITE(0x9D, sta, ABX, 5)     \
    WRITE(0x9E, shx, ABY, 5)     \
    WRITE(0x9F, sha, ABY, 5)     \
    READ(0xA0, ldy, IMM, 2)      \
    READ(0xA1, lda, IZX, 6)      \
    READ(0xA2, ldx, IMM, 2)      \
    READ(0xA3, lax, IZX, 6)      \
    READ(0xA4, ldy, ZP, 3)       \
    READ(0xA5, lda, ZP, 3)       \
    READ(0xA6, ldx, ZP, 3)       \
    READ(0xA7, lax, ZP, 4)       \
    OTHER(0xA8, tay, 2)          \
    READ(0xA9, lda, IMM, 2)      \
    OTHER(0xAA, tax, 2)          \
    READ(0xAB, lxa, IMM, 2)      \
    READ(0xAC, ldy, ABS, 4)      \
    READ(0xAD, lda, ABS, 4)      \
    READ(0xAE, ldx, ABS, 4)      \
    READ(0xAF, lax, ABS, 4)      \
    OTHER(0xB0, bcs, 2)          \
    READ(0xB1, lda, IZY, 5)      \
    OTHER(0xB2, jam, 2)          \
    READ(0xB3, lax, IZY, 5)      \
    READ(0xB4, ldy, ZPX, 4)      \
    READ(0xB5, lda, ZPX, 4)      \
    READ(0xB6, ldx, ZPY, 4)      \
    READ(0xB7, lax, ZPY, 4)      \
    OTHER(0xB8, clv, 2)          \
    READ(0xB9, lda, ABY, 4)      \
    OTHER(0xBA, tsx, 2)          \
    READ(0xBB, las, ABY, 4)      \
    READ(0xBC, ldy, ABX, 4)      \
    READ(0xBD, lda, ABX, 4)      \
    READ(0xBE, ldx, ABY, 4)      \
    READ(0xBF, lax, ABY, 4)      \
    READ(0xC0, cpy, IMM, 2)      \
    READ(0xC1, cmp, IZX, 6)      \
    READ(0xC2, nop, IMM, 2)      \
    MODIFY(0xC3, dcp, IZX, 8)    \
    READ(0xC4, cpy, ZP, 3)       \
    READ(0xC5, cmp, ZP, 3)       \
    MODIFY(0xC6, dec, ZP, 5)     \
    MODIFY(0xC7, dcp, ZP, 5)     \
    OTHER(0xC8, iny, 2)          \
    READ(0xC9, cmp, IMM, 2)      \
    OTHER(0xCA, dex, 2)          \
    READ(0xCB, sbx, IMM, 2)      \
    READ(0xCC, cpy, ABS, 4)      \
    READ(0xCD, cmp, ABS, 4)      \
    MODIFY(0xCE, dec, ABS, 6)    \
    MODIFY(0xCF, dcp, ABS, 6)    \
    OTHER(0xD0, bne, 2)          \
    READ(0xD1, cmp, IZY, 5)      \
    OTHER(0xD2, jam, 2)          \
    MODIFY(0xD3, dcp, IZY, 8)    \
    READ(0xD4, nop, ZPX, 4)      \
    READ(0xD5, cmp, ZPX, 4)      \
    MODIFY(0xD6, dec, ZPX, 6)    \
    MODIFY(0xD7, dcp, ZPX, 6)    \
    OTHER(0xD8, cld, 2)          \
    READ(0xD9, cmp, ABY, 4)      \
    OTHER(0xDA, nop, 2)          \
    MODIFY(0xDB, dcp, ABY, 7)    \
    READ(0xDC, nop, ABX, 4)      \
    READ(0xDD, cmp, ABX, 4)      \
    MODIFY(0xDE, dec, ABX, 7)    \
    MODIFY(0xDF, dcp, ABX, 7)    \
    READ(0xE0, cpx, IMM, 2)      \
    READ(0xE1, sbc, IZX, 6)      \
    READ(0xE2, nop, IMM, 2)      \
    MODIFY(0xE3, isb, IZX, 8)    \
    READ(0xE4, cpx, ZP, 3)       \
    READ(0xE5, sbc, ZP, 3)       \
    MODIFY(0xE6, inc, ZP, 5)     \
    MODIFY(0xE7, isb, ZP, 5)     \
    OTHER(0xE8, inx, 2)          \
    READ(0xE9, sbc, IMM, 2)      \
    OTHER(0xEA, nop, 2)          \
    READ(0xEB, sbc, IMM, 2)      \
    READ(0xEC, cpx, ABS, 4)      \
    READ(0xED, sbc, ABS, 4)      \
    MODIFY(0xEE, inc, ABS, 6)    \
    MODIFY(0xEF, isb, ABS, 6)    \
    OTHER(0xF0, beq, 2)          \
    READ(0xF1, sbc, IZY, 5)      \
    OTHER(0xF2, jam, 2)          \
    MODIFY(0xF3, isb, IZY, 8)    \
    READ(0xF4, nop, ZPX, 4)      \
    READ(0xF5, sbc, ZPX, 4)      \
    MODIFY(0xF6, inc, ZPX, 6)    \
    MODIFY(0xF7, isb, ZPX, 6)    \
    OTHER(0xF8, sed, 2)          \
    READ(0xF9, sbc, ABY, 4)      \
    OTHER(0xFA, nop, 2)          \
    MODIFY(0xFB, isb, ABY, 7)    \
    READ(0xFC, nop, ABX, 4)      \
    READ(0xFD, sbc, ABX, 4)      \
    MODIFY(0xFE, inc, ABX, 7)    \
    MODIFY(0xFF, isb, ABX, 7)

#endif
