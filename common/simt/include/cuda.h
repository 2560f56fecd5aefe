/* cuda.h - of the driver API only what programs that use the runtime take from this header: its
 * version. The simulator implements the runtime API. */
#ifndef SIMT_CUDA_H
#define SIMT_CUDA_H

#include "cuda_runtime_api.h"

#define CUDA_VERSION CUDART_VERSION

#endif
