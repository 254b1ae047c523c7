// code_trace.c - see code_trace.h. No rules of any game are known here: the trial run turns the console on, holds
// RESET as an environment does, and then plays at random, with the switches now and then.
#include "code_trace.h"

#include <stdlib.h>
#include <string.h>

#include "code_flow.h"
#include "mega_console.h"
#include "opcode_table.h"
#include "status.h"

#define MOST_TRIALS 5u // as long as there is something to find

// Frames of a game: some of what a program does comes soon, some late.
#define SHORT_GAMES 2u
#define SHORT_GAME 1000u
#define LONG_GAME 4000u

// Frames that are kept for code_schedule_find(): from a while after the beginning of a game on, far apart.
#define FIRST_KEPT 150u
#define KEPT_EVERY 37u

typedef struct trial {
    mega_machine machine;
    mega_console console;
    mega_video video;
    uint32_t random;
    code_edges *edges;
    code_frames *kept;
    uint32_t keeps;     // 1: this frame
    uint32_t last[256]; // by stack pointer: the last instruction of that level, + 1
    uint32_t level;
    uint32_t found;    // instructions
    uint32_t ram_next; // where a run in RAM goes on, or NOWHERE
    uint32_t draws[MEGA_POWER_DRAWS + 32769];
    uint8_t cart_ram[32768];
} trial;

static uint32_t next_random(trial *t) {
    t->random = t->random * 1664525u + 1013904223u;
    return t->random >> 8;
}

// Does translated code of a warp leave an access to the TIA of this instruction to the interpreter?
static bool is_left_alone(const code_map *map, uint32_t index) {
    const opcode_facts facts = opcode_find(map->image[index]);
    return facts.kind == OPCODE_READ && code_flow_is_port(map, index) ? (map->image[index + 1] & 0x88u) == 0
                                                                      : !code_flow_is_port(map, index);
}

// Decimal sums are left to it, too.
static bool is_sum(const code_map *map, uint32_t index) {
    const opcode_facts facts = opcode_find(map->image[index]);
    return strcmp(facts.name, "adc") == 0 || strcmp(facts.name, "sbc") == 0;
}

// The levels below this one have been left.
static void note_way(trial *t, uint32_t index, uint32_t sp) {
    for (uint32_t level = t->level; level < sp; level++) {
        t->last[level] = 0;
    }
    t->level = sp;
    if (t->last[sp] != 0) {
        code_edges_add(t->edges, t->last[sp] - 1u, index);
    }
    t->last[sp] = index + 1u;
}

// What comes next, if it is not the next instruction of a block.
#define ANY_BLOCK (UINT32_MAX - 1u) // translated code goes there
#define ANY_PLACE UINT32_MAX // so does the interpreter, after something that translated code does not do

#define NOWHERE UINT32_MAX

// Notes a way, and a step of a frame that is kept, to a node.
static void note_step(trial *t, uint32_t node) {
    const mega_machine *m = &t->machine;
    note_way(t, node, m->console->cpu.sp);
    if (t->keeps) {
        code_frames_add(t->kept, node, m->console->cycles - m->run.log->base_cycle, m->console->cpu.sp);
    }
}

// Notes the instruction in RAM that comes next.
static void note_ram(code_map *map, trial *t) {
    const uint32_t pc = t->console.cpu.pc;
    const opcode_facts facts = opcode_find(t->console.riot.ram[pc & 0x7Fu]);
    bool is_news = false;
    const uint32_t run = code_ram_note(map->ram, t->console.riot.ram, pc, &is_news);
    t->found += is_news;
    if (run != UINT32_MAX) {
        const uint32_t node = code_map_ram_node(map, run);
        map->flags[node] |= CODE_START | CODE_TRACED;
        map->ram->run[run].entered |= pc != t->ram_next;
        note_step(t, node);
    } else {
        map->outside++;
    }
    t->ram_next = run != UINT32_MAX && facts.flow == FLOW_NEXT ? pc + facts.size : NOWHERE;
}

// Notes the instruction that comes next; returns its image index.
static uint32_t note(code_map *map, trial *t, uint32_t *expected) {
    const mega_machine *m = &t->machine;
    const uint32_t pc = m->console->cpu.pc, index = m->run.window[pc >> 10 & 15u] + (pc & 0x3FFu);
    map->traced++;
    if (code_ram_is_here(pc)) {
        note_ram(map, t);
        *expected = ANY_PLACE;
        return UINT32_MAX;
    }
    t->ram_next = NOWHERE;
    if ((pc & 0x1000u) == 0 || index >= map->cartridge.image_size || !code_map_add(map, index, pc)) {
        map->outside++;
        *expected = ANY_PLACE;
        return UINT32_MAX;
    }
    t->found += (map->flags[index] & CODE_TRACED) == 0;
    note_step(t, index);
    map->flags[index] |= CODE_TRACED;
    map->flags[index] |= index == *expected ? 0 : CODE_BLOCK;
    map->flags[index] |= *expected == ANY_PLACE ? CODE_ENTERED : 0;
    const opcode_facts facts = opcode_find(map->image[index]);
    *expected = facts.flow == FLOW_NEXT ? index + facts.size : ANY_BLOCK;
    return index;
}

static void run_frame(code_map *map, trial *t) {
    mega_machine *m = &t->machine;
    uint32_t budget = m->console->cpu.jammed ? 0 : CPU_FRAME_BUDGET, expected = ANY_PLACE;
    console_begin_request(m, MEGA_RUN_FAST);
    memset(t->last, 0, sizeof(t->last)); // lanes begin frames together
    t->level = 0;
    t->ram_next = NOWHERE;
    while (budget != 0 && !cpu_is_done(m)) {
        const uint32_t touched = m->run.touch_cycle;
        const uint32_t index = note(map, t, &expected);
        if (m->console->cpu.decimal && index != UINT32_MAX && is_sum(map, index)) {
            expected = ANY_PLACE;
        }
        m->run.events &= (uint8_t)~MEGA_EVENT_REMAP;
        (void)cpu_run_bus(m, 1); // just one, also in RAM
        budget--;
        // Translated code is left where a bank is switched.
        t->ram_next = (m->run.events & MEGA_EVENT_REMAP) != 0 ? NOWHERE : t->ram_next;
        // What follows an access that only the interpreter can do is where translated code comes back.
        if (m->run.touch_cycle != touched && index != UINT32_MAX) {
            map->flags[index] |= CODE_TOUCHES;
            expected = is_left_alone(map, index) ? ANY_PLACE : expected;
        }
    }
    console_end_request(m, MEGA_RUN_FAST);
}

static void reset(trial *t) {
    for (uint32_t i = 0; i < console_reset_draws(t->machine.cartridge); i++) {
        t->draws[i] = next_random(t);
    }
    console_reset(&t->machine, t->draws);
}

mega_status code_trace(code_map *map, code_edges *edges, code_frames *kept, uint32_t frames) {
    trial *t = calloc(1, sizeof(*t));
    if (t == NULL) {
        return mega_fail_memory(sizeof(*t));
    }
    mega_machine *m = &t->machine;
    m->console = &t->console;
    m->video = &t->video;
    m->cartridge = &map->cartridge;
    m->image = map->image;
    m->cart_ram = map->cartridge.ram_size > MEGA_CART_RAM ? t->cart_ram : t->console.cart.ram;
    t->random = 1;
    t->edges = edges;
    t->kept = kept;
    for (uint32_t i = 0; i < MEGA_POWER_DRAWS; i++) {
        t->draws[i] = next_random(t);
    }
    mega_pads pads = {.resistance = {408823, 408823}};
    console_set_input(m, &pads);
    console_power_on(m, t->draws);
    reset(t);
    uint32_t last = 0, known = 0; // the last frame that found anything
    uint32_t game = 0, phase = 0; // how many were begun, and how long the last one has lasted
    for (uint32_t frame = 0; frame < last + frames && frame < MOST_TRIALS * frames; frame++, phase++) {
        if (phase == (game < SHORT_GAMES ? SHORT_GAME : LONG_GAME)) {
            phase = 0;
            game++;
            if (game % 3u == 0) {
                reset(t);
            }
        }
        pads.reset = phase >= 60 && phase < 64;
        pads.select = game % 3u == 2 && phase >= 30 && phase < 34;
        if (frame % 6u == 0) {
            const uint32_t draw = next_random(t);
            pads.press[0] = phase >= 64 ? draw & 31u : 0u;
            pads.resistance[0] = (int32_t)(27450u + next_random(t) % 762000u);
        }
        console_set_input(m, &pads);
        t->keeps = phase >= FIRST_KEPT && frame % KEPT_EVERY == 0;
        if (t->keeps) {
            code_frames_begin(kept);
        }
        run_frame(map, t);
        last = t->found != known ? frame : last;
        known = t->found;
    }
    free(t);
    return MEGA_OK;
}
