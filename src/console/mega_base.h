// mega_base.h - the only file that knows which compiler reads the shared source.
//
// Shared source is the code that runs both on the CPU and inside a GPU kernel: it is written in the
// subset that gcc and clang (C11), nvcc and NVRTC all accept. It includes no C header but this one.
#ifndef MEGA_BASE_H
#define MEGA_BASE_H

#if defined(__CUDACC_RTC__)
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
#ifndef NULL
#define NULL 0
#endif
#else
#include <stddef.h>
#include <stdint.h>
#endif

// MEGA_FN       a function of the shared source, inlined where the compiler sees profit.
// MEGA_INLINE   one that must be inlined: a template whose constant arguments choose its variant.
// MEGA_NOINLINE one that must not be: a slow path that would bloat a hot caller.
// MEGA_SELDOM   the same on a CPU; but a call costs a GPU's loop all of its registers.
// MEGA_TABLE    a constant table at file scope.
// MEGA_SMALL_TABLE one whose lanes look at few different places at a time.
// MEGA_SQRT     the square root of a float, correctly rounded; MEGA_EXP, MEGA_LOG and MEGA_COS are as good as the
//               library's.
// MEGA_ROLLED   the next loop is not unrolled: a GPU's cache of instructions is small.
#if defined(__CUDACC__)
#define MEGA_FN static __device__ inline
#define MEGA_INLINE static __device__ __forceinline__
#define MEGA_NOINLINE static __device__ __noinline__
#define MEGA_SELDOM static __device__ __forceinline__
#define MEGA_TABLE static __device__ const
#define MEGA_SMALL_TABLE static __constant__ const
#define MEGA_ROLLED _Pragma("unroll 1")
#define MEGA_STATIC_ASSERT(condition, why) static_assert(condition, why)
// Macros that serve several interpreters leave code behind that one of them does not need; nvcc minds.
#define MEGA_ALLOW_UNUSED _Pragma("nv_diag_suppress 128, 550")
#define MEGA_LIKELY(condition) (condition)
#define MEGA_UNLIKELY(condition) (condition)
#define MEGA_LOWEST_BIT(word) (__ffs((int)(word)) - 1)
#define MEGA_REVERSE32(word) __brev(word)
#define MEGA_COPY(to, from, size) memcpy(to, from, size)
#define MEGA_FILL(to, byte, size) mega_fill(to, byte, size)
#define MEGA_SQRT(number) sqrtf(number)
#define MEGA_EXP(number) expf(number)
#define MEGA_LOG(number) logf(number)
#define MEGA_COS(number) cosf(number)
#define MEGA_COPY4(to, from) (*(uint32_t *)(to) = *(const uint32_t *)(from))
#define MEGA_COPY8(to, from) (*(uint64_t *)(to) = *(const uint64_t *)(from))
#else
#define MEGA_FN static inline __attribute__((unused))
#define MEGA_INLINE static inline __attribute__((always_inline, unused))
#define MEGA_NOINLINE static __attribute__((noinline, unused))
#define MEGA_SELDOM static __attribute__((noinline, unused))
#define MEGA_TABLE static const __attribute__((unused))
#define MEGA_SMALL_TABLE MEGA_TABLE
#define MEGA_ROLLED
#define MEGA_STATIC_ASSERT(condition, why) _Static_assert(condition, why)
#define MEGA_ALLOW_UNUSED
#define MEGA_LIKELY(condition) __builtin_expect(!!(condition), 1)
#define MEGA_UNLIKELY(condition) __builtin_expect(!!(condition), 0)
#define MEGA_LOWEST_BIT(word) __builtin_ctz(word)
#define MEGA_REVERSE32(word) mega_reverse32(word)
#define MEGA_COPY(to, from, size) __builtin_memcpy(to, from, size)
#define MEGA_FILL(to, byte, size) __builtin_memset(to, byte, size)
#define MEGA_SQRT(number) __builtin_sqrtf(number)
#define MEGA_EXP(number) __builtin_expf(number)
#define MEGA_LOG(number) __builtin_logf(number)
#define MEGA_COS(number) __builtin_cosf(number)
#define MEGA_COPY4(to, from) __builtin_memcpy(to, from, 4) // both are multiples of 4
#define MEGA_COPY8(to, from) __builtin_memcpy(to, from, 8)
#define MEGA_THREADED 1 // labels are values, so an interpreter can jump from one operation to the next
#if defined(__AVX2__) && !defined(__clang__)
#define MEGA_VECTORS 1 // 32-byte vectors in GNU C are single registers
#if defined(__AVX512BW__) && defined(__AVX512VL__)
#define MEGA_WIDE_VECTORS 1 // vectors of 64 bytes, and masks of 64 bits for them
#include <immintrin.h>
#endif
#endif
#endif

#if defined(__CUDACC__)
// CUDA's own writes bytes one by one.
MEGA_NOINLINE void mega_fill(void *to, uint32_t byte, uint64_t size) {
    uint8_t *bytes = (uint8_t *)to;
    const uint64_t word = byte * 0x0101010101010101u;
    uint64_t i = 0;
    if (((uint64_t)to & 7u) == 0) {
        for (; i + 8u <= size; i += 8u) {
            *(uint64_t *)(bytes + i) = word;
        }
    }
    for (; i < size; i++) {
        bytes[i] = (uint8_t)byte;
    }
}
#else
MEGA_FN uint32_t mega_reverse32(uint32_t word) {
    word = (word >> 1 & 0x55555555u) | (word & 0x55555555u) << 1;
    word = (word >> 2 & 0x33333333u) | (word & 0x33333333u) << 2;
    word = (word >> 4 & 0x0F0F0F0Fu) | (word & 0x0F0F0F0Fu) << 4;
    return __builtin_bswap32(word);
}
#endif

#define MEGA_UNREACHABLE() __builtin_unreachable()
#define MEGA_ALIGNED16 __attribute__((aligned(16)))

// 1: the TIA's registers run ahead of its picture, line by line (mega_ahead.h), so that many threads can work on it.
//
// MEGA_WARP        how many consoles run in step (mega_warp.h); a lane is one of them.
// MEGA_WARP_LANE   the number of this one
// MEGA_WARP_*      what all of them do together: the least of a value, a value of another lane, memory that they
//                  share. Each is also a barrier.
#if defined(__CUDACC__)
#define MEGA_WARP 32u
#define MEGA_WARP_LANE (threadIdx.x & 31u)
#define MEGA_WARP_MIN(value) __reduce_min_sync(0xFFFFFFFFu, value)
#define MEGA_WARP_MAX(value) __reduce_max_sync(0xFFFFFFFFu, value)
#define MEGA_WARP_FROM(value, lane) __shfl_sync(0xFFFFFFFFu, value, (int)(lane))
#define MEGA_WARP_BALLOT(mask, condition) __ballot_sync(mask, (int)(condition))
#define MEGA_WARP_ANY(condition) __any_sync(0xFFFFFFFFu, (int)(condition))
#define MEGA_WARP_OR(where, bits) atomicOr(where, bits)
#define MEGA_WARP_BARRIER() __syncwarp()
#define MEGA_BLOCK_BARRIER() __syncthreads()
#define MEGA_BLOCK_ANY(condition) __syncthreads_or((int)(condition))
#define MEGA_MAX4(a, b) __vmaxu4(a, b)
#define MEGA_WARP_JOIN(bits) __reduce_or_sync(0xFFFFFFFFu, bits)         // those of all lanes
#define MEGA_PICK4(low, high, selector) __byte_perm(low, high, selector) // four of eight bytes, by nibbles
#define MEGA_DOT4(a, b, sum) __dp4a(a, b, sum)                           // products of four bytes each
#define MEGA_FUNNEL(low, high, shift) __funnelshift_r(low, high, shift)  // 32 of 64 bits; shift < 32
#define MEGA_COUNT_BITS(word) __popc(word)
#define MEGA_LEADING_ZEROS(word) __clz((int)(word))
#define MEGA_COPY16(to, from) (*(uint4 *)(to) = *(const uint4 *)(from))
#define MEGA_ATOMIC_ADD(where, count) atomicAdd(where, count) // what was there before
#define MEGA_ATOMIC_MIN(where, value) atomicMin(where, value)
#define MEGA_ATOMIC_SWAP(where, old, next) atomicCAS(where, old, next) // what was there before
#define MEGA_FENCE() __threadfence()
#define MEGA_ASSUME_LOCAL(pointer) __builtin_assume(__isLocal(pointer)) // a lane's own: shorter instructions
#else
#define MEGA_WARP 1u
#define MEGA_WARP_LANE 0u
#define MEGA_WARP_MIN(value) (value)
#define MEGA_WARP_MAX(value) (value)
#define MEGA_WARP_FROM(value, lane) (value)
#define MEGA_WARP_BALLOT(mask, condition) ((condition) ? 1u : 0u)
#define MEGA_WARP_ANY(condition) (condition)
#define MEGA_WARP_OR(where, bits) (*(where) |= (bits))
#define MEGA_WARP_BARRIER() ((void)0)
#define MEGA_BLOCK_BARRIER() ((void)0) // a block is one thread
#define MEGA_BLOCK_ANY(condition) (condition)
#define MEGA_WARP_JOIN(bits) (bits)
#define MEGA_PICK4(low, high, selector) mega_pick4(low, high, selector)
#define MEGA_DOT4(a, b, sum) mega_dot4(a, b, sum)
#define MEGA_FUNNEL(low, high, shift) ((uint32_t)(((uint64_t)(high) << 32 | (low)) >> (shift)))
#define MEGA_COUNT_BITS(word) __builtin_popcount(word)
#define MEGA_LEADING_ZEROS(word) __builtin_clz(word)
#define MEGA_MAX4(a, b) mega_max4(a, b)
#define MEGA_COPY16(to, from) __builtin_memcpy(to, from, 16)
#define MEGA_ATOMIC_ADD(where, count) __atomic_fetch_add(where, count, __ATOMIC_RELAXED)
#define MEGA_ATOMIC_MIN(where, value) ((void)(*(where) = *(where) < (value) ? *(where) : (value)))
#define MEGA_ATOMIC_SWAP(where, old, next) __sync_val_compare_and_swap(where, old, next)
#define MEGA_FENCE() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#define MEGA_ASSUME_LOCAL(pointer) ((void)0)

// The larger of each of four bytes.
MEGA_FN uint32_t mega_max4(uint32_t a, uint32_t b) {
    uint32_t most = 0;
    for (uint32_t shift = 0; shift < 32; shift += 8) {
        const uint32_t left = a >> shift & 0xFFu, right = b >> shift & 0xFFu;
        most |= (left > right ? left : right) << shift;
    }
    return most;
}
MEGA_FN uint32_t mega_pick4(uint32_t low, uint32_t high, uint32_t selector) {
    uint32_t picked = 0;
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t which = selector >> 4u * i & 7u;
        picked |= ((which < 4 ? low : high) >> 8u * (which & 3u) & 0xFFu) << 8u * i;
    }
    return picked;
}
MEGA_FN uint32_t mega_dot4(uint32_t a, uint32_t b, uint32_t sum) {
    for (uint32_t shift = 0; shift < 32; shift += 8) {
        sum += (a >> shift & 0xFFu) * (b >> shift & 0xFFu);
    }
    return sum;
}
#endif

// MEGA_AHEAD
#ifndef MEGA_AHEAD
#if defined(__CUDACC__)
#define MEGA_AHEAD 1
#else
#define MEGA_AHEAD 0
#endif
#endif

// 1: accesses to the TIA are noted and looked at later (mega_notes.h), as translated code of a warp does.
#if MEGA_AHEAD && defined(MEGA_PROGRAM)
#define MEGA_NOTES 1
#else
#define MEGA_NOTES 0
#endif

// 1: the lanes of a warp count what they execute (mega_warp.h). That takes time.
#ifndef MEGA_COUNT
#define MEGA_COUNT 0
#endif

#endif
