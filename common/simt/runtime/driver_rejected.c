/* driver_rejected.c - the functions of the driver API that the simulator lacks. */
#include "runtime/driver.h"

static CUresult rejected(const char *call, const char *text)
{
    return driver_reject(CUDA_ERROR_NOT_SUPPORTED, call, "%s", text);
}

#define REJECTED_LIST "runtime/driver_rejected.def"
#define REJECTED_CODE CUresult
#include "runtime/rejected.h"
