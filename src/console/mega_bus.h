// mega_bus.h - who answers at which address, and the processor's side of the TIA. Shared source.
//
// In fast mode TIA writes are logged instead of drawn (mega_picture.h), and those that change nothing are
// dropped: the picture is the same with and without them. In plain mode every access draws first.
#ifndef MEGA_BUS_H
#define MEGA_BUS_H
#include "mega_cart.h"
#include "mega_notes.h"
#include "mega_picture.h"
#include "mega_riot.h"

// ---- TIA, what both modes do at once -------------------------------------------------------------------

// VSYNC, VBLANK's paddle dump and the sound registers.
MEGA_FN void sync_write(mega_machine *m, uint32_t reg, uint32_t value, uint32_t cycles) {
    mega_sync *sync = &m->console->sync;
    const int32_t clock = (int32_t)(3u * cycles);
    if (reg == TIA_VSYNC) {
        if ((value & 2u) != 0) {
            sync->vsync_deadline = clock + MEGA_CLOCKS_PER_LINE;
        } else if (clock >= sync->vsync_deadline) {
            sync->vsync_deadline = 0x7FFFFFFF;
            sync->unfinished = 0;
            m->run.events |= MEGA_EVENT_STOP;
        }
    } else if (reg == TIA_VBLANK) {
        const uint8_t dump = (uint8_t)(value >> 7);
        if (sync->dump && !dump && cartridge_has_paddles(m->cartridge)) {
            sync->dump_ended = (int32_t)cycles;
        }
        sync->dump = dump;
    } else if (reg >= TIA_AUDC0 && reg <= TIA_AUDV1) {
        sync->audio[reg - TIA_AUDC0] = (uint8_t)value;
    }
}

// A program that never ends a frame is stopped at its first TIA write after 290 lines (342 for PAL).
MEGA_FN void sync_watchdog(mega_machine *m, uint32_t cycles) {
    if (MEGA_UNLIKELY((int32_t)cycles >= m->run.watchdog)) {
        m->console->sync.unfinished = 0;
        m->run.events |= MEGA_EVENT_STOP;
    }
}

// WSYNC: the cycle at which the processor goes on.
MEGA_FN uint32_t sync_wait(const mega_machine *m, uint32_t cycles) {
    const uint32_t into_line = (cycles - (uint32_t)m->run.line_origin) % MEGA_CYCLES_PER_LINE;
    return into_line == 0 ? cycles : cycles + MEGA_CYCLES_PER_LINE - into_line;
}

// INPT0..3: has the paddle's capacitor been charged since the dump ended?
MEGA_FN uint8_t sync_paddle(const mega_machine *m, uint32_t line, uint32_t cycles) {
    const mega_sync *sync = &m->console->sync;
    const uint32_t charge = m->input.charge[line];
    if (charge == MEGA_CHARGE_AT_ONCE) {
        return 0x80;
    }
    if (charge == MEGA_CHARGE_NEVER || sync->dump) {
        return 0;
    }
    return cycles > (uint32_t)sync->dump_ended + charge ? 0x80 : 0;
}

// The bits that the TIA drives when `address` is read; collisions must be up to date.
MEGA_FN uint8_t tia_driven_bits(const mega_machine *m, uint32_t address, uint32_t cycles) {
    const uint32_t reg = address & 15u;
    if (reg < 8) {
        return (uint8_t)(((uint32_t)m->console->tia.collisions >> (2u * reg) & 3u) << 6);
    }
    if (reg < 12) {
        return sync_paddle(m, reg - 8u, cycles);
    }
    return reg < 14 ? m->input.fire[reg - 12u] : 0;
}

// ---- TIA, fast mode ------------------------------------------------------------------------------------

// How a write is treated: logged when the bits that matter are new, logged always, by rules of its own, or not
// logged because it acts at once.
enum {
    LOG_CHANGE,
    LOG_ALWAYS,
    LOG_GRAPHICS,
    LOG_HMCLR,
    LOG_VBLANK,
    LOG_WSYNC,
    LOG_NEVER
};
MEGA_TABLE uint8_t log_kind[64] = {
    LOG_NEVER,    LOG_VBLANK, LOG_WSYNC,  LOG_NEVER,    // 00
    LOG_ALWAYS,   LOG_ALWAYS, LOG_CHANGE, LOG_CHANGE,   // 04
    LOG_CHANGE,   LOG_CHANGE, LOG_ALWAYS, LOG_CHANGE,   // 08
    LOG_CHANGE,   LOG_CHANGE, LOG_CHANGE, LOG_CHANGE,   // 0C
    LOG_ALWAYS,   LOG_ALWAYS, LOG_ALWAYS, LOG_ALWAYS,   // 10
    LOG_ALWAYS,   LOG_NEVER,  LOG_NEVER,  LOG_NEVER,    // 14
    LOG_NEVER,    LOG_NEVER,  LOG_NEVER,  LOG_GRAPHICS, // 18
    LOG_GRAPHICS, LOG_CHANGE, LOG_CHANGE, LOG_CHANGE,   // 1C
    LOG_CHANGE,   LOG_CHANGE, LOG_CHANGE, LOG_CHANGE,   // 20
    LOG_CHANGE,   LOG_CHANGE, LOG_CHANGE, LOG_CHANGE,   // 24
    LOG_CHANGE,   LOG_CHANGE, LOG_ALWAYS, LOG_HMCLR,    // 28
    LOG_ALWAYS,   LOG_NEVER,  LOG_NEVER,  LOG_NEVER,    // 2C
    LOG_NEVER,    LOG_NEVER,  LOG_NEVER,  LOG_NEVER,    // 30
    LOG_NEVER,    LOG_NEVER,  LOG_NEVER,  LOG_NEVER,    // 34
    LOG_NEVER,    LOG_NEVER,  LOG_NEVER,  LOG_NEVER,    // 38
    LOG_NEVER,    LOG_NEVER,  LOG_NEVER,  LOG_NEVER,    // 3C
};
// The bits that matter, for LOG_CHANGE.
MEGA_TABLE uint8_t log_mask[64] = {
    0,    0,    0,    0,    0,    0,    0xFE, 0xFE, 0xFE, 0xFE, 0, 0x08, 0x08, 0xF0, 0xFF, 0xFF, // 00
    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0, 0,    0,    0x02, 0x02, 0x02, // 10
    0xF0, 0xF0, 0xF0, 0xF0, 0xF0, 0x01, 0x01, 0x01, 0x02, 0x02, 0, 0,    0,    0,    0,    0,    // 20
    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0, 0,    0,    0,    0,    0,    // 30
};

// Fills the shadow registers from the TIA, which is up to date between requests.
MEGA_FN void shadow_begin(mega_run *run, const mega_tia *tia) {
    uint8_t *shadow = run->shadow;
    for (uint32_t reg = 0; reg < 64; reg++) {
        shadow[reg] = 0xFF; // with log_mask 0 no value is equal to it
    }
    run->vblank = tia->vblank;
    for (uint32_t i = 0; i < 4; i++) {
        shadow[TIA_COLUP0 + i] = tia->colors[i] & 0xFEu;
    }
    for (uint32_t i = 0; i < 2; i++) {
        shadow[TIA_REFP0 + i] = (uint8_t)(tia->reflect[i] << 3);
        run->graphics[i] = tia->graphics[i];
        shadow[TIA_ENAM0 + i] = (uint8_t)(tia->enable_missile[i] << 1);
        shadow[TIA_VDELP0 + i] = tia->delay_player[i];
        shadow[TIA_RESMP0 + i] = (uint8_t)(tia->missile_to_player[i] << 1);
        run->shadow_old[i] = tia->old_graphics[i];
    }
    for (uint32_t i = 0; i < 5; i++) {
        shadow[TIA_HMP0 + i] = (uint8_t)(tia->motion[i] << 4);
    }
    shadow[TIA_PF0] = (uint8_t)(tia->playfield << 4);
    shadow[TIA_PF1] = (uint8_t)(tia->playfield >> 4);
    shadow[TIA_PF2] = (uint8_t)(tia->playfield >> 12);
    shadow[TIA_ENABL] = (uint8_t)(tia->enable_ball << 1);
    shadow[TIA_VDELBL] = tia->delay_ball;
    run->shadow_old[2] = (uint8_t)(tia->old_enable_ball << 1);
}

// Room for another record: the beam goes to where this write will be seen.
MEGA_NOINLINE void log_make_room(mega_machine *m, uint32_t reg, uint32_t cycles) {
    const int32_t clock = (int32_t)(3u * cycles);
    log_overflow(m, clock + tia_delay(reg, tia_line_clock(&m->console->tia, clock)));
}

MEGA_INLINE void log_store(mega_machine *m, uint32_t reg, uint32_t value, uint32_t cycles) {
    mega_log *log = m->run.log;
    const uint32_t record = m->run.logged++;
    log->record[record] = (cycles - log->base_cycle) << 14 | reg << 8 | value;
#if MEGA_AHEAD
    ahead_write(m, reg, value, cycles);
#endif
}
// Functions from here on that end with a call to a rare case return the cycle just for that: they save no
// registers then.
MEGA_NOINLINE uint32_t log_append_full(mega_machine *m, uint32_t reg, uint32_t value, uint32_t cycles) {
    log_make_room(m, reg, cycles);
    log_store(m, reg, value, cycles);
    return cycles;
}
MEGA_INLINE uint32_t log_append(mega_machine *m, uint32_t reg, uint32_t value, uint32_t cycles) {
    log_note_hmove(m, reg, cycles);
    if (MEGA_UNLIKELY(log_is_full(m))) {
        return log_append_full(m, reg, value, cycles);
    }
    log_store(m, reg, value, cycles);
    return cycles;
}

// Does a push that changes nothing count? Several of an instruction can fall on the same cycle: then a register that is
// seen with a delay moves the beam for the next.
MEGA_INLINE uint32_t stack_moves_beam(uint32_t reg, uint32_t stack) {
    return stack != 0 && (TIA_DELAYED >> reg & 1u) != 0;
}

// Must an access be logged that changes nothing?
MEGA_INLINE uint32_t log_keeps(const mega_run *run, uint32_t reg, uint32_t stack) {
    return stack_moves_beam(reg, stack) | (MEGA_AHEAD ? run->keep_next : 0u);
}

// An access that is not logged.
MEGA_INLINE void log_pass_over(mega_machine *m, uint32_t reg, uint32_t value, uint32_t cycles) {
#if MEGA_AHEAD
    (void)m, (void)reg, (void)value, (void)cycles;
#else
    if (MEGA_UNLIKELY(m->run.keep_next)) {
        log_remember(m, reg, value, cycles);
    }
#endif
}

// GRP0 and GRP1 also copy the other player's graphics, and the ball's. Is anything new?
MEGA_FN uint32_t shadow_write_graphics(mega_run *run, uint32_t reg, uint32_t value) {
    const uint32_t player = reg - TIA_GRP0, other = player ^ 1u;
    uint32_t changes =
        (run->graphics[player] ^ value) | (uint32_t)(run->shadow_old[other] ^ run->graphics[other]);
    run->graphics[player] = (uint8_t)value;
    run->shadow_old[other] = run->graphics[other];
    if (reg == TIA_GRP1) {
        changes |= (uint32_t)(run->shadow_old[2] ^ run->shadow[TIA_ENABL]);
        run->shadow_old[2] = run->shadow[TIA_ENABL];
    }
    return changes;
}
MEGA_FN uint32_t shadow_clear_motion(mega_run *run) {
    uint32_t changes = 0;
    for (uint32_t reg = TIA_HMP0; reg <= TIA_HMBL; reg++) {
        changes |= run->shadow[reg];
        run->shadow[reg] = 0;
    }
    return changes;
}

// A write to a register that is drawn, other than VBLANK: does it change anything?
MEGA_INLINE uint32_t shadow_write(mega_run *run, uint32_t reg, uint32_t value) {
    const uint32_t masked = value & log_mask[reg];
    switch (log_kind[reg]) {
    case LOG_CHANGE:
        if (run->shadow[reg] == masked) {
            return 0;
        }
        run->shadow[reg] = (uint8_t)masked;
        return 1;
    case LOG_GRAPHICS: return shadow_write_graphics(run, reg, value) != 0;
    case LOG_HMCLR: return shadow_clear_motion(run) != 0;
    default: return 1;
    }
}

// The same for all registers: those that are not drawn change nothing.
MEGA_INLINE uint32_t shadow_is_news(mega_run *run, uint32_t reg, uint32_t value) {
    const uint32_t kind = log_kind[reg];
    if (kind == LOG_VBLANK) {
        const uint32_t changes = run->vblank ^ (value & 2u);
        run->vblank = (uint8_t)(value & 2u);
        return changes != 0;
    }
    return kind != LOG_NEVER && kind != LOG_WSYNC && shadow_write(run, reg, value);
}

// Writes that act at once. VBLANK is also drawn; the others matter to the picture only when they move the beam.
MEGA_NOINLINE uint32_t tia_logged_sync(mega_machine *m, uint32_t reg, uint32_t value, uint32_t cycles,
                                       uint32_t keep) {
    mega_run *run = &m->run;
    const uint32_t drawn = reg == TIA_VBLANK && run->vblank != (value & 2u);
    if (reg == TIA_VBLANK) {
        run->vblank = (uint8_t)(value & 2u);
    }
    if (drawn || keep) {
        log_append(m, reg, value, cycles);
    } else {
        log_pass_over(m, reg, value, cycles);
    }
    if (reg == TIA_WSYNC) {
        return sync_wait(m, cycles);
    }
    sync_write(m, reg, value, cycles);
    return cycles;
}

// Returns the cycle at which the processor goes on. `stack` writes come from pushes.
MEGA_INLINE uint32_t tia_logged_write(mega_machine *m, uint32_t reg, uint32_t value, uint32_t cycles,
                                      uint32_t stack) {
#if MEGA_NOTES
    sync_watchdog(m, cycles);
    notes_access(m, note_of(m, reg, value, cycles),
                 shadow_is_news(&m->run, reg, value) | stack_moves_beam(reg, stack));
    if (reg == TIA_WSYNC) {
        return sync_wait(m, cycles);
    }
    sync_write(m, reg, value, cycles);
    return cycles;
#else
    mega_run *run = &m->run;
    const uint32_t keep = log_keeps(run, reg, stack);
    run->touch_cycle = cycles;
    run->touch_register = (uint8_t)reg;
    sync_watchdog(m, cycles);
    switch (log_kind[reg]) {
    case LOG_WSYNC:
        if (!keep) {
            log_pass_over(m, reg, value, cycles);
            return sync_wait(m, cycles);
        }
        return tia_logged_sync(m, reg, value, cycles, keep);
    case LOG_VBLANK:
    case LOG_NEVER: return tia_logged_sync(m, reg, value, cycles, keep);
    default:
        if (!shadow_write(run, reg, value) && !keep) {
            log_pass_over(m, reg, value, cycles);
            return cycles;
        }
        break;
    }
    return log_append(m, reg, value, cycles);
#endif
}

// The common case in one look: a write that changes nothing and is not watched. Keeps the access in mind.
MEGA_INLINE uint32_t tia_write_is_idle(mega_run *run, uint32_t reg, uint32_t value, uint32_t cycles) {
    if (MEGA_NOTES || run->shadow[reg] != (value & log_mask[reg]) ||
        (run->keep_next | run->watches_low) != 0 || (int32_t)cycles >= run->watchdog) {
        return 0;
    }
    run->touch_cycle = cycles;
    run->touch_register = (uint8_t)reg;
    return 1;
}

// A write that changes nothing is not logged, but it moves the beam to where it is seen, by up to 5 clocks. A read of
// the same or the next cycle (a program that runs in the registers of the TIA) must not make us forget that.
MEGA_SELDOM void tia_keep_last_write(mega_machine *m, uint32_t cycles) {
    const mega_run *run = &m->run;
    const uint32_t reg = run->touch_register, kind = reg < 64 ? log_kind[reg] : LOG_NEVER;
    if ((kind == LOG_CHANGE || kind == LOG_GRAPHICS || kind == LOG_VBLANK) &&
        log_end_clock(m) > (int32_t)(3u * cycles)) {
        const uint32_t value = kind == LOG_GRAPHICS ? run->graphics[reg - TIA_GRP0]
                               : kind == LOG_VBLANK ? run->vblank
                                                    : run->shadow[reg];
#if MEGA_NOTES
        notes_add(m, note_of(m, reg, value, run->touch_cycle));
#else
        log_append(m, reg, value, run->touch_cycle);
#endif
    }
}

#if MEGA_NOTES
MEGA_FN uint8_t tia_noted_read(mega_machine *m, uint32_t address, uint32_t cycles, uint32_t bus) {
    const int32_t clock = (int32_t)(3u * cycles);
    notes_touch(m);
    if (MEGA_UNLIKELY(m->run.touch_cycle + 1u >= cycles)) {
        tia_keep_last_write(m, cycles);
    }
    notes_access(m, note_of(m, TIA_NOTHING, 0, cycles), 0);
    // Most who read collisions have waited until they were found.
    if ((address & 15u) < 8 && clock >= m->notes.known_until) {
        notes_take_all(m);
        log_catch_up(m, clock);
        notes_find_known(m);
    }
    return (uint8_t)(tia_driven_bits(m, address, cycles) | (bus & 0x3Fu));
}
#endif

MEGA_INLINE uint8_t tia_logged_read(mega_machine *m, uint32_t address, uint32_t cycles, uint32_t bus) {
#if MEGA_NOTES
    return tia_noted_read(m, address, cycles, bus);
#else
    mega_run *run = &m->run;
    if (MEGA_UNLIKELY(run->touch_cycle + 1u >= cycles)) {
        tia_keep_last_write(m, cycles);
    }
    run->touch_cycle = cycles;
    run->touch_register = TIA_NOTHING;
    if (log_keeps(run, TIA_NOTHING, 0)) {
        log_append(m, TIA_NOTHING, 0, cycles);
    } else {
        log_pass_over(m, TIA_NOTHING, 0, cycles);
    }
    if ((address & 15u) < 8) {
        log_catch_up(m, (int32_t)(3u * cycles));
    }
    return (uint8_t)(tia_driven_bits(m, address, cycles) | (bus & 0x3Fu));
#endif
}

// ---- TIA, plain mode -----------------------------------------------------------------------------------

MEGA_FN uint8_t *plain_picture(const mega_machine *m) {
    return m->video->picture[m->video->current];
}

MEGA_FN uint32_t tia_drawn_write(mega_machine *m, uint32_t reg, uint32_t value, uint32_t cycles) {
    const int32_t clock = (int32_t)(3u * cycles);
    mega_tia *tia = &m->console->tia;
    // The rules of tia_plain_write with the watchdog between beam and register.
    tia_plain_advance(tia, m->cartridge, plain_picture(m), clock + tia_delay(reg, tia_line_clock(tia, clock)),
                      TIA_PLAIN_COLLIDE | TIA_PLAIN_DRAW);
    sync_watchdog(m, cycles);
    tia_plain_write(tia, m->cartridge, plain_picture(m), reg, value, clock,
                    TIA_PLAIN_COLLIDE | TIA_PLAIN_DRAW);
    sync_write(m, reg, value, cycles);
    return cycles;
}

MEGA_FN uint8_t tia_drawn_read(mega_machine *m, uint32_t address, uint32_t cycles, uint32_t bus) {
    tia_plain_advance(&m->console->tia, m->cartridge, plain_picture(m), (int32_t)(3u * cycles),
                      TIA_PLAIN_COLLIDE | TIA_PLAIN_DRAW);
    return (uint8_t)(tia_driven_bits(m, address, cycles) | (bus & 0x3Fu));
}

// ---- the bus -------------------------------------------------------------------------------------------

// Reads of anything but plain ROM and RAM. `bus` is the value that was on the data bus before.
MEGA_INLINE uint8_t bus_read_any(mega_machine *m, uint32_t address, uint32_t cycles, uint32_t bus,
                                 uint32_t fast) {
    if ((address & 0x1000u) != 0) {
        return cart_read(m, address, cycles);
    }
    if ((address & 0x80u) != 0) {
        return (address & 0x200u) != 0 ? riot_read(m, address, cycles)
                                       : m->console->riot.ram[address & 0x7Fu];
    }
    if (m->run.watches_low) {
        cart_watch_ua(m, address);
        if ((address & 0x1FFFu) < 0x40) {
            if (m->cartridge->scheme == MEGA_SCHEME_MC) {
                return 0;
            }
            if (m->cartridge->scheme != MEGA_SCHEME_UA) {
                return cart_read(m, 0x1000u | address, cycles);
            }
        }
    }
    return fast ? tia_logged_read(m, address, cycles, bus) : tia_drawn_read(m, address, cycles, bus);
}

// Writes to anything but RAM. Returns the cycle at which the processor goes on. `after_write` tells that the
// bus access just before was a write, too: then WSYNC does not stop the processor.
MEGA_INLINE uint32_t bus_write_any(mega_machine *m, uint32_t address, uint32_t value, uint32_t cycles,
                                   uint32_t stack, uint32_t after_write, uint32_t fast) {
    if ((address & 0x1000u) != 0) {
        if (!cart_write(m, address, (uint8_t)value)) {
            return cycles;
        }
        address &= 0x3Fu;
    } else if ((address & 0x80u) != 0) {
        if ((address & 0x200u) != 0) {
            riot_write(&m->console->riot, address, (uint8_t)value, cycles);
        } else {
            m->console->riot.ram[address & 0x7Fu] = (uint8_t)value;
        }
        return cycles;
    } else if (m->run.watches_low) {
        cart_watch_ua(m, address);
        if ((address & 0x1FFFu) < 0x40) {
            cart_write_low(m, address & 0x3Fu, (uint8_t)value);
            if (m->cartridge->scheme == MEGA_SCHEME_MC) {
                return cycles;
            }
        }
    }
    const uint32_t reg = address & 0x3Fu;
    if (fast) {
        const uint32_t next = tia_logged_write(m, reg, value, cycles, stack);
        return after_write ? cycles : next;
    }
    tia_drawn_write(m, reg, value, cycles);
    return reg == TIA_WSYNC && !after_write ? sync_wait(m, cycles) : cycles;
}

MEGA_NOINLINE uint8_t bus_read_fast(mega_machine *m, uint32_t address, uint32_t cycles, uint32_t bus) {
    return bus_read_any(m, address, cycles, bus, 1);
}
MEGA_NOINLINE uint8_t bus_read_plain(mega_machine *m, uint32_t address, uint32_t cycles, uint32_t bus) {
    return bus_read_any(m, address, cycles, bus, 0);
}
MEGA_NOINLINE uint32_t bus_write_fast(mega_machine *m, uint32_t address, uint32_t value, uint32_t cycles) {
    return bus_write_any(m, address, value, cycles, 0, 0, 1);
}
// Zero page addresses below $80.
MEGA_NOINLINE uint32_t bus_write_tia(mega_machine *m, uint32_t address, uint32_t value, uint32_t cycles) {
    if (MEGA_UNLIKELY(m->run.watches_low)) {
        return bus_write_fast(m, address, value, cycles);
    }
    return tia_logged_write(m, address & 0x3Fu, value, cycles, 0);
}
MEGA_NOINLINE uint32_t bus_push(mega_machine *m, uint32_t address, uint32_t value, uint32_t cycles,
                                uint32_t after_write) {
    return bus_write_any(m, address, value, cycles, 1, after_write, 1);
}
MEGA_NOINLINE uint32_t bus_write_plain(mega_machine *m, uint32_t address, uint32_t value, uint32_t cycles,
                                       uint32_t after_write) {
    return bus_write_any(m, address, value, cycles, 0, after_write, 0);
}

#endif
