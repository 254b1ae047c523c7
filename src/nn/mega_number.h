// mega_number.h - the numbers that a network computes with on a GPU: bfloat16, or float. Shared source.
//
// A program is compiled for one of the two. Sums are in float in either case, and so are parameters and their
// gradients; what is stored in between is in these numbers.
#ifndef MEGA_NUMBER_H
#define MEGA_NUMBER_H
#include "mega_base.h"

#ifndef MEGA_BF16
#define MEGA_BF16 0
#endif

typedef union mega_float_bits {
    float number;
    uint32_t bits;
} mega_float_bits;

// The nearest bfloat16, ties to even. NaN stays NaN.
MEGA_FN uint16_t bf16_from(float number) {
    mega_float_bits u;
    u.number = number;
    if ((u.bits & 0x7FFFFFFFu) > 0x7F800000u) {
        return (uint16_t)(u.bits >> 16 | 0x40u);
    }
    return (uint16_t)((u.bits + 0x7FFFu + (u.bits >> 16 & 1u)) >> 16);
}

MEGA_FN float bf16_to(uint16_t half) {
    mega_float_bits u;
    u.bits = (uint32_t)half << 16;
    return u.number;
}

#if MEGA_BF16
typedef uint16_t mega_number;
MEGA_FN mega_number number_from(float number) {
    return bf16_from(number);
}
MEGA_FN float number_to(mega_number number) {
    return bf16_to(number);
}
#else
typedef float mega_number;
MEGA_FN mega_number number_from(float number) {
    return number;
}
MEGA_FN float number_to(mega_number number) {
    return number;
}
#endif

// Numbers that a thread handles at a time.
#define MEGA_RUN 8u

#endif
