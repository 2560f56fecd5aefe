/* cublas_factor.c - LU factors of many small matrices with row pivots, and inverses from them. */
#include "libraries/cublas.h"

#include <stdlib.h>

#include "base/room.h"
#include "libraries/dense.h"

/* ---- one matrix, in numbers ------------------------------------------------------------------ */

static double *load_matrix(const struct cublas_work *w, const void *from, int64_t leading)
{
    const int64_t n = w->n;
    double *a = room_raw((size_t)(n * n + 1), sizeof *a);
    for (int64_t j = 0; j < n; j++) {
        for (int64_t i = 0; i < n; i++) {
            a[i + j * n] = element_load(w->a_type, from, i + j * leading);
        }
    }
    return a;
}

static void store_matrix(const struct cublas_work *w, const double *a, void *to, int64_t leading)
{
    const int64_t n = w->n;
    for (int64_t j = 0; j < n; j++) {
        for (int64_t i = 0; i < n; i++) {
            element_store(w->a_type, to, i + j * leading, a[i + j * n]);
        }
    }
}

/* ---- many matrices --------------------------------------------------------------------------- */

static void *matrix_in(struct simt_library *l, const struct cublas_work *w, void *const *array,
                       int i, int64_t leading, enum simt_library_use use)
{
    const uint64_t size = element_size(w->a_type);
    return simt_library_box(l, "matrix of the array", array[i], (uint64_t)w->n * size,
                            (uint64_t)w->n, (uint64_t)leading * size, use);
}

static bool factor_all(struct simt_library *l, const void *state)
{
    const struct cublas_work *w = state;
    const uint64_t batch = (uint64_t)w->batch, n = (uint64_t)w->n;
    void *const *array = simt_library_line(l, "array of matrices", w->a, batch * 8, LIBRARY_READS);
    int *info = array != NULL
                    ? simt_library_line(l, "array of infos", w->info, batch * 4, LIBRARY_WRITES)
                    : NULL;
    int *pivots = info != NULL && w->b != NULL
                      ? simt_library_line(l, "array of pivots", w->b, batch * n * 4, LIBRARY_WRITES)
                      : NULL;
    bool good = info != NULL && (pivots != NULL || w->b == NULL);
    for (int i = 0; good && i < w->batch; i++) {
        void *at = matrix_in(l, w, array, i, w->lda, LIBRARY_READS_AND_WRITES);
        good = at != NULL;
        if (good) {
            double *a = load_matrix(w, at, w->lda);
            info[i] = dense_lu(a, w->n, w->n, pivots != NULL ? pivots + (uint64_t)i * n : NULL);
            store_matrix(w, a, at, w->lda);
            free(a);
        }
    }
    return good;
}

static int invert(const struct cublas_work *w, const void *from, void *to, const int *pivots)
{
    const int64_t n = w->n;
    double *lu = load_matrix(w, from, w->lda);
    double *inverse = room_new((size_t)(n * n + 1), sizeof *inverse);
    int singular = 0;
    for (int64_t i = 0; i < n && singular == 0; i++) {
        singular = lu[i + i * n] == 0 ? (int)i + 1 : 0;
    }
    for (int64_t j = 0; j < n && singular == 0; j++) {
        inverse[j + j * n] = 1;
    }
    if (singular == 0) {
        dense_lu_solve(lu, n, pivots, false, inverse, n);
        store_matrix(w, inverse, to, w->ldc);
    }
    free(lu);
    free(inverse);
    return singular;
}

static bool invert_all(struct simt_library *l, const void *state)
{
    const struct cublas_work *w = state;
    const uint64_t batch = (uint64_t)w->batch, n = (uint64_t)w->n;
    void *const *from = simt_library_line(l, "array of factors", w->a, batch * 8, LIBRARY_READS);
    void *const *to =
        from != NULL ? simt_library_line(l, "array of inverses", w->c, batch * 8, LIBRARY_READS)
                     : NULL;
    int *info = to != NULL
                    ? simt_library_line(l, "array of infos", w->info, batch * 4, LIBRARY_WRITES)
                    : NULL;
    const int *pivots =
        info != NULL && w->b != NULL
            ? simt_library_line(l, "array of pivots", w->b, batch * n * 4, LIBRARY_READS)
            : NULL;
    bool good = info != NULL && (pivots != NULL || w->b == NULL);
    for (int i = 0; good && i < w->batch; i++) {
        const void *a = matrix_in(l, w, from, i, w->lda, LIBRARY_READS);
        void *c = a != NULL ? matrix_in(l, w, to, i, w->ldc, LIBRARY_WRITES) : NULL;
        good = c != NULL;
        if (good) {
            info[i] = invert(w, a, c, pivots != NULL ? pivots + (uint64_t)i * n : NULL);
        }
    }
    return good;
}

/* ---- the calls ------------------------------------------------------------------------------- */

static cublasStatus_t run(cublasHandle_t handle, const struct cublas_work *w,
                          simt_library_step step)
{
    cublasStatus_t status = cublas_check(handle, w);
    if (status == CUBLAS_STATUS_SUCCESS) {
        status = cublas_check_leading(w, "lda", w->lda, w->n);
    }
    return status == CUBLAS_STATUS_SUCCESS && w->n > 0 && w->batch > 0
               ? cublas_run(handle, w, step, false)
               : status;
}

#define FACTORS(X, T, type)                                                                        \
    cublasStatus_t cublas##X##getrfBatched(cublasHandle_t handle, int n, T *const A[], int lda,    \
                                           int *P, int *info, int batchSize)                       \
    {                                                                                              \
        const struct cublas_work w = {.name = "cublas" #X "getrfBatched",                          \
                                      .n = n,                                                      \
                                      .a = A,                                                      \
                                      .a_type = type,                                              \
                                      .lda = lda,                                                  \
                                      .b = P,                                                      \
                                      .info = info,                                                \
                                      .batch = batchSize};                                         \
        return run(handle, &w, factor_all);                                                        \
    }                                                                                              \
    cublasStatus_t cublas##X##getriBatched(cublasHandle_t handle, int n, const T *const A[],       \
                                           int lda, const int *P, T *const C[], int ldc,           \
                                           int *info, int batchSize)                               \
    {                                                                                              \
        const struct cublas_work w = {.name = "cublas" #X "getriBatched",                          \
                                      .n = n,                                                      \
                                      .a = A,                                                      \
                                      .a_type = type,                                              \
                                      .lda = lda,                                                  \
                                      .b = P,                                                      \
                                      .c = (void *)(uintptr_t)C,                                   \
                                      .ldc = ldc,                                                  \
                                      .info = info,                                                \
                                      .batch = batchSize};                                         \
        return run(handle, &w, invert_all);                                                        \
    }
FACTORS(S, float, CUDA_R_32F)
FACTORS(D, double, CUDA_R_64F)
