// translator.h - from a cartridge to its program in C. Host code.
#ifndef TRANSLATOR_H
#define TRANSLATOR_H
#include "emit.h"

// Bumped when programs and the library that runs them no longer fit each other.
#define MEGA_TRANSLATED_VERSION 1

typedef struct mega_translated_text {
    char *text; // from malloc; NULL for a cartridge that is left to the interpreter
    size_t size;
    emit_facts facts;
    uint64_t traced;  // instructions of the trial run
    uint64_t outside; // ... that were not in plain ROM
} mega_translated_text;

// The text is the same for the same cartridge, always.
mega_status translator_write(const mega_cartridge *cartridge, const uint8_t *image,
                             mega_translated_text *out);
void translator_release(mega_translated_text *text);

#endif
