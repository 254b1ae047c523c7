// code_trace.c - see code_trace.h. No rules of any game are known here: the trial run turns the console on, holds
// RESET as an environment does, and then plays at random, with the switches now and then.
#include "code_trace.h"

#include <stdlib.h>
#include <string.h>

#include "code_flow.h"
#include "mega_console.h"
#include "opcode_table.h"
#include "status.h"

typedef struct trial {
    mega_machine machine;
    mega_console console;
    mega_video video;
    uint32_t random;
    code_edges *edges;
    uint32_t last[256]; // by stack pointer: the last instruction of that level, + 1
    uint32_t level;
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

// Notes the instruction that comes next; returns its image index.
static uint32_t note(code_map *map, trial *t, uint32_t *expected) {
    const mega_machine *m = &t->machine;
    const uint32_t pc = m->console->cpu.pc, index = m->run.window[pc >> 10 & 15u] + (pc & 0x3FFu);
    map->traced++;
    if ((pc & 0x1000u) == 0 || index >= map->cartridge.image_size || !code_map_add(map, index, pc)) {
        map->outside++;
        *expected = UINT32_MAX;
        return UINT32_MAX;
    }
    note_way(t, index, m->console->cpu.sp);
    map->flags[index] |= CODE_TRACED | (index == *expected ? 0 : CODE_BLOCK);
    const opcode_facts facts = opcode_find(map->image[index]);
    *expected = facts.flow == FLOW_NEXT ? index + facts.size : UINT32_MAX;
    return index;
}

static void run_frame(code_map *map, trial *t) {
    mega_machine *m = &t->machine;
    uint32_t budget = m->console->cpu.jammed ? 0 : CPU_FRAME_BUDGET, expected = UINT32_MAX;
    console_begin_request(m, MEGA_RUN_FAST);
    memset(t->last, 0, sizeof(t->last)); // lanes begin frames together
    t->level = 0;
    while (budget != 0 && !cpu_is_done(m)) {
        const uint32_t touched = m->run.touch_cycle;
        const uint32_t index = note(map, t, &expected);
        if (m->console->cpu.decimal && index != UINT32_MAX && is_sum(map, index)) {
            expected = UINT32_MAX;
        }
        budget = cpu_run_bus(m, budget);
        // What follows an access that only the interpreter can do is where translated code comes back.
        if (m->run.touch_cycle != touched && expected != UINT32_MAX && is_left_alone(map, index)) {
            expected = UINT32_MAX;
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

mega_status code_trace(code_map *map, code_edges *edges, uint32_t frames) {
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
    for (uint32_t i = 0; i < MEGA_POWER_DRAWS; i++) {
        t->draws[i] = next_random(t);
    }
    mega_pads pads = {.resistance = {408823, 408823}};
    console_set_input(m, &pads);
    console_power_on(m, t->draws);
    reset(t);
    for (uint32_t frame = 0; frame < frames; frame++) {
        const uint32_t phase = frame % 1000u;
        if (frame != 0 && phase == 0 && frame % 3000u == 0) {
            reset(t);
        }
        pads.reset = phase >= 60 && phase < 64;
        pads.select = frame / 1000u % 3u == 2 && phase >= 30 && phase < 34;
        if (frame % 6u == 0) {
            const uint32_t draw = next_random(t);
            pads.press[0] = phase >= 64 ? draw & 31u : 0u;
            pads.resistance[0] = (int32_t)(27450u + next_random(t) % 762000u);
        }
        console_set_input(m, &pads);
        run_frame(map, t);
    }
    free(t);
    return MEGA_OK;
}
