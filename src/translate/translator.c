// translator.c - see translator.h.
#include "translator.h"

#include <stdlib.h>
#include <string.h>

#include "code_flow.h"
#include "code_trace.h"
#include "status.h"

static mega_status write_map(code_map *map, const code_edges *edges, const code_frames *kept,
                             mega_translated_text *out) {
    const size_t size = code_map_nodes(map);
    uint32_t *rank = calloc(size, sizeof(*rank));
    mega_status status = rank != NULL ? code_order(map, edges, rank) : mega_fail_memory(size * sizeof(*rank));
    code_schedule schedule;
    status = status == MEGA_OK ? code_schedule_find(map, kept, rank, &schedule) : status;
    FILE *stream = status == MEGA_OK ? open_memstream(&out->text, &out->size) : NULL;
    if (stream != NULL) {
        emit_program(map, rank, schedule, stream, &out->facts);
        const bool failed = ferror(stream) != 0;
        status = fclose(stream) != 0 || failed ? mega_fail_memory(out->size) : MEGA_OK;
    } else if (status == MEGA_OK) {
        status = mega_fail_memory(1);
    }
    free(rank);
    return status;
}

static mega_status write_program(code_map *map, uint32_t frames, mega_translated_text *out) {
    code_edges edges;
    code_frames kept;
    MEGA_TRY(code_edges_make(code_map_nodes(map), &edges));
    mega_status status = code_frames_make(&kept);
    status = status == MEGA_OK ? code_trace(map, &edges, &kept, frames) : status;
    if (status == MEGA_OK) {
        code_ram_cut(map);
        status = code_flow(map);
    }
    status = status == MEGA_OK ? write_map(map, &edges, &kept, out) : status;
    code_frames_release(&kept);
    code_edges_release(&edges);
    return status;
}

mega_status translator_write(const mega_cartridge *cartridge, const uint8_t *image, uint32_t frames,
                             mega_translated_text *out) {
    code_map map;
    memset(out, 0, sizeof(*out));
    MEGA_TRY(code_map_make(cartridge, image, &map));
    const mega_status status = map.unit_size != 0 ? write_program(&map, frames, out) : MEGA_OK;
    if (status != MEGA_OK || out->facts.blocks == 0) {
        translator_release(out);
    }
    code_map_release(&map);
    return status;
}

void translator_release(mega_translated_text *text) {
    free(text->text);
    text->text = NULL;
}
