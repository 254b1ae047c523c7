// nccl_abi.c - prints the numbers that nccl_api.h uses. Built twice by tests/cli/compilers.sh: alone, and with NVIDIA's
// nccl.h, which then brings its own numbers and types; the two must print the same.
#ifdef WITH_NCCL_H
#include <cuda.h>
#include <nccl.h>
#endif
#include "nccl_api.h"

#include <stdio.h>

#ifdef WITH_NCCL_H
// Every function has the parameters that NVIDIA's header declares.
#define SAME(type, name, parameters) \
    _Static_assert(__builtin_types_compatible_p(__typeof__(&name), type(*) parameters), #name);
NCCL_FUNCTIONS(SAME)
_Static_assert(NCCL_VERSION(2, 10, 0) == MEGA_NCCL_OLDEST, "the oldest version");
#endif

#define SHOW(number) printf("%s %d\n", #number, (int)(number))

int main(void) {
    SHOW(sizeof(ncclUniqueId));
    SHOW(_Alignof(ncclUniqueId));
    SHOW(sizeof(ncclComm_t));
    SHOW(sizeof(ncclResult_t));
    SHOW(sizeof(ncclDataType_t));
    SHOW(sizeof(ncclRedOp_t));
    SHOW(ncclSuccess);
    SHOW(ncclInProgress);
    SHOW(ncclFloat32);
    SHOW(ncclAvg);
    return 0;
}
