// screen.h - screens for those who want to see them; learners' observations are made elsewhere. Host code.
#ifndef SCREEN_H
#define SCREEN_H
#include "setup.h"

// MEGA_OK when `pixels` has room for exactly one screen with so many channels.
mega_status screen_check(const mega_setup *setup, const uint8_t *pixels, size_t size, size_t channels);
// Where the palette indices go that screen_to_rgb reads: the last third of an RGB screen of `size` bytes.
static inline uint8_t *screen_indices(uint8_t *pixels, size_t size) {
    return pixels + 2 * (size / 3);
}
// Spreads the indices over the whole screen.
void screen_to_rgb(const mega_setup *setup, uint8_t *pixels, size_t size);

#endif
