// mega_riot.h - 6532: RAM, ports and the interval timer. Shared source.
//
// The timer costs nothing while it runs: its value is computed from the cycle counter when it is read.
#ifndef MEGA_RIOT_H
#define MEGA_RIOT_H
#include "mega_machine.h"

MEGA_FN void riot_reset(mega_riot *riot, uint32_t draw) {
    riot->timer_value = (uint8_t)(25u + draw % 75u);
    riot->timer_shift = 6;
    riot->timer_start = 0;
    riot->timer_read_at = 0;
    riot->timer_was_read = 0;
    riot->swacnt = 0;
}

// Ticks left before the underflow; negative after it. Moves down by one every 1 << timer_shift cycles.
MEGA_FN int32_t riot_ticks(const mega_riot *riot, uint32_t cycles) {
    const uint32_t age = cycles - 1u - riot->timer_start;
    return (int32_t)riot->timer_value - (int32_t)(age >> riot->timer_shift) - 1;
}

// INTIM. After the underflow it counts cycles until it is read once, and ticks again from then on, with an
// offset that no real 6532 has; the reference does it so.
MEGA_FN uint8_t riot_read_timer(mega_riot *riot, uint32_t cycles) {
    const uint32_t age = cycles - 1u - riot->timer_start;
    const uint32_t written = (uint32_t)riot->timer_value << riot->timer_shift;
    const int32_t ticks = riot_ticks(riot, cycles);
    if (ticks >= 0) {
        return (uint8_t)ticks;
    }
    if ((int32_t)(written - age - 1u) <= -2 && !riot->timer_was_read) {
        riot->timer_was_read = 1;
        riot->timer_read_at = cycles;
    }
    if (riot->timer_was_read) {
        return (uint8_t)((uint32_t)riot->timer_value - (age >> riot->timer_shift) -
                         (riot->timer_read_at - (riot->timer_start + written)));
    }
    return (uint8_t)(written - age - 1u);
}

MEGA_FN uint8_t riot_read_status(const mega_riot *riot, uint32_t cycles) {
    return riot_ticks(riot, cycles) >= 0 || riot->timer_was_read ? 0x00 : 0x80;
}

// A program waits for the timer by reading INTIM every `period` cycles, next at cycle `first`, as long as
// the value lies in least..most (before the underflow). Returns how many of these reads in a row do; none of
// them touches the timer's state.
MEGA_FN uint32_t riot_idle_reads(const mega_riot *riot, uint32_t first, uint32_t period, int32_t least,
                                 int32_t most) {
    const int32_t now = riot_ticks(riot, first);
    if (now < least || now > most) {
        return 0;
    }
    // Age at which the value falls below `least`.
    const uint32_t age = first - 1u - riot->timer_start;
    const uint32_t end = (uint32_t)((int32_t)riot->timer_value - least) << riot->timer_shift;
    return (end - age + period - 1u) / period;
}

// Accesses with A12 = 0, A7 = 1, A9 = 1.
MEGA_FN uint8_t riot_read(mega_machine *m, uint32_t address, uint32_t cycles) {
    mega_riot *riot = &m->console->riot;
    switch (address & 7u) {
    case 0: return m->input.swcha;
    case 1: return riot->swacnt;
    case 2: return m->input.swchb;
    case 3: return 0; // SWBCNT reads 0 whatever was written
    case 4:
    case 6: return riot_read_timer(riot, cycles);
    default: return riot_read_status(riot, cycles);
    }
}

MEGA_FN void riot_write(mega_riot *riot, uint32_t address, uint8_t value, uint32_t cycles) {
    if ((address & 0x14u) == 0x14u) {
        const uint32_t prescaler = address & 3u;
        riot->timer_value = value;
        riot->timer_shift = (uint8_t)(prescaler == 3 ? 10 : 3 * prescaler);
        riot->timer_start = cycles;
        riot->timer_read_at = 0;
        riot->timer_was_read = 0;
    } else if ((address & 7u) == 1) {
        riot->swacnt = value;
    }
}

#endif
