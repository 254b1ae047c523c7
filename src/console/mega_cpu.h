// mega_cpu.h - what the 6507's operations do to its registers. Shared source.
//
// Instruction semantics live here, once: the interpreter (mega_interpreter.h) combines them with addressing
// modes, and a translator can emit calls to them. Nothing here touches memory.
//   op_x(cpu, value)  reads its operand; modify_x(cpu, value) returns what is written back;
//   store_x(cpu, ...) returns what is stored.
#ifndef MEGA_CPU_H
#define MEGA_CPU_H
#include "mega_state.h"

// The registers while instructions run. A GPU has no use for bytes.
#if MEGA_AHEAD
typedef struct mega_registers {
    uint32_t pc, nz, a, x, y, sp, carry, overflow, decimal, interrupt, jammed;
} mega_registers;

#else
typedef mega_cpu mega_registers;
#endif

// Field by field: a struct that is copied as a whole goes through memory, and waits there for its bytes.
MEGA_INLINE mega_registers cpu_load(const mega_cpu *cpu) {
    mega_registers r;
    r.pc = cpu->pc;
    r.nz = cpu->nz;
    r.a = cpu->a;
    r.x = cpu->x;
    r.y = cpu->y;
    r.sp = cpu->sp;
    r.carry = cpu->carry;
    r.overflow = cpu->overflow;
    r.decimal = cpu->decimal;
    r.interrupt = cpu->interrupt;
    r.jammed = cpu->jammed;
    return r;
}
MEGA_INLINE void cpu_save(const mega_registers *r, mega_cpu *cpu) {
    cpu->pc = (uint16_t)r->pc;
    cpu->nz = (uint16_t)r->nz;
    cpu->a = (uint8_t)r->a;
    cpu->x = (uint8_t)r->x;
    cpu->y = (uint8_t)r->y;
    cpu->sp = (uint8_t)r->sp;
    cpu->carry = (uint8_t)r->carry;
    cpu->overflow = (uint8_t)r->overflow;
    cpu->decimal = (uint8_t)r->decimal;
    cpu->interrupt = (uint8_t)r->interrupt;
    cpu->jammed = (uint8_t)r->jammed;
}

MEGA_FN void cpu_set_nz(mega_registers *cpu, uint32_t value) {
    cpu->nz = (uint16_t)(value & 0xFFu);
}
MEGA_FN uint32_t cpu_negative(const mega_registers *cpu) {
    return (cpu->nz & 0x180u) != 0;
}
MEGA_FN uint32_t cpu_is_zero(const mega_registers *cpu) {
    return (cpu->nz & 0xFFu) == 0;
}

// The status byte as it is pushed: bits 5 and 4 are always set.
MEGA_FN uint8_t cpu_status(const mega_registers *cpu) {
    return (uint8_t)(cpu_negative(cpu) << 7 | (uint32_t)cpu->overflow << 6 | 0x30u |
                     (uint32_t)cpu->decimal << 3 | (uint32_t)cpu->interrupt << 2 | cpu_is_zero(cpu) << 1 |
                     cpu->carry);
}
MEGA_FN void cpu_set_status(mega_registers *cpu, uint32_t status) {
    cpu->overflow = (uint8_t)(status >> 6 & 1u);
    cpu->decimal = (uint8_t)(status >> 3 & 1u);
    cpu->interrupt = (uint8_t)(status >> 2 & 1u);
    cpu->nz = (uint16_t)((status & 0x80u) << 1 | ((status >> 1 & 1u) ^ 1u));
    cpu->carry = (uint8_t)(status & 1u);
}

// ---- arithmetic --------------------------------------------------------------------------------------

// Decimal mode works on the numbers that the digits spell, whatever the digits are.
MEGA_FN int32_t cpu_from_bcd(uint32_t byte) {
    return (int32_t)((byte >> 4) * 10u + (byte & 15u));
}
MEGA_FN uint32_t cpu_to_bcd(uint32_t number) {
    return number % 100u / 10u << 4 | number % 10u;
}

// Both return the result with the carry in bit 8.
MEGA_SELDOM uint32_t cpu_add_decimal(uint32_t a, uint32_t value, uint32_t carry) {
    const uint32_t sum = (uint32_t)(cpu_from_bcd(a) + cpu_from_bcd(value)) + carry;
    return cpu_to_bcd(sum & 0xFFu) | (sum > 99 ? 0x100u : 0u);
}
MEGA_SELDOM uint32_t cpu_subtract_decimal(uint32_t a, uint32_t value, uint32_t carry) {
    int32_t difference = cpu_from_bcd(a) - cpu_from_bcd(value) - (int32_t)(1u - carry);
    if (difference < 0) {
        difference += 100;
    }
    // Digits above 9 can leave it below zero still; the reference then picks up another table's entry.
    const uint32_t result = difference >= 0 ? cpu_to_bcd((uint32_t)difference)
                                            : (uint32_t)cpu_from_bcd((uint32_t)(256 + difference)) & 0xFFu;
    return result | (a >= value + 1u - carry ? 0x100u : 0u);
}

MEGA_FN void cpu_set_sum(mega_registers *cpu, uint32_t sum) {
    cpu->carry = (uint8_t)(sum >> 8);
    cpu->a = (uint8_t)sum;
    cpu_set_nz(cpu, sum);
}
// With the decimal flag clear.
MEGA_INLINE void op_adc_binary(mega_registers *cpu, uint32_t value) {
    const uint32_t a = cpu->a, sum = a + value + cpu->carry;
    cpu->overflow = (uint8_t)((~(a ^ value) & (a ^ sum)) >> 7 & 1u);
    cpu_set_sum(cpu, sum);
}
MEGA_INLINE void op_sbc_binary(mega_registers *cpu, uint32_t value) {
    const uint32_t a = cpu->a, sum = a + (value ^ 0xFFu) + cpu->carry;
    cpu->overflow = (uint8_t)(((a ^ value) & (a ^ sum)) >> 7 & 1u);
    cpu_set_sum(cpu, sum);
}
MEGA_INLINE void op_adc(mega_registers *cpu, uint32_t value) {
    if (!cpu->decimal) {
        op_adc_binary(cpu, value);
    } else {
        const uint32_t a = cpu->a, sum = cpu_add_decimal(a, value, cpu->carry);
        cpu->overflow = (uint8_t)(((a ^ sum) & (sum ^ value)) >> 7 & 1u);
        cpu_set_sum(cpu, sum);
    }
}
MEGA_INLINE void op_sbc(mega_registers *cpu, uint32_t value) {
    if (!cpu->decimal) {
        op_sbc_binary(cpu, value);
    } else {
        const uint32_t a = cpu->a, sum = cpu_subtract_decimal(a, value, cpu->carry);
        cpu->overflow = (uint8_t)(((a ^ sum) & (sum ^ value)) >> 7 & 1u);
        cpu_set_sum(cpu, sum);
    }
}
MEGA_FN void cpu_compare(mega_registers *cpu, uint32_t reg, uint32_t value) {
    cpu->carry = reg >= value;
    cpu_set_nz(cpu, reg - value);
}
MEGA_FN void op_cmp(mega_registers *cpu, uint32_t value) {
    cpu_compare(cpu, cpu->a, value);
}
MEGA_FN void op_cpx(mega_registers *cpu, uint32_t value) {
    cpu_compare(cpu, cpu->x, value);
}
MEGA_FN void op_cpy(mega_registers *cpu, uint32_t value) {
    cpu_compare(cpu, cpu->y, value);
}

// ---- loads and logic -----------------------------------------------------------------------------------

MEGA_FN void cpu_set_a(mega_registers *cpu, uint32_t value) {
    cpu->a = (uint8_t)value;
    cpu_set_nz(cpu, value);
}
MEGA_FN void op_lda(mega_registers *cpu, uint32_t value) {
    cpu_set_a(cpu, value);
}
MEGA_FN void op_ldx(mega_registers *cpu, uint32_t value) {
    cpu->x = (uint8_t)value;
    cpu_set_nz(cpu, value);
}
MEGA_FN void op_ldy(mega_registers *cpu, uint32_t value) {
    cpu->y = (uint8_t)value;
    cpu_set_nz(cpu, value);
}
MEGA_FN void op_lax(mega_registers *cpu, uint32_t value) {
    cpu->x = (uint8_t)value;
    cpu_set_a(cpu, value);
}
MEGA_FN void op_ora(mega_registers *cpu, uint32_t value) {
    cpu_set_a(cpu, cpu->a | value);
}
MEGA_FN void op_and(mega_registers *cpu, uint32_t value) {
    cpu_set_a(cpu, cpu->a & value);
}
MEGA_FN void op_eor(mega_registers *cpu, uint32_t value) {
    cpu_set_a(cpu, cpu->a ^ value);
}
MEGA_FN void op_bit(mega_registers *cpu, uint32_t value) {
    cpu->nz = (uint16_t)((value & 0x80u) << 1 | (cpu->a & value));
    cpu->overflow = (uint8_t)(value >> 6 & 1u);
}
MEGA_FN void op_nop(mega_registers *cpu, uint32_t value) {
    (void)cpu;
    (void)value;
}

// ---- undocumented, immediate ---------------------------------------------------------------------------

MEGA_FN void op_anc(mega_registers *cpu, uint32_t value) {
    op_and(cpu, value);
    cpu->carry = cpu->a >> 7;
}
MEGA_FN void op_asr(mega_registers *cpu, uint32_t value) {
    const uint32_t both = cpu->a & value;
    cpu->carry = (uint8_t)(both & 1u);
    cpu_set_a(cpu, both >> 1);
}
MEGA_FN void op_arr(mega_registers *cpu, uint32_t value) {
    const uint32_t both = cpu->a & value;
    uint32_t result = both >> 1 | (uint32_t)cpu->carry << 7;
    cpu_set_nz(cpu, result);
    if (!cpu->decimal) {
        cpu->carry = (uint8_t)(result >> 6 & 1u);
        cpu->overflow = (uint8_t)((result >> 6 ^ result >> 5) & 1u);
    } else {
        cpu->overflow = (uint8_t)((both ^ result) >> 6 & 1u);
        if ((both & 15u) + (both & 1u) > 5) {
            result = (result & 0xF0u) | ((result + 6u) & 15u);
        }
        cpu->carry = (both & 0xF0u) + (both & 0x10u) > 0x50;
        result += cpu->carry ? 0x60u : 0u;
    }
    cpu->a = (uint8_t)result;
}
MEGA_FN void op_ane(mega_registers *cpu, uint32_t value) {
    cpu_set_a(cpu, (cpu->a | 0xEEu) & cpu->x & value);
}
MEGA_FN void op_lxa(mega_registers *cpu, uint32_t value) {
    op_lax(cpu, (cpu->a | 0xEEu) & value);
}
MEGA_FN void op_las(mega_registers *cpu, uint32_t value) {
    cpu->sp &= (uint8_t)value;
    op_lax(cpu, cpu->sp);
}
MEGA_FN void op_sbx(mega_registers *cpu, uint32_t value) {
    const uint32_t both = cpu->a & cpu->x;
    cpu->carry = both >= value;
    op_ldx(cpu, (both - value) & 0xFFu);
}

// ---- read-modify-write ---------------------------------------------------------------------------------

MEGA_FN uint32_t modify_asl(mega_registers *cpu, uint32_t value) {
    cpu->carry = (uint8_t)(value >> 7);
    cpu_set_nz(cpu, value << 1);
    return value << 1 & 0xFFu;
}
MEGA_FN uint32_t modify_lsr(mega_registers *cpu, uint32_t value) {
    cpu->carry = (uint8_t)(value & 1u);
    cpu_set_nz(cpu, value >> 1);
    return value >> 1;
}
MEGA_FN uint32_t modify_rol(mega_registers *cpu, uint32_t value) {
    const uint32_t result = value << 1 | cpu->carry;
    cpu->carry = (uint8_t)(value >> 7);
    cpu_set_nz(cpu, result);
    return result & 0xFFu;
}
MEGA_FN uint32_t modify_ror(mega_registers *cpu, uint32_t value) {
    const uint32_t result = value >> 1 | (uint32_t)cpu->carry << 7;
    cpu->carry = (uint8_t)(value & 1u);
    cpu_set_nz(cpu, result);
    return result;
}
MEGA_FN uint32_t modify_inc(mega_registers *cpu, uint32_t value) {
    cpu_set_nz(cpu, value + 1u);
    return (value + 1u) & 0xFFu;
}
MEGA_FN uint32_t modify_dec(mega_registers *cpu, uint32_t value) {
    cpu_set_nz(cpu, value - 1u);
    return (value - 1u) & 0xFFu;
}
MEGA_FN uint32_t modify_slo(mega_registers *cpu, uint32_t value) {
    const uint32_t result = modify_asl(cpu, value);
    op_ora(cpu, result);
    return result;
}
MEGA_FN uint32_t modify_rla(mega_registers *cpu, uint32_t value) {
    const uint32_t result = modify_rol(cpu, value);
    op_and(cpu, result);
    return result;
}
MEGA_FN uint32_t modify_sre(mega_registers *cpu, uint32_t value) {
    const uint32_t result = modify_lsr(cpu, value);
    op_eor(cpu, result);
    return result;
}
MEGA_FN uint32_t modify_rra(mega_registers *cpu, uint32_t value) {
    const uint32_t result = modify_ror(cpu, value);
    op_adc(cpu, result);
    return result;
}
MEGA_FN uint32_t modify_dcp(mega_registers *cpu, uint32_t value) {
    const uint32_t result = (value - 1u) & 0xFFu;
    op_cmp(cpu, result);
    return result;
}
MEGA_FN uint32_t modify_isb(mega_registers *cpu, uint32_t value) {
    const uint32_t result = (value + 1u) & 0xFFu;
    op_sbc(cpu, result);
    return result;
}

// ---- stores: `address` is the final address ------------------------------------------------------------

MEGA_FN uint32_t store_sta(mega_registers *cpu, uint32_t address) {
    (void)address;
    return cpu->a;
}
MEGA_FN uint32_t store_stx(mega_registers *cpu, uint32_t address) {
    (void)address;
    return cpu->x;
}
MEGA_FN uint32_t store_sty(mega_registers *cpu, uint32_t address) {
    (void)address;
    return cpu->y;
}
MEGA_FN uint32_t store_sax(mega_registers *cpu, uint32_t address) {
    (void)address;
    return (uint32_t)cpu->a & cpu->x;
}
MEGA_FN uint32_t store_sha(mega_registers *cpu, uint32_t address) {
    return cpu->a & cpu->x & ((address >> 8) + 1u) & 0xFFu;
}
MEGA_FN uint32_t store_shx(mega_registers *cpu, uint32_t address) {
    return cpu->x & ((address >> 8) + 1u) & 0xFFu;
}
MEGA_FN uint32_t store_shy(mega_registers *cpu, uint32_t address) {
    return cpu->y & ((address >> 8) + 1u) & 0xFFu;
}
MEGA_FN uint32_t store_shs(mega_registers *cpu, uint32_t address) {
    cpu->sp = cpu->a & cpu->x;
    return store_sha(cpu, address);
}

#endif
