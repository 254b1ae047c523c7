// mega_drain.h - from the notes that translated code takes of its accesses to the TIA to registers and segments. Shared
// source; for mega_warp.h only, with MEGA_PROGRAM.
//
// Many notes change nothing: these are sifted out first. For the others the beam is moved to where they are seen, and a
// segment is left behind wherever that shows (mega_scene.h). All lanes do this together, one note each at a time.
#ifndef MEGA_DRAIN_H
#define MEGA_DRAIN_H
#include "mega_scene.h"

// Where a lane is in its notes. After the last one the beam may have to go on to where the request ends.
typedef struct mega_drain {
    mega_scene scene;
    uint32_t next, end; // notes
    uint32_t logged;    // records
    uint32_t keep;      // the next access must be logged even if it changes nothing
    uint32_t at_room;   // 1: the next note needs room in the log ...
    uint32_t at_odd;    // 1: ... or the TIA in memory
    int32_t end_clock;
} mega_drain;

// Drops the notes that tia_logged_write() and tia_logged_read() would not log. That depends on the registers alone, not
// on the beam, so all lanes do the same here.
MEGA_NOINLINE void warp_drain_sift(mega_machine *m, const mega_drain *drain, uint32_t live) {
    uint32_t *notes = m->ahead.pending;
    const uint32_t count = live ? m->ahead.pending_count : 0u;
    mega_scene scene;
    uint32_t keep = drain->keep, kept = 0, next = notes[0];
    if (count != 0) {
        scene_copy_registers(&scene, &drain->scene);
    }
    MEGA_ROLLED
    for (uint32_t i = 0; i < count;) {
        const uint32_t note = next, reg = note >> 8 & 0x3Fu;
        next = ++i < count ? notes[i] : 0u;
        if (scene_take(&scene, scene_rules[reg], reg, note & 0xFFu) | keep | note >> 31) {
            notes[kept++] = note & ~MEGA_NOTE_STACK;
            keep = reg == TIA_HMOVE;
        }
    }
    if (live) {
        m->ahead.pending_count = kept;
    }
    MEGA_WARP_BARRIER();
}

// Takes notes until all lanes are done or one needs something else; the lanes take one each at a time. Nothing is called
// in here, so that the scenes stay in registers.
MEGA_NOINLINE void warp_drain_run(mega_machine *m, mega_drain *drain) {
    const uint32_t *notes = m->ahead.pending;
    const uint32_t count = m->ahead.pending_count, end = drain->end;
    const uint32_t base_cycle = count != 0 ? m->run.log->base_cycle : 0u;
    const int32_t end_clock = drain->end_clock;
    mega_scene scene = drain->scene;
    uint32_t i = drain->next, logged = drain->logged, keep = drain->keep;
    uint32_t next = i < count ? notes[i] : TIA_NOTHING << 8, next_rule = scene_rules[next >> 8 & 0x3Fu];
    uint32_t at_room, at_odd;
    do {
        const uint32_t record = next, rule = next_rule, reg = record >> 8 & 0x3Fu, value = record & 0xFFu;
        const uint32_t is_note = i < count, counts = i < end;
        const int32_t clock = is_note ? (int32_t)(3u * (base_cycle + (record >> 14))) : end_clock;
        at_room = counts && is_note && (logged >= MEGA_LOG_RECORDS || scene.segments >= AHEAD_ROOM);
        at_odd = counts && scene_is_odd_with(&scene, reg, value, clock);
        if (MEGA_WARP_ANY(at_room | at_odd)) {
            break;
        }
        next = ++i < count ? notes[i] : TIA_NOTHING << 8;
        next_rule = scene_rules[next >> 8 & 0x3Fu];
        if (counts) {
            if (is_note) {
                scene.log->record[logged++] = record;
                keep = reg == TIA_HMOVE;
            }
            scene_write(&scene, m, rule, reg, value, clock);
        }
    } while (MEGA_WARP_ANY(i < end));
    drain->scene = scene;
    drain->next = i;
    drain->logged = logged;
    drain->keep = keep;
    drain->at_room = at_room;
    drain->at_odd = at_odd;
}

// Does what a lane cannot do in registers.
MEGA_NOINLINE void warp_drain_seldom(mega_machine *m, mega_drain *drain) {
    const uint32_t is_note = drain->next < m->ahead.pending_count;
    const uint32_t record = is_note ? m->ahead.pending[drain->next] : 0u;
    const uint32_t reg = record >> 8 & 0x3Fu, cycles = m->run.log->base_cycle + (record >> 14);
    scene_store(&drain->scene, m);
    if (drain->at_room) {
        m->run.logged = drain->logged;
        log_make_room(m, reg, cycles);
        drain->logged = 0;
    } else if (is_note) {
        m->run.log->record[drain->logged++] = record;
        drain->keep = reg == TIA_HMOVE;
        drain->next++;
        ahead_write(m, reg, record & 0xFFu, cycles);
    } else {
        drain->next++;
        ahead_advance(m, drain->end_clock);
    }
    scene_load(m, &drain->scene);
}

// The last access of a request as far as notes tell.
MEGA_FN void warp_drain_touch(mega_machine *m) {
    mega_run *run = &m->run;
    const mega_ahead *ahead = &m->ahead;
    const uint32_t base_cycle = run->log->base_cycle;
    const uint32_t last = ahead->pending_count != 0 ? ahead->pending[ahead->pending_count - 1u] : 0u;
    const uint32_t cycles = base_cycle + ((last & ~MEGA_NOTE_STACK) >> 14);
    if (ahead->pending_count != 0) {
        run->touch_cycle = cycles;
        run->touch_register = last >> 8 & 0x3Fu;
    }
    if (ahead->touched != MEGA_NO_CYCLE &&
        (ahead->pending_count == 0 || ahead->touched - base_cycle > cycles - base_cycle)) {
        run->touch_cycle = ahead->touched;
        run->touch_register = TIA_NOTHING;
    }
}

// Goes through the accesses to the TIA that translated code has noted, and if `moves` is set brings the beam to `clock`.
MEGA_FN void warp_drain(mega_machine *m, uint32_t live, uint32_t moves, int32_t clock) {
    mega_run *run = &m->run;
    mega_drain drain;
    drain.logged = run->logged;
    drain.keep = run->keep_next;
    if (live) {
        scene_load(m, &drain.scene);
    }
    warp_drain_sift(m, &drain, live);
    drain.next = 0;
    drain.end = live ? m->ahead.pending_count + moves : 0u;
    drain.end_clock = clock;
    while (MEGA_WARP_ANY(drain.next < drain.end)) {
        warp_drain_run(m, &drain);
        if (drain.at_room | drain.at_odd) {
            warp_drain_seldom(m, &drain);
        }
    }
    if (drain.end != 0) {
        scene_store(&drain.scene, m);
        run->keep_next = (uint8_t)drain.keep;
        run->logged = drain.logged;
    }
    if (live) {
        m->ahead.pending_count = 0;
        m->ahead.touched = MEGA_NO_CYCLE;
    }
}

#endif
