// mega_self_check.h - numbers that are easy to compute and hard to get by accident. Shared source.
#ifndef MEGA_SELF_CHECK_H
#define MEGA_SELF_CHECK_H
#include "mega_base.h"

// The index-th number of a seed.
MEGA_FN uint32_t self_check_number(uint32_t index, uint32_t seed) {
    uint32_t word = index * 0x9E3779B9u + seed;
    for (uint32_t i = 0; i < 4; i++) {
        word = (word ^ word >> 15) * 0x85EBCA6Bu;
    }
    return word;
}

#endif
