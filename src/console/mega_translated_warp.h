// mega_translated_warp.h - translated code of a warp of consoles. Shared source; for mega_translated.h only.
//
// All blocks are cases of one switch. Before each the lanes vote, as in mega_warp.h: those that stand at the same
// block run it together. Nothing is called in here, so that the processors stay in registers. An instruction that
// needs more than that (a bank switch, a collision latch that is not known yet) makes its lane step back and wait until
// no other lane can go on; then all that wait do one instruction each, in the interpreter.
//
// Accesses to the TIA are only noted here, and looked at together by warp_drain().
#ifndef MEGA_TRANSLATED_WARP_H
#define MEGA_TRANSLATED_WARP_H

// Who is served first: lanes in an early window of time, then those with the deepest stack, then those whose block has
// the lowest number, all of this as code_schedule.h says. Bits that do not fit are left out: that changes who goes first,
// and nothing else. Those that cannot go on are the last.
#define WARP_KEY()                                                                 \
    (((cycles - base_cycle) >> KEY_WINDOW) << (KEY_BITS + (KEY_DEPTH ? 8u : 0u)) | \
     (KEY_DEPTH ? (uint32_t)r.sp << KEY_BITS : 0u) | block)
#define WARP_KEY_SLOW 0xFFFFFFFFu

// ---- accesses --------------------------------------------------------------------------------------------

// The instruction is left to the interpreter: nothing but the cycles, the stack pointer and RAM that it will write
// again has changed.
#define STEP_BACK()               \
    do {                          \
        cycles = start_cycles;    \
        r.sp = (uint8_t)start_sp; \
        budget += rest + 1u;      \
        LEAVE_AT(start_pc);       \
    } while (0)

// An access to the TIA, noted if it is news; so is what follows HMOVE. There is always room: a block begins with room for
// all that it counts and a few more, and what it does not count is only noted while there is room for all of the others.
#define NOTE_IF(is_news, reg, value)                                                \
    do {                                                                            \
        const uint32_t access = (cycles - base_cycle) << 14 | (reg) << 8 | (value); \
        if ((is_news) || strobed_at == pending) {                                   \
            m->notes.note[pending++] = access;                                      \
            if ((reg) == TIA_HMOVE) {                                               \
                strobed_at = pending;                                               \
            }                                                                       \
            if ((reg) == TIA_CXCLR) {                                               \
                m->notes.cleared = pending;                                         \
                m->notes.known_until = NOTES_KNOW_NOTHING;                          \
            }                                                                       \
        } else {                                                                    \
            m->notes.other = access;                                                \
        }                                                                           \
    } while (0)
#define NOTE_ROOM 8u // beside those that blocks count

#define READ_ELSEWHERE(target, where) \
    do {                              \
        target = 0;                   \
        STEP_BACK();                  \
    } while (0)
#define READ_PORT(target, where)                                                            \
    do {                                                                                    \
        target = 0;                                                                         \
        if (((where)&0x80u) != 0) {                                                         \
            target = riot_read(m, where, cycles);                                           \
        } else if ((((where)&15u) >= 8 || (int32_t)(3u * cycles) < m->notes.known_until) && \
                   pending + MEGA_TRANSLATED_WRITES + 2u <= MEGA_NOTES_ROOM) {              \
            NOTE_IF(0, TIA_NOTHING, 0u);                                                    \
            target = (uint32_t)tia_driven_bits(m, where, cycles) | (bus & 0x3Fu);           \
        } else {                                                                            \
            STEP_BACK();                                                                    \
        }                                                                                   \
        bus = target;                                                                       \
    } while (0)
// Some programs use PLA to move the stack pointer through the registers; other reads of such a stack are rare.
#define PEEK_ELSEWHERE(target)                     \
    do {                                           \
        if (peeks) {                               \
            READ_PORT(target, 0x100u | r.sp);      \
        } else {                                   \
            READ_ELSEWHERE(target, 0x100u | r.sp); \
        }                                          \
    } while (0)
#define WRITE_TIA(reg, value)                                               \
    do {                                                                    \
        NOTE_IF(shadow_is_news(&m->run, reg, value), reg, value);           \
        if ((reg) == TIA_WSYNC) {                                           \
            cycles = sync_wait(m, cycles);                                  \
        } else {                                                            \
            sync_write(m, reg, value, cycles);                              \
        }                                                                   \
        if ((reg) == TIA_VSYNC && (m->run.events & MEGA_EVENT_STOP) != 0) { \
            exit_bus = (value);                                             \
            budget = 0;                                                     \
            LEAVE_AT(at);                                                   \
        }                                                                   \
    } while (0)
#define WRITE_ELSEWHERE(where, value) STEP_BACK()
#define PUSH_ELSEWHERE(value, after_write) \
    do {                                   \
        if (!last) {                       \
            STEP_BACK();                   \
        }                                  \
        port = r.sp & 0x3Fu;               \
        port_value = (value);              \
        port_stack = 1;                    \
    } while (0)
#define BEFORE_CHANGES(address)        \
    if (((address)&0x1280u) != 0x80) { \
        STEP_BACK();                   \
    }
// Registers whose number only the run knows are all written in one place. VSYNC, which may end the frame, is not.
#define BEFORE_LAST_WRITE(address)                                             \
    if (((address)&0x1280u) != 0x80 &&                                         \
        (WATCHES_LOW || ((address)&0x1080u) != 0 || ((address)&0x3Fu) == 0)) { \
        STEP_BACK();                                                           \
    }
#define LAST_WRITE(address, value, name)         \
    if (((address)&0x1280u) == 0x80) {           \
        ram[(address)&0x7Fu] = (uint8_t)(value); \
    } else {                                     \
        port = (address)&0x3Fu;                  \
        port_value = (value);                    \
        port_stack = 0;                          \
        block = ID(name);                        \
        goto write_port;                         \
    }
#define DO_PUSH_LAST(operation, code, next, name)                          \
    {                                                                      \
        const uint32_t rest = 0, last = 1;                                 \
        DO_BEGIN(next, 1, 0)                                               \
        const uint32_t outside = (start_sp & 0x80u) == 0;                  \
        if (outside && (WATCHES_LOW || (start_sp & 0x3Fu) == TIA_VSYNC)) { \
            STEP_BACK();                                                   \
        }                                                                  \
        bus = code;                                                        \
        cycles += 3;                                                       \
        OTHER_##operation;                                                 \
        (void)look;                                                        \
        block = ID(name);                                                  \
        if (outside) {                                                     \
            goto write_port;                                               \
        }                                                                  \
    }

#define DO_PULL(operation, code, next, left)           \
    {                                                  \
        const uint32_t peeks = 1;                      \
        DO_OTHER(operation, code, 4, next, 1, 0, left) \
    }

// Decimal arithmetic is long and rare.
#define op_adc(cpu, value)         \
    do {                           \
        if ((cpu)->decimal) {      \
            STEP_BACK();           \
        }                          \
        op_adc_binary(cpu, value); \
    } while (0)
#define op_sbc(cpu, value)         \
    do {                           \
        if ((cpu)->decimal) {      \
            STEP_BACK();           \
        }                          \
        op_sbc_binary(cpu, value); \
    } while (0)

// ---- control ---------------------------------------------------------------------------------------------

#define ID(name) id_##name
#define GO_TO(name)       \
    do {                  \
        block = ID(name); \
        goto voted;       \
    } while (0)
#define GO_AWAY(pc)     \
    do {                \
        exit_pc = (pc); \
        exit_bus = bus; \
        goto away;      \
    } while (0)
#define LEAVE_AT(pc)    \
    do {                \
        exit_pc = (pc); \
        block = 0;      \
        goto voted;     \
    } while (0)
// The vote looks at the deadline, and whether there is room for the notes of a block.
#define LOOK_AT_DEADLINE(pc)
#define BLOCK(name, instructions) \
    case ID(name):                \
        budget -= (instructions);
#define BLOCK_CHECKED(name, instructions, pc) BLOCK(name, instructions)
#define UNIT_BEGIN(number)
#define UNIT_END(number)

#define WARP_IS_FULL() (pending > MEGA_NOTES_ROOM - MEGA_TRANSLATED_WRITES - NOTE_ROOM)
#define WARP_IS_LATE() ((int32_t)cycles >= deadline)
#define WARP_DEADLINE(m) ((m)->run.watchdog - MEGA_TRANSLATED_SLACK)

// Instructions of a block, by who led: all but those that end a frame.
#if MEGA_COUNT
#define COUNT_BEGIN() const uint32_t budget_before = budget
#define COUNT_END()                                                               \
    do {                                                                          \
        const uint32_t done = leads && budget != 0 ? budget_before - budget : 0u; \
        const uint32_t most = MEGA_WARP_MAX(done);                                \
        WARP_COUNT(lane, done, MEGA_WARP_LANE == 0 ? most : 0u);                  \
    } while (0)
#else
#define COUNT_BEGIN()
#define COUNT_END()
#endif

#define PROGRAM_BEGIN()                                                                                    \
    MEGA_NOINLINE void warp_run_translated(mega_machine *m, mega_console *console, mega_warp_lane *lane) { \
        const uint32_t last = 0, peeks = 0;                                                                \
        MEGA_ASSUME_LOCAL(m);                                                                              \
        MEGA_ASSUME_LOCAL(console);                                                                        \
        MEGA_ASSUME_LOCAL(lane);                                                                           \
        uint8_t *const ram = console->riot.ram;                                                            \
        const int32_t deadline = lane->pause < WARP_DEADLINE(m) ? lane->pause : WARP_DEADLINE(m);          \
        mega_registers r = cpu_load(&console->cpu);                                                        \
        uint32_t budget = lane->budget, cycles = console->cycles;                                          \
        uint32_t bus = 0, exit_bus = console->bus, exit_pc = r.pc;                                         \
        const uint32_t base_cycle = budget != 0 ? m->run.log->base_cycle : 0u;                             \
        uint32_t port = 0, port_value = 0, port_stack = 0, lead, leads;                                    \
        uint32_t pending = m->notes.count;                                                                 \
        uint32_t strobed_at =                                                                              \
            (pending != 0 ? (m->notes.note[pending - 1u] >> 8 & 0x3Fu) == TIA_HMOVE : m->run.keep_next)    \
                ? pending                                                                                  \
                : MEGA_NOTES_ROOM + 1u;                                                                    \
        uint32_t block = budget > MEGA_TRANSLATED_SLACK && !lane->waits                                    \
                             ? translated_find(m, exit_pc, cycles, deadline)                               \
                             : 0u;                                                                         \
        for (;;) {                                                                                         \
            const uint32_t ready = block != 0 && !WARP_IS_FULL() && !WARP_IS_LATE();                       \
            lead = MEGA_WARP_MIN(ready ? WARP_KEY() : WARP_KEY_SLOW);                                      \
            leads = ready && block == (lead & ((1u << KEY_BITS) - 1u));                                    \
            if (lead == WARP_KEY_SLOW) {                                                                   \
                break;                                                                                     \
            }                                                                                              \
            COUNT_BEGIN();                                                                                 \
            if (leads) {                                                                                   \
                switch (block) {
#define PROGRAM_END()                                                                                 \
    default: MEGA_UNREACHABLE();                                                                      \
        }                                                                                             \
        goto voted;                                                                                   \
    away:                                                                                             \
        block = translated_find(m, exit_pc, cycles, deadline);                                        \
        goto voted;                                                                                   \
    write_port:                                                                                       \
        NOTE_IF(shadow_is_news(&m->run, port, port_value) | stack_moves_beam(port, port_stack), port, \
                port_value);                                                                          \
        if (port == TIA_WSYNC) {                                                                      \
            cycles = sync_wait(m, cycles);                                                            \
        } else {                                                                                      \
            sync_write(m, port, port_value, cycles);                                                  \
        }                                                                                             \
    voted:;                                                                                           \
        }                                                                                             \
        COUNT_END();                                                                                  \
        }                                                                                             \
        if (lane->budget != 0) {                                                                      \
            r.pc = block != 0 ? block_addresses[block] : (uint16_t)exit_pc;                           \
            cpu_save(&r, &console->cpu);                                                              \
            console->cycles = cycles;                                                                 \
            console->bus = (uint8_t)exit_bus;                                                         \
        }                                                                                             \
        m->notes.count = pending;                                                                     \
        lane->slow = budget != 0 && (block == 0 || WARP_IS_FULL() || WARP_IS_LATE());                 \
        lane->stepped_back = block == 0 || WARP_IS_LATE();                                            \
        lane->full = WARP_IS_FULL();                                                                  \
        lane->budget = budget;                                                                        \
        lane->lead = lead;                                                                            \
        }

#endif
