// mega_translated.h - what translated cartridges are written in. Shared source.
//
// src/translate turns the instructions of a cartridge into a list of the macros below, in which addresses and
// operands are constants. What an instruction does is defined where the interpreter finds it, too: mega_cpu.h for
// the operations, mega_interpreter.h for the addressing modes. Here is only what is outside the processor, with
// everything decided that an address decides.
//
// A block is entered at its first instruction. It counts its instructions at once; those that were not executed are
// given back when it is left early. Three things end it before its last instruction: the frame ended, a bank was
// switched, or the deadline has passed, from which on the interpreter does the rest of the frame, so that the limits
// of instructions and lines need no look in between. The deadline lies MEGA_TRANSLATED_SLACK cycles before the limit
// of lines, and blocks look at it often enough.
//
// A program of translated code defines, before it includes this:
//   UNIT_BYTE(where)   the byte of plain ROM at an address (bit 12 is set)
//   PLAIN_LOW, PLAIN_SPAN, WATCHES_LOW   as in mega_run
#ifndef MEGA_TRANSLATED_H
#define MEGA_TRANSLATED_H
#include "mega_interpreter.h"

// ---- accesses --------------------------------------------------------------------------------------------

// TIA registers that are logged. Nothing here can end the frame or switch a bank.
MEGA_INLINE void translated_log(mega_machine *m, const mega_outside *outside, uint32_t reg, uint32_t value,
                                uint32_t cycles) {
    mega_run *run = &m->run;
    if (MEGA_UNLIKELY(log_is_full(m))) {
        outside->write_tia(m, reg, value, cycles);
        return;
    }
    run->keep_next = reg == TIA_HMOVE;
    log_store(m, reg, value, cycles);
}
// The register has changed.
MEGA_NOINLINE void translated_log_change(mega_machine *m, const mega_outside *outside, uint32_t reg,
                                         uint32_t value, uint32_t cycles) {
    if (MEGA_LIKELY(!log_is_full(m))) {
        m->run.shadow[reg] = (uint8_t)(value & log_mask[reg]);
    }
    translated_log(m, outside, reg, value, cycles);
}
MEGA_NOINLINE void translated_log_always(mega_machine *m, const mega_outside *outside, uint32_t reg,
                                         uint32_t value, uint32_t cycles) {
    translated_log(m, outside, reg, value, cycles);
}
MEGA_NOINLINE void translated_log_other(mega_machine *m, const mega_outside *outside, uint32_t reg,
                                        uint32_t value, uint32_t cycles) {
    if (MEGA_UNLIKELY(log_is_full(m))) {
        outside->write_tia(m, reg, value, cycles);
    } else if (shadow_write(&m->run, reg, value) || m->run.keep_next) {
        translated_log(m, outside, reg, value, cycles);
    }
}

// A write to a register that is known when the code is translated. Returns the cycle at which the processor goes on.
MEGA_INLINE uint32_t translated_write_tia(mega_machine *m, const mega_outside *outside, const uint32_t reg,
                                          uint32_t value, uint32_t cycles, uint32_t *look) {
    mega_run *run = &m->run;
    const uint32_t kind = log_kind[reg];
    if (kind == LOG_VBLANK || (kind == LOG_NEVER && (reg < TIA_AUDC0 || reg > TIA_AUDV1)) ||
        (kind != LOG_CHANGE && MEGA_UNLIKELY(run->keep_next))) {
        const uint32_t next = outside->write_tia(m, reg, value, cycles);
        *look |= run->events;
        return next;
    }
    run->touch_cycle = cycles;
    run->touch_register = (uint8_t)reg;
    switch (kind) {
    case LOG_WSYNC: return sync_wait(m, cycles);
    case LOG_NEVER: m->console->sync.audio[reg - TIA_AUDC0] = (uint8_t)value; break;
    case LOG_CHANGE:
        if (run->shadow[reg] != (value & log_mask[reg]) || MEGA_UNLIKELY(run->keep_next)) {
            translated_log_change(m, outside, reg, value, cycles);
        }
        break;
    case LOG_ALWAYS: translated_log_always(m, outside, reg, value, cycles); break;
    default: translated_log_other(m, outside, reg, value, cycles); break;
    }
    return cycles;
}

MEGA_NOINLINE uint32_t translated_timer(mega_machine *m, uint32_t cycles) {
    return riot_read_timer(&m->console->riot, cycles);
}

// A read of something else than plain ROM and RAM.
MEGA_INLINE uint32_t translated_read(mega_machine *m, const mega_outside *outside, uint32_t address,
                                     uint32_t cycles, uint32_t bus, uint32_t *look) {
    if ((address & 0x1280u) == 0x280u) {
        switch (address & 7u) {
        case 0: return m->input.swcha;
        case 2: return m->input.swchb;
        case 4: return translated_timer(m, cycles);
        default: break;
        }
    }
    const uint32_t value = outside->read(m, address, cycles, bus);
    *look |= m->run.events;
    return value;
}

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
#define READ_OTHER(target, where) target = translated_read(m, outside, where, cycles, bus, &look)
#define READ_ZP(target, where)                   \
    do {                                         \
        if (MEGA_LIKELY(((where)&0x80u) != 0)) { \
            target = ram[(where)&0x7Fu];         \
        } else {                                 \
            READ_OTHER(target, where);           \
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
            READ_OTHER(target, where);                                             \
        }                                                                          \
        bus = target;                                                              \
    } while (0)
#define WRITE_OTHER(where, value)                         \
    do {                                                  \
        cycles = outside->write(m, where, value, cycles); \
        look |= m->run.events;                            \
    } while (0)
#define WRITE_ANY(where, value)                    \
    do {                                           \
        if (((where)&0x1280u) == 0x80) {           \
            ram[(where)&0x7Fu] = (uint8_t)(value); \
        } else {                                   \
            WRITE_OTHER(where, value);             \
        }                                          \
        bus = (value);                             \
    } while (0)
#define WRITE_ZP WRITE_ANY
#define PUSH(value, after_write)                                                   \
    do {                                                                           \
        const uint32_t pushed = (value);                                           \
        if (MEGA_LIKELY((r.sp & 0x80u) != 0)) {                                    \
            ram[r.sp & 0x7Fu] = (uint8_t)pushed;                                   \
        } else {                                                                   \
            cycles = outside->push(m, 0x100u | r.sp, pushed, cycles, after_write); \
            look |= m->run.events;                                                 \
        }                                                                          \
        bus = pushed;                                                              \
        r.sp--;                                                                    \
    } while (0)
#define PEEK_STACK(target)                      \
    do {                                        \
        if (MEGA_LIKELY((r.sp & 0x80u) != 0)) { \
            target = ram[r.sp & 0x7Fu];         \
        } else {                                \
            READ_OTHER(target, 0x100u | r.sp);  \
        }                                       \
        bus = target;                           \
    } while (0)

// ---- instructions ----------------------------------------------------------------------------------------

// `next` is the address of the next instruction, `operand` the bytes after the opcode, `rest` the number of the
// block's instructions that follow.
#define DO_BEGIN(next, size, operand)      \
    uint32_t at = (next) - (size) + 1u;    \
    uint32_t bytes = (operand), look = 0;  \
    uint32_t address = 0, value = 0;       \
    uint32_t low = 0, pointer = 0;         \
    (void)address, (void)value, (void)low; \
    (void)pointer, (void)bytes, (void)at;
#define DO_END(rest)                \
    if (MEGA_UNLIKELY(look != 0)) { \
        budget += (rest);           \
        LEAVE_AT(at);               \
    }

#define DO_READ(operation, mode, base, next, size, operand, rest) \
    {                                                             \
        DO_BEGIN(next, size, operand)                             \
        cycles += base;                                           \
        OPERAND_##mode(1);                                        \
        op_##operation(&r, value);                                \
        DO_END(rest)                                              \
    }
// The whole range of the index lies in the ROM of the unit, from `index` of the image on.
#define DO_READ_ROM(operation, mode, base, next, size, operand, index, rest) \
    {                                                                        \
        DO_BEGIN(next, size, operand)                                        \
        cycles += base;                                                      \
        ADDRESS_##mode(1);                                                   \
        value = rom[(index) + (address - (operand))];                        \
        op_##operation(&r, value);                                           \
    }
#define DO_WRITE(operation, mode, base, next, size, operand, rest) \
    {                                                              \
        DO_BEGIN(next, size, operand)                              \
        cycles += base;                                            \
        ADDRESS_##mode(0);                                         \
        value = store_##operation(&r, address);                    \
        RESULT_##mode(address, value);                             \
        DO_END(rest)                                               \
    }
#define DO_WRITE_TIA(operation, base, next, size, operand, reg, rest)         \
    {                                                                         \
        DO_BEGIN(next, size, operand)                                         \
        cycles += base;                                                       \
        address = operand;                                                    \
        at = next;                                                            \
        value = store_##operation(&r, address);                               \
        bus = value;                                                          \
        cycles = translated_write_tia(m, outside, reg, value, cycles, &look); \
        if ((reg) == TIA_WSYNC) {                                             \
            look |= (uint32_t)((int32_t)cycles >= deadline);                  \
        }                                                                     \
        DO_END(rest)                                                          \
    }
#define DO_MODIFY(operation, mode, base, next, size, operand, rest) \
    {                                                               \
        DO_BEGIN(next, size, operand)                               \
        cycles += base;                                             \
        OPERAND_##mode(0);                                          \
        value = modify_##operation(&r, value);                      \
        RESULT_##mode(address, value);                              \
        DO_END(rest)                                                \
    }
#define DO_OTHER(operation, code, base, next, size, operand, rest) \
    {                                                              \
        DO_BEGIN(next, size, operand)                              \
        bus = code;                                                \
        cycles += base;                                            \
        OTHER_##operation DO_END(rest)                             \
    }

// Transfers of control: to a block of the unit, forward or backward, or to an address that anything may be at.
#define LOOK_AT_DEADLINE(pc)                          \
    if (MEGA_UNLIKELY((int32_t)cycles >= deadline)) { \
        LEAVE_AT(pc);                                 \
    }
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
#define DO_JSR(next, operand, block)                           \
    {                                                          \
        DO_BEGIN(next, 3, operand)                             \
        bus = 0x20;                                            \
        cycles += 6;                                           \
        OTHER_jsr DO_END(0) LOOK_AT_DEADLINE(at) GO_TO(block); \
    }
// Jumps to where only the run knows.
#define DO_JUMP(operation, code, base, next, size, operand) \
    {                                                       \
        DO_BEGIN(next, size, operand)                       \
        bus = code;                                         \
        cycles += base;                                     \
        OTHER_##operation DO_END(0) GO_AWAY(at);            \
    }

// ---- a unit on the CPU -----------------------------------------------------------------------------------

// A unit is the code of a part of the image that is always mapped as a whole: a function with a label per block.
#if MEGA_THREADED
#define GO_TO(block) goto block_##block
#define GO_AWAY(pc)     \
    do {                \
        exit_pc = (pc); \
        goto away;      \
    } while (0)
#define LEAVE_AT(pc)    \
    do {                \
        exit_pc = (pc); \
        goto leave;     \
    } while (0)
#define BLOCK(number, instructions) block_##number : budget -= (instructions);
#define BLOCK_CHECKED(number, instructions, pc) \
    block_##number : LOOK_AT_DEADLINE(pc) budget -= (instructions);

// Where the program goes on: block + 1 in the upper half, the address it was translated for in the lower; by image
// index. 0 where no block begins.
MEGA_FN uint32_t translated_entry(const mega_machine *m, const uint32_t *entries, uint32_t pc,
                                  uint32_t *index) {
    *index = m->run.window[pc >> 10 & 15u] + (pc & 0x3FFu);
    if ((pc & 0x1000u) == 0) {
        return 0;
    }
    const uint32_t entry = entries[*index];
    return (entry & 0xFFFFu) == pc ? entry >> 16 : 0u;
}

// A program may be compiled in parts that have some of the units each.
#ifndef UNIT_LINKAGE
#define UNIT_LINKAGE static
#endif
#define UNIT_ELSEWHERE(number) \
    uint32_t unit_##number(mega_machine *m, const mega_outside *outside, uint32_t budget, uint32_t entry);

#define UNIT_LABEL(block) &&block_##block,
#define UNIT_BEGIN(number)                                                                             \
    UNIT_LINKAGE uint32_t unit_##number(mega_machine *m, const mega_outside *outside, uint32_t budget, \
                                        uint32_t entry) {                                              \
        mega_console *const console = m->console;                                                      \
        uint8_t *const ram = console->riot.ram;                                                        \
        const int32_t deadline = m->run.watchdog - MEGA_TRANSLATED_SLACK;                              \
        mega_cpu r = console->cpu;                                                                     \
        uint32_t cycles = console->cycles, bus = 0, exit_pc = 0, index = 0;                            \
        static const void *const blocks[] = {NULL, BLOCKS_##number(UNIT_LABEL)};                       \
        goto *blocks[entry];
#define UNIT_END(number)                                       \
    away:                                                      \
    if ((int32_t)cycles < deadline) {                          \
        entry = translated_entry(m, entries, exit_pc, &index); \
        if (entry != 0 && index / UNIT_SIZE == (number)) {     \
            goto *blocks[entry];                               \
        }                                                      \
    }                                                          \
    leave:                                                     \
    r.pc = (uint16_t)exit_pc;                                  \
    console->cpu = r;                                          \
    console->cycles = cycles;                                  \
    console->bus = (uint8_t)bus;                               \
    return budget;                                             \
    }

#define UNIT_CASE(number) \
    case number: budget = unit_##number(m, outside, budget, entry); break;
// The whole program: runs as far as it is translated and returns what is left of the budget.
#define TRANSLATED_RUN(name)                                                                                \
    uint32_t name(mega_machine *m, uint32_t budget, const mega_outside *outside) {                          \
        const int32_t deadline = m->run.watchdog - MEGA_TRANSLATED_SLACK;                                   \
        for (;;) {                                                                                          \
            uint32_t index;                                                                                 \
            const uint32_t entry = translated_entry(m, entries, m->console->cpu.pc, &index);                \
            if (entry == 0 || (int32_t)m->console->cycles >= deadline || budget <= MEGA_TRANSLATED_SLACK || \
                (m->run.events & MEGA_EVENT_STOP) != 0) {                                                   \
                return budget;                                                                              \
            }                                                                                               \
            m->run.events = 0;                                                                              \
            switch (index / UNIT_SIZE) { UNITS(UNIT_CASE) default : return budget; }                        \
        }                                                                                                   \
    }
#endif

#endif
