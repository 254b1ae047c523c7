// dlpack.h - the structs of DLPack (dmlc.github.io/dlpack), versions 0.8 and 1.x, as far as the extension uses them.
#ifndef DLPACK_H
#define DLPACK_H
#include <stdint.h>

enum { // DLDeviceType
    DLPACK_CUDA = 2,
    DLPACK_CUDA_MANAGED = 13
};
enum { // DLDataTypeCode
    DLPACK_INT = 0,
    DLPACK_UINT = 1,
    DLPACK_BOOL = 6
};

typedef struct dlpack_tensor {
    void *data;
    int32_t device_type, device_id;
    int32_t ndim;
    uint8_t code, bits;
    uint16_t lanes;
    int64_t *shape, *strides; // strides in elements; NULL where the array is compact
    uint64_t byte_offset;
} dlpack_tensor;

// In a capsule named "dltensor", before version 1.
typedef struct dlpack_managed {
    dlpack_tensor tensor;
    void *context;
    void (*deleter)(struct dlpack_managed *self);
} dlpack_managed;

// In a capsule named "dltensor_versioned".
typedef struct dlpack_versioned {
    uint32_t major, minor;
    void *context;
    void (*deleter)(struct dlpack_versioned *self);
    uint64_t flags;
    dlpack_tensor tensor;
} dlpack_versioned;

#endif
