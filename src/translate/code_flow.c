// code_flow.c - see code_flow.h.
#include "code_flow.h"

#include <stdlib.h>
#include <string.h>

#include "code_pointer.h"
#include "mega_interpreter.h"
#include "opcode_table.h"
#include "status.h"

uint32_t code_flow_target(const code_map *map, uint32_t index) {
    const uint8_t *bytes = map->image + index;
    const opcode_facts facts = opcode_find(bytes[0]);
    if (facts.flow == FLOW_BRANCH) {
        return (map->address[index] + 2u + (bytes[1] ^ 0x80u) - 0x80u) & 0xFFFFu;
    }
    return bytes[1] | (uint32_t)bytes[2] << 8;
}

uint32_t code_flow_next(const code_map *map, uint32_t index) {
    const uint32_t pc = (map->address[index] + opcode_find(map->image[index]).size) & 0xFFFFu;
    const uint32_t next = code_map_target(map, index, pc);
    return next != UINT32_MAX && (map->flags[next] & CODE_START) != 0 && map->address[next] == pc
               ? next
               : UINT32_MAX;
}

bool code_flow_names_port(const code_map *map, const uint8_t *bytes) {
    const opcode_facts facts = opcode_find(bytes[0]);
    if (facts.kind == OPCODE_OTHER || !opcode_is_direct(&facts)) {
        return false;
    }
    const uint32_t address = opcode_operand(bytes);
    return ((address & 0x1280u) == 0x280 && facts.kind != OPCODE_MODIFY) ||
           ((address & 0x1080u) == 0 && !map->watches_low);
}

bool code_flow_is_port(const code_map *map, uint32_t index) {
    return code_flow_names_port(map, map->image + index);
}

bool code_flow_is_near_port(const code_map *map, const uint8_t *bytes) {
    const opcode_facts facts = opcode_find(bytes[0]);
    return facts.kind == OPCODE_READ && opcode_is_indexed(&facts) && opcode_operand(bytes) < 0x80 &&
           !map->watches_low;
}

bool code_flow_ends_block(const code_map *map, uint32_t index) {
    const opcode_facts facts = opcode_find(map->image[index]);
    const bool writes = (facts.kind == OPCODE_WRITE && !opcode_is_direct(&facts)) ||
                        strcmp(facts.name, "pha") == 0 || strcmp(facts.name, "php") == 0;
    return writes && (map->flags[index] & CODE_TOUCHES) != 0;
}

// Instructions that are known but whose successors are not yet.
typedef struct pending {
    uint32_t *index;
    uint32_t count;
} pending;

static void add(code_map *map, pending *work, uint32_t to, uint32_t pc, uint8_t flags) {
    const bool known = (map->flags[to] & CODE_START) != 0;
    if (code_map_add(map, to, pc)) {
        map->flags[to] |= flags;
        if (!known) {
            work->index[work->count++] = to;
        }
    }
}

static void follow(code_map *map, pending *work, uint32_t from, uint32_t pc, uint8_t flags) {
    const uint32_t to = code_map_target(map, from, pc);
    if (to != UINT32_MAX) {
        add(map, work, to, pc, flags);
    }
}

// The bank of 4 KiB that is there after an access to a hot spot that the instruction names, or NO_BANK.
#define NO_BANK 0xFFFFu
static uint32_t bank_after(const code_map *map, uint32_t index) {
    const opcode_facts facts = opcode_find(map->image[index]);
    const uint32_t address = opcode_operand(map->image + index);
    if (map->unit_size != 4096 || strcmp(facts.mode, "ABS") != 0 || (address & 0x1000u) == 0 ||
        map->cartridge.scheme == MEGA_SCHEME_MB) { // whose next bank depends on the last one
        return NO_BANK;
    }
    mega_console console;
    mega_machine m;
    memset(&console, 0, sizeof(console));
    memset(&m, 0, sizeof(m));
    m.console = &console;
    m.cartridge = &map->cartridge;
    console.cart.bank[0] = NO_BANK;
    cart_hot_spot(&m, address & 0xFFFu);
    return console.cart.bank[0];
}

// To the instruction that follows in memory, maybe in another bank.
static void follow_next(code_map *map, pending *work, uint32_t index, uint32_t next) {
    const uint32_t bank = bank_after(map, index), to = bank * map->unit_size + (next & 0xFFFu);
    if (bank == NO_BANK || bank == index / map->unit_size) {
        follow(map, work, index, next, code_flow_ends_block(map, index) ? CODE_BLOCK : 0);
    } else if (to < map->cartridge.image_size) {
        add(map, work, to, next, CODE_BLOCK);
    }
}

static void reach(code_map *map, pending *work) {
    while (work->count != 0) {
        const uint32_t index = work->index[--work->count];
        const opcode_facts facts = opcode_find(map->image[index]);
        const uint32_t next = (map->address[index] + facts.size) & 0xFFFFu;
        if (facts.flow == FLOW_BRANCH || facts.flow == FLOW_JUMP || facts.flow == FLOW_CALL) {
            follow(map, work, index, code_flow_target(map, index), CODE_BLOCK);
        }
        if (facts.flow == FLOW_NEXT) {
            follow_next(map, work, index, next);
        } else if (facts.flow == FLOW_BRANCH || facts.flow == FLOW_CALL) {
            follow(map, work, index, next, CODE_BLOCK);
        }
    }
}

typedef struct reached {
    code_map *map;
    pending *work;
    bool news;
} reached;

// Compilers take their time, so pointers are followed only as long as the program is not large.
#define LARGE_PROGRAM 3500u // instructions
static void follow_pointer(void *context, uint32_t jump, uint32_t pc) {
    reached *to = context;
    if (to->map->known < LARGE_PROGRAM) {
        follow(to->map, to->work, jump, pc, CODE_BLOCK);
        to->news |= to->work->count != 0;
        reach(to->map, to->work);
    }
}

// From all that was executed on.
static void reach_all(code_map *map, pending *work) {
    for (uint32_t index = 0; index < map->cartridge.image_size; index++) {
        if ((map->flags[index] & CODE_START) != 0) {
            work->index[work->count++] = index;
        }
    }
    reach(map, work);
    reached context = {map, work, true};
    while (context.news) {
        context.news = false;
        code_pointer_find(map, follow_pointer, &context);
    }
}

// Where two ways meet, a block begins. After code that jumps over itself both ways lead to the same instruction.
static void mark_joins(code_map *map, uint8_t *seen) {
    for (uint32_t index = 0; index < map->cartridge.image_size; index++) {
        if ((map->flags[index] & CODE_START) == 0) {
            continue;
        }
        const opcode_facts facts = opcode_find(map->image[index]);
        const uint32_t next = index + facts.size;
        if (facts.flow == FLOW_NEXT && next < map->cartridge.image_size &&
            (map->flags[next] & CODE_START) != 0 && map->address[next] == map->address[index] + facts.size) {
            map->flags[next] |= seen[next] != 0 ? CODE_BLOCK : 0;
            seen[next] = 1;
        }
    }
    for (uint32_t index = 0; index < map->cartridge.image_size; index++) {
        if ((map->flags[index] & CODE_START) != 0 && !seen[index]) {
            map->flags[index] |= CODE_BLOCK; // nobody falls into it
        }
    }
}

// An instruction that may read a collision latch begins a block: those who have waited for their collisions go on there.
static bool may_read_collisions(const code_map *map, uint32_t index) {
    const opcode_facts facts = opcode_find(map->image[index]);
    const bool direct = opcode_is_direct(&facts);
    if (strcmp(facts.name, "pla") == 0) {
        return (map->flags[index] & CODE_TOUCHES) != 0;
    }
    if (facts.kind != OPCODE_READ || map->watches_low || !(direct || opcode_is_indexed(&facts))) {
        return false;
    }
    const uint32_t address = opcode_operand(map->image + index);
    return (address & (direct ? 0x1088u : 0xFF88u)) == 0;
}

// Ways forward (to higher addresses) must come to a look at the deadline in time; ways back always look. And a block
// may not write more registers than can be noted.
static void mark_checks(code_map *map, uint32_t *since, uint8_t *writes) {
    for (uint32_t index = 0; index < map->cartridge.image_size; index++) {
        if ((map->flags[index] & CODE_START) == 0) {
            continue;
        }
        const opcode_facts facts = opcode_find(map->image[index]);
        if (since[index] > MEGA_TRANSLATED_SLACK / 2u) {
            map->flags[index] |= CODE_BLOCK | CODE_CHECK;
            since[index] = 0;
        }
        if (writes[index] == MEGA_TRANSLATED_WRITES || may_read_collisions(map, index)) {
            map->flags[index] |= CODE_BLOCK | CODE_ENTERED;
        }
        if (code_map_is_block(map, index)) {
            writes[index] = 0;
        }
        const uint32_t age = since[index] + facts.cycles + 3u;
        uint32_t targets[2] = {UINT32_MAX, UINT32_MAX};
        if (facts.flow == FLOW_NEXT || facts.flow == FLOW_BRANCH) {
            targets[0] = code_map_target(map, index, (map->address[index] + facts.size) & 0xFFFFu);
        }
        if (facts.flow == FLOW_BRANCH || facts.flow == FLOW_JUMP) {
            targets[1] = code_map_target(map, index, code_flow_target(map, index));
        }
        for (uint32_t i = 0; i < 2; i++) {
            if (targets[i] != UINT32_MAX && targets[i] > index && since[targets[i]] < age) {
                since[targets[i]] = age;
            }
        }
        if (facts.flow == FLOW_NEXT && targets[0] != UINT32_MAX) {
            writes[targets[0]] = (uint8_t)(writes[index] + code_flow_is_port(map, index));
        }
    }
}

mega_status code_flow(code_map *map) {
    const size_t size = map->cartridge.image_size;
    pending work = {calloc(size, sizeof(uint32_t)), 0};
    uint32_t *since = calloc(size, sizeof(*since));
    uint8_t *seen = calloc(size, 1);
    if (work.index != NULL && since != NULL && seen != NULL && map->unit_size != 0) {
        reach_all(map, &work);
        mark_joins(map, seen);
        memset(seen, 0, size);
        mark_checks(map, since, seen);
    }
    const bool failed = work.index == NULL || since == NULL || seen == NULL;
    free(work.index);
    free(since);
    free(seen);
    return failed ? mega_fail_memory(9 * size) : MEGA_OK;
}
