// embedded.h - what is embedded in the library for compilers at run time; cmake/embed.cmake writes it. Host code.
#ifndef EMBEDDED_H
#define EMBEDDED_H
#include <stddef.h>
#include <stdint.h>

// The shared source and the kernels: names without folders ("mega_tia.h", "self_check.cu"), and texts.
extern const uint32_t embedded_count;
extern const char *const embedded_names[];
extern const char *const embedded_texts[];
// A hash of all of them and of the translator: what was made by others is not ours.
extern const char embedded_hash[];

// Programs compiled with the library (MEGA_EMBED_CUBIN), as fat binaries. A NULL name ends the list.
typedef struct mega_embedded_binary {
    const char *name;
    const void *bytes;
} mega_embedded_binary;
extern const mega_embedded_binary embedded_binaries[];

// The text of an embedded source, or NULL.
const char *embedded_find(const char *name);

#endif
