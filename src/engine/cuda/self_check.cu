// self_check.cu - the smallest program: shows that code for this GPU is made, loaded and run.
#include "mega_self_check.h"

extern "C" __global__ void self_check(uint32_t *out, uint32_t count, uint32_t seed) {
    const uint32_t index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index < count) {
        out[index] = self_check_number(index, seed);
    }
}
