// mega_conv_sizes.h - what the host has to know of a convolution's kernels (mega_conv.h) to launch them. Shared source:
// the program has these numbers, and the host reads them from it.
#ifndef MEGA_CONV_SIZES_H
#define MEGA_CONV_SIZES_H
#include "mega_base.h"

typedef struct mega_conv_sizes {
    uint32_t threads;                                     // of a block
    uint32_t rows;                                        // pixels of a block, forward and back to the input
    uint32_t forward_shared, back_shared, weights_shared; // bytes of shared memory
    uint32_t back_pixels;                                 // of an image, in a phase of the input
    uint32_t back_turns;                                  // groups of phases
    uint32_t depth;                                       // pixels of a step of those that go to the weights
    uint32_t splits;                                      // blocks that share out the pixels, at most
    uint32_t tiles;                                       // and the columns of the weights
    uint32_t part;                                        // numbers that a split leaves
} mega_conv_sizes;

#endif
