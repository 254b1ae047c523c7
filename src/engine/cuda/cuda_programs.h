// cuda_programs.h - translated cartridges on a GPU. Host code.
#ifndef CUDA_PROGRAMS_H
#define CUDA_PROGRAMS_H
#include "cuda_module.h"
#include "vector_games.h"

typedef struct mega_cuda_program {
    CUmodule module;
    CUfunction step; // NULL where the cartridge is interpreted
} mega_cuda_program;

// A program for each game, from the cache or compiled now; a cartridge that cannot be translated is interpreted. `how`
// is MEGA_TRANSLATE_*: AUTO leaves many games in one vector to the interpreter, because each takes the compiler half a
// minute the first time. `counts`: lanes count what they execute. The device must be current.
mega_status cuda_programs_open(const mega_cuda_device *device, const mega_vector_games *games, uint8_t how,
                               bool counts, mega_cuda_program **out);
// What makes lanes count, in any program.
extern const char *const cuda_programs_counting[1];
// The device must be current. NULL is allowed.
void cuda_programs_close(const mega_cuda_device *device, mega_cuda_program *programs, uint32_t count);

#endif
