/* device_limits.h - the limits of a CUDA device that is present, in the form of a GPU profile.
 *
 * Lessons take peaks from here ("% of peak"), step06 everything. On the simulator the device is the
 * profile of SIMT_GPU, so the same call answers for it. */
#ifndef COMMON_DEVICE_LIMITS_H
#define COMMON_DEVICE_LIMITS_H

#include "gpu/gpu_limits.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Asks the CUDA runtime (cudaDeviceGetAttribute: CUDA 13 removed the clocks from cudaDeviceProp);
 * what no attribute has comes from the compute capability, the data sheet's bandwidth from the
 * profile of the same name. Exits with 2 if there is no such device. */
void device_limits(int device, struct gpu_limits *out);

#ifdef __cplusplus
}
#endif

#endif
