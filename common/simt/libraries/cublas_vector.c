/* cublas_vector.c - cuBLAS level 1: vectors of floats and of doubles. */
#include "libraries/cublas.h"

#include <math.h>

static cublasStatus_t run_vector(cublasHandle_t handle, const struct cublas_work *w,
                                 simt_library_step step)
{
    const cublasStatus_t status = cublas_check(handle, w);
    return status == CUBLAS_STATUS_SUCCESS ? cublas_run(handle, w, step, false) : status;
}

static cublasStatus_t run_reduction(cublasHandle_t handle, const struct cublas_work *w,
                                    simt_library_step step)
{
    const cublasStatus_t status = cublas_check(handle, w);
    return status == CUBLAS_STATUS_SUCCESS
               ? cublas_run(handle, w, step, cublas_result_is_hosts(handle))
               : status;
}

#define REAL                 float
#define TYPE                 CUDA_R_32F
#define NAME(name)           name##_float
#define FUNCTION(name)       cublasS##name##_v2
#define INDEX_FUNCTION(name) cublasIs##name##_v2
#define TITLE(name)          "cublasS" name
#define INDEX_TITLE(name)    "cublasIs" name
#include "libraries/cublas_vector.def"
#undef REAL
#undef TYPE
#undef NAME
#undef FUNCTION
#undef INDEX_FUNCTION
#undef TITLE
#undef INDEX_TITLE

#define REAL                 double
#define TYPE                 CUDA_R_64F
#define NAME(name)           name##_double
#define FUNCTION(name)       cublasD##name##_v2
#define INDEX_FUNCTION(name) cublasId##name##_v2
#define TITLE(name)          "cublasD" name
#define INDEX_TITLE(name)    "cublasId" name
#include "libraries/cublas_vector.def"
