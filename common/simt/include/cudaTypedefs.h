/* cudaTypedefs.h - types of pointers to the driver's functions, for those that a program takes from
 * cudaGetDriverEntryPoint(). */
#ifndef SIMT_CUDATYPEDEFS_H
#define SIMT_CUDATYPEDEFS_H
#define CUDATYPEDEFS_H

#include "cuda.h"

/* The name without a version is that of the newest. */
#define SIMT_ENTRY(name, version)                                                                  \
    typedef __typeof__(&name) PFN_##name##_v##version;                                             \
    typedef PFN_##name##_v##version PFN_##name;
SIMT_ENTRY(cuDeviceGet, 2000)
SIMT_ENTRY(cuDeviceGetAttribute, 2000)
SIMT_ENTRY(cuDriverGetVersion, 2020)
SIMT_ENTRY(cuGetErrorName, 6000)
SIMT_ENTRY(cuGetErrorString, 6000)
SIMT_ENTRY(cuInit, 2000)
SIMT_ENTRY(cuLaunchKernelEx, 11060)
SIMT_ENTRY(cuTensorMapEncodeTiled, 12000)
SIMT_ENTRY(cuTensorMapReplaceAddress, 12000)
typedef __typeof__(&cuLaunchKernel) PFN_cuLaunchKernel_v4000;
typedef PFN_cuLaunchKernel_v4000 PFN_cuLaunchKernel;
#undef SIMT_ENTRY

#endif
