/* cuda_device_runtime_api.h - a name that programs include; cuda_runtime_api.h has its contents. */
#ifndef SIMT_CUDA_DEVICE_RUNTIME_API_H
#define SIMT_CUDA_DEVICE_RUNTIME_API_H

#include "cuda_runtime_api.h"

#endif
