// test_rom.c - images from files and memory, above all those that are not fit to be one.
#include "rom.h"

#include "builtin_rom.h"
#include "mega_test.h"
#include "mega_test_files.h"

static uint8_t zeros[MEGA_ROM_SIZE_MAX + 70000]; // all zero
static uint8_t packed[2 * MEGA_ROM_SIZE_MAX];

// The status must be `expected`, nothing may be handed out, and the message is one line that names the file.
static void check_rejected(const char *path, mega_status expected, const char *reason) {
    mega_rom *rom = (mega_rom *)zeros;
    MEGA_CHECK_EQ(mega_rom_load(path, &rom), expected);
    MEGA_CHECK(rom == NULL);
    const int message_names_both =
        strstr(mega_last_error(), path) != NULL && strstr(mega_last_error(), reason) != NULL;
    MEGA_CHECK(message_names_both);
    if (!message_names_both) {
        fprintf(stderr, "message: %s\n", mega_last_error());
    }
    MEGA_CHECK(strchr(mega_last_error(), '\n') == NULL);
}

static void test_bad_files(void) {
    size_t size;
    check_rejected(mega_test_path("missing.bin"), MEGA_ERROR_FILE, "does not exist");
    check_rejected(mega_test_mkdir("folder"), MEGA_ERROR_FILE, "folder");
    check_rejected(mega_test_write("empty.bin", NULL, 0), MEGA_ERROR_ROM, "empty");
    check_rejected(mega_test_write("short.bin", zeros, 3000), MEGA_ERROR_ROM, "3000");
    check_rejected(mega_test_write("one.bin", zeros, 1), MEGA_ERROR_ROM, "");
    check_rejected(mega_test_write("large.bin", zeros, MEGA_ROM_SIZE_MAX + 1), MEGA_ERROR_ROM, "524288");
    check_rejected(mega_test_write("huge.bin", zeros, sizeof zeros), MEGA_ERROR_ROM, "524288");
    check_rejected("/dev/zero", MEGA_ERROR_ROM, "524288");
    check_rejected("/dev/null", MEGA_ERROR_ROM, "empty");

    size = mega_test_gzip(mega_builtin_rom, mega_builtin_rom_size, packed, sizeof packed);
    check_rejected(mega_test_write("cut.bin.gz", packed, size - 9), MEGA_ERROR_ROM, "cut short");
    packed[size / 2] ^= 0x55;
    check_rejected(mega_test_write("damaged.bin.gz", packed, size), MEGA_ERROR_ROM, "damaged");
    size = mega_test_gzip(zeros, MEGA_ROM_SIZE_MAX + 1, packed, sizeof packed);
    check_rejected(mega_test_write("large.bin.gz", packed, size), MEGA_ERROR_ROM, "524288");
    size = mega_test_gzip(zeros, 0, packed, sizeof packed);
    check_rejected(mega_test_write("empty.bin.gz", packed, size), MEGA_ERROR_ROM, "empty");
    size = mega_test_gzip(zeros, 3000, packed, sizeof packed);
    check_rejected(mega_test_write("short.bin.gz", packed, size), MEGA_ERROR_ROM, "3000");
}

static void test_bad_arguments(void) {
    mega_rom *rom = (mega_rom *)zeros;
    MEGA_CHECK_EQ(mega_rom_load(NULL, &rom), MEGA_ERROR_ARGUMENT);
    MEGA_CHECK(rom == NULL);
    MEGA_CHECK_EQ(mega_rom_load("x", NULL), MEGA_ERROR_ARGUMENT);
    MEGA_CHECK_EQ(mega_rom_builtin(NULL), MEGA_ERROR_ARGUMENT);
    MEGA_CHECK_EQ(mega_rom_find("pong", NULL, NULL), MEGA_ERROR_ARGUMENT);
    MEGA_CHECK_EQ(mega_rom_from_memory(NULL, 4096, NULL, &rom), MEGA_ERROR_ARGUMENT);
    MEGA_CHECK_EQ(mega_rom_from_memory(NULL, 0, NULL, &rom), MEGA_ERROR_ROM);
    MEGA_CHECK_EQ(mega_rom_from_memory(zeros, 3000, "odd", &rom), MEGA_ERROR_ROM);
    MEGA_CHECK(strstr(mega_last_error(), "'odd'") != NULL);
    MEGA_CHECK_EQ(mega_rom_from_memory(zeros, MEGA_ROM_SIZE_MAX + 1, NULL, &rom), MEGA_ERROR_ROM);
    MEGA_CHECK_EQ(mega_rom_from_memory(zeros, sizeof zeros, NULL, &rom), MEGA_ERROR_ROM);
    MEGA_CHECK(rom == NULL);
    mega_rom_destroy(NULL);
}

// Loads a file that must be good and compares it with the built-in image. NULL when it is not.
static mega_rom *load_good(const char *path) {
    mega_rom *rom;
    MEGA_CHECK_EQ(mega_rom_load(path, &rom), MEGA_OK);
    if (rom == NULL) {
        fprintf(stderr, "message: %s\n", mega_last_error());
        return NULL;
    }
    const mega_rom_info *info = mega_rom_get_info(rom);
    MEGA_CHECK(strcmp(info->path, path) == 0);
    MEGA_CHECK_EQ(info->size, mega_builtin_rom_size);
    MEGA_CHECK_EQ(strlen(info->md5), 32);
    return rom;
}

static void test_builtin(void) {
    mega_rom *rom, *same;
    MEGA_CHECK_EQ(mega_rom_builtin(&rom), MEGA_OK);
    if (rom == NULL) {
        fprintf(stderr, "message: %s\n", mega_last_error());
        return;
    }
    const mega_rom_info *info = mega_rom_get_info(rom);
    const mega_game_info *game = mega_game_get_info(info->game);
    MEGA_CHECK(game != NULL && game->builtin);
    MEGA_CHECK(game != NULL && strcmp(game->name, info->name) == 0 && strcmp(game->md5, info->md5) == 0);
    MEGA_CHECK(strcmp(info->path, "") == 0);
    MEGA_CHECK_EQ(info->size, mega_builtin_rom_size);
    MEGA_CHECK_BYTES(mega_rom_get_bytes(rom), mega_builtin_rom, mega_builtin_rom_size);
    MEGA_CHECK(info->screen_height >= 200);

    // By name, by default, and whatever folder is given.
    MEGA_CHECK_EQ(mega_rom_find(info->name, "/nowhere", &same), MEGA_OK);
    MEGA_CHECK(same != NULL && strcmp(mega_rom_get_info(same)->md5, info->md5) == 0);
    mega_rom_destroy(same);
    MEGA_CHECK_EQ(mega_rom_find(NULL, NULL, &same), MEGA_OK);
    MEGA_CHECK(same != NULL && strcmp(mega_rom_get_info(same)->md5, info->md5) == 0);
    mega_rom_destroy(same);
    mega_rom_destroy(rom);
}

static void test_names(void) {
    uint8_t unknown[8192];
    mega_rom *rom = load_good(mega_test_write("Whatever.rom", mega_builtin_rom, mega_builtin_rom_size));
    if (rom != NULL) { // known by content
        MEGA_CHECK(mega_rom_get_info(rom)->game >= 0);
        MEGA_CHECK(strcmp(mega_rom_get_info(rom)->name, "Whatever") != 0);
    }
    mega_rom_destroy(rom);

    MEGA_CHECK(mega_builtin_rom_size <= sizeof unknown);
    memcpy(unknown, mega_builtin_rom, mega_builtin_rom_size);
    unknown[mega_builtin_rom_size - 1] ^= 1; // the vector of an interrupt that this processor does not have
    rom = load_good(mega_test_write("Some Thing.v2.bin", unknown, mega_builtin_rom_size));
    if (rom != NULL) {
        MEGA_CHECK_EQ(mega_rom_get_info(rom)->game, -1);
        MEGA_CHECK(strcmp(mega_rom_get_info(rom)->name, "Some Thing.v2") == 0);
    }
    mega_rom_destroy(rom);
    rom = load_good(mega_test_write("PONG.a26", unknown, mega_builtin_rom_size)); // known by name
    if (rom != NULL) {
        MEGA_CHECK_EQ(mega_rom_get_info(rom)->game, mega_game_find("pong"));
        MEGA_CHECK(strcmp(mega_rom_get_info(rom)->name, "pong") == 0);
    }
    mega_rom_destroy(rom);
    MEGA_CHECK_EQ(mega_rom_from_memory(unknown, mega_builtin_rom_size, NULL, &rom), MEGA_OK);
    MEGA_CHECK(rom != NULL && strcmp(mega_rom_get_info(rom)->name, "unnamed") == 0);
    MEGA_CHECK(rom != NULL && strcmp(mega_rom_get_info(rom)->path, "") == 0);
    mega_rom_destroy(rom);
}

static void test_gzip(void) {
    size_t size = mega_test_gzip(mega_builtin_rom, mega_builtin_rom_size, packed, sizeof packed);
    packed[size] = 'x'; // gzip ignores what follows a file
    mega_rom *rom = load_good(mega_test_write("pack.bin.gz", packed, size + 1));
    if (rom != NULL) {
        MEGA_CHECK_BYTES(mega_rom_get_bytes(rom), mega_builtin_rom, mega_builtin_rom_size);
        MEGA_CHECK(mega_rom_get_info(rom)->game >= 0);
    }
    mega_rom_destroy(rom);
    MEGA_CHECK_EQ(mega_rom_from_memory(packed, size, "memory", &rom), MEGA_OK);
    MEGA_CHECK(rom != NULL && mega_rom_get_info(rom)->size == mega_builtin_rom_size);
    mega_rom_destroy(rom);

    // Two members are one file.
    size = mega_test_gzip(mega_builtin_rom, 1000, packed, sizeof packed);
    size += mega_test_gzip(mega_builtin_rom + 1000, mega_builtin_rom_size - 1000, packed + size,
                           sizeof packed - size);
    rom = load_good(mega_test_write("members.gz", packed, size));
    if (rom != NULL) {
        MEGA_CHECK_BYTES(mega_rom_get_bytes(rom), mega_builtin_rom, mega_builtin_rom_size);
    }
    mega_rom_destroy(rom);
}

static void test_games(void) {
    uint32_t builtin_count = 0;
    const char *previous = "";
    for (int32_t i = 0; i < (int32_t)mega_game_count(); i++) {
        const mega_game_info *info = mega_game_get_info(i);
        MEGA_CHECK(strcmp(previous, info->name) < 0);
        MEGA_CHECK_EQ(mega_game_find(info->name), i);
        MEGA_CHECK(info->mode_count > 0 && info->difficulty_count > 0 && strlen(info->md5) == 32);
        builtin_count += info->builtin;
        previous = info->name;
    }
    MEGA_CHECK_EQ(builtin_count, 1);
    MEGA_CHECK(mega_game_get_info(-1) == NULL && mega_game_get_info((int32_t)mega_game_count()) == NULL);
    MEGA_CHECK_EQ(mega_game_find("no such game"), -1);
    MEGA_CHECK_EQ(mega_game_find(NULL), -1);
    MEGA_CHECK(strcmp(mega_action_name(MEGA_ACTION_NOOP), "NOOP") == 0);
    MEGA_CHECK(strcmp(mega_action_name(MEGA_ACTION_DOWNLEFT), "DOWNLEFT") == 0);
    MEGA_CHECK(strcmp(mega_action_name(MEGA_ACTION_DOWNLEFTFIRE), "DOWNLEFTFIRE") == 0);
    MEGA_CHECK(mega_action_name(MEGA_ACTION_COUNT) == NULL);
}

int main(void) {
    test_bad_files();
    test_bad_arguments();
    test_builtin();
    test_names();
    test_gzip();
    test_games();
    mega_test_remove_files();
    return mega_test_result();
}
