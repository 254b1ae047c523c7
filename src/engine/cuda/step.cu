// step.cu - steps of environments that all have one cartridge, by its translated code (MEGA_PROGRAM).
#include "mega_step.h"

// Sizes that the host must agree with.
extern "C" __device__ const uint32_t mega_step_layout[3] = {
    sizeof(mega_batch),
    sizeof(mega_course),
    sizeof(mega_cell),
};
