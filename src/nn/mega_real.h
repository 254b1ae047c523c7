// mega_real.h - functions of real numbers for the shared source, under the names of each compiler.
#ifndef MEGA_REAL_H
#define MEGA_REAL_H
#include "mega_base.h"

#if defined(__CUDACC__)
#define MEGA_EXP(x) expf(x)
#define MEGA_LOG(x) logf(x)
#define MEGA_SQRT(x) sqrtf(x)
#else
#define MEGA_EXP(x) __builtin_expf(x)
#define MEGA_LOG(x) __builtin_logf(x)
#define MEGA_SQRT(x) __builtin_sqrtf(x)
#endif

MEGA_FN float real_min(float a, float b) { return a < b ? a : b; }
MEGA_FN float real_max(float a, float b) { return a > b ? a : b; }

#endif
