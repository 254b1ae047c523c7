// native_code.c - see native_code.h.
#include "native_code.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "amalgam.h"
#include "embedded.h"
#include "program_parts.h"
#include "status.h"

#define PATH_SIZE 4096
#define FLAGS_MAX 24
#define FLAGS_TEXT_SIZE 1024
#define LOG_SIZE 65536
#define COMPILE_SECONDS 60.0

// -O1: the code that -O2 makes in twice the time is no faster.
static const char *const usual_flags[] = {"-O1", "-std=gnu11", "-w", "-fPIC", "-pipe", NULL};

// What a program says about itself, and what the library expects.
#define FACT_COUNT 4
static const char facts_text[] = "\nconst uint32_t mega_translated_facts[] = {MEGA_TRANSLATED_VERSION, "
                                 "sizeof(mega_machine), sizeof(mega_console), sizeof(mega_video)};\n";
static const uint32_t expected_facts[FACT_COUNT] = {MEGA_TRANSLATED_VERSION, sizeof(mega_machine),
                                                    sizeof(mega_console), sizeof(mega_video)};

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static const char *own_flags(void) {
    const char *flags = getenv("MEGACADE_CFLAGS");
    return flags != NULL ? flags : "";
}

// ---- key ---------------------------------------------------------------------------------------------

static void add_text(mega_sha256 *hash, const char *text) {
    sha256_add(hash, text, strlen(text) + 1); // with the zero, so that texts do not run together
}

void native_key(const mega_host_compiler *compiler, const mega_cartridge *cartridge, const uint8_t *image,
                char key[MEGA_SHA256_TEXT_SIZE]) {
    mega_sha256 hash;
    uint8_t digest[MEGA_SHA256_SIZE];
    const int pointer = (int)sizeof(void *);
    sha256_begin(&hash);
    add_text(&hash, "megacade translated " MEGA_VERSION);
    add_text(&hash, embedded_hash); // the console, and the translator
    add_text(&hash, compiler->identity);
    for (size_t i = 0; usual_flags[i] != NULL; i++) {
        add_text(&hash, usual_flags[i]);
    }
    add_text(&hash, own_flags());
    sha256_add(&hash, &pointer, sizeof pointer);
    sha256_add(&hash, expected_facts, sizeof expected_facts);
    sha256_add(&hash, cartridge, sizeof(*cartridge));
    sha256_add(&hash, image, cartridge->image_size);
    sha256_finish(&hash, digest);
    sha256_text(digest, key);
}

// ---- files of a compilation --------------------------------------------------------------------------

typedef struct workspace {
    char folder[PATH_SIZE - 64];
    char source[PROGRAM_PARTS_MAX][PATH_SIZE], object[PROGRAM_PARTS_MAX][PATH_SIZE],
        log[PROGRAM_PARTS_MAX][PATH_SIZE];
    char library[PATH_SIZE];
} workspace;

static mega_status open_workspace(workspace *work) {
    // Loaders know libraries by their path, so none is ever used twice in a process.
    static atomic_uint next;
    if (!code_cache_workspace(work->folder, sizeof work->folder)) {
        return mega_fail(MEGA_ERROR_FILE, "there is no folder for a compiler to work in");
    }
    for (int i = 0; i < PROGRAM_PARTS_MAX; i++) {
        snprintf(work->source[i], PATH_SIZE, "%s/part%d.c", work->folder, i);
        snprintf(work->object[i], PATH_SIZE, "%s/part%d.o", work->folder, i);
        snprintf(work->log[i], PATH_SIZE, "%s/part%d.log", work->folder, i);
    }
    snprintf(work->library, PATH_SIZE, "%s/translated%u.so", work->folder, atomic_fetch_add(&next, 1u));
    return MEGA_OK;
}

static void close_workspace(const workspace *work) {
    for (int i = 0; i < PROGRAM_PARTS_MAX; i++) {
        unlink(work->source[i]);
        unlink(work->object[i]);
        unlink(work->log[i]);
    }
    unlink(work->library);
    rmdir(work->folder);
}

static mega_status write_file(const char *path, const void *bytes, size_t size) {
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    FILE *stream = file >= 0 ? fdopen(file, "wb") : NULL;
    bool good = stream != NULL && fwrite(bytes, 1, size, stream) == size;
    good = stream != NULL && fclose(stream) == 0 && good;
    return good ? MEGA_OK : mega_fail(MEGA_ERROR_FILE, "'%.300s' cannot be written", path);
}

static mega_status read_library(const char *path, mega_code *out) {
    struct stat status;
    memset(out, 0, sizeof(*out));
    FILE *stream = fopen(path, "rb");
    if (stream != NULL && fstat(fileno(stream), &status) == 0 && status.st_size > 0) {
        out->size = (size_t)status.st_size;
        out->bytes = malloc(out->size);
        if (out->bytes != NULL && fread(out->bytes, 1, out->size, stream) != out->size) {
            code_release(out);
        }
    }
    if (stream != NULL) {
        fclose(stream);
    }
    return out->bytes != NULL ? MEGA_OK : mega_fail(MEGA_ERROR_FILE, "the compiler made no '%.300s'", path);
}

// ---- loading -----------------------------------------------------------------------------------------

static void *find_symbol(void *library, const char *name) {
    return library != NULL ? dlsym(library, name) : NULL;
}

static bool load_file(const char *path, mega_native *out) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const void *facts = find_symbol(library, "mega_translated_facts");
    void *run = find_symbol(library, "mega_translated_run");
    if (facts == NULL || run == NULL || memcmp(facts, expected_facts, sizeof expected_facts) != 0) {
        if (library != NULL) {
            dlclose(library);
        }
        return false;
    }
    out->library = library;
    memcpy(&out->run, &run, sizeof run); // ISO C has no cast from an object pointer to a function pointer
    return true;
}

bool native_open(const mega_code *code, mega_native *out) {
    memset(out, 0, sizeof(*out));
    workspace *work = malloc(sizeof(*work));
    bool good = false;
    if (work != NULL && open_workspace(work) == MEGA_OK) {
        good = write_file(work->library, code->bytes, code->size) == MEGA_OK && load_file(work->library, out);
        close_workspace(work);
    }
    free(work);
    return good;
}

bool native_load(const char *key, mega_native *out) {
    mega_code code;
    memset(out, 0, sizeof(*out));
    const bool good = code_cache_load(key, &code) && native_open(&code, out);
    code_release(&code);
    return good;
}

void native_close(mega_native *native) {
    if (native->library != NULL) {
        dlclose(native->library);
    }
    memset(native, 0, sizeof(*native));
}

// ---- compiling ---------------------------------------------------------------------------------------

typedef struct command {
    const char *words[FLAGS_MAX + PROGRAM_PARTS_MAX + 16];
    uint32_t count;
} command;

static void add_word(command *to, const char *word) {
    if (to->count + 1u < sizeof to->words / sizeof to->words[0]) {
        to->words[to->count++] = word;
        to->words[to->count] = NULL;
    }
}

// Ours, then the user's, which are cut at spaces in `text`.
static void add_flags(command *to, char text[FLAGS_TEXT_SIZE]) {
    char *rest = NULL;
    for (size_t i = 0; usual_flags[i] != NULL; i++) {
        add_word(to, usual_flags[i]);
    }
    snprintf(text, FLAGS_TEXT_SIZE, "%s", own_flags());
    uint32_t count = 0;
    for (char *word = strtok_r(text, " ", &rest); word != NULL && count < FLAGS_MAX; count++) {
        add_word(to, word);
        word = strtok_r(NULL, " ", &rest);
    }
}

// Puts the compiler's words into the cache folder and their place into the message.
static mega_status explain(const workspace *work, uint32_t count, mega_status status) {
    char *text = calloc(1, LOG_SIZE), path[PATH_SIZE] = "", reason[512];
    size_t size = 0;
    snprintf(reason, sizeof reason, "%s", mega_last_error());
    for (uint32_t i = 0; text != NULL && i < count; i++) {
        FILE *stream = fopen(work->log[i], "rb");
        if (stream != NULL) {
            size += fread(text + size, 1, LOG_SIZE - 1u - size, stream);
            fclose(stream);
        }
    }
    if (size != 0) {
        code_cache_save_log("translated", text, path, sizeof path);
    }
    free(text);
    return mega_fail(status, "%s%s%.300s", reason, path[0] != '\0' ? ", see " : "", path);
}

static double time_limit(void) {
    const char *text = getenv("MEGACADE_CC_SECONDS");
    const double seconds = text != NULL ? strtod(text, NULL) : 0.0;
    return seconds > 0.0 && seconds < 86400.0 ? seconds : COMPILE_SECONDS;
}

static mega_status compile_parts(const mega_host_compiler *compiler, const workspace *work, uint32_t count) {
    char flags[FLAGS_TEXT_SIZE];
    command commands[PROGRAM_PARTS_MAX] = {0}, link = {0};
    mega_compiler_job jobs[PROGRAM_PARTS_MAX];
    add_flags(&link, flags);
    for (uint32_t i = 0; i < count; i++) {
        commands[i] = link;
        add_word(&commands[i], "-c");
        add_word(&commands[i], work->source[i]);
        add_word(&commands[i], "-o");
        add_word(&commands[i], work->object[i]);
        jobs[i] = (mega_compiler_job){commands[i].words, work->log[i]};
    }
    mega_status status = host_compiler_run(compiler, jobs, count, time_limit());
    if (status == MEGA_OK) {
        add_word(&link, "-shared");
        for (uint32_t i = 0; i < count; i++) {
            add_word(&link, work->object[i]);
        }
        add_word(&link, "-o");
        add_word(&link, work->library);
        jobs[0].words = link.words;
        status = host_compiler_run(compiler, jobs, 1, time_limit());
    }
    return status == MEGA_OK ? MEGA_OK : explain(work, count, status);
}

// The program with everything that it includes, as files.
static mega_status write_parts(const char *program, const workspace *work, uint32_t *count) {
    char *parts[PROGRAM_PARTS_MAX];
    char version[64];
    mega_status status = program_parts_split(program, parts, count);
    snprintf(version, sizeof version, "#define MEGA_TRANSLATED_VERSION %uu\n", MEGA_TRANSLATED_VERSION);
    for (uint32_t i = 0; i < *count; i++) {
        char *whole = status == MEGA_OK ? amalgam_write(parts[i]) : NULL;
        FILE *stream = NULL;
        char *text = NULL;
        size_t size = 0;
        if (whole != NULL && (stream = open_memstream(&text, &size)) != NULL) {
            fprintf(stream, "%s%s%s", version, whole, i == 0 ? facts_text : "");
            status = fclose(stream) == 0 ? write_file(work->source[i], text, size) : mega_fail_memory(size);
            free(text);
        } else if (status == MEGA_OK) {
            status = mega_fail_memory(strlen(program));
        }
        free(whole);
        free(parts[i]);
    }
    return status;
}

mega_status native_build(const mega_host_compiler *compiler, const char *program, mega_code *out) {
    workspace *work = malloc(sizeof(*work));
    uint32_t count = 0;
    memset(out, 0, sizeof(*out));
    if (work == NULL) {
        return mega_fail_memory(sizeof(*work));
    }
    mega_status status = open_workspace(work);
    if (status == MEGA_OK) {
        status = write_parts(program, work, &count);
        status = status == MEGA_OK ? compile_parts(compiler, work, count) : status;
        status = status == MEGA_OK ? read_library(work->library, out) : status;
        close_workspace(work);
    }
    free(work);
    return status;
}

mega_status native_translate(const mega_cartridge *cartridge, const uint8_t *image, mega_native_facts *facts,
                             mega_translated_text *out) {
    const double started = seconds_now();
    memset(facts, 0, sizeof(*facts));
    MEGA_TRY(translator_write(cartridge, image, MEGA_TRIAL_FRAMES, out));
    facts->translate_seconds = seconds_now() - started;
    return MEGA_OK;
}

mega_status native_compile(const mega_host_compiler *compiler, const mega_translated_text *text,
                           const char *key, mega_native_facts *facts, mega_native *out) {
    mega_code code;
    const double started = seconds_now();
    memset(out, 0, sizeof(*out));
    if (text->text == NULL) {
        return MEGA_OK;
    }
    MEGA_TRY(native_build(compiler, text->text, &code));
    facts->compile_seconds = seconds_now() - started;
    facts->code_size = code.size;
    code_cache_save(key, &code); // else it is compiled again next time
    const bool good = native_open(&code, out);
    code_release(&code);
    return good ? MEGA_OK : mega_fail(MEGA_ERROR_FILE, "what %.200s made cannot be loaded", compiler->path);
}

mega_status native_make(const mega_host_compiler *compiler, const mega_cartridge *cartridge,
                        const uint8_t *image, const char *key, mega_native *out) {
    mega_native_facts facts;
    mega_translated_text text;
    memset(out, 0, sizeof(*out));
    MEGA_TRY(native_translate(cartridge, image, &facts, &text));
    const mega_status status = native_compile(compiler, &text, key, &facts, out);
    translator_release(&text);
    return status;
}
