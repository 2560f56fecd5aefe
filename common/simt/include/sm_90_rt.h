/* sm_90_rt.h - a name that programs include; cuda_runtime.h has its contents. */
#ifndef SIMT_SM_90_RT_H
#define SIMT_SM_90_RT_H

#include "cuda_runtime.h"

#endif
