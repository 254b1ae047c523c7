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
} mega_translated_text;

// Frames of the trial run that finds code.
#define MEGA_TRIAL_FRAMES 2000

// The text is the same for the same cartridge and frames, always.
mega_status translator_write(const mega_cartridge *cartridge, const uint8_t *image, uint32_t frames,
                             mega_translated_text *out);
void translator_release(mega_translated_text *text);

#endif
