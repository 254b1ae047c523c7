// translator.c - see translator.h.
#include "translator.h"

#include <stdlib.h>
#include <string.h>

#include "code_flow.h"
#include "code_order.h"
#include "code_trace.h"
#include "status.h"

static mega_status write_map(const code_map *map, const uint32_t *rank, mega_translated_text *out) {
    FILE *stream = open_memstream(&out->text, &out->size);
    if (stream == NULL) {
        return mega_fail_memory(1);
    }
    emit_program(map, rank, stream, &out->facts);
    const bool failed = ferror(stream) != 0;
    if (fclose(stream) != 0 || failed) {
        translator_release(out);
        return mega_fail_memory(out->size);
    }
    return MEGA_OK;
}

static mega_status write_program(code_map *map, uint32_t frames, mega_translated_text *out) {
    const uint32_t size = map->cartridge.image_size;
    code_edges edges;
    uint32_t *rank = calloc(size, sizeof(*rank));
    mega_status status = rank != NULL ? MEGA_OK : mega_fail_memory(size * sizeof(*rank));
    status = status == MEGA_OK ? code_edges_make(size, &edges) : status;
    if (status == MEGA_OK) {
        status = code_trace(map, &edges, frames);
        status = status == MEGA_OK ? code_flow(map) : status;
        status = status == MEGA_OK ? code_order(map, &edges, rank) : status;
        status = status == MEGA_OK ? write_map(map, rank, out) : status;
        code_edges_release(&edges);
    }
    free(rank);
    return status;
}

mega_status translator_write(const mega_cartridge *cartridge, const uint8_t *image, uint32_t frames,
                             mega_translated_text *out) {
    code_map map;
    memset(out, 0, sizeof(*out));
    MEGA_TRY(code_map_make(cartridge, image, &map));
    mega_status status = MEGA_OK;
    if (map.unit_size != 0) {
        status = write_program(&map, frames, out);
        out->traced = map.traced;
        out->outside = map.outside;
        if (out->facts.blocks == 0) {
            translator_release(out);
        }
    }
    code_map_release(&map);
    return status;
}

void translator_release(mega_translated_text *text) {
    free(text->text);
    text->text = NULL;
}
