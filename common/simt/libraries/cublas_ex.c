/* cublas_ex.c - cuBLAS level 1 for elements of any type that we have: what is named ...Ex. Sums are
 * made in double. */
#include "libraries/cublas.h"

#include <math.h>

static void *vector(struct simt_library *l, const char *role, const void *x,
                    const struct cublas_work *w, int64_t increment, cudaDataType type,
                    enum simt_library_use use)
{
    return cublas_vector(l, role, x, w->n, increment, element_size(type), use);
}

static bool dot(struct simt_library *l, const void *state)
{
    const struct cublas_work *w = state;
    double sum = 0;
    const void *x = vector(l, "vector x", w->a, w, w->lda, w->a_type, LIBRARY_READS);
    const void *y =
        x != NULL ? vector(l, "vector y", w->b, w, w->ldb, w->b_type, LIBRARY_READS) : NULL;
    void *result = y != NULL ? simt_library_result(l, "result", w->result, element_size(w->c_type),
                                                   LIBRARY_WRITES)
                             : NULL;
    for (int64_t i = 0; result != NULL && i < w->n; i++) {
        sum += element_load(w->a_type, x, i * w->lda) * element_load(w->b_type, y, i * w->ldb);
    }
    if (result != NULL) {
        element_store(w->c_type, result, 0, sum);
    }
    return result != NULL;
}

static bool norm(struct simt_library *l, const void *state)
{
    const struct cublas_work *w = state;
    double sum = 0, largest = 0;
    const void *x = vector(l, "vector x", w->a, w, w->lda, w->a_type, LIBRARY_READS);
    void *result = x != NULL ? simt_library_result(l, "result", w->result, element_size(w->c_type),
                                                   LIBRARY_WRITES)
                             : NULL;
    if (result == NULL) {
        return false;
    }
    for (int64_t i = 0; i < w->n; i++) {
        largest = fmax(largest, fabs(element_load(w->a_type, x, i * w->lda)));
    }
    /* Scaled, so that squares neither overflow nor vanish. */
    const double scale = largest > 0 && isfinite(largest) ? largest : 1;
    for (int64_t i = 0; i < w->n; i++) {
        const double value = element_load(w->a_type, x, i * w->lda) / scale;
        sum += value * value;
    }
    element_store(w->c_type, result, 0, scale * sqrt(sum));
    return true;
}

static bool axpy(struct simt_library *l, const void *state)
{
    const struct cublas_work *w = state;
    double alpha;
    const void *x = vector(l, "vector x", w->a, w, w->lda, w->a_type, LIBRARY_READS);
    void *y = x != NULL
                  ? vector(l, "vector y", w->c, w, w->ldc, w->c_type, LIBRARY_READS_AND_WRITES)
                  : NULL;
    if (y == NULL || !cublas_read_scalar(l, &w->alpha, "scalar alpha", &alpha)) {
        return false;
    }
    for (int64_t i = 0; i < w->n; i++) {
        const double sum =
            alpha * element_load(w->a_type, x, i * w->lda) + element_load(w->c_type, y, i * w->ldc);
        element_store(w->c_type, y, i * w->ldc, sum);
    }
    return true;
}

static bool scale(struct simt_library *l, const void *state)
{
    const struct cublas_work *w = state;
    double alpha;
    void *x = vector(l, "vector x", w->c, w, w->ldc, w->c_type, LIBRARY_READS_AND_WRITES);
    if (x == NULL || !cublas_read_scalar(l, &w->alpha, "scalar alpha", &alpha)) {
        return false;
    }
    for (int64_t i = 0; i < w->n; i++) {
        element_store(w->c_type, x, i * w->ldc, alpha * element_load(w->c_type, x, i * w->ldc));
    }
    return true;
}

/* What the documentation's tables have in common: all elements are of one type, and what is
 * computed with, scalars too, is float for narrow ones and that type else. Unused types are those
 * of used ones. */
static bool is_supported(const struct cublas_work *w, cudaDataType computed)
{
    const cudaDataType type = w->c_type;
    const bool narrow = type == CUDA_R_16F || type == CUDA_R_16BF;
    return w->a_type == type && w->b_type == type && w->alpha.type == computed &&
           (narrow ? computed == CUDA_R_32F
                   : (type == CUDA_R_32F || type == CUDA_R_64F) && computed == type);
}

static cublasStatus_t run(cublasHandle_t handle, const struct cublas_work *w, cudaDataType computed,
                          simt_library_step step)
{
    const cublasStatus_t status = cublas_check(handle, w);
    if (status != CUBLAS_STATUS_SUCCESS) {
        return status;
    }
    if (!is_supported(w, computed)) {
        simt_library_say(w->name,
                         "all vectors are of one type, and are computed with as that type, "
                         "half and bfloat16 as CUDA_R_32F");
        return CUBLAS_STATUS_NOT_SUPPORTED;
    }
    return cublas_run(handle, w, step, w->result != NULL && cublas_result_is_hosts(handle));
}

/* The conjugate of a real number, which cublasDotcEx takes, is the number. */
#define DOT(function)                                                                              \
    cublasStatus_t function(SIMT_CUBLAS_DOT)                                                       \
    {                                                                                              \
        const struct cublas_work w = {.name = #function,                                           \
                                      .n = n,                                                      \
                                      .a = x,                                                      \
                                      .a_type = xType,                                             \
                                      .lda = incx,                                                 \
                                      .b = y,                                                      \
                                      .b_type = yType,                                             \
                                      .ldb = incy,                                                 \
                                      .result = result,                                            \
                                      .c_type = resultType,                                        \
                                      .alpha = {.type = executionType}};                           \
        return run(handle, &w, executionType, dot);                                                \
    }
DOT(cublasDotEx)
DOT(cublasDotcEx)

cublasStatus_t cublasNrm2Ex(cublasHandle_t handle, int n, const void *x, cudaDataType xType,
                            int incx, void *result, cudaDataType resultType,
                            cudaDataType executionType)
{
    const struct cublas_work w = {.name = "cublasNrm2Ex",
                                  .n = n,
                                  .a = x,
                                  .a_type = xType,
                                  .lda = incx,
                                  .b_type = xType,
                                  .result = result,
                                  .c_type = resultType,
                                  .alpha = {.type = executionType}};
    return run(handle, &w, executionType, norm);
}

cublasStatus_t cublasAxpyEx(cublasHandle_t handle, int n, const void *alpha, cudaDataType alphaType,
                            const void *x, cudaDataType xType, int incx, void *y,
                            cudaDataType yType, int incy, cudaDataType executionType)
{
    const struct cublas_work w = {.name = "cublasAxpyEx",
                                  .n = n,
                                  .a = x,
                                  .a_type = xType,
                                  .lda = incx,
                                  .b_type = xType,
                                  .c = y,
                                  .c_type = yType,
                                  .ldc = incy,
                                  .alpha = cublas_take_scalar(handle, alpha, alphaType)};
    return run(handle, &w, executionType, axpy);
}

cublasStatus_t cublasScalEx(cublasHandle_t handle, int n, const void *alpha, cudaDataType alphaType,
                            void *x, cudaDataType xType, int incx, cudaDataType executionType)
{
    const struct cublas_work w = {.name = "cublasScalEx",
                                  .n = n,
                                  .a_type = xType,
                                  .b_type = xType,
                                  .c = x,
                                  .c_type = xType,
                                  .ldc = incx,
                                  .alpha = cublas_take_scalar(handle, alpha, alphaType)};
    return run(handle, &w, executionType, scale);
}
