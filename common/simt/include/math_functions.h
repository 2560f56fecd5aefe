/* math_functions.h - a name that programs include; cuda_runtime.h has its contents. */
#ifndef SIMT_MATH_FUNCTIONS_H
#define SIMT_MATH_FUNCTIONS_H

#include "cuda_runtime.h"

#endif
