// test_riot.c - the interval timer against a model that counts every cycle, and the loops that wait for it: fast
// mode jumps over them, plain mode does not.
#include "mega_test_modes.h"

#include "mega_test.h"

// ---- the timer -----------------------------------------------------------------------------------------

// Counts down by hand. Before the underflow the value falls in the first cycle after the write and then every
// `interval` cycles; after it every cycle, until INTIM is read.
typedef struct timer_model {
    int64_t written, interval, elapsed, value;
    int64_t first_read; // cycles after the write, or -1
} timer_model;

static void model_cycle(timer_model *timer) {
    if (timer->value < 0 || timer->elapsed % timer->interval == 0) {
        timer->value--;
    }
    timer->elapsed++;
}
static int64_t model_read(timer_model *timer) {
    if (timer->value >= 0) {
        return timer->value;
    }
    if (timer->value <= -2 && timer->first_read < 0) {
        timer->first_read = timer->elapsed;
    }
    if (timer->first_read < 0) {
        return timer->value & 0xFF;
    }
    // From then on in whole intervals again, with an offset.
    const int64_t late = timer->first_read - timer->written * timer->interval;
    return (timer->written - (timer->elapsed - 1) / timer->interval - late) & 0xFF;
}
static int64_t model_status(const timer_model *timer) {
    return timer->value < 0 && timer->first_read < 0 ? 0x80 : 0;
}

static const uint8_t shifts[4] = {0, 3, 6, 10};

static void write_timer(mega_riot *riot, uint32_t prescaler, uint8_t value, uint32_t cycles) {
    static const uint32_t mirrors[] = {0x294, 0x29C, 0x2B4, 0x3F4, 0x1294 & 0xFFF};
    riot_write(riot, mirrors[cycles % 5u] | prescaler, value, cycles);
}

static void test_timer(uint32_t prescaler, uint8_t value, uint32_t start, uint32_t reads,
                       test_random *random) {
    mega_riot riot;
    timer_model model = {value, 1 << shifts[prescaler], 0, value, -1};
    const int64_t limit = ((int64_t)value << shifts[prescaler]) + 700;
    memset(&riot, 0, sizeof riot);
    riot.timer_was_read = 1;
    riot.timer_read_at = 12345;
    write_timer(&riot, prescaler, value, start);
    MEGA_CHECK_EQ(riot.timer_shift, shifts[prescaler]);
    for (int64_t cycle = 1; cycle <= limit; cycle++) {
        model_cycle(&model);
        // Everything near the underflow, little elsewhere.
        const int near = cycle > limit - 720 || cycle < 3;
        if ((near && test_once_in(random, reads)) || test_once_in(random, 1000)) {
            const uint32_t now = start + (uint32_t)cycle;
            if (riot_read_status(&riot, now) != model_status(&model)) {
                MEGA_CHECK_EQ(riot_read_status(&riot, now), model_status(&model));
            }
            const int64_t expected = model_read(&model);
            if (riot_read_timer(&riot, now) != expected) {
                MEGA_CHECK_EQ(riot_read_timer(&riot, now), expected);
                fprintf(stderr, "prescaler %u, value %u, cycle %lld\n", prescaler, value, (long long)cycle);
                return;
            }
            mega_test_checks++;
        }
    }
}

static void test_all_timers(void) {
    test_random random = {1};
    for (uint32_t prescaler = 0; prescaler < 4; prescaler++) {
        for (uint32_t value = 0; value < 256; value += prescaler == 3 ? 17 : 1) {
            test_timer(prescaler, (uint8_t)value, 0, 1, &random);
            test_timer(prescaler, (uint8_t)value, 1000, 40, &random);
            test_timer(prescaler, (uint8_t)value, 0xFFFFFF00u, 300, &random); // a start in the previous frame
        }
    }
}

// Law: as many reads as stepping one at a time finds.
static void test_idle_reads(void) {
    test_random random = {2};
    for (uint32_t i = 0; i < 200000; i++) {
        mega_riot riot;
        memset(&riot, 0, sizeof riot);
        write_timer(&riot, test_below(&random, 4), test_byte(&random), test_below(&random, 100000));
        const uint32_t first = riot.timer_start + 1u + test_below(&random, (260u << riot.timer_shift));
        const uint32_t period = 6u + test_below(&random, 4);
        const int bne = test_once_in(&random, 2);
        const int32_t least = bne ? 1 : 0, most = bne ? 255 : 127;
        const uint32_t found = riot_idle_reads(&riot, first, period, least, most);
        // Stepping is long for large prescalers: the last of the reads and the one after it say it all.
        const int32_t now = riot_ticks(&riot, first);
        if (now < least || now > most) {
            MEGA_CHECK_EQ(found, 0);
            continue;
        }
        MEGA_CHECK(found > 0);
        MEGA_CHECK(riot_ticks(&riot, first + period * (found - 1u)) >= least);
        MEGA_CHECK(riot_ticks(&riot, first + period * found) < least);
        if (riot.timer_shift <= 3) {
            uint32_t steps = 0;
            mega_riot stepped = riot;
            for (uint32_t at = first;; at += period, steps++) {
                const mega_riot before = stepped;
                const uint8_t value = riot_read_timer(&stepped, at);
                if (riot_ticks(&before, at) < 0 || value < least || value > most) {
                    break;
                }
                MEGA_CHECK_BYTES(&stepped, &before, sizeof stepped); // such a read leaves no trace
            }
            MEGA_CHECK_EQ(found, steps);
        }
    }
}

// ---- ports ---------------------------------------------------------------------------------------------

static test_trio trio;
static test_image image;

static void test_ports(void) {
    image.cartridge = test_cartridge(MEGA_SCHEME_4K, 4096);
    test_rig *rig = &trio.plain;
    test_rig_open(rig, &image.cartridge, image.bytes);
    rig->machine.input.swcha = 0x5A;
    rig->machine.input.swchb = 0xC3;
    for (uint32_t mirror = 0; mirror < 0x1000; mirror++) {
        if ((mirror & 0x280u) != 0x280) {
            continue;
        }
        if ((mirror & 0x14u) != 0x14) {
            bus_write_plain(&rig->machine, mirror, mirror & 0xFFu, 100, 0);
        }
        MEGA_CHECK_EQ(rig->console.riot.swacnt, (mirror & 0x14u) == 0x04 || (mirror & 7u) != 1
                                                    ? rig->console.riot.swacnt
                                                    : (mirror & 0xFFu));
        const uint8_t value = bus_read_plain(&rig->machine, mirror, 100, 0xFF);
        switch (mirror & 7u) {
        case 0: MEGA_CHECK_EQ(value, 0x5A); break;
        case 1: MEGA_CHECK_EQ(value, rig->console.riot.swacnt); break;
        case 2: MEGA_CHECK_EQ(value, 0xC3); break;
        case 3: MEGA_CHECK_EQ(value, 0); break;
        default: break;
        }
    }
    for (uint32_t i = 0; i < 128; i++) { // A9 = 1 never reaches RAM; A9 = 0 does, in all mirrors
        bus_write_plain(&rig->machine, 0x80u | i, i ^ 0x5Au, 100, 0);
        bus_write_plain(&rig->machine, 0x280u | i, 0, 100, 0);
        MEGA_CHECK_EQ(rig->console.riot.ram[i], i ^ 0x5Au);
        MEGA_CHECK_EQ(bus_read_plain(&rig->machine, 0xED80u | i, 100, 0), i ^ 0x5Au);
    }
}

// ---- loops ---------------------------------------------------------------------------------------------

// Fast mode must stop exactly where plain mode does: at the underflow, at the limit of instructions in a frame,
// and with every register as it would be.
static void check_loop(const char *kind, uint32_t at, uint32_t length) {
    char name[64];
    image.bytes[0xFFC] = 0x00;
    image.bytes[0xFFD] = 0xF0;
    snprintf(name, sizeof name, "%s at $%04X, %u bytes", kind, 0xF000u + at, length);
    MEGA_CHECK_EQ(test_modes_agree(&trio, name, &image.cartridge, image.bytes, 5, at), 0);
}

// Where a loop stands decides whether its branch crosses a page.
static uint32_t loop_place(test_random *random) {
    return test_once_in(random, 2) ? 0xF7u + test_below(random, 12) : 0x20u + test_below(random, 0xF00);
}

static void begin_program(test_code *code, uint32_t place, test_random *random) {
    memset(image.bytes, 0xEA, 4096);
    *code = (test_code){image.bytes, 0, 0xFF0, random};
    for (uint32_t i = test_below(random, 4); i > 0; i--) {
        code_put(code, 0xEA);
    }
    code_put2(code, 0xA9, test_byte(random));
    code_put3(code, 0x8D, 0x294u + test_below(random, 4));
    code_put2(code, 0xA2, test_byte(random)); // LDX
    code_put2(code, 0xA0, test_byte(random)); // LDY
    code_put3(code, 0x4C, 0xF000u + place);
    code->at = place;
}

static void test_loops(void) {
    static const uint8_t loads[] = {0xAD, 0xAE, 0xAC}, branches[] = {0xD0, 0x10, 0x30, 0xF0};
    test_random random = {3};
    image.cartridge = test_cartridge(MEGA_SCHEME_4K, 4096);
    for (uint32_t i = 0; i < 500; i++) {
        test_code code;
        const uint32_t place = loop_place(&random);
        begin_program(&code, place, &random);
        if (test_below(&random, 3) != 0) {
            code_put3(&code, loads[test_below(&random, 3)], test_once_in(&random, 12) ? 0x285 : 0x284);
            code_put2(&code, branches[test_below(&random, test_once_in(&random, 8) ? 4 : 2)], 0xFB);
        } else {
            code_put2(&code, test_once_in(&random, 2) ? 0xCA : 0x88, 0xD0);
            code_put(&code, test_once_in(&random, 10) ? 0xFC : 0xFD);
        }
        code_put2(&code, 0x85, 0x90); // what was found
        code_put2(&code, 0x86, 0x91);
        code_put2(&code, 0x84, 0x92);
        code_put(&code, 0x08); // and its flags
        code_put2(&code, 0xE6, 0x93);
        if (test_once_in(&random, 3)) {
            code_put2(&code, 0x85, TIA_WSYNC);
        }
        if (test_once_in(&random, 2)) {
            code_put3(&code, 0x4C, 0xF000); // the timer again
        } else {
            code_put3(&code, 0x4C, 0xF000u + place);
        }
        check_loop("a waiting loop", place, code.at - place);
    }
}

int main(void) {
    test_all_timers();
    test_idle_reads();
    test_ports();
    test_loops();
    return mega_test_result();
}
