/* cuda_runtime.h - CUDA for clang without a CUDA Toolkit: language, runtime and device functions.
 *
 * simtcc includes this file before the first line of every .cu file, as nvcc does with NVIDIA's.
 * The order matters: device versions of the math functions come before <cmath> (simt/math.h says
 * why). All of it is written to NVIDIA's public CUDA documentation. */
#ifndef SIMT_CUDA_RUNTIME_H
#define SIMT_CUDA_RUNTIME_H
#define __CUDA_RUNTIME_H__ /* programs ask whether CUDA is there by NVIDIA's guards */

#include "cuda_runtime_api.h"
#include "vector_functions.h"

/* CUDA 13 has removed these, and older textbooks use them. */
static inline cudaError_t cudaThreadSynchronize(void) { return cudaDeviceSynchronize(); }
static inline cudaError_t cudaThreadExit(void) { return cudaDeviceReset(); }

#if defined(__CUDA__)

/* What clang calls for kernel<<<grid, block, shared bytes, stream>>>(...). */
extern "C" unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes = 0,
                                                    struct CUstream_st *stream = 0);

#include "simt/builtin_variables.h"
#include "simt/device_launch.h"
#include "simt/device_libc.h"
#include "simt/device_runtime.h"
#include "simt/float_intrinsics.h"
#include "simt/math.h"

#include "simt/atomics.h"
#include "simt/dpx.h"
#include "simt/integer.h"
#include "simt/memory.h"
#include "simt/scoped_atomics.h"
#include "simt/cluster.h"
#include "simt/shuffle.h"
#include "simt/simd.h"
#include "simt/surface.h"
#include "simt/sync.h"
#include "simt/texture.h"

#endif

#ifdef __cplusplus
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#ifdef __CUDA__
#include "simt/math_host.h"
#endif
#include "simt/rejected.h"
#include "channel_descriptor.h"
#include "simt/runtime_templates.h"
#endif

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#endif
