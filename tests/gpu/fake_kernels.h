// fake_kernels.h - what the fake driver can run.
#ifndef FAKE_KERNELS_H
#define FAKE_KERNELS_H
#include <stdint.h>

// The constant mega_layout of kernels.cu.
extern const uint32_t fake_layout[8];
// A kernel by name, or NULL.
const void *fake_kernel_find(const char *name);
// Runs it; anything else than a kernel does nothing.
void fake_kernel_run(const void *kernel, void **parameters);

#endif
