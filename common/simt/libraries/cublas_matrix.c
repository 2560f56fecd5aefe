/* cublas_matrix.c - cuBLAS levels 2 and 3 but for gemm: matrices with vectors, triangles, sums. */
#include "libraries/cublas.h"

struct leading {
    const char *what;
    int64_t leading;
    int rows;
};

static cublasStatus_t run(cublasHandle_t handle, const struct cublas_work *w,
                          simt_library_step step, const struct leading *leading, unsigned count)
{
    cublasStatus_t status = cublas_check(handle, w);
    for (unsigned i = 0; status == CUBLAS_STATUS_SUCCESS && i < count; i++) {
        status = cublas_check_leading(w, leading[i].what, leading[i].leading, leading[i].rows);
    }
    return status == CUBLAS_STATUS_SUCCESS ? cublas_run(handle, w, step, false) : status;
}

#define SCALAR(name) .name = cublas_take_scalar(handle, name, TYPE)

#define REAL           float
#define TYPE           CUDA_R_32F
#define NAME(name)     name##_float
#define FUNCTION(name) cublasS##name
#define TITLE(name)    "cublasS" name
#include "libraries/cublas_matrix.def"
#undef REAL
#undef TYPE
#undef NAME
#undef FUNCTION
#undef TITLE

#define REAL           double
#define TYPE           CUDA_R_64F
#define NAME(name)     name##_double
#define FUNCTION(name) cublasD##name
#define TITLE(name)    "cublasD" name
#include "libraries/cublas_matrix.def"
