/* cusparse.h - what the simulator has of cuSPARSE, in C and C++ (simtcc -lcusparse): the generic
 * functions for compressed rows, compressed columns and coordinates, real elements. Names,
 * arguments and meanings are those of the "cuSPARSE" reference, version 13. */
#ifndef SIMT_CUSPARSE_H
#define SIMT_CUSPARSE_H
#define CUSPARSE_H_
#define CUSPARSEAPI /* programs ask whether it is defined */

#include <stdint.h>

#include "cuComplex.h"
#include "cuda_runtime_api.h"
#include "library_types.h"

#define CUSPARSE_VERSION 12600

/* Each status with its value and what cusparseGetErrorString() says. */
#define SIMT_CUSPARSE_STATUSES(STATUS)                                                             \
    STATUS(CUSPARSE_STATUS_SUCCESS, 0, "success")                                                  \
    STATUS(CUSPARSE_STATUS_NOT_INITIALIZED, 1, "initialization error")                             \
    STATUS(CUSPARSE_STATUS_ALLOC_FAILED, 2, "out of memory")                                       \
    STATUS(CUSPARSE_STATUS_INVALID_VALUE, 3, "invalid value")                                      \
    STATUS(CUSPARSE_STATUS_ARCH_MISMATCH, 4, "architecture mismatch")                              \
    STATUS(CUSPARSE_STATUS_MAPPING_ERROR, 5, "texture memory mapping error")                       \
    STATUS(CUSPARSE_STATUS_EXECUTION_FAILED, 6, "kernel launch failure")                           \
    STATUS(CUSPARSE_STATUS_INTERNAL_ERROR, 7, "internal error")                                    \
    STATUS(CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED, 8, "matrix type not supported")              \
    STATUS(CUSPARSE_STATUS_ZERO_PIVOT, 9, "zero pivot")                                            \
    STATUS(CUSPARSE_STATUS_NOT_SUPPORTED, 10, "operation not supported")                           \
    STATUS(CUSPARSE_STATUS_INSUFFICIENT_RESOURCES, 11, "insufficient resources")
#define SIMT_STATUS(name, value, text) name = value,
typedef enum { SIMT_CUSPARSE_STATUSES(SIMT_STATUS) } cusparseStatus_t;
#undef SIMT_STATUS
typedef enum {
    CUSPARSE_POINTER_MODE_HOST = 0,
    CUSPARSE_POINTER_MODE_DEVICE = 1
} cusparsePointerMode_t;
typedef enum {
    CUSPARSE_MATRIX_TYPE_GENERAL = 0,
    CUSPARSE_MATRIX_TYPE_SYMMETRIC = 1,
    CUSPARSE_MATRIX_TYPE_HERMITIAN = 2,
    CUSPARSE_MATRIX_TYPE_TRIANGULAR = 3
} cusparseMatrixType_t;
typedef enum { CUSPARSE_FILL_MODE_LOWER = 0, CUSPARSE_FILL_MODE_UPPER = 1 } cusparseFillMode_t;
typedef enum { CUSPARSE_DIAG_TYPE_NON_UNIT = 0, CUSPARSE_DIAG_TYPE_UNIT = 1 } cusparseDiagType_t;
typedef enum { CUSPARSE_INDEX_BASE_ZERO = 0, CUSPARSE_INDEX_BASE_ONE = 1 } cusparseIndexBase_t;
typedef enum {
    CUSPARSE_OPERATION_NON_TRANSPOSE = 0,
    CUSPARSE_OPERATION_TRANSPOSE = 1,
    CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE = 2
} cusparseOperation_t;
typedef enum {
    CUSPARSE_SOLVE_POLICY_NO_LEVEL = 0,
    CUSPARSE_SOLVE_POLICY_USE_LEVEL = 1
} cusparseSolvePolicy_t;
typedef enum {
    CUSPARSE_FORMAT_CSR = 1,
    CUSPARSE_FORMAT_CSC = 2,
    CUSPARSE_FORMAT_COO = 3
} cusparseFormat_t;
typedef enum { CUSPARSE_ORDER_COL = 1, CUSPARSE_ORDER_ROW = 2 } cusparseOrder_t;
typedef enum {
    CUSPARSE_INDEX_16U = 1,
    CUSPARSE_INDEX_32I = 2,
    CUSPARSE_INDEX_64I = 3
} cusparseIndexType_t;
typedef enum { CUSPARSE_SPMAT_FILL_MODE, CUSPARSE_SPMAT_DIAG_TYPE } cusparseSpMatAttribute_t;
/* All algorithms are one here. */
typedef enum {
    CUSPARSE_SPMV_ALG_DEFAULT = 0,
    CUSPARSE_SPMV_COO_ALG1 = 1,
    CUSPARSE_SPMV_CSR_ALG1 = 2,
    CUSPARSE_SPMV_CSR_ALG2 = 3,
    CUSPARSE_SPMV_COO_ALG2 = 4
} cusparseSpMVAlg_t;
typedef enum {
    CUSPARSE_SPMM_ALG_DEFAULT = 0,
    CUSPARSE_SPMM_COO_ALG1 = 1,
    CUSPARSE_SPMM_COO_ALG2 = 2,
    CUSPARSE_SPMM_COO_ALG3 = 3,
    CUSPARSE_SPMM_CSR_ALG1 = 4,
    CUSPARSE_SPMM_COO_ALG4 = 5,
    CUSPARSE_SPMM_CSR_ALG2 = 6,
    CUSPARSE_SPMM_CSR_ALG3 = 12
} cusparseSpMMAlg_t;
typedef enum { CUSPARSE_SPSV_ALG_DEFAULT = 0 } cusparseSpSVAlg_t;
typedef enum { CUSPARSE_SPSM_ALG_DEFAULT = 0 } cusparseSpSMAlg_t;
typedef enum { CUSPARSE_SDDMM_ALG_DEFAULT = 0 } cusparseSDDMMAlg_t;
typedef enum {
    CUSPARSE_SPGEMM_DEFAULT = 0,
    CUSPARSE_SPGEMM_CSR_ALG_DETERMINITIC = 1,
    CUSPARSE_SPGEMM_CSR_ALG_NONDETERMINITIC = 2,
    CUSPARSE_SPGEMM_ALG1 = 3,
    CUSPARSE_SPGEMM_ALG2 = 4,
    CUSPARSE_SPGEMM_ALG3 = 5
} cusparseSpGEMMAlg_t;
typedef enum { CUSPARSE_SPARSETODENSE_ALG_DEFAULT = 0 } cusparseSparseToDenseAlg_t;
typedef enum { CUSPARSE_DENSETOSPARSE_ALG_DEFAULT = 0 } cusparseDenseToSparseAlg_t;
typedef enum { CUSPARSE_CSR2CSC_ALG_DEFAULT = 1, CUSPARSE_CSR2CSC_ALG1 = 1 } cusparseCsr2CscAlg_t;
typedef enum { CUSPARSE_ACTION_SYMBOLIC = 0, CUSPARSE_ACTION_NUMERIC = 1 } cusparseAction_t;
typedef enum { CUSPARSE_DIRECTION_ROW = 0, CUSPARSE_DIRECTION_COLUMN = 1 } cusparseDirection_t;

struct cusparseContext;
struct cusparseMatDescr;
struct cusparseSpVecDescr;
struct cusparseDnVecDescr;
struct cusparseSpMatDescr;
struct cusparseDnMatDescr;
struct cusparseSpSVDescr;
struct cusparseSpSMDescr;
struct cusparseSpGEMMDescr;
struct csrilu02Info;
typedef struct cusparseContext *cusparseHandle_t;
typedef struct cusparseMatDescr *cusparseMatDescr_t;
typedef struct cusparseSpVecDescr *cusparseSpVecDescr_t;
typedef struct cusparseDnVecDescr *cusparseDnVecDescr_t;
typedef struct cusparseSpMatDescr *cusparseSpMatDescr_t;
typedef struct cusparseDnMatDescr *cusparseDnMatDescr_t;
typedef struct cusparseSpVecDescr const *cusparseConstSpVecDescr_t;
typedef struct cusparseDnVecDescr const *cusparseConstDnVecDescr_t;
typedef struct cusparseSpMatDescr const *cusparseConstSpMatDescr_t;
typedef struct cusparseDnMatDescr const *cusparseConstDnMatDescr_t;
typedef struct cusparseSpSVDescr *cusparseSpSVDescr_t;
typedef struct cusparseSpSMDescr *cusparseSpSMDescr_t;
typedef struct cusparseSpGEMMDescr *cusparseSpGEMMDescr_t;
typedef struct csrilu02Info *csrilu02Info_t;

#ifdef __cplusplus
extern "C" {
#endif

cusparseStatus_t cusparseCreate(cusparseHandle_t *handle);
cusparseStatus_t cusparseDestroy(cusparseHandle_t handle);
cusparseStatus_t cusparseGetVersion(cusparseHandle_t handle, int *version);
cusparseStatus_t cusparseGetProperty(libraryPropertyType type, int *value);
const char *cusparseGetErrorName(cusparseStatus_t status);
const char *cusparseGetErrorString(cusparseStatus_t status);
cusparseStatus_t cusparseSetStream(cusparseHandle_t handle, cudaStream_t stream);
cusparseStatus_t cusparseGetStream(cusparseHandle_t handle, cudaStream_t *stream);
cusparseStatus_t cusparseSetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t mode);
cusparseStatus_t cusparseGetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t *mode);

/* Descriptions of matrices for the older functions. */
cusparseStatus_t cusparseCreateMatDescr(cusparseMatDescr_t *descrA);
cusparseStatus_t cusparseDestroyMatDescr(cusparseMatDescr_t descrA);
cusparseStatus_t cusparseSetMatType(cusparseMatDescr_t descrA, cusparseMatrixType_t type);
cusparseMatrixType_t cusparseGetMatType(const cusparseMatDescr_t descrA);
cusparseStatus_t cusparseSetMatFillMode(cusparseMatDescr_t descrA, cusparseFillMode_t fillMode);
cusparseFillMode_t cusparseGetMatFillMode(const cusparseMatDescr_t descrA);
cusparseStatus_t cusparseSetMatDiagType(cusparseMatDescr_t descrA, cusparseDiagType_t diagType);
cusparseDiagType_t cusparseGetMatDiagType(const cusparseMatDescr_t descrA);
cusparseStatus_t cusparseSetMatIndexBase(cusparseMatDescr_t descrA, cusparseIndexBase_t base);
cusparseIndexBase_t cusparseGetMatIndexBase(const cusparseMatDescr_t descrA);

/* Vectors and matrices. */
cusparseStatus_t cusparseCreateSpVec(cusparseSpVecDescr_t *spVecDescr, int64_t size, int64_t nnz,
                                     void *indices, void *values, cusparseIndexType_t idxType,
                                     cusparseIndexBase_t idxBase, cudaDataType valueType);
cusparseStatus_t cusparseDestroySpVec(cusparseConstSpVecDescr_t spVecDescr);
cusparseStatus_t cusparseCreateDnVec(cusparseDnVecDescr_t *dnVecDescr, int64_t size, void *values,
                                     cudaDataType valueType);
cusparseStatus_t cusparseCreateConstDnVec(cusparseConstDnVecDescr_t *dnVecDescr, int64_t size,
                                          const void *values, cudaDataType valueType);
cusparseStatus_t cusparseDestroyDnVec(cusparseConstDnVecDescr_t dnVecDescr);
cusparseStatus_t cusparseDnVecGetValues(cusparseDnVecDescr_t dnVecDescr, void **values);
cusparseStatus_t cusparseDnVecSetValues(cusparseDnVecDescr_t dnVecDescr, void *values);
cusparseStatus_t cusparseCreateCsr(cusparseSpMatDescr_t *spMatDescr, int64_t rows, int64_t cols,
                                   int64_t nnz, void *csrRowOffsets, void *csrColInd,
                                   void *csrValues, cusparseIndexType_t csrRowOffsetsType,
                                   cusparseIndexType_t csrColIndType, cusparseIndexBase_t idxBase,
                                   cudaDataType valueType);
cusparseStatus_t cusparseCreateConstCsr(cusparseConstSpMatDescr_t *spMatDescr, int64_t rows,
                                        int64_t cols, int64_t nnz, const void *csrRowOffsets,
                                        const void *csrColInd, const void *csrValues,
                                        cusparseIndexType_t csrRowOffsetsType,
                                        cusparseIndexType_t csrColIndType,
                                        cusparseIndexBase_t idxBase, cudaDataType valueType);
cusparseStatus_t cusparseCreateCsc(cusparseSpMatDescr_t *spMatDescr, int64_t rows, int64_t cols,
                                   int64_t nnz, void *cscColOffsets, void *cscRowInd,
                                   void *cscValues, cusparseIndexType_t cscColOffsetsType,
                                   cusparseIndexType_t cscRowIndType, cusparseIndexBase_t idxBase,
                                   cudaDataType valueType);
cusparseStatus_t cusparseCreateCoo(cusparseSpMatDescr_t *spMatDescr, int64_t rows, int64_t cols,
                                   int64_t nnz, void *cooRowInd, void *cooColInd, void *cooValues,
                                   cusparseIndexType_t cooIdxType, cusparseIndexBase_t idxBase,
                                   cudaDataType valueType);
cusparseStatus_t cusparseDestroySpMat(cusparseConstSpMatDescr_t spMatDescr);
/* Several matrices of one shape: what lies between their beginnings, in elements. */
cusparseStatus_t cusparseCooSetStridedBatch(cusparseSpMatDescr_t spMatDescr, int batchCount,
                                            int64_t batchStride);
cusparseStatus_t cusparseCsrSetStridedBatch(cusparseSpMatDescr_t spMatDescr, int batchCount,
                                            int64_t offsetsBatchStride,
                                            int64_t columnsValuesBatchStride);
cusparseStatus_t cusparseSpMatGetStridedBatch(cusparseConstSpMatDescr_t spMatDescr,
                                              int *batchCount);
cusparseStatus_t cusparseDnMatSetStridedBatch(cusparseDnMatDescr_t dnMatDescr, int batchCount,
                                              int64_t batchStride);
cusparseStatus_t cusparseDnMatGetStridedBatch(cusparseConstDnMatDescr_t dnMatDescr, int *batchCount,
                                              int64_t *batchStride);
cusparseStatus_t cusparseSpMatGetSize(cusparseConstSpMatDescr_t spMatDescr, int64_t *rows,
                                      int64_t *cols, int64_t *nnz);
cusparseStatus_t cusparseSpMatGetFormat(cusparseConstSpMatDescr_t spMatDescr,
                                        cusparseFormat_t *format);
cusparseStatus_t cusparseSpMatGetValues(cusparseSpMatDescr_t spMatDescr, void **values);
cusparseStatus_t cusparseSpMatSetValues(cusparseSpMatDescr_t spMatDescr, void *values);
cusparseStatus_t cusparseCsrSetPointers(cusparseSpMatDescr_t spMatDescr, void *csrRowOffsets,
                                        void *csrColInd, void *csrValues);
cusparseStatus_t cusparseCscSetPointers(cusparseSpMatDescr_t spMatDescr, void *cscColOffsets,
                                        void *cscRowInd, void *cscValues);
cusparseStatus_t cusparseCooSetPointers(cusparseSpMatDescr_t spMatDescr, void *cooRows,
                                        void *cooColumns, void *cooValues);
cusparseStatus_t cusparseSpMatGetAttribute(cusparseConstSpMatDescr_t spMatDescr,
                                           cusparseSpMatAttribute_t attribute, void *data,
                                           size_t dataSize);
cusparseStatus_t cusparseSpMatSetAttribute(cusparseSpMatDescr_t spMatDescr,
                                           cusparseSpMatAttribute_t attribute, void *data,
                                           size_t dataSize);
cusparseStatus_t cusparseCreateDnMat(cusparseDnMatDescr_t *dnMatDescr, int64_t rows, int64_t cols,
                                     int64_t ld, void *values, cudaDataType valueType,
                                     cusparseOrder_t order);
cusparseStatus_t cusparseDestroyDnMat(cusparseConstDnMatDescr_t dnMatDescr);

/* y[indices] = values, and back. */
cusparseStatus_t cusparseScatter(cusparseHandle_t handle, cusparseConstSpVecDescr_t vecX,
                                 cusparseDnVecDescr_t vecY);
cusparseStatus_t cusparseGather(cusparseHandle_t handle, cusparseConstDnVecDescr_t vecY,
                                cusparseSpVecDescr_t vecX);

/* y = alpha x + beta y, and the dot product of both. */
cusparseStatus_t cusparseAxpby(cusparseHandle_t handle, const void *alpha,
                               cusparseConstSpVecDescr_t vecX, const void *beta,
                               cusparseDnVecDescr_t vecY);
cusparseStatus_t cusparseSpVV_bufferSize(cusparseHandle_t handle, cusparseOperation_t opX,
                                         cusparseConstSpVecDescr_t vecX,
                                         cusparseConstDnVecDescr_t vecY, const void *result,
                                         cudaDataType computeType, size_t *bufferSize);
cusparseStatus_t cusparseSpVV(cusparseHandle_t handle, cusparseOperation_t opX,
                              cusparseConstSpVecDescr_t vecX, cusparseConstDnVecDescr_t vecY,
                              void *result, cudaDataType computeType, void *externalBuffer);

/* A dense matrix becomes a sparse one: analysis counts its elements, convert stores them; and back.
 */
#define SIMT_DENSE_TO_SPARSE                                                                       \
    cusparseHandle_t handle, cusparseConstDnMatDescr_t matA, cusparseSpMatDescr_t matB,            \
        cusparseDenseToSparseAlg_t alg
cusparseStatus_t cusparseDenseToSparse_bufferSize(SIMT_DENSE_TO_SPARSE, size_t *bufferSize);
cusparseStatus_t cusparseDenseToSparse_analysis(SIMT_DENSE_TO_SPARSE, void *externalBuffer);
cusparseStatus_t cusparseDenseToSparse_convert(SIMT_DENSE_TO_SPARSE, void *externalBuffer);
#define SIMT_SPARSE_TO_DENSE                                                                       \
    cusparseHandle_t handle, cusparseConstSpMatDescr_t matA, cusparseDnMatDescr_t matB,            \
        cusparseSparseToDenseAlg_t alg
cusparseStatus_t cusparseSparseToDense_bufferSize(SIMT_SPARSE_TO_DENSE, size_t *bufferSize);
cusparseStatus_t cusparseSparseToDense(SIMT_SPARSE_TO_DENSE, void *externalBuffer);

/* Compressed rows become compressed columns. */
#define SIMT_CSR2CSC                                                                               \
    cusparseHandle_t handle, int m, int n, int nnz, const void *csrVal, const int *csrRowPtr,      \
        const int *csrColInd, void *cscVal, int *cscColPtr, int *cscRowInd, cudaDataType valType,  \
        cusparseAction_t copyValues, cusparseIndexBase_t idxBase, cusparseCsr2CscAlg_t alg
cusparseStatus_t cusparseCsr2cscEx2(SIMT_CSR2CSC, void *buffer);
cusparseStatus_t cusparseCsr2cscEx2_bufferSize(SIMT_CSR2CSC, size_t *bufferSize);

/* Indices in order; the permutation, if there is one, is taken along. */
cusparseStatus_t cusparseCreateIdentityPermutation(cusparseHandle_t handle, int n, int *p);
cusparseStatus_t cusparseXcoosort_bufferSizeExt(cusparseHandle_t handle, int m, int n, int nnz,
                                                const int *cooRows, const int *cooCols,
                                                size_t *bufferSize);
cusparseStatus_t cusparseXcoosortByRow(cusparseHandle_t handle, int m, int n, int nnz, int *cooRows,
                                       int *cooCols, int *p, void *buffer);
cusparseStatus_t cusparseXcoosortByColumn(cusparseHandle_t handle, int m, int n, int nnz,
                                          int *cooRows, int *cooCols, int *p, void *buffer);
cusparseStatus_t cusparseXcsrsort_bufferSizeExt(cusparseHandle_t handle, int m, int n, int nnz,
                                                const int *csrRowPtr, const int *csrColInd,
                                                size_t *bufferSize);
cusparseStatus_t cusparseXcsrsort(cusparseHandle_t handle, int m, int n, int nnz,
                                  const cusparseMatDescr_t descrA, const int *csrRowPtr,
                                  int *csrColInd, int *p, void *buffer);

/* How many elements of each row or column, and of all, are not 0. */
cusparseStatus_t cusparseSnnz(cusparseHandle_t handle, cusparseDirection_t dirA, int m, int n,
                              const cusparseMatDescr_t descrA, const float *a, int lda,
                              int *nnzPerRowColumn, int *nnzTotal);
cusparseStatus_t cusparseDnnz(cusparseHandle_t handle, cusparseDirection_t dirA, int m, int n,
                              const cusparseMatDescr_t descrA, const double *a, int lda,
                              int *nnzPerRowColumn, int *nnzTotal);

/* Products: y = alpha op(A) x + beta y, and the same of matrices. No buffer is needed. */
#define SIMT_SPMV                                                                                  \
    cusparseHandle_t handle, cusparseOperation_t opA, const void *alpha,                           \
        cusparseConstSpMatDescr_t matA, cusparseConstDnVecDescr_t vecX, const void *beta,          \
        cusparseDnVecDescr_t vecY, cudaDataType computeType, cusparseSpMVAlg_t alg
cusparseStatus_t cusparseSpMV(SIMT_SPMV, void *externalBuffer);
cusparseStatus_t cusparseSpMV_bufferSize(SIMT_SPMV, size_t *bufferSize);
cusparseStatus_t cusparseSpMV_preprocess(SIMT_SPMV, void *externalBuffer);
#define SIMT_SPMM                                                                                  \
    cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB, const void *alpha,  \
        cusparseConstSpMatDescr_t matA, cusparseConstDnMatDescr_t matB, const void *beta,          \
        cusparseDnMatDescr_t matC, cudaDataType computeType, cusparseSpMMAlg_t alg
cusparseStatus_t cusparseSpMM(SIMT_SPMM, void *externalBuffer);
cusparseStatus_t cusparseSpMM_bufferSize(SIMT_SPMM, size_t *bufferSize);
cusparseStatus_t cusparseSpMM_preprocess(SIMT_SPMM, void *externalBuffer);

/* C = alpha A B, all of compressed rows: workEstimation and compute are called twice, first without
 * a buffer; then C's elements are counted, and copy stores them. */
#define SIMT_SPGEMM                                                                                \
    cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB, const void *alpha,  \
        cusparseConstSpMatDescr_t matA, cusparseConstSpMatDescr_t matB, const void *beta,          \
        cusparseSpMatDescr_t matC, cudaDataType computeType, cusparseSpGEMMAlg_t alg,              \
        cusparseSpGEMMDescr_t spgemmDescr
cusparseStatus_t cusparseSpGEMM_createDescr(cusparseSpGEMMDescr_t *descr);
cusparseStatus_t cusparseSpGEMM_destroyDescr(cusparseSpGEMMDescr_t descr);
cusparseStatus_t cusparseSpGEMM_workEstimation(SIMT_SPGEMM, size_t *bufferSize1,
                                               void *externalBuffer1);
cusparseStatus_t cusparseSpGEMM_compute(SIMT_SPGEMM, size_t *bufferSize2, void *externalBuffer2);
cusparseStatus_t cusparseSpGEMM_copy(SIMT_SPGEMM);

/* C = alpha op(A) op(B) + beta C where C has elements. */
#define SIMT_SDDMM                                                                                 \
    cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB, const void *alpha,  \
        cusparseConstDnMatDescr_t matA, cusparseConstDnMatDescr_t matB, const void *beta,          \
        cusparseSpMatDescr_t matC, cudaDataType computeType, cusparseSDDMMAlg_t alg
cusparseStatus_t cusparseSDDMM(SIMT_SDDMM, void *externalBuffer);
cusparseStatus_t cusparseSDDMM_bufferSize(SIMT_SDDMM, size_t *bufferSize);
cusparseStatus_t cusparseSDDMM_preprocess(SIMT_SDDMM, void *externalBuffer);

/* Triangles of several right sides: op(A) C = alpha op(B). */
#define SIMT_SPSM                                                                                  \
    cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB, const void *alpha,  \
        cusparseConstSpMatDescr_t matA, cusparseConstDnMatDescr_t matB, cusparseDnMatDescr_t matC, \
        cudaDataType computeType, cusparseSpSMAlg_t alg, cusparseSpSMDescr_t spsmDescr
cusparseStatus_t cusparseSpSM_createDescr(cusparseSpSMDescr_t *descr);
cusparseStatus_t cusparseSpSM_destroyDescr(cusparseSpSMDescr_t descr);
cusparseStatus_t cusparseSpSM_bufferSize(SIMT_SPSM, size_t *bufferSize);
cusparseStatus_t cusparseSpSM_analysis(SIMT_SPSM, void *externalBuffer);
cusparseStatus_t cusparseSpSM_solve(SIMT_SPSM);

/* Triangles: op(A) y = alpha x. */
#define SIMT_SPSV                                                                                  \
    cusparseHandle_t handle, cusparseOperation_t opA, const void *alpha,                           \
        cusparseConstSpMatDescr_t matA, cusparseConstDnVecDescr_t vecX, cusparseDnVecDescr_t vecY, \
        cudaDataType computeType, cusparseSpSVAlg_t alg, cusparseSpSVDescr_t spsvDescr
cusparseStatus_t cusparseSpSV_createDescr(cusparseSpSVDescr_t *descr);
cusparseStatus_t cusparseSpSV_destroyDescr(cusparseSpSVDescr_t descr);
cusparseStatus_t cusparseSpSV_bufferSize(SIMT_SPSV, size_t *bufferSize);
cusparseStatus_t cusparseSpSV_analysis(SIMT_SPSV, void *externalBuffer);
cusparseStatus_t cusparseSpSV_solve(SIMT_SPSV);

/* Incomplete LU factors of compressed rows, in their place. */
cusparseStatus_t cusparseCreateCsrilu02Info(csrilu02Info_t *info);
cusparseStatus_t cusparseDestroyCsrilu02Info(csrilu02Info_t info);
cusparseStatus_t cusparseXcsrilu02_zeroPivot(cusparseHandle_t handle, csrilu02Info_t info,
                                             int *position);
#define SIMT_ILU(X, T)                                                                             \
    cusparseStatus_t cusparse##X##csrilu02_bufferSize(                                             \
        cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA, T *values,       \
        const int *rows, const int *columns, csrilu02Info_t info, int *bytes);                     \
    cusparseStatus_t cusparse##X##csrilu02_analysis(                                               \
        cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA, const T *values, \
        const int *rows, const int *columns, csrilu02Info_t info, cusparseSolvePolicy_t policy,    \
        void *buffer);                                                                             \
    cusparseStatus_t cusparse##X##csrilu02(                                                        \
        cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA, T *values,       \
        const int *rows, const int *columns, csrilu02Info_t info, cusparseSolvePolicy_t policy,    \
        void *buffer);
SIMT_ILU(S, float)
SIMT_ILU(D, double)
#undef SIMT_ILU

#define SIMT_TRIDIAGONAL(X, T)                                                                     \
    cusparseStatus_t cusparse##X##gtsv2_bufferSizeExt(cusparseHandle_t handle, int m, int n,       \
                                                      const T *dl, const T *d, const T *du,        \
                                                      const T *b, int ldb, size_t *bytes);         \
    cusparseStatus_t cusparse##X##gtsv2(cusparseHandle_t handle, int m, int n, const T *dl,        \
                                        const T *d, const T *du, T *b, int ldb, void *buffer);     \
    cusparseStatus_t cusparse##X##gtsv2_nopivot_bufferSizeExt(                                     \
        cusparseHandle_t handle, int m, int n, const T *dl, const T *d, const T *du, const T *b,   \
        int ldb, size_t *bytes);                                                                   \
    cusparseStatus_t cusparse##X##gtsv2_nopivot(cusparseHandle_t handle, int m, int n,             \
                                                const T *dl, const T *d, const T *du, T *b,        \
                                                int ldb, void *buffer);                            \
    cusparseStatus_t cusparse##X##gtsv2StridedBatch_bufferSizeExt(                                 \
        cusparseHandle_t handle, int m, const T *dl, const T *d, const T *du, const T *x,          \
        int batchCount, int batchStride, size_t *bytes);                                           \
    cusparseStatus_t cusparse##X##gtsv2StridedBatch(cusparseHandle_t handle, int m, const T *dl,   \
                                                    const T *d, const T *du, T *x, int batchCount, \
                                                    int batchStride, void *buffer);                \
    cusparseStatus_t cusparse##X##gtsvInterleavedBatch_bufferSizeExt(                              \
        cusparseHandle_t handle, int algo, int m, const T *dl, const T *d, const T *du,            \
        const T *x, int batchCount, size_t *bytes);                                                \
    cusparseStatus_t cusparse##X##gtsvInterleavedBatch(cusparseHandle_t handle, int algo, int m,   \
                                                       T *dl, T *d, T *du, T *x, int batchCount,   \
                                                       void *buffer);
SIMT_TRIDIAGONAL(S, float)
SIMT_TRIDIAGONAL(D, double)
#undef SIMT_TRIDIAGONAL

#ifdef __cplusplus
}
#endif

#endif
