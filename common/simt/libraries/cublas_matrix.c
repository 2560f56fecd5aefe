/* cublas_matrix.c - cuBLAS levels 2 and 3 but for gemm: matrices with vectors, triangles, sums. */
#include "libraries/cublas.h"

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
