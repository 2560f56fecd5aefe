/* cublas_matrix.c - cuBLAS levels 2 and 3 but for gemm: matrices with vectors, triangles, sums. */
#include "libraries/cublas.h"

#define SCALAR(name) .name = cublas_take_scalar(handle, name, TYPE)

#define ROUTINES                  "libraries/cublas_matrix.def"
#define FUNCTION_OF(letter, name) cublas##letter##name
#define TITLE_OF                  "cublas"
#include "libraries/twice.def"
