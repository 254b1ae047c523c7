// mega_scene.h - the TIA of a lane in registers, while it goes through a frame's accesses. Shared source.
//
// A lane of a GPU has no memory that is both close and its own: a TIA that is looked at byte by byte there waits most
// of the time. So while many accesses are gone through (mega_drain.h) it is kept in a few words, most
// of which are the next segment of mega_ahead.h itself, and one table says where the bits of a register go, so that
// lanes with different registers do the same instructions.
//
// What few programs do (a star field, a playfield with both score and priority) is odd: then the TIA goes back to
// memory, and mega_ahead.h does it. The results are the same.
//
// A scene stays in registers only in a function that calls none.
#ifndef MEGA_SCENE_H
#define MEGA_SCENE_H
#include "mega_ahead.h"
#include "mega_bus.h"

#if MEGA_AHEAD

// Places in mega_scene.bits. Those of player or missile 1 follow those of 0.
enum {
    SCENE_REFLECT = 0,
    SCENE_DELAY = 2,
    SCENE_MISSILE = 4,
    SCENE_LOCK = 6, // RESMP
    SCENE_BALL = 8,
    SCENE_OLD_BALL,
    SCENE_DELAY_BALL,
    SCENE_MIRROR, // CTRLPF: what the right half of the playfield will be in the next line
    SCENE_BLANK,  // an HMOVE is going to blank the left edge
    SCENE_SIZE    // NUSIZ: 3 bits of the player and 2 of the missile, twice
};

#define SCENE_BALL_AT(motion) ((motion) >> 24)

// ---- rules -----------------------------------------------------------------------------------------------

// What kind of register it is.
enum {
    SCENE_IDLE,     // shows nothing
    SCENE_PUT,      // bits of it go into a word
    SCENE_GRAPHICS, // GRP0, GRP1
    SCENE_CLEAR,    // HMCLR
    SCENE_STROBE    // it counts even if its value is not new
};
enum {
    SCENE_TO_BITS,
    SCENE_TO_FIELD,
    SCENE_TO_COLORS,
    SCENE_TO_MOTION,
    SCENE_TO_NOTHING
};
// Clocks until it is seen.
enum {
    SCENE_NOW,
    SCENE_SOON,  // 1
    SCENE_LATE,  // 8
    SCENE_CELLS, // as the playfield
    SCENE_UNSEEN // the beam need not even come
};
#define RULE(kind, delay) ((kind) | (delay) << 3)
// Bits from `down` on, as many as the mask has, to `place` of a word.
#define PUT(word, down, mask, place, delay) \
    (RULE(SCENE_PUT, delay) | (word) << 6 | (down) << 8 | (mask) << 11 | (uint32_t)(place) << 19)
#define PUT_BIT(down, place, delay) PUT(SCENE_TO_BITS, down, 1, place, delay)
#define PUT_COLOR(place) PUT(SCENE_TO_COLORS, 1, 0x7F, (place) + 1, SCENE_NOW)
#define PUT_MOTION(i, delay) PUT(SCENE_TO_MOTION, 4, 15, 4 * (i), delay)
#define RULE_KIND(rule) ((rule)&7u)
#define RULE_DELAY(rule) ((rule) >> 3 & 7u)
#define RULE_WORD(rule) ((rule) >> 6 & 3u)
MEGA_SMALL_TABLE uint32_t scene_rules[64] = {
    RULE(SCENE_IDLE, SCENE_NOW),                        // VSYNC
    PUT(SCENE_TO_FIELD, 1, 1, FIELD_BLANK, SCENE_SOON), // VBLANK
    RULE(SCENE_IDLE, SCENE_NOW),                        // WSYNC
    RULE(SCENE_IDLE, SCENE_NOW),                        // RSYNC
    RULE(SCENE_STROBE, SCENE_LATE),                     // NUSIZ0
    RULE(SCENE_STROBE, SCENE_LATE),                     //
    PUT_COLOR(0),                                       // COLUP0
    PUT_COLOR(8),                                       //
    PUT_COLOR(16),                                      //
    PUT_COLOR(24),                                      //
    RULE(SCENE_STROBE, SCENE_NOW),                      // CTRLPF
    PUT_BIT(3, SCENE_REFLECT, SCENE_SOON),              // REFP0
    PUT_BIT(3, SCENE_REFLECT + 1, SCENE_SOON),          //
    PUT(SCENE_TO_FIELD, 4, 15, 0, SCENE_CELLS),         // PF0
    PUT(SCENE_TO_FIELD, 0, 0xFF, 4, SCENE_CELLS),       // PF1, reversed
    PUT(SCENE_TO_FIELD, 0, 0xFF, 12, SCENE_CELLS),      // PF2
    RULE(SCENE_STROBE, SCENE_NOW),                      // RESP0
    RULE(SCENE_STROBE, SCENE_NOW),                      //
    RULE(SCENE_STROBE, SCENE_LATE),                     // RESM0
    RULE(SCENE_STROBE, SCENE_LATE),                     //
    RULE(SCENE_STROBE, SCENE_NOW),                      // RESBL
    0,                                                  // sound
    0,                                                  //
    0,                                                  //
    0,                                                  //
    0,                                                  //
    0,                                                  //
    RULE(SCENE_GRAPHICS, SCENE_SOON),                   // GRP0
    RULE(SCENE_GRAPHICS, SCENE_SOON),                   //
    PUT_BIT(1, SCENE_MISSILE, SCENE_NOW),               // ENAM0
    PUT_BIT(1, SCENE_MISSILE + 1, SCENE_NOW),           //
    PUT_BIT(1, SCENE_BALL, SCENE_NOW),                  // ENABL
    PUT_MOTION(0, SCENE_UNSEEN),                        // HMP0
    PUT_MOTION(1, SCENE_UNSEEN),                        //
    PUT_MOTION(2, SCENE_NOW),                           // HMM0: may begin a star field
    PUT_MOTION(3, SCENE_UNSEEN),                        //
    PUT_MOTION(4, SCENE_UNSEEN),                        // HMBL
    PUT_BIT(0, SCENE_DELAY, SCENE_NOW),                 // VDELP0
    PUT_BIT(0, SCENE_DELAY + 1, SCENE_NOW),             //
    PUT_BIT(0, SCENE_DELAY_BALL, SCENE_NOW),            // VDELBL
    PUT_BIT(1, SCENE_LOCK, SCENE_NOW),                  // RESMP0
    PUT_BIT(1, SCENE_LOCK + 1, SCENE_NOW),              //
    RULE(SCENE_STROBE, SCENE_NOW),                      // HMOVE
    RULE(SCENE_CLEAR, SCENE_NOW),                       // HMCLR
    RULE(SCENE_STROBE, SCENE_NOW),                      // CXCLR
};
#undef PUT
#undef PUT_BIT
#undef PUT_COLOR
#undef PUT_MOTION
#undef RULE

// ---- words -----------------------------------------------------------------------------------------------

MEGA_INLINE uint32_t scene_reverse_byte(uint32_t byte) {
    return MEGA_REVERSE32(byte) >> 24;
}
MEGA_INLINE uint32_t scene_put_bits(uint32_t word, uint32_t mask, uint32_t place, uint32_t value) {
    return (word & ~(mask << place)) | value << place;
}
MEGA_INLINE uint32_t scene_get(const mega_scene *scene, uint32_t which) {
    const uint32_t low = which == SCENE_TO_BITS ? scene->bits : scene->field;
    const uint32_t high = which == SCENE_TO_COLORS ? scene->colors : scene->motion;
    return which < SCENE_TO_COLORS ? low : high;
}
MEGA_INLINE uint32_t scene_changed_word(uint32_t word, uint32_t rule, uint32_t reg, uint32_t value) {
    const uint32_t mask = rule >> 11 & 0xFFu;
    const uint32_t shown = reg == TIA_PF1 ? scene_reverse_byte(value) : value;
    return scene_put_bits(word, mask, rule >> 19, shown >> (rule >> 8 & 7u) & mask);
}
// GRP0 and GRP1 also copy the other player's graphics, and the ball's.
MEGA_INLINE uint32_t scene_changed_graphics(uint32_t graphics, uint32_t reg, uint32_t value) {
    return reg == TIA_GRP0 ? (graphics & 0x00FFFF00u) | value | (graphics << 16 & 0xFF000000u)
                           : (graphics & 0xFF0000FFu) | value << 8 | (graphics << 16 & 0x00FF0000u);
}
MEGA_INLINE uint32_t scene_copy_ball(uint32_t bits) {
    return scene_put_bits(bits, 1u, SCENE_OLD_BALL, bits >> SCENE_BALL & 1u);
}

// Changes the registers, without a picture.
MEGA_INLINE void scene_take(mega_scene *scene, uint32_t rule, uint32_t reg, uint32_t value) {
    const uint32_t kind = RULE_KIND(rule);
    const uint32_t which = kind == SCENE_PUT ? RULE_WORD(rule) : SCENE_TO_NOTHING;
    const uint32_t old = scene_get(scene, which), word = scene_changed_word(old, rule, reg, value);
    const uint32_t graphics =
        kind == SCENE_GRAPHICS ? scene_changed_graphics(scene->graphics, reg, value) : scene->graphics;
    const uint32_t bits = reg == TIA_GRP1 ? scene_copy_ball(scene->bits) : scene->bits;
    const uint32_t motion = kind == SCENE_CLEAR ? scene->motion & 0xFF000000u : scene->motion;
    scene->graphics = graphics;
    scene->bits = which == SCENE_TO_BITS ? word : bits;
    scene->field = which == SCENE_TO_FIELD ? word : scene->field;
    scene->colors = which == SCENE_TO_COLORS ? word : scene->colors;
    scene->motion = which == SCENE_TO_MOTION ? word : motion;
}

// What the players, the missiles and the ball show, from the registers.
MEGA_INLINE void scene_dress(mega_scene *scene) {
    const uint32_t bits = scene->bits;
    uint32_t objects = scene->objects & 3u << OBJECT_HIDDEN;
    for (uint32_t n = 0; n < 2; n++) {
        const uint32_t from = (bits >> (SCENE_DELAY + n) & 1u) != 0 ? 16u + 8u * n : 8u * n;
        const uint32_t shown = scene->graphics >> from & 0xFFu;
        const uint32_t pattern = (bits >> (SCENE_REFLECT + n) & 1u) != 0 ? shown : scene_reverse_byte(shown);
        const uint32_t size = bits >> (SCENE_SIZE + 5u * n);
        const uint32_t enabled = bits >> (SCENE_MISSILE + n) & ~(bits >> (SCENE_LOCK + n)) & 1u;
        objects |= pattern << 8u * n | (size & 7u) << (OBJECT_MODE + 3u * n);
        objects |= (enabled != 0 ? 1u + (size >> 3 & 3u) : 0u) << (OBJECT_MISSILE + 3u * n);
    }
    const uint32_t ball = bits >> ((bits >> SCENE_DELAY_BALL & 1u) != 0 ? SCENE_OLD_BALL : SCENE_BALL) & 1u;
    scene->objects = objects;
    scene->field = scene_put_bits(scene->field, 1u, FIELD_BALL, ball);
}

// ---- to and from memory ----------------------------------------------------------------------------------

MEGA_NOINLINE void scene_load(const mega_machine *m, mega_scene *scene) {
    const mega_tia *tia = &m->console->tia;
    const mega_ahead *ahead = &m->ahead;
    const uint32_t both = CTRLPF_SCORE | CTRLPF_PRIORITY;
    uint32_t bits = 0, motion = (uint32_t)tia->position[MEGA_BL] << 24;
    for (uint32_t n = 0; n < 2; n++) {
        bits |= (uint32_t)tia->reflect[n] << (SCENE_REFLECT + n);
        bits |= (uint32_t)tia->delay_player[n] << (SCENE_DELAY + n);
        bits |= (uint32_t)tia->enable_missile[n] << (SCENE_MISSILE + n);
        bits |= (uint32_t)tia->missile_to_player[n] << (SCENE_LOCK + n);
        bits |= (uint32_t)((tia->nusiz[n] & 7u) | (tia->nusiz[n] >> 1 & 0x18u)) << (SCENE_SIZE + 5u * n);
    }
    bits |= (uint32_t)tia->enable_ball << SCENE_BALL | (uint32_t)tia->old_enable_ball << SCENE_OLD_BALL |
            (uint32_t)tia->delay_ball << SCENE_DELAY_BALL;
    bits |= (uint32_t)(tia->ctrlpf & CTRLPF_REFLECT) << SCENE_MIRROR;
    bits |= (uint32_t)tia->hmove_blank << SCENE_BLANK;
    for (uint32_t i = 0; i < 5; i++) {
        motion |= (uint32_t)tia->motion[i] << 4u * i;
    }
    scene->field = ahead_pack_field(tia);
    scene->objects = (uint32_t)tia->first_hidden[0] << OBJECT_HIDDEN | (uint32_t)tia->first_hidden[1]
                                                                           << (OBJECT_HIDDEN + 1);
    scene->positions = ahead_pack_four(tia->position);
    scene->colors = ahead_pack_four(tia->colors);
    scene->graphics = (uint32_t)tia->graphics[0] | (uint32_t)tia->graphics[1] << 8 |
                      (uint32_t)tia->old_graphics[0] << 16 | (uint32_t)tia->old_graphics[1] << 24;
    scene->bits = bits;
    scene->motion = motion;
    scene->frame_start = tia->frame_start;
    scene->window_start = ahead->window_start;
    scene->window_end = ahead->window_end;
    scene->log = m->run.log;
    scene->drawn_to = tia->drawn_to;
    scene->line_end = tia->drawn_to + tia->line_left;
    scene->last_hmove = tia->last_hmove;
    scene->row = ahead->row;
    scene->row_first = scene->log->first[ahead->row];
    scene->segments = ahead->segments;
    scene->last = ahead->last;
    scene->blanks = m->cartridge->hmove_blanks;
    scene->unseen = m->run.unseen;
    scene->odd = tia->star_field || tia->m0_override != MEGA_M0_NORMAL || (tia->ctrlpf & both) == both;
    scene_dress(scene);
}

MEGA_NOINLINE void scene_store(const mega_scene *scene, mega_machine *m) {
    mega_tia *tia = &m->console->tia;
    mega_ahead *ahead = &m->ahead;
    const uint32_t bits = scene->bits, field = scene->field;
    if (scene->odd) {
        return;
    }
    for (uint32_t n = 0; n < 2; n++) {
        const uint32_t size = bits >> (SCENE_SIZE + 5u * n);
        tia->reflect[n] = bits >> (SCENE_REFLECT + n) & 1u;
        tia->delay_player[n] = bits >> (SCENE_DELAY + n) & 1u;
        tia->enable_missile[n] = bits >> (SCENE_MISSILE + n) & 1u;
        tia->missile_to_player[n] = bits >> (SCENE_LOCK + n) & 1u;
        tia->nusiz[n] = (uint8_t)((size & 7u) | (size << 1 & 0x30u));
        tia->first_hidden[n] = scene->objects >> (OBJECT_HIDDEN + n) & 1u;
        tia->graphics[n] = (uint8_t)(scene->graphics >> 8u * n);
        tia->old_graphics[n] = (uint8_t)(scene->graphics >> (16u + 8u * n));
    }
    tia->enable_ball = bits >> SCENE_BALL & 1u;
    tia->old_enable_ball = bits >> SCENE_OLD_BALL & 1u;
    tia->delay_ball = bits >> SCENE_DELAY_BALL & 1u;
    tia->hmove_blank = bits >> SCENE_BLANK & 1u;
    tia->ctrlpf = (uint8_t)((bits >> SCENE_MIRROR & 1u) | (field >> FIELD_SCORE & 1u) << 1 |
                            (field >> FIELD_PRIORITY & 1u) << 2 | (field >> FIELD_BALL_WIDTH & 3u) << 4);
    tia->pf_reflect = field >> FIELD_REFLECT & 1u;
    tia->vblank = (uint8_t)((field >> FIELD_BLANK & 1u) << 1);
    tia->playfield = (field & 0xFF00Fu) | scene_reverse_byte(field >> 4 & 0xFFu) << 4;
    for (uint32_t i = 0; i < 4; i++) {
        tia->colors[i] = (uint8_t)(scene->colors >> 8u * i);
        tia->position[i] = (uint8_t)(scene->positions >> 8u * i);
    }
    tia->position[MEGA_BL] = (uint8_t)SCENE_BALL_AT(scene->motion);
    for (uint32_t i = 0; i < 5; i++) {
        tia->motion[i] = scene->motion >> 4u * i & 15u;
    }
    tia->drawn_to = scene->drawn_to;
    tia->line_left = scene->line_end - scene->drawn_to;
    tia->last_hmove = scene->last_hmove;
    scene->log->first[scene->row] = (uint16_t)scene->row_first;
    ahead->row = scene->row;
    ahead->segments = scene->segments;
    ahead->last = scene->last;
    ahead->changed = PART_ALL; // whoever goes on from here looks for himself
}

// Where the beam is, for those who look for collisions.
MEGA_FN void scene_tell_place(const mega_scene *scene, mega_machine *m) {
    if (!scene->odd) {
        m->ahead.row = scene->row;
        m->ahead.segments = scene->segments;
        m->console->tia.drawn_to = scene->drawn_to;
        m->console->tia.line_left = scene->line_end - scene->drawn_to;
    }
}

// ---- the beam --------------------------------------------------------------------------------------------

// Could anything collide?
MEGA_INLINE uint32_t scene_may_collide(uint32_t field, uint32_t objects) {
    const uint32_t players = (uint32_t)((objects & 0xFFu) != 0) + ((objects & 0xFF00u) != 0);
    const uint32_t missiles =
        (uint32_t)((objects & 7u << OBJECT_MISSILE) != 0) + ((objects & 7u << (OBJECT_MISSILE + 3)) != 0);
    const uint32_t others = (uint32_t)((field & 0xFFFFFu) != 0) + (field >> FIELD_BALL & 1u);
    return players + missiles + others > 1 && (field >> FIELD_BLANK & 1u) == 0;
}

// Is what the beam shows from here on another segment? For collisions alone neither colours count, nor a change from
// nothing that collides to nothing that does.
MEGA_INLINE uint32_t scene_is_news(const mega_scene *scene) {
    const mega_segment *last = &scene->last;
    const uint32_t unseen = scene->unseen;
    const uint32_t shape = (SCENE_BALL_AT(scene->motion) ^ last->from >> 24) |
                           (scene->objects ^ last->objects) | (scene->positions ^ last->positions);
    const uint32_t paint = unseen ? 0u : scene->colors ^ last->colors;
    const uint32_t field = (scene->field ^ last->field) & (unseen ? ~(3u << FIELD_SCORE) : 0xFFFFFFFFu);
    return (shape | paint | field) != 0 && (!unseen || scene_may_collide(scene->field, scene->objects) ||
                                            scene_may_collide(last->field, last->objects));
}

// The rules of ahead_leave() and ahead_advance().
MEGA_INLINE void scene_leave(mega_scene *scene, uint32_t x) {
    const uint32_t is_first = scene->segments == 0;
    if (is_first || scene_is_news(scene)) {
        scene->last.from = x | scene->row << 8 | (scene->motion & 0xFF000000u);
        scene->last.field = scene->field;
        scene->last.objects = scene->objects;
        scene->last.positions = scene->positions;
        scene->last.colors = scene->colors;
        log_put_segment(scene->log, scene->segments++, &scene->last);
    }
    if (x == 0 || is_first) {
        scene->row_first = scene->segments - 1u;
    }
}

MEGA_INLINE void scene_advance(mega_scene *scene, int32_t clock) {
    if (clock <= scene->drawn_to || clock < scene->window_start || scene->drawn_to >= scene->window_end) {
        return;
    }
    clock = clock < scene->window_end ? clock : scene->window_end;
    MEGA_ROLLED
    for (;;) {
        const uint32_t past_end = clock > scene->line_end;
        const int32_t old_left = scene->line_end - scene->drawn_to;
        const int32_t left = past_end ? 0 : scene->line_end - clock;
        const int32_t x = MEGA_CLOCKS_PER_LINE - MEGA_CLOCKS_BLANK - old_left;
        if (left < MEGA_CLOCKS_PER_LINE - MEGA_CLOCKS_BLANK && x < MEGA_WIDTH) {
            scene_leave(scene, x > 0 ? (uint32_t)x : 0u);
        }
        if ((scene->bits >> SCENE_BLANK & 1u) != 0 && old_left > TIA_LEFT_AFTER_BLANK &&
            left <= TIA_LEFT_AFTER_BLANK) {
            scene->bits &= ~(1u << SCENE_BLANK);
            scene->row_first |= MEGA_ROW_BLANKED;
        }
        if (!past_end) {
            scene->drawn_to = clock;
            return;
        }
        if (!scene->unseen) {
            scene->log->first[scene->row] = (uint16_t)scene->row_first;
        }
        // tia_end_line()
        scene->drawn_to = scene->line_end;
        scene->line_end += MEGA_CLOCKS_PER_LINE;
        scene->objects &= ~(3u << OBJECT_HIDDEN);
        scene->field = scene_put_bits(scene->field, 1u, FIELD_REFLECT, scene->bits >> SCENE_MIRROR & 1u);
        scene->row++;
    }
}

// ---- strobes ---------------------------------------------------------------------------------------------

MEGA_INLINE uint32_t scene_position(const mega_scene *scene, uint32_t object) {
    return object == MEGA_BL ? SCENE_BALL_AT(scene->motion) : scene->positions >> 8u * object & 0xFFu;
}
MEGA_INLINE void scene_set_position(mega_scene *scene, uint32_t object, uint32_t position) {
    if (object == MEGA_BL) {
        scene->motion = (scene->motion & 0xFFFFFu) | position << 24;
    } else {
        scene->positions = scene_put_bits(scene->positions, 0xFFu, 8u * object, position);
    }
}

MEGA_INLINE void scene_hmove(mega_scene *scene, int32_t clock, uint32_t line_clock) {
    const uint32_t cycle = line_clock / 3u;
    if ((scene->motion & 0xFFFFFu) != 0 || cycle > 12) {
        MEGA_ROLLED
        for (uint32_t object = 0; object < 5; object++) {
            const int32_t moved = (int32_t)scene_position(scene, object) +
                                  tia_motion(cycle, scene->motion >> 4u * object & 15u);
            scene_set_position(scene, object, tia_wrap_position(moved));
        }
    }
    scene->bits |= (cycle <= 20 || cycle == 75 ? scene->blanks : 0u) << SCENE_BLANK;
    scene->objects &= ~(3u << OBJECT_HIDDEN);
    scene->last_hmove = clock;
}

MEGA_INLINE void scene_strobe(mega_scene *scene, mega_machine *m, uint32_t reg, uint32_t value, int32_t clock,
                              uint32_t line_clock, int32_t resp) {
    switch (reg) {
    case TIA_NUSIZ0:
    case TIA_NUSIZ1: {
        const uint32_t n = reg - TIA_NUSIZ0;
        scene->bits =
            scene_put_bits(scene->bits, 0x1Fu, SCENE_SIZE + 5u * n, (value & 7u) | (value >> 1 & 0x18u));
        scene->objects &= ~(1u << (OBJECT_HIDDEN + n));
        break;
    }
    case TIA_CTRLPF:
        scene->bits = scene_put_bits(scene->bits, 1u, SCENE_MIRROR, value & CTRLPF_REFLECT);
        scene->field &= ~(1u << FIELD_SCORE | 1u << FIELD_PRIORITY | 3u << FIELD_BALL_WIDTH);
        scene->field |= (value >> 1 & 1u) << FIELD_SCORE | (value >> 2 & 1u) << FIELD_PRIORITY |
                        (value >> 4 & 3u) << FIELD_BALL_WIDTH;
        if (line_clock < 147) {
            scene->field = scene_put_bits(scene->field, 1u, FIELD_REFLECT, value & CTRLPF_REFLECT);
        }
        break;
    case TIA_RESP0:
    case TIA_RESP1: {
        const uint32_t n = reg - TIA_RESP0;
        scene_set_position(scene, n, tia_resp_position(line_clock));
        scene->objects = scene_put_bits(scene->objects, 1u, OBJECT_HIDDEN + n, resp != TIA_RESP_DELAY);
        break;
    }
    case TIA_RESM0:
    case TIA_RESM1:
    case TIA_RESBL:
        scene_set_position(scene, reg - TIA_RESM0 + MEGA_M0,
                           tia_reset_place(reg, clock - scene->last_hmove, line_clock));
        break;
    case TIA_HMOVE: scene_hmove(scene, clock, line_clock); break;
    case TIA_CXCLR: {
        // Whatever was owed is forgotten.
        const int32_t x = MEGA_CLOCKS_PER_LINE - MEGA_CLOCKS_BLANK - (scene->line_end - scene->drawn_to);
        m->ahead.owed = MEGA_WIDTH * scene->row + (x > 0 ? (uint32_t)x : 0u);
        m->ahead.owed_segment = scene->segments != 0 ? scene->segments - 1u : 0u;
        m->console->tia.collisions = 0;
        break;
    }
    default: break;
    }
}

// ---- a write ---------------------------------------------------------------------------------------------

// Would the scene be odd after this write?
MEGA_INLINE uint32_t scene_is_odd_with(const mega_scene *scene, uint32_t reg, uint32_t value, int32_t clock) {
    const uint32_t both = CTRLPF_SCORE | CTRLPF_PRIORITY;
    return scene->odd || (reg == TIA_CTRLPF && (value & both) == both) ||
           (reg == TIA_HMM0 && clock == scene->last_hmove + 63 && (scene->motion >> 8 & 15u) == 7 &&
            value >> 4 == 6);
}

// The rules of ahead_apply(), for a write that is news or must be seen.
MEGA_INLINE void scene_write(mega_scene *scene, mega_machine *m, uint32_t rule, uint32_t reg, uint32_t value,
                             int32_t clock) {
    const uint32_t line_clock = (uint32_t)(clock - scene->frame_start) % MEGA_CLOCKS_PER_LINE;
    const uint32_t kind = RULE_KIND(rule), delay = RULE_DELAY(rule);
    int32_t resp = TIA_RESP_HIDE, later = delay == SCENE_SOON ? 1 : delay == SCENE_LATE ? 8 : 0;
    if (delay == SCENE_CELLS) {
        later = tia_delay(TIA_PF0, line_clock);
    }
    if (reg == TIA_RESP0 || reg == TIA_RESP1) {
        const uint32_t n = reg - TIA_RESP0;
        resp =
            tia_resp_case_of(scene_position(scene, n), scene->bits >> (SCENE_SIZE + 5u * n) & 7u, line_clock);
        later = resp == TIA_RESP_DISPLAY ? 11 : 0;
    }
    if (delay != SCENE_UNSEEN) {
        scene_advance(scene, clock + later);
    }
    if ((reg == TIA_RESMP0 || reg == TIA_RESMP1) && (value & 2u) == 0) {
        const uint32_t n = reg - TIA_RESMP0, size = scene->bits >> (SCENE_SIZE + 5u * n);
        if ((scene->bits >> (SCENE_LOCK + n) & 1u) != 0) {
            scene_set_position(scene, MEGA_M0 + n,
                               (scene_position(scene, n) + (4u << tia_player_shift(size))) % MEGA_WIDTH);
        }
    }
    scene_take(scene, rule, reg, value);
    if (kind == SCENE_STROBE) {
        scene_strobe(scene, m, reg, value, clock, line_clock, resp);
    }
    if (kind == SCENE_GRAPHICS || (kind == SCENE_PUT && RULE_WORD(rule) == SCENE_TO_BITS) ||
        reg == TIA_NUSIZ0 || reg == TIA_NUSIZ1) {
        scene_dress(scene);
    }
}

#endif
#endif
