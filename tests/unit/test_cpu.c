// test_cpu.c - every opcode against a model of the processor that was written for this test from the text of the
// hardware description and the table facts/opcodes.csv. The model makes its accesses over the plain bus, one by
// one; the interpreter's three variants must leave every byte of the console as the model does. So each access
// counts: its order, the undriven bits that it leaves on the data bus, the hot spots it touches, and on a DPC
// cartridge the number of accesses itself, because they clock a random register.
#include "mega_test_program.h"

#include "mega_test.h"

// ---- the table -----------------------------------------------------------------------------------------

enum {
    IMPLIED,
    ACCUMULATOR,
    IMMEDIATE,
    ZP,
    ZPX,
    ZPY,
    ABSOLUTE,
    ABSX,
    ABSY,
    INDIRECT,
    IZX,
    IZY,
    RELATIVE,
    MODES
};
static const char *const mode_names[MODES] = {
    "implied",    "accumulator", "immediate",  "zeropage", "zeropage,X", "zeropage,Y", "absolute",
    "absolute,X", "absolute,Y",  "(absolute)", "(zp,X)",   "(zp),Y",     "relative"};
enum {
    NO_ACCESS,
    READ,
    WRITE,
    MODIFY
};

typedef struct opcode_facts {
    char name[4];
    uint8_t mode, access, cycles, cross;
} opcode_facts;
static opcode_facts opcodes[256];

// Splits a line of CSV in place; fields may be quoted.
static uint32_t split_line(char *line, char **fields, uint32_t most) {
    uint32_t count = 0;
    line[strcspn(line, "\r\n")] = '\0';
    while (count < most) {
        char *end;
        if (*line == '"') {
            fields[count++] = ++line;
            end = strchr(line, '"');
            *end++ = '\0';
        } else {
            fields[count++] = line;
            end = line + strcspn(line, ",");
        }
        if (*end != ',') {
            *end = '\0';
            break;
        }
        *end = '\0';
        line = end + 1;
    }
    return count;
}

static int read_opcodes(void) {
    char line[256];
    uint32_t count = 0;
    FILE *file = fopen("facts/opcodes.csv", "r");
    if (file == NULL || fgets(line, sizeof line, file) == NULL) {
        fprintf(stderr, "facts/opcodes.csv cannot be read; run this in the root of the repository\n");
        return -1;
    }
    while (fgets(line, sizeof line, file) != NULL) {
        char *field[7];
        if (split_line(line, field, 7) != 7) {
            return -1;
        }
        opcode_facts *op = &opcodes[strtoul(field[0], NULL, 16) & 0xFFu];
        snprintf(op->name, sizeof op->name, "%s", field[1]);
        for (uint8_t mode = 0; mode < MODES; mode++) {
            op->mode = strcmp(field[3], mode_names[mode]) == 0 ? mode : op->mode;
        }
        op->access = strcmp(field[4], "read") == 0    ? READ
                     : strcmp(field[4], "write") == 0 ? WRITE
                     : strcmp(field[4], "rmw") == 0   ? MODIFY
                                                      : NO_ACCESS;
        op->cycles = (uint8_t)strtoul(field[5], NULL, 10);
        op->cross = strcmp(field[6], "yes") == 0;
        count++;
    }
    fclose(file);
    return count == 256 ? 0 : -1;
}

// ---- the model -----------------------------------------------------------------------------------------

typedef struct model {
    mega_machine *machine; // its bus
    int a, x, y, sp, pc;
    int n, v, d, i, z, c; // flags, 0 or 1
    uint32_t cycles;
    int wrote; // the last access was a write
    int jammed;
} model;

static int model_read(model *cpu, int address) {
    mega_console *console = cpu->machine->console;
    console->bus = bus_read_plain(cpu->machine, (uint32_t)address & 0xFFFFu, cpu->cycles, console->bus);
    cpu->wrote = 0;
    return console->bus;
}
static void model_write(model *cpu, int address, int value) {
    cpu->cycles = bus_write_plain(cpu->machine, (uint32_t)address & 0xFFFFu, (uint32_t)value & 0xFFu,
                                  cpu->cycles, (uint32_t)cpu->wrote);
    cpu->machine->console->bus = (uint8_t)value;
    cpu->wrote = 1;
}
static int model_fetch(model *cpu) {
    const int value = model_read(cpu, cpu->pc);
    cpu->pc = (cpu->pc + 1) & 0xFFFF;
    return value;
}
static void model_push(model *cpu, int value) {
    model_write(cpu, 0x100 + cpu->sp, value);
    cpu->sp = (cpu->sp - 1) & 0xFF;
}
static int model_pull(model *cpu) {
    cpu->sp = (cpu->sp + 1) & 0xFF;
    return model_read(cpu, 0x100 + cpu->sp);
}
static int model_status(const model *cpu) {
    return cpu->n << 7 | cpu->v << 6 | 0x30 | cpu->d << 3 | cpu->i << 2 | cpu->z << 1 | cpu->c;
}
static void model_set_status(model *cpu, int status) {
    cpu->n = status >> 7 & 1;
    cpu->v = status >> 6 & 1;
    cpu->d = status >> 3 & 1;
    cpu->i = status >> 2 & 1;
    cpu->z = status >> 1 & 1;
    cpu->c = status & 1;
}
static int flags(model *cpu, int result) {
    cpu->z = (result & 0xFF) == 0;
    cpu->n = (result & 0x80) != 0;
    return result & 0xFF;
}

static int dec(int byte) {
    return byte / 16 * 10 + byte % 16;
}
static int bcd(int number) {
    return number % 100 / 10 * 16 + number % 10;
}
static int decimal_overflow(int a, int result, int operand) {
    return ((a ^ result) & 0x80) != 0 && ((result ^ operand) & 0x80) != 0;
}
static void model_adc(model *cpu, int operand) {
    const int a = cpu->a;
    if (cpu->d) {
        const int sum = dec(a) + dec(operand) + cpu->c;
        cpu->a = bcd(sum % 256);
        cpu->c = sum > 99;
        cpu->v = decimal_overflow(a, cpu->a, operand);
    } else {
        const int exact = (int8_t)a + (int8_t)operand + cpu->c, sum = a + operand + cpu->c;
        cpu->a = sum % 256;
        cpu->c = sum > 255;
        cpu->v = exact < -128 || exact > 127;
    }
    flags(cpu, cpu->a);
}
static void model_sbc(model *cpu, int operand) {
    const int a = cpu->a, borrow = 1 - cpu->c;
    if (cpu->d) {
        int difference = dec(a) - dec(operand) - borrow;
        difference += difference < 0 ? 100 : 0;
        cpu->a = (difference < 0 ? dec(256 + difference) : bcd(difference)) & 0xFF;
        cpu->v = decimal_overflow(a, cpu->a, operand);
    } else {
        const int exact = (int8_t)a - (int8_t)operand - borrow;
        cpu->a = (a - operand - borrow) & 0xFF;
        cpu->v = exact < -128 || exact > 127;
    }
    cpu->c = a >= operand + borrow;
    flags(cpu, cpu->a);
}
static void model_compare(model *cpu, int reg, int operand) {
    cpu->c = reg >= operand;
    flags(cpu, reg - operand);
}
static void model_arr(model *cpu, int operand) {
    const int t = cpu->a & operand, carry = cpu->c;
    cpu->a = t / 2 + 128 * carry;
    flags(cpu, cpu->a);
    if (!cpu->d) {
        cpu->c = cpu->a >> 6 & 1;
        cpu->v = (cpu->a >> 6 & 1) ^ (cpu->a >> 5 & 1);
        return;
    }
    cpu->n = carry;
    cpu->v = (t ^ cpu->a) >> 6 & 1;
    if ((t & 15) + (t & 1) > 5) {
        cpu->a = (cpu->a & 0xF0) | ((cpu->a + 6) & 15);
    }
    cpu->c = (t & 0xF0) + (t & 0x10) > 0x50;
    cpu->a = (cpu->a + (cpu->c ? 0x60 : 0)) & 0xFF;
}

// Three letters as a number, for switches.
#define NAME(a, b, c) ((uint32_t)(a) << 16 | (uint32_t)(b) << 8 | (uint32_t)(c))
static uint32_t name_of(const opcode_facts *op) {
    return NAME((uint8_t)op->name[0], (uint8_t)op->name[1], (uint8_t)op->name[2]);
}

static void model_operate(model *cpu, const opcode_facts *op, int value) {
    switch (name_of(op)) {
    case NAME('A', 'D', 'C'): model_adc(cpu, value); break;
    case NAME('S', 'B', 'C'): model_sbc(cpu, value); break;
    case NAME('C', 'M', 'P'): model_compare(cpu, cpu->a, value); break;
    case NAME('C', 'P', 'X'): model_compare(cpu, cpu->x, value); break;
    case NAME('C', 'P', 'Y'): model_compare(cpu, cpu->y, value); break;
    case NAME('L', 'D', 'A'): cpu->a = flags(cpu, value); break;
    case NAME('L', 'D', 'X'): cpu->x = flags(cpu, value); break;
    case NAME('L', 'D', 'Y'): cpu->y = flags(cpu, value); break;
    case NAME('L', 'A', 'X'): cpu->a = cpu->x = flags(cpu, value); break;
    case NAME('O', 'R', 'A'): cpu->a = flags(cpu, cpu->a | value); break;
    case NAME('A', 'N', 'D'): cpu->a = flags(cpu, cpu->a & value); break;
    case NAME('E', 'O', 'R'): cpu->a = flags(cpu, cpu->a ^ value); break;
    case NAME('B', 'I', 'T'):
        cpu->z = (cpu->a & value) == 0;
        cpu->n = value >> 7;
        cpu->v = value >> 6 & 1;
        break;
    case NAME('N', 'O', 'P'): break;
    case NAME('A', 'N', 'C'):
        cpu->a = flags(cpu, cpu->a & value);
        cpu->c = cpu->n;
        break;
    case NAME('A', 'S', 'R'):
        cpu->c = cpu->a & value & 1;
        cpu->a = flags(cpu, (cpu->a & value) >> 1);
        break;
    case NAME('A', 'R', 'R'): model_arr(cpu, value); break;
    case NAME('A', 'N', 'E'): cpu->a = flags(cpu, (cpu->a | 0xEE) & cpu->x & value); break;
    case NAME('L', 'X', 'A'): cpu->a = cpu->x = flags(cpu, (cpu->a | 0xEE) & value); break;
    case NAME('L', 'A', 'S'): cpu->a = cpu->x = cpu->sp = flags(cpu, cpu->sp & value); break;
    case NAME('S', 'B', 'X'): {
        const int difference = (cpu->a & cpu->x) - value;
        cpu->c = difference >= 0;
        cpu->x = flags(cpu, difference);
        break;
    }
    default: MEGA_FAIL("a reading instruction that the model does not know"); break;
    }
}

// What is written back.
static int model_modify(model *cpu, const opcode_facts *op, int value) {
    const int carry = cpu->c;
    int result;
    switch (name_of(op)) {
    case NAME('A', 'S', 'L'):
    case NAME('S', 'L', 'O'):
        cpu->c = value >> 7;
        result = flags(cpu, value * 2);
        break;
    case NAME('R', 'O', 'L'):
    case NAME('R', 'L', 'A'):
        cpu->c = value >> 7;
        result = flags(cpu, value * 2 + carry);
        break;
    case NAME('L', 'S', 'R'):
    case NAME('S', 'R', 'E'):
        cpu->c = value & 1;
        result = flags(cpu, value / 2);
        break;
    case NAME('R', 'O', 'R'):
    case NAME('R', 'R', 'A'):
        cpu->c = value & 1;
        result = flags(cpu, value / 2 + 128 * carry);
        break;
    case NAME('I', 'N', 'C'): result = flags(cpu, value + 1); break;
    case NAME('D', 'E', 'C'): result = flags(cpu, value - 1); break;
    case NAME('I', 'S', 'B'): result = (value + 1) & 0xFF; break;
    case NAME('D', 'C', 'P'): result = (value - 1) & 0xFF; break;
    default: MEGA_FAIL("a modifying instruction that the model does not know"); return 0;
    }
    switch (name_of(op)) {
    case NAME('S', 'L', 'O'): cpu->a = flags(cpu, cpu->a | result); break;
    case NAME('R', 'L', 'A'): cpu->a = flags(cpu, cpu->a & result); break;
    case NAME('S', 'R', 'E'): cpu->a = flags(cpu, cpu->a ^ result); break;
    case NAME('R', 'R', 'A'): model_adc(cpu, result); break;
    case NAME('I', 'S', 'B'): model_sbc(cpu, result); break;
    case NAME('D', 'C', 'P'): model_compare(cpu, cpu->a, result); break;
    default: break;
    }
    return result;
}

static int model_store(model *cpu, const opcode_facts *op, int address) {
    const int high = ((address >> 8) + 1) & 0xFF;
    switch (name_of(op)) {
    case NAME('S', 'T', 'A'): return cpu->a;
    case NAME('S', 'T', 'X'): return cpu->x;
    case NAME('S', 'T', 'Y'): return cpu->y;
    case NAME('S', 'A', 'X'): return cpu->a & cpu->x;
    case NAME('S', 'H', 'A'): return cpu->a & cpu->x & high;
    case NAME('S', 'H', 'X'): return cpu->x & high;
    case NAME('S', 'H', 'Y'): return cpu->y & high;
    case NAME('S', 'H', 'S'): cpu->sp = cpu->a & cpu->x; return cpu->a & cpu->x & high;
    default: MEGA_FAIL("a storing instruction that the model does not know"); return 0;
    }
}

static int model_address(model *cpu, const opcode_facts *op) {
    int low, base, index = 0;
    switch (op->mode) {
    case ZP: return model_fetch(cpu);
    case ZPX: return (model_fetch(cpu) + cpu->x) & 0xFF;
    case ZPY: return (model_fetch(cpu) + cpu->y) & 0xFF;
    case IZX: {
        const int pointer = (model_fetch(cpu) + cpu->x) & 0xFF;
        low = model_read(cpu, pointer);
        return model_read(cpu, pointer + 1) << 8 | low;
    }
    case IZY: {
        const int pointer = model_fetch(cpu);
        low = model_read(cpu, pointer);
        base = model_read(cpu, pointer + 1) << 8 | low;
        index = cpu->y;
        break;
    }
    default:
        low = model_fetch(cpu);
        base = model_fetch(cpu) << 8 | low;
        index = op->mode == ABSX ? cpu->x : op->mode == ABSY ? cpu->y : 0;
        break;
    }
    const int address = (base + index) & 0xFFFF;
    if (op->cross && (base & 0xFF00) != (address & 0xFF00)) {
        cpu->cycles++;
    }
    return address;
}

static void model_branch(model *cpu, int taken) {
    const int displacement = (int8_t)model_fetch(cpu);
    if (taken) {
        const int target = (cpu->pc + displacement) & 0xFFFF;
        cpu->cycles += (target & 0xFF00) != (cpu->pc & 0xFF00) ? 2 : 1;
        cpu->pc = target;
    }
}

// What has no operand in memory, or treats it in its own way.
static void model_other(model *cpu, const opcode_facts *op) {
    int low, high;
    if (op->mode == ACCUMULATOR) {
        cpu->a = model_modify(cpu, op, cpu->a);
        return;
    }
    switch (name_of(op)) {
    case NAME('N', 'O', 'P'): break;
    case NAME('J', 'A', 'M'): cpu->jammed = 1; break;
    case NAME('C', 'L', 'C'): cpu->c = 0; break;
    case NAME('S', 'E', 'C'): cpu->c = 1; break;
    case NAME('C', 'L', 'I'): cpu->i = 0; break;
    case NAME('S', 'E', 'I'): cpu->i = 1; break;
    case NAME('C', 'L', 'D'): cpu->d = 0; break;
    case NAME('S', 'E', 'D'): cpu->d = 1; break;
    case NAME('C', 'L', 'V'): cpu->v = 0; break;
    case NAME('T', 'A', 'X'): cpu->x = flags(cpu, cpu->a); break;
    case NAME('T', 'A', 'Y'): cpu->y = flags(cpu, cpu->a); break;
    case NAME('T', 'X', 'A'): cpu->a = flags(cpu, cpu->x); break;
    case NAME('T', 'Y', 'A'): cpu->a = flags(cpu, cpu->y); break;
    case NAME('T', 'S', 'X'): cpu->x = flags(cpu, cpu->sp); break;
    case NAME('T', 'X', 'S'): cpu->sp = cpu->x; break;
    case NAME('I', 'N', 'X'): cpu->x = flags(cpu, cpu->x + 1); break;
    case NAME('I', 'N', 'Y'): cpu->y = flags(cpu, cpu->y + 1); break;
    case NAME('D', 'E', 'X'): cpu->x = flags(cpu, cpu->x - 1); break;
    case NAME('D', 'E', 'Y'): cpu->y = flags(cpu, cpu->y - 1); break;
    case NAME('B', 'P', 'L'): model_branch(cpu, !cpu->n); break;
    case NAME('B', 'M', 'I'): model_branch(cpu, cpu->n); break;
    case NAME('B', 'V', 'C'): model_branch(cpu, !cpu->v); break;
    case NAME('B', 'V', 'S'): model_branch(cpu, cpu->v); break;
    case NAME('B', 'C', 'C'): model_branch(cpu, !cpu->c); break;
    case NAME('B', 'C', 'S'): model_branch(cpu, cpu->c); break;
    case NAME('B', 'N', 'E'): model_branch(cpu, !cpu->z); break;
    case NAME('B', 'E', 'Q'): model_branch(cpu, cpu->z); break;
    case NAME('P', 'H', 'A'): model_push(cpu, cpu->a); break;
    case NAME('P', 'H', 'P'): model_push(cpu, model_status(cpu)); break;
    case NAME('P', 'L', 'A'):
        model_read(cpu, 0x100 + cpu->sp);
        cpu->a = flags(cpu, model_pull(cpu));
        break;
    case NAME('P', 'L', 'P'):
        model_read(cpu, 0x100 + cpu->sp);
        model_set_status(cpu, model_pull(cpu));
        break;
    case NAME('J', 'M', 'P'): {
        low = model_fetch(cpu);
        int target = model_fetch(cpu) << 8 | low;
        if (op->mode == INDIRECT) {
            low = model_read(cpu, target);
            target = model_read(cpu, (target & 0xFF) == 0xFF ? target & 0xFF00 : target + 1) << 8 | low;
        }
        cpu->pc = target;
        break;
    }
    case NAME('J', 'S', 'R'):
        low = model_fetch(cpu);
        model_read(cpu, 0x100 + cpu->sp);
        model_push(cpu, cpu->pc >> 8);
        model_push(cpu, cpu->pc & 0xFF);
        cpu->pc = model_fetch(cpu) << 8 | low;
        break;
    case NAME('R', 'T', 'S'):
        model_read(cpu, 0x100 + cpu->sp);
        low = model_pull(cpu);
        high = model_pull(cpu);
        model_read(cpu, high << 8 | low);
        cpu->pc = ((high << 8 | low) + 1) & 0xFFFF;
        break;
    case NAME('R', 'T', 'I'):
        model_read(cpu, 0x100 + cpu->sp);
        model_set_status(cpu, model_pull(cpu));
        low = model_pull(cpu);
        cpu->pc = model_pull(cpu) << 8 | low;
        break;
    case NAME('B', 'R', 'K'):
        model_fetch(cpu);
        model_push(cpu, cpu->pc >> 8);
        model_push(cpu, cpu->pc & 0xFF);
        model_push(cpu, model_status(cpu));
        cpu->i = 1;
        low = model_read(cpu, 0xFFFE);
        cpu->pc = model_read(cpu, 0xFFFF) << 8 | low;
        break;
    default: MEGA_FAIL("an instruction that the model does not know"); break;
    }
}

// One instruction on the registers and the bus of `machine`.
static void model_step(mega_machine *machine) {
    mega_console *console = machine->console;
    mega_cpu *r = &console->cpu;
    model cpu = {.machine = machine, .a = r->a, .x = r->x, .y = r->y, .sp = r->sp, .pc = r->pc};
    cpu.cycles = console->cycles;
    model_set_status(&cpu, cpu_status(r));
    const opcode_facts *op = &opcodes[model_fetch(&cpu)];
    cpu.cycles += op->cycles;
    if (op->access == READ) {
        const int value =
            op->mode == IMMEDIATE ? model_fetch(&cpu) : model_read(&cpu, model_address(&cpu, op));
        model_operate(&cpu, op, value);
    } else if (op->access == WRITE) {
        const int address = model_address(&cpu, op);
        model_write(&cpu, address, model_store(&cpu, op, address));
    } else if (op->access == MODIFY) {
        const int address = model_address(&cpu, op);
        const int value = model_read(&cpu, address);
        model_write(&cpu, address, model_modify(&cpu, op, value));
    } else {
        model_other(&cpu, op);
    }
    r->a = (uint8_t)cpu.a;
    r->x = (uint8_t)cpu.x;
    r->y = (uint8_t)cpu.y;
    r->sp = (uint8_t)cpu.sp;
    r->pc = (uint16_t)cpu.pc;
    r->jammed = (uint8_t)cpu.jammed;
    cpu_set_status(r, (uint32_t)model_status(&cpu));
    console->cycles = cpu.cycles;
}

// ---- model against interpreter -------------------------------------------------------------------------

enum {
    BY_MODEL,
    BY_PLAIN,
    BY_BUS,
    BY_LINEAR,
    WAYS
};
static const char *const way_names[WAYS] = {"the model", "plain", "bus", "linear"};

static test_rig rigs[WAYS];
static uint8_t image[TEST_IMAGE_MAX];
static mega_console start; // what every way begins with

static void open_rigs(uint8_t scheme, uint32_t size) {
    const mega_cartridge cartridge = test_cartridge(scheme, size);
    for (uint32_t way = 0; way < WAYS; way++) {
        test_rig_open(&rigs[way], &cartridge, image);
        rigs[way].console.sync.unfinished = 1;
        rigs[way].console.tia.drawn_to = tia_window_start(&rigs[way].console.tia, &cartridge);
    }
    start = rigs[0].console;
}

// Flags are kept as values with the same meaning; only the meaning is compared.
static void normalize(mega_console *console) {
    cpu_set_status(&console->cpu, cpu_status(&console->cpu));
}

// What is on the data bus matters only if the next opcode is not read from the cartridge, which drives all bits.
static void forget_bus(mega_console *console) {
    if ((console->cpu.pc & 0x1000) != 0) {
        console->bus = 0;
    }
}

static int stopped(const test_rig *rig) {
    return (rig->machine.run.events & MEGA_EVENT_STOP) != 0;
}

// One instruction from `start`, in this way. Returns 0 when the way does not apply.
static int run_way(uint32_t way) {
    test_rig *rig = &rigs[way];
    int ran = 1;
    rig->console = start;
    test_rig_begin_request(rig, way == BY_BUS || way == BY_LINEAR);
    switch (way) {
    case BY_MODEL: model_step(&rig->machine); break;
    case BY_PLAIN: ran = cpu_run_plain(&rig->machine, 1) == 0; break;
    case BY_BUS: ran = cpu_run_bus(&rig->machine, 1) == 0; break;
    default: // leaves the last instruction of a budget to others
        ran = cpu_run_linear(&rig->machine, 2) != 2;
        break;
    }
    if (way == BY_BUS || way == BY_LINEAR) {
        log_end(&rig->machine);
    }
    normalize(&rig->console);
    return ran;
}

static int reported;
static uint32_t applied[WAYS];

static void check_ways(void) {
    run_way(BY_MODEL);
    for (uint32_t way = BY_PLAIN; way < WAYS; way++) {
        const char *difference = NULL;
        if (!run_way(way)) {
            MEGA_CHECK_EQ(way, BY_LINEAR); // only this one may leave an instruction to another
            MEGA_CHECK_BYTES(&rigs[way].console.cpu.pc, &start.cpu.pc, sizeof start.cpu.pc);
            continue;
        }
        applied[way]++;
        const uint8_t bus = rigs[BY_MODEL].console.bus;
        if (way == BY_LINEAR) {
            forget_bus(&rigs[BY_MODEL].console);
            forget_bus(&rigs[way].console);
        }
        difference = test_state_difference(&rigs[BY_MODEL], &rigs[way]);
        rigs[BY_MODEL].console.bus = bus;
        if (difference == NULL && stopped(&rigs[BY_MODEL]) == stopped(&rigs[way])) {
            mega_test_checks++;
            continue;
        }
        MEGA_FAIL("the model and the interpreter differ");
        if (reported++ < 20) {
            test_rig *rig = &rigs[BY_MODEL];
            rig->console = start;
            test_rig_begin_request(rig, 0);
            uint8_t bytes[3];
            for (uint32_t i = 0; i < 3; i++) {
                bytes[i] =
                    bus_read_plain(&rig->machine, (start.cpu.pc + i) & 0xFFFFu, start.cycles, start.bus);
            }
            fprintf(
                stderr,
                "scheme %u, $%04X: %02X %02X %02X (%s %s), A %02X X %02X Y %02X SP %02X P %02X: the model and %s: %s\n",
                rig->cartridge.scheme, start.cpu.pc, bytes[0], bytes[1], bytes[2], opcodes[bytes[0]].name,
                mode_names[opcodes[bytes[0]].mode], start.cpu.a, start.cpu.x, start.cpu.y, start.cpu.sp,
                cpu_status(&start.cpu), way_names[way],
                difference != NULL ? difference : "the end of the frame");
        }
    }
}

// ---- all opcodes, random surroundings ------------------------------------------------------------------

static uint8_t interesting_byte(test_random *random) {
    static const uint8_t bytes[] = {0x00, 0x01, 0x7F, 0x80, 0x81, 0xFE, 0xFF, 0x10, 0xF0};
    return test_below(random, 3) == 0 ? bytes[test_below(random, sizeof bytes)] : test_byte(random);
}

// Registers, RAM, the TIA's registers and collisions, the timer.
static void random_scene(test_random *random) {
    mega_tia *tia = &start.tia;
    for (uint32_t i = 0; i < 40; i++) {
        tia_apply(tia, &rigs[0].cartridge, test_below(random, 0x2D), test_byte(random), 0, 0, TIA_RESP_HIDE);
    }
    tia->collisions = (uint16_t)(test_next(random) & 0xEFFFu); // bit 12 is no latch
    tia->last_hmove = -(int32_t)test_below(random, 300);
    for (uint32_t i = 0; i < 128; i++) {
        start.riot.ram[i] = interesting_byte(random);
    }
    start.riot.timer_value = test_byte(random);
    start.riot.timer_shift = (uint8_t)(test_below(random, 4) == 3 ? 10 : 3 * test_below(random, 3));
    start.riot.timer_start = 0u - test_below(random, 3000);
    start.riot.swacnt = test_byte(random);
}

static void random_registers(test_random *random) {
    start.cpu.a = interesting_byte(random);
    start.cpu.x = interesting_byte(random);
    start.cpu.y = interesting_byte(random);
    start.cpu.sp = interesting_byte(random);
    cpu_set_status(&start.cpu, test_byte(random));
    start.cpu.jammed = 0;
    start.bus = test_byte(random);
    start.cycles = test_once_in(random, 8) ? 76u * test_below(random, 290) : test_below(random, 2900);
    if (test_once_in(random, 200)) {
        start.cycles = 76u * 291u - 5u + test_below(random, 10); // around the watchdog
    }
}

// Puts an instruction where the program counter points: in any mirror of the cartridge or in RAM.
static void place_instruction(test_random *random, uint32_t opcode) {
    const uint32_t size = rigs[0].cartridge.image_size;
    uint8_t bytes[3] = {(uint8_t)opcode, interesting_byte(random), interesting_byte(random)};
    if (test_below(random, 2) != 0) {
        // Addresses where something happens: TIA, RAM, RIOT, the start and the end of the cartridge.
        static const uint8_t pages[] = {0x00, 0x01, 0x02, 0x10, 0x1F, 0xF0, 0xFF, 0xDF, 0x14};
        bytes[2] = pages[test_below(random, sizeof pages)];
    }
    if (test_once_in(random, 8)) {
        const uint32_t at = test_below(random, 126);
        memcpy(start.riot.ram + at, bytes, 3);
        start.cpu.pc = (uint16_t)(0x80u + at);
        return;
    }
    const uint32_t a = test_once_in(random, 4) ? 0xF00u + test_below(random, 256) : test_below(random, 4096);
    for (uint32_t bank = 0; bank < size; bank += 2048) { // in all banks, slices and blocks
        for (uint32_t i = 0; i < 3; i++) {
            image[(bank + ((a + i) & 0x7FFu)) % TEST_IMAGE_MAX] = bytes[i];
            image[(bank + ((a + i) & 0x3FFu)) % TEST_IMAGE_MAX] = bytes[i];
        }
    }
    start.cpu.pc = (uint16_t)(test_below(random, 8) << 13 | 0x1000u | a);
}

static void test_all_opcodes(uint8_t scheme, uint32_t size, uint32_t rounds, uint64_t seed) {
    test_random random = {seed};
    memset(image, 0, sizeof image);
    for (uint32_t i = 0; i < size; i++) {
        image[i] = interesting_byte(&random);
    }
    open_rigs(scheme, size);
    for (uint32_t round = 0; round < rounds; round++) {
        random_scene(&random);
        start.cart.bank[0] = (uint16_t)test_below(&random, size / 4096u + 1u);
        start.dpc.random = test_byte(&random);
        for (uint32_t opcode = 0; opcode < 256; opcode++) {
            random_registers(&random);
            place_instruction(&random, opcode);
            if (scheme != MEGA_SCHEME_3E && scheme != MEGA_SCHEME_MC && scheme != MEGA_SCHEME_CV &&
                scheme != MEGA_SCHEME_E7) {
                check_ways();
                continue;
            }
            // RAM beside the state: every way begins with the same.
            for (uint32_t way = 1; way < WAYS; way++) {
                memcpy(rigs[way].cart_ram, rigs[0].cart_ram, rigs[0].cartridge.ram_size);
            }
            check_ways();
        }
    }
}

// ---- all operands --------------------------------------------------------------------------------------

// A, operand, carry and decimal flag in all combinations; immediate, or in RAM for read-modify-write.
static void test_all_operands(void) {
    static const uint8_t codes[] = {0x69, 0xE9, 0xEB, 0x6B, 0x0B, 0x2B, 0x4B, 0xCB, 0x8B, 0xAB,
                                    0xC9, 0x67, 0xE7, 0x07, 0x27, 0x47, 0xC7, 0x24, 0x6A, 0x2A};
    test_random random = {77};
    memset(image, 0, sizeof image);
    open_rigs(MEGA_SCHEME_4K, 4096);
    start.cpu.pc = 0xF123;
    start.cycles = 100;
    for (uint32_t k = 0; k < sizeof codes; k++) {
        const int failures = mega_test_failures;
        image[0x123] = codes[k];
        for (uint32_t n = 0; n < 1u << 18 && mega_test_failures == failures; n++) {
            // All for the arithmetic; a sample for what has no decimal mode.
            if (k != 0 && k != 1 && k != 3 && k != 11 && k != 12 && (n >> 17) != (n & 1u)) {
                continue;
            }
            const uint8_t operand = (uint8_t)(n >> 8);
            start.cpu.a = (uint8_t)n;
            start.cpu.x = test_byte(&random);
            cpu_set_status(&start.cpu, (n >> 16 & 1u) | (n >> 17 & 1u) << 3 | (test_byte(&random) & 0xC6u));
            image[0x124] = opcodes[codes[k]].mode == IMMEDIATE ? operand : 0x95;
            start.riot.ram[0x15] = operand;
            check_ways();
        }
    }
}

// ---- single accesses, with the expected values written out ---------------------------------------------

static void put(uint32_t address, uint32_t a, uint32_t b, uint32_t c) {
    image[address] = (uint8_t)a;
    image[address + 1] = (uint8_t)b;
    image[address + 2] = (uint8_t)c;
}

// Runs the instruction at pc in every way, the model included, and calls `check` on each result.
static void each_way(uint16_t pc, void (*check)(const test_rig *rig)) {
    start.cpu.pc = pc;
    for (uint32_t way = 0; way < WAYS; way++) {
        if (run_way(way)) {
            rigs[way].console.bus = way == BY_LINEAR ? rigs[BY_MODEL].console.bus : rigs[way].console.bus;
            check(&rigs[way]);
        }
    }
}

static void check_bank_1(const test_rig *rig) {
    MEGA_CHECK_EQ(rig->console.cart.bank[0], 1);
}
static void check_rts(const test_rig *rig) {
    MEGA_CHECK_EQ(rig->console.cart.bank[0], 0);
    MEGA_CHECK_EQ(rig->console.cpu.pc, 0xFFF9);
    MEGA_CHECK_EQ(rig->console.cpu.sp, 0xFF);
    MEGA_CHECK_EQ(rig->console.bus, 0x5A); // the byte at the return address, in the new bank
}
static void check_switched(const test_rig *rig) {
    MEGA_CHECK_EQ(rig->console.cart.bank[0], 0);
    MEGA_CHECK_EQ(rig->console.cpu.a, 0x5A);
}

// Indexed addressing reads nothing at the address before the carry; RTS reads at the return address.
static void test_hot_spots(void) {
    static const uint8_t codes[] = {0xBD, 0x9D, 0xFE, 0x1F, 0xBC, 0xDD, 0x5F, 0x1C}; // all absolute,X
    memset(image, 0, sizeof image);
    image[0x0FF8] = 0x5A; // bank 0
    open_rigs(MEGA_SCHEME_F8, 8192);
    start.cycles = 10;
    start.cpu.x = 0xFF;
    for (uint32_t i = 0; i < sizeof codes; i++) {
        put(0x1100, codes[i], 0xF9, 0xFF); // $FFF9 + $FF is $00F8; without the carry it would be $FFF8
        each_way(0xF100, check_bank_1);
    }
    put(0x1100, 0xB1, 0x80, 0); // LDA ($80),Y
    start.riot.ram[0] = 0xF9;
    start.riot.ram[1] = 0xFF;
    start.cpu.y = 0xFF;
    each_way(0xF100, check_bank_1);
    put(0x1100, 0xBD, 0xF9, 0xFE); // but the address itself switches: $FEF9 + $FF is $FFF8
    each_way(0xF100, check_switched);
    put(0x1100, 0x60, 0, 0);
    start.cpu.sp = 0xFD;
    start.riot.ram[0x7E] = 0xF8;
    start.riot.ram[0x7F] = 0xFF;
    each_way(0xF100, check_rts);
}

static void check_stack(const test_rig *rig) {
    MEGA_CHECK_EQ(rig->console.riot.ram[0x7E], 0xF1);
    MEGA_CHECK_EQ(rig->console.riot.ram[0x7D], 0x02);
    MEGA_CHECK_EQ(rig->console.cpu.sp, 0xFC);
    MEGA_CHECK_EQ(rig->console.cpu.pc, 0xF345);
    MEGA_CHECK_EQ(rig->console.cycles, 10 + 6);
}
static void check_brk(const test_rig *rig) {
    MEGA_CHECK_EQ(rig->console.riot.ram[0x7E], 0xF1);
    MEGA_CHECK_EQ(rig->console.riot.ram[0x7D], 0x02);
    MEGA_CHECK_EQ(rig->console.riot.ram[0x7C], 0xB9); // N, 1, B, D, C
    MEGA_CHECK_EQ(rig->console.cpu.pc, 0xF789);
    MEGA_CHECK_EQ(cpu_status(&rig->console.cpu), 0xBD);
    MEGA_CHECK_EQ(rig->console.cycles, 10 + 7);
}
// Pushes into the TIA: PF2 first, then PF1, then PF0.
static void check_playfield(const test_rig *rig) {
    MEGA_CHECK_EQ(rig->console.tia.playfield, 0xF1u << 12 | 0x02u << 4 | 0xBu);
}
// Both pushes of a JSR reach GRP0 and GRP1: the order decides who is copied.
static void check_players(const test_rig *rig) {
    MEGA_CHECK_EQ(rig->console.tia.graphics[1], 0xF1);
    MEGA_CHECK_EQ(rig->console.tia.graphics[0], 0x02);
    MEGA_CHECK_EQ(rig->console.tia.old_graphics[1], 0xF1);
    MEGA_CHECK_EQ(rig->console.tia.old_graphics[0], 0x00);
}
// The second push of a JSR hits WSYNC: the access before was a write, so nobody waits.
static void check_no_wait(const test_rig *rig) {
    MEGA_CHECK_EQ(rig->console.cycles, 10 + 6);
}
// The first one does wait.
static void check_wait(const test_rig *rig) {
    MEGA_CHECK_EQ(rig->console.cycles, 76);
}

static void test_stack(void) {
    memset(image, 0, sizeof image);
    open_rigs(MEGA_SCHEME_4K, 4096);
    start.cycles = 10;
    cpu_set_status(&start.cpu, 0x89);
    image[0xFFE] = 0x89;
    image[0xFFF] = 0xF7;
    put(0x100, 0x20, 0x45, 0xF3); // JSR $F345
    start.cpu.sp = 0xFE;
    each_way(0xF100, check_stack);
    start.cpu.sp = TIA_GRP1;
    each_way(0xF100, check_players);
    start.cpu.sp = TIA_WSYNC + 1;
    each_way(0xF100, check_no_wait);
    start.cpu.sp = TIA_WSYNC;
    each_way(0xF100, check_wait);
    put(0x100, 0x00, 0xEE, 0x00); // BRK
    start.cpu.sp = 0xFE;
    each_way(0xF100, check_brk);
    start.cpu.sp = TIA_PF2;
    each_way(0xF100, check_playfield);
}

static uint8_t expected_a;
static void check_undriven(const test_rig *rig) {
    MEGA_CHECK_EQ(rig->console.cpu.a, expected_a);
    MEGA_CHECK_EQ(rig->console.bus, expected_a);
}

// Register 14 drives no bit at all: what is read is what the last access left on the data bus.
static void test_undriven_bits(void) {
    memset(image, 0, sizeof image);
    open_rigs(MEGA_SCHEME_4K, 4096);
    start.cycles = 10;
    start.cpu.x = 0x04;
    start.cpu.y = 0x04;
    start.riot.ram[0x20] = 0x3E; // $A0: a pointer to $253E, which is register 14
    start.riot.ram[0x21] = 0x25;
    put(0x100, 0xA5, 0x3E, 0); // LDA $3E: the address byte
    expected_a = 0x3E;
    each_way(0xF100, check_undriven);
    put(0x100, 0xB5, 0x3A, 0); // LDA $3A,X: the byte before the index is added
    expected_a = 0x3A;
    each_way(0xF100, check_undriven);
    put(0x100, 0xAD, 0x3E, 0x25); // LDA $253E: the high byte
    expected_a = 0x25;
    each_way(0xF100, check_undriven);
    put(0x100, 0xBD, 0x3A, 0x25);
    each_way(0xF100, check_undriven);
    put(0x100, 0xA1, 0x9C, 0); // LDA ($9C,X): the pointer's high byte
    each_way(0xF100, check_undriven);
    start.cpu.y = 0x40;
    start.riot.ram[0x20] = 0xFE; // $25FE + $40 is $263E
    put(0x100, 0xB1, 0xA0, 0);
    each_way(0xF100, check_undriven);
    // PLA with the stack in the TIA: the first read leaves the opcode's low bits, the second repeats them.
    start.cpu.sp = 0x3D;
    put(0x100, 0x68, 0, 0);
    expected_a = 0x68 & 0x3F;
    each_way(0xF100, check_undriven);
    // A collision and what was on the bus.
    start.tia.collisions = 0x8000; // P0 and P1
    put(0x100, 0xA5, 0x37, 0);
    expected_a = 0x80 | 0x37;
    each_way(0xF100, check_undriven);
}

static uint8_t expected_random;
static void check_random(const test_rig *rig) {
    MEGA_CHECK_EQ(rig->console.dpc.random, expected_random);
}
static void clock_random(uint32_t times) {
    uint32_t r = start.dpc.random;
    while (times-- > 0) {
        const uint32_t bit = ((r >> 7 & 1u) + (r >> 5 & 1u) + (r >> 4 & 1u) + (r >> 3 & 1u) + 1u) & 1u;
        r = (r << 1 | bit) & 0xFFu;
    }
    expected_random = (uint8_t)r;
}

// The DPC's random register counts accesses: reads of $1000-$107F and $1FC0-$1FFF, and all writes.
static void test_access_counts(void) {
    memset(image, 0, sizeof image);
    open_rigs(MEGA_SCHEME_DPC, 10240);
    start.cycles = 10;
    start.dpc.random = 0x35;
    start.cpu.sp = 0xFD;
    put(0x1100, 0xAD, 0x40, 0xF0); // LDA $F040
    clock_random(1);
    each_way(0xF100, check_random);
    put(0x1100, 0x8D, 0x00, 0xF2); // STA $F200
    clock_random(1);
    each_way(0xF100, check_random);
    put(0x1100, 0xEE, 0x40, 0xF0); // INC $F040: a read and a write
    clock_random(2);
    each_way(0xF100, check_random);
    put(0x1100, 0xEE, 0x00, 0xF2); // INC $F200: only the write
    clock_random(1);
    each_way(0xF100, check_random);
    put(0x1100, 0xBD, 0x40, 0xF0); // LDA $F040,X with a page crossing: one read, not two
    start.cpu.x = 0x3F;
    clock_random(1);
    each_way(0xF100, check_random);
    put(0x1FC0, 0xAD, 0x00, 0xF2); // three fetches
    clock_random(3);
    each_way(0xFFC0, check_random);
    put(0x1FC0, 0xEA, 0x00, 0x00); // NOP fetches nothing but itself
    clock_random(1);
    each_way(0xFFC0, check_random);
    put(0x1FC0, 0xD0, 0x00, 0x00); // a branch fetches two bytes, taken or not
    clock_random(2);
    each_way(0xFFC0, check_random);
    put(0x1100, 0x60, 0, 0); // RTS to $F050: one read at the return address
    start.riot.ram[0x7E] = 0x50;
    start.riot.ram[0x7F] = 0xF0;
    clock_random(1);
    each_way(0xF100, check_random);
    put(0x1100, 0x00, 0, 0); // BRK reads its vector
    clock_random(2);
    each_way(0xF100, check_random);
}

int main(void) {
    if (read_opcodes() != 0) {
        return 1;
    }
    test_hot_spots();
    test_stack();
    test_undriven_bits();
    test_access_counts();
    test_all_operands();
    test_all_opcodes(MEGA_SCHEME_4K, 4096, 300, 1);
    for (uint32_t i = 0; i < TEST_SCHEMES; i++) {
        test_all_opcodes(test_schemes[i].scheme, test_schemes[i].size, 40, 2 + i);
    }
    for (uint32_t way = BY_PLAIN; way < WAYS; way++) {
        printf("%s: %u instructions\n", way_names[way], applied[way]);
        MEGA_CHECK(applied[way] > 500000);
    }
    return mega_test_result();
}
