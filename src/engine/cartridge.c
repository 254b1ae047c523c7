// cartridge.c - scheme by size and signatures, properties by md5, television format by running 60 frames.
#include "cartridge.h"

#include <stdlib.h>
#include <string.h>

#include "catalogue.h"
#include "mega_console.h"
#include "mega_random.h"
#include "status.h"

static const char *const scheme_names[MEGA_SCHEME_COUNT] = {
    "?",  "2K", "4K", "F8",  "F6", "F4", "F8SC", "F6SC", "F4SC", "FASC",
    "E0", "E7", "FE", "DPC", "3F", "3E", "UA",   "CV",   "MB",   "MC",
};

const char *mega_scheme_name(uint8_t scheme) {
    return scheme < MEGA_SCHEME_COUNT ? scheme_names[scheme] : "?";
}

// ---- scheme ------------------------------------------------------------------------------------------

// Non-overlapping occurrences of a signature. As in the reference the very last offset is not looked at,
// and the search goes on one byte after the end of a hit.
static uint32_t count_signature(const uint8_t *image, size_t size, const uint8_t *signature, size_t length) {
    uint32_t count = 0;
    for (size_t i = 0; i + length < size; i++) {
        if (memcmp(image + i, signature, length) == 0) {
            count++;
            i += length;
        }
    }
    return count;
}

typedef struct signature {
    uint8_t length;
    uint8_t bytes[5];
} signature;

static int has_any(const uint8_t *image, size_t size, const signature *list, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (count_signature(image, size, list[i].bytes, list[i].length) > 0) {
            return 1;
        }
    }
    return 0;
}
#define HAS_ANY(list) has_any(image, size, list, sizeof(list) / sizeof(list[0]))

static int is_cv(const uint8_t *image, size_t size) {
    static const signature list[] = {{3, {0x9D, 0xFF, 0xF3}}, {3, {0x99, 0x00, 0xF4}}};
    return HAS_ANY(list);
}
static int is_e0(const uint8_t *image, size_t size) {
    static const signature list[] = {{3, {0x8D, 0xE0, 0x1F}}, {3, {0x8D, 0xE0, 0x5F}},
                                     {3, {0x8D, 0xE9, 0xFF}}, {3, {0xAD, 0xE9, 0xFF}},
                                     {3, {0xAD, 0xED, 0xFF}}, {3, {0xAD, 0xF3, 0xBF}}};
    return HAS_ANY(list);
}
static int is_fe(const uint8_t *image, size_t size) {
    static const signature list[] = {{5, {0x20, 0x00, 0xD0, 0xC6, 0xC5}},
                                     {5, {0x20, 0xC3, 0xF8, 0xA5, 0x82}},
                                     {5, {0xD0, 0xFB, 0x20, 0x73, 0xFE}},
                                     {5, {0x20, 0x00, 0xF0, 0x84, 0xD6}}};
    return HAS_ANY(list);
}
static int is_ua(const uint8_t *image, size_t size) {
    static const signature list[] = {{3, {0x8D, 0x40, 0x02}}};
    return HAS_ANY(list);
}

static int all_equal(const uint8_t *bytes, size_t size) {
    for (size_t i = 1; i < size; i++) {
        if (bytes[i] != bytes[0]) {
            return 0;
        }
    }
    return 1;
}

// RAM on the cartridge hides the first 256 bytes of each bank, so they hold nothing.
static int is_superchip(const uint8_t *image, size_t size) {
    for (size_t bank = 0; bank < size; bank += 4096) {
        if (!all_equal(image + bank, 256)) {
            return 0;
        }
    }
    return 1;
}

static int is_e7(const uint8_t *image) {
    const uint8_t *hole = image + 0x3800;
    if (!all_equal(hole, 0x200)) {
        return 0;
    }
    for (size_t i = 0; i < 32; i++) {
        if (hole[-1 - (ptrdiff_t)i] != hole[0] || hole[0x200 + i] != hole[0]) {
            return 1;
        }
    }
    return 0;
}

// 3E, 3F or the given scheme.
static uint8_t tigervision_or(const uint8_t *image, size_t size, uint8_t otherwise) {
    static const uint8_t select_ram[] = {0x85, 0x3E, 0xA9, 0x00}, select_bank[] = {0x85, 0x3F};
    if (count_signature(image, size, select_ram, sizeof(select_ram)) > 0) {
        return MEGA_SCHEME_3E;
    }
    return count_signature(image, size, select_bank, sizeof(select_bank)) >= 2 ? MEGA_SCHEME_3F : otherwise;
}

static uint8_t detect_8k(const uint8_t *image, size_t size) {
    if (is_superchip(image, size)) {
        return MEGA_SCHEME_F8SC;
    }
    if (memcmp(image, image + 4096, 4096) == 0) {
        return MEGA_SCHEME_4K;
    }
    if (is_e0(image, size)) {
        return MEGA_SCHEME_E0;
    }
    const uint8_t scheme = tigervision_or(image, size, MEGA_SCHEME_NONE);
    if (scheme != MEGA_SCHEME_NONE) {
        return scheme;
    }
    return is_ua(image, size) ? MEGA_SCHEME_UA : is_fe(image, size) ? MEGA_SCHEME_FE : MEGA_SCHEME_F8;
}

static uint8_t detect_scheme(const uint8_t *image, size_t size) {
    switch (size) {
    case 2048: return is_cv(image, size) ? MEGA_SCHEME_CV : MEGA_SCHEME_2K;
    case 4096:
        if (is_cv(image, size)) {
            return MEGA_SCHEME_CV;
        }
        return memcmp(image, image + 2048, 2048) == 0 ? MEGA_SCHEME_2K : MEGA_SCHEME_4K;
    case 8192: return detect_8k(image, size);
    case 10240:
    case 10495:
    case 10496: return MEGA_SCHEME_DPC;
    case 12288: return MEGA_SCHEME_FASC;
    case 16384:
        if (is_superchip(image, size)) {
            return MEGA_SCHEME_F6SC;
        }
        return is_e7(image) ? MEGA_SCHEME_E7 : tigervision_or(image, size, MEGA_SCHEME_F6);
    case 32768:
        return is_superchip(image, size) ? MEGA_SCHEME_F4SC : tigervision_or(image, size, MEGA_SCHEME_F4);
    case 65536: return tigervision_or(image, size, MEGA_SCHEME_MB);
    case 131072: return tigervision_or(image, size, MEGA_SCHEME_MC);
    default:
        return size >= 4096 && size % 8448 != 0 ? tigervision_or(image, size, MEGA_SCHEME_NONE)
                                                : MEGA_SCHEME_NONE;
    }
}

static uint32_t scheme_ram(uint8_t scheme) {
    switch (scheme) {
    case MEGA_SCHEME_F8SC:
    case MEGA_SCHEME_F6SC:
    case MEGA_SCHEME_F4SC: return 128;
    case MEGA_SCHEME_FASC: return 256;
    case MEGA_SCHEME_CV: return 1024;
    case MEGA_SCHEME_E7: return 2048;
    case MEGA_SCHEME_3E:
    case MEGA_SCHEME_MC: return 32768;
    default: return 0;
    }
}

static uint8_t scheme_start_bank(uint8_t scheme, const char *md5) {
    switch (scheme) {
    case MEGA_SCHEME_F8: // two images start in the other bank
        return strcmp(md5, "bc24440b59092559a1ec26055fd1270e") != 0 &&
               strcmp(md5, "75ee371ccfc4f43e7d9b8f24e1266b55") != 0;
    case MEGA_SCHEME_F8SC:
    case MEGA_SCHEME_DPC:
    case MEGA_SCHEME_MB: return 1;
    case MEGA_SCHEME_FASC: return 2;
    default: return 0;
    }
}

// ---- television format ---------------------------------------------------------------------------------

// Runs the cartridge for 60 frames: more than 285 lines in half of the last 30 make it PAL.
static mega_status detect_pal(const uint8_t *image, mega_cartridge *cartridge) {
    mega_console *console = calloc(1, sizeof(*console));
    mega_video *video = calloc(1, sizeof(*video));
    mega_machine *machine = calloc(1, sizeof(*machine));
    uint8_t *ram = calloc(1, cartridge->ram_size + 1u);
    uint32_t *draws = calloc(MEGA_POWER_DRAWS + 1u + cartridge->ram_size, sizeof(*draws));
    mega_status status = MEGA_OK;
    if (console == NULL || video == NULL || machine == NULL || ram == NULL || draws == NULL) {
        status = mega_fail(MEGA_ERROR_MEMORY, "not enough memory to look at a cartridge");
        goto done;
    }
    mega_mt19937 mt;
    mega_mt_seed(&mt, MEGA_CONSOLE_SEED);
    for (uint32_t i = 0; i < MEGA_POWER_DRAWS + 1u + cartridge->ram_size; i++) {
        draws[i] = mega_mt_next(&mt);
    }
    machine->console = console;
    machine->video = video;
    machine->image = image;
    machine->cartridge = cartridge;
    machine->cart_ram = ram;
    const mega_pads pads = {
        .difficulty = (uint32_t)(cartridge->left_difficulty_a | cartridge->right_difficulty_a << 1)};
    console_set_input(machine, &pads);
    console_power_on(machine, draws);
    console_reset(machine, draws + MEGA_POWER_DRAWS);
    uint32_t long_frames = 0;
    for (uint32_t frame = 0; frame < 60; frame++) {
        const uint32_t lines = console_run_frame(machine, MEGA_RUN_FAST);
        long_frames += frame >= 30 && lines > 285;
    }
    cartridge->pal = long_frames >= 15;
done:
    free(draws);
    free(ram);
    free(machine);
    free(video);
    free(console);
    return status;
}

// ---- all together --------------------------------------------------------------------------------------

mega_status mega_cartridge_identify(const uint8_t *image, size_t size, const char *md5, mega_cartridge *out) {
    memset(out, 0, sizeof(*out));
    const uint8_t scheme = detect_scheme(image, size);
    if (scheme == MEGA_SCHEME_NONE) {
        return mega_fail(
            MEGA_ERROR_ROM,
            "a ROM of %zu bytes is no cartridge known here; images have 2048, 4096, 8192, 10240, "
            "12288, 16384, 32768, 65536 or 131072 bytes",
            size);
    }
    const mega_cart_facts *facts = mega_catalogue_find_cart(md5);
    out->image_size = (uint32_t)size;
    out->scheme = scheme;
    out->ram_size = scheme_ram(scheme);
    out->start_bank = scheme_start_bank(scheme, md5);
    out->y_start = 34;
    out->height = 210;
    out->hmove_blanks = 1;
    int explicit_format = 0;
    if (facts != NULL) {
        out->y_start = (uint16_t)facts->ystart;
        out->height = (uint16_t)facts->height;
        out->hmove_blanks = facts->hmove_blanks != 0;
        out->left_paddles = facts->left_controller == MEGA_CONTROLLER_PADDLES;
        out->right_paddles = facts->right_controller == MEGA_CONTROLLER_PADDLES;
        out->swap_ports = facts->swap_ports != 0;
        out->swap_paddles = facts->swap_paddles != 0;
        out->left_difficulty_a = facts->left_difficulty_a != 0;
        out->right_difficulty_a = facts->right_difficulty_a != 0;
        explicit_format = strcmp(facts->format, "AUTO") != 0;
        out->pal = strncmp(facts->format, "PAL", 3) == 0;
    }
    out->probe_height = out->height;
    if (!explicit_format) {
        MEGA_TRY(detect_pal(image, out));
        out->format_probed = 1;
    }
    if (out->pal && out->height == 210) {
        out->height = 250;
    }
    return MEGA_OK;
}
