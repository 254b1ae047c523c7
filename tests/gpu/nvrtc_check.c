// nvrtc_check.c - compiles shared_source.cu with NVRTC, which is loaded at run time.
//
//     nvrtc_check SOURCE FOLDER... -- LIBRARY...
//
// All headers of the folders are handed over by name: NVRTC sees no files. The first library that can be loaded
// is used. Ends with 77 when there is none, with 1 and the compiler's words when it refuses.
#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEADERS_MAX 512

typedef struct nvrtc_program *nvrtc_handle;
typedef int (*nvrtc_create)(nvrtc_handle *, const char *source, const char *name, int header_count,
                            const char *const *headers, const char *const *header_names);
typedef int (*nvrtc_compile)(nvrtc_handle, int option_count, const char *const *options);
typedef int (*nvrtc_size)(nvrtc_handle, size_t *size);
typedef int (*nvrtc_text)(nvrtc_handle, char *text);
typedef int (*nvrtc_version)(int *major, int *minor);

static const char *header_texts[HEADERS_MAX];
static const char *header_names[HEADERS_MAX];
static int header_count;

static char *read_text(const char *path) {
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    if (file != NULL && fseek(file, 0, SEEK_END) == 0) {
        const long size = ftell(file);
        rewind(file);
        text = size >= 0 ? calloc(1, (size_t)size + 1) : NULL;
        if (text != NULL && fread(text, 1, (size_t)size, file) != (size_t)size) {
            free(text);
            text = NULL;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    if (text == NULL) {
        fprintf(stderr, "nvrtc_check: cannot read %s\n", path);
        exit(1);
    }
    return text;
}

static void add_folder(const char *folder) {
    DIR *listing = opendir(folder);
    const struct dirent *entry;
    if (listing == NULL) {
        fprintf(stderr, "nvrtc_check: cannot read %s\n", folder);
        exit(1);
    }
    while ((entry = readdir(listing)) != NULL && header_count < HEADERS_MAX) {
        const char *dot = strrchr(entry->d_name, '.');
        if (dot != NULL && strcmp(dot, ".h") == 0) {
            char path[4096];
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
            header_texts[header_count] = read_text(path);
            header_names[header_count++] = strdup(entry->d_name);
        }
    }
    closedir(listing);
}

// ISO C has no cast from an object pointer to a function pointer.
static void find_symbol(void *library, const char *name, void *function) {
    void *symbol = dlsym(library, name);
    if (symbol == NULL) {
        fprintf(stderr, "nvrtc_check: the library has no %s\n", name);
        exit(1);
    }
    memcpy(function, &symbol, sizeof symbol);
}

static int compile(void *library, const char *source) {
    static const char *const options[] = {"--gpu-architecture=compute_90", "--fmad=false", "--std=c++17"};
    nvrtc_create create;
    nvrtc_compile run;
    nvrtc_size log_size;
    nvrtc_text log_text;
    nvrtc_version version;
    nvrtc_handle program;
    size_t size = 0;
    int major = 0, minor = 0;
    find_symbol(library, "nvrtcCreateProgram", &create);
    find_symbol(library, "nvrtcCompileProgram", &run);
    find_symbol(library, "nvrtcGetProgramLogSize", &log_size);
    find_symbol(library, "nvrtcGetProgramLog", &log_text);
    find_symbol(library, "nvrtcVersion", &version);
    version(&major, &minor);
    printf("NVRTC %d.%d, %d headers\n", major, minor, header_count);
    if (create(&program, source, "shared_source.cu", header_count, header_texts, header_names) != 0) {
        fprintf(stderr, "nvrtc_check: nvrtcCreateProgram failed\n");
        return 1;
    }
    const int result = run(program, (int)(sizeof options / sizeof options[0]), options);
    if (log_size(program, &size) == 0 && size > 1) {
        char *log = calloc(1, size + 1);
        if (log != NULL && log_text(program, log) == 0) {
            fprintf(stderr, "%s\n", log);
        }
        free(log);
    }
    return result != 0;
}

int main(int count, char **words) {
    int i = 2;
    if (count < 2) {
        fprintf(stderr, "usage: nvrtc_check SOURCE FOLDER... -- LIBRARY...\n");
        return 2;
    }
    for (; i < count && strcmp(words[i], "--") != 0; i++) {
        add_folder(words[i]);
    }
    for (i++; i < count; i++) {
        void *library = dlopen(words[i], RTLD_NOW);
        if (library != NULL) {
            return compile(library, read_text(words[1]));
        }
    }
    fprintf(stderr, "nvrtc_check: no NVRTC library could be loaded\n");
    return 77;
}
