// emit_ram.c - see emit_ram.h.
#include "emit_ram.h"

#include <string.h>

#include "code_flow.h"
#include "opcode_table.h"

bool emit_ram_has_blocks(const code_map *map) {
    for (uint32_t i = 0; i < map->ram->count; i++) {
        if (code_map_is_block(map, code_map_ram_node(map, i))) {
            return true;
        }
    }
    return false;
}

uint32_t emit_ram_unit(const code_map *map) {
    return map->cartridge.image_size / map->unit_size;
}

// ---- lists -----------------------------------------------------------------------------------------------

static void emit_guard(const ram_run *run, FILE *out) {
    for (uint32_t at = 0; at < run->size; at++) {
        if (run->kinds[at] != RAM_VARIES) {
            fprintf(out, "%sRAM_IS(0x%02X, 0x%02X)", at == 0 ? "" : " && ", (run->address & 0x7Fu) + at,
                    run->bytes[at]);
        }
    }
}

void emit_ram_lists(const code_map *map, uint32_t first, FILE *out) {
    const code_ram *ram = map->ram;
    const uint32_t unit = emit_ram_unit(map);
    fprintf(out, "#define UNIT_FIRST_%u %u\n#define BLOCKS_%u(X)", unit, first, unit);
    for (uint32_t i = 0; i < ram->count; i++) {
        if (code_map_is_block(map, code_map_ram_node(map, i))) {
            fprintf(out, " X(R%u)", i);
        }
    }
    fprintf(out, "\n#define RAM_UNIT %uu\n#define RAM_CASES(X)", unit);
    for (uint32_t i = 0; i < ram->count; i++) {
        if (code_map_is_block(map, code_map_ram_node(map, i))) {
            fprintf(out, " \\\n    X(0x%04X, R%u, ", ram->run[i].address, i);
            emit_guard(&ram->run[i], out);
            fputc(')', out);
        }
    }
    fputc('\n', out);
}

void emit_ram_numbers(const code_map *map, FILE *out) {
    const code_ram *ram = map->ram;
    fprintf(out, "enum { id_before_ram = UNIT_FIRST_%u - 1", emit_ram_unit(map));
    for (uint32_t i = 0; i < ram->count; i++) {
        if (code_map_is_block(map, code_map_ram_node(map, i))) {
            fprintf(out, ", id_R%u", i);
        }
    }
    fprintf(out, " };\n");
}

// ---- blocks ----------------------------------------------------------------------------------------------

// An instruction of a run, and its operand as C.
typedef struct ram_code {
    const ram_run *run;
    const uint8_t *bytes;
    opcode_facts facts;
    bool varies;
    uint32_t pc, next; // addresses
    char operand[24];
} ram_code;

static ram_code find_code(const ram_run *run, uint32_t at) {
    ram_code code = {.run = run, .bytes = run->bytes + at, .facts = opcode_find(run->bytes[at])};
    code.varies = code.facts.size > 1 && run->kinds[at + 1u] == RAM_VARIES;
    code.pc = run->address + at;
    code.next = code.pc + code.facts.size;
    if (code.varies) {
        snprintf(code.operand, sizeof code.operand,
                 code.facts.size == 2 ? "RAM_BYTE(0x%02X)" : "RAM_WORD(0x%02X)", (code.pc + 1u) & 0x7Fu);
    } else {
        snprintf(code.operand, sizeof code.operand, "0x%02X", opcode_operand(code.bytes));
    }
    return code;
}

static void emit_access(const code_map *map, const ram_code *code, uint32_t rest, FILE *out) {
    static const char *const kinds[] = {"READ", "WRITE", "MODIFY"};
    const opcode_facts *facts = &code->facts;
    fprintf(out, "DO_%s%s(%s, %s, %u, 0x%04X, %u, %s, %u)", kinds[facts->kind],
            code->varies                               ? ""
            : code_flow_is_near_port(map, code->bytes) ? "_NEAR"
            : code_flow_names_port(map, code->bytes)   ? "_PORT"
                                                       : "",
            facts->name, facts->mode, facts->cycles, code->next, facts->size, code->operand, rest);
}

static void emit_branch(const ram_code *code, FILE *out) {
    fprintf(out, "DO_BRANCH_AWAY(%s, RAM_BRANCH_CYCLES(0x%04X, %s), %s, RAM_BRANCH(0x%04X, %s))",
            code->facts.name, code->next, code->operand, code->operand, code->next, code->operand);
}

static void emit_instruction(const code_map *map, const ram_code *code, uint32_t rest, FILE *out) {
    const opcode_facts *facts = &code->facts;
    char text[OPCODE_TEXT_SIZE];
    opcode_describe(code->bytes, (uint16_t)code->pc, text);
    fprintf(out, "    /* %04X %-14s */ ", code->pc, text);
    if (facts->flow == FLOW_BRANCH) {
        emit_branch(code, out);
    } else if (facts->flow != FLOW_NEXT) {
        fprintf(out, "DO_JUMP(%s, 0x%02X, %u, 0x%04X, %u, %s)", facts->name, code->bytes[0], facts->cycles,
                code->next, facts->size, code->operand);
    } else if (strcmp(facts->name, "pla") == 0) {
        fprintf(out, "DO_PULL(%s, 0x%02X, 0x%04X, %u)", facts->name, code->bytes[0], code->next, rest);
    } else if (facts->kind == OPCODE_OTHER) {
        fprintf(out, "DO_OTHER(%s, 0x%02X, %u, 0x%04X, %u, %s, %u)", facts->name, code->bytes[0],
                facts->cycles, code->next, facts->size, code->operand, rest);
    } else {
        emit_access(map, code, rest, out);
    }
    fputc('\n', out);
}

// What follows is looked for anew, because it may be something else by then.
static void emit_block(const code_map *map, uint32_t number, FILE *out, emit_facts *facts) {
    const ram_run *run = &map->ram->run[number];
    uint32_t rest = code_ram_instructions(run);
    fprintf(out, "BLOCK(R%u, %u)\n", number, rest);
    facts->blocks++;
    facts->instructions += rest;
    for (uint32_t at = 0; at < run->size; at = code_ram_next(run, at)) {
        const ram_code code = find_code(run, at);
        emit_instruction(map, &code, --rest, out);
        if (rest == 0 && (code.facts.flow == FLOW_NEXT || code.facts.flow == FLOW_BRANCH)) {
            fprintf(out, "    DO_FALL_AWAY(bus, 0x%04X)\n", code.next);
        }
    }
}

void emit_ram_blocks(const code_map *map, FILE *out, emit_facts *facts) {
    // Any bank may be there.
    fprintf(out, "\n#undef UNIT_BYTE\n"
                 "#define UNIT_BYTE(where) rom[m->run.window[(where) >> 10 & 15u] + ((where)&0x3FFu)]\n");
    fprintf(out, "UNIT_BEGIN(%u)\n", emit_ram_unit(map));
    for (uint32_t i = 0; i < map->ram->count; i++) {
        if (code_map_is_block(map, code_map_ram_node(map, i))) {
            emit_block(map, i, out, facts);
        }
    }
    fprintf(out, "UNIT_END(%u)\n", emit_ram_unit(map));
}
