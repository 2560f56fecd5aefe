/* cusolverSp.h - what the simulator has of cuSOLVER for sparse matrices, in C and C++ (simtcc
 * -lcusolver): solutions of A x = b of float and double, and orders that fill in little. Names,
 * arguments and meanings are those of the "cuSOLVER" reference, version 13. */
#ifndef SIMT_CUSOLVERSP_H
#define SIMT_CUSOLVERSP_H
#define CUSOLVERSP_H_ /* programs ask whether it is defined */

#include "cusolverDn.h"
#include "cusparse.h"

struct cusolverSpContext;
typedef struct cusolverSpContext *cusolverSpHandle_t;

#ifdef __cplusplus
extern "C" {
#endif

cusolverStatus_t cusolverSpCreate(cusolverSpHandle_t *handle);
cusolverStatus_t cusolverSpDestroy(cusolverSpHandle_t handle);
cusolverStatus_t cusolverSpSetStream(cusolverSpHandle_t handle, cudaStream_t streamId);
cusolverStatus_t cusolverSpGetStream(cusolverSpHandle_t handle, cudaStream_t *streamId);

cusolverStatus_t cusolverSpXcsrissymHost(cusolverSpHandle_t handle, int m, int nnzA,
                                         const cusparseMatDescr_t descrA, const int *csrRowPtrA,
                                         const int *csrEndPtrA, const int *csrColIndA, int *issym);

/* On the host (Host), of matrices on the host; the others of matrices on the device. */
#define SIMT_SOLVE(name, T)                                                                        \
    cusolverStatus_t cusolverSp##name(cusolverSpHandle_t handle, int m, int nnz,                   \
                                      const cusparseMatDescr_t descrA, const T *csrVal,            \
                                      const int *csrRowPtr, const int *csrColInd, const T *b,      \
                                      T tol, int reorder, T *x, int *singularity);
SIMT_SOLVE(ScsrlsvluHost, float)
SIMT_SOLVE(DcsrlsvluHost, double)
SIMT_SOLVE(ScsrlsvqrHost, float)
SIMT_SOLVE(DcsrlsvqrHost, double)
SIMT_SOLVE(ScsrlsvcholHost, float)
SIMT_SOLVE(DcsrlsvcholHost, double)
SIMT_SOLVE(Scsrlsvqr, float)
SIMT_SOLVE(Dcsrlsvqr, double)
SIMT_SOLVE(Scsrlsvchol, float)
SIMT_SOLVE(Dcsrlsvchol, double)
#undef SIMT_SOLVE

#define SIMT_ORDER(name)                                                                           \
    cusolverStatus_t cusolverSpXcsr##name##Host(                                                   \
        cusolverSpHandle_t handle, int n, int nnzA, const cusparseMatDescr_t descrA,               \
        const int *csrRowPtrA, const int *csrColIndA, int *p);
SIMT_ORDER(symrcm)
SIMT_ORDER(symmdq)
SIMT_ORDER(symamd)
#undef SIMT_ORDER
cusolverStatus_t cusolverSpXcsrmetisndHost(cusolverSpHandle_t handle, int n, int nnzA,
                                           const cusparseMatDescr_t descrA, const int *csrRowPtrA,
                                           const int *csrColIndA, const int64_t *options, int *p);

/* A becomes A(p, q); map, which numbers its elements, goes with them. */
cusolverStatus_t cusolverSpXcsrperm_bufferSizeHost(cusolverSpHandle_t handle, int m, int n,
                                                   int nnzA, const cusparseMatDescr_t descrA,
                                                   const int *csrRowPtrA, const int *csrColIndA,
                                                   const int *p, const int *q,
                                                   size_t *bufferSizeInBytes);
cusolverStatus_t cusolverSpXcsrpermHost(cusolverSpHandle_t handle, int m, int n, int nnzA,
                                        const cusparseMatDescr_t descrA, int *csrRowPtrA,
                                        int *csrColIndA, const int *p, const int *q, int *map,
                                        void *pBuffer);

#ifdef __cplusplus
}
#endif

#endif
