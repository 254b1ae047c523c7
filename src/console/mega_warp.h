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

#if MEGA_AHEAD

// What the lanes of a warp share.
typedef struct mega_warp {
    uint32_t collisions[32];
    uint64_t votes,
        instructions; // counters for the curious: rounds of the loop times lanes, and what they executed
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

// All lanes pay what those owe for whom `waits` is set: a row is a task.
MEGA_FN void warp_collide(mega_machine *m, mega_warp *warp, uint32_t waits) {
    const uint32_t owes = waits && ahead_owes(m);
    const mega_debt debt = ahead_debt(m);
    const uint32_t rows = owes ? debt.last_row - debt.first_row + 1u : 0u;
    const uint32_t sum = warp_sum_up_to(rows);
    const uint32_t total = MEGA_WARP_FROM(sum, MEGA_WARP - 1u);
    warp->collisions[MEGA_WARP_LANE] = m->console->tia.collisions;
    MEGA_WARP_BARRIER();
    for (uint32_t base = 0; base < total; base += MEGA_WARP) {
        const uint32_t task = base + MEGA_WARP_LANE;
        const uint32_t owner = warp_find_owner(sum, task) & (MEGA_WARP - 1u);
        mega_debt theirs;
        theirs.log = warp_log_from(debt.log, owner);
        theirs.segments = MEGA_WARP_FROM(debt.segments, owner);
        theirs.first_row = MEGA_WARP_FROM(debt.first_row, owner);
        theirs.last_row = MEGA_WARP_FROM(debt.last_row, owner);
        theirs.from = MEGA_WARP_FROM(debt.from, owner);
        theirs.until = MEGA_WARP_FROM(debt.until, owner);
        const uint32_t before = MEGA_WARP_FROM(sum - rows, owner);
        if (task < total) {
            const uint32_t known = warp->collisions[owner];
            const uint32_t found = debt_collide_row(&theirs, theirs.first_row + task - before, known);
            if (found != known) {
                MEGA_WARP_OR(&warp->collisions[owner], found);
            }
        }
        MEGA_WARP_BARRIER();
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

// Would a read of a collision register at this cycle find lines owed?
MEGA_FN uint32_t warp_must_wait(const mega_machine *m, uint32_t cycles) {
    const mega_tia *tia = &m->console->tia;
    const int32_t clock = (int32_t)(3u * cycles);
    return ahead_owes(m) ||
           (clock > tia->drawn_to && clock >= m->ahead.window_start && tia->drawn_to < m->ahead.window_end);
}

// ---- the interpreter -------------------------------------------------------------------------------------

#define CPU_TRANSFER() (together = 0)
// Collision registers, by an address that is written in the instruction.
#define CPU_TRAP()                                                                          \
    do {                                                                                    \
        if ((address & 0x1088u) == 0 && !m->run.watches_low && warp_must_wait(m, cycles)) { \
            wait_cycle = cycles;                                                            \
            cycles = start_cycles;                                                          \
            at = start_at;                                                                  \
            budget++;                                                                       \
            goto stepped_back;                                                              \
        }                                                                                   \
    } while (0)

#define WARP_KEY_WAITS 0xFFFFFFFEu
#define WARP_KEY_DONE 0xFFFFFFFFu

// Runs the processors of all lanes to the end of their requests; `live` is 0 for a lane that has none. What
// cpu_run_frame() does, with the same result.
MEGA_NOINLINE void warp_run_frame(mega_machine *m, mega_warp *warp, uint32_t live) {
    const uint32_t linear = 1, logged = 1;
    mega_console *console = m->console;
    uint8_t *const ram = console->riot.ram;
    const uint8_t *const image = m->image;
    const uint32_t plain_low = m->run.plain_low, plain_span = m->run.plain_span;
    mega_cpu r = console->cpu;
    uint32_t budget = live && !r.jammed ? CPU_FRAME_BUDGET : 0;
    uint32_t cycles = console->cycles;
    uint32_t bus = console->bus, exit_bus = bus;
    uint32_t fetched = 0, address = 0, value = 0, low = 0, pointer = 0;
    uint32_t at = r.pc, limit = 0;
    uint32_t start_at = 0, start_cycles = 0, wait_cycle = 0, waits = 0;
    uint32_t votes = 0, executed = 0;
    mega_stretch stretch;
    stretch.low = 0;
    stretch.span = 0;
    stretch.offset = 0;
    for (;;) {
        uint32_t key = WARP_KEY_DONE, together = 0;
        if (waits) {
            key = WARP_KEY_WAITS;
        } else if (budget != 0) {
            if (at >= limit) {
                const uint32_t pc = PC();
                stretch = cpu_find_stretch(m, pc);
                at = pc + stretch.offset;
                limit = stretch.low + stretch.span;
            }
            key = (cycles >> 8 & 0x7Fu) << 24 | (uint32_t)r.sp << 16 | (at & 0xFFFFu);
        }
        const uint32_t lead = MEGA_WARP_MIN(key);
        votes++;
        if (lead == WARP_KEY_DONE) {
            break;
        }
        if (lead == WARP_KEY_WAITS) {
            if (waits) {
                ahead_advance(m, (int32_t)(3u * wait_cycle));
            }
            warp_collide(m, warp, waits);
            waits = 0;
            continue;
        }
        if (key != lead) {
            continue;
        }
        if (stretch.span == 0 || budget == 1) {
            // Instructions from RAM, at a hot spot or at the edge of a bank; and the last one of the budget.
            r.pc = (uint16_t)PC();
            console->cpu = r;
            console->cycles = cycles;
            console->bus = (uint8_t)exit_bus;
            budget = micro_step(m, budget);
            budget = cpu_is_done(m) ? 0 : budget;
            r = console->cpu;
            cycles = console->cycles;
            bus = exit_bus = console->bus;
            stretch.span = stretch.offset = limit = 0;
            at = r.pc;
            executed++;
            continue;
        }
        together = 1;
        do {
            start_at = at;
            start_cycles = cycles;
            budget--;
            executed++;
            MICRO_EXECUTE();
        } while (together && budget > 1 && at < limit);
        if (budget <= 1 && ((m->run.events & MEGA_EVENT_STOP) != 0 || r.jammed)) {
            budget = 0;
        }
        continue;
    stepped_back:
        waits = 1;
    }
    if (live) {
        r.pc = (uint16_t)PC();
        console->cpu = r;
        console->cycles = cycles;
        console->bus = (uint8_t)exit_bus;
    }
    warp->votes += votes;
    warp->instructions += executed;
}
#undef CPU_TRANSFER
#undef CPU_TRAP

// The beam goes to the last access of the request, and all collisions are found.
MEGA_FN void warp_settle(mega_machine *m, mega_warp *warp, uint32_t live) {
    if (live) {
        ahead_advance(m, log_end_clock(m));
    }
    warp_collide(m, warp, live);
}

#endif
#endif
