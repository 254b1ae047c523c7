// nccl_api.h - what we use of NVIDIA's NCCL: types, numbers and functions as its documentation names them ("NCCL API"),
// so that a call can be looked up. tests/cli/compilers.sh compares them with NVIDIA's header where there is one.
#ifndef NCCL_API_H
#define NCCL_API_H
#include "cuda_driver.h"

#ifndef NCCL_MAJOR // else NVIDIA's nccl.h stands above

typedef struct ncclComm *ncclComm_t;
typedef int ncclResult_t;
typedef int ncclDataType_t;
typedef int ncclRedOp_t;
enum {
    NCCL_UNIQUE_ID_BYTES = 128
};
typedef struct ncclUniqueId {
    char internal[NCCL_UNIQUE_ID_BYTES];
} ncclUniqueId;

enum {
    ncclSuccess = 0,
    ncclInProgress = 7
};
enum {
    ncclFloat32 = 7
};
enum {
    ncclAvg = 4
};

#endif

// FUNCTION(type of what it returns, name, parameters). A stream of the run-time library is one of the driver.
// clang-format off
#define NCCL_FUNCTIONS(FUNCTION) \
    FUNCTION(ncclResult_t, ncclGetVersion, (int *version)) \
    FUNCTION(ncclResult_t, ncclGetUniqueId, (ncclUniqueId *id)) \
    FUNCTION(const char *, ncclGetErrorString, (ncclResult_t result)) \
    FUNCTION(ncclResult_t, ncclCommInitRank, (ncclComm_t *comm, int size, ncclUniqueId id, int rank)) \
    FUNCTION(ncclResult_t, ncclCommGetAsyncError, (ncclComm_t comm, ncclResult_t *error)) \
    FUNCTION(ncclResult_t, ncclCommDestroy, (ncclComm_t comm)) \
    FUNCTION(ncclResult_t, ncclCommAbort, (ncclComm_t comm)) \
    FUNCTION(ncclResult_t, ncclAllReduce, \
             (const void *from, void *to, size_t count, ncclDataType_t type, ncclRedOp_t op, ncclComm_t comm, \
              struct CUstream_st *stream))
// clang-format on

typedef struct mega_nccl {
#define NCCL_DECLARE(type, name, parameters) type(*name) parameters;
    NCCL_FUNCTIONS(NCCL_DECLARE)
#undef NCCL_DECLARE
} mega_nccl;

// The first one that can take means; versions are numbers as ncclGetVersion gives them since 2.9.
#define MEGA_NCCL_OLDEST 21000

#endif
