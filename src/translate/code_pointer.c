// code_pointer.c - see code_pointer.h. Instructions are looked at in the order of memory. That is not how they are
// executed, but programs store the two bytes of a pointer right after each other.
#include "code_pointer.h"

#include <string.h>

#include "opcode_table.h"

#define MOST_JUMPS 64u
#define NEAR 12u // instructions from one byte of a pointer to the other
#define LONGEST_TABLE 64u
#define USUAL_TABLE 16u // where nothing says how long it is

typedef enum source_kind {
    SOURCE_UNKNOWN,
    SOURCE_NUMBER,
    SOURCE_TABLE
} source_kind;

// Where a byte comes from.
typedef struct byte_source {
    uint32_t kind, value; // a number, or an image index
    uint32_t when;        // instructions that had been seen
} byte_source;

typedef struct search {
    const code_map *map;
    code_pointer_found *found;
    void *context;
    uint32_t now;
    byte_source a, x, y;
    byte_source pushed[2];   // the last one first
    byte_source stored[128]; // by address
    uint32_t jump[MOST_JUMPS], pointer[MOST_JUMPS], jumps;
} search;

// ---- what registers have ---------------------------------------------------------------------------------

static void forget(search *s) {
    memset(&s->a, 0, sizeof(s->a));
    memset(&s->x, 0, sizeof(s->x));
    memset(&s->y, 0, sizeof(s->y));
    memset(s->pushed, 0, sizeof(s->pushed));
    memset(s->stored, 0, sizeof(s->stored));
}

// Of a load, which is all that is known about it.
static byte_source loaded(const search *s, uint32_t index, const opcode_facts *facts) {
    const code_map *map = s->map;
    const uint32_t operand = opcode_operand(map->image + index);
    byte_source source = {SOURCE_UNKNOWN, 0, 0};
    if (strcmp(facts->mode, "IMM") == 0) {
        source = (byte_source){SOURCE_NUMBER, operand, 0};
    } else if (strcmp(facts->mode, "ABX") == 0 || strcmp(facts->mode, "ABY") == 0) {
        const uint32_t unit = index - index % map->unit_size, table = unit + operand % map->unit_size;
        const bool is_rom = (operand & 0x1000u) != 0 && (operand & 0xFFFu) - map->plain_low < map->plain_span;
        source = (byte_source){is_rom ? SOURCE_TABLE : SOURCE_UNKNOWN, table, 0};
    }
    return source;
}

static bool is_one_of(const char *name, const char *names) {
    return strstr(names, name) != NULL;
}

static void note_registers(search *s, uint32_t index, const opcode_facts *facts) {
    const byte_source unknown = {SOURCE_UNKNOWN, 0, 0};
    const char *name = facts->name;
    if (strcmp(name, "lda") == 0) {
        s->a = loaded(s, index, facts);
    } else if (strcmp(name, "ldx") == 0) {
        s->x = loaded(s, index, facts);
    } else if (strcmp(name, "ldy") == 0) {
        s->y = loaded(s, index, facts);
    } else if (is_one_of(name, "inx dex tax tsx")) {
        s->x = strcmp(name, "tax") == 0 ? s->a : unknown;
    } else if (is_one_of(name, "iny dey tay")) {
        s->y = strcmp(name, "tay") == 0 ? s->a : unknown;
    } else if (is_one_of(name, "txa tya")) {
        s->a = strcmp(name, "txa") == 0 ? s->x : s->y;
    } else if (is_one_of(name, "and ora eor adc sbc pla asl_a lsr_a rol_a ror_a lax")) {
        s->a = unknown;
    }
}

// ---- pointers --------------------------------------------------------------------------------------------

static uint32_t table_length(byte_source low, byte_source high) {
    const uint32_t apart = low.value < high.value ? high.value - low.value : low.value - high.value;
    return low.kind == SOURCE_TABLE && high.kind == SOURCE_TABLE && apart > 1 && apart <= LONGEST_TABLE
               ? apart
               : USUAL_TABLE;
}

// Both bytes are known: all pointers that they can make, to a jump at an image index. RTS goes to the next address.
static void tell(const search *s, uint32_t jump, byte_source low, byte_source high, uint32_t more) {
    const code_map *map = s->map;
    const bool numbers = low.kind == SOURCE_NUMBER && high.kind == SOURCE_NUMBER;
    const uint32_t length = numbers ? 1u : table_length(low, high);
    for (uint32_t i = 0; i < length; i++) {
        const uint32_t low_at = low.value + i, high_at = high.value + i;
        if ((low.kind == SOURCE_TABLE && low_at >= map->cartridge.image_size) ||
            (high.kind == SOURCE_TABLE && high_at >= map->cartridge.image_size)) {
            return;
        }
        const uint32_t low_byte = low.kind == SOURCE_NUMBER ? low.value : map->image[low_at];
        const uint32_t high_byte = high.kind == SOURCE_NUMBER ? high.value : map->image[high_at];
        s->found(s->context, jump, ((high_byte << 8 | low_byte) + more) & 0xFFFFu);
    }
}

static bool are_known(const search *s, byte_source one, byte_source other) {
    return one.kind != SOURCE_UNKNOWN && other.kind != SOURCE_UNKNOWN && s->now - one.when < NEAR &&
           s->now - other.when < NEAR;
}

// A byte was stored: it may be the first or the second of a pointer.
static void note_store(search *s, uint32_t address, byte_source source) {
    if (address < 0x80 || address > 0xFF) {
        return;
    }
    source.when = s->now;
    s->stored[address & 0x7Fu] = source;
    for (uint32_t i = 0; i < s->jumps; i++) {
        const uint32_t pointer = s->pointer[i];
        if (address == pointer || address == pointer + 1u) {
            const byte_source low = s->stored[pointer & 0x7Fu], high = s->stored[(pointer + 1u) & 0x7Fu];
            if (are_known(s, low, high)) {
                tell(s, s->jump[i], low, high, 0);
            }
        }
    }
}

static void note_instruction(search *s, uint32_t index, const opcode_facts *facts) {
    const char *name = facts->name;
    s->now++;
    if (strcmp(facts->mode, "ZP") == 0 && is_one_of(name, "sta stx sty")) {
        note_store(s, s->map->image[index + 1u], name[2] == 'a' ? s->a : name[2] == 'x' ? s->x : s->y);
    } else if (strcmp(name, "pha") == 0) {
        s->pushed[1] = s->pushed[0];
        s->pushed[0] = s->a;
        s->pushed[0].when = s->now;
    } else if (strcmp(name, "rts") == 0 && are_known(s, s->pushed[0], s->pushed[1])) {
        tell(s, index, s->pushed[0], s->pushed[1], 1);
    } else {
        note_registers(s, index, facts);
    }
}

// JMP through RAM.
static void find_jumps(search *s) {
    for (uint32_t index = 0; index < s->map->cartridge.image_size && s->jumps < MOST_JUMPS; index++) {
        if ((s->map->flags[index] & CODE_START) != 0 &&
            strcmp(opcode_find(s->map->image[index]).name, "jmp_indirect") == 0) {
            const uint32_t pointer = opcode_operand(s->map->image + index);
            if (pointer >= 0x80 && pointer < 0xFF) {
                s->jump[s->jumps] = index;
                s->pointer[s->jumps++] = pointer;
            }
        }
    }
}

void code_pointer_find(const code_map *map, code_pointer_found *found, void *context) {
    search s;
    memset(&s, 0, sizeof(s));
    s.map = map;
    s.found = found;
    s.context = context;
    find_jumps(&s);
    uint32_t expected = UINT32_MAX;
    for (uint32_t index = 0; index < map->cartridge.image_size; index++) {
        if ((map->flags[index] & CODE_START) == 0) {
            continue;
        }
        const opcode_facts facts = opcode_find(map->image[index]);
        if (index != expected) {
            forget(&s);
        }
        note_instruction(&s, index, &facts);
        expected = facts.flow == FLOW_NEXT || facts.flow == FLOW_BRANCH ? index + facts.size : UINT32_MAX;
    }
}
