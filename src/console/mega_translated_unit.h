// mega_translated_unit.h - translated code of one console. Shared source; for mega_translated.h only.
//
// A unit is a function with a label per block. What it cannot do by itself it asks the program that loaded it for
// (mega_outside), so that the code compiles fast.
#ifndef MEGA_TRANSLATED_UNIT_H
#define MEGA_TRANSLATED_UNIT_H

// ---- accesses --------------------------------------------------------------------------------------------

// TIA registers that are logged. Nothing here can end the frame or switch a bank.
MEGA_INLINE void translated_log(mega_machine *m, const mega_outside *outside, uint32_t reg, uint32_t value,
                                uint32_t cycles) {
    mega_run *run = &m->run;
    if (MEGA_UNLIKELY(log_is_full(m))) {
        outside->write_tia(m, reg, value, cycles);
        return;
    }
    run->keep_next = 0;
    log_store(m, reg, value, cycles);
}
// The register has changed, or it is the access after HMOVE.
MEGA_NOINLINE void translated_log_change(mega_machine *m, const mega_outside *outside, uint32_t reg,
                                         uint32_t value, uint32_t cycles) {
    mega_run *run = &m->run;
    const uint32_t masked = value & log_mask[reg];
    if (MEGA_UNLIKELY(run->shadow[reg] == masked)) {
        log_pass_over(m, reg, value, cycles);
        return;
    }
    if (MEGA_LIKELY(!log_is_full(m))) {
        run->shadow[reg] = (uint8_t)masked;
    }
    translated_log(m, outside, reg, value, cycles);
}
MEGA_NOINLINE void translated_log_always(mega_machine *m, const mega_outside *outside, uint32_t reg,
                                         uint32_t value, uint32_t cycles) {
    translated_log(m, outside, reg, value, cycles);
}
MEGA_NOINLINE void translated_log_hmove(mega_machine *m, const mega_outside *outside, uint32_t value,
                                        uint32_t cycles) {
    if (MEGA_UNLIKELY(log_is_full(m))) {
        outside->write_tia(m, TIA_HMOVE, value, cycles);
        return;
    }
    log_note_hmove(m, TIA_HMOVE, cycles);
    log_store(m, TIA_HMOVE, value, cycles);
}
// Template: `reg` is constant where it pays.
MEGA_INLINE void translated_log_news(mega_machine *m, const mega_outside *outside, const uint32_t reg,
                                     uint32_t value, uint32_t cycles) {
    if (MEGA_UNLIKELY(log_is_full(m))) {
        outside->write_tia(m, reg, value, cycles);
    } else if (shadow_write(&m->run, reg, value)) {
        translated_log(m, outside, reg, value, cycles);
    } else {
        log_pass_over(m, reg, value, cycles);
    }
}
MEGA_NOINLINE void translated_log_graphics0(mega_machine *m, const mega_outside *outside, uint32_t value,
                                            uint32_t cycles) {
    translated_log_news(m, outside, TIA_GRP0, value, cycles);
}
MEGA_NOINLINE void translated_log_graphics1(mega_machine *m, const mega_outside *outside, uint32_t value,
                                            uint32_t cycles) {
    translated_log_news(m, outside, TIA_GRP1, value, cycles);
}
MEGA_NOINLINE void translated_log_other(mega_machine *m, const mega_outside *outside, uint32_t reg,
                                        uint32_t value, uint32_t cycles) {
    translated_log_news(m, outside, reg, value, cycles);
}

// A write to a register that is known when the code is translated. Returns the cycle at which the processor goes on.
MEGA_INLINE uint32_t translated_write_tia(mega_machine *m, const mega_outside *outside, const uint32_t reg,
                                          uint32_t value, uint32_t cycles, uint32_t *look) {
    mega_run *run = &m->run;
    const uint32_t kind = log_kind[reg];
    if (kind == LOG_VBLANK || (kind == LOG_NEVER && (reg < TIA_AUDC0 || reg > TIA_AUDV1)) ||
        ((kind == LOG_NEVER || kind == LOG_WSYNC) && MEGA_UNLIKELY(run->keep_next))) {
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
    case LOG_ALWAYS:
        if (reg == TIA_HMOVE) {
            translated_log_hmove(m, outside, value, cycles);
        } else {
            translated_log_always(m, outside, reg, value, cycles);
        }
        break;
    default:
        if (reg == TIA_GRP0) {
            translated_log_graphics0(m, outside, value, cycles);
        } else if (reg == TIA_GRP1) {
            translated_log_graphics1(m, outside, value, cycles);
        } else {
            translated_log_other(m, outside, reg, value, cycles);
        }
        break;
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

#define READ_ELSEWHERE(target, where) target = translated_read(m, outside, where, cycles, bus, &look)
#define READ_PORT READ_ELSEWHERE
#define PEEK_ELSEWHERE(target) READ_ELSEWHERE(target, 0x100u | r.sp)
#define WRITE_TIA(reg, value) cycles = translated_write_tia(m, outside, reg, value, cycles, &look)
#define WRITE_ELSEWHERE(where, value)                     \
    do {                                                  \
        cycles = outside->write(m, where, value, cycles); \
        look |= m->run.events;                            \
    } while (0)
#define PUSH_ELSEWHERE(value, after_write)                                    \
    do {                                                                      \
        cycles = outside->push(m, 0x100u | r.sp, value, cycles, after_write); \
        look |= m->run.events;                                                \
    } while (0)
#define BEFORE_CHANGES(address)
#define BEFORE_LAST_WRITE(address)
#define LAST_WRITE(address, value, block) WRITE_ANY(address, value);
#define DO_PULL(operation, code, next, left) DO_OTHER(operation, code, 4, next, 1, 0, left)
#define DO_PUSH_LAST(operation, code, next, block) DO_OTHER(operation, code, 3, next, 1, 0, 0)

// ---- control ---------------------------------------------------------------------------------------------

// A unit is the code of a part of the image that is always mapped as a whole: a function with a label per block.
#define LOOK_AT_DEADLINE(pc)                          \
    if (MEGA_UNLIKELY((int32_t)cycles >= deadline)) { \
        LEAVE_AT(pc);                                 \
    }
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
#define BLOCK(name, instructions) block_##name : budget -= (instructions);
#define BLOCK_CHECKED(name, instructions, pc) block_##name : LOOK_AT_DEADLINE(pc) budget -= (instructions);

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
        mega_registers r = cpu_load(&console->cpu);                                                    \
        uint32_t cycles = console->cycles, bus = 0, exit_pc = 0, index = 0;                            \
        static const void *const blocks[] = {BLOCKS_##number(UNIT_LABEL)};                             \
        goto *blocks[entry - UNIT_FIRST_##number];
#define UNIT_END(number)                                   \
    away:                                                  \
    if ((int32_t)cycles < deadline) {                      \
        entry = translated_entry(m, exit_pc, &index);      \
        if (entry != 0 && index / UNIT_SIZE == (number)) { \
            goto *blocks[entry - UNIT_FIRST_##number];     \
        }                                                  \
    }                                                      \
    leave:                                                 \
    r.pc = (uint16_t)exit_pc;                              \
    cpu_save(&r, &console->cpu);                           \
    console->cycles = cycles;                              \
    console->bus = (uint8_t)bus;                           \
    return budget;                                         \
    }

#define UNIT_CASE(number)                                  \
    case number:                                           \
        budget = unit_##number(m, outside, budget, entry); \
        break;
#define PROGRAM_BEGIN()
// The whole program: runs as far as it is translated and returns what is left of the budget.
#define PROGRAM_END()                                                                                       \
    uint32_t mega_translated_run(mega_machine *m, uint32_t budget, const mega_outside *outside) {           \
        const int32_t deadline = m->run.watchdog - MEGA_TRANSLATED_SLACK;                                   \
        for (;;) {                                                                                          \
            uint32_t index;                                                                                 \
            const uint32_t entry = translated_entry(m, m->console->cpu.pc, &index);                         \
            if (entry == 0 || (int32_t)m->console->cycles >= deadline || budget <= MEGA_TRANSLATED_SLACK || \
                (m->run.events & MEGA_EVENT_STOP) != 0) {                                                   \
                return budget;                                                                              \
            }                                                                                               \
            m->run.events = 0;                                                                              \
            switch (index / UNIT_SIZE) { UNITS(UNIT_CASE) default : return budget; }                        \
        }                                                                                                   \
    }

#endif
