/* sm_60_atomic_functions.h - a name that programs include; cuda_runtime.h has its contents. */
#ifndef SIMT_SM_60_ATOMIC_FUNCTIONS_H
#define SIMT_SM_60_ATOMIC_FUNCTIONS_H

#include "cuda_runtime.h"

#endif
