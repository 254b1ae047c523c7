// sha256.h - the SHA-256 message digest (FIPS 180-4). Compiled code is filed under it. Host code.
#ifndef SHA256_H
#define SHA256_H
#include <stddef.h>
#include <stdint.h>

#define MEGA_SHA256_SIZE 32
#define MEGA_SHA256_TEXT_SIZE 65

typedef struct mega_sha256 {
    uint32_t state[8];
    uint64_t size; // bytes so far
    uint8_t block[64];
} mega_sha256;

void sha256_begin(mega_sha256 *hash);
// `bytes` may be NULL if size is 0.
void sha256_add(mega_sha256 *hash, const void *bytes, size_t size);
void sha256_finish(mega_sha256 *hash, uint8_t digest[MEGA_SHA256_SIZE]);

// All at once.
void sha256_of(const void *bytes, size_t size, uint8_t digest[MEGA_SHA256_SIZE]);
// A digest as 64 lower-case hex digits and a zero.
void sha256_text(const uint8_t digest[MEGA_SHA256_SIZE], char text[MEGA_SHA256_TEXT_SIZE]);

#endif
