// mega_interpreter.h - runs 6507 programs. Shared source.
//
// The model is the reference's: an instruction's whole base cycle count is added right after the opcode
// fetch, and only then do its other bus accesses happen; there are no dummy accesses but those of JSR, RTS,
// RTI, PLA and PLP.
//
// One function body (mega_interpreter_loop.h) serves three variants:
//   linear: instruction bytes are read straight from the image, as long as the program counter stays in a
//           stretch of plain ROM; waiting loops are jumped over. Otherwise bytes are fetched over the bus.
//   logged: TIA writes are logged (fast mode) instead of drawn (plain mode).
#ifndef MEGA_INTERPRETER_H
#define MEGA_INTERPRETER_H
#include "mega_bus.h"
#include "mega_cpu.h"
#include "mega_opcodes.h"

// A stretch of plain ROM from which whole instructions can be read: image indices low .. low + span - 1. An
// index minus the offset is the address.
typedef struct mega_stretch {
    uint32_t low;
    uint32_t span; // 0 when there is no stretch
    uint32_t offset;
} mega_stretch;

// The stretch around pc. The image is contiguous at least inside a 1 KiB window.
MEGA_NOINLINE mega_stretch cpu_find_stretch(const mega_machine *m, uint32_t pc) {
    const mega_run *run = &m->run;
    const uint32_t a = pc & 0xFFFu;
    mega_stretch stretch;
    stretch.low = 0;
    stretch.span = 0;
    stretch.offset = 0;
    if ((pc & 0x1000u) == 0 || a - run->plain_low >= run->plain_span) {
        return stretch;
    }
    const uint32_t first = pc >> 10 & 12u; // the first window of this 4 KiB page
    uint32_t low = a & 0xC00u, end = low + 0x400u;
    while (end < 0x1000 &&
           run->window[first + (end >> 10)] == run->window[first + (end >> 10) - 1u] + 0x400u) {
        end += 0x400u;
    }
    while (low > 0 && run->window[first + (low >> 10)] == run->window[first + (low >> 10) - 1u] + 0x400u) {
        low -= 0x400u;
    }
    const uint32_t start = run->window[first + (low >> 10)] - low; // image index of address 0 of the page
    low = low > run->plain_low ? low : run->plain_low;
    end = end < run->plain_low + run->plain_span ? end : run->plain_low + run->plain_span;
    // After $1FFF comes TIA space, where an opcode fetch sees what is on the data bus, and that is not kept here.
    end -= end == 0x1000;
    if (a + 3u > end) {
        return stretch; // the last addresses: operands may come from elsewhere
    }
    stretch.low = start + low;
    stretch.span = end - low - 2u;
    stretch.offset = start - (pc & 0xF000u);
    return stretch;
}

// ---- macros of the interpreter body ----------------------------------------------------------------------
// They use its local variables: m, r (registers), cycles, bus, at, stretch, limit, budget, and linear, logged. What
// goes on outside the processor is up to the body: how it fetches, reads, writes and pushes (CPU_FETCH, CPU_READ,
// CPU_WRITE, CPU_PUSH), and what it does where control may go elsewhere (CPU_TRANSFER).
//
// The linear variant keeps the program counter as an image index `at`, and the data bus only inside an
// instruction: what it leaves behind (exit_bus) matters only where the loop can end, after slow writes and
// transfers of control.

#define PC() (linear ? (at - stretch.offset) & 0xFFFFu : (uint32_t)r.pc)
#define SET_PC(address)                                                               \
    do {                                                                              \
        if (linear) {                                                                 \
            at = ((address)&0xFFFFu) + stretch.offset;                                \
            limit = at - stretch.low < stretch.span ? stretch.low + stretch.span : 0; \
        } else {                                                                      \
            r.pc = (uint16_t)(address);                                               \
        }                                                                             \
        exit_bus = bus;                                                               \
        CPU_TRANSFER();                                                               \
    } while (0)

// Ends the loop: the linear variant leaves one instruction of its budget.
#define LEAVE() (budget = linear)
// The bus variant stays while the program runs in RAM, and leaves plain ROM to the linear one.
#define CPU_LEAVES() (!linear && logged && (r.pc & 0x1280u) != 0x80u)

// After a slow access a bank may have been switched.
#define CHECK_REMAP()                                                           \
    do {                                                                        \
        if (linear && MEGA_UNLIKELY((m->run.events & MEGA_EVENT_REMAP) != 0)) { \
            m->run.events &= (uint8_t)~MEGA_EVENT_REMAP;                        \
            stretch.span = 0;                                                   \
            limit = 0;                                                          \
        }                                                                       \
    } while (0)
// After a slow write the frame may also have ended.
#define CHECK_EVENTS(value)                               \
    do {                                                  \
        exit_bus = (value);                               \
        if (MEGA_UNLIKELY(m->run.events != 0)) {          \
            CHECK_REMAP();                                \
            if ((m->run.events & MEGA_EVENT_STOP) != 0) { \
                LEAVE();                                  \
            }                                             \
        }                                                 \
    } while (0)

#define READ_SLOW(target, where) \
    do {                         \
        CPU_READ(target, where); \
        CHECK_REMAP();           \
    } while (0)

// Zero page.
#define READ_ZP(target, where)                             \
    do {                                                   \
        if (logged && MEGA_LIKELY(((where)&0x80u) != 0)) { \
            target = ram[(where)&0x7Fu];                   \
        } else {                                           \
            READ_SLOW(target, where);                      \
        }                                                  \
        bus = target;                                      \
    } while (0)

// Anywhere.
#define READ_ANY(target, where)                                                              \
    do {                                                                                     \
        if (logged && ((where)&0x1000u) != 0 && ((where)&0xFFFu) - plain_low < plain_span) { \
            target = image[m->run.window[(where) >> 10 & 15u] + ((where)&0x3FFu)];           \
        } else if (logged && ((where)&0x1280u) == 0x80) {                                    \
            target = ram[(where)&0x7Fu];                                                     \
        } else {                                                                             \
            READ_SLOW(target, where);                                                        \
        }                                                                                    \
        bus = target;                                                                        \
    } while (0)

#define WRITE_SLOW(where, value) \
    do {                         \
        CPU_WRITE(where, value); \
        CHECK_EVENTS(value);     \
    } while (0)

#define WRITE_ANY(where, value)                    \
    do {                                           \
        if (logged && ((where)&0x1280u) == 0x80) { \
            ram[(where)&0x7Fu] = (uint8_t)(value); \
        } else {                                   \
            WRITE_SLOW(where, value);              \
        }                                          \
        bus = (value);                             \
    } while (0)

#define WRITE_ZP(where, value)                                               \
    do {                                                                     \
        if (logged && ((where)&0x80u) != 0) {                                \
            ram[(where)&0x7Fu] = (uint8_t)(value);                           \
        } else if (logged) {                                                 \
            if (!tia_write_is_idle(&m->run, (where)&0x3Fu, value, cycles)) { \
                cycles = bus_write_tia(m, where, value, cycles);             \
                CHECK_EVENTS(value);                                         \
            }                                                                \
        } else {                                                             \
            WRITE_SLOW(where, value);                                        \
        }                                                                    \
        bus = (value);                                                       \
    } while (0)

// The opcode. The linear variant knows it without looking: see CASE_OTHER.
#define FETCH_OPCODE()          \
    do {                        \
        if (linear) {           \
            CPU_FETCH(fetched); \
        } else {                \
            FETCH(fetched);     \
        }                       \
    } while (0)

// The next byte of the instruction.
#define FETCH(target)                         \
    do {                                      \
        if (linear) {                         \
            CPU_FETCH(target);                \
            bus = target;                     \
        } else {                              \
            READ_ANY(target, (uint32_t)r.pc); \
            r.pc = (uint16_t)(r.pc + 1u);     \
        }                                     \
    } while (0)

// The stack is RAM for SP >= $80 and, on this bus, the TIA below. Pushes tell whether another one came just
// before.
#define PUSH(value, after_write)                          \
    do {                                                  \
        const uint32_t pushed = (value);                  \
        if (logged && MEGA_LIKELY((r.sp & 0x80u) != 0)) { \
            ram[r.sp & 0x7Fu] = (uint8_t)pushed;          \
        } else {                                          \
            CPU_PUSH(pushed, after_write);                \
            CHECK_EVENTS(pushed);                         \
        }                                                 \
        bus = pushed;                                     \
        r.sp = (uint8_t)(r.sp - 1u);                      \
    } while (0)
#define PEEK_STACK(target)                                \
    do {                                                  \
        if (logged && MEGA_LIKELY((r.sp & 0x80u) != 0)) { \
            target = ram[r.sp & 0x7Fu];                   \
        } else {                                          \
            READ_SLOW(target, 0x100u | r.sp);             \
        }                                                 \
        bus = target;                                     \
    } while (0)

// Addressing modes: set `address`. `extra` is 1 where a page crossing costs a cycle.
#define ADDRESS_ZP(extra) FETCH(address)
#define ADDRESS_ZPX(extra) \
    FETCH(address);        \
    address = (address + r.x) & 0xFFu
#define ADDRESS_ZPY(extra) \
    FETCH(address);        \
    address = (address + r.y) & 0xFFu
#define ADDRESS_ABS(extra) \
    FETCH(low);            \
    FETCH(address);        \
    address = address << 8 | low
#define ADDRESS_INDEXED(extra, index)               \
    low = address;                                  \
    address = (address + (index)) & 0xFFFFu;        \
    if (extra) {                                    \
        cycles += ((low ^ address) & 0xFF00u) != 0; \
    }
#define ADDRESS_ABX(extra) \
    ADDRESS_ABS(extra);    \
    ADDRESS_INDEXED(extra, r.x)
#define ADDRESS_ABY(extra) \
    ADDRESS_ABS(extra);    \
    ADDRESS_INDEXED(extra, r.y)
// The pointer's second byte is read at p + 1 without a wrap: $FF is followed by $0100.
#define ADDRESS_IZX(extra)             \
    FETCH(pointer);                    \
    pointer = (pointer + r.x) & 0xFFu; \
    READ_ZP(low, pointer);             \
    READ_ANY(address, pointer + 1u);   \
    address = address << 8 | low
#define ADDRESS_IZY(extra)           \
    FETCH(pointer);                  \
    READ_ZP(low, pointer);           \
    READ_ANY(address, pointer + 1u); \
    address = address << 8 | low;    \
    ADDRESS_INDEXED(extra, r.y)

// Operand reads: the zero page modes know where they are.
#define OPERAND_IMM(extra) FETCH(value)
#define OPERAND_ZP(extra) \
    ADDRESS_ZP(extra);    \
    READ_ZP(value, address)
#define OPERAND_ZPX(extra) \
    ADDRESS_ZPX(extra);    \
    READ_ZP(value, address)
#define OPERAND_ZPY(extra) \
    ADDRESS_ZPY(extra);    \
    READ_ZP(value, address)
#define OPERAND_ABS(extra) \
    ADDRESS_ABS(extra);    \
    READ_ANY(value, address)
#define OPERAND_ABX(extra) \
    ADDRESS_ABX(extra);    \
    READ_ANY(value, address)
#define OPERAND_ABY(extra) \
    ADDRESS_ABY(extra);    \
    READ_ANY(value, address)
#define OPERAND_IZX(extra) \
    ADDRESS_IZX(extra);    \
    READ_ANY(value, address)
#define OPERAND_IZY(extra) \
    ADDRESS_IZY(extra);    \
    READ_ANY(value, address)

#define RESULT_ZP WRITE_ZP
#define RESULT_ZPX WRITE_ZP
#define RESULT_ZPY WRITE_ZP
#define RESULT_ABS WRITE_ANY
#define RESULT_ABX WRITE_ANY
#define RESULT_ABY WRITE_ANY
#define RESULT_IZX WRITE_ANY
#define RESULT_IZY WRITE_ANY

#define CASE_READ(code, operation, mode, base) \
    CPU_CASE(code)                             \
    cycles += base;                            \
    OPERAND_##mode(1);                         \
    op_##operation(&r, value);                 \
    CPU_NEXT();
#define CASE_WRITE(code, operation, mode, base) \
    CPU_CASE(code)                              \
    cycles += base;                             \
    ADDRESS_##mode(0);                          \
    value = store_##operation(&r, address);     \
    RESULT_##mode(address, value);              \
    CPU_NEXT();
#define CASE_MODIFY(code, operation, mode, base) \
    CPU_CASE(code)                               \
    cycles += base;                              \
    OPERAND_##mode(0);                           \
    value = modify_##operation(&r, value);       \
    RESULT_##mode(address, value);               \
    CPU_NEXT();
#define CASE_OTHER(code, operation, base) \
    CPU_CASE(code) {                      \
        const uint32_t opcode = code;     \
        bus = opcode;                     \
        cycles += base;                   \
        OTHER_##operation                 \
    }                                     \
    CPU_NEXT();

#define OTHER_nop
#define OTHER_jam   \
    r.jammed = 1;   \
    exit_bus = bus; \
    LEAVE();
#define OTHER_clc r.carry = 0;
#define OTHER_sec r.carry = 1;
#define OTHER_cli r.interrupt = 0;
#define OTHER_sei r.interrupt = 1;
#define OTHER_clv r.overflow = 0;
#define OTHER_cld r.decimal = 0;
#define OTHER_sed r.decimal = 1;
#define OTHER_tax op_ldx(&r, r.a);
#define OTHER_tay op_ldy(&r, r.a);
#define OTHER_txa op_lda(&r, r.x);
#define OTHER_tya op_lda(&r, r.y);
#define OTHER_tsx op_ldx(&r, r.sp);
#define OTHER_txs r.sp = r.x;
#define OTHER_inx op_ldx(&r, (r.x + 1u) & 0xFFu);
#define OTHER_iny op_ldy(&r, (r.y + 1u) & 0xFFu);
#define OTHER_dex op_ldx(&r, (r.x - 1u) & 0xFFu);
#define OTHER_dey op_ldy(&r, (r.y - 1u) & 0xFFu);
#define OTHER_asl_a r.a = (uint8_t)modify_asl(&r, r.a);
#define OTHER_lsr_a r.a = (uint8_t)modify_lsr(&r, r.a);
#define OTHER_rol_a r.a = (uint8_t)modify_rol(&r, r.a);
#define OTHER_ror_a r.a = (uint8_t)modify_ror(&r, r.a);
#define OTHER_pha PUSH(r.a, 0);
#define OTHER_php PUSH(cpu_status(&r), 0);
#define OTHER_pla                \
    PEEK_STACK(value);           \
    r.sp = (uint8_t)(r.sp + 1u); \
    PEEK_STACK(value);           \
    op_lda(&r, value);
#define OTHER_plp                \
    PEEK_STACK(value);           \
    r.sp = (uint8_t)(r.sp + 1u); \
    PEEK_STACK(value);           \
    cpu_set_status(&r, value);
#define OTHER_jmp   \
    ADDRESS_ABS(0); \
    SET_PC(address);
// The pointer's second byte does not leave the page.
#define OTHER_jmp_indirect                                    \
    ADDRESS_ABS(0);                                           \
    READ_ANY(low, address);                                   \
    pointer = (address & 0xFF00u) | ((address + 1u) & 0xFFu); \
    READ_ANY(address, pointer);                               \
    SET_PC(address << 8 | low);
#define OTHER_jsr          \
    FETCH(low);            \
    PEEK_STACK(value);     \
    PUSH(PC() >> 8, 0);    \
    PUSH(PC() & 0xFFu, 1); \
    FETCH(address);        \
    SET_PC(address << 8 | low);
#define OTHER_rts                 \
    PEEK_STACK(value);            \
    r.sp = (uint8_t)(r.sp + 1u);  \
    PEEK_STACK(low);              \
    r.sp = (uint8_t)(r.sp + 1u);  \
    PEEK_STACK(address);          \
    address = address << 8 | low; \
    READ_ANY(value, address);     \
    SET_PC(address + 1u);
#define OTHER_rti                \
    PEEK_STACK(value);           \
    r.sp = (uint8_t)(r.sp + 1u); \
    PEEK_STACK(value);           \
    r.sp = (uint8_t)(r.sp + 1u); \
    PEEK_STACK(low);             \
    r.sp = (uint8_t)(r.sp + 1u); \
    PEEK_STACK(address);         \
    cpu_set_status(&r, value);   \
    SET_PC(address << 8 | low);
// A burst may have to step back at any access (mega_warp.h), so flags are set after the last one.
#define OTHER_brk               \
    FETCH(value);               \
    PUSH(PC() >> 8, 0);         \
    PUSH(PC() & 0xFFu, 1);      \
    PUSH(cpu_status(&r), 1);    \
    READ_ANY(low, 0xFFFEu);     \
    READ_ANY(address, 0xFFFFu); \
    r.interrupt = 1;            \
    SET_PC(address << 8 | low);

#define BRANCH(condition)                                                                   \
    FETCH(value);                                                                           \
    CPU_TRANSFER();                                                                         \
    if (condition) {                                                                        \
        low = PC();                                                                         \
        address = (low + (value ^ 0x80u) - 0x80u) & 0xFFFFu;                                \
        low = ((low ^ address) & 0xFF00u) != 0 ? 2u : 1u;                                   \
        cycles += low;                                                                      \
        SET_PC(address);                                                                    \
        if (linear && value >= 0xFB && value <= 0xFD) {                                     \
            const uint32_t skipped =                                                        \
                cpu_skip_wait(m, &r, opcode, value, at, stretch, 2u + low, cycles, budget); \
            cycles += skipped >> 16;                                                        \
            budget -= skipped & 0xFFFFu;                                                    \
        }                                                                                   \
    }
#define CONDITION_bpl (!cpu_negative(&r))
#define CONDITION_bmi cpu_negative(&r)
#define CONDITION_bvc (r.overflow == 0)
#define CONDITION_bvs (r.overflow != 0)
#define CONDITION_bcc (r.carry == 0)
#define CONDITION_bcs (r.carry != 0)
#define CONDITION_bne (!cpu_is_zero(&r))
#define CONDITION_beq cpu_is_zero(&r)
#define OTHER_bpl BRANCH(CONDITION_bpl)
#define OTHER_bmi BRANCH(CONDITION_bmi)
#define OTHER_bvc BRANCH(CONDITION_bvc)
#define OTHER_bvs BRANCH(CONDITION_bvs)
#define OTHER_bcc BRANCH(CONDITION_bcc)
#define OTHER_bcs BRANCH(CONDITION_bcs)
#define OTHER_bne BRANCH(CONDITION_bne)
#define OTHER_beq BRANCH(CONDITION_beq)

// What bodies that are not in a hurry do outside the processor.
#define CPU_FETCH_IMAGE(target) target = image[at++]
#define CPU_READ_BUS(target, where) \
    target = logged ? bus_read_fast(m, where, cycles, bus) : bus_read_plain(m, where, cycles, bus)
#define CPU_WRITE_BUS(where, value) \
    cycles = logged ? bus_write_fast(m, where, value, cycles) : bus_write_plain(m, where, value, cycles, 0)
#define CPU_PUSH_BUS(value, after_write)                                     \
    cycles = logged ? bus_push(m, 0x100u | r.sp, value, cycles, after_write) \
                    : bus_write_plain(m, 0x100u | r.sp, value, cycles, after_write)

// ---- waiting loops -----------------------------------------------------------------------------------------

// A branch (of `branch_cycles`) was taken back by a few bytes. When the loop does nothing but wait, as many
// whole passes as possible are taken in one step, always leaving the last one, which falls through, to be
// executed. Returns the cycles to add in the upper half and the instructions in the lower.
//   DEX BNE / DEY BNE              counts a register down
//   LDA/LDX/LDY INTIM, BNE or BPL  waits for the timer
MEGA_INLINE uint32_t cpu_skip_wait(const mega_machine *m, mega_registers *r, uint32_t branch,
                                   uint32_t displacement, uint32_t at, mega_stretch stretch,
                                   uint32_t branch_cycles, uint32_t cycles, uint32_t budget) {
    if (at - stretch.low >= stretch.span) {
        return 0;
    }
    const uint8_t *loop = m->image + at;
    uint32_t passes, period;
    if (displacement == 0xFD && branch == 0xD0 && (loop[0] == 0xCA || loop[0] == 0x88)) {
        // No pointer to a register here: it would force all of them into memory.
        const uint32_t counter = loop[0] == 0xCA ? r->x : r->y;
        const uint32_t limit = (budget - 1u) / 2u; // one instruction must be left
        passes = (counter - 1u) & 0xFFu;           // a counter at 0 goes round once
        passes = passes < limit ? passes : limit;
        period = 2u + branch_cycles;
        if (loop[0] == 0xCA) {
            op_ldx(r, (counter - passes) & 0xFFu);
        } else {
            op_ldy(r, (counter - passes) & 0xFFu);
        }
    } else if (displacement == 0xFB && (branch == 0xD0 || branch == 0x10) && loop[1] == 0x84 &&
               loop[2] == 0x02 && (loop[0] == 0xAD || loop[0] == 0xAE || loop[0] == 0xAC)) {
        const mega_riot *riot = &m->console->riot;
        const uint32_t half = (budget - 1u) / 2u, limit = half < 8000 ? half : 8000u; // cycles fit in 16 bits
        period = 4u + branch_cycles;
        passes =
            riot_idle_reads(riot, cycles + 4u, period, branch == 0xD0 ? 1 : 0, branch == 0xD0 ? 255 : 127);
        passes = passes < limit ? passes : limit;
        if (passes == 0) {
            return 0;
        }
        const uint32_t value = (uint32_t)riot_ticks(riot, cycles + 4u + period * (passes - 1u));
        if (loop[0] == 0xAD) {
            op_lda(r, value);
        } else if (loop[0] == 0xAE) {
            op_ldx(r, value);
        } else {
            op_ldy(r, value);
        }
    } else {
        return 0;
    }
    return passes * period << 16 | 2u * passes;
}

// ---- the loop ------------------------------------------------------------------------------------------

// cpu_run_*(m, budget) execute at most `budget` instructions, until the frame ends or the processor jams. The
// linear one also returns when the program counter leaves plain ROM, and always before the last instruction
// of the budget; the one over the bus returns after one instruction, or several if it finds itself in RAM. They
// return what is left of the budget; after the end of the frame that means nothing.
#define CPU_RUN cpu_run_linear
#define CPU_LINEAR 1u
#define CPU_LOGGED 1u
#include "mega_interpreter_loop.h"

#define CPU_RUN cpu_run_bus
#define CPU_LINEAR 0u
#define CPU_LOGGED 1u
#include "mega_interpreter_loop.h"

#define CPU_RUN cpu_run_plain
#define CPU_LINEAR 0u
#define CPU_LOGGED 0u
#include "mega_interpreter_loop.h"

#define CPU_FRAME_BUDGET 25000

MEGA_FN uint32_t cpu_is_done(const mega_machine *m) {
    return (m->run.events & MEGA_EVENT_STOP) != 0 || m->console->cpu.jammed;
}

// What translated code asks of the program that loaded it; see mega_translated.h.
typedef struct mega_outside {
    uint8_t (*read)(mega_machine *m, uint32_t address, uint32_t cycles, uint32_t bus);
    uint32_t (*write)(mega_machine *m, uint32_t address, uint32_t value, uint32_t cycles);
    uint32_t (*write_tia)(mega_machine *m, uint32_t address, uint32_t value, uint32_t cycles);
    uint32_t (*push)(mega_machine *m, uint32_t address, uint32_t value, uint32_t cycles,
                     uint32_t after_write);
} mega_outside;

// Translated code leaves its last cycles before the watchdog, and the budget with it, to the interpreter.
#define MEGA_TRANSLATED_SLACK 1024
// A block of translated code writes at most so many registers of the TIA.
#define MEGA_TRANSLATED_WRITES 24

#if MEGA_THREADED
// What translated code did not do: instructions one by one until it knows where it is, or the end of a long frame.
MEGA_FN uint32_t cpu_run_translated(mega_machine *m, uint32_t budget) {
    static const mega_outside outside = {bus_read_fast, bus_write_fast, bus_write_tia, bus_push};
    while (budget > MEGA_TRANSLATED_SLACK &&
           (int32_t)m->console->cycles < m->run.watchdog - MEGA_TRANSLATED_SLACK) {
        budget = m->translated(m, budget, &outside);
        if (cpu_is_done(m)) {
            break;
        }
        budget = cpu_run_bus(m, budget);
        if (cpu_is_done(m)) {
            break;
        }
    }
    return budget;
}
#endif

// Runs until the frame ends, the processor jams or the limit of instructions is reached.
MEGA_FN void cpu_run_frame(mega_machine *m, uint32_t fast) {
    uint32_t budget = m->console->cpu.jammed ? 0 : CPU_FRAME_BUDGET;
    if (!fast) {
        cpu_run_plain(m, budget);
        return;
    }
#if MEGA_THREADED
    if (m->translated != NULL && budget != 0) {
        budget = cpu_run_translated(m, budget);
    }
#endif
    while (budget != 0 && !cpu_is_done(m)) {
        budget = cpu_run_linear(m, budget);
        // Instructions from RAM, at a hot spot or at the edge of a bank.
        if (budget != 0 && !cpu_is_done(m)) {
            budget = cpu_run_bus(m, budget);
        }
    }
}

#endif
