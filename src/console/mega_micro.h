// mega_micro.h - one instruction in three short stages: operand, operation, result. Shared source.
//
// The interpreter of mega_interpreter_loop.h has a case of its own for each of the 256 opcodes, which is fastest
// where code is cheap. Lanes of a GPU share a small cache of instructions, and its compiler takes its time; so here
// all opcodes share one place that reads operands and one that writes results, and only the operations differ.
// What they do is defined where the other interpreter finds it, too: mega_opcodes.h, mega_cpu.h and the macros of
// mega_interpreter.h.
#ifndef MEGA_MICRO_H
#define MEGA_MICRO_H
#include "mega_interpreter.h"

MEGA_ALLOW_UNUSED

// clang-format off
#define MICRO_READ_OPERATIONS(X)                                                                          \
    X(nop) X(sbc) X(adc) X(and) X(cmp) X(eor) X(lda) X(ora) X(lax) X(ldx) X(ldy) X(cpx) X(cpy) X(anc)     \
    X(bit) X(ane) X(arr) X(asr) X(las) X(lxa) X(sbx)
#define MICRO_WRITE_OPERATIONS(X) X(sta) X(sax) X(stx) X(sty) X(sha) X(shs) X(shx) X(shy)
#define MICRO_MODIFY_OPERATIONS(X)                                                                        \
    X(dcp) X(isb) X(rla) X(rra) X(slo) X(sre) X(asl) X(dec) X(inc) X(lsr) X(rol) X(ror)
#define MICRO_OTHER_OPERATIONS(X)                                                                         \
    X(jam) X(nop) X(asl_a) X(bcc) X(bcs) X(beq) X(bmi) X(bne) X(bpl) X(brk) X(bvc) X(bvs) X(clc) X(cld)   \
    X(cli) X(clv) X(dex) X(dey) X(inx) X(iny) X(jmp) X(jmp_indirect) X(jsr) X(lsr_a) X(pha) X(php) X(pla) \
    X(plp) X(rol_a) X(ror_a) X(rti) X(rts) X(sec) X(sed) X(sei) X(tax) X(tay) X(tsx) X(txa) X(txs) X(tya)
// clang-format on

// Operations are numbered so that their kinds follow each other.
enum {
#define MICRO_NUMBER(operation) MICRO_READ_##operation,
    MICRO_READ_OPERATIONS(MICRO_NUMBER)
#undef MICRO_NUMBER
    MICRO_FIRST_MODIFY,
    MICRO_BEFORE_MODIFY = MICRO_FIRST_MODIFY - 1,
#define MICRO_NUMBER(operation) MICRO_MODIFY_##operation,
    MICRO_MODIFY_OPERATIONS(MICRO_NUMBER)
#undef MICRO_NUMBER
    MICRO_FIRST_WRITE,
    MICRO_BEFORE_WRITE = MICRO_FIRST_WRITE - 1,
#define MICRO_NUMBER(operation) MICRO_WRITE_##operation,
    MICRO_WRITE_OPERATIONS(MICRO_NUMBER)
#undef MICRO_NUMBER
    MICRO_FIRST_OTHER,
    MICRO_BEFORE_OTHER = MICRO_FIRST_OTHER - 1,
#define MICRO_NUMBER(operation) MICRO_OTHER_##operation,
    MICRO_OTHER_OPERATIONS(MICRO_NUMBER)
#undef MICRO_NUMBER
    MICRO_END
};
enum {
    MICRO_MODE_NONE,
    MICRO_MODE_IMM,
    MICRO_MODE_ZP,
    MICRO_MODE_ZPX,
    MICRO_MODE_ZPY,
    MICRO_MODE_ABS,
    MICRO_MODE_ABX,
    MICRO_MODE_ABY,
    MICRO_MODE_IZX,
    MICRO_MODE_IZY
};

// Operation, addressing mode << 8, cycles << 12.
#define MICRO_READ(code, operation, mode, base) \
    (uint16_t)(MICRO_READ_##operation | MICRO_MODE_##mode << 8 | (base) << 12),
#define MICRO_WRITE(code, operation, mode, base) \
    (uint16_t)(MICRO_WRITE_##operation | MICRO_MODE_##mode << 8 | (base) << 12),
#define MICRO_MODIFY(code, operation, mode, base) \
    (uint16_t)(MICRO_MODIFY_##operation | MICRO_MODE_##mode << 8 | (base) << 12),
#define MICRO_OTHER(code, operation, base) (uint16_t)(MICRO_OTHER_##operation | (base) << 12),
MEGA_TABLE uint16_t cpu_micro[256] = {MEGA_OPCODES(MICRO_READ, MICRO_WRITE, MICRO_MODIFY, MICRO_OTHER)};

#define MICRO_CASE_READ(operation) \
    case MICRO_READ_##operation:   \
        op_##operation(&r, value); \
        break;
#define MICRO_CASE_MODIFY(operation)           \
    case MICRO_MODIFY_##operation:             \
        value = modify_##operation(&r, value); \
        break;
#define MICRO_CASE_WRITE(operation)             \
    case MICRO_WRITE_##operation:               \
        value = store_##operation(&r, address); \
        break;
#define MICRO_CASE_OTHER(operation) \
    case MICRO_OTHER_##operation: OTHER_##operation break;

// One instruction, in a body with the variables that mega_interpreter.h asks for. MICRO_BEFORE_WRITING is what the
// body does when an instruction that writes is about to change something: nothing but the program counter and the
// cycles has changed then.
#define MICRO_EXECUTE()                                                                                  \
    do {                                                                                                 \
        FETCH_OPCODE();                                                                                  \
        const uint32_t opcode = fetched & 0xFFu;                                                         \
        const uint32_t micro = cpu_micro[opcode], operation = micro & 0xFFu;                             \
        bus = opcode;                                                                                    \
        cycles += micro >> 12;                                                                           \
        switch (micro >> 8 & 15u) {                                                                      \
        case MICRO_MODE_IMM: FETCH(value); break;                                                        \
        case MICRO_MODE_ZP: FETCH(address); break;                                                       \
        case MICRO_MODE_ZPX:                                                                             \
            FETCH(address);                                                                              \
            address = (address + r.x) & 0xFFu;                                                           \
            break;                                                                                       \
        case MICRO_MODE_ZPY:                                                                             \
            FETCH(address);                                                                              \
            address = (address + r.y) & 0xFFu;                                                           \
            break;                                                                                       \
        case MICRO_MODE_ABS:                                                                             \
        case MICRO_MODE_ABX:                                                                             \
        case MICRO_MODE_ABY: {                                                                           \
            FETCH(low);                                                                                  \
            FETCH(address);                                                                              \
            address = address << 8 | low;                                                                \
            const uint32_t mode = micro >> 8 & 15u;                                                      \
            const uint32_t index = mode == MICRO_MODE_ABX ? r.x : mode == MICRO_MODE_ABY ? r.y : 0u;     \
            ADDRESS_INDEXED(operation < MICRO_FIRST_MODIFY, index)                                       \
            break;                                                                                       \
        }                                                                                                \
        case MICRO_MODE_IZX:                                                                             \
        case MICRO_MODE_IZY: {                                                                           \
            const uint32_t by_x = (micro >> 8 & 15u) == MICRO_MODE_IZX;                                  \
            FETCH(pointer);                                                                              \
            pointer = by_x ? (pointer + r.x) & 0xFFu : pointer;                                          \
            READ_ZP(low, pointer);                                                                       \
            READ_ANY(address, pointer + 1u);                                                             \
            address = address << 8 | low;                                                                \
            const uint32_t index = by_x ? 0u : r.y;                                                      \
            ADDRESS_INDEXED(operation < MICRO_FIRST_MODIFY, index)                                       \
            break;                                                                                       \
        }                                                                                                \
        default: break;                                                                                  \
        }                                                                                                \
        if (operation >= MICRO_FIRST_MODIFY && operation < MICRO_FIRST_OTHER) {                          \
            MICRO_BEFORE_WRITING();                                                                      \
        }                                                                                                \
        if (operation < MICRO_FIRST_WRITE && (micro >> 8 & 15u) != MICRO_MODE_IMM) {                     \
            READ_ANY(value, address);                                                                    \
        }                                                                                                \
        switch (operation) {                                                                             \
            MICRO_READ_OPERATIONS(MICRO_CASE_READ)                                                       \
            MICRO_MODIFY_OPERATIONS(MICRO_CASE_MODIFY)                                                   \
            MICRO_WRITE_OPERATIONS(MICRO_CASE_WRITE)                                                     \
            MICRO_OTHER_OPERATIONS(MICRO_CASE_OTHER)                                                     \
        default: break;                                                                                  \
        }                                                                                                \
        if (operation >= MICRO_FIRST_MODIFY && operation < MICRO_FIRST_OTHER) {                          \
            if ((address & 0x1280u) == 0x80) {                                                           \
                ram[address & 0x7Fu] = (uint8_t)value;                                                   \
            } else if (address >= 0x80 || !tia_write_is_idle(&m->run, address & 0x3Fu, value, cycles)) { \
                WRITE_SLOW(address, value);                                                              \
            }                                                                                            \
            bus = value;                                                                                 \
        }                                                                                                \
    } while (0)

// One instruction over the bus: from RAM, at a hot spot, at the edge of a bank. Returns what is left of the budget.
MEGA_NOINLINE uint32_t micro_step(mega_machine *m, uint32_t budget) {
#define CPU_TRANSFER() ((void)0)
#define CPU_FETCH CPU_FETCH_IMAGE
#define CPU_READ CPU_READ_BUS
#define CPU_WRITE CPU_WRITE_BUS
#define CPU_PUSH CPU_PUSH_BUS
#define MICRO_BEFORE_WRITING() ((void)0)
    const uint32_t linear = 0, logged = 1;
    mega_console *console = m->console;
    uint8_t *const ram = console->riot.ram;
    const uint8_t *const image = m->image;
    const uint32_t plain_low = m->run.plain_low, plain_span = m->run.plain_span;
    mega_registers r = cpu_load(&console->cpu);
    uint32_t cycles = console->cycles;
    uint32_t bus = console->bus, exit_bus = bus;
    uint32_t fetched = 0, address = 0, value = 0, low = 0, pointer = 0, at = 0, limit = 0;
    mega_stretch stretch;
    stretch.low = stretch.span = stretch.offset = 0;
    budget--;
    MICRO_EXECUTE();
    cpu_save(&r, &console->cpu);
    console->cycles = cycles;
    console->bus = (uint8_t)bus;
    (void)exit_bus;
    (void)limit;
    return budget;
#undef CPU_TRANSFER
#undef CPU_FETCH
#undef CPU_READ
#undef CPU_WRITE
#undef CPU_PUSH
#undef MICRO_BEFORE_WRITING
}

#endif
