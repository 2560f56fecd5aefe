/* cudart_rejected.c - the functions of the CUDA runtime that the simulator lacks. */
#include "runtime/cudart.h"

static cudaError_t rejected(const char *call, const char *text)
{
    return cuda_error_saying(cudaErrorNotSupported, call, "%s", text);
}

#define REJECTED_LIST "runtime/cudart_rejected.def"
#define REJECTED_CODE cudaError_t
#include "runtime/rejected.h"
