// opcode_table.c - see opcode_table.h. The facts come from mega_opcodes.h.
#include "opcode_table.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "mega_opcodes.h"

enum {
    SIZE_IMM = 2,
    SIZE_ZP = 2,
    SIZE_ZPX = 2,
    SIZE_ZPY = 2,
    SIZE_IZX = 2,
    SIZE_IZY = 2,
    SIZE_ABS = 3,
    SIZE_ABX = 3,
    SIZE_ABY = 3
};
#define FACTS_READ(code, operation, mode, base) \
    {#operation, #mode, OPCODE_READ, FLOW_NEXT, SIZE_##mode, base},
#define FACTS_WRITE(code, operation, mode, base) \
    {#operation, #mode, OPCODE_WRITE, FLOW_NEXT, SIZE_##mode, base},
#define FACTS_MODIFY(code, operation, mode, base) \
    {#operation, #mode, OPCODE_MODIFY, FLOW_NEXT, SIZE_##mode, base},
#define FACTS_OTHER(code, operation, base) {#operation, "", OPCODE_OTHER, FLOW_NEXT, 1, base},
static const opcode_facts table[256] = {MEGA_OPCODES(FACTS_READ, FACTS_WRITE, FACTS_MODIFY, FACTS_OTHER)};

opcode_facts opcode_find(uint8_t code) {
    // Operations that say themselves what their bytes mean.
    static const struct {
        const char *name;
        opcode_flow flow;
        uint8_t size;
    } others[] = {
        {"bpl", FLOW_BRANCH, 2},        {"bmi", FLOW_BRANCH, 2}, {"bvc", FLOW_BRANCH, 2},
        {"bvs", FLOW_BRANCH, 2},        {"bcc", FLOW_BRANCH, 2}, {"bcs", FLOW_BRANCH, 2},
        {"bne", FLOW_BRANCH, 2},        {"beq", FLOW_BRANCH, 2}, {"jmp", FLOW_JUMP, 3},
        {"jmp_indirect", FLOW_AWAY, 3}, {"jsr", FLOW_CALL, 3},   {"rts", FLOW_AWAY, 1},
        {"rti", FLOW_AWAY, 1},          {"brk", FLOW_AWAY, 2},   {"jam", FLOW_NONE, 1},
    };
    opcode_facts facts = table[code];
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]) && facts.kind == OPCODE_OTHER; i++) {
        if (strcmp(others[i].name, facts.name) == 0) {
            facts.flow = (uint8_t)others[i].flow;
            facts.size = others[i].size;
        }
    }
    return facts;
}

uint32_t opcode_operand(const uint8_t *bytes) {
    const uint32_t size = opcode_find(bytes[0]).size;
    return size == 1 ? 0u : size == 2 ? bytes[1] : bytes[1] | (uint32_t)bytes[2] << 8;
}

bool opcode_is_direct(const opcode_facts *facts) {
    return strcmp(facts->mode, "ZP") == 0 || strcmp(facts->mode, "ABS") == 0;
}

bool opcode_is_indexed(const opcode_facts *facts) {
    return strlen(facts->mode) == 3 && strchr("XY", facts->mode[2]) != NULL && facts->mode[0] != 'I';
}

void opcode_describe(const uint8_t *bytes, uint16_t pc, char text[OPCODE_TEXT_SIZE]) {
    const opcode_facts facts = opcode_find(bytes[0]);
    char name[16];
    size_t length = 0;
    for (; facts.name[length] != '\0' && facts.name[length] != '_' && length < sizeof(name) - 1; length++) {
        name[length] = (char)toupper((unsigned char)facts.name[length]);
    }
    name[length] = '\0';
    const unsigned low = bytes[1], word = (unsigned)(bytes[1] | bytes[2] << 8);
    if (facts.flow == FLOW_BRANCH) {
        snprintf(text, OPCODE_TEXT_SIZE, "%s $%04X", name, (pc + 2u + (low ^ 0x80u) - 0x80u) & 0xFFFFu);
    } else if (strcmp(facts.name, "jmp_indirect") == 0) {
        snprintf(text, OPCODE_TEXT_SIZE, "%s ($%04X)", name, word);
    } else if (facts.kind == OPCODE_OTHER) {
        snprintf(text, OPCODE_TEXT_SIZE, facts.size == 3 ? "%s $%04X" : "%s", name, word);
    } else {
        static const struct {
            const char *mode, *format;
        } formats[] = {{"IMM", "%s #$%02X"},  {"ZP", "%s $%02X"},      {"ZPX", "%s $%02X,X"},
                       {"ZPY", "%s $%02X,Y"}, {"ABS", "%s $%04X"},     {"ABX", "%s $%04X,X"},
                       {"ABY", "%s $%04X,Y"}, {"IZX", "%s ($%02X,X)"}, {"IZY", "%s ($%02X),Y"}};
        for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
            if (strcmp(formats[i].mode, facts.mode) == 0) {
                snprintf(text, OPCODE_TEXT_SIZE, formats[i].format, name, facts.size == 3 ? word : low);
            }
        }
    }
}
