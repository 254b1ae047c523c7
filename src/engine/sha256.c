// sha256.c - SHA-256 as described in FIPS 180-4.
#include "sha256.h"

#include <string.h>

#define BLOCK_SIZE 64

// FIPS 180-4, 4.2.2: the first 32 bits of the fractions of the cube roots of the first 64 primes.
static const uint32_t constants[64] = {
    0x428A2F98, 0x71374491, 0xB5C0FBCF, 0xE9B5DBA5, 0x3956C25B, 0x59F111F1, 0x923F82A4, 0xAB1C5ED5,
    0xD807AA98, 0x12835B01, 0x243185BE, 0x550C7DC3, 0x72BE5D74, 0x80DEB1FE, 0x9BDC06A7, 0xC19BF174,
    0xE49B69C1, 0xEFBE4786, 0x0FC19DC6, 0x240CA1CC, 0x2DE92C6F, 0x4A7484AA, 0x5CB0A9DC, 0x76F988DA,
    0x983E5152, 0xA831C66D, 0xB00327C8, 0xBF597FC7, 0xC6E00BF3, 0xD5A79147, 0x06CA6351, 0x14292967,
    0x27B70A85, 0x2E1B2138, 0x4D2C6DFC, 0x53380D13, 0x650A7354, 0x766A0ABB, 0x81C2C92E, 0x92722C85,
    0xA2BFE8A1, 0xA81A664B, 0xC24B8B70, 0xC76C51A3, 0xD192E819, 0xD6990624, 0xF40E3585, 0x106AA070,
    0x19A4C116, 0x1E376C08, 0x2748774C, 0x34B0BCB5, 0x391C0CB3, 0x4ED8AA4A, 0x5B9CCA4F, 0x682E6FF3,
    0x748F82EE, 0x78A5636F, 0x84C87814, 0x8CC70208, 0x90BEFFFA, 0xA4506CEB, 0xBEF9A3F7, 0xC67178F2,
};

// FIPS 180-4, 5.3.3: the same of the square roots of the first 8.
static const uint32_t beginning[8] = {
    0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19,
};

static uint32_t rotate(uint32_t word, uint32_t count) {
    return word >> count | word << (32 - count);
}

static uint32_t load_word(const uint8_t *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | (uint32_t)bytes[3];
}

static void add_block(uint32_t state[8], const uint8_t *block) {
    uint32_t w[64], v[8];
    for (uint32_t i = 0; i < 16; i++) {
        w[i] = load_word(block + 4 * i);
    }
    for (uint32_t i = 16; i < 64; i++) {
        const uint32_t s0 = rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3;
        const uint32_t s1 = rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10;
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    memcpy(v, state, sizeof v);
    for (uint32_t i = 0; i < 64; i++) {
        const uint32_t s1 = rotate(v[4], 6) ^ rotate(v[4], 11) ^ rotate(v[4], 25);
        const uint32_t choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
        const uint32_t t1 = v[7] + s1 + choice + constants[i] + w[i];
        const uint32_t s0 = rotate(v[0], 2) ^ rotate(v[0], 13) ^ rotate(v[0], 22);
        const uint32_t majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
        memmove(v + 1, v, 7 * sizeof v[0]);
        v[4] += t1;
        v[0] = t1 + s0 + majority;
    }
    for (uint32_t i = 0; i < 8; i++) {
        state[i] += v[i];
    }
}

void sha256_begin(mega_sha256 *hash) {
    memcpy(hash->state, beginning, sizeof beginning);
    hash->size = 0;
}

void sha256_add(mega_sha256 *hash, const void *bytes, size_t size) {
    const uint8_t *data = bytes;
    while (size > 0) {
        const size_t filled = (size_t)(hash->size % BLOCK_SIZE);
        const size_t part = size < BLOCK_SIZE - filled ? size : BLOCK_SIZE - filled;
        memcpy(hash->block + filled, data, part);
        hash->size += part;
        data += part;
        size -= part;
        if (filled + part == BLOCK_SIZE) {
            add_block(hash->state, hash->block);
        }
    }
}

void sha256_finish(mega_sha256 *hash, uint8_t digest[MEGA_SHA256_SIZE]) {
    // A one bit, zeros up to eight bytes before the end of a block, and the length in bits.
    static const uint8_t padding[BLOCK_SIZE] = {0x80};
    const uint64_t bits = 8 * hash->size;
    const size_t filled = (size_t)(hash->size % BLOCK_SIZE);
    uint8_t length[8];
    for (uint32_t i = 0; i < 8; i++) {
        length[i] = (uint8_t)(bits >> (56 - 8 * i));
    }
    const size_t end = filled < BLOCK_SIZE - 8 ? BLOCK_SIZE - 8 : 2 * BLOCK_SIZE - 8;
    sha256_add(hash, padding, end - filled);
    sha256_add(hash, length, sizeof length);
    for (uint32_t i = 0; i < MEGA_SHA256_SIZE; i++) {
        digest[i] = (uint8_t)(hash->state[i / 4] >> (24 - 8 * (i % 4)));
    }
}

void sha256_of(const void *bytes, size_t size, uint8_t digest[MEGA_SHA256_SIZE]) {
    mega_sha256 hash;
    sha256_begin(&hash);
    sha256_add(&hash, bytes, size);
    sha256_finish(&hash, digest);
}

void sha256_text(const uint8_t digest[MEGA_SHA256_SIZE], char text[MEGA_SHA256_TEXT_SIZE]) {
    static const char digits[] = "0123456789abcdef";
    for (uint32_t i = 0; i < MEGA_SHA256_SIZE; i++) {
        text[2 * i] = digits[digest[i] >> 4];
        text[2 * i + 1] = digits[digest[i] & 15];
    }
    text[2 * MEGA_SHA256_SIZE] = '\0';
}
