// program_text.c - see program_text.h.
#include "program_text.h"

#include <stdlib.h>
#include <string.h>

#include "embedded.h"
#include "status.h"

static void find_key(const mega_cartridge *cartridge, const uint8_t *image, char key[MEGA_SHA256_TEXT_SIZE]) {
    static const char kind[] = "megacade program text " MEGA_VERSION;
    mega_sha256 hash;
    uint8_t digest[MEGA_SHA256_SIZE];
    sha256_begin(&hash);
    sha256_add(&hash, kind, sizeof kind);
    sha256_add(&hash, embedded_hash, strlen(embedded_hash) + 1); // the console, and the translator
    sha256_add(&hash, cartridge, sizeof(*cartridge));
    sha256_add(&hash, image, cartridge->image_size);
    sha256_finish(&hash, digest);
    sha256_text(digest, key);
}

// A cartridge without a program has a text of a zero alone in the cache.
static bool load(const char *key, mega_code *out) {
    if (!code_cache_load(key, out)) {
        return false;
    }
    if (out->size == 0 || ((const char *)out->bytes)[out->size - 1] != '\0') {
        code_release(out);
        return false;
    }
    out->size -= out->size == 1;
    return true;
}

mega_status program_text_get(const mega_cartridge *cartridge, const uint8_t *image, mega_code *out) {
    char key[MEGA_SHA256_TEXT_SIZE];
    mega_translated_text text;
    memset(out, 0, sizeof(*out));
    find_key(cartridge, image, key);
    if (load(key, out)) {
        return MEGA_OK;
    }
    MEGA_TRY(translator_write(cartridge, image, MEGA_TRIAL_FRAMES, &text));
    char nothing[1] = "";
    const mega_code kept = {text.text != NULL ? text.text : nothing, text.text != NULL ? text.size + 1 : 1};
    code_cache_save(key, &kept); // else it is written again next time
    out->bytes = text.text;
    out->size = text.text != NULL ? text.size + 1 : 0;
    return MEGA_OK;
}
