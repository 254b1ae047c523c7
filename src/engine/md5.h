// md5.h - the MD5 message digest (RFC 1321). Images are known by it; it protects nothing. Host code.
#ifndef MD5_H
#define MD5_H
#include <stddef.h>

#define MEGA_MD5_TEXT_SIZE 33

// Writes the digest of `size` bytes as 32 lower-case hex digits and a zero. `bytes` may be NULL if size is 0.
void mega_md5(const void *bytes, size_t size, char text[MEGA_MD5_TEXT_SIZE]);

#endif
