// emit.c - see emit.h.
#include "emit.h"

#include <stdlib.h>
#include <string.h>

#include "code_flow.h"
#include "emit_ram.h"
#include "opcode_table.h"

typedef struct emitter {
    const code_map *map;
    FILE *out;
    emit_facts *facts;
    uint32_t unit;
} emitter;

// Blocks are named by their image index, and numbered from 1 in each unit.
static uint32_t first_index(const emitter *e) {
    return e->unit * e->map->unit_size;
}

// The block that a branch, jump or call leads to, or UINT32_MAX.
static uint32_t block_at(const code_map *map, uint32_t index, uint32_t pc) {
    const uint32_t target = code_map_target(map, index, pc);
    return target != UINT32_MAX && code_map_is_block(map, target) && map->address[target] == pc ? target
                                                                                                : UINT32_MAX;
}

// Of a block, up to where control can leave it.
static uint32_t count_instructions(const code_map *map, uint32_t index) {
    for (uint32_t count = 1;; count++) {
        const opcode_facts facts = opcode_find(map->image[index]);
        if (facts.flow != FLOW_NEXT) {
            return count;
        }
        index = code_flow_next(map, index);
        if (index == UINT32_MAX || (map->flags[index] & (CODE_BLOCK | CODE_CHAINED)) != 0) {
            return count;
        }
    }
}

// Indexed reads all of whose range is ROM of the unit: the image index of their base, or UINT32_MAX.
static uint32_t rom_table(const code_map *map, uint32_t index, uint32_t base) {
    const uint32_t from = index + (base - map->address[index]);
    const uint32_t a = base & 0xFFFu;
    return (base & 0x1000u) != 0 && from < map->cartridge.image_size &&
                   from / map->unit_size == index / map->unit_size &&
                   from % map->unit_size + 255u < map->unit_size && a - map->plain_low < map->plain_span &&
                   a + 255u - map->plain_low < map->plain_span
               ? from
               : UINT32_MAX;
}

static void emit_access(const emitter *e, uint32_t index, const opcode_facts *facts, uint32_t rest) {
    const code_map *map = e->map;
    const uint32_t operand = opcode_operand(map->image + index);
    const uint32_t next = (map->address[index] + facts->size) & 0xFFFFu;
    const bool indexed = strcmp(facts->mode, "ABX") == 0 || strcmp(facts->mode, "ABY") == 0;
    const uint32_t table = indexed ? rom_table(map, index, operand) : UINT32_MAX;
    const uint32_t follower = code_flow_next(map, index);
    if (facts->kind == OPCODE_READ && table != UINT32_MAX) {
        fprintf(e->out, "DO_READ_ROM(%s, %s, %u, 0x%04X, 3, 0x%04X, 0x%X, %u)", facts->name, facts->mode,
                facts->cycles, next, operand, table, rest);
    } else if (facts->kind == OPCODE_WRITE && code_flow_ends_block(map, index) && follower != UINT32_MAX) {
        fprintf(e->out, "DO_WRITE_LAST(%s, %s, %u, 0x%04X, %u, 0x%02X, %X)", facts->name, facts->mode,
                facts->cycles, next, facts->size, operand, follower);
    } else {
        static const char *const kinds[] = {"READ", "WRITE", "MODIFY"};
        fprintf(e->out, "DO_%s%s(%s, %s, %u, 0x%04X, %u, 0x%02X, %u)", kinds[facts->kind],
                code_flow_is_near_port(map, map->image + index) ? "_NEAR"
                : code_flow_is_port(map, index)                 ? "_PORT"
                                                                : "",
                facts->name, facts->mode, facts->cycles, next, facts->size, operand, rest);
    }
}

static void emit_branch(const emitter *e, uint32_t index, const opcode_facts *facts) {
    const code_map *map = e->map;
    const uint32_t pc = code_flow_target(map, index), next = (map->address[index] + 2u) & 0xFFFFu;
    const uint32_t operand = map->image[index + 1], to = block_at(map, index, pc);
    const uint32_t more = ((pc ^ next) & 0xFF00u) != 0 ? 2 : 1;
    if (pc == next) {
        fprintf(e->out, "DO_BRANCH_NEXT(%s)", facts->name);
    } else if (to == UINT32_MAX) {
        fprintf(e->out, "DO_BRANCH_AWAY(%s, %u, 0x%02X, 0x%04X)", facts->name, more, operand, pc);
    } else if (to > index) {
        fprintf(e->out, "DO_BRANCH(%s, %u, %X)", facts->name, more, to);
    } else if (operand >= 0xFB && operand <= 0xFD) {
        fprintf(e->out, "DO_BRANCH_WAIT(%s, 0x%02X, %u, 0x%02X, %X, 0x%04X, 0x%X)", facts->name,
                map->image[index], more, operand, to, pc, to);
    } else {
        fprintf(e->out, "DO_BRANCH_BACK(%s, %u, %X, 0x%04X)", facts->name, more, to, pc);
    }
}

static void emit_instruction(const emitter *e, uint32_t index, const opcode_facts *facts, uint32_t rest) {
    const code_map *map = e->map;
    const uint32_t operand = opcode_operand(map->image + index), code = map->image[index];
    const uint32_t next = (map->address[index] + facts->size) & 0xFFFFu;
    const uint32_t to =
        facts->flow == FLOW_JUMP || facts->flow == FLOW_CALL ? block_at(map, index, operand) : UINT32_MAX;
    const uint32_t follower = code_flow_next(map, index);
    char text[OPCODE_TEXT_SIZE];
    opcode_describe(map->image + index, map->address[index], text);
    fprintf(e->out, "    /* %04X %-14s */ ", map->address[index], text);
    if (facts->flow == FLOW_BRANCH) {
        emit_branch(e, index, facts);
    } else if (facts->flow == FLOW_JUMP && to != UINT32_MAX) {
        if (to > index) {
            fprintf(e->out, "DO_JMP(%X)", to);
        } else {
            fprintf(e->out, "DO_JMP_BACK(%X, 0x%04X)", to, operand);
        }
    } else if (facts->flow == FLOW_CALL && to != UINT32_MAX) {
        fprintf(e->out, "DO_JSR(0x%04X, 0x%04X, %X)", next, operand, to);
    } else if (facts->flow != FLOW_NEXT) {
        fprintf(e->out, "DO_JUMP(%s, 0x%02X, %u, 0x%04X, %u, 0x%04X)", facts->name, code, facts->cycles, next,
                facts->size, operand);
    } else if (code_flow_ends_block(map, index) && facts->kind == OPCODE_OTHER && follower != UINT32_MAX) {
        fprintf(e->out, "DO_PUSH_LAST(%s, 0x%02X, 0x%04X, %X)", facts->name, code, next, follower);
    } else if (strcmp(facts->name, "pla") == 0) {
        fprintf(e->out, "DO_PULL(%s, 0x%02X, 0x%04X, %u)", facts->name, code, next, rest);
    } else if (facts->kind == OPCODE_OTHER) {
        fprintf(e->out, "DO_OTHER(%s, 0x%02X, %u, 0x%04X, %u, 0x%02X, %u)", facts->name, code, facts->cycles,
                next, facts->size, operand, rest);
    } else {
        emit_access(e, index, facts, rest);
    }
    fputc('\n', e->out);
}

// Control goes on after the last instruction of a block.
static void emit_fall(const emitter *e, uint32_t last, uint32_t next) {
    const code_map *map = e->map;
    if (next != UINT32_MAX) {
        fprintf(e->out, "    DO_FALL(%X)\n", next);
    } else {
        const uint32_t size = opcode_find(map->image[last]).size;
        fprintf(e->out, "    DO_FALL_AWAY(0x%02X, 0x%04X)\n", map->image[last + size - 1u],
                (map->address[last] + size) & 0xFFFFu);
    }
}

static void emit_block(const emitter *e, uint32_t index) {
    const code_map *map = e->map;
    uint32_t rest = count_instructions(map, index);
    if ((map->flags[index] & CODE_CHECK) != 0) {
        fprintf(e->out, "BLOCK_CHECKED(%X, %u, 0x%04X)\n", index, rest, map->address[index]);
    } else {
        fprintf(e->out, "BLOCK(%X, %u)\n", index, rest);
    }
    e->facts->blocks++;
    e->facts->instructions += rest;
    for (;;) {
        const opcode_facts facts = opcode_find(map->image[index]);
        const uint32_t next = code_flow_next(map, index);
        const bool goes_on = facts.flow == FLOW_NEXT || facts.flow == FLOW_BRANCH;
        emit_instruction(e, index, &facts, --rest);
        if (rest == 0 && goes_on && next != UINT32_MAX && (map->flags[next] & CODE_CHAINED) != 0) {
            rest = count_instructions(map, next);
            e->facts->instructions += rest;
            fprintf(e->out, "    RUN_ON(%u)\n", rest);
        } else if (rest == 0) {
            if (goes_on) {
                emit_fall(e, index, next);
            }
            return;
        }
        index = next;
    }
}

static bool has_blocks(const code_map *map, uint32_t unit) {
    for (uint32_t i = unit * map->unit_size; i < (unit + 1u) * map->unit_size; i++) {
        if (code_map_is_block(map, i)) {
            return true;
        }
    }
    return false;
}

static void emit_unit(const emitter *e) {
    const code_map *map = e->map;
    const uint32_t first = first_index(e), end = first + map->unit_size;
    fprintf(e->out, "\n#undef UNIT_BYTE\n#define UNIT_BYTE(where) ");
    if (map->unit_size == 4096 && map->cartridge.scheme != MEGA_SCHEME_FE) {
        fprintf(e->out, "rom[0x%Xu + ((where)&0xFFFu)]\n", first);
    } else if (map->cartridge.scheme == MEGA_SCHEME_2K) {
        fprintf(e->out, "rom[(where)&0x7FFu]\n");
    } else {
        fprintf(e->out, "rom[m->run.window[(where) >> 10 & 15u] + ((where)&0x3FFu)]\n");
    }
    fprintf(e->out, "UNIT_BEGIN(%u)\n", e->unit);
    for (uint32_t index = first; index < end; index++) {
        if (code_map_is_block(map, index)) {
            emit_block(e, index);
        }
    }
    fprintf(e->out, "UNIT_END(%u)\n", e->unit);
}

// Lists of units and blocks. Blocks are named by their image index and numbered from 1; those in RAM come last.
static void emit_lists(const code_map *map, FILE *out) {
    const uint32_t size = map->cartridge.image_size;
    uint32_t block = 0;
    fprintf(out, "#define UNITS(X)");
    for (uint32_t unit = 0; unit * map->unit_size < size; unit++) {
        if (has_blocks(map, unit)) {
            fprintf(out, " X(%u)", unit);
        }
    }
    if (emit_ram_has_blocks(map)) {
        fprintf(out, " X(%u)", emit_ram_unit(map));
    }
    for (uint32_t index = 0; index < size; index++) {
        if (index % map->unit_size == 0) {
            const uint32_t unit = index / map->unit_size;
            fprintf(out, "\n#define UNIT_FIRST_%u %u\n#define BLOCKS_%u(X)", unit, block + 1u, unit);
        }
        if (code_map_is_block(map, index)) {
            fprintf(out, " X(%X)", index);
            block++;
        }
    }
    fputc('\n', out);
    if (emit_ram_has_blocks(map)) {
        emit_ram_lists(map, block + 1u, out);
    }
}

// By image index: the number of the block that begins there, and its address.
static void emit_entries(const code_map *map, const uint32_t *rank, FILE *out) {
    const uint32_t size = map->cartridge.image_size;
    uint32_t block = 0;
    fprintf(out, "MEGA_TABLE uint32_t entries[%u] = {", size);
    for (uint32_t i = 0; i < size; i++) {
        block += code_map_is_block(map, i);
        const uint32_t number = rank != NULL ? rank[i] : block;
        fprintf(out, "%s0x%X,", i % 16u == 0 ? "\n    " : "",
                code_map_is_block(map, i) ? number << 16 | map->address[i] : 0u);
    }
    fprintf(out, "\n};\n");
}

// For a warp: by number, the addresses and names of the blocks.
static void emit_numbers(const code_map *map, const uint32_t *rank, FILE *out) {
    const uint32_t nodes = code_map_nodes(map), size = map->cartridge.image_size;
    uint32_t blocks = 0;
    for (uint32_t i = 0; i < nodes; i++) {
        blocks += code_map_is_block(map, i);
    }
    uint32_t *by_rank = calloc(blocks + 1u, sizeof(*by_rank));
    if (by_rank == NULL) {
        fprintf(out, "#error \"the memory was not enough\"\n");
        return;
    }
    for (uint32_t i = 0; i < nodes; i++) {
        if (code_map_is_block(map, i)) {
            by_rank[rank[i]] = i;
        }
    }
    fprintf(out, "MEGA_TABLE uint16_t block_addresses[%u] = {0,", blocks + 1u);
    for (uint32_t i = 1; i <= blocks; i++) {
        fprintf(out, " 0x%04X,", map->address[by_rank[i]]);
    }
    fprintf(out, "};\nenum { id_none");
    for (uint32_t i = 1; i <= blocks; i++) {
        const bool in_ram = by_rank[i] >= size;
        fprintf(out, in_ram ? ", id_R%u" : ", id_%X", in_ram ? by_rank[i] - size : by_rank[i]);
    }
    fprintf(out, " };\n");
    free(by_rank);
}

static void emit_tables(const code_map *map, const uint32_t *rank, FILE *out) {
    const uint32_t size = map->cartridge.image_size;
    fprintf(out, "MEGA_TABLE uint8_t rom[%u] = {", size);
    for (uint32_t i = 0; i < size; i++) {
        fprintf(out, "%s0x%02X,", i % 24u == 0 ? "\n    " : "", map->image[i]);
    }
    fprintf(out, "\n};\n#if MEGA_AHEAD\n");
    emit_entries(map, rank, out);
    emit_numbers(map, rank, out);
    fprintf(out, "#else\n");
    emit_entries(map, NULL, out);
    if (emit_ram_has_blocks(map)) {
        emit_ram_numbers(map, out);
    }
    fprintf(out, "#endif\n");
}

// How lanes of a warp are served: the number of the lowest bits of a key, which have the block, and what is above them.
static void emit_schedule(const code_map *map, const uint32_t *rank, code_schedule schedule, FILE *out) {
    uint32_t most = 1, bits = 0;
    for (uint32_t i = 0; i < code_map_nodes(map); i++) {
        most = code_map_is_block(map, i) && rank[i] > most ? rank[i] : most;
    }
    while (1u << bits <= most + 1u) {
        bits++;
    }
    fprintf(out, "#define KEY_BITS %u\n#define KEY_DEPTH %u\n#define KEY_WINDOW %u\n", bits, schedule.depth,
            schedule.window);
}

void emit_program(const code_map *map, const uint32_t *rank, code_schedule schedule, FILE *out,
                  emit_facts *facts) {
    memset(facts, 0, sizeof(*facts));
    const uint32_t units = map->unit_size == 0 ? 0u : map->cartridge.image_size / map->unit_size;
    fprintf(out, "#define UNIT_SIZE %uu\n#define PLAIN_LOW 0x%Xu\n#define PLAIN_SPAN 0x%Xu\n", map->unit_size,
            map->plain_low, map->plain_span);
    fprintf(out, "#define WATCHES_LOW %u\n", map->watches_low);
    emit_schedule(map, rank, schedule, out);
    emit_lists(map, out);
    fprintf(out, "#include \"mega_base.h\"\n");
    emit_tables(map, rank, out);
    fprintf(out, "#include \"mega_translated.h\"\n\nPROGRAM_BEGIN()\n");
    for (uint32_t unit = 0; unit < units; unit++) {
        emitter e = {map, out, facts, unit};
        if (has_blocks(map, unit)) {
            facts->units++;
            emit_unit(&e);
        }
    }
    if (emit_ram_has_blocks(map)) {
        facts->units++;
        emit_ram_blocks(map, out, facts);
    }
    fprintf(out, "PROGRAM_END()\n");
}
