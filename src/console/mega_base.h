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
// MEGA_TABLE    a constant table at file scope.
#if defined(__CUDACC__)
#define MEGA_FN static __device__ inline
#define MEGA_INLINE static __device__ __forceinline__
#define MEGA_NOINLINE static __device__ __noinline__
#define MEGA_TABLE static __device__ const
#define MEGA_STATIC_ASSERT(condition, why) static_assert(condition, why)
#define MEGA_LIKELY(condition) (condition)
#define MEGA_UNLIKELY(condition) (condition)
#define MEGA_LOWEST_BIT(word) (__ffs((int)(word)) - 1)
#define MEGA_COPY(to, from, size) memcpy(to, from, size)
#define MEGA_FILL(to, byte, size) memset(to, byte, size)
#else
#define MEGA_FN static inline __attribute__((unused))
#define MEGA_INLINE static inline __attribute__((always_inline, unused))
#define MEGA_NOINLINE static __attribute__((noinline, unused))
#define MEGA_TABLE static const __attribute__((unused))
#define MEGA_STATIC_ASSERT(condition, why) _Static_assert(condition, why)
#define MEGA_LIKELY(condition) __builtin_expect(!!(condition), 1)
#define MEGA_UNLIKELY(condition) __builtin_expect(!!(condition), 0)
#define MEGA_LOWEST_BIT(word) __builtin_ctz(word)
#define MEGA_COPY(to, from, size) __builtin_memcpy(to, from, size)
#define MEGA_FILL(to, byte, size) __builtin_memset(to, byte, size)
#define MEGA_THREADED 1 // labels are values, so an interpreter can jump from one operation to the next
#if defined(__AVX2__) && !defined(__clang__)
#define MEGA_VECTORS 1 // 32-byte vectors in GNU C are single registers
#endif
#endif

#endif
