/* cudart_error.c - the names and texts of CUDA's errors. */
#include "machine/cuda_errors.h"
#include "runtime/cudart.h"

const char *cudaGetErrorName(cudaError_t error) { return cuda_error_name((int)error); }

const char *cudaGetErrorString(cudaError_t error) { return cuda_error_text((int)error); }
