/* cusolverDn.h - what the simulator has of cuSOLVER, in C and C++ (simtcc -lcusolver): factors of
 * dense matrices of float and double. Names, arguments and meanings are those of the "cuSOLVER"
 * reference, version 13. */
#ifndef SIMT_CUSOLVERDN_H
#define SIMT_CUSOLVERDN_H
#define CUSOLVERDN_H_ /* programs ask whether they are defined */
#define CUSOLVER_COMMON_H_

#include "cublas_v2.h"
#include "cuda_runtime_api.h"
#include "library_types.h"

typedef enum {
    CUSOLVER_STATUS_SUCCESS = 0,
    CUSOLVER_STATUS_NOT_INITIALIZED = 1,
    CUSOLVER_STATUS_ALLOC_FAILED = 2,
    CUSOLVER_STATUS_INVALID_VALUE = 3,
    CUSOLVER_STATUS_ARCH_MISMATCH = 4,
    CUSOLVER_STATUS_MAPPING_ERROR = 5,
    CUSOLVER_STATUS_EXECUTION_FAILED = 6,
    CUSOLVER_STATUS_INTERNAL_ERROR = 7,
    CUSOLVER_STATUS_MATRIX_TYPE_NOT_SUPPORTED = 8,
    CUSOLVER_STATUS_NOT_SUPPORTED = 9,
    CUSOLVER_STATUS_ZERO_PIVOT = 10,
    CUSOLVER_STATUS_INVALID_LICENSE = 11
} cusolverStatus_t;
typedef enum { CUSOLVER_EIG_MODE_NOVECTOR = 0, CUSOLVER_EIG_MODE_VECTOR = 1 } cusolverEigMode_t;

typedef enum { CUSOLVERDN_GETRF = 0, CUSOLVERDN_POTRF = 1 } cusolverDnFunction_t;
typedef enum { CUSOLVER_ALG_0 = 0, CUSOLVER_ALG_1 = 1, CUSOLVER_ALG_2 = 2 } cusolverAlgMode_t;

struct cusolverDnContext;
typedef struct cusolverDnContext *cusolverDnHandle_t;
struct cusolverDnParams;
typedef struct cusolverDnParams *cusolverDnParams_t;

#ifdef __cplusplus
extern "C" {
#endif

cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t *handle);
cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle);
cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t streamId);
cusolverStatus_t cusolverDnGetStream(cusolverDnHandle_t handle, cudaStream_t *streamId);
cusolverStatus_t cusolverGetVersion(int *version);

/* Of float (S) and double (D). What is asked for as a workspace is not used. */
#define SIMT_SOLVER(X, T)                                                                          \
    cusolverStatus_t cusolverDn##X##getrf_bufferSize(cusolverDnHandle_t handle, int m, int n,      \
                                                     T *A, int lda, int *Lwork);                   \
    cusolverStatus_t cusolverDn##X##getrf(cusolverDnHandle_t handle, int m, int n, T *A, int lda,  \
                                          T *Workspace, int *devIpiv, int *devInfo);               \
    cusolverStatus_t cusolverDn##X##getrs(cusolverDnHandle_t handle, cublasOperation_t trans,      \
                                          int n, int nrhs, const T *A, int lda,                    \
                                          const int *devIpiv, T *B, int ldb, int *devInfo);        \
    cusolverStatus_t cusolverDn##X##potrf_bufferSize(                                              \
        cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T *A, int lda, int *Lwork);       \
    cusolverStatus_t cusolverDn##X##potrf(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, \
                                          T *A, int lda, T *Workspace, int Lwork, int *devInfo);   \
    cusolverStatus_t cusolverDn##X##potrs(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, \
                                          int nrhs, const T *A, int lda, T *B, int ldb,            \
                                          int *devInfo);                                           \
    cusolverStatus_t cusolverDn##X##geqrf_bufferSize(cusolverDnHandle_t handle, int m, int n,      \
                                                     T *A, int lda, int *Lwork);                   \
    cusolverStatus_t cusolverDn##X##geqrf(cusolverDnHandle_t handle, int m, int n, T *A, int lda,  \
                                          T *TAU, T *Workspace, int Lwork, int *devInfo);          \
    cusolverStatus_t cusolverDn##X##orgqr_bufferSize(cusolverDnHandle_t handle, int m, int n,      \
                                                     int k, const T *A, int lda, const T *tau,     \
                                                     int *lwork);                                  \
    cusolverStatus_t cusolverDn##X##orgqr(cusolverDnHandle_t handle, int m, int n, int k, T *A,    \
                                          int lda, const T *tau, T *work, int lwork,               \
                                          int *devInfo);                                           \
    cusolverStatus_t cusolverDn##X##ormqr_bufferSize(                                              \
        cusolverDnHandle_t handle, cublasSideMode_t side, cublasOperation_t trans, int m, int n,   \
        int k, const T *A, int lda, const T *tau, const T *C, int ldc, int *lwork);                \
    cusolverStatus_t cusolverDn##X##ormqr(cusolverDnHandle_t handle, cublasSideMode_t side,        \
                                          cublasOperation_t trans, int m, int n, int k,            \
                                          const T *A, int lda, const T *tau, T *C, int ldc,        \
                                          T *work, int lwork, int *devInfo);                       \
    cusolverStatus_t cusolverDn##X##syevd_bufferSize(                                              \
        cusolverDnHandle_t handle, cusolverEigMode_t jobz, cublasFillMode_t uplo, int n,           \
        const T *A, int lda, const T *W, int *lwork);                                              \
    cusolverStatus_t cusolverDn##X##syevd(cusolverDnHandle_t handle, cusolverEigMode_t jobz,       \
                                          cublasFillMode_t uplo, int n, T *A, int lda, T *W,       \
                                          T *work, int lwork, int *devInfo);                       \
    cusolverStatus_t cusolverDn##X##gesvd_bufferSize(cusolverDnHandle_t handle, int m, int n,      \
                                                     int *lwork);                                  \
    cusolverStatus_t cusolverDn##X##gesvd(cusolverDnHandle_t handle, signed char jobu,             \
                                          signed char jobvt, int m, int n, T *A, int lda, T *S,    \
                                          T *U, int ldu, T *VT, int ldvt, T *work, int lwork,      \
                                          T *rwork, int *devInfo);
SIMT_SOLVER(S, float)
SIMT_SOLVER(D, double)
#undef SIMT_SOLVER

/* With 64-bit sizes; elements are CUDA_R_32F or CUDA_R_64F. */
cusolverStatus_t cusolverDnCreateParams(cusolverDnParams_t *params);
cusolverStatus_t cusolverDnDestroyParams(cusolverDnParams_t params);
cusolverStatus_t cusolverDnSetAdvOptions(cusolverDnParams_t params, cusolverDnFunction_t function,
                                         cusolverAlgMode_t algo);
/* What a function and the question for its workspaces share; type: void or, for the question, const
 * void. */
#define SIMT_XSIZES                                                                                \
    cudaDataType computeType, size_t *workspaceInBytesOnDevice, size_t *workspaceInBytesOnHost
#define SIMT_XWORKSPACES                                                                           \
    cudaDataType computeType, void *bufferOnDevice, size_t workspaceInBytesOnDevice,               \
        void *bufferOnHost, size_t workspaceInBytesOnHost
#define SIMT_XGETRF(type)                                                                          \
    cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m, int64_t n,                    \
        cudaDataType dataTypeA, type *A, int64_t lda
#define SIMT_XPOTRF(type)                                                                          \
    cusolverDnHandle_t handle, cusolverDnParams_t params, cublasFillMode_t uplo, int64_t n,        \
        cudaDataType dataTypeA, type *A, int64_t lda
#define SIMT_XGEQRF(type)                                                                          \
    cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m, int64_t n,                    \
        cudaDataType dataTypeA, type *A, int64_t lda, cudaDataType dataTypeTau, type *tau
#define SIMT_XSYEVD(type)                                                                          \
    cusolverDnHandle_t handle, cusolverDnParams_t params, cusolverEigMode_t jobz,                  \
        cublasFillMode_t uplo, int64_t n, cudaDataType dataTypeA, type *A, int64_t lda,            \
        cudaDataType dataTypeW, type *W
#define SIMT_XGESVD(type)                                                                          \
    cusolverDnHandle_t handle, cusolverDnParams_t params, signed char jobu, signed char jobvt,     \
        int64_t m, int64_t n, cudaDataType dataTypeA, type *A, int64_t lda,                        \
        cudaDataType dataTypeS, type *S, cudaDataType dataTypeU, type *U, int64_t ldu,             \
        cudaDataType dataTypeVT, type *VT, int64_t ldvt

cusolverStatus_t cusolverDnXgetrf_bufferSize(SIMT_XGETRF(const void), SIMT_XSIZES);
cusolverStatus_t cusolverDnXgetrf(SIMT_XGETRF(void), int64_t *ipiv, SIMT_XWORKSPACES, int *info);
cusolverStatus_t cusolverDnXgetrs(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                  cublasOperation_t trans, int64_t n, int64_t nrhs,
                                  cudaDataType dataTypeA, const void *A, int64_t lda,
                                  const int64_t *ipiv, cudaDataType dataTypeB, void *B, int64_t ldb,
                                  int *info);
cusolverStatus_t cusolverDnXpotrf_bufferSize(SIMT_XPOTRF(const void), SIMT_XSIZES);
cusolverStatus_t cusolverDnXpotrf(SIMT_XPOTRF(void), SIMT_XWORKSPACES, int *info);
cusolverStatus_t cusolverDnXpotrs(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                  cublasFillMode_t uplo, int64_t n, int64_t nrhs,
                                  cudaDataType dataTypeA, const void *A, int64_t lda,
                                  cudaDataType dataTypeB, void *B, int64_t ldb, int *info);
cusolverStatus_t cusolverDnXgeqrf_bufferSize(SIMT_XGEQRF(const void), SIMT_XSIZES);
cusolverStatus_t cusolverDnXgeqrf(SIMT_XGEQRF(void), SIMT_XWORKSPACES, int *info);
cusolverStatus_t cusolverDnXsyevd_bufferSize(SIMT_XSYEVD(const void), SIMT_XSIZES);
cusolverStatus_t cusolverDnXsyevd(SIMT_XSYEVD(void), SIMT_XWORKSPACES, int *info);
cusolverStatus_t cusolverDnXgesvd_bufferSize(SIMT_XGESVD(const void), SIMT_XSIZES);
cusolverStatus_t cusolverDnXgesvd(SIMT_XGESVD(void), SIMT_XWORKSPACES, int *info);

#ifdef __cplusplus
}
#endif

#endif
