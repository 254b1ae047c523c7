// test_translate_cache.c - code of cartridges is made once, kept, checked before it is used, and never needed.
#include "translation.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "mega_test.h"
#include "mega_test_files.h"
#include "mega_test_machine.h"
#include "native_code.h"
#include "program_text.h"

static uint8_t image[2048];
static mega_cartridge cartridge;
static mega_host_compiler compiler;
static char key[MEGA_SHA256_TEXT_SIZE];

// A program that counts in RAM and makes frames. Each call gives another one, which no cache has.
static void new_image(void) {
    static uint8_t number;
    static const uint8_t program[] = {0xA2, 0xFF, 0x9A, 0xA9, 0x00, 0x85, 0x80, 0xE6, 0x81,
                                      0x85, 0x02, 0xA9, 0x02, 0x85, 0x00, 0x85, 0x02, 0x85,
                                      0x02, 0xA9, 0x00, 0x85, 0x00, 0x4C, 0x03, 0xF0};
    cartridge = test_cartridge(MEGA_SCHEME_2K, sizeof image);
    memset(image, 0xEA, sizeof image);
    memcpy(image, program, sizeof program);
    image[4] = number++;
    image[0x7FC] = 0x00;
    image[0x7FD] = 0xF0;
    MEGA_CHECK_EQ(host_compiler_find(&compiler), MEGA_OK);
    native_key(&compiler, &cartridge, image, key);
}

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool is_cached(void) {
    mega_native native;
    const bool good = native_load(key, &native);
    native_close(&native);
    return good;
}

static const char *cache_file(void) {
    static char path[MEGA_TEST_PATH_SIZE];
    snprintf(path, sizeof path, "%s/cache/%s.code", mega_test_folder, key);
    return path;
}

static mega_translation *acquire_now(void) {
    mega_translation *shared = translation_acquire(&cartridge, image, MEGA_TRANSLATE_NOW);
    translation_wait(shared);
    return shared;
}

// A compiler of our own: a script. NULL means the usual one.
static void use_compiler(const char *name, const char *script) {
    if (script == NULL) {
        unsetenv("MEGACADE_CC");
        return;
    }
    const char *path = mega_test_write(name, script, strlen(script));
    chmod(path, 0700);
    setenv("MEGACADE_CC", path, 1);
}

static size_t file_size(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 ? (size_t)status.st_size : 0;
}

// Removes what the compilers and the cache left behind; nothing but code and logs may be there.
static void empty_cache(void) {
    char path[MEGA_TEST_PATH_SIZE + 256];
    snprintf(path, sizeof path, "%s/cache", mega_test_folder);
    DIR *folder = opendir(path);
    for (struct dirent *file; folder != NULL && (file = readdir(folder)) != NULL;) {
        const char *end = strrchr(file->d_name, '.');
        if (strcmp(file->d_name, ".") == 0 || strcmp(file->d_name, "..") == 0) {
            continue;
        }
        if (end == NULL || (strcmp(end, ".code") != 0 && strcmp(end, ".log") != 0)) {
            fprintf(stderr, "left behind: %s\n", file->d_name);
            MEGA_FAIL("something was left in the cache folder");
        }
        snprintf(path, sizeof path, "%s/cache/%s", mega_test_folder, file->d_name);
        unlink(path);
    }
    if (folder != NULL) {
        closedir(folder);
    }
}

// ---- sharing ---------------------------------------------------------------------------------------------

static void test_now(void) {
    new_image();
    MEGA_CHECK(!is_cached());
    mega_translation *one = acquire_now();
    MEGA_CHECK(one != NULL && translation_code(one) != NULL);
    MEGA_CHECK(is_cached());
    mega_translation *two = translation_acquire(&cartridge, image, MEGA_TRANSLATE_AUTO);
    MEGA_CHECK(one == two);
    translation_release(one);
    MEGA_CHECK(translation_code(two) != NULL);
    translation_release(two);
    MEGA_CHECK(translation_acquire(&cartridge, image, MEGA_TRANSLATE_OFF) == NULL);
    setenv("MEGACADE_TRANSLATE", "0", 1);
    MEGA_CHECK(acquire_now() == NULL);
    unsetenv("MEGACADE_TRANSLATE");
    translation_release(NULL);
}

// Environments change over while they play, and nobody can tell.
static void test_auto(void) {
    mega_rom *rom;
    mega_env *envs[2];
    MEGA_CHECK_EQ(mega_rom_builtin(&rom), MEGA_OK);
    for (uint32_t i = 0; i < 2; i++) {
        const mega_env_desc desc = {.struct_size = sizeof desc,
                                    .translate = i == 0 ? MEGA_TRANSLATE_OFF : MEGA_TRANSLATE_AUTO};
        MEGA_CHECK_EQ(mega_env_create(&desc, rom, &envs[i]), MEGA_OK);
    }
    mega_translation *shared = translation_acquire(&rom->cartridge, rom->bytes, MEGA_TRANSLATE_AUTO);
    MEGA_CHECK(shared != NULL && translation_code(shared) == NULL);
    const double limit = seconds_now() + 60.0;
    uint32_t frames = 0, after = 0;
    test_random random = {1};
    while (after < 2000 && seconds_now() < limit) {
        const uint32_t action = test_below(&random, MEGA_ACTION_COUNT);
        for (uint32_t i = 0; i < 2; i++) {
            if (mega_env_game_over(envs[i])) {
                MEGA_CHECK_EQ(mega_env_reset(envs[i]), MEGA_OK);
            }
            mega_env_act(envs[i], action, 1.0f, NULL);
        }
        if (memcmp(mega_env_ram(envs[0]), mega_env_ram(envs[1]), MEGA_RAM_SIZE) != 0) {
            MEGA_FAIL("RAM differs");
            break;
        }
        frames++;
        after += translation_code(shared) != NULL;
    }
    MEGA_CHECK(after == 2000 && frames > after);
    translation_release(shared);
    mega_env_destroy(envs[0]);
    mega_env_destroy(envs[1]);
    mega_rom_destroy(rom);
}

// In a child process work begins again.
static void test_fork(void) {
    new_image();
    mega_translation *here = translation_acquire(&cartridge, image, MEGA_TRANSLATE_AUTO);
    const pid_t child = fork();
    if (child == 0) {
        mega_translation *there = acquire_now();
        const bool good = there == here && translation_code(there) != NULL;
        translation_release(there);
        _exit(good ? 0 : 1);
    }
    int result = -1;
    MEGA_CHECK(waitpid(child, &result, 0) == child);
    MEGA_CHECK_EQ(result, 0);
    mega_translation *again = acquire_now();
    MEGA_CHECK(again == here && translation_code(again) != NULL);
    translation_release(again);
    translation_release(here);
}

// Several processes want the same code at once: one compiler runs.
static void test_race(void) {
    char script[MEGA_TEST_PATH_SIZE + 64];
    const char *log = mega_test_path("runs");
    snprintf(script, sizeof script, "#!/bin/sh\necho x >>%s\nexec cc \"$@\"\n", log);
    use_compiler("counting", script);
    new_image();
    pid_t children[4];
    for (uint32_t i = 0; i < 4; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            mega_translation *mine = acquire_now();
            _exit(translation_code(mine) != NULL ? 0 : 1);
        }
    }
    for (uint32_t i = 0; i < 4; i++) {
        int result = -1;
        MEGA_CHECK(waitpid(children[i], &result, 0) == children[i]);
        MEGA_CHECK_EQ(result, 0);
    }
    MEGA_CHECK_EQ(file_size(log), 4); // two lines: compile, link
    use_compiler(NULL, NULL);
}

// ---- what is not to be trusted ---------------------------------------------------------------------------

static void make_code(void) {
    mega_native native;
    new_image();
    MEGA_CHECK_EQ(native_make(&compiler, &cartridge, image, key, &native), MEGA_OK);
    MEGA_CHECK(native.run != NULL);
    native_close(&native);
}

// What a killed process left behind an hour ago goes, what is younger stays.
static void test_stale_folders(void) {
    char old[MEGA_TEST_PATH_SIZE], young[MEGA_TEST_PATH_SIZE], file[MEGA_TEST_PATH_SIZE + 8];
    const struct timespec times[2] = {{time(NULL) - 7200, 0}, {time(NULL) - 7200, 0}};
    snprintf(old, sizeof old, "%s/cache/work.abcdef", mega_test_folder);
    snprintf(young, sizeof young, "%s/cache/work.ghijkl", mega_test_folder);
    snprintf(file, sizeof file, "%s/part0.c", old);
    MEGA_CHECK(mkdir(old, 0700) == 0 && mkdir(young, 0700) == 0);
    FILE *stream = fopen(file, "w");
    MEGA_CHECK(stream != NULL && fclose(stream) == 0);
    MEGA_CHECK_EQ(utimensat(AT_FDCWD, old, times, 0), 0);
    make_code();
    MEGA_CHECK(access(old, F_OK) != 0 && access(young, F_OK) == 0);
    MEGA_CHECK_EQ(rmdir(young), 0);
}

static void test_owner_and_mode(void) {
    static const mode_t shared[] = {0620, 0602, 0666};
    make_code();
    MEGA_CHECK(is_cached());
    for (size_t i = 0; i < sizeof shared / sizeof shared[0]; i++) {
        MEGA_CHECK_EQ(chmod(cache_file(), shared[i]), 0);
        MEGA_CHECK(!is_cached());
    }
    MEGA_CHECK_EQ(chmod(cache_file(), 0600), 0);
    MEGA_CHECK(is_cached());
    if (geteuid() == 0) {
        MEGA_CHECK_EQ(chown(cache_file(), 1, 1), 0);
        MEGA_CHECK(!is_cached());
        MEGA_CHECK_EQ(chown(cache_file(), 0, 0), 0);
    }
    char folder[MEGA_TEST_PATH_SIZE];
    snprintf(folder, sizeof folder, "%s/cache", mega_test_folder);
    MEGA_CHECK_EQ(chmod(folder, 0777), 0);
    MEGA_CHECK(!is_cached());
    MEGA_CHECK_EQ(chmod(folder, 0700), 0);
    MEGA_CHECK(is_cached());
}

// A damaged file is not opened; the next user has it made again.
static void test_damage(void) {
    make_code();
    FILE *file = fopen(cache_file(), "r+b");
    MEGA_CHECK(file != NULL && fseek(file, -100, SEEK_END) == 0);
    const int byte = fgetc(file);
    MEGA_CHECK(fseek(file, -100, SEEK_END) == 0 && fputc(byte ^ 1, file) != EOF && fclose(file) == 0);
    MEGA_CHECK(!is_cached());
    mega_translation *shared = acquire_now();
    MEGA_CHECK(translation_code(shared) != NULL && is_cached());
    translation_release(shared);
}

// Whole files with something else in them: a library with another layout of the console, and no library at all.
static void test_misfits(void) {
    const uint32_t facts[2] = {MEGA_TRANSLATED_VERSION, sizeof(mega_machine)};
    mega_code code;
    make_code();
    MEGA_CHECK(code_cache_load(key, &code));
    uint8_t *bytes = code.bytes;
    uint32_t found = 0;
    for (size_t i = 0; i + sizeof facts <= code.size; i++) {
        if (memcmp(bytes + i, facts, sizeof facts) == 0) {
            bytes[i + 4]++;
            found++;
        }
    }
    MEGA_CHECK_EQ(found, 1);
    MEGA_CHECK(code_cache_save(key, &code) && !is_cached());
    memset(code.bytes, 'x', code.size);
    MEGA_CHECK(code_cache_save(key, &code) && !is_cached());
    code_release(&code);
}

// ---- no code ---------------------------------------------------------------------------------------------

// In a child process, so that it is new to the message; what it says is counted.
static void expect_one_line(const char *word) {
    char text[2048] = "";
    const char *path = mega_test_path(word);
    const pid_t child = fork();
    if (child == 0) {
        const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        dup2(file, 2);
        for (uint32_t i = 0; i < 3; i++) {
            mega_translation *shared = acquire_now();
            if (translation_code(shared) != NULL) {
                _exit(1);
            }
            translation_release(shared);
            image[4]++; // another cartridge
        }
        _exit(0);
    }
    int result = -1;
    MEGA_CHECK(waitpid(child, &result, 0) == child);
    MEGA_CHECK_EQ(result, 0);
    FILE *file = fopen(path, "r");
    MEGA_CHECK(file != NULL && fread(text, 1, sizeof text - 1, file) > 0);
    if (file != NULL) {
        fclose(file);
    }
    const char *end = strchr(text, '\n');
    if (end == NULL || end[1] != '\0' || strstr(text, word) == NULL) {
        fprintf(stderr, "expected one line with '%s': %s\n", word, text);
        MEGA_FAIL("the message is not as it should be");
    }
}

static void test_no_compiler(void) {
    const char *path = getenv("PATH");
    char kept[4096];
    snprintf(kept, sizeof kept, "%s", path != NULL ? path : "");
    new_image();
    setenv("PATH", mega_test_mkdir("nothing"), 1);
    MEGA_CHECK(host_compiler_find(&compiler) != MEGA_OK);
    expect_one_line("no C compiler");
    setenv("PATH", kept, 1);
    setenv("MEGACADE_CC", "/nowhere/cc", 1);
    expect_one_line("MEGACADE_CC names no program");
    unsetenv("MEGACADE_CC");
    mega_rom *rom;
    mega_env *env;
    const mega_env_desc desc = {.struct_size = sizeof desc, .translate = 3};
    MEGA_CHECK_EQ(mega_rom_builtin(&rom), MEGA_OK);
    MEGA_CHECK_EQ(mega_env_create(&desc, rom, &env), MEGA_ERROR_ARGUMENT);
    mega_rom_destroy(rom);
}

// A process that was killed may take a moment, and be a zombie then.
static bool ends_soon(long pid) {
    const double limit = seconds_now() + 10.0;
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    while (seconds_now() < limit) {
        char line[256] = "";
        FILE *file = fopen(path, "r");
        const size_t size = file != NULL ? fread(line, 1, sizeof line - 1, file) : 0;
        if (file != NULL) {
            fclose(file);
        }
        if (size == 0 || strstr(line, ") Z ") != NULL) {
            return true;
        }
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    return false;
}

static void test_bad_compilers(void) {
    char script[MEGA_TEST_PATH_SIZE + 128];
    use_compiler("failing", "#!/bin/sh\necho it is broken\nexit 3\n");
    new_image();
    expect_one_line("exit code 3");
    use_compiler("lazy", "#!/bin/sh\nexit 0\n");
    new_image();
    expect_one_line("made no");
    use_compiler("lying", "#!/bin/sh\nfor last; do :; done\necho nonsense >$last\n");
    new_image();
    expect_one_line("cannot be loaded");
    const char *number = mega_test_path("pid");
    snprintf(script, sizeof script, "#!/bin/sh\nsleep 1000 &\necho $! >%s\nwait\n", number);
    use_compiler("hanging", script);
    new_image();
    setenv("MEGACADE_CC_SECONDS", "0.3", 1);
    const double started = seconds_now();
    expect_one_line("did not end");
    MEGA_CHECK(seconds_now() - started < 20.0);
    unsetenv("MEGACADE_CC_SECONDS");
    use_compiler(NULL, NULL);
    // Its helpers are gone as well.
    FILE *file = fopen(number, "r");
    long pid = 0;
    MEGA_CHECK(file != NULL && fscanf(file, "%ld", &pid) == 1 && pid > 1);
    if (file != NULL) {
        fclose(file);
    }
    MEGA_CHECK(ends_soon(pid));
}

// ---- the text itself -------------------------------------------------------------------------------------

static void test_text(void) {
    mega_code one, two, other;
    mega_translated_text plain;
    empty_cache();
    new_image();
    MEGA_CHECK_EQ(translator_write(&cartridge, image, MEGA_TRIAL_FRAMES, &plain), MEGA_OK);
    const double started = seconds_now();
    MEGA_CHECK_EQ(program_text_get(&cartridge, image, &one), MEGA_OK);
    const double written = seconds_now();
    MEGA_CHECK_EQ(program_text_get(&cartridge, image, &two), MEGA_OK);
    const double found = seconds_now();
    MEGA_CHECK(one.size == plain.size + 1 && memcmp(one.bytes, plain.text, one.size) == 0);
    MEGA_CHECK(two.size == one.size && memcmp(one.bytes, two.bytes, one.size) == 0);
    MEGA_CHECK(found - written < (written - started) / 2); // without a trial run
    // Another cartridge has another text, and one that cannot be translated has none, also from the cache.
    new_image();
    MEGA_CHECK_EQ(program_text_get(&cartridge, image, &other), MEGA_OK);
    MEGA_CHECK(other.size != one.size || memcmp(one.bytes, other.bytes, one.size) != 0);
    code_release(&other);
    memset(image, 0x02, sizeof image); // JAM
    for (uint32_t i = 0; i < 2; i++) {
        MEGA_CHECK_EQ(program_text_get(&cartridge, image, &other), MEGA_OK);
        MEGA_CHECK_EQ(other.size, 0);
        code_release(&other);
    }
    translator_release(&plain);
    code_release(&one);
    code_release(&two);
}

int main(void) {
    if (host_compiler_find(&compiler) != MEGA_OK) {
        printf("skipped: %s\n", mega_last_error());
        return 77;
    }
    unsetenv("MEGACADE_TRANSLATE");
    setenv("MEGACADE_CACHE", mega_test_path("cache"), 1);
    test_race();
    test_no_compiler();
    test_bad_compilers();
    test_stale_folders();
    test_owner_and_mode();
    test_damage();
    test_misfits();
    test_now();
    test_fork();
    test_auto();
    test_text();
    empty_cache();
    mega_test_remove_files();
    return mega_test_result();
}
