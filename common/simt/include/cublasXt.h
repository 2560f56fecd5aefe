/* cublasXt.h - cuBLASXt for clang: products of matrices that lie on the host. Written to NVIDIA's
 * public documentation of cuBLAS 13. */
#ifndef SIMT_CUBLASXT_H
#define SIMT_CUBLASXT_H

#include "cublas_v2.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cublasXtContext *cublasXtHandle_t;
typedef enum {
    CUBLASXT_PINNING_DISABLED = 0,
    CUBLASXT_PINNING_ENABLED = 1
} cublasXtPinnedMemMode_t;

cublasStatus_t cublasXtCreate(cublasXtHandle_t *handle);
cublasStatus_t cublasXtDestroy(cublasXtHandle_t handle);
cublasStatus_t cublasXtDeviceSelect(cublasXtHandle_t handle, int count, int devices[]);
cublasStatus_t cublasXtSetBlockDim(cublasXtHandle_t handle, int block);
cublasStatus_t cublasXtGetBlockDim(cublasXtHandle_t handle, int *block);
cublasStatus_t cublasXtSetPinningMemMode(cublasXtHandle_t handle, cublasXtPinnedMemMode_t mode);
cublasStatus_t cublasXtGetPinningMemMode(cublasXtHandle_t handle, cublasXtPinnedMemMode_t *mode);

#define SIMT_PRODUCT(X, T)                                                                         \
    cublasStatus_t cublasXt##X##gemm(cublasXtHandle_t handle, cublasOperation_t transa,            \
                                     cublasOperation_t transb, size_t m, size_t n, size_t k,       \
                                     const T *alpha, const T *A, size_t lda, const T *B,           \
                                     size_t ldb, const T *beta, T *C, size_t ldc);
SIMT_PRODUCT(S, float)
SIMT_PRODUCT(D, double)
#undef SIMT_PRODUCT

#ifdef __cplusplus
}
#endif

#endif
