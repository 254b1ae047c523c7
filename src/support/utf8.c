// utf8.c - see utf8.h.
#include "utf8.h"

#include <stdbool.h>

size_t mega_utf8_length(const char *text, size_t size) {
    const unsigned char *bytes = (const unsigned char *)text;
    const unsigned char first = size > 0 ? bytes[0] : 0xFF;
    const size_t length = first < 0x80   ? 1
                          : first < 0xC2 ? 0
                          : first < 0xE0 ? 2
                          : first < 0xF0 ? 3
                          : first < 0xF5 ? 4
                                         : 0;
    if (length > size) {
        return 0;
    }
    for (size_t i = 1; i < length; i++) {
        if ((bytes[i] & 0xC0) != 0x80) {
            return 0;
        }
    }
    const bool overlong = (first == 0xE0 && bytes[1] < 0xA0) || (first == 0xF0 && bytes[1] < 0x90);
    const bool surrogate = first == 0xED && bytes[1] > 0x9F;
    const bool too_large = first == 0xF4 && bytes[1] > 0x8F;
    return overlong || surrogate || too_large ? 0 : length;
}

size_t mega_utf8_encode(uint32_t code, char bytes[4]) {
    const size_t length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const uint8_t first[] = {0, 0x00, 0xC0, 0xE0, 0xF0};
    for (size_t i = length - 1; i > 0; i--) {
        bytes[i] = (char)(0x80 | (code & 0x3F));
        code >>= 6;
    }
    bytes[0] = (char)(first[length] | code);
    return length;
}
