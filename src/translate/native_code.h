// native_code.h - a translated cartridge as machine code of this computer. Host code.
//
// Code comes from the cache folder (code_cache.h) or from the system's compiler. What is loaded is a copy of bytes
// whose hash was checked, in a folder that only the user can write into.
#ifndef NATIVE_CODE_H
#define NATIVE_CODE_H
#include "code_cache.h"
#include "host_compiler.h"
#include "mega_machine.h"
#include "sha256.h"
#include "translator.h"

typedef struct mega_native {
    void *library; // NULL: nothing is loaded
    mega_translated *run;
} mega_native;

// What the making of it took.
typedef struct mega_native_facts {
    double translate_seconds, compile_seconds;
    size_t code_size;
} mega_native_facts;

// A name for the code: the hash of all that it is made from.
void native_key(const mega_host_compiler *compiler, const mega_cartridge *cartridge, const uint8_t *image,
                char key[MEGA_SHA256_TEXT_SIZE]);
// From the cache. False when it is not there, or not as it should be.
bool native_load(const char *key, mega_native *out);
// Compiles a program of emit.h to a shared library; and loads one.
mega_status native_build(const mega_host_compiler *compiler, const char *program, mega_code *out);
bool native_open(const mega_code *code, mega_native *out);
// The first half of making code, whose text the caller releases; and the second: compiles, keeps and loads. A
// cartridge without code that can be translated gives MEGA_OK and nothing loaded. Both take a second or more.
mega_status native_translate(const mega_cartridge *cartridge, const uint8_t *image, mega_native_facts *facts,
                             mega_translated_text *out);
mega_status native_compile(const mega_host_compiler *compiler, const mega_translated_text *text,
                           const char *key, mega_native_facts *facts, mega_native *out);
// Both.
mega_status native_make(const mega_host_compiler *compiler, const mega_cartridge *cartridge,
                        const uint8_t *image, const char *key, mega_native *out);
void native_close(mega_native *native);

#endif
