// pixels.c - see pixels.h.
#include "pixels.h"

#include <string.h>

void mega_pixels_stretch(const uint8_t *row, uint32_t width, uint32_t factor, uint8_t *out) {
    for (uint32_t x = 0; x < width; x++) {
        memset(out, row[x], factor);
        out += factor;
    }
}

size_t mega_pixels_rgb_size(uint32_t width, uint32_t height, uint32_t scale) {
    return (size_t)width * MEGA_PIXEL_ASPECT * scale * 3 * height * scale;
}

void mega_pixels_to_rgb(const uint8_t *pixels, uint32_t width, uint32_t height, const uint8_t *palette,
                        uint32_t scale, uint8_t *rgb) {
    const size_t row_size = (size_t)width * MEGA_PIXEL_ASPECT * scale * 3;
    for (uint32_t y = 0; y < height; y++) {
        uint8_t *const first = rgb;
        for (uint32_t x = 0; x < width; x++) {
            const uint8_t *const color = palette + 3u * pixels[(size_t)y * width + x];
            for (uint32_t i = 0; i < MEGA_PIXEL_ASPECT * scale; i++) {
                memcpy(rgb, color, 3);
                rgb += 3;
            }
        }
        for (uint32_t i = 1; i < scale; i++) {
            memcpy(rgb, first, row_size);
            rgb += row_size;
        }
    }
}
