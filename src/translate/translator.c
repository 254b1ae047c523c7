// translator.c - see translator.h.
#include "translator.h"

#include <stdlib.h>
#include <string.h>

#include "code_flow.h"
#include "code_trace.h"
#include "status.h"

#define TRIAL_FRAMES 2000

static mega_status write_map(const code_map *map, mega_translated_text *out) {
    FILE *stream = open_memstream(&out->text, &out->size);
    if (stream == NULL) {
        return mega_fail_memory(1);
    }
    emit_program(map, stream, &out->facts);
    const bool failed = ferror(stream) != 0;
    if (fclose(stream) != 0 || failed) {
        translator_release(out);
        return mega_fail_memory(out->size);
    }
    return MEGA_OK;
}

mega_status translator_write(const mega_cartridge *cartridge, const uint8_t *image,
                             mega_translated_text *out) {
    code_map map;
    memset(out, 0, sizeof(*out));
    MEGA_TRY(code_map_make(cartridge, image, &map));
    mega_status status = MEGA_OK;
    if (map.unit_size != 0) {
        status = code_trace(&map, TRIAL_FRAMES);
        status = status == MEGA_OK ? code_flow(&map) : status;
        status = status == MEGA_OK ? write_map(&map, out) : status;
        out->traced = map.traced;
        out->outside = map.outside;
        if (out->facts.blocks == 0) {
            free(out->text);
            out->text = NULL;
        }
    }
    code_map_release(&map);
    return status;
}

void translator_release(mega_translated_text *text) {
    free(text->text);
    text->text = NULL;
}
