/* driver_array.h - what driver_memory.c's copies take from arrays. */
#ifndef SIMT_DRIVER_ARRAY_H
#define SIMT_DRIVER_ARRAY_H

#include "runtime/driver.h"

/* A copy one of whose ends, at least, is an array. */
cudaError_t driver_copy_array(const CUDA_MEMCPY3D *c, bool waits, CUstream stream);

#endif
