// program_text.h - the program of a cartridge in C, kept in the cache: its trial run takes a second or two. Host code.
#ifndef PROGRAM_TEXT_H
#define PROGRAM_TEXT_H
#include "code_cache.h"
#include "translator.h"

// The text, which ends with a zero, or one of no bytes for a cartridge that is left to the interpreter.
mega_status program_text_get(const mega_cartridge *cartridge, const uint8_t *image, mega_code *out);

#endif
