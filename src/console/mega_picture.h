// mega_picture.h - from the log of a frame to its picture. Shared source.
//
// A frame that draws its whole window is "clean": its picture depends on nothing but its log, so it can be
// drawn later, or never. A ragged one (too short, cut by the instruction limit, or continued) shows through
// to the frame two before it, which shared its buffer; it is drawn at once, by the plain renderer or, where that gives the
// same, by a warp (mega_warp.h). Logs are kept for two frames more, so that the older frame can still be drawn when that
// turns out to be needed.
#ifndef MEGA_PICTURE_H
#define MEGA_PICTURE_H
#include "mega_ahead.h"
#include "mega_notes.h"
#if !MEGA_AHEAD
#include "mega_tia_blind.h"
#endif
#include "mega_tia_plain.h"

MEGA_FN int32_t log_clock(const mega_log *log, uint32_t record) {
    return (int32_t)(3u * (log->base_cycle + (record >> 14)));
}

#if !MEGA_AHEAD
// Replays records from number `from` on and goes on to clock `until`. Template: `what` is constant.
MEGA_INLINE void log_replay(const mega_log *log, mega_line *line, mega_tia *tia,
                            const mega_cartridge *cartridge, uint8_t *picture, uint32_t from, int32_t until,
                            uint32_t what) {
    tia_fast_replay(line, tia, cartridge, picture, log->record + from, log->record + log->count,
                    log->base_cycle, until, what);
}

// Replays what is new and goes on to clock `until`. Template.
MEGA_INLINE void log_advance(mega_machine *m, mega_log *log, int32_t until, uint32_t what) {
    mega_tia *tia = &m->console->tia;
    mega_line *line = &m->video->line;
    uint8_t *picture =
        m->run.drawing == MEGA_DRAW_SHADES ? m->video->shaded[log->picture] : m->video->picture[log->picture];
    log_replay(log, line, tia, m->cartridge, picture, log->replayed, until, what);
    const uint32_t x = tia_beam_x(tia);
    if (x != 0) {
        line->dirty |= TIA_OTHERS; // the rest of the line is owed
        tia_line_flush(line, tia, picture, x, what);
    }
    tia_fast_settle(line, tia);
}
MEGA_NOINLINE void log_collide_and_draw(mega_machine *m, mega_log *log, int32_t until) {
    log_advance(m, log, until, TIA_FAST_COLLIDE | TIA_FAST_DRAW);
}

// Replays records up to `end` for the registers alone, and goes on to clock `until`.
MEGA_NOINLINE void log_advance_blind(mega_machine *m, mega_log *log, uint32_t end, int32_t until) {
    mega_tia *tia = &m->console->tia;
    mega_line *line = &m->video->line;
    int32_t far = tia->drawn_to;
    for (uint32_t i = log->replayed; i < end; i++) {
        const uint32_t record = log->record[i];
        tia_blind_write(line, tia, m->cartridge, record >> 8 & 0x3Fu, record & 0xFFu, log_clock(log, record),
                        &far);
    }
    log->replayed = end;
    tia_blind_advance(line, tia, far > until ? far : until);
    tia_fast_settle(line, tia);
    line->lost = 1;
}

// What may still collide in what is new, and where collisions are last cleared: before that none counts.
MEGA_FN uint32_t log_may_collide(const mega_log *log, const mega_tia *tia, uint32_t *cleared) {
    uint32_t objects = tia_latent_objects(tia);
    *cleared = log->replayed;
    for (uint32_t i = log->replayed; i < log->count; i++) {
        const uint32_t reg = log->record[i] >> 8 & 0x3Fu;
        objects |= (log->record[i] & tia_shows_bits[reg]) != 0 ? tia_shows_object[reg] : 0u;
        *cleared = reg == TIA_CXCLR ? i + 1u : *cleared;
    }
    return tia_collisions_of[objects] & (*cleared > log->replayed ? 0xFFFFu : ~(uint32_t)tia->collisions);
}

MEGA_NOINLINE void log_collide(mega_machine *m, mega_log *log, int32_t until) {
    mega_tia *tia = &m->console->tia;
    uint32_t cleared;
    if (log_may_collide(log, tia, &cleared) == 0) {
        log_advance_blind(m, log, log->count, until);
        return;
    }
    if (cleared > log->replayed) {
        log_advance_blind(m, log, cleared, log_clock(log, log->record[cleared - 1u]));
    }
    if (m->video->line.lost) {
        tia_line_begin(&m->video->line, tia, m->cartridge, NULL);
    }
    log_advance(m, log, until, TIA_FAST_COLLIDE);
}
#endif

// Brings the TIA up to date: collisions, registers, and the picture if it is being drawn on the way.
MEGA_FN void log_catch_up(mega_machine *m, int32_t until) {
    mega_log *log = &m->video->log[m->video->slot];
    log->count = m->run.logged;
#if MEGA_AHEAD
    ahead_advance(m, until);
    log->segments = m->ahead.segments;
    if (ahead_owes(m)) {
        ahead_collide(m);
    }
    m->console->tia.picture_at = (int32_t)(MEGA_WIDTH * m->ahead.row + tia_beam_x(&m->console->tia));
#else
    // Reads of several collision registers in a row find nothing new.
    if (log->replayed == log->count && until <= m->console->tia.drawn_to) {
        return;
    }
    if (m->run.drawing != MEGA_DRAW_NOTHING) {
        log_collide_and_draw(m, log, until);
    } else {
        log_collide(m, log, until);
    }
    log->replayed = log->count;
#endif
}

// The pixels of a request over what its buffer holds, a pixel at a time.
MEGA_FN void log_draw_plain(const mega_machine *m, const mega_log *log) {
    mega_tia tia = log->start;
    uint8_t *picture = m->video->picture[log->picture];
    for (uint32_t i = 0; i < log->count; i++) {
        const uint32_t record = log->record[i];
        tia_plain_write(&tia, m->cartridge, picture, record >> 8 & 0x3Fu, record & 0xFFu,
                        log_clock(log, record), TIA_PLAIN_DRAW);
    }
    tia_plain_advance(&tia, m->cartridge, picture, log->end_clock, TIA_PLAIN_DRAW);
}

#if MEGA_AHEAD
// Makes the segments of a frame that was run without those of its picture, by running the TIA once more. It has been drawn
// from its beginning. Returns 0 if the log has no room for them.
MEGA_NOINLINE uint32_t log_line(mega_machine *m, mega_log *log) {
    const mega_tia tia = m->console->tia;
    const mega_ahead ahead = m->ahead;
    mega_log *present = m->run.log;
    uint32_t i = 0;
    m->console->tia = log->start;
    m->run.log = log;
    ahead_begin(m);
    for (; i < log->count && !ahead_is_full(m); i++) {
        const uint32_t record = log->record[i];
        ahead_write(m, record >> 8 & 0x3Fu, record & 0xFFu, log->base_cycle + (record >> 14));
    }
    ahead_advance(m, log->end_clock);
    log->segments = m->ahead.segments;
    log->lined = i == log->count;
    m->console->tia = tia;
    m->ahead = ahead;
    m->run.log = present;
    return log->lined;
}

// The pixels of a row that are left of `until`.
MEGA_NOINLINE void log_draw_row(const mega_log *log, uint32_t y, uint32_t until, uint8_t *picture) {
    ahead_draw_until(log, NULL, y, until, picture + MEGA_WIDTH * y);
}
#endif

// Draws a clean frame from its log.
MEGA_NOINLINE void log_draw(const mega_machine *m, mega_log *log) {
    uint8_t *picture = m->video->picture[log->picture];
    log->state = MEGA_SLOT_DRAWN;
#if MEGA_AHEAD
    if (!log->lined) {
        log_draw_plain(m, log);
        return;
    }
    for (uint32_t row = 0; row < m->cartridge->height; row++) {
        log_draw_row(log, row, MEGA_WIDTH, picture);
    }
#else
    mega_tia tia = log->start;
    mega_line line;
    tia_line_begin(&line, &tia, m->cartridge, NULL);
    log_replay(log, &line, &tia, m->cartridge, picture, 0, log->end_clock, TIA_FAST_DRAW);
#endif
}

// Draws whatever is still owed to a picture buffer before something else is drawn over it.
MEGA_FN void picture_settle(const mega_machine *m, uint32_t picture, const mega_log *except) {
    for (uint32_t i = 0; i < 3; i++) {
        mega_log *log = &m->video->log[i];
        if (log != except && log->state == MEGA_SLOT_PENDING && log->picture == picture) {
            log_draw(m, log);
        }
    }
}

// No log says any more what this buffer shows.
MEGA_FN void picture_forget_logs(const mega_machine *m, uint32_t picture) {
    for (uint32_t i = 0; i < 3; i++) {
        if (m->video->log[i].picture == picture) {
            m->video->log[i].state = MEGA_SLOT_EMPTY;
            m->video->log[i].shaded = 0;
        }
    }
}

#if !MEGA_AHEAD
// How much HMOVE blanks of a line that stays unfinished depends on the access that follows it. That one is not logged if
// it changes nothing, only remembered, since it matters in ragged frames alone. There is room for it in the log.
MEGA_INLINE void log_remember(mega_machine *m, uint32_t reg, uint32_t value, uint32_t cycles) {
    mega_run *run = &m->run;
    run->keep_next = 0;
    run->after_hmove = (cycles - run->log->base_cycle) << 14 | reg << 8 | value;
    run->after_hmove_at = run->logged;
}

// Puts it into the log after all.
MEGA_SELDOM void log_insert_remembered(mega_machine *m) {
    mega_run *run = &m->run;
    mega_log *log = run->log;
    const uint32_t at = run->after_hmove_at;
    if (run->after_hmove == 0) {
        return;
    }
    for (uint32_t i = run->logged; i > at; i--) {
        log->record[i] = log->record[i - 1u];
    }
    log->record[at] = run->after_hmove;
    log->count = ++run->logged;
    log->replayed += log->replayed > at;
    run->after_hmove = 0;
}
#endif

// A write is about to be logged. When a line has passed since the last HMOVE, nothing of what that one blanked is left
// to be seen.
MEGA_INLINE void log_note_hmove(mega_machine *m, uint32_t reg, uint32_t cycles) {
    m->run.keep_next = reg == TIA_HMOVE;
#if !MEGA_AHEAD
    if (reg == TIA_HMOVE) {
        if (MEGA_UNLIKELY(cycles - m->run.hmove_cycle < MEGA_CYCLES_PER_LINE)) {
            log_insert_remembered(m);
        }
        m->run.hmove_cycle = cycles;
        m->run.after_hmove = 0;
    }
#else
    (void)cycles;
#endif
}

// Draws a ragged request over what its buffer holds, in colours only.
MEGA_NOINLINE void log_draw_ragged(mega_machine *m, mega_log *log) {
#if MEGA_NOTES
    notes_write_records(m);
#elif !MEGA_AHEAD
    log_insert_remembered(m);
#endif
    picture_settle(m, log->picture, log);
    picture_forget_logs(m, log->picture);
    if (!m->run.painted) {
        log_draw_plain(m, log);
    }
}

// Starts the log of a request where the TIA stands now.
MEGA_FN void log_begin(mega_machine *m) {
    mega_video *video = m->video;
    mega_log *log = &video->log[video->slot];
    log->start = m->console->tia;
    log->base_cycle = m->console->cycles;
    log->count = 0;
    log->replayed = 0;
    log->state = MEGA_SLOT_EMPTY;
    log->shaded = 0;
    log->picture = video->current;
    log->lined = MEGA_AHEAD && !m->run.unseen;
    m->run.log = log;
    m->run.logged = 0;
    m->run.painted = 0;
#if !MEGA_AHEAD
    m->run.after_hmove = 0;
    m->run.hmove_cycle = log->base_cycle;
#endif
#if MEGA_AHEAD
    m->run.drawing = MEGA_DRAW_NOTHING; // not on the way
    ahead_begin(m);
#else
    tia_line_begin(&video->line, &m->console->tia, m->cartridge,
                   m->run.drawing == MEGA_DRAW_SHADES ? m->shades : NULL);
#endif
}

// Does a log have the picture from its first pixel on?
MEGA_FN uint32_t log_starts_clean(const mega_machine *m, const mega_log *log) {
    const mega_tia *start = &log->start;
    return start->drawn_to == tia_window_start(start, m->cartridge) &&
           start->line_left == MEGA_CLOCKS_PER_LINE && start->picture_at == 0;
}

MEGA_FN uint32_t log_is_clean(const mega_machine *m, const mega_log *log) {
    return !m->console->sync.unfinished && log_starts_clean(m, log) &&
           m->console->tia.drawn_to == tia_window_end(&log->start, m->cartridge);
}

// Where the beam must be at the end of a request: where its last access saw it.
MEGA_FN int32_t log_end_clock(const mega_machine *m) {
    const int32_t clock = (int32_t)(3u * m->run.touch_cycle);
    const uint32_t line_clock = tia_line_clock(&m->console->tia, clock);
    return m->run.touch_register == MEGA_UNTOUCHED ? m->console->tia.drawn_to
                                                   : clock + tia_delay(m->run.touch_register, line_clock);
}

// Ends the log of a request: the TIA has seen everything up to its last access.
MEGA_FN void log_end(mega_machine *m) {
    mega_log *log = &m->video->log[m->video->slot];
    log->end_clock = log_end_clock(m);
    log_catch_up(m, log->end_clock);
    if (!log_is_clean(m, log)) {
        log_draw_ragged(m, log);
        return;
    }
#if MEGA_NOTES
    if (!log->lined) {
        notes_write_records(m);
    }
#endif
    // Nothing will ever show through a clean frame, so older ones in its buffer need not be drawn any more.
    picture_forget_logs(m, log->picture);
    log->state = m->run.drawing == MEGA_DRAW_COLORS ? MEGA_SLOT_DRAWN : MEGA_SLOT_PENDING;
    log->shaded = m->run.drawing == MEGA_DRAW_SHADES;
}

MEGA_FN uint32_t log_is_full(const mega_machine *m) {
#if MEGA_AHEAD
    return m->run.logged == MEGA_LOG_RECORDS || ahead_is_full(m);
#else
    return m->run.logged >= MEGA_LOG_RECORDS - 2u; // after a write one more may be inserted, twice
#endif
}

// The log is full (a program that writes to the TIA all the time): draw what there is and start anew.
MEGA_NOINLINE void log_overflow(mega_machine *m, int32_t until) {
    mega_log *log = &m->video->log[m->video->slot];
    log->end_clock = until;
    log_catch_up(m, until);
    log_draw_ragged(m, log);
    m->run.drawing = MEGA_DRAW_NOTHING;
    m->video->line.shades = NULL;
    log->start = m->console->tia;
    log->count = 0;
    log->replayed = 0;
#if MEGA_NOTES
    notes_restart_log(m);
#endif
    m->run.logged = 0;
#if MEGA_AHEAD
    ahead_begin(m);
#endif
}

// Two black pictures.
MEGA_FN void video_clear(mega_video *video) {
    MEGA_FILL(video->picture, 0, sizeof(video->picture));
    for (uint32_t i = 0; i < 3; i++) {
        video->log[i].state = MEGA_SLOT_EMPTY;
        video->log[i].shaded = 0;
    }
}

// Makes picture buffer `picture` what the console shows.
MEGA_FN const uint8_t *picture_look(const mega_machine *m, uint32_t picture) {
    picture_settle(m, picture, NULL);
    return m->video->picture[picture];
}

#if MEGA_AHEAD
// Memory for one screen that is free while a request is unfinished: that buffer shows no log then, so the oldest
// one, which was of the same buffer, is not used before the next frame begins.
#define MEGA_SPARE_SIZE (MEGA_WIDTH * 256u) // the highest screen has 256 lines
MEGA_FN uint8_t *video_spare(mega_video *video) {
    return (uint8_t *)&video->log[(video->slot + 1u) % 3u] + (sizeof(mega_log) - MEGA_SPARE_SIZE);
}
MEGA_STATIC_ASSERT(sizeof(((mega_log *)0)->record) + sizeof(((mega_log *)0)->from) +
                           sizeof(((mega_log *)0)->body) >=
                       MEGA_SPARE_SIZE,
                   "what is spared is not the head of a log");
#else
// The same in shades: drawn so from the start, or converted now.
MEGA_FN const uint8_t *picture_look_shaded(const mega_machine *m, uint32_t picture) {
    uint8_t *shaded = m->video->shaded[picture];
    for (uint32_t i = 0; i < 3; i++) {
        if (m->video->log[i].shaded && m->video->log[i].picture == picture) {
            return shaded;
        }
    }
    const uint8_t *colors = picture_look(m, picture);
    for (uint32_t i = 0; i < MEGA_WIDTH * (uint32_t)m->cartridge->height; i++) {
        shaded[i] = m->shades[colors[i]];
    }
    return shaded;
}
#endif

#endif
