// mega_tile.h - what the matrix units of a GPU do for a warp: copies into shared memory that run by themselves, loads of
// four 8 x 8 matrices, products of 16 x 16 and 16 x 8. Shared source: on a CPU a test plays the threads (test_conv.c).
//
// A product C[16][8] += A[16][16] B[16][8] of bfloat16 is spread over the lanes as the processor wants it: with
// g = lane / 4 and t = lane % 4, A is {[g][2t], [g + 8][2t], [g][2t + 8], [g + 8][2t + 8]}, each with the number to
// its right, B is {[2t][g], [2t + 8][g]}, each with the number below, and C is {[g][2t], [g][2t + 1], [g + 8][2t],
// [g + 8][2t + 1]}.
#ifndef MEGA_TILE_H
#define MEGA_TILE_H
#include "mega_number.h"

typedef struct mega_tile16 {
    uint32_t words[4];
} mega_tile16;

#if defined(__CUDACC__)

#define TILE_UNROLL _Pragma("unroll")
#define TILE_ROLLED _Pragma("unroll 1")

MEGA_INLINE uint32_t tile_thread(void) {
    return threadIdx.x;
}
MEGA_INLINE uint32_t tile_block(void) {
    return blockIdx.x;
}
MEGA_INLINE void tile_barrier(void) {
    __syncthreads();
}
MEGA_INLINE uint32_t tile_address(const void *shared) {
    return (uint32_t)__cvta_generic_to_shared(shared);
}
// 16 bytes, or zeros. The copy is done after tile_commit() and tile_wait_but().
MEGA_INLINE void tile_copy16(void *shared, const void *from, uint32_t is_there) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(tile_address(shared)), "l"(from),
                 "r"(is_there ? 16u : 0u)
                 : "memory");
}
MEGA_INLINE void tile_commit(void) {
    asm volatile("cp.async.commit_group;" ::: "memory");
}
// Waits for all commits but the last `count`.
#define tile_wait_but(count) asm volatile("cp.async.wait_group %0;" ::"n"(count) : "memory")
// Lane i has the address of row i % 8 of matrix i / 8; register m of a lane becomes the two numbers [g][2t] of matrix m.
MEGA_INLINE void tile_load(uint32_t r[4], const void *row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(tile_address(row))
                 : "memory");
}
// The same of turned matrices: [2t][g], and the number below.
MEGA_INLINE void tile_load_turned(uint32_t r[4], const void *row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(tile_address(row))
                 : "memory");
}
MEGA_INLINE void tile_multiply(float c[4], const uint32_t a[4], uint32_t b0, uint32_t b1) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
MEGA_INLINE uint32_t tile_pack(float low, float high) {
    uint32_t word;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(high), "f"(low));
    return word;
}
MEGA_INLINE void tile_store16(void *to, const mega_tile16 *from) {
    *(uint4 *)to = make_uint4(from->words[0], from->words[1], from->words[2], from->words[3]);
}
// 2, 4 or 8 words to or from an address that is a multiple of their size, or of 16.
MEGA_INLINE void tile_store_words(void *to, const uint32_t *words, uint32_t count) {
    if (count == 2u) {
        *(uint2 *)to = make_uint2(words[0], words[1]);
    } else {
        TILE_UNROLL
        for (uint32_t i = 0; i < count; i += 4u) {
            ((uint4 *)to)[i / 4u] = make_uint4(words[i], words[i + 1u], words[i + 2u], words[i + 3u]);
        }
    }
}
MEGA_INLINE void tile_load_words(uint32_t *words, const void *from, uint32_t count) {
    if (count == 2u) {
        const uint2 pair = *(const uint2 *)from;
        words[0] = pair.x;
        words[1] = pair.y;
    } else {
        TILE_UNROLL
        for (uint32_t i = 0; i < count; i += 4u) {
            const uint4 four = ((const uint4 *)from)[i / 4u];
            words[i] = four.x;
            words[i + 1u] = four.y;
            words[i + 2u] = four.z;
            words[i + 3u] = four.w;
        }
    }
}

#else
#include "mega_tile_host.h"
#endif

#endif
