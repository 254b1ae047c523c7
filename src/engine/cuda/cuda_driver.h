// cuda_driver.h - the CUDA driver, opened at run time. Host code.
//
// Nothing of CUDA is needed to build or to start Megacade. The driver's library is opened by the first
// cuda_driver_get() that succeeds and stays open; the table of its functions is then read-only, for all
// threads. Functions have the names of NVIDIA's documentation ("CUDA Driver API"), so that a call can be
// looked up:
//
//     const mega_cuda_driver *cuda;
//     MEGA_TRY(cuda_driver_get(&cuda));
//     CUDA_TRY(cuda, cuStreamSynchronize, stream);
//
// Types and numbers are those of the documented binary interface. tests/cli/compilers.sh compares them with
// NVIDIA's header where there is one.
#ifndef CUDA_DRIVER_H
#define CUDA_DRIVER_H
#include "status.h"

// ---- types and numbers of the driver -----------------------------------------------------------------

#ifndef CUDA_VERSION // else NVIDIA's cuda.h stands above

typedef int CUresult;
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUkern_st *CUkernel;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphExec_st *CUgraphExec;
typedef struct CUgraphNode_st *CUgraphNode;
typedef int CUdevice_attribute;
typedef int CUfunction_attribute;
typedef int CUjit_option;
typedef int CUstreamCaptureMode;
typedef int CUmemorytype;
typedef struct CUarray_st *CUarray;

typedef struct CUuuid {
    char bytes[16];
} CUuuid;

typedef struct CUDA_MEMCPY2D {
    size_t srcXInBytes, srcY;
    CUmemorytype srcMemoryType;
    const void *srcHost;
    CUdeviceptr srcDevice;
    CUarray srcArray;
    size_t srcPitch;
    size_t dstXInBytes, dstY;
    CUmemorytype dstMemoryType;
    void *dstHost;
    CUdeviceptr dstDevice;
    CUarray dstArray;
    size_t dstPitch;
    size_t WidthInBytes, Height;
} CUDA_MEMCPY2D;

typedef struct CUDA_KERNEL_NODE_PARAMS {
    CUfunction func;
    unsigned int gridDimX, gridDimY, gridDimZ;
    unsigned int blockDimX, blockDimY, blockDimZ;
    unsigned int sharedMemBytes;
    void **kernelParams;
    void **extra;
    CUkernel kern;
    CUcontext ctx;
} CUDA_KERNEL_NODE_PARAMS;

enum { // results
    CUDA_SUCCESS = 0,
    CUDA_ERROR_INVALID_VALUE = 1,
    CUDA_ERROR_OUT_OF_MEMORY = 2,
    CUDA_ERROR_NOT_INITIALIZED = 3,
    CUDA_ERROR_DEINITIALIZED = 4,
    CUDA_ERROR_STUB_LIBRARY = 34,
    CUDA_ERROR_DEVICE_UNAVAILABLE = 46,
    CUDA_ERROR_NO_DEVICE = 100,
    CUDA_ERROR_INVALID_DEVICE = 101,
    CUDA_ERROR_INVALID_IMAGE = 200,
    CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
    CUDA_ERROR_ECC_UNCORRECTABLE = 214,
    CUDA_ERROR_INVALID_PTX = 218,
    CUDA_ERROR_NVLINK_UNCORRECTABLE = 220,
    CUDA_ERROR_UNSUPPORTED_PTX_VERSION = 222,
    CUDA_ERROR_NOT_FOUND = 500,
    CUDA_ERROR_NOT_READY = 600,
    CUDA_ERROR_ILLEGAL_ADDRESS = 700,
    CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701,
    CUDA_ERROR_LAUNCH_TIMEOUT = 702,
    CUDA_ERROR_CONTEXT_IS_DESTROYED = 709,
    CUDA_ERROR_ASSERT = 710,
    CUDA_ERROR_HARDWARE_STACK_ERROR = 714,
    CUDA_ERROR_ILLEGAL_INSTRUCTION = 715,
    CUDA_ERROR_MISALIGNED_ADDRESS = 716,
    CUDA_ERROR_INVALID_ADDRESS_SPACE = 717,
    CUDA_ERROR_INVALID_PC = 718,
    CUDA_ERROR_LAUNCH_FAILED = 719,
    CUDA_ERROR_UNKNOWN = 999
};

enum { // attributes of a device
    CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK = 8,
    CU_DEVICE_ATTRIBUTE_CLOCK_RATE = 13,
    CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
    CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE = 38,
    CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR = 39,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
    CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR = 81,
    CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR = 82,
    CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97
};

enum { // attributes of a function
    CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
    CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
    CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,
    CU_FUNC_ATTRIBUTE_NUM_REGS = 4,
    CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
    CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT = 9
};

enum { // flags
    CU_STREAM_DEFAULT = 0,
    CU_STREAM_NON_BLOCKING = 1,
    CU_EVENT_DEFAULT = 0,
    CU_EVENT_BLOCKING_SYNC = 1,
    CU_EVENT_DISABLE_TIMING = 2,
    CU_STREAM_CAPTURE_MODE_THREAD_LOCAL = 1,
    CU_MEMORYTYPE_DEVICE = 2,
    CU_JIT_ERROR_LOG_BUFFER = 5,
    CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6
};

#endif

// ---- functions ---------------------------------------------------------------------------------------

// FUNCTION(name as documented, symbol in the library, parameters). The symbols' versions are the oldest that
// have these parameters: they stay in the library for ever.
// clang-format off
#define CUDA_FUNCTIONS(FUNCTION) \
    FUNCTION(cuInit, cuInit, (unsigned int flags)) \
    FUNCTION(cuDriverGetVersion, cuDriverGetVersion, (int *version)) \
    FUNCTION(cuGetErrorName, cuGetErrorName, (CUresult result, const char **name)) \
    FUNCTION(cuGetErrorString, cuGetErrorString, (CUresult result, const char **text)) \
    /* devices and contexts */ \
    FUNCTION(cuDeviceGetCount, cuDeviceGetCount, (int *count)) \
    FUNCTION(cuDeviceGet, cuDeviceGet, (CUdevice *device, int index)) \
    FUNCTION(cuDeviceGetName, cuDeviceGetName, (char *name, int size, CUdevice device)) \
    FUNCTION(cuDeviceGetUuid, cuDeviceGetUuid_v2, (CUuuid *uuid, CUdevice device)) \
    FUNCTION(cuDeviceGetAttribute, cuDeviceGetAttribute, \
             (int *value, CUdevice_attribute which, CUdevice device)) \
    FUNCTION(cuDeviceTotalMem, cuDeviceTotalMem_v2, (size_t *size, CUdevice device)) \
    FUNCTION(cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain, (CUcontext *context, CUdevice device)) \
    FUNCTION(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2, (CUdevice device)) \
    FUNCTION(cuCtxPushCurrent, cuCtxPushCurrent_v2, (CUcontext context)) \
    FUNCTION(cuCtxPopCurrent, cuCtxPopCurrent_v2, (CUcontext *context)) \
    FUNCTION(cuCtxSetCurrent, cuCtxSetCurrent, (CUcontext context)) \
    /* code */ \
    FUNCTION(cuModuleLoadDataEx, cuModuleLoadDataEx, \
             (CUmodule *module, const void *image, unsigned int count, CUjit_option *options, \
              void **values)) \
    FUNCTION(cuModuleUnload, cuModuleUnload, (CUmodule module)) \
    FUNCTION(cuModuleGetFunction, cuModuleGetFunction, \
             (CUfunction *function, CUmodule module, const char *name)) \
    FUNCTION(cuModuleGetGlobal, cuModuleGetGlobal_v2, \
             (CUdeviceptr *address, size_t *size, CUmodule module, const char *name)) \
    FUNCTION(cuFuncGetAttribute, cuFuncGetAttribute, \
             (int *value, CUfunction_attribute which, CUfunction function)) \
    FUNCTION(cuFuncSetAttribute, cuFuncSetAttribute, \
             (CUfunction function, CUfunction_attribute which, int value)) \
    FUNCTION(cuOccupancyMaxActiveBlocksPerMultiprocessor, cuOccupancyMaxActiveBlocksPerMultiprocessor, \
             (int *count, CUfunction function, int block_size, size_t shared_size)) \
    FUNCTION(cuLaunchKernel, cuLaunchKernel, \
             (CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z, \
              unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned int shared_size, \
              CUstream stream, void **parameters, void **extra)) \
    /* memory */ \
    FUNCTION(cuMemGetInfo, cuMemGetInfo_v2, (size_t *free_size, size_t *total_size)) \
    FUNCTION(cuMemAlloc, cuMemAlloc_v2, (CUdeviceptr *address, size_t size)) \
    FUNCTION(cuMemFree, cuMemFree_v2, (CUdeviceptr address)) \
    FUNCTION(cuMemHostAlloc, cuMemHostAlloc, (void **address, size_t size, unsigned int flags)) \
    FUNCTION(cuMemFreeHost, cuMemFreeHost, (void *address)) \
    FUNCTION(cuMemcpyHtoD, cuMemcpyHtoD_v2, (CUdeviceptr to, const void *from, size_t size)) \
    FUNCTION(cuMemcpyDtoH, cuMemcpyDtoH_v2, (void *to, CUdeviceptr from, size_t size)) \
    FUNCTION(cuMemcpyDtoD, cuMemcpyDtoD_v2, (CUdeviceptr to, CUdeviceptr from, size_t size)) \
    FUNCTION(cuMemcpyHtoDAsync, cuMemcpyHtoDAsync_v2, \
             (CUdeviceptr to, const void *from, size_t size, CUstream stream)) \
    FUNCTION(cuMemcpyDtoHAsync, cuMemcpyDtoHAsync_v2, \
             (void *to, CUdeviceptr from, size_t size, CUstream stream)) \
    FUNCTION(cuMemcpyDtoDAsync, cuMemcpyDtoDAsync_v2, \
             (CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream)) \
    FUNCTION(cuMemcpy2DAsync, cuMemcpy2DAsync_v2, (const CUDA_MEMCPY2D *copy, CUstream stream)) \
    FUNCTION(cuMemsetD8Async, cuMemsetD8Async, \
             (CUdeviceptr to, unsigned char value, size_t size, CUstream stream)) \
    FUNCTION(cuMemsetD32Async, cuMemsetD32Async, \
             (CUdeviceptr to, unsigned int value, size_t count, CUstream stream)) \
    /* streams and events */ \
    FUNCTION(cuStreamCreate, cuStreamCreate, (CUstream *stream, unsigned int flags)) \
    FUNCTION(cuStreamDestroy, cuStreamDestroy_v2, (CUstream stream)) \
    FUNCTION(cuStreamSynchronize, cuStreamSynchronize, (CUstream stream)) \
    FUNCTION(cuStreamQuery, cuStreamQuery, (CUstream stream)) \
    FUNCTION(cuStreamWaitEvent, cuStreamWaitEvent, (CUstream stream, CUevent event, unsigned int flags)) \
    FUNCTION(cuEventCreate, cuEventCreate, (CUevent *event, unsigned int flags)) \
    FUNCTION(cuEventDestroy, cuEventDestroy_v2, (CUevent event)) \
    FUNCTION(cuEventRecord, cuEventRecord, (CUevent event, CUstream stream)) \
    FUNCTION(cuEventSynchronize, cuEventSynchronize, (CUevent event)) \
    FUNCTION(cuEventQuery, cuEventQuery, (CUevent event)) \
    FUNCTION(cuEventElapsedTime, cuEventElapsedTime, (float *milliseconds, CUevent start, CUevent end))

// NULL where the driver lacks them; `has_graphs` says whether all are there.
#define CUDA_GRAPH_FUNCTIONS(FUNCTION) \
    FUNCTION(cuStreamBeginCapture, cuStreamBeginCapture_v2, (CUstream stream, CUstreamCaptureMode mode)) \
    FUNCTION(cuStreamEndCapture, cuStreamEndCapture, (CUstream stream, CUgraph *graph)) \
    FUNCTION(cuGraphCreate, cuGraphCreate, (CUgraph *graph, unsigned int flags)) \
    FUNCTION(cuGraphAddKernelNode, cuGraphAddKernelNode_v2, \
             (CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t after_count, \
              const CUDA_KERNEL_NODE_PARAMS *parameters)) \
    FUNCTION(cuGraphAddChildGraphNode, cuGraphAddChildGraphNode, \
             (CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t after_count, CUgraph child)) \
    FUNCTION(cuGraphInstantiate, cuGraphInstantiateWithFlags, \
             (CUgraphExec *exec, CUgraph graph, unsigned long long flags)) \
    FUNCTION(cuGraphExecKernelNodeSetParams, cuGraphExecKernelNodeSetParams_v2, \
             (CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *parameters)) \
    FUNCTION(cuGraphLaunch, cuGraphLaunch, (CUgraphExec exec, CUstream stream)) \
    FUNCTION(cuGraphExecDestroy, cuGraphExecDestroy, (CUgraphExec exec)) \
    FUNCTION(cuGraphDestroy, cuGraphDestroy, (CUgraph graph))
// clang-format on

typedef struct mega_cuda_driver {
    int version; // the newest CUDA that the driver supports: 12040 is 12.4
    int has_graphs;
#define CUDA_DECLARE(name, symbol, parameters) CUresult(*name) parameters;
    CUDA_FUNCTIONS(CUDA_DECLARE)
    CUDA_GRAPH_FUNCTIONS(CUDA_DECLARE)
#undef CUDA_DECLARE
} mega_cuda_driver;

// ---- use ---------------------------------------------------------------------------------------------

#define MEGA_CUDA_DRIVER_OLDEST 12000

// The driver, opened and initialised. Fails with MEGA_ERROR_CUDA when there is none, when it is older than
// MEGA_CUDA_DRIVER_OLDEST, or when it finds no GPU; a later call tries again. $MEGACADE_LIBCUDA, a path, is
// opened in place of libcuda.so.1. Any thread may call.
mega_status cuda_driver_get(const mega_cuda_driver **out);

// The status and message for a `result` other than CUDA_SUCCESS of the function named `call`:
// MEGA_ERROR_CUDA_MEMORY, MEGA_ERROR_CUDA_LOST when the process cannot go on with this GPU, else
// MEGA_ERROR_CUDA.
__attribute__((cold)) mega_status cuda_fail(const mega_cuda_driver *driver, CUresult result,
                                            const char *call);

// Calls a function of the driver and passes a failure on, as MEGA_TRY does:
//     CUDA_TRY(cuda, cuMemcpyHtoD, address, bytes, size);
#define CUDA_TRY(driver, function, ...)                               \
    do {                                                              \
        const CUresult cuda_result = (driver)->function(__VA_ARGS__); \
        if (cuda_result != CUDA_SUCCESS) {                            \
            return cuda_fail(driver, cuda_result, #function);         \
        }                                                             \
    } while (0)

#endif
