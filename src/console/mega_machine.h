// mega_machine.h - a console with all that it is connected to: cartridge image, controllers, picture.
// Shared source. Pointers live here and never in the state.
#ifndef MEGA_MACHINE_H
#define MEGA_MACHINE_H
#include "mega_cartridge.h"
#include "mega_state.h"

// Controllers and switches as the chips see them; constant during a frame request.
typedef struct mega_input {
    uint32_t charge[4]; // INPT0..3: cycles until the paddle's capacitor is charged, or one of the two below
    uint8_t swcha;      // a bit is 0 while its contact is closed
    uint8_t swchb;
    uint8_t fire[2]; // INPT4, INPT5: 0x80 or, while pressed, 0
} mega_input;
#define MEGA_CHARGE_AT_ONCE 0u        // paddle with resistance 0
#define MEGA_CHARGE_NEVER 0xFFFFFFFFu // no paddle

// TIA writes of one frame request, in order, without those that change nothing.
// A record is cycle << 14 | register << 8 | value, with the cycle counted from the start of the request.
#if MEGA_AHEAD
#define MEGA_LOG_RECORDS 2048 // there are many logs; a longer frame is drawn in parts
#else
#define MEGA_LOG_RECORDS 6144
#endif
enum {
    MEGA_SLOT_EMPTY,   // nothing, or a ragged request, whose pixels are all there is
    MEGA_SLOT_PENDING, // a clean frame whose picture in colours has not been drawn
    MEGA_SLOT_DRAWN    // a clean frame whose picture in colours has been drawn
};
#if MEGA_AHEAD
// What the picture is made of from a pixel on; see mega_ahead.h.
typedef struct mega_segment {
    uint32_t from; // x, row << 8, position of the ball << 24
    uint32_t field, objects, positions, colors;
} mega_segment;
// All but its beginning, as a log has it: a lane writes these at once.
typedef struct MEGA_ALIGNED16 mega_segment_body {
    uint32_t field, objects, positions, colors;
} mega_segment_body;
#define MEGA_SEGMENTS 1792
#define MEGA_ROW_BLANKED 0x8000u // with first[]: HMOVE blanked the row's left edge
#endif

typedef struct mega_log {
    mega_tia start;      // the TIA when the request began: drawing can be repeated from here
    uint32_t base_cycle; // cycle at which the request began
    uint32_t count;
    uint32_t replayed; // records that the TIA has seen
    int32_t end_clock; // where the beam stood when the request ended
    uint8_t state;     // MEGA_SLOT_*
    uint8_t picture;   // which picture it belongs to
    uint8_t shaded;    // 1: its shaded picture has been drawn
    uint8_t lined;     // 1: its segments show the picture (mega_ahead.h)
    MEGA_ALIGNED16 uint32_t record[MEGA_LOG_RECORDS];
#if MEGA_AHEAD
    uint32_t segments;
    uint16_t first[MEGA_PICTURE_ROWS + 4]; // by row: the segment at its left edge
    uint32_t from[MEGA_SEGMENTS];
    mega_segment_body body[MEGA_SEGMENTS];
#endif
} mega_log;

#if MEGA_AHEAD
MEGA_FN mega_segment log_segment(const mega_log *log, uint32_t i) {
    const mega_segment_body body = log->body[i];
    const mega_segment segment = {log->from[i], body.field, body.objects, body.positions, body.colors};
    return segment;
}
MEGA_FN void log_put_segment(mega_log *log, uint32_t i, const mega_segment *segment) {
    const mega_segment_body body = {segment->field, segment->objects, segment->positions, segment->colors};
    log->from[i] = segment->from;
    log->body[i] = body;
}
#endif

// Scratch of the fast renderer: the current line, object by object, as 160-bit masks. The last word is not used; four make
// one vector.
#define MEGA_MASK_WORDS 4
typedef struct mega_line {
    uint64_t mask[MEGA_OBJECTS][MEGA_MASK_WORDS]; // the whole line as the object's registers are now
    uint64_t seen[MEGA_OBJECTS]
                 [MEGA_MASK_WORDS];   // what is final: pixels below done[], where the object is cut
    int32_t window_start, window_end; // clocks of the display window
    const uint8_t *shades;            // brightness of each colour, or NULL to draw the colours themselves
    int32_t row_at;                   // offset in the picture of the line's first pixel
    uint8_t color[4];                 // what the colour registers look like
    uint8_t done[MEGA_OBJECTS];
    uint8_t stale;       // bit o: mask[o] is out of date
    uint8_t present;     // bit o: mask[o] has pixels (valid where it is not stale)
    uint8_t cut;         // bit o: the object has changed in the line
    uint8_t painted;     // pixels below have had their colours
    uint8_t collided;    // pixels below have had their collisions
    uint8_t dirty;       // what differs from the line before: TIA_OBJECTS, TIA_OTHERS
    uint8_t pieces;      // 1: the line is not of one piece, so the next one may differ
    uint8_t blank;       // 1: the first 8 pixels are blanked
    uint8_t blank_above; // 1: those of the line before are
    uint8_t lost;        // 1: the beam has moved on without; tia_line_begin() makes it right again
} mega_line;

enum {
    MEGA_DRAW_NOTHING,
    MEGA_DRAW_COLORS,
    MEGA_DRAW_SHADES
};
#define MEGA_UNTOUCHED 0xFF
enum {
    MEGA_EVENT_STOP = 1, // the frame ended
    MEGA_EVENT_REMAP = 2 // a bank was switched
};
// Scratch of one frame request: what the processor's side knows without looking at the state.
typedef struct mega_run {
    mega_log *log;       // of the present request
    uint32_t logged;     // its records so far; log->count follows when somebody reads the log
    uint32_t window[16]; // offset in the image of the 1 KiB at address bits 13..10; see mega_cart.h
    uint32_t plain_low;  // cartridge addresses that are plain ROM in this scheme: low <= a < low + span
    uint32_t plain_span;
    int32_t watchdog;       // cycle from which any TIA write ends the frame
    int32_t line_origin;    // cycle at which line 0 began
    uint32_t touch_cycle;   // last access to the TIA ...
    uint8_t touch_register; // ... and its register (0x3F for reads, or MEGA_UNTOUCHED)
    uint8_t keep_next;      // 1: HMOVE was logged last, and the next access counts even if it changes nothing
    uint8_t events;         // MEGA_EVENT_*: what the interpreter must look at after an access
    uint8_t watches_low;    // 1: the cartridge reacts to addresses outside its space
    uint8_t drawing;        // what is drawn while replaying: MEGA_DRAW_*
    uint8_t unseen;         // 1: the picture will hardly ever be asked for
    uint8_t painted;        // 1: the request is ragged, and a warp has drawn it
    uint8_t shadow[64];     // TIA registers as last written, masked; 0xFF for those that are not compared so
    uint8_t graphics[2];    // GRP0, GRP1
    uint8_t shadow_old[3];  // old_graphics[0], old_graphics[1], old_enable_ball
    uint8_t vblank;         // 0 or 2
#if !MEGA_AHEAD
    uint32_t hmove_cycle;    // the last HMOVE ...
    uint32_t after_hmove;    // ... the access after it, as a record, if that is not in the log, or 0 ...
    uint32_t after_hmove_at; // ... and its place there
#endif
} mega_run;

// Pictures and logs of one console. Not part of the state, as in the reference.
typedef struct mega_video {
    uint8_t picture[2][MEGA_WIDTH * MEGA_PICTURE_ROWS]; // colours
#if !MEGA_AHEAD
    // Brightness, for those who see in gray (picture_look_shaded); segments are drawn in it without.
    uint8_t shaded[2][MEGA_WIDTH * MEGA_PICTURE_ROWS];
#endif
    uint8_t current; // picture of the present frame
    uint8_t slot;    // log of the present request
    uint8_t pad[6];
    mega_line line;
    mega_log log[3]; // the present request and the two before it
} mega_video;

#if MEGA_AHEAD
// Where the beam is, and from where on collisions are owed (mega_ahead.h).
typedef struct mega_ahead {
    int32_t window_start, window_end; // clocks of the display window
    uint32_t row;                     // of the picture that the beam is in
    uint32_t owed;                    // the first pixel whose collisions nobody has looked for ...
    uint32_t owed_segment;            // ... and the segment that was last before it
    uint32_t segments;                // so far
    uint32_t changed;                 // parts that may have changed since the last segment
    mega_segment last;
} mega_ahead;

// The TIA in words; see mega_scene.h.
typedef struct mega_scene {
    uint32_t field, objects, positions, colors; // as in a segment, of this moment
    uint32_t graphics;                          // GRP0, GRP1 and their old copies
    uint32_t bits;
    uint32_t motion; // five nibbles, and the position of the ball << 24
    int32_t frame_start, window_start, window_end;
    int32_t drawn_to, line_end; // the latter of the line that the beam is in
    int32_t last_hmove;
    mega_log *log;
    uint32_t row, row_first; // of the picture, and the segment at its left edge with MEGA_ROW_BLANKED
    uint32_t segments;
    mega_segment last;
    uint32_t blanks; // 1: HMOVE blanks the left edge
    uint32_t unseen; // 1: there are segments for collisions only
    uint32_t odd;    // 1: only the TIA in memory is right
} mega_scene;

// Accesses to the TIA that were noted, as records of the log; see mega_notes.h.
#define MEGA_NOTES_ROOM 1024
#define MEGA_NO_NOTE 0u // nothing happens in cycle 0 of a request
typedef struct mega_notes {
    uint32_t count;
    uint32_t drained;    // those before it have been gone through
    uint32_t other;      // the last access that was not noted, as if it were, or MEGA_NO_NOTE
    uint32_t staged;     // 1: the registers of the TIA are in `scene`, and those of the console are old
    uint32_t cleared;    // the number of the last note that clears collisions + 1, or 0
    int32_t known_until; // collisions can be read before this clock without looking for any
    int32_t shift;       // a note's number in the log, less its number here
    uint32_t written;    // those before it are in the log, as far as it needs them
    mega_scene scene;
    uint32_t note[MEGA_NOTES_ROOM];
} mega_notes;
#endif

struct mega_outside;
struct mega_machine;
// Translated code of a cartridge (mega_translated.h); returns what is left of the budget of instructions.
typedef uint32_t mega_translated(struct mega_machine *m, uint32_t budget, const struct mega_outside *outside);

typedef struct mega_machine {
    mega_console *console;
    const mega_cartridge *cartridge;
    const uint8_t *image;
    const uint8_t *shades; // 256 values of brightness for MEGA_DRAW_SHADES
    uint8_t *cart_ram;     // cartridge->ram_size bytes; console->cart.ram when they fit there
    mega_video *video;
    mega_translated *translated; // NULL where everything is interpreted
    mega_input input;
    mega_run run;
#if MEGA_AHEAD
    mega_ahead ahead;
    mega_notes notes;
#endif
} mega_machine;

#endif
