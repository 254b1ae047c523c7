// mega_drain.h - from notes of accesses to the TIA (mega_notes.h) to registers and segments. Shared source; for
// mega_warp.h only, with MEGA_NOTES.
//
// The beam is moved to where a write is seen, and a segment is left behind wherever that shows (mega_scene.h). All lanes
// do this together, one note each at a time. It ends when those are done that need it; the others come as far as they
// come, for free.
#ifndef MEGA_DRAIN_H
#define MEGA_DRAIN_H
#include "mega_scene.h"

// How far a lane is to go. After the last note the beam may have to go on to a clock.
typedef struct mega_drain {
    uint32_t next, end; // notes; one more where the beam goes on
    uint32_t needs;     // 1: up to the end
    uint32_t stuck;     // 1: the next note needs room in the log, or the TIA in memory
    int32_t end_clock;
} mega_drain;

// The registers come into words.
MEGA_FN void drain_stage(mega_machine *m) {
    if (!m->notes.staged) {
        scene_load(m, &m->notes.scene);
        m->notes.staged = 1;
    }
}
MEGA_FN void drain_unstage(mega_machine *m) {
    if (m->notes.staged) {
        scene_store(&m->notes.scene, m);
        m->notes.staged = 0;
    }
}

// Does a note neither move the beam nor show anything? Motions do not, and colours of a frame that nobody sees.
MEGA_INLINE uint32_t drain_is_quiet(const mega_scene *scene, uint32_t rule) {
    return RULE_KIND(rule) == SCENE_PUT &&
           (RULE_DELAY(rule) == SCENE_UNSEEN || (scene->unseen && RULE_WORD(rule) == SCENE_TO_COLORS));
}
MEGA_INLINE void drain_take_quietly(mega_scene *scene, uint32_t rule, uint32_t reg, uint32_t value) {
    const uint32_t is_color = RULE_WORD(rule) == SCENE_TO_COLORS;
    const uint32_t word = scene_changed_word(is_color ? scene->colors : scene->motion, rule, reg, value);
    scene->colors = is_color ? word : scene->colors;
    scene->motion = is_color ? scene->motion : word;
}

// Takes notes until those lanes are done that need it, or one needs something else. Nothing is called in here, so that
// the scenes stay in registers.
MEGA_NOINLINE void warp_drain_run(mega_machine *m, mega_drain *drain) {
    mega_notes *notes = &m->notes;
    const uint32_t count = notes->count, end = drain->end, needs = drain->needs;
    const uint32_t base_cycle = end != 0 ? m->run.log->base_cycle : 0u;
    const int32_t end_clock = drain->end_clock;
    mega_scene scene = notes->scene;
    uint32_t i = drain->next, logged = m->run.logged;
    uint32_t next = i < count ? notes->note[i] : TIA_NOTHING << 8, next_rule = scene_rules[next >> 8 & 0x3Fu];
    uint32_t stuck;
    do {
        const uint32_t record = next, rule = next_rule, reg = record >> 8 & 0x3Fu, value = record & 0xFFu;
        const uint32_t is_note = i < count, counts = i < end;
        const int32_t clock = is_note ? (int32_t)(3u * (base_cycle + (record >> 14))) : end_clock;
        stuck = counts && (scene_is_odd_with(&scene, reg, value, clock) ||
                           (is_note && (logged >= MEGA_LOG_RECORDS || scene.segments >= AHEAD_ROOM)));
        if (MEGA_WARP_ANY(stuck && needs)) {
            break;
        }
        i += !stuck;
        next = i < count ? notes->note[i] : TIA_NOTHING << 8;
        next_rule = scene_rules[next >> 8 & 0x3Fu];
        if (counts && !stuck) {
            logged += is_note;
            scene_write(&scene, m, rule, reg, value, clock);
            // Lanes that have such notes do not make the others wait for a whole round.
            MEGA_ROLLED
            while (i < count && logged < MEGA_LOG_RECORDS && drain_is_quiet(&scene, next_rule)) {
                drain_take_quietly(&scene, next_rule, NOTE_REGISTER(next), next & 0xFFu);
                logged++;
                i++;
                next = i < count ? notes->note[i] : TIA_NOTHING << 8;
                next_rule = scene_rules[NOTE_REGISTER(next)];
            }
        }
    } while (MEGA_WARP_ANY(needs && i < end));
    if (end != 0) {
        notes->scene = scene;
        m->run.logged = logged;
    }
    drain->next = i;
    drain->stuck = stuck;
}

// Takes a note with the TIA in memory.
MEGA_NOINLINE void drain_one(mega_machine *m, mega_drain *drain) {
    const uint32_t is_note = drain->next < m->notes.count;
    const uint32_t record = is_note ? m->notes.note[drain->next] : 0u;
    const uint32_t reg = record >> 8 & 0x3Fu, cycles = m->run.log->base_cycle + (record >> 14);
    if (is_note && log_is_full(m)) {
        log_make_room(m, reg, cycles);
    }
    if (is_note) {
        m->run.logged++;
        ahead_write(m, reg, record & 0xFFu, cycles);
    } else {
        ahead_advance(m, drain->end_clock);
    }
    drain->next++;
}

// So many notes are kept although they are done: the log may never need them. More of them would leave the caches.
#define DRAIN_KEEPS 128u

// Those before `next` are done.
MEGA_FN void drain_end(mega_machine *m, uint32_t next) {
    mega_notes *notes = &m->notes;
    notes->drained = next;
    if (next >= notes->count) {
        m->run.keep_next = (uint8_t)notes_keep_next(m);
        notes->drained = notes->count;
        if (notes->count > DRAIN_KEEPS) {
            notes_write_records(m);
            notes->count = notes->drained = notes->cleared = notes->written = 0;
            notes->shift = (int32_t)m->run.logged;
        }
    }
    notes_find_known(m);
}

MEGA_NOINLINE void notes_take_all(mega_machine *m) {
    mega_drain drain;
    notes_touch(m);
    drain_unstage(m);
    drain.next = m->notes.drained;
    while (drain.next < m->notes.count) {
        drain_one(m, &drain);
    }
    drain_end(m, drain.next);
}

// Goes through notes of all lanes that are live, up to the last where `needs` is set; if `moves` is, too, the beam goes
// on to `clock`.
MEGA_FN void warp_drain(mega_machine *m, uint32_t live, uint32_t needs, uint32_t moves, int32_t clock) {
    mega_drain drain;
    drain.next = drain.end = 0;
    drain.needs = needs;
    drain.end_clock = clock;
    if (live) {
        drain_stage(m);
        drain.next = m->notes.drained;
        drain.end = m->notes.count + (needs && moves);
    }
    MEGA_WARP_BARRIER();
    while (MEGA_WARP_ANY(needs && drain.next < drain.end)) {
        warp_drain_run(m, &drain);
        if (needs && drain.stuck) {
            drain_unstage(m);
            drain_one(m, &drain);
            drain_stage(m);
        }
    }
    if (live) {
        scene_tell_place(&m->notes.scene, m);
        drain_end(m, drain.next);
    }
}

#endif
