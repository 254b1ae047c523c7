// fake_nvrtc.c - a compiler for the fake driver: whatever it is given becomes the same few bytes.
// $MEGACADE_NVRTC names it.
#include <stddef.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
#define DEFINE(name, parameters) \
    EXPORT int name parameters;  \
    int name parameters

static const char code[] = "\177ELF: made by the fake compiler";

DEFINE(nvrtcVersion, (int *major, int *minor)) {
    *major = 13;
    *minor = 0;
    return 0;
}
DEFINE(nvrtcGetNumSupportedArchs, (int *count)) {
    *count = 1;
    return 0;
}
DEFINE(nvrtcGetSupportedArchs, (int *targets)) {
    *targets = 90;
    return 0;
}
EXPORT const char *nvrtcGetErrorString(int result);
const char *nvrtcGetErrorString(int result) {
    (void)result;
    return "no error";
}
DEFINE(nvrtcCreateProgram, (void **program, const char *text, const char *name, int header_count,
                            const char *const *header_texts, const char *const *header_names)) {
    (void)text, (void)name, (void)header_count, (void)header_texts, (void)header_names;
    *program = NULL;
    return 0;
}
DEFINE(nvrtcDestroyProgram, (void **program)) {
    (void)program;
    return 0;
}
DEFINE(nvrtcCompileProgram, (void *program, int option_count, const char *const *options)) {
    (void)program, (void)option_count, (void)options;
    return 0;
}
static int put_size(size_t *size, size_t value) {
    *size = value;
    return 0;
}
static int put_bytes(char *to, const char *from, size_t size) {
    memcpy(to, from, size);
    return 0;
}
DEFINE(nvrtcGetProgramLogSize, (void *program, size_t *size)) {
    (void)program;
    return put_size(size, 1);
}
DEFINE(nvrtcGetProgramLog, (void *program, char *text)) {
    (void)program;
    return put_bytes(text, "", 1);
}
DEFINE(nvrtcGetCUBINSize, (void *program, size_t *size)) {
    (void)program;
    return put_size(size, sizeof code);
}
DEFINE(nvrtcGetCUBIN, (void *program, char *bytes)) {
    (void)program;
    return put_bytes(bytes, code, sizeof code);
}
DEFINE(nvrtcGetPTXSize, (void *program, size_t *size)) {
    (void)program;
    return put_size(size, sizeof code);
}
DEFINE(nvrtcGetPTX, (void *program, char *bytes)) {
    (void)program;
    return put_bytes(bytes, code, sizeof code);
}
