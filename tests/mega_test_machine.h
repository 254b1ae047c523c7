// mega_test_machine.h - whole consoles for the C tests: a machine with memory for all that it is connected to,
// random numbers, the images that are found on this computer, and the name of a byte of the state.
//
// A rig is large (two pictures and three logs); tests keep theirs in static storage. One thread only.
#ifndef MEGA_TEST_MACHINE_H
#define MEGA_TEST_MACHINE_H
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mega_console.h"
#include "mega_palettes.h"
#include "mega_random.h"
#include "rom.h"

// ---- random numbers ------------------------------------------------------------------------------------

// SplitMix64: a test's own generator, so that a seed names a case.
typedef struct test_random {
    uint64_t state;
} test_random;

static inline uint64_t test_next(test_random *random) {
    uint64_t z = random->state += 0x9E3779B97F4A7C15ull;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ z >> 27) * 0x94D049BB133111EBull;
    return z ^ z >> 31;
}
// 0 .. count - 1; count is small, so the bias is of no importance.
static inline uint32_t test_below(test_random *random, uint32_t count) {
    return (uint32_t)(test_next(random) >> 33) % count;
}
static inline uint8_t test_byte(test_random *random) {
    return (uint8_t)(test_next(random) >> 40);
}
// True once in `count` times on average.
static inline uint8_t test_once_in(test_random *random, uint32_t count) {
    return test_below(random, count) == 0;
}

// ---- a machine with everything -------------------------------------------------------------------------

#define TEST_CART_RAM 32768

typedef struct test_rig {
    mega_machine machine;
    mega_console console;
    mega_video video;
    mega_cartridge cartridge;
    mega_pads pads;
    mega_mt19937 sequence; // the console's random numbers
    uint8_t cart_ram[TEST_CART_RAM];
    uint32_t draws[MEGA_POWER_DRAWS + 1 + TEST_CART_RAM];
} test_rig;

static inline void test_rig_draw(test_rig *rig, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        rig->draws[i] = mega_mt_next(&rig->sequence);
    }
}

static inline void test_rig_reset(test_rig *rig) {
    test_rig_draw(rig, console_reset_draws(&rig->cartridge));
    console_reset(&rig->machine, rig->draws);
}

// Plugs in a cartridge and switches the console on, without a reset.
static inline void test_rig_power_on(test_rig *rig, const mega_cartridge *cartridge, const uint8_t *image) {
    memset(&rig->machine, 0, sizeof(rig->machine));
    memset(&rig->video, 0, sizeof(rig->video));
    memset(&rig->pads, 0, sizeof(rig->pads));
    memset(rig->cart_ram, 0, sizeof(rig->cart_ram));
    rig->cartridge = *cartridge;
    rig->machine.console = &rig->console;
    rig->machine.video = &rig->video;
    rig->machine.cartridge = &rig->cartridge;
    rig->machine.image = image;
    rig->machine.shades = mega_palette_gray[cartridge->pal];
    rig->machine.cart_ram = cartridge->ram_size > MEGA_CART_RAM ? rig->cart_ram : rig->console.cart.ram;
    mega_mt_seed(&rig->sequence, MEGA_CONSOLE_SEED);
    test_rig_draw(rig, MEGA_POWER_DRAWS);
    console_power_on(&rig->machine, rig->draws);
    console_set_input(&rig->machine, &rig->pads);
}

static inline void test_rig_open(test_rig *rig, const mega_cartridge *cartridge, const uint8_t *image) {
    test_rig_power_on(rig, cartridge, image);
    test_rig_reset(rig);
}

// What console_run_frame does before it runs the processor, for tests that make accesses of their own; a frame
// has been begun. log_end() concludes a logged request.
static inline void test_rig_begin_request(test_rig *rig, int logged) {
    mega_run *run = &rig->machine.run;
    memset(run, 0, sizeof(*run));
    run->line_origin = rig->console.tia.frame_start / 3;
    run->watchdog = run->line_origin + MEGA_CYCLES_PER_LINE * (console_max_lines(&rig->cartridge) + 1);
    run->touch_cycle = rig->console.cycles;
    run->touch_register = MEGA_UNTOUCHED;
    cart_plain_range(run, rig->cartridge.scheme);
    cart_update_windows(&rig->machine);
    run->events = 0;
    if (logged) {
        shadow_begin(run, &rig->console.tia);
        log_begin(&rig->machine);
    }
}

// A cartridge with default properties.
static inline mega_cartridge test_cartridge(uint8_t scheme, uint32_t image_size) {
    mega_cartridge cartridge;
    memset(&cartridge, 0, sizeof(cartridge));
    cartridge.image_size = image_size;
    cartridge.scheme = scheme;
    cartridge.y_start = 34;
    cartridge.height = 210;
    cartridge.probe_height = 210;
    cartridge.hmove_blanks = 1;
    switch (scheme) {
    case MEGA_SCHEME_F8SC:
        cartridge.start_bank = 1;
        cartridge.ram_size = 128;
        break;
    case MEGA_SCHEME_F6SC:
    case MEGA_SCHEME_F4SC: cartridge.ram_size = 128; break;
    case MEGA_SCHEME_FASC:
        cartridge.start_bank = 2;
        cartridge.ram_size = 256;
        break;
    case MEGA_SCHEME_CV: cartridge.ram_size = 1024; break;
    case MEGA_SCHEME_E7: cartridge.ram_size = 2048; break;
    case MEGA_SCHEME_3E:
    case MEGA_SCHEME_MC: cartridge.ram_size = 32768; break;
    case MEGA_SCHEME_F8:
    case MEGA_SCHEME_DPC:
    case MEGA_SCHEME_MB: cartridge.start_bank = 1; break;
    default: break;
    }
    return cartridge;
}

// ---- images --------------------------------------------------------------------------------------------

// Loads the image with this file name from the first folder of the search path that has it.
static inline mega_rom *test_find_rom(const char *file) {
    mega_rom *rom = NULL;
    for (uint32_t i = 0; mega_rom_search_path(i) != NULL; i++) {
        char path[4096];
        const int length = snprintf(path, sizeof path, "%s/%s", mega_rom_search_path(i), file);
        if (length > 0 && (size_t)length < sizeof path && mega_rom_load(path, &rom) == MEGA_OK) {
            return rom;
        }
    }
    return NULL;
}

#define TEST_ROMS_MAX 128

typedef struct test_rom_set {
    mega_rom *roms[TEST_ROMS_MAX];
    uint32_t count; // found
    uint32_t known; // in the list
} test_rom_set;

// The images that facts/vectors.csv names, as far as they are found.
static inline void test_load_roms(test_rom_set *set) {
    char line[1024];
    FILE *file = fopen("facts/vectors.csv", "r");
    memset(set, 0, sizeof(*set));
    if (file == NULL || fgets(line, sizeof line, file) == NULL) {
        fprintf(stderr, "facts/vectors.csv cannot be read; run this in the root of the repository\n");
        exit(1);
    }
    while (fgets(line, sizeof line, file) != NULL && set->count < TEST_ROMS_MAX) {
        line[strcspn(line, ",\n")] = '\0';
        set->known++;
        mega_rom *rom = test_find_rom(line);
        if (rom != NULL) {
            set->roms[set->count++] = rom;
        }
    }
    fclose(file);
}

static inline void test_release_roms(test_rom_set *set) {
    for (uint32_t i = 0; i < set->count; i++) {
        mega_rom_destroy(set->roms[i]);
    }
    set->count = 0;
}

// ---- names of bytes ------------------------------------------------------------------------------------

// "tia.position+2" for the byte of a mega_console at this offset.
static inline const char *test_field_name(size_t offset) {
#define FIELD(name) \
    { #name, offsetof(mega_console, name), sizeof(((mega_console *)0)->name) }
    static const struct {
        const char *name;
        size_t offset, size;
    } fields[] = {
        FIELD(cycles),
        FIELD(draws),
        FIELD(bus),
        FIELD(cpu.pc),
        FIELD(cpu.a),
        FIELD(cpu.x),
        FIELD(cpu.y),
        FIELD(cpu.sp),
        FIELD(cpu.nz),
        FIELD(cpu.carry),
        FIELD(cpu.overflow),
        FIELD(cpu.decimal),
        FIELD(cpu.interrupt),
        FIELD(cpu.jammed),
        FIELD(riot.ram),
        FIELD(riot.timer_start),
        FIELD(riot.timer_read_at),
        FIELD(riot.timer_value),
        FIELD(riot.timer_shift),
        FIELD(riot.timer_was_read),
        FIELD(riot.swacnt),
        FIELD(tia.frame_start),
        FIELD(tia.drawn_to),
        FIELD(tia.line_left),
        FIELD(tia.picture_at),
        FIELD(tia.last_hmove),
        FIELD(tia.playfield),
        FIELD(tia.collisions),
        FIELD(tia.vblank),
        FIELD(tia.ctrlpf),
        FIELD(tia.colors),
        FIELD(tia.nusiz),
        FIELD(tia.reflect),
        FIELD(tia.graphics),
        FIELD(tia.old_graphics),
        FIELD(tia.enable_missile),
        FIELD(tia.missile_to_player),
        FIELD(tia.delay_player),
        FIELD(tia.enable_ball),
        FIELD(tia.old_enable_ball),
        FIELD(tia.delay_ball),
        FIELD(tia.motion),
        FIELD(tia.position),
        FIELD(tia.pf_reflect),
        FIELD(tia.first_hidden),
        FIELD(tia.hmove_blank),
        FIELD(tia.star_field),
        FIELD(tia.star_counter),
        FIELD(tia.m0_override),
        FIELD(tia.color_loss),
        FIELD(sync.vsync_deadline),
        FIELD(sync.dump_ended),
        FIELD(sync.last_lines),
        FIELD(sync.dump),
        FIELD(sync.unfinished),
        FIELD(sync.greyed),
        FIELD(sync.audio),
        FIELD(cart.bank),
        FIELD(cart.ram),
        FIELD(dpc.fraction),
        FIELD(dpc.music_time),
        FIELD(dpc.random),
        FIELD(dpc.fetcher),
        // Whole parts last: they name the padding.
        FIELD(cpu),
        FIELD(riot),
        FIELD(tia),
        FIELD(sync),
        FIELD(cart),
        FIELD(dpc),
    };
#undef FIELD
    static char text[64];
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        if (offset - fields[i].offset < fields[i].size) {
            snprintf(text, sizeof text, "%s+%zu", fields[i].name, offset - fields[i].offset);
            return text;
        }
    }
    snprintf(text, sizeof text, "byte %zu", offset);
    return text;
}

// ---- comparing -----------------------------------------------------------------------------------------

// The first difference of two rigs' states as text, or NULL when there is none.
static inline const char *test_state_difference(const test_rig *a, const test_rig *b) {
    static char text[256];
    const uint8_t *left = (const uint8_t *)&a->console, *right = (const uint8_t *)&b->console;
    if (memcmp(left, right, sizeof(mega_console)) != 0) {
        size_t length = 0;
        uint32_t named = 0;
        for (size_t i = 0; i < sizeof(mega_console) && named < 4; i++) {
            if (left[i] != right[i]) {
                length += (size_t)snprintf(text + length, sizeof text - length, "%s%s: %02X and %02X",
                                           named == 0 ? "" : ", ", test_field_name(i), left[i], right[i]);
                named++;
            }
        }
        return text;
    }
    for (size_t i = 0; i < a->cartridge.ram_size; i++) { // all 0 where the console has room for it
        if (a->cart_ram[i] != b->cart_ram[i]) {
            snprintf(text, sizeof text, "cart_ram+%zu: %02X and %02X", i, a->cart_ram[i], b->cart_ram[i]);
            return text;
        }
    }
    return NULL;
}

// The first difference of two pictures as text, or NULL when there is none.
static inline const char *test_pixel_difference(const uint8_t *left, const uint8_t *right, size_t size,
                                                const char *what) {
    static char text[128];
    if (memcmp(left, right, size) == 0) {
        return NULL;
    }
    size_t i = 0, count = 0;
    while (left[i] == right[i]) {
        i++;
    }
    for (size_t j = i; j < size; j++) {
        count += left[j] != right[j];
    }
    snprintf(text, sizeof text, "%s, row %zu, pixel %zu: %02X and %02X (%zu pixels differ)", what,
             i / MEGA_WIDTH, i % MEGA_WIDTH, left[i], right[i], count);
    return text;
}

// The same for the picture of so many frames ago; both are brought up to date first.
static inline const char *test_picture_difference(test_rig *a, test_rig *b, uint32_t frames_ago) {
    return test_pixel_difference(picture_look(&a->machine, a->video.current ^ frames_ago),
                                 picture_look(&b->machine, b->video.current ^ frames_ago),
                                 MEGA_WIDTH * MEGA_PICTURE_ROWS,
                                 frames_ago != 0 ? "picture before" : "picture");
}

// The same in shades of gray: `a` shows colours, which are converted here one by one.
static inline const char *test_shade_difference(test_rig *a, test_rig *b, uint32_t frames_ago) {
#if MEGA_AHEAD
    return test_picture_difference(a, b, frames_ago); // there are none
#else
    static uint8_t shades[MEGA_WIDTH * MEGA_PICTURE_ROWS];
    const size_t size = (size_t)MEGA_WIDTH * a->cartridge.height;
    const uint8_t *colors = picture_look(&a->machine, a->video.current ^ frames_ago);
    for (size_t i = 0; i < size; i++) {
        shades[i] = mega_palette_gray[a->cartridge.pal][colors[i]];
    }
    return test_pixel_difference(shades, picture_look_shaded(&b->machine, b->video.current ^ frames_ago),
                                 size, frames_ago != 0 ? "shades before" : "shades");
#endif
}

#endif
