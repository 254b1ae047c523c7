// mega_notes.h - accesses to the TIA that are only noted. Shared source.
//
// The lanes of a warp go through their accesses together, some time after they were made (mega_drain.h), so that the
// processors stay in registers meanwhile. Noted are those that tia_logged_write() and tia_logged_read() would log: the
// others change nothing. The interpreter does the same, so that all are seen in their order.
#ifndef MEGA_NOTES_H
#define MEGA_NOTES_H
#include "mega_ahead.h"

#if MEGA_NOTES

// Goes through all notes of a lane, alone: mega_drain.h.
MEGA_NOINLINE void notes_take_all(mega_machine *m);

#define NOTES_KNOW_NOTHING (-0x7FFFFFFF)

typedef struct MEGA_ALIGNED16 mega_four_notes {
    uint32_t note[4];
} mega_four_notes;

// Writes those that have been gone through to the log. A clean frame is drawn from its segments, so many logs never see
// them: lanes write to distant places, which is dear.
MEGA_NOINLINE void notes_write_records(mega_machine *m) {
    mega_notes *notes = &m->notes;
    uint32_t *record = m->run.log->record;
    const uint32_t *from = notes->note + notes->written;
    uint32_t i = (uint32_t)((int32_t)notes->written + notes->shift);
    notes->written = (uint32_t)((int32_t)m->run.logged - notes->shift);
    while (i < m->run.logged) {
        if (i % 4u == 0 && i + 4u <= m->run.logged) {
            const mega_four_notes four = {{from[0], from[1], from[2], from[3]}};
            *(mega_four_notes *)(void *)(record + i) = four;
            i += 4u;
            from += 4;
        } else {
            record[i++] = *from++;
        }
    }
}

// The log begins anew.
MEGA_FN void notes_restart_log(mega_machine *m) {
    m->notes.shift -= (int32_t)m->run.logged;
}

// Until when collisions are known: before the beam enters the window, and after it has left it.
MEGA_FN void notes_find_known(mega_machine *m) {
    mega_notes *notes = &m->notes;
    notes->known_until = notes->cleared > notes->drained || ahead_owes(m)  ? NOTES_KNOW_NOTHING
                         : m->console->tia.drawn_to >= m->ahead.window_end ? 0x7FFFFFFF
                                                                           : m->ahead.window_start;
}

// Collisions have been looked for up to there.
MEGA_FN void notes_know_until(mega_machine *m, int32_t clock) {
    m->notes.known_until = m->notes.known_until > clock ? m->notes.known_until : clock;
}

MEGA_FN void notes_begin(mega_machine *m) {
    m->notes.count = m->notes.drained = m->notes.staged = m->notes.cleared = m->notes.written = 0;
    m->notes.shift = (int32_t)m->run.logged;
    m->notes.other = MEGA_NO_NOTE;
    m->notes.known_until = NOTES_KNOW_NOTHING;
}

#define NOTE_REGISTER(note) ((note) >> 8 & 0x3Fu)
MEGA_FN uint32_t note_of(const mega_machine *m, uint32_t reg, uint32_t value, uint32_t cycles) {
    return (cycles - m->run.log->base_cycle) << 14 | reg << 8 | value;
}

MEGA_FN void notes_add(mega_machine *m, uint32_t note) {
    if (m->notes.count == MEGA_NOTES_ROOM) {
        notes_take_all(m);
    }
    m->notes.note[m->notes.count++] = note;
    m->notes.other = MEGA_NO_NOTE;
    if (NOTE_REGISTER(note) == TIA_CXCLR) {
        m->notes.cleared = m->notes.count;
        m->notes.known_until = NOTES_KNOW_NOTHING;
    }
}

// What follows HMOVE sees where the beam was.
MEGA_FN uint32_t notes_keep_next(const mega_machine *m) {
    const mega_notes *notes = &m->notes;
    return notes->count != 0 ? NOTE_REGISTER(notes->note[notes->count - 1u]) == TIA_HMOVE : m->run.keep_next;
}

MEGA_FN void notes_access(mega_machine *m, uint32_t note, uint32_t counts) {
    if (counts || notes_keep_next(m)) {
        notes_add(m, note);
    } else {
        m->notes.other = note;
    }
}

// Keeps in mind which access was the last of the request. Several of them can fall on the same cycle.
MEGA_FN void notes_touch_by(mega_run *run, uint32_t note) {
    const uint32_t base_cycle = run->log->base_cycle;
    if (note >> 14 >= run->touch_cycle - base_cycle) {
        run->touch_cycle = base_cycle + (note >> 14);
        run->touch_register = NOTE_REGISTER(note);
    }
}
MEGA_FN void notes_touch(mega_machine *m) {
    const mega_notes *notes = &m->notes;
    if (notes->count != 0) {
        notes_touch_by(&m->run, notes->note[notes->count - 1u]);
    }
    if (notes->other != MEGA_NO_NOTE) {
        notes_touch_by(&m->run, notes->other);
    }
}

#endif
#endif
