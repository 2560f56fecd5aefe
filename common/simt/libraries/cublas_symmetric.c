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

#define ROUTINES                  "libraries/cublas_symmetric.def"
#define FUNCTION_OF(letter, name) cublas##letter##name##_v2
#define TITLE_OF                  "cublas"
#include "libraries/twice.def"
