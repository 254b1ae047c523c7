// utf8.h - UTF-8 (RFC 3629), for those who read or write texts of others.
#ifndef UTF8_H
#define UTF8_H

#include <stddef.h>
#include <stdint.h>

// The length of the sequence at `bytes`, of which `size` may be read, or 0 when there is none. A zero is a sequence.
size_t mega_utf8_length(const char *bytes, size_t size);
// Writes a code below 0x110000 that is no surrogate; the result is the length.
size_t mega_utf8_encode(uint32_t code, char bytes[4]);

#endif
