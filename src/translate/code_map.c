// code_map.c - see code_map.h.
#include "code_map.h"

#include <stdlib.h>
#include <string.h>

#include "mega_cart.h"
#include "opcode_table.h"
#include "status.h"

// How many bytes of the image are always mapped as a whole, at addresses that are equal modulo this number; 0 where
// every access may change that.
static uint32_t unit_size(const mega_cartridge *cartridge) {
    switch (cartridge->scheme) {
    case MEGA_SCHEME_2K:
    case MEGA_SCHEME_E7:
    case MEGA_SCHEME_CV:
    case MEGA_SCHEME_3F:
    case MEGA_SCHEME_3E: return 2048;
    case MEGA_SCHEME_E0: return 1024;
    case MEGA_SCHEME_NONE:
    case MEGA_SCHEME_MC: return 0;
    default: return 4096;
    }
}

mega_status code_map_make(const mega_cartridge *cartridge, const uint8_t *image, code_map *out) {
    memset(out, 0, sizeof(*out));
    mega_run run;
    memset(&run, 0, sizeof(run));
    cart_plain_range(&run, cartridge->scheme);
    out->image = image;
    out->cartridge = *cartridge;
    out->plain_low = run.plain_low;
    out->plain_span = run.plain_span;
    out->watches_low = run.watches_low;
    out->unit_size = unit_size(cartridge);
    if (cartridge->scheme == MEGA_SCHEME_DPC) {
        out->cartridge.image_size = 8192; // what follows is data of that chip
    }
    const uint32_t size = out->cartridge.image_size;
    if (out->unit_size != 0 && size % out->unit_size != 0) {
        out->unit_size = 0;
    }
    const uint32_t nodes = code_map_nodes(out);
    out->flags = calloc(nodes, sizeof(*out->flags));
    out->address = calloc(nodes, sizeof(*out->address));
    out->ram = calloc(1, sizeof(*out->ram));
    if (out->flags == NULL || out->address == NULL || out->ram == NULL) {
        code_map_release(out);
        return mega_fail_memory(3u * (size_t)nodes + sizeof(*out->ram));
    }
    return MEGA_OK;
}

void code_map_release(code_map *map) {
    free(map->flags);
    free(map->address);
    free(map->ram);
    memset(map, 0, sizeof(*map));
}

// Can the instruction at this place be translated? Its bytes must be plain ROM of one unit.
static bool is_plain(const code_map *map, uint32_t index, uint32_t pc) {
    if (map->unit_size == 0 || (pc & 0x1000u) == 0 || index >= map->cartridge.image_size ||
        ((index ^ pc) & (map->unit_size - 1u)) != 0) {
        return false;
    }
    const opcode_facts facts = opcode_find(map->image[index]);
    const uint32_t a = pc & 0xFFFu, last = a + facts.size - 1u;
    // After $1FFF comes TIA space: what is fetched there depends on the data bus.
    return facts.flow != FLOW_NONE && a - map->plain_low < map->plain_span &&
           last - map->plain_low < map->plain_span && last < 0xFFFu &&
           index % map->unit_size + facts.size <= map->unit_size;
}

uint32_t code_map_target(const code_map *map, uint32_t index, uint32_t pc) {
    // A bank of 4 KiB is at all addresses of the cartridge; FE has one bank at some and the other at the rest.
    const bool everywhere = map->unit_size == 4096 && map->cartridge.scheme != MEGA_SCHEME_FE;
    const uint32_t target = everywhere ? index - index % map->unit_size + (pc & 0xFFFu)
                                       : index + (pc - map->address[index]); // wraps
    const bool same_unit =
        target < map->cartridge.image_size && target / map->unit_size == index / map->unit_size;
    return same_unit && is_plain(map, target, pc) ? target : UINT32_MAX;
}

bool code_map_add(code_map *map, uint32_t index, uint32_t pc) {
    if ((map->flags[index] & CODE_START) != 0) {
        return map->address[index] == pc;
    }
    if (!is_plain(map, index, pc)) {
        return false;
    }
    map->flags[index] |= CODE_START;
    map->known++;
    map->address[index] = (uint16_t)pc;
    return true;
}
