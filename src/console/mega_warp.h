// mega_warp.h - a frame of many consoles in step, one console per lane of a warp. Shared source.
//
// Consoles of one game do nearly the same work in a frame, only not at the same moment. So the lanes of a warp vote
// on what is executed next: those that stand at the same instruction run together up to the next transfer of
// control, and the others wait. The order lets lanes that are behind catch up: first those in the earliest window
// of 256 cycles, among these the deepest call, then the lowest address.
//
// Collisions are looked for together: a lane that reads a collision register while it owes lines (mega_ahead.h)
// steps back and waits until all others wait, too, or are done. Then the owed lines of all lanes are spread over
// the warp.
//
// Where a warp is one console (on the CPU) this is a plain interpreter, and is tested as such.
#ifndef MEGA_WARP_H
#define MEGA_WARP_H
#include "mega_console.h"
#include "mega_micro.h"
#include "mega_scene.h"

#if MEGA_AHEAD

// What the lanes of a warp share.
typedef struct mega_warp {
    uint32_t collisions[32]; // by lane, while warp_collide() looks for them
#if MEGA_COUNT
    unsigned long long *counts; // instructions that lanes needed, and that it executed for them; or NULL
#endif
} mega_warp;

// ---- collisions ------------------------------------------------------------------------------------------

#if MEGA_WARP > 1
// Sum of a value over the lanes up to this one.
MEGA_FN uint32_t warp_sum_up_to(uint32_t value) {
    for (uint32_t distance = 1; distance < MEGA_WARP; distance *= 2) {
        const uint32_t other = __shfl_up_sync(0xFFFFFFFFu, value, distance);
        value += MEGA_WARP_LANE >= distance ? other : 0u;
    }
    return value;
}

// The lane to whom task number `task` belongs, given each lane's sum up to itself: the first whose sum is larger.
MEGA_FN uint32_t warp_find_owner(uint32_t sum, uint32_t task) {
    uint32_t owner = 0;
    for (uint32_t step = 16; step != 0; step /= 2) {
        const uint32_t there = MEGA_WARP_FROM(sum, owner + step - 1u);
        owner += there <= task ? step : 0u;
    }
    return owner;
}

MEGA_FN const mega_log *warp_log_from(const mega_log *log, uint32_t lane) {
    return (const mega_log *)MEGA_WARP_FROM((unsigned long long)log, lane);
}

// Looks at the groups of pixels that lanes have found, each of its segment: a group is a task.
MEGA_INLINE void warp_collide_groups(mega_warp *warp, uint32_t groups, const mega_log *log, uint32_t segment,
                                     mega_span span, uint32_t owner) {
    const uint32_t tasks = (uint32_t)MEGA_COUNT_BITS(groups), sum = warp_sum_up_to(tasks);
    const uint32_t total = MEGA_WARP_FROM(sum, MEGA_WARP - 1u);
    for (uint32_t base = 0; base < total; base += MEGA_WARP) {
        const uint32_t task = base + MEGA_WARP_LANE;
        const uint32_t from = warp_find_owner(sum, task) & (MEGA_WARP - 1u);
        const mega_log *their_log = warp_log_from(log, from);
        const uint32_t their_segment = MEGA_WARP_FROM(segment, from),
                       their_owner = MEGA_WARP_FROM(owner, from);
        uint32_t their_groups = MEGA_WARP_FROM(groups, from),
                 before = task - MEGA_WARP_FROM(sum - tasks, from);
        mega_span their_span;
        their_span.x = MEGA_WARP_FROM(span.x, from);
        their_span.stop = MEGA_WARP_FROM(span.stop, from);
        if (task < total) {
            for (; before != 0; before--) {
                their_groups &= their_groups - 1u;
            }
            const mega_segment shown = log_segment(their_log, their_segment);
            const uint32_t found = span_collide(&shown, their_span, (uint32_t)MEGA_LOWEST_BIT(their_groups));
            if ((found & ~warp->collisions[their_owner]) != 0) {
                MEGA_WARP_OR(&warp->collisions[their_owner], found);
            }
        }
        MEGA_WARP_BARRIER();
    }
}

// All lanes pay what those owe for whom `waits` is set. First each takes a segment and sees whether it can have any
// collisions that are not known; few can.
MEGA_NOINLINE void warp_collide(mega_machine *m, mega_warp *warp, uint32_t waits) {
    const uint32_t owes = waits && ahead_owes(m);
    const mega_debt debt = ahead_debt(m);
    const uint32_t tasks = owes ? debt.end - debt.first : 0u;
    const uint32_t sum = warp_sum_up_to(tasks);
    const uint32_t total = MEGA_WARP_FROM(sum, MEGA_WARP - 1u);
    warp->collisions[MEGA_WARP_LANE] = m->console->tia.collisions;
    MEGA_WARP_BARRIER();
    MEGA_ROLLED
    for (uint32_t base = 0; base < total; base += MEGA_WARP) {
        const uint32_t task = base + MEGA_WARP_LANE;
        const uint32_t owner = warp_find_owner(sum, task) & (MEGA_WARP - 1u);
        mega_debt theirs;
        mega_span span;
        theirs.log = warp_log_from(debt.log, owner);
        theirs.first = MEGA_WARP_FROM(debt.first, owner);
        theirs.end = MEGA_WARP_FROM(debt.end, owner);
        theirs.from = MEGA_WARP_FROM(debt.from, owner);
        theirs.until = MEGA_WARP_FROM(debt.until, owner);
        const uint32_t i = theirs.first + task - MEGA_WARP_FROM(sum - tasks, owner);
        uint32_t groups = 0;
        if (task < total) {
            const mega_segment segment = log_segment(theirs.log, i);
            const uint32_t counts = debt_look_at(&theirs, i, warp->collisions[owner], &segment, &span);
            groups = counts ? span_groups(&segment, span) : 0u;
        }
        if (MEGA_WARP_ANY(groups != 0)) {
            warp_collide_groups(warp, groups, theirs.log, i, span, owner);
        }
    }
    if (owes) {
        m->console->tia.collisions = (uint16_t)warp->collisions[MEGA_WARP_LANE];
        ahead_settle(m);
    }
    MEGA_WARP_BARRIER();
}
#else
MEGA_FN void warp_collide(mega_machine *m, mega_warp *warp, uint32_t waits) {
    (void)warp;
    if (waits && ahead_owes(m)) {
        ahead_collide(m);
    }
}
#endif

// ---- pictures --------------------------------------------------------------------------------------------

// What a ragged request shows, so that anybody can draw rows of it.
typedef struct mega_ragged {
    const mega_log *own; // its segments, or NULL: it is left to log_draw_ragged()
    uint32_t until;      // the first pixel that `own` does not show, counted from the top left corner
    mega_log *below;     // the clean frame that shows through and has not been drawn, or NULL
} mega_ragged;

// Draws one row of it.
MEGA_NOINLINE void ragged_draw_row(const mega_ragged *ragged, uint32_t y, uint8_t *picture) {
    const uint32_t left = ragged->until > MEGA_WIDTH * y ? ragged->until - MEGA_WIDTH * y : 0u;
    if (left < MEGA_WIDTH && ragged->below != NULL) {
        log_draw_row(ragged->below, y, MEGA_WIDTH, picture);
    }
    if (left != 0) {
        log_draw_row(ragged->own, y, left < MEGA_WIDTH ? left : MEGA_WIDTH, picture);
    }
}

// The clean frame that shows through the present one, if that has not been drawn, or NULL.
MEGA_FN mega_log *ragged_find_below(const mega_machine *m) {
    const mega_log *log = m->run.log;
    mega_log *below = NULL;
    for (uint32_t i = 0; i < 3; i++) {
        mega_log *other = &m->video->log[i];
        if (other != log && other->state == MEGA_SLOT_PENDING && other->picture == log->picture) {
            below = other;
        }
    }
    return below;
}

// Pixels of a row that HMOVE can make black before the beam comes there.
#define RAGGED_BLANKED (MEGA_CLOCKS_BLANK + 8u)

// Does the present request show nothing beyond the beam? The plain renderer, like the reference, leaves up to three pixels
// there, which depend on the accesses one by one (tia_drawn_by_four), but none in the vertical blank. It also blanks more
// than the left edge of a row, which the rest of the row covers.
MEGA_FN uint32_t ragged_ends_at_beam(const mega_machine *m) {
    const mega_log *log = m->run.log;
    const uint32_t x = tia_beam_x(&m->console->tia), row = m->ahead.row, last = log->segments - 1u;
    if (x == 0) {
        return !m->console->tia.hmove_blank; // and nothing is known of the row
    }
    if (x < RAGGED_BLANKED && (m->console->tia.hmove_blank || (log->first[row] & MEGA_ROW_BLANKED) != 0)) {
        return 0;
    }
    return x % 4u == 0 || ((log->body[last].field >> FIELD_BLANK & 1u) != 0 &&
                           SEGMENT_PLACE(log->from[last]) <= MEGA_WIDTH * row + (x & ~3u));
}

// Has the log of the present request all segments, or can they be made?
MEGA_FN uint32_t ragged_is_lined(mega_machine *m) {
    mega_log *log = m->run.log;
    // What log_end() is going to say.
    log->count = m->run.logged;
    log->end_clock = log_end_clock(m);
    log->segments = m->ahead.segments;
#if MEGA_NOTES
    if (!log->lined) {
        notes_write_records(m);
    }
#endif
    return log->lined || log_line(m, log);
}

// The log of the present request, or NULL where its segments are not all that it draws.
MEGA_FN const mega_log *ragged_find_own(mega_machine *m) {
    const mega_log *log = m->run.log;
    if (!log_starts_clean(m, log)) {
        return NULL;
    }
    if (m->console->tia.drawn_to == m->ahead.window_start) {
        return log; // the beam has not come to the picture
    }
    return ragged_is_lined(m) && ragged_ends_at_beam(m) ? log : NULL;
}

MEGA_FN mega_ragged ragged_find(mega_machine *m) {
    mega_ragged ragged;
    ragged.own = NULL;
    ragged.until = 0;
    ragged.below = ragged_find_below(m);
    if (ragged.below != NULL && !ragged.below->lined && !log_line(m, ragged.below)) {
        ragged.below = NULL; // then it has to be drawn before anything is drawn over it
    } else {
        ragged.own = ragged_find_own(m);
        ragged.until = ragged.own != NULL ? ahead_place(m) : 0u;
    }
    return ragged;
}

// At the end of a request: draws the ragged frames of a warp, in colours, row by row in all lanes, as far as segments show
// them. console_end_request() would do it, too, but one lane alone takes long.
MEGA_NOINLINE void warp_draw_ragged(mega_machine *m, uint32_t live) {
    mega_ragged ragged;
    ragged.own = NULL;
    ragged.until = 0;
    ragged.below = NULL;
    if (live && !log_is_clean(m, m->run.log)) {
        ragged = ragged_find(m);
    }
    const uint32_t draws = ragged.own != NULL || ragged.below != NULL;
    MEGA_WARP_BARRIER();
    for (uint32_t lanes = MEGA_WARP_BALLOT(0xFFFFFFFFu, draws); lanes != 0; lanes &= lanes - 1u) {
        const uint32_t lane = (uint32_t)MEGA_LOWEST_BIT(lanes);
        (void)lane; // where a warp is one console
        mega_ragged theirs;
        theirs.own = (const mega_log *)MEGA_WARP_FROM((unsigned long long)ragged.own, lane);
        theirs.until = MEGA_WARP_FROM(ragged.until, lane);
        theirs.below = (mega_log *)MEGA_WARP_FROM((unsigned long long)ragged.below, lane);
        mega_video *video = (mega_video *)MEGA_WARP_FROM((unsigned long long)m->video, lane);
        const uint32_t height =
            MEGA_WARP_FROM((uint32_t)m->cartridge->height, lane); // a lane that rests has any
        for (uint32_t y = MEGA_WARP_LANE; y < height; y += MEGA_WARP) {
            ragged_draw_row(&theirs, y, video->picture[video->current]);
        }
    }
    if (ragged.below != NULL) {
        ragged.below->state = MEGA_SLOT_DRAWN; // what will be seen of it
    }
    if (ragged.own != NULL) {
        m->run.painted = 1;
    }
    MEGA_WARP_BARRIER();
}

// ---- the interpreter -------------------------------------------------------------------------------------

// Inside a burst nothing is called, so that the processors stay in registers. Accesses that a burst cannot do by
// itself make a lane step back to the start of the instruction and leave it to micro_step().

// Can a burst write this register? It then does what tia_logged_write() does.
MEGA_INLINE uint32_t warp_can_write(const mega_machine *m, uint32_t address, uint32_t cycles) {
    const mega_run *run = &m->run;
    if (address >= 0x80 || run->watches_low || (int32_t)cycles >= run->watchdog || log_is_full(m)) {
        return 0;
    }
    const uint32_t kind = log_kind[address & 0x3Fu];
    return kind != LOG_VBLANK && kind != LOG_NEVER && !(kind == LOG_WSYNC && run->keep_next);
}

MEGA_INLINE uint32_t warp_write(mega_machine *m, uint32_t reg, uint32_t value, uint32_t cycles) {
    mega_run *run = &m->run;
    const uint32_t keep = run->keep_next;
    run->touch_cycle = cycles;
    run->touch_register = (uint8_t)reg;
    if (reg == TIA_WSYNC) {
        return sync_wait(m, cycles);
    }
    if (shadow_write(run, reg, value) || keep) {
        mega_log *log = run->log;
        run->keep_next = reg == TIA_HMOVE;
        log->record[run->logged++] = (cycles - log->base_cycle) << 14 | reg << 8 | value;
        ahead_apply(m, reg, value, cycles);
    }
    return cycles;
}

#define WARP_STEP_BACK()          \
    do {                          \
        at = start_at;            \
        cycles = start_cycles;    \
        r.sp = (uint8_t)start_sp; \
        budget++;                 \
        slow = 1;                 \
        stepped_back_now = 1;     \
        goto stepped_back;        \
    } while (0)
#define CPU_TRANSFER() (together = 0)
#define CPU_FETCH(target)       \
    do {                        \
        target = bytes & 0xFFu; \
        bytes >>= 8;            \
        at++;                   \
    } while (0)
#define CPU_READ(target, where) \
    do {                        \
        target = 0;             \
        WARP_STEP_BACK();       \
    } while (0)
#define CPU_WRITE(where, value) cycles = warp_write(m, (where)&0x3Fu, value, cycles)
#define CPU_PUSH(value, after_write) WARP_STEP_BACK()
#define MICRO_BEFORE_WRITING()                                                        \
    do {                                                                              \
        if ((address & 0x1280u) != 0x80 &&                                            \
            (operation < MICRO_FIRST_WRITE || !warp_can_write(m, address, cycles))) { \
            WARP_STEP_BACK();                                                         \
        }                                                                             \
    } while (0)

// What a lane has to do next, in the order in which lanes are served: the window of cycles, the depth of the stack,
// the place in the image. Bits that do not fit are left out: that changes who goes first, and nothing else. The last
// bit says that it is not for a burst.
#ifndef WARP_WINDOW
#define WARP_WINDOW 8 // log2 of cycles
#endif
#define WARP_KEY_WAITS 0xFFFFFFFEu
#define WARP_KEY_DONE 0xFFFFFFFFu

// A lane between bursts.
typedef struct mega_warp_lane {
    uint32_t budget;       // instructions left; 0 when the request is done
    uint32_t slow;         // 1: the next instruction is not for a burst ...
    uint32_t stepped_back; // ... because of what it does, not of where it is
    uint32_t full;         // 1: its notes must be drained
    uint32_t waits;        // 1: for its collisions ...
    uint32_t wait_cycle;   // ... which it reads in this cycle
    uint32_t lead;         // the key that won the last vote
    uint32_t leads;        // 1: it was this lane's
    int32_t pause;         // the cycle in which it stops for the other warps; of translated code
#if MEGA_COUNT
    uint32_t needed, executed; // instructions; the latter are the warp's, in one of its lanes
#endif
} mega_warp_lane;

// Counting, where it is asked for. Single instructions between bursts or blocks are left out.
#if MEGA_COUNT
#define WARP_COUNT(lane, instructions, by_all) \
    do {                                       \
        (lane)->needed += (instructions);      \
        (lane)->executed += (by_all);          \
    } while (0)
MEGA_FN void warp_begin_count(mega_warp_lane *lane) {
    lane->needed = lane->executed = 0;
}
MEGA_FN void warp_end_count(const mega_warp *warp, const mega_warp_lane *lane) {
    if (warp->counts != NULL) {
        MEGA_ATOMIC_ADD(&warp->counts[0], (unsigned long long)lane->needed);
        MEGA_ATOMIC_ADD(&warp->counts[1], (unsigned long long)lane->executed);
    }
}
#else
#define WARP_COUNT(lane, instructions, by_all)
MEGA_FN void warp_begin_count(mega_warp_lane *lane) {
    (void)lane;
}
MEGA_FN void warp_end_count(const mega_warp *warp, const mega_warp_lane *lane) {
    (void)warp;
    (void)lane;
}
#endif

// Bursts, until one of the leading lanes needs something else.
MEGA_NOINLINE void warp_run_bursts(mega_machine *m, mega_console *console, mega_warp_lane *lane) {
    const uint32_t linear = 1, logged = 1;
    uint8_t *const ram = console->riot.ram;
    const uint8_t *const image = m->image;
    const uint32_t plain_low = m->run.plain_low, plain_span = m->run.plain_span;
    mega_registers r = cpu_load(&console->cpu);
    uint32_t budget = lane->budget, slow = lane->slow;
    uint32_t cycles = console->cycles;
    uint32_t bus = console->bus, exit_bus = bus;
    uint32_t fetched = 0, address = 0, value = 0, low = 0, pointer = 0;
    uint32_t start_at, start_cycles, lead, leads, key, stepped_back_now = lane->stepped_back;
    uint32_t start_sp;
    mega_stretch stretch;
    stretch.low = stretch.span = stretch.offset = 0;
    if (budget != 0) {
        stretch = cpu_find_stretch(m, r.pc);
    }
    uint32_t at = r.pc + stretch.offset, limit = stretch.low + stretch.span;
    for (;;) {
        key = WARP_KEY_DONE;
        if (budget != 0) {
            slow |= at >= limit || budget == 1;
            key = (cycles >> WARP_WINDOW & 0x7FFu) << 21 | (r.sp & 0x1Fu) << 16 | (at << 1 & 0xFFFEu) | slow;
            key = lane->waits ? WARP_KEY_WAITS : key;
        }
        lead = MEGA_WARP_MIN(key);
        leads = key == lead;
        if (lead >= WARP_KEY_WAITS || (lead & 1u) != 0) {
            break;
        }
        uint32_t group = MEGA_WARP_BALLOT(0xFFFFFFFFu, leads), together = leads;
        while (together) {
            uint32_t bytes =
                (uint32_t)image[at] | (uint32_t)image[at + 1] << 8 | (uint32_t)image[at + 2] << 16;
            start_at = at;
            start_cycles = cycles;
            start_sp = r.sp;
            budget--;
            WARP_COUNT(lane, 1u, (group & ((1u << MEGA_WARP_LANE) - 1u)) == 0 ? 1u : 0u);
            MICRO_EXECUTE();
        stepped_back:
            // The lanes of the group stay together until control goes elsewhere, or one of them drops out.
            budget = r.jammed ? 0u : budget;
            together = together && !slow && budget > 1 && at < limit;
            group = MEGA_WARP_BALLOT(group, together);
            (void)group;
        }
    }
    if (lane->budget != 0 && !lane->waits) {
        r.pc = (uint16_t)PC();
        cpu_save(&r, &console->cpu);
        console->cycles = cycles;
        console->bus = (uint8_t)exit_bus;
    }
    lane->budget = budget;
    lane->slow = slow;
    lane->stepped_back = stepped_back_now;
    lane->lead = lead;
    lane->leads = leads;
}
#undef CPU_TRANSFER
#undef CPU_FETCH
#undef CPU_READ
#undef CPU_WRITE
#undef CPU_PUSH
#undef MICRO_BEFORE_WRITING
#undef WARP_STEP_BACK

#define OPCODE_PLA 0x68u

// Does the instruction at the program counter read a collision register? Then *cycle is when. What this overlooks is
// read as well, only not together with other lanes.
MEGA_FN uint32_t warp_reads_collisions(const mega_machine *m, uint32_t *cycle) {
    const mega_registers r = cpu_load(&m->console->cpu);
    const mega_stretch stretch = cpu_find_stretch(m, r.pc);
    if (stretch.span == 0 || m->run.watches_low) {
        return 0;
    }
    const uint8_t *code = m->image + (r.pc + stretch.offset), *ram = m->console->riot.ram; // wraps
    const uint32_t micro = cpu_micro[code[0]], operation = micro & 0xFFu, mode = micro >> 8 & 15u;
    const uint32_t x_page = code[1] + r.x, y_page = code[1] + r.y;
    const uint32_t pointer = (mode == MICRO_MODE_IZX ? x_page : code[1]) & 0xFFu;
    uint32_t base = 0x1000, index = 0; // an address elsewhere
    if (code[0] == OPCODE_PLA) {
        *cycle = m->console->cycles + 4u;
        return ((r.sp + 1u) & 0x88u) == 0; // some programs move the stack pointer through the registers
    }
    switch (mode) {
    case MICRO_MODE_ZP: base = code[1]; break;
    case MICRO_MODE_ZPX: base = x_page & 0xFFu; break;
    case MICRO_MODE_ZPY: base = y_page & 0xFFu; break;
    case MICRO_MODE_ABX:
    case MICRO_MODE_ABY: index = mode == MICRO_MODE_ABX ? r.x : r.y; // fall through
    case MICRO_MODE_ABS: base = code[1] | (uint32_t)code[2] << 8; break;
    case MICRO_MODE_IZY: index = r.y; // fall through
    case MICRO_MODE_IZX:
        if (pointer >= 0x80 && pointer < 0xFF) {
            base = ram[pointer & 0x7Fu] | (uint32_t)ram[(pointer + 1u) & 0x7Fu] << 8;
        }
        break;
    default: break;
    }
    const uint32_t address = (base + index) & 0xFFFFu;
    *cycle = m->console->cycles + (micro >> 12) +
             (operation < MICRO_FIRST_MODIFY && ((base ^ address) & 0xFF00u) != 0);
    return operation < MICRO_FIRST_WRITE && (address & 0x1088u) == 0;
}

// Is there an instruction to be done slowly, or did the lane only leave its stretch of ROM for another?
MEGA_FN uint32_t warp_needs_step(const mega_machine *m, const mega_warp_lane *lane) {
    return lane->slow &&
           (lane->budget <= 1 || lane->stepped_back || cpu_find_stretch(m, m->console->cpu.pc).span == 0);
}

// One instruction that a burst could not do.
MEGA_FN void warp_step_slowly(mega_machine *m, mega_warp_lane *lane) {
    lane->stepped_back = 0;
    lane->budget = micro_step(m, lane->budget);
    lane->budget = cpu_is_done(m) ? 0u : lane->budget;
}

// ---- translated code -------------------------------------------------------------------------------------

// A program that is made for one cartridge brings its translation (src/translate).
#ifdef MEGA_PROGRAM
#include MEGA_PROGRAM
#include "mega_drain.h"

// Instructions in a row that a lane does slowly before the others have their turn.
#define WARP_SLOW_STEPS 32u

// Translated code cannot go on in any lane. Those that wait for nothing do an instruction, and more until they come to a
// block. If there are none, notes are drained and collisions found for those that wait, who then can go on where a block
// begins.
MEGA_FN void warp_step_aside(mega_machine *m, mega_warp *warp, mega_warp_lane *lane, uint32_t live) {
    uint32_t steps = warp_needs_step(m, lane);
    const uint32_t reads = steps && warp_reads_collisions(m, &lane->wait_cycle) &&
                           (int32_t)(3u * lane->wait_cycle) >= m->notes.known_until;
    const uint32_t needs = reads || (lane->slow && lane->full);
    const uint32_t waits = MEGA_WARP_ANY(steps && !needs);
    if (!waits) {
        if (live) {
            notes_touch(m);
        }
        warp_drain(m, live, needs, reads, (int32_t)(3u * lane->wait_cycle));
        if (MEGA_WARP_ANY(reads)) {
            warp_collide(m, warp, reads);
        }
        if (live) {
            notes_find_known(m);
        }
        if (reads) {
            notes_know_until(m, (int32_t)(3u * lane->wait_cycle) + 1);
            steps = translated_find(m, m->console->cpu.pc, m->console->cycles, WARP_DEADLINE(m)) == 0;
        }
    }
    lane->waits = waits && reads;
    steps = steps && !(waits && needs);
    MEGA_ROLLED
    for (uint32_t i = 0; i < WARP_SLOW_STEPS && steps; i++) {
        warp_step_slowly(m, lane);
        steps = lane->budget > 1 &&
                translated_find(m, m->console->cpu.pc, m->console->cycles, WARP_DEADLINE(m)) == 0 &&
                m->notes.count + NOTE_ROOM < MEGA_NOTES_ROOM && !warp_reads_collisions(m, &lane->wait_cycle);
    }
    MEGA_WARP_BARRIER();
}

// The warps of a multiprocessor wait for each other after each part of a frame: then they need the same code at about the
// same time, and its caches of instructions are small. More parts cost more waiting than they save.
#define WARP_PARTS 4u
#define WARP_PART_CYCLES 5000 // the last one goes on to the end

// Runs the processors of all lanes to the end of their requests; `live` is 0 for a lane that has none. What
// cpu_run_frame() does, with the same result. `console` is that of the machine: a compiler that sees where it is
// finds shorter instructions. `together` is 1 where all warps of a block do this.
MEGA_FN void warp_run_frame(mega_machine *m, mega_console *console, mega_warp *warp, uint32_t live,
                            uint32_t together) {
    mega_warp_lane lane;
    lane.budget = live && !m->console->cpu.jammed ? CPU_FRAME_BUDGET : 0u;
    lane.slow = lane.stepped_back = lane.waits = lane.wait_cycle = 0;
    warp_begin_count(&lane);
    notes_begin(m);
    if (live) {
        notes_find_known(m);
    }
    const int32_t start = (int32_t)console->cycles;
    MEGA_ROLLED
    for (uint32_t part = 1; part <= WARP_PARTS; part++) {
        lane.pause = part < WARP_PARTS ? start + (int32_t)part * WARP_PART_CYCLES : 0x7FFFFFFF;
        for (;;) {
            warp_run_translated(m, console, &lane);
            lane.slow = lane.slow && (int32_t)console->cycles < lane.pause;
            if (!MEGA_WARP_ANY(lane.slow)) {
                break;
            }
            warp_step_aside(m, warp, &lane, live);
        }
        if (together && part < WARP_PARTS) {
            MEGA_BLOCK_BARRIER();
        }
    }
    warp_end_count(warp, &lane);
}

// The beam goes to the last access of the request, and all collisions are found.
MEGA_FN void warp_settle(mega_machine *m, mega_warp *warp, uint32_t live) {
    int32_t clock = 0;
    if (live) {
        notes_touch(m);
        clock = log_end_clock(m);
    }
    warp_drain(m, live, live, 1, clock);
    warp_collide(m, warp, live);
    if (live) {
        drain_unstage(m);
    }
}

#else

// A lane that steps slowly waits instead if it needs collisions.
MEGA_FN void warp_step_or_wait(mega_machine *m, mega_warp_lane *lane) {
    const mega_tia *tia = &m->console->tia;
    const uint32_t steps = warp_needs_step(m, lane);
    lane->slow = 0;
    if (!steps) {
        return;
    }
    if (warp_reads_collisions(m, &lane->wait_cycle)) {
        const int32_t clock = (int32_t)(3u * lane->wait_cycle);
        lane->waits = ahead_owes(m) || (clock > tia->drawn_to && clock >= m->ahead.window_start &&
                                        tia->drawn_to < m->ahead.window_end);
    }
    if (!lane->waits) {
        warp_step_slowly(m, lane);
    }
}

// As above, but warps do not wait for each other.
MEGA_FN void warp_run_frame(mega_machine *m, mega_console *console, mega_warp *warp, uint32_t live,
                            uint32_t together) {
    mega_warp_lane lane;
    (void)together;
    lane.budget = live && !m->console->cpu.jammed ? CPU_FRAME_BUDGET : 0u;
    lane.slow = lane.waits = lane.wait_cycle = lane.stepped_back = 0;
    warp_begin_count(&lane);
    for (;;) {
        warp_run_bursts(m, console, &lane);
        if (lane.lead == WARP_KEY_DONE) {
            break;
        }
        if (lane.lead == WARP_KEY_WAITS) {
            if (lane.waits) {
                ahead_advance(m, (int32_t)(3u * lane.wait_cycle));
            }
            warp_collide(m, warp, lane.waits);
            lane.waits = 0;
        } else if (lane.leads) {
            warp_step_or_wait(m, &lane);
        }
        MEGA_WARP_BARRIER();
    }
    warp_end_count(warp, &lane);
}

MEGA_FN void warp_settle(mega_machine *m, mega_warp *warp, uint32_t live) {
    if (live) {
        ahead_advance(m, log_end_clock(m));
    }
    warp_collide(m, warp, live);
}
#endif

#endif
#endif
