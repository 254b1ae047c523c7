// mega_tia_fast.h - the picture, a line at a time, from a log of register writes. Shared source.
//
// The processor's side of the TIA (mega_bus.h) only logs writes. Here the log is replayed: each object's share of the
// current line is kept as a mask that is rebuilt only when one of its registers changed, and cut where it changed in
// mid-line. At the end of a line collisions are ANDs of masks, and colours, if anybody wants to see them, layers of
// them (mega_tia_paint.h). A line without changes costs a copy.
//
// Everything is exact: mega_tia_plain.h gives the same collisions, registers and pixels. Only frames that do
// not draw the whole window (mega_console.h calls them ragged) are drawn by the plain renderer.
#ifndef MEGA_TIA_FAST_H
#define MEGA_TIA_FAST_H
#include "mega_tia_paint.h"

enum {
    TIA_FAST_COLLIDE = 1,
    TIA_FAST_DRAW = 2
};

// Who collides in each bit of mega_tia.collisions.
MEGA_TABLE uint8_t tia_collision_a[16] = {2, 2, 3, 3, 0, 0, 1, 1, 2, 2, 3, 3, 0, 4, 2, 0};
MEGA_TABLE uint8_t tia_collision_b[16] = {0, 1, 1, 0, 4, 5, 4, 5, 4, 5, 4, 5, 0, 5, 3, 1};

// What is different from the line above, in a byte.
enum {
    TIA_OBJECTS = (1 << MEGA_OBJECTS) - 1, // a bit for each object
    TIA_OTHERS = 1 << MEGA_OBJECTS         // colours, or that the line above was not whole
};

// ---- one line ----------------------------------------------------------------------------------------

MEGA_INLINE uint8_t tia_shade(const mega_line *line, uint8_t color) {
    return line->shades != NULL ? line->shades[color] : color;
}

// Prepares the scratch for a replay that starts where the beam is.
MEGA_FN void tia_line_begin(mega_line *line, const mega_tia *tia, const mega_cartridge *cartridge,
                            const uint8_t *shades) {
    const uint32_t x = tia_beam_x(tia);
    line->shades = shades;
    line->window_start = tia_window_start(tia, cartridge);
    line->window_end = tia_window_end(tia, cartridge);
    line->row_at = tia->picture_at - (int32_t)x;
    for (uint32_t i = 0; i < 4; i++) {
        line->color[i] = tia_shade(line, tia->colors[i]);
    }
    for (uint32_t object = 0; object < MEGA_OBJECTS; object++) {
        line->done[object] = 0;
    }
    line->stale = TIA_OBJECTS;
    line->present = 0;
    line->cut = 0;
    line->painted = (uint8_t)x;
    line->collided = (uint8_t)x;
    line->pieces = x != 0;
    line->dirty = TIA_OTHERS;
    line->blank = 0;
    line->blank_above = 0;
    line->lost = 0;
}

// Template: `object` is constant.
MEGA_INLINE void tia_line_refresh_one(mega_line *line, const mega_tia *tia, const uint32_t object) {
    if ((line->stale & 1u << object) != 0) {
        const tia_words mask = tia_mask_of(tia, object);
        const uint32_t present = line->present & ~(1u << object);
        tia_words_store(line->mask[object], mask);
        line->present = (uint8_t)(present | tia_words_any(mask) << object);
    }
}
MEGA_NOINLINE void tia_line_refresh_some(mega_line *line, const mega_tia *tia) {
    tia_line_refresh_one(line, tia, MEGA_P0);
    tia_line_refresh_one(line, tia, MEGA_P1);
    tia_line_refresh_one(line, tia, MEGA_M0);
    tia_line_refresh_one(line, tia, MEGA_M1);
    tia_line_refresh_one(line, tia, MEGA_BL);
    tia_line_refresh_one(line, tia, MEGA_PF);
    line->stale = 0;
}
MEGA_INLINE void tia_line_refresh(mega_line *line, const mega_tia *tia) {
    if (line->stale != 0) {
        tia_line_refresh_some(line, tia);
    }
}

// What the objects show in the line: what is final of them, and their masks from there on.
MEGA_INLINE tia_masks tia_line_masks(const mega_line *line) {
    tia_masks masks;
    for (uint32_t object = 0; object < MEGA_OBJECTS; object++) {
        masks.object[object] = tia_words_load(line->mask[object]);
    }
    if (line->cut != 0) {
        for (uint32_t object = 0; object < MEGA_OBJECTS; object++) {
            if ((line->cut & 1u << object) != 0) {
                const tia_words done = tia_words_load(tia_below[line->done[object]]);
                masks.object[object] = tia_words_or(tia_words_less(masks.object[object], done),
                                                    tia_words_load(line->seen[object]));
            }
        }
    }
    return masks;
}

// Looks for the collisions `open` in pixels from .. end - 1.
MEGA_NOINLINE void tia_line_meet(const mega_line *line, mega_tia *tia, uint32_t open, uint32_t from,
                                 uint32_t end) {
    const tia_masks masks = tia_line_masks(line);
    const tia_words range = tia_words_less(tia_words_load(tia_below[end]), tia_words_load(tia_below[from]));
    for (; open != 0; open &= open - 1u) {
        const uint32_t bit = (uint32_t)MEGA_LOWEST_BIT(open);
        const tia_words both =
            tia_words_and(masks.object[tia_collision_a[bit]], masks.object[tia_collision_b[bit]]);
        tia->collisions |= (uint16_t)(tia_words_any(tia_words_and(both, range)) << bit);
    }
}

// Collisions up to pixel end - 1, which is final. Template.
MEGA_INLINE void tia_line_collide(mega_line *line, mega_tia *tia, uint32_t end, uint32_t what) {
    const uint32_t from = line->collided;
    uint32_t objects;
    if (end <= from) {
        return;
    }
    line->collided = (uint8_t)end;
    if (tia->vblank) {
        return;
    }
    if ((what & TIA_FAST_DRAW) == 0) {
        // Often no two objects are there whose collision is not known yet.
        objects = tia_enabled_objects(tia) | line->cut;
        if ((tia_collisions_of[objects] & ~(uint32_t)tia->collisions) == 0) {
            return;
        }
    }
    tia_line_refresh(line, tia);
    objects = line->present | (uint32_t)line->cut;
    const uint32_t open = tia_collisions_of[objects] & ~(uint32_t)tia->collisions;
    if (open != 0) {
        tia_line_meet(line, tia, open, from, end);
    }
}

// Colours up to pixel end - 1, which is final.
MEGA_NOINLINE void tia_line_color(mega_line *line, const mega_tia *tia, uint8_t *picture, uint32_t end) {
    const uint32_t from = line->painted;
    uint8_t *row = picture + line->row_at;
    if (end <= from) {
        return;
    }
    line->painted = (uint8_t)end;
    if (tia->vblank) {
        MEGA_FILL(row + from, 0, end - from);
        return;
    }
    tia_line_refresh(line, tia);
    const tia_masks masks = tia_line_masks(line);
    const uint32_t both = CTRLPF_PRIORITY | CTRLPF_SCORE;
    const uint32_t lonely =
        (tia->ctrlpf & both) == both && tia_enabled_objects(tia) == 1u << MEGA_PF ? 1u : 0u;
    const tia_layers layers = tia_layers_of(&masks, tia->ctrlpf, lonely);
    if (MEGA_LIKELY(from == 0 && end == MEGA_WIDTH)) {
        tia_paint(row, &layers, line->color, 0, MEGA_WIDTH);
    } else {
        tia_paint(row, &layers, line->color, from, end);
    }
}

// Collisions and colours up to pixel end - 1, which is final. Template.
MEGA_INLINE void tia_line_flush(mega_line *line, mega_tia *tia, uint8_t *picture, uint32_t end,
                                uint32_t what) {
    if ((what & TIA_FAST_COLLIDE) != 0) {
        tia_line_collide(line, tia, end, what);
    }
    if ((what & TIA_FAST_DRAW) != 0) {
        tia_line_color(line, tia, picture, end);
    }
}

// The last pixel of the line has been passed. Template.
MEGA_INLINE void tia_line_complete(mega_line *line, mega_tia *tia, uint8_t *picture, uint32_t dirty,
                                   uint32_t what) {
    if ((dirty | (uint32_t)(line->blank ^ line->blank_above)) != 0) {
        line->stale |= (uint8_t)(dirty & TIA_OBJECTS);
        tia_line_flush(line, tia, picture, MEGA_WIDTH, what);
        if (line->blank && (what & TIA_FAST_DRAW) != 0) {
            MEGA_FILL(picture + line->row_at, 0, 8);
        }
    } else if ((what & TIA_FAST_DRAW) != 0) {
        uint8_t *row = picture + line->row_at;
        MEGA_COPY(row, row - MEGA_WIDTH, MEGA_WIDTH);
    }
}

// What the end of a line changes of the objects.
MEGA_NOINLINE void tia_line_end_unusual(mega_line *line, mega_tia *tia) {
    if (tia->star_field || tia->m0_override != MEGA_M0_NORMAL) {
        line->stale |= 1u << MEGA_M0;
    }
    if ((tia->first_hidden[0] | tia->first_hidden[1]) != 0) {
        line->stale |= 1u << MEGA_P0 | 1u << MEGA_P1;
    }
    if (tia->pf_reflect != (tia->ctrlpf & CTRLPF_REFLECT)) {
        line->stale |= 1u << MEGA_PF;
    }
    tia_end_line(tia);
}

// Begins the next line. Returns what is dirty there.
MEGA_INLINE uint32_t tia_line_next(mega_line *line, mega_tia *tia) {
    uint32_t dirty = 0;
    if ((line->pieces | line->cut) != 0) {
        // This line shows a mixture; the next one is whole again and so differs.
        dirty = TIA_OTHERS;
        line->pieces = 0;
        line->cut = 0;
        for (uint32_t object = 0; object < MEGA_OBJECTS; object++) {
            line->done[object] = 0;
        }
    }
    if ((tia->star_field | tia->m0_override | tia->first_hidden[0] | tia->first_hidden[1] |
         (tia->pf_reflect ^ (tia->ctrlpf & CTRLPF_REFLECT))) != 0) {
        tia_line_end_unusual(line, tia);
        dirty = TIA_OTHERS;
    }
    line->blank_above = line->blank;
    line->blank = tia->hmove_blank;
    tia->hmove_blank = 0;
    line->painted = 0;
    line->collided = 0;
    line->row_at += MEGA_WIDTH;
    return dirty;
}

// Brings what the replay keeps in its scratch back into the TIA.
MEGA_FN void tia_fast_settle(const mega_line *line, mega_tia *tia) {
    tia->picture_at = line->row_at + (int32_t)tia_beam_x(tia);
}

// ---- the beam ----------------------------------------------------------------------------------------

// What a replay keeps in registers. The TIA and the line are up to date between two replays.
typedef struct tia_beam {
    int32_t at;         // clock
    int32_t moves;      // what is seen at a later clock moves the beam ...
    int32_t calm;       // ... and up to this one no line ends on the way
    int32_t lit;        // clock of the first pixel of the line; nothing is lit after the window
    int32_t window_end; // clock
    int32_t dark_end;   // what is written before this cycle is seen before the first pixel of the line
    uint32_t dirty;     // objects that have changed since the line above, as bits, and TIA_OTHERS
} tia_beam;

// While lines are replayed, the blank of an HMOVE belongs to its line at once, and the TIA still has those that the beam
// will come to in the next line. Between replays the TIA has all that the beam has not passed.
MEGA_INLINE void tia_line_take_blank(const tia_beam *beam, mega_line *line, mega_tia *tia) {
    if (tia->hmove_blank && beam->at < beam->lit + 8) {
        tia->hmove_blank = 0;
        line->blank = 1;
    }
}
MEGA_INLINE void tia_beam_calm(tia_beam *beam) {
    const int32_t calm = beam->lit + MEGA_WIDTH;
    beam->calm = calm < beam->window_end ? calm : beam->window_end - 1;
}
// No write is seen later than this after it.
#define TIA_LONGEST_DELAY 11

MEGA_INLINE tia_beam tia_beam_load(mega_line *line, mega_tia *tia) {
    tia_beam beam;
    beam.at = tia->drawn_to;
    beam.moves = beam.at >= line->window_start ? beam.at : line->window_start - 1;
    beam.lit = beam.at + tia->line_left - MEGA_WIDTH;
    beam.window_end = line->window_end;
    beam.dirty = line->dirty;
    tia_beam_calm(&beam);
    beam.dark_end = (beam.lit - TIA_LONGEST_DELAY) / 3 + 1; // nothing remains: a line begins with a cycle
    if (beam.at >= line->window_end) {
        beam.moves = 0x7FFFFFFF;
        beam.lit = beam.at;
        beam.dark_end = 0x7FFFFFFF;
    } else {
        tia_line_take_blank(&beam, line, tia);
    }
    return beam;
}
MEGA_INLINE void tia_beam_store(const tia_beam *beam, mega_line *line, mega_tia *tia) {
    if (tia->drawn_to < beam->window_end) {
        const uint32_t inside = beam->at < beam->window_end;
        tia->drawn_to = beam->at;
        tia->line_left = inside ? beam->lit + MEGA_WIDTH - beam->at : 0;
        if (inside && line->blank && beam->at < beam->lit + 8) {
            line->blank = 0;
            tia->hmove_blank = 1;
        }
    }
    line->stale |= (uint8_t)(beam->dirty & TIA_OBJECTS);
    line->dirty = (uint8_t)beam->dirty;
}
// Its place in the line as a pixel number; 0 or less in the blank.
MEGA_INLINE int32_t tia_beam_pixel(const tia_beam *beam) {
    return beam->at - beam->lit;
}

// Advances to or past the end of a line or of the window. `clock` lies after the beam and not before the window, and the
// beam has not left the window. Template.
MEGA_INLINE void tia_fast_advance_far(tia_beam *beam, mega_line *line, mega_tia *tia, uint8_t *picture,
                                      int32_t clock, uint32_t what) {
    if (clock > beam->window_end) {
        clock = beam->window_end;
    }
    while (clock > beam->lit + MEGA_WIDTH) {
        tia_line_complete(line, tia, picture, beam->dirty, what);
        beam->dirty = tia_line_next(line, tia);
        beam->lit += MEGA_CLOCKS_PER_LINE;
        beam->dark_end += MEGA_CYCLES_PER_LINE;
    }
    beam->at = beam->moves = clock;
    tia_beam_calm(beam);
    if (clock == beam->window_end) {
        tia_line_complete(line, tia, picture, beam->dirty, what);
        line->painted = line->collided = MEGA_WIDTH; // nothing after the window is seen
        beam->moves = 0x7FFFFFFF;
        beam->lit = clock;
        beam->dark_end = 0x7FFFFFFF;
    }
}

// The rules of tia_plain_advance. picture_at is left to tia_fast_settle. Template.
MEGA_INLINE void tia_fast_advance(tia_beam *beam, mega_line *line, mega_tia *tia, uint8_t *picture,
                                  int32_t clock, uint32_t what) {
    if (clock > beam->moves) {
        if (clock > beam->calm) {
            tia_fast_advance_far(beam, line, tia, picture, clock, what);
        } else {
            beam->at = beam->moves = clock;
        }
    }
}

// ---- register writes ---------------------------------------------------------------------------------

// Could what an object showed so far in the line meet anything in a collision that is not known yet? Whatever it could
// meet is enabled now, or has changed in this line.
MEGA_FN uint32_t tia_is_wanted(const mega_line *line, const mega_tia *tia, uint32_t object) {
    const uint32_t own = 1u << object, enabled = tia_enabled_objects(tia), all = enabled | line->cut;
    return (enabled & own) != 0 && (tia_collisions_of[all] & ~(uint32_t)tia_collisions_of[all & ~own] &
                                    ~(uint32_t)tia->collisions) != 0;
}

// What an object showed from done[] to x - 1 is final. Template: `object` is constant.
MEGA_INLINE void tia_line_cut(mega_line *line, const mega_tia *tia, const uint32_t object, uint32_t x) {
    const uint32_t own = 1u << object;
    const tia_words mask =
        (line->stale & own) != 0 ? tia_mask_of(tia, object) : tia_words_load(line->mask[object]);
    tia_words seen = tia_words_and(mask, tia_words_load(tia_below[x]));
    if ((line->cut & own) != 0) {
        seen = tia_words_less(seen, tia_words_load(tia_below[line->done[object]]));
        seen = tia_words_or(seen, tia_words_load(line->seen[object]));
    }
    tia_words_store(line->seen[object], seen);
    line->done[object] = (uint8_t)x;
    line->cut |= (uint8_t)own;
}
// The same where it does not matter what it showed.
MEGA_INLINE void tia_line_cut_unwanted(mega_line *line, const uint32_t object, uint32_t x) {
    const uint32_t own = 1u << object;
    if ((line->cut & own) == 0) {
        tia_words_store(line->seen[object], tia_words_of(0, 0, 0));
    }
    line->done[object] = (uint8_t)x;
    line->cut |= (uint8_t)own;
}

#define CUT_CASE(object)                            \
    case object:                                    \
        if (wanted) {                               \
            tia_line_cut(line, tia, object, x);     \
        } else {                                    \
            tia_line_cut_unwanted(line, object, x); \
        }                                           \
        break
MEGA_INLINE void tia_line_cut_any(mega_line *line, const mega_tia *tia, uint32_t object, uint32_t x,
                                  uint32_t wanted) {
    switch (object) {
        CUT_CASE(MEGA_P0);
        CUT_CASE(MEGA_P1);
        CUT_CASE(MEGA_M0);
        CUT_CASE(MEGA_M1);
        CUT_CASE(MEGA_BL);
        CUT_CASE(MEGA_PF);
    default: break;
    }
}
#undef CUT_CASE

// An object changes at a pixel that is seen.
MEGA_NOINLINE void tia_touch_drawn(mega_line *line, mega_tia *tia, uint8_t *picture, uint32_t object,
                                   uint32_t x) {
    const uint32_t both = CTRLPF_PRIORITY | CTRLPF_SCORE;
    if (x <= line->done[object]) {
        return;
    }
    if (MEGA_UNLIKELY((tia->ctrlpf & both) == both)) {
        // Colours depend on which objects are enabled, so every change ends a piece.
        line->pieces = 1;
        tia_line_color(line, tia, picture, x);
    }
    tia_line_cut_any(line, tia, object, x, 1);
}
MEGA_NOINLINE void tia_touch_collided(mega_line *line, mega_tia *tia, uint32_t object, uint32_t x) {
    if (x > line->done[object]) {
        tia_line_cut_any(line, tia, object, x, tia_is_wanted(line, tia, object));
    }
}
// Blanking changes, or collisions are forgotten, or colours change, at a pixel that is seen.
MEGA_NOINLINE void tia_touch_all_drawn(mega_line *line, mega_tia *tia, uint8_t *picture, uint32_t x) {
    line->pieces = 1;
    tia_line_flush(line, tia, picture, x, TIA_FAST_DRAW);
}
MEGA_NOINLINE void tia_touch_all_collided(mega_line *line, mega_tia *tia, uint32_t x) {
    line->pieces = 1;
    tia_line_flush(line, tia, NULL, x, TIA_FAST_COLLIDE);
}

// An object is about to change. Template; `lit` 0: where nothing is seen.
MEGA_INLINE void tia_touch(tia_beam *beam, mega_line *line, mega_tia *tia, uint8_t *picture, uint32_t object,
                           const uint32_t lit, uint32_t what) {
    const int32_t x = lit ? tia_beam_pixel(beam) : 0;
    if (x > 0) {
        line->stale |= (uint8_t)(beam->dirty & TIA_OBJECTS);
        if ((what & TIA_FAST_DRAW) != 0) {
            tia_touch_drawn(line, tia, picture, object, (uint32_t)x);
        } else {
            tia_touch_collided(line, tia, object, (uint32_t)x);
        }
    }
    beam->dirty |= 1u << object;
}

// Something that all objects share is about to change: what it was shows in `parts`. Template.
MEGA_INLINE void tia_touch_all(tia_beam *beam, mega_line *line, mega_tia *tia, uint8_t *picture,
                               const uint32_t lit, uint32_t parts) {
    const int32_t x = lit ? tia_beam_pixel(beam) : 0;
    if (x > 0 && parts != 0) {
        line->stale |= (uint8_t)(beam->dirty & TIA_OBJECTS);
        if ((parts & TIA_FAST_COLLIDE) != 0) {
            tia_touch_all_collided(line, tia, (uint32_t)x);
        }
        if ((parts & TIA_FAST_DRAW) != 0) {
            tia_touch_all_drawn(line, tia, picture, (uint32_t)x);
        }
    }
    beam->dirty |= TIA_OTHERS;
}

// The objects that HMOVE changes, of those that show.
MEGA_NOINLINE uint32_t tia_touched_by_hmove(const mega_tia *tia, uint32_t line_clock) {
    const uint32_t objects = tia_moved_by_hmove(tia, line_clock / 3u) |
                             (uint32_t)(tia->first_hidden[0] != 0) << MEGA_P0 |
                             (uint32_t)(tia->first_hidden[1] != 0) << MEGA_P1 |
                             (uint32_t)(tia->m0_override != MEGA_M0_NORMAL) << MEGA_M0;
    return objects & tia_enabled_objects(tia);
}
MEGA_INLINE void tia_touch_hmove(tia_beam *beam, mega_line *line, mega_tia *tia, uint8_t *picture,
                                 uint32_t line_clock, const uint32_t lit, uint32_t what) {
    // Most programs strobe it on every line, and nothing moves.
    const uint32_t any = (uint32_t)tia->motion[0] | tia->motion[1] | tia->motion[2] | tia->motion[3] |
                         tia->motion[4] | tia->first_hidden[0] | tia->first_hidden[1] | tia->m0_override;
    if (any == 0 && line_clock < 39) {
        return;
    }
    for (uint32_t objects = tia_touched_by_hmove(tia, line_clock); objects != 0; objects &= objects - 1u) {
        tia_touch(beam, line, tia, picture, (uint32_t)MEGA_LOWEST_BIT(objects), lit, what);
    }
}

// Would an object show anything, wherever it stood? Template: `object` is constant.
MEGA_INLINE uint32_t tia_shows(const mega_tia *tia, const uint32_t object) {
    switch (object) {
    case MEGA_P0:
    case MEGA_P1: return (tia->delay_player[object] ? tia->old_graphics[object] : tia->graphics[object]) != 0;
    case MEGA_M0:
    case MEGA_M1: return tia_missile_enabled(tia, object - MEGA_M0);
    case MEGA_BL: return tia_ball_enabled(tia);
    default: return tia->playfield != 0;
    }
}
// Where an object stands, or how wide it is, is about to change. Template: `object` is constant.
MEGA_INLINE void tia_touch_shown(tia_beam *beam, mega_line *line, mega_tia *tia, uint8_t *picture,
                                 const uint32_t object, const uint32_t lit, uint32_t what) {
    if (tia_shows(tia, object)) {
        tia_touch(beam, line, tia, picture, object, lit, what);
    }
}

// GRPn is about to change. With a delay what shows is the copy, which the other player's write renews. Template: `n` is
// constant.
MEGA_INLINE void tia_touch_graphics(tia_beam *beam, mega_line *line, mega_tia *tia, uint8_t *picture,
                                    const uint32_t n, uint32_t value, const uint32_t lit, uint32_t what) {
    const uint32_t other = n ^ 1u;
    if (!tia->delay_player[n] && tia->graphics[n] != value) {
        tia_touch(beam, line, tia, picture, MEGA_P0 + n, lit, what);
    }
    if (tia->delay_player[other] && tia->old_graphics[other] != tia->graphics[other]) {
        tia_touch(beam, line, tia, picture, MEGA_P0 + other, lit, what);
    }
    if (n == 1 && tia->delay_ball && tia->old_enable_ball != tia->enable_ball) {
        tia_touch(beam, line, tia, picture, MEGA_BL, lit, what);
    }
}

// NUSIZn is about to change; many programs write what is there. Template: `n` is constant.
MEGA_INLINE void tia_touch_nusiz(tia_beam *beam, mega_line *line, mega_tia *tia, uint8_t *picture,
                                 const uint32_t n, uint32_t value, const uint32_t lit, uint32_t what) {
    const uint32_t override = n == 0 ? tia->m0_override : 0u;
    if ((((value ^ tia->nusiz[n]) & 0x37u) | tia->first_hidden[n] | override) != 0) {
        tia_touch_shown(beam, line, tia, picture, MEGA_P0 + n, lit, what);
        tia_touch_shown(beam, line, tia, picture, MEGA_M0 + n, lit, what);
    }
}

// A colour is about to change. That of objects which show nothing in the line, and have not, is not seen. Template: `reg`
// is constant.
MEGA_INLINE void tia_touch_color(tia_beam *beam, mega_line *line, mega_tia *tia, uint8_t *picture,
                                 const uint32_t reg, const uint32_t lit) {
    const uint32_t first = reg == TIA_COLUPF ? MEGA_BL : MEGA_P0 + reg - TIA_COLUP0;
    const uint32_t second = reg == TIA_COLUPF ? MEGA_PF : MEGA_M0 + reg - TIA_COLUP0;
    if (reg == TIA_COLUBK || (tia->ctrlpf & CTRLPF_SCORE) != 0 ||
        (line->cut & (1u << first | 1u << second)) != 0 || tia_shows(tia, first) || tia_shows(tia, second)) {
        tia_touch_all(beam, line, tia, picture, lit, TIA_FAST_DRAW);
    }
}

// CTRLPF is about to change: colours, the ball's width, the right half of the playfield. Template.
MEGA_INLINE void tia_touch_ctrlpf(tia_beam *beam, mega_line *line, mega_tia *tia, uint8_t *picture,
                                  uint32_t value, uint32_t line_clock, const uint32_t lit, uint32_t what) {
    const uint32_t changes = value ^ tia->ctrlpf;
    if ((changes & (CTRLPF_SCORE | CTRLPF_PRIORITY)) != 0) {
        tia_touch_all(beam, line, tia, picture, lit, what & TIA_FAST_DRAW);
    }
    if ((changes & 0x30u) != 0) {
        tia_touch_shown(beam, line, tia, picture, MEGA_BL, lit, what);
    }
    if (line_clock < 147 && ((value ^ tia->pf_reflect) & CTRLPF_REFLECT) != 0) {
        tia_touch_shown(beam, line, tia, picture, MEGA_PF, lit, what);
    }
}

// What must be final before a register changes. Template: `reg` and `what` are constant.
MEGA_INLINE void tia_touch_register(tia_beam *beam, mega_line *line, mega_tia *tia, uint8_t *picture,
                                    const uint32_t reg, uint32_t value, uint32_t line_clock,
                                    const uint32_t lit, uint32_t what) {
    switch (reg) {
    case TIA_GRP0:
    case TIA_GRP1: tia_touch_graphics(beam, line, tia, picture, reg - TIA_GRP0, value, lit, what); break;
    case TIA_PF0:
    case TIA_PF1:
    case TIA_PF2: tia_touch(beam, line, tia, picture, MEGA_PF, lit, what); break;
    case TIA_COLUP0:
    case TIA_COLUP1:
    case TIA_COLUPF:
    case TIA_COLUBK:
        if ((what & TIA_FAST_DRAW) != 0) {
            tia_touch_color(beam, line, tia, picture, reg, lit);
        }
        break;
    case TIA_RESP0:
    case TIA_RESP1: tia_touch_shown(beam, line, tia, picture, reg - TIA_RESP0, lit, what); break;
    case TIA_REFP0:
    case TIA_REFP1: tia_touch_shown(beam, line, tia, picture, reg - TIA_REFP0, lit, what); break;
    case TIA_VDELP0:
    case TIA_VDELP1: tia_touch(beam, line, tia, picture, reg - TIA_VDELP0, lit, what); break;
    case TIA_NUSIZ0:
    case TIA_NUSIZ1: tia_touch_nusiz(beam, line, tia, picture, reg - TIA_NUSIZ0, value, lit, what); break;
    case TIA_ENAM0:
    case TIA_ENAM1: tia_touch(beam, line, tia, picture, MEGA_M0 + reg - TIA_ENAM0, lit, what); break;
    case TIA_RESMP0:
    case TIA_RESMP1: tia_touch(beam, line, tia, picture, MEGA_M0 + reg - TIA_RESMP0, lit, what); break;
    case TIA_RESM0:
    case TIA_RESM1:
    case TIA_RESBL: tia_touch_shown(beam, line, tia, picture, MEGA_M0 + reg - TIA_RESM0, lit, what); break;
    case TIA_ENABL:
        if (!tia->delay_ball) {
            tia_touch(beam, line, tia, picture, MEGA_BL, lit, what);
        }
        break;
    case TIA_VDELBL: tia_touch(beam, line, tia, picture, MEGA_BL, lit, what); break;
    case TIA_HMOVE: tia_touch_hmove(beam, line, tia, picture, line_clock, lit, what); break;
    case TIA_CTRLPF: tia_touch_ctrlpf(beam, line, tia, picture, value, line_clock, lit, what); break;
    case TIA_VBLANK:
    case TIA_CXCLR: tia_touch_all(beam, line, tia, picture, lit, what); break;
    default: break;
    }
}

// Clocks from a write to the moment it shows, as in tia_delay(), for each cycle of four. Writes of colours and motions
// need no beam where they change nothing of what is being replayed: it moves for something else.
#define NONE -0x4000
#define DELAYS(clocks) \
    { clocks, clocks, clocks, clocks }
#define DELAYS2(clocks) DELAYS(clocks), DELAYS(clocks)
#define DELAYS4(clocks) DELAYS2(clocks), DELAYS2(clocks)
#define DELAYS_PF \
    { 4, 5, 2, 3 }
#define DELAY_ROWS(colors)                                                                                  \
    DELAYS(0), DELAYS(1), DELAYS2(0), DELAYS2(8),                  /* VBLANK; NUSIZ */                      \
        DELAYS4(colors), DELAYS(0), DELAYS2(1),                    /* COLU; REFP */                         \
        DELAYS_PF, DELAYS_PF, DELAYS_PF,                           /* PF */                                 \
        DELAYS2(0), DELAYS2(8), DELAYS4(0), DELAYS2(0), DELAYS(0), /* RESM */                               \
        DELAYS2(1), DELAYS2(0), DELAYS(0),                         /* GRP */                                \
        DELAYS2(NONE), DELAYS(0), DELAYS2(NONE), DELAYS2(0), DELAYS(0), DELAYS4(0), DELAYS4(0), DELAYS4(0), \
        DELAYS4(0), DELAYS4(0), DELAYS4(0)
MEGA_TABLE int16_t tia_delays[2][64][4] = {{DELAY_ROWS(NONE)}, {DELAY_ROWS(0)}};
#undef NONE
#undef DELAYS
#undef DELAYS2
#undef DELAYS4
#undef DELAYS_PF
#undef DELAY_ROWS

// One write, with everything that depends on the register folded away: `reg` is constant here. The beam has been
// advanced, but for a RESPn in a copy of the player. Template.
MEGA_INLINE void tia_fast_register(tia_beam *beam, mega_line *line, mega_tia *tia,
                                   const mega_cartridge *cartridge, uint8_t *picture, const uint32_t reg,
                                   uint32_t value, int32_t clock, int32_t resp, const uint32_t lit,
                                   uint32_t what) {
    const uint32_t line_clock = tia_line_clock(tia, clock);
    tia_touch_register(beam, line, tia, picture, reg, value, line_clock, lit, what);
    tia_apply(tia, cartridge, reg, value, clock, line_clock, resp);
    if (reg >= TIA_COLUP0 && reg <= TIA_COLUBK && (what & TIA_FAST_DRAW) != 0) {
        line->color[reg - TIA_COLUP0] = tia_shade(line, tia->colors[reg - TIA_COLUP0]);
    }
    if (reg == TIA_HMOVE && beam->at < beam->window_end) {
        tia_line_take_blank(beam, line, tia);
    }
}

#define FAST_CASE(reg)                                                                              \
    case reg:                                                                                       \
        tia_fast_register(beam, line, tia, cartridge, picture, reg, value, clock, resp, lit, what); \
        break
#define FAST_CASES4(reg)  \
    FAST_CASE(reg);       \
    FAST_CASE((reg) + 1); \
    FAST_CASE((reg) + 2); \
    FAST_CASE((reg) + 3)

MEGA_INLINE void tia_fast_write(tia_beam *beam, mega_line *line, mega_tia *tia,
                                const mega_cartridge *cartridge, uint8_t *picture, uint32_t reg,
                                uint32_t value, int32_t clock, int32_t resp, const uint32_t lit,
                                uint32_t what) {
    switch (reg) {
        FAST_CASE(TIA_VBLANK);
        FAST_CASES4(0x04);
        FAST_CASES4(0x08);
        FAST_CASES4(0x0C);
        FAST_CASES4(0x10);
        FAST_CASE(TIA_RESBL);
        FAST_CASE(TIA_GRP0);
        FAST_CASES4(0x1C);
        FAST_CASES4(0x20);
        FAST_CASES4(0x24);
        FAST_CASES4(0x28);
        FAST_CASE(TIA_CXCLR);
    default: break; // no effect but on the beam
    }
}
#undef FAST_CASE
#undef FAST_CASES4

// A write whose effect no pixel of its line has been drawn before: only registers change. Where the beam is can wait, but
// for RESPn in a copy of the player: returns the clock to which that takes it, or one that has
// passed. Template.
MEGA_INLINE int32_t tia_write_dark(tia_beam *beam, mega_line *line, mega_tia *tia,
                                   const mega_cartridge *cartridge, uint32_t reg, uint32_t value,
                                   int32_t clock, uint32_t what) {
    int32_t resp = TIA_RESP_HIDE;
    if (MEGA_UNLIKELY(reg == TIA_RESP0 || reg == TIA_RESP1)) {
        resp = tia_resp_case(tia, reg - TIA_RESP0, tia_line_clock(tia, clock));
    }
    tia_fast_write(beam, line, tia, cartridge, NULL, reg, value, clock, resp, 0, what);
    return resp == TIA_RESP_DISPLAY ? clock + 11 : clock;
}

// Replays records (mega_machine.h) whose cycles count from `base`, and goes on to clock `until`. Template: `what` is
// constant.
MEGA_INLINE void tia_fast_replay(mega_line *line, mega_tia *tia, const mega_cartridge *cartridge,
                                 uint8_t *picture, const uint32_t *record, const uint32_t *end, uint32_t base,
                                 int32_t until, uint32_t what) {
    const int16_t(*delays)[4] = tia_delays[(what & TIA_FAST_DRAW) != 0];
    const uint32_t frame_start = (uint32_t)(tia->frame_start / 3);
    const uint32_t *const first = record;
    int32_t reset_seen = until; // the last RESPn in the dark, if it takes the beam farther
    tia_beam beam = tia_beam_load(line, tia);
    for (; record < end; record++) {
        const uint32_t word = *record, reg = word >> 8 & 0x3Fu, value = word & 0xFFu;
        const uint32_t cycle = base + (word >> 14);
        const int32_t clock = (int32_t)(3u * cycle);
        if ((int32_t)cycle < beam.dark_end) {
            const int32_t seen = tia_write_dark(&beam, line, tia, cartridge, reg, value, clock, what);
            reset_seen = seen > reset_seen ? seen : reset_seen;
            continue;
        }
        int32_t seen = clock + delays[reg][(cycle - frame_start) & 3u], resp = TIA_RESP_HIDE;
        if (MEGA_UNLIKELY(reg == TIA_RESP0 || reg == TIA_RESP1)) {
            // The copies that are being shown come first.
            tia_fast_advance(&beam, line, tia, picture, seen, what);
            resp = tia_resp_case(tia, reg - TIA_RESP0, tia_line_clock(tia, clock));
            seen = resp == TIA_RESP_DISPLAY ? clock + 11 : seen;
        }
        tia_fast_advance(&beam, line, tia, picture, seen, what);
        tia_fast_write(&beam, line, tia, cartridge, picture, reg, value, clock, resp, 1, what);
    }
    // The last writes may be seen later than that, in the dark too.
    for (; record > first && (int32_t)(3u * (base + (record[-1] >> 14))) + TIA_LONGEST_DELAY > until;
         record--) {
        const uint32_t cycle = base + (record[-1] >> 14);
        const int32_t seen =
            (int32_t)(3u * cycle) + delays[record[-1] >> 8 & 0x3Fu][(cycle - frame_start) & 3u];
        until = seen > until ? seen : until;
    }
    tia_fast_advance(&beam, line, tia, picture, reset_seen > until ? reset_seen : until, what);
    tia_beam_store(&beam, line, tia);
}

#endif
