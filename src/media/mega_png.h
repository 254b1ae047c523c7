// mega_png.h - writes one RGB picture as a PNG file. (Not png.h: that name is libpng's.)
#ifndef MEGA_PNG_H
#define MEGA_PNG_H
#include "message.h"

#include <stdint.h>

// Writes `height` rows of `width` pixels of R, G, B. On failure nothing is left behind.
int mega_png_write(const char *path, const uint8_t *rgb, uint32_t width, uint32_t height,
                   mega_message *message);

#endif
