/* cublas_v2.h - what the simulator has of cuBLAS, in C and C++ (simtcc -lcublas). Names, arguments
 * and meanings are those of the "cuBLAS" reference, version 13: matrices lie column by column, and
 * scalars are read where cublasSetPointerMode() says. */
#ifndef SIMT_CUBLAS_V2_H
#define SIMT_CUBLAS_V2_H
#define CUBLAS_V2_H_
#define CUBLAS_API_H_ /* programs ask for these two */

#include <stddef.h>
#include <stdint.h>

#include "cuComplex.h"
#include "cuda_runtime_api.h"
#include "library_types.h"
#ifdef __cplusplus
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#else
typedef uint16_t __half;
#endif

/* Each status with its value and what cublasGetStatusString() says. */
#define SIMT_CUBLAS_STATUSES(STATUS)                                                               \
    STATUS(CUBLAS_STATUS_SUCCESS, 0, "success")                                                    \
    STATUS(CUBLAS_STATUS_NOT_INITIALIZED, 1, "the library was not initialized")                    \
    STATUS(CUBLAS_STATUS_ALLOC_FAILED, 3, "the resource allocation failed")                        \
    STATUS(CUBLAS_STATUS_INVALID_VALUE, 7,                                                         \
           "an unsupported value or parameter was passed to the function")                         \
    STATUS(CUBLAS_STATUS_ARCH_MISMATCH, 8,                                                         \
           "the function requires a feature absent from the device")                               \
    STATUS(CUBLAS_STATUS_MAPPING_ERROR, 11, "an access to GPU memory space failed")                \
    STATUS(CUBLAS_STATUS_EXECUTION_FAILED, 13, "the GPU program failed to execute")                \
    STATUS(CUBLAS_STATUS_INTERNAL_ERROR, 14, "an internal operation failed")                       \
    STATUS(CUBLAS_STATUS_NOT_SUPPORTED, 15, "the functionality requested is not supported")        \
    STATUS(CUBLAS_STATUS_LICENSE_ERROR, 16, "the functionality requested requires a license")
#define SIMT_STATUS(name, value, text) name = value,
typedef enum { SIMT_CUBLAS_STATUSES(SIMT_STATUS) } cublasStatus_t;
#undef SIMT_STATUS
typedef enum {
    CUBLAS_FILL_MODE_LOWER = 0,
    CUBLAS_FILL_MODE_UPPER = 1,
    CUBLAS_FILL_MODE_FULL = 2
} cublasFillMode_t;
typedef enum { CUBLAS_DIAG_NON_UNIT = 0, CUBLAS_DIAG_UNIT = 1 } cublasDiagType_t;
typedef enum { CUBLAS_SIDE_LEFT = 0, CUBLAS_SIDE_RIGHT = 1 } cublasSideMode_t;
typedef enum {
    CUBLAS_OP_N = 0,
    CUBLAS_OP_T = 1,
    CUBLAS_OP_C = 2,
    CUBLAS_OP_HERMITAN = 2,
    CUBLAS_OP_CONJG = 3
} cublasOperation_t;
typedef enum { CUBLAS_POINTER_MODE_HOST = 0, CUBLAS_POINTER_MODE_DEVICE = 1 } cublasPointerMode_t;
typedef enum { CUBLAS_ATOMICS_NOT_ALLOWED = 0, CUBLAS_ATOMICS_ALLOWED = 1 } cublasAtomicsMode_t;
typedef enum {
    CUBLAS_DEFAULT_MATH = 0,
    CUBLAS_TENSOR_OP_MATH = 1,
    CUBLAS_PEDANTIC_MATH = 2,
    CUBLAS_TF32_TENSOR_OP_MATH = 3,
    CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16
} cublasMath_t;
typedef enum {
    CUBLAS_COMPUTE_16F = 64,
    CUBLAS_COMPUTE_16F_PEDANTIC = 65,
    CUBLAS_COMPUTE_32F = 68,
    CUBLAS_COMPUTE_32F_PEDANTIC = 69,
    CUBLAS_COMPUTE_32F_FAST_16F = 74,
    CUBLAS_COMPUTE_32F_FAST_16BF = 75,
    CUBLAS_COMPUTE_32F_FAST_TF32 = 77,
    CUBLAS_COMPUTE_64F = 70,
    CUBLAS_COMPUTE_64F_PEDANTIC = 71,
    CUBLAS_COMPUTE_32I = 72,
    CUBLAS_COMPUTE_32I_PEDANTIC = 73
} cublasComputeType_t;
/* All mean the same here. */
typedef enum {
    CUBLAS_GEMM_DFALT = -1,
    CUBLAS_GEMM_DEFAULT = -1,
    CUBLAS_GEMM_ALGO0 = 0,
    CUBLAS_GEMM_ALGO1 = 1,
    CUBLAS_GEMM_ALGO2 = 2,
    CUBLAS_GEMM_ALGO3 = 3,
    CUBLAS_GEMM_ALGO4 = 4,
    CUBLAS_GEMM_ALGO5 = 5,
    CUBLAS_GEMM_ALGO6 = 6,
    CUBLAS_GEMM_ALGO7 = 7,
    CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99,
    CUBLAS_GEMM_DFALT_TENSOR_OP = 99,
    CUBLAS_GEMM_ALGO0_TENSOR_OP = 100
} cublasGemmAlgo_t;

typedef cudaDataType cublasDataType_t;
struct cublasContext;
typedef struct cublasContext *cublasHandle_t;

#define CUBLAS_VER_MAJOR 13
#define CUBLAS_VER_MINOR 0
#define CUBLAS_VERSION   130000

#ifdef __cplusplus
extern "C" {
#endif

cublasStatus_t cublasCreate_v2(cublasHandle_t *handle);
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle);
cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int *version);
cublasStatus_t cublasGetProperty(libraryPropertyType type, int *value);
size_t cublasGetCudartVersion(void);
const char *cublasGetStatusName(cublasStatus_t status);
const char *cublasGetStatusString(cublasStatus_t status);
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void *workspace, size_t bytes);
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream);
cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t *stream);
cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode);
cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t *mode);
cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t mode);
cublasStatus_t cublasGetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t *mode);
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode);
cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t *mode);
cublasStatus_t cublasSetVector(int n, int elemSize, const void *x, int incx, void *devicePtr,
                               int incy);
cublasStatus_t cublasGetVector(int n, int elemSize, const void *x, int incx, void *y, int incy);
cublasStatus_t cublasSetMatrix(int rows, int cols, int elemSize, const void *A, int lda, void *B,
                               int ldb);
cublasStatus_t cublasGetMatrix(int rows, int cols, int elemSize, const void *A, int lda, void *B,
                               int ldb);
cublasStatus_t cublasSetVectorAsync(int n, int elemSize, const void *hostPtr, int incx,
                                    void *devicePtr, int incy, cudaStream_t stream);
cublasStatus_t cublasGetVectorAsync(int n, int elemSize, const void *devicePtr, int incx,
                                    void *hostPtr, int incy, cudaStream_t stream);
cublasStatus_t cublasSetMatrixAsync(int rows, int cols, int elemSize, const void *A, int lda,
                                    void *B, int ldb, cudaStream_t stream);
cublasStatus_t cublasGetMatrixAsync(int rows, int cols, int elemSize, const void *A, int lda,
                                    void *B, int ldb, cudaStream_t stream);

/* The parameters of the products; libraries/cublas_gemm.c defines the functions with them. */
#define SIMT_CUBLAS_PRODUCT                                                                        \
    cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k
#define SIMT_CUBLAS_GEMM(T)                                                                        \
    SIMT_CUBLAS_PRODUCT, const T *alpha, const T *A, int lda, const T *B, int ldb, const T *beta,  \
        T *C, int ldc
#define SIMT_CUBLAS_GEMM_ARRAYS(T)                                                                 \
    SIMT_CUBLAS_PRODUCT, const T *alpha, const T *const Aarray[], int lda,                         \
        const T *const Barray[], int ldb, const T *beta, T *const Carray[], int ldc,               \
        int batchCount
#define SIMT_CUBLAS_GEMM_STRIDES(T)                                                                \
    SIMT_CUBLAS_PRODUCT, const T *alpha, const T *A, int lda, long long int strideA, const T *B,   \
        int ldb, long long int strideB, const T *beta, T *C, int ldc, long long int strideC,       \
        int batchCount
#define SIMT_CUBLAS_GEMM_EX(T)                                                                     \
    SIMT_CUBLAS_PRODUCT, const T *alpha, const void *A, cudaDataType Atype, int lda,               \
        const void *B, cudaDataType Btype, int ldb, const T *beta, void *C, cudaDataType Ctype,    \
        int ldc

/* Of float (S) and double (D). */
#define SIMT_CUBLAS(X, letter, T)                                                                  \
    cublasStatus_t cublasI##letter##amax_v2(cublasHandle_t handle, int n, const T *x, int incx,    \
                                            int *result);                                          \
    cublasStatus_t cublasI##letter##amin_v2(cublasHandle_t handle, int n, const T *x, int incx,    \
                                            int *result);                                          \
    cublasStatus_t cublas##X##asum_v2(cublasHandle_t handle, int n, const T *x, int incx,          \
                                      T *result);                                                  \
    cublasStatus_t cublas##X##nrm2_v2(cublasHandle_t handle, int n, const T *x, int incx,          \
                                      T *result);                                                  \
    cublasStatus_t cublas##X##dot_v2(cublasHandle_t handle, int n, const T *x, int incx,           \
                                     const T *y, int incy, T *result);                             \
    cublasStatus_t cublas##X##axpy_v2(cublasHandle_t handle, int n, const T *alpha, const T *x,    \
                                      int incx, T *y, int incy);                                   \
    cublasStatus_t cublas##X##scal_v2(cublasHandle_t handle, int n, const T *alpha, T *x,          \
                                      int incx);                                                   \
    cublasStatus_t cublas##X##copy_v2(cublasHandle_t handle, int n, const T *x, int incx, T *y,    \
                                      int incy);                                                   \
    cublasStatus_t cublas##X##swap_v2(cublasHandle_t handle, int n, T *x, int incx, T *y,          \
                                      int incy);                                                   \
    cublasStatus_t cublas##X##rot_v2(cublasHandle_t handle, int n, T *x, int incx, T *y, int incy, \
                                     const T *c, const T *s);                                      \
    cublasStatus_t cublas##X##gemv_v2(cublasHandle_t handle, cublasOperation_t trans, int m,       \
                                      int n, const T *alpha, const T *A, int lda, const T *x,      \
                                      int incx, const T *beta, T *y, int incy);                    \
    cublasStatus_t cublas##X##ger_v2(cublasHandle_t handle, int m, int n, const T *alpha,          \
                                     const T *x, int incx, const T *y, int incy, T *A, int lda);   \
    cublasStatus_t cublas##X##symv_v2(cublasHandle_t handle, cublasFillMode_t uplo, int n,         \
                                      const T *alpha, const T *A, int lda, const T *x, int incx,   \
                                      const T *beta, T *y, int incy);                              \
    cublasStatus_t cublas##X##trsv_v2(cublasHandle_t handle, cublasFillMode_t uplo,                \
                                      cublasOperation_t trans, cublasDiagType_t diag, int n,       \
                                      const T *A, int lda, T *x, int incx);                        \
    cublasStatus_t cublas##X##gemm_v2(SIMT_CUBLAS_GEMM(T));                                        \
    cublasStatus_t cublas##X##syrk_v2(cublasHandle_t handle, cublasFillMode_t uplo,                \
                                      cublasOperation_t trans, int n, int k, const T *alpha,       \
                                      const T *A, int lda, const T *beta, T *C, int ldc);          \
    cublasStatus_t cublas##X##trsm_v2(cublasHandle_t handle, cublasSideMode_t side,                \
                                      cublasFillMode_t uplo, cublasOperation_t trans,              \
                                      cublasDiagType_t diag, int m, int n, const T *alpha,         \
                                      const T *A, int lda, T *B, int ldb);                         \
    cublasStatus_t cublas##X##trmv_v2(cublasHandle_t handle, cublasFillMode_t uplo,                \
                                      cublasOperation_t trans, cublasDiagType_t diag, int n,       \
                                      const T *A, int lda, T *x, int incx);                        \
    cublasStatus_t cublas##X##trmm_v2(cublasHandle_t handle, cublasSideMode_t side,                \
                                      cublasFillMode_t uplo, cublasOperation_t trans,              \
                                      cublasDiagType_t diag, int m, int n, const T *alpha,         \
                                      const T *A, int lda, const T *B, int ldb, T *C, int ldc);    \
    cublasStatus_t cublas##X##symm_v2(                                                             \
        cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, int m, int n,         \
        const T *alpha, const T *A, int lda, const T *B, int ldb, const T *beta, T *C, int ldc);   \
    cublasStatus_t cublas##X##syr_v2(cublasHandle_t handle, cublasFillMode_t uplo, int n,          \
                                     const T *alpha, const T *x, int incx, T *A, int lda);         \
    cublasStatus_t cublas##X##syr2_v2(cublasHandle_t handle, cublasFillMode_t uplo, int n,         \
                                      const T *alpha, const T *x, int incx, const T *y, int incy,  \
                                      T *A, int lda);                                              \
    cublasStatus_t cublas##X##syr2k_v2(                                                            \
        cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k,       \
        const T *alpha, const T *A, int lda, const T *B, int ldb, const T *beta, T *C, int ldc);   \
    cublasStatus_t cublas##X##geam(                                                                \
        cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,   \
        const T *alpha, const T *A, int lda, const T *beta, const T *B, int ldb, T *C, int ldc);   \
    cublasStatus_t cublas##X##dgmm(cublasHandle_t handle, cublasSideMode_t mode, int m, int n,     \
                                   const T *A, int lda, const T *x, int incx, T *C, int ldc);      \
    cublasStatus_t cublas##X##getrfBatched(cublasHandle_t handle, int n, T *const A[], int lda,    \
                                           int *P, int *info, int batchSize);                      \
    cublasStatus_t cublas##X##getriBatched(cublasHandle_t handle, int n, const T *const A[],       \
                                           int lda, const int *P, T *const C[], int ldc,           \
                                           int *info, int batchSize);                              \
    SIMT_CUBLAS_BATCHED(X, T)
#define SIMT_CUBLAS_BATCHED(X, T)                                                                  \
    cublasStatus_t cublas##X##gemmBatched(SIMT_CUBLAS_GEMM_ARRAYS(T));                             \
    cublasStatus_t cublas##X##gemmStridedBatched(SIMT_CUBLAS_GEMM_STRIDES(T));
SIMT_CUBLAS(S, s, float)
SIMT_CUBLAS(D, d, double)
SIMT_CUBLAS_BATCHED(H, __half)
#undef SIMT_CUBLAS
#undef SIMT_CUBLAS_BATCHED

cublasStatus_t cublasHgemm(SIMT_CUBLAS_GEMM(__half));
/* Vectors of any type that we have. */
#define SIMT_CUBLAS_DOT                                                                            \
    cublasHandle_t handle, int n, const void *x, cudaDataType xType, int incx, const void *y,      \
        cudaDataType yType, int incy, void *result, cudaDataType resultType,                       \
        cudaDataType executionType
cublasStatus_t cublasDotEx(SIMT_CUBLAS_DOT);
cublasStatus_t cublasDotcEx(SIMT_CUBLAS_DOT);
cublasStatus_t cublasNrm2Ex(cublasHandle_t handle, int n, const void *x, cudaDataType xType,
                            int incx, void *result, cudaDataType resultType,
                            cudaDataType executionType);
cublasStatus_t cublasAxpyEx(cublasHandle_t handle, int n, const void *alpha, cudaDataType alphaType,
                            const void *x, cudaDataType xType, int incx, void *y,
                            cudaDataType yType, int incy, cudaDataType executionType);
cublasStatus_t cublasScalEx(cublasHandle_t handle, int n, const void *alpha, cudaDataType alphaType,
                            void *x, cudaDataType xType, int incx, cudaDataType executionType);

cublasStatus_t cublasSgemmEx(SIMT_CUBLAS_GEMM_EX(float));
cublasStatus_t cublasGemmEx(SIMT_CUBLAS_GEMM_EX(void), cublasComputeType_t computeType,
                            cublasGemmAlgo_t algo);
cublasStatus_t cublasGemmBatchedEx(SIMT_CUBLAS_PRODUCT, const void *alpha,
                                   const void *const Aarray[], cudaDataType Atype, int lda,
                                   const void *const Barray[], cudaDataType Btype, int ldb,
                                   const void *beta, void *const Carray[], cudaDataType Ctype,
                                   int ldc, int batchCount, cublasComputeType_t computeType,
                                   cublasGemmAlgo_t algo);
cublasStatus_t cublasGemmStridedBatchedEx(SIMT_CUBLAS_PRODUCT, const void *alpha, const void *A,
                                          cudaDataType Atype, int lda, long long int strideA,
                                          const void *B, cudaDataType Btype, int ldb,
                                          long long int strideB, const void *beta, void *C,
                                          cudaDataType Ctype, int ldc, long long int strideC,
                                          int batchCount, cublasComputeType_t computeType,
                                          cublasGemmAlgo_t algo);

#ifdef __cplusplus
}
#endif

/* What programs write. */
#define cublasCreate         cublasCreate_v2
#define cublasDestroy        cublasDestroy_v2
#define cublasGetVersion     cublasGetVersion_v2
#define cublasSetWorkspace   cublasSetWorkspace_v2
#define cublasSetStream      cublasSetStream_v2
#define cublasGetStream      cublasGetStream_v2
#define cublasSetPointerMode cublasSetPointerMode_v2
#define cublasGetPointerMode cublasGetPointerMode_v2
#define cublasIsamax         cublasIsamax_v2
#define cublasIdamax         cublasIdamax_v2
#define cublasIsamin         cublasIsamin_v2
#define cublasIdamin         cublasIdamin_v2
#define cublasSasum          cublasSasum_v2
#define cublasDasum          cublasDasum_v2
#define cublasSnrm2          cublasSnrm2_v2
#define cublasDnrm2          cublasDnrm2_v2
#define cublasSdot           cublasSdot_v2
#define cublasDdot           cublasDdot_v2
#define cublasSaxpy          cublasSaxpy_v2
#define cublasDaxpy          cublasDaxpy_v2
#define cublasSscal          cublasSscal_v2
#define cublasDscal          cublasDscal_v2
#define cublasScopy          cublasScopy_v2
#define cublasDcopy          cublasDcopy_v2
#define cublasSswap          cublasSswap_v2
#define cublasDswap          cublasDswap_v2
#define cublasSrot           cublasSrot_v2
#define cublasDrot           cublasDrot_v2
#define cublasSgemv          cublasSgemv_v2
#define cublasDgemv          cublasDgemv_v2
#define cublasSger           cublasSger_v2
#define cublasDger           cublasDger_v2
#define cublasSsymv          cublasSsymv_v2
#define cublasDsymv          cublasDsymv_v2
#define cublasStrsv          cublasStrsv_v2
#define cublasDtrsv          cublasDtrsv_v2
#define cublasSgemm          cublasSgemm_v2
#define cublasDgemm          cublasDgemm_v2
#define cublasSsyrk          cublasSsyrk_v2
#define cublasDsyrk          cublasDsyrk_v2
#define cublasStrsm          cublasStrsm_v2
#define cublasDtrsm          cublasDtrsm_v2
#define cublasStrmv          cublasStrmv_v2
#define cublasDtrmv          cublasDtrmv_v2
#define cublasStrmm          cublasStrmm_v2
#define cublasDtrmm          cublasDtrmm_v2
#define cublasSsymm          cublasSsymm_v2
#define cublasDsymm          cublasDsymm_v2
#define cublasSsyr           cublasSsyr_v2
#define cublasDsyr           cublasDsyr_v2
#define cublasSsyr2          cublasSsyr2_v2
#define cublasDsyr2          cublasDsyr2_v2
#define cublasSsyr2k         cublasSsyr2k_v2
#define cublasDsyr2k         cublasDsyr2k_v2

#endif
