/* sm_32_intrinsics.h - a name that programs include; cuda_runtime.h has its contents. */
#ifndef SIMT_SM_32_INTRINSICS_H
#define SIMT_SM_32_INTRINSICS_H

#include "cuda_runtime.h"

#endif
