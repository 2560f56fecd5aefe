/* device_launch_parameters.h - threadIdx, blockIdx ...: cuda_runtime.h has them. */
#ifndef SIMT_DEVICE_LAUNCH_PARAMETERS_H
#define SIMT_DEVICE_LAUNCH_PARAMETERS_H

#include "cuda_runtime.h"

#endif
