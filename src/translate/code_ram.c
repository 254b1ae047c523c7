// code_ram.c - see code_ram.h.
#include "code_ram.h"

#include <string.h>

#include "code_flow.h"
#include "mega_interpreter.h"
#include "opcode_table.h"

// ---- runs ------------------------------------------------------------------------------------------------

// JSR and BRK write to the stack before their last byte is fetched, and the stack may be there.
static bool is_translated(const opcode_facts *facts) {
    return facts->flow != FLOW_NONE && facts->flow != FLOW_CALL && strcmp(facts->name, "brk") != 0;
}

// What begins at an offset of RAM, up to the end of the RAM. Behind its last byte is TIA space, where what is fetched
// depends on the data bus, so that byte is left alone.
static void find_run(const uint8_t *bytes, uint32_t pc, ram_run *out) {
    const uint32_t start = pc & 0x7Fu;
    memset(out, 0, sizeof(*out));
    out->address = (uint16_t)pc;
    for (;;) {
        const opcode_facts facts = opcode_find(bytes[start + out->size]);
        if (start + out->size + facts.size >= CODE_RAM_SIZE || !is_translated(&facts)) {
            return;
        }
        for (uint32_t i = 0; i < facts.size; i++) {
            out->kinds[out->size] = i == 0 ? RAM_OPCODE : RAM_OPERAND;
            out->bytes[out->size] = bytes[start + out->size];
            out->size++;
        }
        if (facts.flow != FLOW_NEXT) {
            return;
        }
    }
}

static bool has_opcodes(const ram_run *run, const uint8_t *bytes) {
    for (uint32_t i = 0; i < run->size; i++) {
        if (run->kinds[i] == RAM_OPCODE && bytes[i] != run->bytes[i]) {
            return false;
        }
    }
    return true;
}

uint32_t code_ram_next(const ram_run *run, uint32_t at) {
    do {
        at++;
    } while (at < run->size && run->kinds[at] != RAM_OPCODE);
    return at;
}

// Marks operands that are not what they were. Returns true if there are any.
static bool note_operands(ram_run *run, const uint8_t *bytes) {
    bool is_news = false;
    for (uint32_t at = 0; at < run->size; at = code_ram_next(run, at)) {
        const uint32_t next = code_ram_next(run, at);
        if (next > at + 1u && run->kinds[at + 1u] == RAM_OPERAND &&
            memcmp(run->bytes + at, bytes + at, next - at) != 0) {
            memset(run->kinds + at + 1u, RAM_VARIES, next - at - 1u);
            is_news = true;
        }
    }
    return is_news;
}

uint32_t code_ram_note(code_ram *ram, const uint8_t *bytes, uint32_t pc, bool *is_news) {
    uint32_t variants = 0;
    for (uint32_t i = 0; i < ram->count; i++) {
        ram_run *run = &ram->run[i];
        if (run->address == pc) {
            if (has_opcodes(run, bytes + (pc & 0x7Fu))) {
                *is_news |= note_operands(run, bytes + (pc & 0x7Fu));
                return i;
            }
            variants++;
        }
    }
    if (ram->count == CODE_RAM_RUNS || variants == CODE_RAM_VARIANTS) {
        return UINT32_MAX;
    }
    find_run(bytes, pc, &ram->run[ram->count]);
    if (ram->run[ram->count].size == 0) {
        return UINT32_MAX;
    }
    *is_news = true;
    return ram->count++;
}

// ---- blocks ----------------------------------------------------------------------------------------------

uint32_t code_ram_instructions(const ram_run *run) {
    uint32_t count = 0;
    for (uint32_t at = 0; at < run->size; at = code_ram_next(run, at)) {
        count++;
    }
    return count;
}

// May the instruction at an offset write to a byte of the run that comes later and was taken for granted?
static bool may_write_ahead(const ram_run *run, uint32_t at, const opcode_facts *facts) {
    const uint32_t next = code_ram_next(run, at);
    if (strcmp(facts->name, "pha") == 0 || strcmp(facts->name, "php") == 0) {
        return true;
    }
    if (facts->kind != OPCODE_WRITE && facts->kind != OPCODE_MODIFY) {
        return false;
    }
    if (!opcode_is_direct(facts) || run->kinds[at + 1u] == RAM_VARIES) {
        return true;
    }
    const uint32_t address = opcode_operand(run->bytes + at);
    const uint32_t to = (address & 0x7Fu) - (run->address & 0x7Fu); // wraps for what is before the run
    return code_ram_is_here(address) && to >= next && to < run->size && run->kinds[to] != RAM_VARIES;
}

// The offset after the first instruction that ends a block.
static uint32_t block_size(const code_map *map, const ram_run *run) {
    uint32_t ports = 0;
    for (uint32_t at = 0; at < run->size; at = code_ram_next(run, at)) {
        const opcode_facts facts = opcode_find(run->bytes[at]);
        ports += code_flow_names_port(map, run->bytes + at);
        if (may_write_ahead(run, at, &facts) || ports == MEGA_TRANSLATED_WRITES) {
            return code_ram_next(run, at);
        }
    }
    return run->size;
}

static bool is_block(const code_map *map, uint32_t number) {
    return code_map_is_block(map, code_map_ram_node(map, number));
}

// After the cut two runs may be the same up to where they end now.
static bool is_known(const code_map *map, uint32_t number) {
    const ram_run *run = &map->ram->run[number];
    for (uint32_t i = 0; i < map->ram->count; i++) {
        const ram_run *other = &map->ram->run[i];
        if (is_block(map, i) && other->address == run->address && other->size == run->size &&
            memcmp(other->bytes, run->bytes, run->size) == 0 &&
            memcmp(other->kinds, run->kinds, run->size) == 0) {
            return true;
        }
    }
    return false;
}

static bool mark_block(code_map *map, uint32_t number) {
    const uint32_t node = code_map_ram_node(map, number);
    if (code_map_is_block(map, node) || is_known(map, number)) {
        return false;
    }
    map->flags[node] |= CODE_BLOCK;
    map->address[node] = map->ram->run[number].address;
    return true;
}

// Marks what follows a block that does not end with a jump. Returns true if there was something to mark.
static bool mark_followers(code_map *map, const ram_run *block) {
    bool marked = false;
    for (uint32_t i = 0; i < map->ram->count; i++) {
        marked |= map->ram->run[i].address == block->address + block->size && mark_block(map, i);
    }
    return marked;
}

void code_ram_cut(code_map *map) {
    code_ram *ram = map->ram;
    for (uint32_t i = 0; i < ram->count; i++) {
        ram->run[i].size = (uint8_t)block_size(map, &ram->run[i]);
    }
    for (uint32_t i = 0; i < ram->count; i++) {
        if (ram->run[i].entered) {
            mark_block(map, i);
        }
    }
    for (bool goes_on = true; goes_on;) {
        goes_on = false;
        for (uint32_t i = 0; i < ram->count; i++) {
            if (is_block(map, i)) {
                goes_on |= mark_followers(map, &ram->run[i]);
            }
        }
    }
}
