// test_vectors.c - facts/vectors.csv: lines, cycles, program counter, RAM and screen of every image found, after
// the reset and after 1, 60 and 90 frames, in all three modes. Skipped when no image is found.
#include "mega_test_machine.h"

#include <zlib.h>

#include "mega_test.h"

#define COLUMNS 18 // the file's name and 17 values

static test_rig rig;

typedef struct row {
    char text[COLUMNS][32];
} row;

// RAM is read over the bus, as the reference's environment does it, which leaves its last byte there. That matters
// for one image (star_gunner): its reset vector leads to TIA addresses, so its first opcodes are undriven bits.
static uint32_t read_ram(void) {
    rig.console.bus = rig.console.riot.ram[127];
    return (uint32_t)crc32(0, rig.console.riot.ram, 128);
}

static void put_frame(row *found, uint32_t column, uint32_t lines) {
    const uint32_t rows = rig.cartridge.height < 200 ? 200 : rig.cartridge.height;
    const uint8_t *picture = picture_look(&rig.machine, rig.video.current);
    snprintf(found->text[column], 32, "%u", lines);
    snprintf(found->text[column + 1], 32, "%u", rig.console.cycles);
    snprintf(found->text[column + 2], 32, "%04X", rig.console.cpu.pc);
    snprintf(found->text[column + 3], 32, "%08X", read_ram());
    snprintf(found->text[column + 4], 32, "%08X", (uint32_t)crc32(0, picture, MEGA_WIDTH * rows));
}

static void set_input(const mega_pads *pads) {
    rig.pads = *pads;
    console_set_input(&rig.machine, &rig.pads);
}

// Power-on, the 60 frames that find out the format, two resets, then the frames.
static void play(const mega_rom *rom, uint32_t how, row *found) {
    mega_pads pads = {{0}, {0}, 0, 0, 0};
    test_rig_power_on(&rig, &rom->cartridge, rom->bytes);
    pads.difficulty =
        (uint32_t)(rom->cartridge.left_difficulty_a | (uint32_t)rom->cartridge.right_difficulty_a << 1);
    set_input(&pads);
    if (rom->cartridge.format_probed) {
        rig.cartridge.pal = 0;
        rig.cartridge.height = rom->cartridge.probe_height;
        test_rig_reset(&rig);
        for (uint32_t frame = 0; frame < 60; frame++) {
            console_run_frame(&rig.machine, how);
        }
        rig.cartridge = rom->cartridge;
    }
    test_rig_reset(&rig);
    pads.resistance[0] = pads.resistance[1] = 408823;
    pads.difficulty = 0;
    set_input(&pads);
    test_rig_reset(&rig);
    snprintf(found->text[1], 32, "%08X", read_ram());
    snprintf(found->text[2], 32, "%04X", rig.console.cpu.pc);
    for (uint32_t frame = 1; frame <= 90; frame++) {
        if (frame == 61) {
            pads.press[0] = MEGA_PRESS_FIRE;
            set_input(&pads);
        }
        const uint32_t lines = console_run_frame(&rig.machine, how);
        if (frame == 1 || frame == 60 || frame == 90) {
            put_frame(found, frame == 1 ? 3 : frame == 60 ? 8 : 13, lines);
        }
    }
}

int main(void) {
    static const char *const modes[] = {"plain", "fast", "drawn"};
    char header[1024], line[1024];
    uint32_t images = 0;
    FILE *file = fopen("facts/vectors.csv", "r");
    if (file == NULL || fgets(header, sizeof header, file) == NULL) {
        fprintf(stderr, "facts/vectors.csv cannot be read; run this in the root of the repository\n");
        return 1;
    }
    while (fgets(line, sizeof line, file) != NULL) {
        char *expected[COLUMNS] = {NULL};
        uint32_t count = 0;
        for (char *word = strtok(line, ",\r\n"); word != NULL && count < COLUMNS;
             word = strtok(NULL, ",\r\n")) {
            expected[count++] = word;
        }
        MEGA_CHECK_EQ(count, COLUMNS);
        mega_rom *rom = count == COLUMNS ? test_find_rom(expected[0]) : NULL;
        if (rom == NULL) {
            continue;
        }
        images++;
        for (uint32_t how = MEGA_RUN_PLAIN; how <= MEGA_RUN_DRAWN; how++) {
            static row found;
            play(rom, how, &found);
            for (uint32_t i = 1; i < COLUMNS; i++) {
                const int equal = strcmp(found.text[i], expected[i]) == 0;
                MEGA_CHECK(equal);
                if (!equal) {
                    fprintf(stderr, "%s, %s, column %u: %s, expected %s\n", expected[0], modes[how], i,
                            found.text[i], expected[i]);
                }
            }
        }
        mega_rom_destroy(rom);
    }
    fclose(file);
    printf("%u images\n", images);
    if (images == 0) {
        fprintf(stderr, "skipped: no cartridge image was found\n");
        return 77;
    }
    return mega_test_result();
}
