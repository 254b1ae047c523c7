// screen.c - see screen.h.
#include "screen.h"

#include <string.h>

#include "mega_palettes.h"
#include "status.h"

mega_status screen_check(const mega_setup *setup, const uint8_t *pixels, size_t size, size_t channels) {
    const size_t expected = MEGA_SCREEN_WIDTH * channels * setup->cartridge.height;
    if (pixels == NULL || size != expected) {
        return mega_fail(MEGA_ERROR_ARGUMENT, "the screen has %zu bytes, and there is room for %zu", expected,
                         pixels == NULL ? 0 : size);
    }
    return MEGA_OK;
}

// From the front: no index is overwritten before it is read.
void screen_to_rgb(const mega_setup *setup, uint8_t *pixels, size_t size) {
    const size_t count = size / 3, width = MEGA_SCREEN_WIDTH;
    const uint8_t *palette = mega_palette_rgb[setup->cartridge.pal];
    const uint8_t *indices = screen_indices(pixels, size);
    for (size_t row = 0; row < count; row += width) {
        uint8_t *to = pixels + 3 * row;
        if (row > 0 && memcmp(indices + row, indices + row - width, width) == 0) {
            memcpy(to, to - 3 * width, 3 * width); // most rows are like the one above
            continue;
        }
        for (size_t x = 0; x < width; x++) {
            memcpy(to + 3 * x, palette + 3u * indices[row + x], 3);
        }
    }
}
