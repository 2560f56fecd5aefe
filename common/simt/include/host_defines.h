/* host_defines.h - the words that CUDA adds to C: __global__, __device__, __shared__ ...
 *
 * Three compilers read these headers: clang's device pass, clang's host pass (both define
 * __CUDA__) and a plain host compiler, for the .c and .cpp files of a program, which sees no CUDA
 * words at all. Written to the "CUDA C++ Programming Guide". */
#ifndef SIMT_HOST_DEFINES_H
#define SIMT_HOST_DEFINES_H

#ifndef SIMT
#define SIMT 1 /* this program is compiled for the simulator */
#endif

#define CUDARTAPI
#define CUDART_CB

#define __align__(n)    __attribute__((aligned(n)))
#define __forceinline__ __inline__ __attribute__((always_inline))
/* libstdc++ writes __attribute__((__noinline__)) with a name that CUDA makes a macro: the headers
 * that do so are wrapped in bits/ beside this file. */
#define __noinline__ __attribute__((noinline))

#if defined(__CUDA__)

#ifndef __CUDACC__
#define __CUDACC__ 1
#endif
#ifndef __NVCC__ /* "is this CUDA?": clang's own __CUDA__ is not what programs ask for */
#define __NVCC__ 1
#endif
#ifndef __CUDACC_VER_MAJOR__
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define __CUDACC_VER_BUILD__ 0
#endif

#define __host__     __attribute__((host))
#define __device__   __attribute__((device))
#define __global__   __attribute__((global))
#define __shared__   __attribute__((shared))
#ifdef SIMT_ALONE /* no host code that could write a static variable is compiled with it: cuModuleGetGlobal() finds it */
#define __constant__ __attribute__((constant, used))
#else
#define __constant__ __attribute__((constant))
#endif
/* clang has no managed variables in CUDA: such a variable is a __device__ variable whose host
 * shadow lies in a section of its own, and the runtime makes the shadow its only copy. */
#define __managed__ __attribute__((device)) __attribute__((section("simt_managed")))

#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __grid_constant__
/* clang has no clusters: cc/alignment.awk finds these notes in its code and tells the simulator. */
#define __cluster_dims__(...) __attribute__((annotate("simt_cluster", __VA_ARGS__)))

#else

#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __managed__
#define __launch_bounds__(...)
#define __grid_constant__
#define __cluster_dims__(...)

#endif

#define __device_builtin__
#define __cudart_builtin__
#define __builtin_align__(n) __align__(n)

#endif
