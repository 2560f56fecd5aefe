/* cublas_symmetric.c - cuBLAS levels 2 and 3: products with triangles and symmetric matrices. */
#include "libraries/cublas.h"

#include <stdlib.h>

#include "base/room.h"

/* Is that element in the triangle that is stored? */
static bool stores(const struct cublas_work *w, int64_t row, int64_t column)
{
    return w->uplo == CUBLAS_FILL_MODE_UPPER ? row <= column : row >= column;
}

#define SCALAR(name) .name = cublas_take_scalar(handle, name, TYPE)

#define REAL           float
#define TYPE           CUDA_R_32F
#define NAME(name)     name##_float
#define FUNCTION(name) cublasS##name##_v2
#define TITLE(name)    "cublasS" name
#include "libraries/cublas_symmetric.def"
#undef REAL
#undef TYPE
#undef NAME
#undef FUNCTION
#undef TITLE

#define REAL           double
#define TYPE           CUDA_R_64F
#define NAME(name)     name##_double
#define FUNCTION(name) cublasD##name##_v2
#define TITLE(name)    "cublasD" name
#include "libraries/cublas_symmetric.def"
