// mega_translated.h - what translated cartridges are written in. Shared source.
//
// src/translate turns the instructions of a cartridge into a list of the macros below, in which addresses and
// operands are constants. What an instruction does is defined where the interpreter finds it, too: mega_cpu.h for
// the operations, mega_interpreter.h for the addressing modes. What is outside the processor, and how control goes
// from block to block, differs: mega_translated_unit.h for one console, mega_translated_warp.h for a warp of them.
//
// A block is entered at its first instruction. It counts its instructions at once; those that were not executed are
// given back when it is left early. Three things end it before its last instruction: the frame ended, a bank was
// switched, or the deadline has passed, from which on the interpreter does the rest of the frame, so that the limits
// of instructions and lines need no look in between. The deadline lies MEGA_TRANSLATED_SLACK cycles before the limit
// of lines, and blocks look at it often enough.
//
// A program of translated code defines, before it includes this:
//   UNIT_SIZE, PLAIN_LOW, PLAIN_SPAN   bytes that are mapped as a whole; plain ROM as in mega_run
//   WATCHES_LOW                        as in mega_run
//   UNITS(X), BLOCKS_n(X), UNIT_FIRST_n   lists of units and of their blocks, which are numbered from 1
//   rom, entries                       the image; where blocks begin (translated_entry)
//   RAM_UNIT, RAM_CASES(X)             where there is code in RAM: its unit, and X(address, block, guard) for each block
//   KEY_BITS, KEY_DEPTH, KEY_WINDOW    of a warp: who goes first (mega_translated_warp.h)
//   block_addresses, id_b              of a warp: addresses of blocks, and their numbers (src/translate/code_order.h);
//                                      else id_b of blocks in RAM
// and before each unit:
//   UNIT_BYTE(where)   the byte of plain ROM at an address (bit 12 is set)
#ifndef MEGA_TRANSLATED_H
#define MEGA_TRANSLATED_H
#include "mega_interpreter.h"

// ---- the interpreter's macros, with constants -----------------------------------------------------------

#undef PC
#undef SET_PC
#undef FETCH
#undef READ_ZP
#undef READ_ANY
#undef WRITE_ZP
#undef WRITE_ANY
#undef PUSH
#undef PEEK_STACK
#undef BRANCH

#define PC() at
#define SET_PC(address) (at = (address)&0xFFFFu)
#define FETCH(target)           \
    do {                        \
        target = bytes & 0xFFu; \
        bytes >>= 8;            \
        at++;                   \
        bus = target;           \
    } while (0)
#define READ_ZP(target, where)                   \
    do {                                         \
        if (MEGA_LIKELY(((where)&0x80u) != 0)) { \
            target = ram[(where)&0x7Fu];         \
        } else {                                 \
            READ_ELSEWHERE(target, where);       \
        }                                        \
        bus = target;                            \
    } while (0)
#define READ_ANY(target, where)                                                    \
    do {                                                                           \
        if (((where)&0x1000u) != 0 && ((where)&0xFFFu) - PLAIN_LOW < PLAIN_SPAN) { \
            target = UNIT_BYTE(where);                                             \
        } else if (((where)&0x1280u) == 0x80) {                                    \
            target = ram[(where)&0x7Fu];                                           \
        } else {                                                                   \
            READ_ELSEWHERE(target, where);                                         \
        }                                                                          \
        bus = target;                                                              \
    } while (0)
#define WRITE_ANY(where, value)                    \
    do {                                           \
        if (((where)&0x1280u) == 0x80) {           \
            ram[(where)&0x7Fu] = (uint8_t)(value); \
        } else {                                   \
            WRITE_ELSEWHERE(where, value);         \
        }                                          \
        bus = (value);                             \
    } while (0)
#define WRITE_ZP WRITE_ANY
#define PUSH(value, after_write)                 \
    do {                                         \
        const uint32_t pushed = (value);         \
        if (MEGA_LIKELY((r.sp & 0x80u) != 0)) {  \
            ram[r.sp & 0x7Fu] = (uint8_t)pushed; \
        } else {                                 \
            PUSH_ELSEWHERE(pushed, after_write); \
        }                                        \
        bus = pushed;                            \
        r.sp = (uint8_t)(r.sp - 1u);             \
    } while (0)
#define PEEK_STACK(target)                      \
    do {                                        \
        if (MEGA_LIKELY((r.sp & 0x80u) != 0)) { \
            target = ram[r.sp & 0x7Fu];         \
        } else {                                \
            PEEK_ELSEWHERE(target);             \
        }                                       \
        bus = target;                           \
    } while (0)

// ---- code in RAM -----------------------------------------------------------------------------------------

// A block of code in RAM is entered by translated_entry() alone, so that its guard is always looked at: what was taken
// for granted is still there. Operands that differ from time to time are read when they are executed.
#define RAM_IS(at, byte) (ram[at] == (byte))
#define RAM_BYTE(at) ((uint32_t)ram[at])
#define RAM_WORD(at) ((uint32_t)ram[at] | (uint32_t)ram[(at) + 1] << 8)
#define RAM_BRANCH(next, operand) (((next) + ((operand) ^ 0x80u) - 0x80u) & 0xFFFFu)
#define RAM_BRANCH_CYCLES(next, operand) (((RAM_BRANCH(next, operand) ^ (next)) & 0xFF00u) != 0 ? 2u : 1u)

#ifdef RAM_CASES
#define RAM_CASE(address, block, guard) \
    if (pc == (address) && (guard)) {   \
        return id_##block;              \
    }
MEGA_FN uint32_t translated_ram_entry(const uint8_t *ram, uint32_t pc) {
    RAM_CASES(RAM_CASE)
    return 0;
}
#endif

// ---- where blocks begin ----------------------------------------------------------------------------------

// The block at an address, or 0. `entries` has, by image index, the number of the block that begins there and, in
// the lower half, the address that it was translated for.
MEGA_FN uint32_t translated_entry(const mega_machine *m, uint32_t pc, uint32_t *index) {
    *index = m->run.window[pc >> 10 & 15u] + (pc & 0x3FFu);
    if ((pc & 0x1000u) == 0) {
#ifdef RAM_CASES
        *index = RAM_UNIT * UNIT_SIZE;
        return translated_ram_entry(m->console->riot.ram, pc);
#else
        return 0;
#endif
    }
    const uint32_t entry = entries[*index];
    return (entry & 0xFFFFu) == pc ? entry >> 16 : 0u;
}
MEGA_FN uint32_t translated_find(const mega_machine *m, uint32_t pc, uint32_t cycles, int32_t deadline) {
    uint32_t index;
    return (int32_t)cycles < deadline ? translated_entry(m, pc, &index) : 0u;
}

#if MEGA_AHEAD
#include "mega_translated_warp.h"
#else
#include "mega_translated_unit.h"
#endif

// ---- instructions ----------------------------------------------------------------------------------------

// `next` is the address of the next instruction, `operand` the bytes after the opcode, `rest` the number of the
// block's instructions that follow. `look` becomes 1 when the block must be left after the instruction.
#define DO_BEGIN(next, size, operand)                                 \
    const uint32_t start_cycles = cycles, start_pc = (next) - (size); \
    const uint32_t start_sp = r.sp;                                   \
    uint32_t at = start_pc + 1u;                                      \
    uint32_t bytes = (operand), look = 0;                             \
    uint32_t address = 0, value = 0;                                  \
    uint32_t low = 0, pointer = 0;                                    \
    (void)address, (void)value, (void)low, (void)start_cycles;        \
    (void)pointer, (void)bytes, (void)at, (void)start_sp;             \
    (void)start_pc;
#define DO_END()                    \
    if (MEGA_UNLIKELY(look != 0)) { \
        budget += rest;             \
        LEAVE_AT(at);               \
    }

#define DO_READ(operation, mode, base, next, size, operand, left) \
    {                                                             \
        const uint32_t rest = (left);                             \
        DO_BEGIN(next, size, operand)                             \
        cycles += base;                                           \
        OPERAND_##mode(1);                                        \
        op_##operation(&r, value);                                \
        DO_END()                                                  \
    }
// The whole range of the index lies in the ROM of the unit, from `index` of the image on.
#define DO_READ_ROM(operation, mode, base, next, size, operand, index, left) \
    {                                                                        \
        const uint32_t rest = (left);                                        \
        DO_BEGIN(next, size, operand)                                        \
        cycles += base;                                                      \
        ADDRESS_##mode(1);                                                   \
        value = rom[(index) + (address - (operand))];                        \
        op_##operation(&r, value);                                           \
        (void)look, (void)rest;                                              \
    }
// An index on an address near a register: it may be one.
#define DO_READ_NEAR(operation, mode, base, next, size, operand, left) \
    {                                                                  \
        const uint32_t rest = (left);                                  \
        DO_BEGIN(next, size, operand)                                  \
        cycles += base;                                                \
        ADDRESS_##mode(1);                                             \
        if ((address & 0x1280u) == 0x80) {                             \
            value = ram[address & 0x7Fu];                              \
        } else if ((address & 0x1280u) == 0) {                         \
            READ_PORT(value, address);                                 \
        } else {                                                       \
            READ_ELSEWHERE(value, address);                            \
        }                                                              \
        bus = value;                                                   \
        op_##operation(&r, value);                                     \
        DO_END()                                                       \
    }
// A register of the RIOT or the TIA.
#define DO_READ_PORT(operation, mode, base, next, size, operand, left) \
    {                                                                  \
        const uint32_t rest = (left);                                  \
        DO_BEGIN(next, size, operand)                                  \
        cycles += base;                                                \
        ADDRESS_##mode(1);                                             \
        READ_PORT(value, operand);                                     \
        op_##operation(&r, value);                                     \
        DO_END()                                                       \
    }
#define DO_WRITE(operation, mode, base, next, size, operand, left) \
    {                                                              \
        const uint32_t rest = (left);                              \
        DO_BEGIN(next, size, operand)                              \
        cycles += base;                                            \
        ADDRESS_##mode(0);                                         \
        BEFORE_CHANGES(address)                                    \
        value = store_##operation(&r, address);                    \
        RESULT_##mode(address, value);                             \
        DO_END()                                                   \
    }
// The last instruction of its block, because it may write anywhere; `block` follows.
#define DO_WRITE_LAST(operation, mode, base, next, size, operand, block) \
    {                                                                    \
        const uint32_t rest = 0;                                         \
        DO_BEGIN(next, size, operand)                                    \
        cycles += base;                                                  \
        ADDRESS_##mode(0);                                               \
        BEFORE_LAST_WRITE(address)                                       \
        value = store_##operation(&r, address);                          \
        LAST_WRITE(address, value, block)                                \
        DO_END()                                                         \
    }
#define DO_WRITE_PORT(operation, mode, base, next, size, operand, left)  \
    {                                                                    \
        const uint32_t rest = (left);                                    \
        DO_BEGIN(next, size, operand)                                    \
        cycles += base;                                                  \
        ADDRESS_##mode(0);                                               \
        value = store_##operation(&r, address);                          \
        bus = value;                                                     \
        if (((operand)&0x80u) != 0) {                                    \
            riot_write(&console->riot, operand, (uint8_t)value, cycles); \
        } else {                                                         \
            WRITE_TIA((operand)&0x3Fu, value);                           \
        }                                                                \
        if (((operand)&0xBFu) == TIA_WSYNC) {                            \
            look |= (uint32_t)((int32_t)cycles >= deadline);             \
        }                                                                \
        DO_END()                                                         \
    }
#define DO_MODIFY(operation, mode, base, next, size, operand, left) \
    {                                                               \
        const uint32_t rest = (left);                               \
        DO_BEGIN(next, size, operand)                               \
        cycles += base;                                             \
        OPERAND_##mode(0);                                          \
        BEFORE_CHANGES(address)                                     \
        value = modify_##operation(&r, value);                      \
        RESULT_##mode(address, value);                              \
        DO_END()                                                    \
    }
// A register of the TIA, read and written: programs use that to spend time.
#define DO_MODIFY_PORT(operation, mode, base, next, size, operand, left) \
    {                                                                    \
        const uint32_t rest = (left);                                    \
        DO_BEGIN(next, size, operand)                                    \
        cycles += base;                                                  \
        ADDRESS_##mode(0);                                               \
        READ_PORT(value, operand);                                       \
        value = modify_##operation(&r, value);                           \
        bus = value;                                                     \
        WRITE_TIA((operand)&0x3Fu, value);                               \
        look |= (uint32_t)((int32_t)cycles >= deadline);                 \
        DO_END()                                                         \
    }
#define DO_OTHER(operation, code, base, next, size, operand, left) \
    {                                                              \
        const uint32_t rest = (left);                              \
        DO_BEGIN(next, size, operand)                              \
        bus = code;                                                \
        cycles += base;                                            \
        OTHER_##operation DO_END()                                 \
    }

// The block goes on with more instructions.
#define RUN_ON(instructions) budget -= (instructions);

// Transfers of control: to a block of the unit, forward or backward, or to an address that anything may be at.
#define DO_FALL(block) GO_TO(block);
#define DO_FALL_AWAY(operand, pc) \
    {                             \
        bus = operand;            \
        GO_AWAY(pc);              \
    }
#define DO_JMP(block) \
    {                 \
        cycles += 3;  \
        GO_TO(block); \
    }
#define DO_JMP_BACK(block, pc) \
    {                          \
        cycles += 3;           \
        LOOK_AT_DEADLINE(pc)   \
        GO_TO(block);          \
    }
#define DO_BRANCH(condition, more, block) \
    cycles += 2;                          \
    if (CONDITION_##condition) {          \
        cycles += more;                   \
        GO_TO(block);                     \
    }
// To the next instruction: programs use that to spend time.
#define DO_BRANCH_NEXT(condition) cycles += CONDITION_##condition ? 3 : 2;
#define DO_BRANCH_BACK(condition, more, block, pc) \
    cycles += 2;                                   \
    if (CONDITION_##condition) {                   \
        cycles += more;                            \
        LOOK_AT_DEADLINE(pc)                       \
        GO_TO(block);                              \
    }
#define DO_BRANCH_AWAY(condition, more, operand, pc) \
    cycles += 2;                                     \
    if (CONDITION_##condition) {                     \
        cycles += more;                              \
        bus = operand;                               \
        GO_AWAY(pc);                                 \
    }
// A branch back by a few bytes, to `index` of the image, which may close a loop that waits.
#define DO_BRANCH_WAIT(condition, code, more, operand, block, pc, index)                         \
    cycles += 2;                                                                                 \
    if (CONDITION_##condition) {                                                                 \
        mega_stretch everything;                                                                 \
        everything.low = everything.offset = 0;                                                  \
        everything.span = 0xFFFFFFFFu;                                                           \
        cycles += more;                                                                          \
        const uint32_t skipped =                                                                 \
            cpu_skip_wait(m, &r, code, operand, index, everything, 2u + (more), cycles, budget); \
        cycles += skipped >> 16;                                                                 \
        budget -= skipped & 0xFFFFu;                                                             \
        LOOK_AT_DEADLINE(pc)                                                                     \
        GO_TO(block);                                                                            \
    }
#define DO_JSR(next, operand, block)                          \
    {                                                         \
        const uint32_t rest = 0;                              \
        DO_BEGIN(next, 3, operand)                            \
        bus = 0x20;                                           \
        cycles += 6;                                          \
        OTHER_jsr DO_END() LOOK_AT_DEADLINE(at) GO_TO(block); \
    }
// Jumps to where only the run knows.
#define DO_JUMP(operation, code, base, next, size, operand) \
    {                                                       \
        const uint32_t rest = 0;                            \
        DO_BEGIN(next, size, operand)                       \
        bus = code;                                         \
        cycles += base;                                     \
        OTHER_##operation DO_END() GO_AWAY(at);             \
    }

#endif
