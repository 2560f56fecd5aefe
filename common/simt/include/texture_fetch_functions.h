/* texture_fetch_functions.h - a name that programs include; cuda_runtime.h has it already. */
#include "cuda_runtime.h"
