// test_cuda_compile.c - NVRTC is found, compiles the shared source, and says what it does not like. What
// needs NVRTC is skipped where there is none.
#include "cuda_compile.h"

#include "embedded.h"
#include "mega_test_cuda.h"
#include "mega_test_files.h"

static const char kernel[] =
    "#include \"mega_riot.h\"\n"
    "#include \"mega_cpu.h\"\n"
    "extern \"C\" __global__ void add(mega_registers *cpu, const mega_riot *riot, uint32_t *out) {\n"
    "    op_adc(cpu, FACTOR);\n"
    "    out[threadIdx.x] = cpu_status(cpu) + (uint32_t)riot_ticks(riot, FACTOR);\n"
    "}\n";
static const char *const defines[] = {"FACTOR=3"};

static mega_cuda_job a_job(void) {
    return (mega_cuda_job){
        .name = "add.cu",
        .text = kernel,
        .header_names = embedded_names,
        .header_texts = embedded_texts,
        .header_count = embedded_count,
        .defines = defines,
        .define_count = 1,
        .capability = 90,
    };
}

static void check_no_compiler(const char *message) {
    const mega_cuda_compiler *compiler;
    MEGA_CHECK_EQ(cuda_compiler_get(13000, &compiler), MEGA_ERROR_CUDA_COMPILE);
    MEGA_CHECK(compiler == NULL);
    MEGA_CHECK_MESSAGE(message);
}

static void case_missing(void) {
    check_no_compiler("MEGACADE_NVRTC names no library that can be loaded: /nowhere/libnvrtc.so");
}

static void case_another_library(void) {
    check_no_compiler("the NVRTC that was found is too old: it lacks nvrtcVersion");
}

static void case_folders(void) {
    char name[32];
    MEGA_CHECK_EQ(cuda_compiler_add_folder(NULL), MEGA_ERROR_ARGUMENT);
    MEGA_CHECK_EQ(cuda_compiler_add_folder(""), MEGA_ERROR_ARGUMENT);
    for (int i = 0; i < 32; i++) {
        snprintf(name, sizeof name, "/nowhere/%d", i);
        MEGA_CHECK_EQ(cuda_compiler_add_folder(name), MEGA_OK);
        MEGA_CHECK_EQ(cuda_compiler_add_folder(name), MEGA_OK); // known
    }
    MEGA_CHECK_EQ(cuda_compiler_add_folder("/nowhere/more"), MEGA_ERROR_ARGUMENT);
}

// The embedded sources are the files.
static void test_sources(void) {
    static char text[1 << 20];
    MEGA_CHECK(embedded_count > 100);
    MEGA_CHECK(embedded_find("nothing.h") == NULL);
    static const char *const files[] = {"src/console/mega_tia_fast.h", "src/games/game_pong.h",
                                        "src/games/mega_games.h", "src/env/mega_env.h",
                                        "src/engine/cuda/self_check.cu"};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        FILE *file = fopen(files[i], "rb");
        const char *embedded = embedded_find(strrchr(files[i], '/') + 1);
        MEGA_CHECK(file != NULL && embedded != NULL);
        if (file != NULL) {
            const size_t size = fread(text, 1, sizeof text - 1, file);
            text[size] = '\0';
            MEGA_CHECK(size > 0 && embedded != NULL && strcmp(text, embedded) == 0);
            fclose(file);
        }
    }
}

static void test_code(const mega_cuda_compiler *compiler) {
    mega_cuda_job job = a_job();
    mega_code code;
    MEGA_CHECK_EQ(cuda_compile(compiler, &job, &code), MEGA_OK);
    MEGA_CHECK(code.size > 100 && memcmp(code.bytes, "\177ELF", 4) == 0);
    code_release(&code);
    job.line_info = true;
    MEGA_CHECK_EQ(cuda_compile(compiler, &job, &code), MEGA_OK);
    code_release(&code);

    job.capability = 990; // a GPU that the compiler does not know yet
    MEGA_CHECK_EQ(cuda_compile(compiler, &job, &code), MEGA_OK);
    MEGA_CHECK(code.size > 100 && strstr(code.bytes, ".version") != NULL &&
               ((char *)code.bytes)[code.size - 1] == 0);
    code_release(&code);

    job.capability = 10; // and one that it has forgotten
    MEGA_CHECK_EQ(cuda_compile(compiler, &job, &code), MEGA_ERROR_CUDA_COMPILE);
    MEGA_CHECK(code.bytes == NULL);
    MEGA_CHECK_MESSAGE("does not compile for a GPU as old as sm_10");
}

static void test_errors(const mega_cuda_compiler *compiler) {
    mega_cuda_job job = a_job();
    mega_code code;
    static char big[9000];
    const char *const long_define[] = {big};
    const char *log = mega_test_path("cache/broken.cu.log");
    job.name = "broken.cu";
    job.text = "#warning first\n__global__ void broken() { nonsense; }\n";
    MEGA_CHECK_EQ(cuda_compile(compiler, &job, &code), MEGA_ERROR_CUDA_COMPILE);
    MEGA_CHECK(code.bytes == NULL);
    MEGA_CHECK_MESSAGE("broken.cu cannot be compiled for sm_90 by NVRTC ");
    MEGA_CHECK_MESSAGE(log);
    MEGA_CHECK_MESSAGE("): broken.cu(2): error: identifier \"nonsense\" is undefined");
    MEGA_CHECK(strchr(mega_last_error(), '\n') == NULL);
    MEGA_CHECK_EQ(access(log, R_OK), 0);

    setenv("MEGACADE_CACHE", "/dev/null", 1); // no place for the log
    MEGA_CHECK_EQ(cuda_compile(compiler, &job, &code), MEGA_ERROR_CUDA_COMPILE);
    MEGA_CHECK_MESSAGE("identifier \"nonsense\" is undefined");

    memset(big, 'A', sizeof big - 1);
    job = a_job();
    job.defines = long_define;
    MEGA_CHECK_EQ(cuda_compile(compiler, &job, &code), MEGA_ERROR_ARGUMENT);
}

// The key follows everything that code is made from, and nothing else.
static void test_keys(const mega_cuda_compiler *compiler) {
    static const char *const other_define[] = {"FACTOR=4"}, *const two_defines[] = {"FACTOR=3", "MORE"};
    static const char *const names[] = {"a.h", "b.h"}, *const texts[] = {"1", "2"},
                             *const texts2[] = {"1", "3"};
    char keys[9][MEGA_SHA256_TEXT_SIZE], again[MEGA_SHA256_TEXT_SIZE];
    mega_cuda_job jobs[9];
    for (int i = 0; i < 9; i++) {
        jobs[i] = a_job();
    }
    jobs[1].text = "other";
    jobs[2].name = "other.cu";
    jobs[3].defines = other_define;
    jobs[4].defines = two_defines, jobs[4].define_count = 2;
    jobs[5].capability = 80;
    jobs[6].line_info = true;
    for (int i = 7; i < 9; i++) {
        jobs[i].text = "#include \"a.h\"\n#include <b.h>\n";
        jobs[i].header_names = names, jobs[i].header_texts = i == 7 ? texts : texts2,
        jobs[i].header_count = 2;
    }
    for (int i = 0; i < 9; i++) {
        MEGA_CHECK_EQ(cuda_compile_key(compiler, &jobs[i], keys[i]), MEGA_OK);
        for (int j = 0; j < i; j++) {
            MEGA_CHECK(strcmp(keys[i], keys[j]) != 0);
        }
    }
    jobs[1] = a_job();
    MEGA_CHECK_EQ(cuda_compile_key(compiler, &jobs[1], again), MEGA_OK);
    MEGA_CHECK(strcmp(again, keys[0]) == 0);
}

static int have_one_key(const mega_cuda_compiler *compiler, const mega_cuda_job *a, const mega_cuda_job *b) {
    char keys[2][MEGA_SHA256_TEXT_SIZE];
    MEGA_CHECK_EQ(cuda_compile_key(compiler, a, keys[0]), MEGA_OK);
    MEGA_CHECK_EQ(cuda_compile_key(compiler, b, keys[1]), MEGA_OK);
    return strcmp(keys[0], keys[1]) == 0;
}

// Every header that the text can include changes the key: also those of headers, of definitions and in conditions. Others
// do not.
static void test_header_keys(const mega_cuda_compiler *compiler) {
    static const char *const names[] = {"a.h",      "deep.h", "macro.h", "angle.h", "defined.h",
                                        "spaced.h", "no.h",   "not.h",   "a.hpp"};
    static const char *const defined[] = {"PROGRAM=\"defined.h\""};
    enum {
        COUNT = sizeof names / sizeof names[0],
        INCLUDED = 6
    };
    const char *texts[COUNT], *others[COUNT];
    for (int i = 0; i < COUNT; i++) {
        texts[i] = others[i] = "// a text\n";
    }
    texts[0] = others[0] = "#include \"deep.h\"\n#if 0\n#include <angle.h>\n#endif\n";
    texts[1] = others[1] = "#define MACRO \"macro.h\"\n#include MACRO\n#include PROGRAM\n#include \"a.h\"\n";
    texts[7] = others[7] = "#include \"no.h\"\n";
    mega_cuda_job job = a_job(), other;
    job.text = "// no.h, not.h\n#include \"a.h\"\n #  include\t\"spaced.h\" // a.hpp\n";
    job.defines = defined;
    job.header_names = names;
    job.header_texts = texts;
    job.header_count = COUNT;
    other = job;
    other.header_texts = others;
    MEGA_CHECK(have_one_key(compiler, &job, &other));
    for (int i = 0; i < COUNT; i++) {
        char changed[200];
        snprintf(changed, sizeof changed, "%s// changed\n", texts[i]);
        others[i] = changed;
        MEGA_CHECK_EQ(have_one_key(compiler, &job, &other), i >= INCLUDED);
        others[i] = texts[i];
    }
}

int main(void) {
    const mega_cuda_compiler *compiler;
    mega_test_case(case_missing, "MEGACADE_NVRTC=/nowhere/libnvrtc.so");
    mega_test_case(case_another_library, "MEGACADE_NVRTC=libz.so.1");
    mega_test_case(case_folders, NULL);
    test_sources();
    if (cuda_compiler_get(13000, &compiler) != MEGA_OK) {
        fprintf(stderr, "skipped: %s\n", mega_last_error());
        return mega_test_result() == 0 ? 77 : 1;
    }
    fprintf(stderr, "%s\n", cuda_compiler_name(compiler));
    setenv("MEGACADE_CACHE", mega_test_path("cache"), 1);
    test_code(compiler);
    test_keys(compiler);
    test_header_keys(compiler);
    test_errors(compiler);
    mega_test_remove_files();
    return mega_test_result();
}
