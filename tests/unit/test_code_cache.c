// test_code_cache.c - code that was kept is found again, byte for byte, or not at all.
#include "code_cache.h"

#include "mega_test.h"
#include "mega_test_files.h"

#define CODE_SIZE 64
#define HEAD_SIZE 112

static char key[MEGA_SHA256_TEXT_SIZE];
static uint8_t bytes[CODE_SIZE];
static const mega_code code = {bytes, CODE_SIZE};

// Whether the cache has exactly our code; anything else that it offers is a failure.
static bool has_code(void) {
    mega_code found;
    const bool is_found = code_cache_load(key, &found);
    if (is_found) {
        MEGA_CHECK_EQ(found.size, code.size);
        MEGA_CHECK_BYTES(found.bytes, code.bytes, code.size);
    } else {
        MEGA_CHECK(found.bytes == NULL && found.size == 0);
    }
    code_release(&found);
    return is_found;
}

static mode_t mode_of(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 ? status.st_mode & 07777 : 0;
}

static void overwrite(const char *path, const uint8_t *content, size_t size) {
    FILE *file = fopen(path, "wb");
    MEGA_CHECK(file != NULL && fwrite(content, 1, size, file) == size && fclose(file) == 0);
}

// Every length, and every bit of the file flipped, one at a time.
static void test_damage(const char *path) {
    uint8_t whole[HEAD_SIZE + CODE_SIZE + 1] = {0}, damaged[HEAD_SIZE + CODE_SIZE];
    FILE *file = fopen(path, "rb");
    const size_t size = file != NULL ? fread(whole, 1, sizeof whole, file) : 0;
    MEGA_CHECK_EQ(size, HEAD_SIZE + CODE_SIZE);
    if (file == NULL || size != HEAD_SIZE + CODE_SIZE) {
        return;
    }
    fclose(file);
    int accepted = 0;
    for (size_t length = 0; length < size; length++) {
        overwrite(path, whole, length);
        accepted += has_code();
    }
    overwrite(path, whole, size + 1);
    accepted += has_code();
    for (size_t bit = 0; bit < 8 * size; bit++) {
        memcpy(damaged, whole, size);
        damaged[bit / 8] = (uint8_t)(damaged[bit / 8] ^ 1u << bit % 8);
        overwrite(path, damaged, size);
        accepted += has_code();
    }
    MEGA_CHECK_EQ(accepted, 0);
    MEGA_CHECK(code_cache_save(key, &code)); // what is damaged is replaced
    MEGA_CHECK(has_code());
}

// A size in the head that is not the file's, as large as can be.
static void test_sizes(const char *path) {
    uint8_t head[HEAD_SIZE];
    FILE *file = fopen(path, "rb");
    MEGA_CHECK(file != NULL && fread(head, 1, HEAD_SIZE, file) == HEAD_SIZE && fclose(file) == 0);
    memset(head + 8, 0xFF, 8);
    overwrite(path, head, HEAD_SIZE);
    MEGA_CHECK(!has_code());
    MEGA_CHECK(code_cache_save(key, &code));
}

static void test_files(const char *path) {
    char other[MEGA_SHA256_TEXT_SIZE];
    mega_code found;
    memcpy(other, key, sizeof other);
    other[0] = other[0] == '0' ? '1' : '0';
    MEGA_CHECK(!code_cache_load(other, &found));
    MEGA_CHECK(!code_cache_load("../../etc/passwd", &found));
    MEGA_CHECK(!code_cache_save("short", &code));
    // A file under another's name, and one that is a link or a folder.
    char other_path[MEGA_TEST_PATH_SIZE];
    snprintf(other_path, sizeof other_path, "%.*s/%s.code", (int)(strrchr(path, '/') - path), path, other);
    MEGA_CHECK_EQ(rename(path, other_path), 0);
    MEGA_CHECK(!code_cache_load(other, &found));
    MEGA_CHECK(code_cache_save(key, &code));
    MEGA_CHECK_EQ(remove(other_path), 0);
    MEGA_CHECK_EQ(symlink(path, other_path), 0);
    MEGA_CHECK(!code_cache_load(other, &found));
    MEGA_CHECK_EQ(remove(other_path), 0);
    MEGA_CHECK_EQ(mkdir(other_path, 0700), 0);
    MEGA_CHECK(!code_cache_load(other, &found));
    MEGA_CHECK(!code_cache_save(other, &code));
    MEGA_CHECK_EQ(rmdir(other_path), 0);
}

// A folder that others may write into is not used, nor is a file in place of the folder.
static void test_folders(const char *folder) {
    char path[MEGA_TEST_PATH_SIZE];
    MEGA_CHECK_EQ(mode_of(folder), 0700);
    static const mode_t shared[] = {0720, 0702, 0777};
    for (size_t i = 0; i < sizeof shared / sizeof shared[0]; i++) {
        MEGA_CHECK_EQ(chmod(folder, shared[i]), 0);
        MEGA_CHECK(!has_code());
        MEGA_CHECK(!code_cache_save(key, &code));
        code_cache_save_log("words", "text", path, sizeof path);
        MEGA_CHECK(path[0] == '\0');
    }
    MEGA_CHECK_EQ(chmod(folder, 0755), 0);
    MEGA_CHECK(has_code());
    if (geteuid() == 0) { // root may do anything but own what is not its own
        MEGA_CHECK_EQ(chown(folder, 1, 1), 0);
        MEGA_CHECK(!has_code());
        MEGA_CHECK_EQ(chown(folder, 0, 0), 0);
    } else {
        MEGA_CHECK_EQ(chmod(folder, 0500), 0);
        MEGA_CHECK(has_code() && !code_cache_save(key, &code)); // read-only is good enough to read
        MEGA_CHECK_EQ(chmod(folder, 0700), 0);
    }
    setenv("MEGACADE_CACHE", mega_test_write("file", "x", 1), 1);
    MEGA_CHECK(!has_code() && !code_cache_save(key, &code));
    setenv("MEGACADE_CACHE", "/dev/null/below", 1);
    MEGA_CHECK(!has_code() && !code_cache_save(key, &code));
    setenv("MEGACADE_CACHE", folder, 1);
}

// Which variable names the folder.
static void test_places(void) {
    const char *caches = mega_test_path("xdg"), *below = mega_test_path("xdg/megacade"),
               *home = mega_test_mkdir("home");
    const char *hidden = mega_test_path("home/.cache"), *last = mega_test_path("home/.cache/megacade");
    char name[MEGA_SHA256_TEXT_SIZE + 32];
    setenv("MEGACADE_CACHE", "", 1);
    setenv("XDG_CACHE_HOME", caches, 1);
    setenv("HOME", home, 1);
    MEGA_CHECK(code_cache_save(key, &code) && has_code());
    snprintf(name, sizeof name, "xdg/megacade/%s.code", key);
    MEGA_CHECK_EQ(mode_of(mega_test_path(name)), 0600);
    setenv("XDG_CACHE_HOME", "relative", 1);
    MEGA_CHECK(!has_code() && code_cache_save(key, &code) && has_code());
    snprintf(name, sizeof name, "home/.cache/megacade/%s.code", key);
    MEGA_CHECK_EQ(mode_of(mega_test_path(name)), 0600);
    MEGA_CHECK(mode_of(below) == 0700 && mode_of(hidden) == 0700 && mode_of(last) == 0700);
}

int main(void) {
    char name[MEGA_SHA256_TEXT_SIZE + 32], log[MEGA_TEST_PATH_SIZE];
    uint8_t digest[MEGA_SHA256_SIZE];
    const char *folder = mega_test_path("cache");
    for (size_t i = 0; i < CODE_SIZE; i++) {
        bytes[i] = (uint8_t)(i * 7 + i / 256);
    }
    sha256_of("a key", 5, digest);
    sha256_text(digest, key);
    setenv("MEGACADE_CACHE", folder, 1);
    MEGA_CHECK(!has_code());
    MEGA_CHECK(code_cache_save(key, &code));
    MEGA_CHECK(has_code());
    snprintf(name, sizeof name, "cache/%s.code", key);
    const char *path = mega_test_path(name);
    test_damage(path);
    test_sizes(path);
    test_files(path);
    test_folders(folder);
    code_cache_save_log("a/b", "words", log, sizeof log);
    MEGA_CHECK(strcmp(log, mega_test_path("cache/a_b.log")) == 0 && mode_of(log) == 0600);
    test_places();
    mega_test_remove_files();
    MEGA_CHECK(access(mega_test_folder, F_OK) != 0); // nothing was left behind
    return mega_test_result();
}
