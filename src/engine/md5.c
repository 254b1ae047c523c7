// md5.c - MD5 as described in RFC 1321.
#include "md5.h"

#include <stdint.h>
#include <string.h>

#define BLOCK_SIZE 64

// RFC 1321, 3.4: entry i is the integer part of 2^32 * |sin(i + 1)|.
static const uint32_t sines[64] = {
    0xD76AA478, 0xE8C7B756, 0x242070DB, 0xC1BDCEEE, 0xF57C0FAF, 0x4787C62A, 0xA8304613, 0xFD469501,
    0x698098D8, 0x8B44F7AF, 0xFFFF5BB1, 0x895CD7BE, 0x6B901122, 0xFD987193, 0xA679438E, 0x49B40821,
    0xF61E2562, 0xC040B340, 0x265E5A51, 0xE9B6C7AA, 0xD62F105D, 0x02441453, 0xD8A1E681, 0xE7D3FBC8,
    0x21E1CDE6, 0xC33707D6, 0xF4D50D87, 0x455A14ED, 0xA9E3E905, 0xFCEFA3F8, 0x676F02D9, 0x8D2A4C8A,
    0xFFFA3942, 0x8771F681, 0x6D9D6122, 0xFDE5380C, 0xA4BEEA44, 0x4BDECFA9, 0xF6BB4B60, 0xBEBFBC70,
    0x289B7EC6, 0xEAA127FA, 0xD4EF3085, 0x04881D05, 0xD9D4D039, 0xE6DB99E5, 0x1FA27CF8, 0xC4AC5665,
    0xF4292244, 0x432AFF97, 0xAB9423A7, 0xFC93A039, 0x655B59C3, 0x8F0CCC92, 0xFFEFF47D, 0x85845DD1,
    0x6FA87E4F, 0xFE2CE6E0, 0xA3014314, 0x4E0811A1, 0xF7537E82, 0xBD3AF235, 0x2AD7D2BB, 0xEB86D391,
};
static const uint8_t rotations[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};

static uint32_t load_word(const uint8_t *bytes) {
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static void add_block(uint32_t state[4], const uint8_t *block) {
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    for (uint32_t i = 0; i < 64; i++) {
        uint32_t mix, word;
        switch (i / 16) {
        case 0: mix = (b & c) | (~b & d), word = i; break;
        case 1: mix = (b & d) | (c & ~d), word = 5 * i + 1; break;
        case 2: mix = b ^ c ^ d, word = 3 * i + 5; break;
        default: mix = c ^ (b | ~d), word = 7 * i; break;
        }
        const uint32_t sum = a + mix + load_word(block + 4 * (word % 16)) + sines[i];
        const uint32_t rotation = rotations[i / 16][i % 4];
        a = d, d = c, c = b;
        b += sum << rotation | sum >> (32 - rotation);
    }
    state[0] += a, state[1] += b, state[2] += c, state[3] += d;
}

void mega_md5(const void *bytes, size_t size, char text[MEGA_MD5_TEXT_SIZE]) {
    uint32_t state[4] = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476};
    const uint8_t *data = bytes;
    size_t left = size;
    for (; left >= BLOCK_SIZE; left -= BLOCK_SIZE, data += BLOCK_SIZE) {
        add_block(state, data);
    }

    // The rest, a one bit, zeros, and the length in bits fill one or two blocks.
    uint8_t tail[2 * BLOCK_SIZE] = {0};
    if (left > 0) {
        memcpy(tail, data, left);
    }
    tail[left] = 0x80;
    const size_t tail_size = left < BLOCK_SIZE - 8 ? BLOCK_SIZE : 2 * BLOCK_SIZE;
    for (uint32_t i = 0; i < 8; i++) {
        tail[tail_size - 8 + i] = (uint8_t)((uint64_t)size * 8 >> (8 * i));
    }
    add_block(state, tail);
    if (tail_size > BLOCK_SIZE) {
        add_block(state, tail + BLOCK_SIZE);
    }

    for (uint32_t i = 0; i < 32; i++) { // the low digit of each byte comes second
        text[i] = "0123456789abcdef"[state[i / 8] >> (4 * (i % 8 ^ 1)) & 15];
    }
    text[32] = '\0';
}
