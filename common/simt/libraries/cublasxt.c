/* cublasxt.c - cuBLASXt: products of matrices of the host's, which go to the device and back. The
 * blocks and devices that a program chooses are remembered; one device makes the whole product. */

#include "base/handles.h"
#include "libraries/objects.h"

#include "include/cublasXt.h"

struct cublasXtContext {
    struct handle handle;
    cublasHandle_t blas;
    int block;
    cublasXtPinnedMemMode_t pinning;
};

static struct handle_pool contexts = HANDLE_POOL(struct cublasXtContext);

static bool is_live(cublasXtHandle_t handle)
{
    return handle != NULL && handle_is_live(&contexts, handle);
}

cublasStatus_t cublasXtCreate(cublasXtHandle_t *handle)
{
    enum { USUAL_BLOCK = 2048 };
    cublasHandle_t blas;
    const cublasStatus_t status =
        handle == NULL ? CUBLAS_STATUS_INVALID_VALUE : cublasCreate_v2(&blas);
    if (status == CUBLAS_STATUS_SUCCESS) {
        *handle = handle_create(&contexts);
        (*handle)->blas = blas;
        (*handle)->block = USUAL_BLOCK;
    }
    return status;
}

cublasStatus_t cublasXtDestroy(cublasXtHandle_t handle)
{
    if (!is_live(handle)) {
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    const cublasStatus_t status = cublasDestroy_v2(handle->blas);
    handle_destroy(&contexts, handle);
    return status;
}

cublasStatus_t cublasXtDeviceSelect(cublasXtHandle_t handle, int count, int devices[])
{
    int there = 0;
    if (!is_live(handle)) {
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    cudaGetDeviceCount(&there);
    bool good = count > 0 && devices != NULL;
    for (int i = 0; good && i < count; i++) {
        good = devices[i] >= 0 && devices[i] < there;
    }
    return good ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t cublasXtSetBlockDim(cublasXtHandle_t handle, int block)
{
    if (!is_live(handle)) {
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    handle->block = block > 0 ? block : handle->block;
    return block > 0 ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

LIBRARY_GET(cublas, CUBLAS, is_live, cublasXtHandle_t, cublasXtGetBlockDim, int, block)
LIBRARY_VALUE(cublas, CUBLAS, is_live, cublasXtHandle_t, cublasXtSetPinningMemMode,
              cublasXtGetPinningMemMode, cublasXtPinnedMemMode_t, pinning)

/* ---- products -------------------------------------------------------------------------------- */

/* A matrix of the caller's and its copy on the device, whose columns lie one behind the other. */
struct copied {
    const void *host;
    void *device;
    size_t rows, columns, leading, size; /* size: of an element, in bytes */
};

static bool bring(struct copied *m, bool with_values)
{
    const size_t column = m->rows * m->size;
    return m->leading >= m->rows && cudaMalloc(&m->device, column * m->columns) == cudaSuccess &&
           (!with_values || cudaMemcpy2D(m->device, column, m->host, m->leading * m->size, column,
                                         m->columns, cudaMemcpyDefault) == cudaSuccess);
}

static bool take_back(const struct copied *m, void *to)
{
    const size_t column = m->rows * m->size;
    return cudaMemcpy2D(to, m->leading * m->size, m->device, column, column, m->columns,
                        cudaMemcpyDefault) == cudaSuccess;
}

static struct copied factor(cublasOperation_t op, const void *at, size_t rows, size_t columns,
                            size_t leading, size_t size)
{
    const bool straight = op == CUBLAS_OP_N;
    return (struct copied){at,      NULL, straight ? rows : columns, straight ? columns : rows,
                           leading, size};
}

#define PRODUCT(X, T)                                                                              \
    cublasStatus_t cublasXt##X##gemm(cublasXtHandle_t handle, cublasOperation_t transa,            \
                                     cublasOperation_t transb, size_t m, size_t n, size_t k,       \
                                     const T *alpha, const T *A, size_t lda, const T *B,           \
                                     size_t ldb, const T *beta, T *C, size_t ldc)                  \
    {                                                                                              \
        if (!is_live(handle)) {                                                                    \
            return CUBLAS_STATUS_NOT_INITIALIZED;                                                  \
        }                                                                                          \
        struct copied a = factor(transa, A, m, k, lda, sizeof(T));                                 \
        struct copied b = factor(transb, B, k, n, ldb, sizeof(T));                                 \
        struct copied c = factor(CUBLAS_OP_N, C, m, n, ldc, sizeof(T));                            \
        cublasStatus_t status = CUBLAS_STATUS_INVALID_VALUE;                                       \
        if (bring(&a, true) && bring(&b, true) && bring(&c, *beta != 0)) {                         \
            status = cublas##X##gemm_v2(handle->blas, transa, transb, (int)m, (int)n, (int)k,      \
                                        alpha, a.device, (int)a.rows, b.device, (int)b.rows, beta, \
                                        c.device, (int)m);                                         \
        }                                                                                          \
        if (status == CUBLAS_STATUS_SUCCESS && !take_back(&c, C)) {                                \
            status = CUBLAS_STATUS_EXECUTION_FAILED;                                               \
        }                                                                                          \
        cudaFree(a.device);                                                                        \
        cudaFree(b.device);                                                                        \
        cudaFree(c.device);                                                                        \
        return status;                                                                             \
    }
PRODUCT(S, float)
PRODUCT(D, double)
