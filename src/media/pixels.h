// pixels.h - palette indices to enlarged RGB.
//
// A pixel of the 2600 is about twice as wide as high, so every picture is stretched: scale s makes it 2s
// wide and s high.
#ifndef PIXELS_H
#define PIXELS_H

#include <stddef.h>
#include <stdint.h>

#define MEGA_PIXEL_ASPECT 2u // width of a pixel of the console over its height
#define MEGA_SCALE_MAX 16u

// Enlarges one row of `width` bytes, each to `factor` bytes in `out`.
void mega_pixels_stretch(const uint8_t *row, uint32_t width, uint32_t factor, uint8_t *out);
// Bytes of the RGB picture that mega_pixels_to_rgb writes.
size_t mega_pixels_rgb_size(uint32_t width, uint32_t height, uint32_t scale);
// Turns width * height palette indices into RGB, row by row. `palette` has 256 entries of R, G, B.
void mega_pixels_to_rgb(const uint8_t *pixels, uint32_t width, uint32_t height, const uint8_t *palette,
                        uint32_t scale, uint8_t *rgb);

#endif
