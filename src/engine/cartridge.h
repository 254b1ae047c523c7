// cartridge.h - finds out what kind of cartridge an image is. Host code.
#ifndef CARTRIDGE_H
#define CARTRIDGE_H
#include "mega_cartridge.h"
#include "megacade.h"

// Describes an image: its properties by md5 where they are known, its bank switching scheme by size and
// signatures, and its television format by running it for 60 frames. Fails with MEGA_ERROR_ROM when no
// console could run it.
mega_status mega_cartridge_identify(const uint8_t *image, size_t size, const char *md5, mega_cartridge *out);

// "2K", "F8", ...; "?" for a number that is none.
const char *mega_scheme_name(uint8_t scheme);

#endif
