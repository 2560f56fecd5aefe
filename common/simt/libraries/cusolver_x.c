/* cusolver_x.c - cuSOLVER's functions with 64-bit sizes, which take the type of the elements.
 * All arguments of a call have one type; workspaces are asked for and not used. */
#include "libraries/cusolver.h"

#include "libraries/objects.h"

struct cusolverDnParams {
    char nothing; /* that could be set */
};

LIBRARY_OBJECT(cusolver, CUSOLVER, cusolverDnParams_t, cusolverDnCreateParams,
               cusolverDnDestroyParams)

/* There is one algorithm for each function. */
cusolverStatus_t cusolverDnSetAdvOptions(cusolverDnParams_t params, cusolverDnFunction_t function,
                                         cusolverAlgMode_t algo)
{
    return params != NULL ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_INVALID_VALUE;
}

/* The question for a function's workspaces, which are not needed; programs allocate what this says,
 * and not nothing. */
#define NO_WORKSPACES(function, ...)                                                               \
    cusolverStatus_t function(__VA_ARGS__, SIMT_XSIZES)                                            \
    {                                                                                              \
        if (workspaceInBytesOnDevice == NULL || workspaceInBytesOnHost == NULL) {                  \
            return CUSOLVER_STATUS_INVALID_VALUE;                                                  \
        }                                                                                          \
        *workspaceInBytesOnDevice = 16;                                                            \
        *workspaceInBytesOnHost = 0;                                                               \
        return CUSOLVER_STATUS_SUCCESS;                                                            \
    }

/* other: of a second argument. */
static cusolverStatus_t run(cusolverDnHandle_t handle, const struct cusolver_work *w,
                            cudaDataType other, simt_library_step step)
{
    if ((w->type != CUDA_R_32F && w->type != CUDA_R_64F) || other != w->type) {
        simt_library_say(w->name, "all elements are float, or all are double");
        return CUSOLVER_STATUS_NOT_SUPPORTED;
    }
    return cusolver_run(handle, w, step);
}

static bool is_lower(cublasFillMode_t uplo) { return uplo == CUBLAS_FILL_MODE_LOWER; }

/* ---- LU, Cholesky, QR ------------------------------------------------------------------------ */

NO_WORKSPACES(cusolverDnXgetrf_bufferSize, SIMT_XGETRF(const void))

cusolverStatus_t cusolverDnXgetrf(SIMT_XGETRF(void), int64_t *ipiv, SIMT_XWORKSPACES, int *info)
{
    return run(handle,
               &(struct cusolver_work){.name = "cusolverDnXgetrf",
                                       .type = dataTypeA,
                                       .a = cusolver_matrix("matrix A", A, m, n, lda),
                                       .pivots = ipiv,
                                       .wide_pivots = true,
                                       .info = info},
               dataTypeA, cusolver_getrf);
}

cusolverStatus_t cusolverDnXgetrs(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                  cublasOperation_t trans, int64_t n, int64_t nrhs,
                                  cudaDataType dataTypeA, const void *A, int64_t lda,
                                  const int64_t *ipiv, cudaDataType dataTypeB, void *B, int64_t ldb,
                                  int *info)
{
    return run(handle,
               &(struct cusolver_work){.name = "cusolverDnXgetrs",
                                       .type = dataTypeA,
                                       .a = cusolver_matrix("matrix A", A, n, n, lda),
                                       .b = cusolver_matrix("matrix B", B, n, nrhs, ldb),
                                       .transposed = trans != CUBLAS_OP_N,
                                       .pivots = (void *)(uintptr_t)ipiv,
                                       .wide_pivots = true,
                                       .info = info},
               dataTypeB, cusolver_getrs);
}

NO_WORKSPACES(cusolverDnXpotrf_bufferSize, SIMT_XPOTRF(const void))

cusolverStatus_t cusolverDnXpotrf(SIMT_XPOTRF(void), SIMT_XWORKSPACES, int *info)
{
    return run(handle,
               &(struct cusolver_work){.name = "cusolverDnXpotrf",
                                       .type = dataTypeA,
                                       .a = cusolver_matrix("matrix A", A, n, n, lda),
                                       .lower = is_lower(uplo),
                                       .info = info},
               dataTypeA, cusolver_potrf);
}

cusolverStatus_t cusolverDnXpotrs(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                  cublasFillMode_t uplo, int64_t n, int64_t nrhs,
                                  cudaDataType dataTypeA, const void *A, int64_t lda,
                                  cudaDataType dataTypeB, void *B, int64_t ldb, int *info)
{
    return run(handle,
               &(struct cusolver_work){.name = "cusolverDnXpotrs",
                                       .type = dataTypeA,
                                       .a = cusolver_matrix("matrix A", A, n, n, lda),
                                       .b = cusolver_matrix("matrix B", B, n, nrhs, ldb),
                                       .lower = is_lower(uplo),
                                       .info = info},
               dataTypeB, cusolver_potrs);
}

NO_WORKSPACES(cusolverDnXgeqrf_bufferSize, SIMT_XGEQRF(const void))

cusolverStatus_t cusolverDnXgeqrf(SIMT_XGEQRF(void), SIMT_XWORKSPACES, int *info)
{
    return run(handle,
               &(struct cusolver_work){.name = "cusolverDnXgeqrf",
                                       .type = dataTypeA,
                                       .a = cusolver_matrix("matrix A", A, m, n, lda),
                                       .b = cusolver_column("vector tau", tau, m < n ? m : n),
                                       .info = info},
               dataTypeTau, cusolver_geqrf);
}

/* ---- eigenvalues and singular values --------------------------------------------------------- */

NO_WORKSPACES(cusolverDnXsyevd_bufferSize, SIMT_XSYEVD(const void))

cusolverStatus_t cusolverDnXsyevd(SIMT_XSYEVD(void), SIMT_XWORKSPACES, int *info)
{
    return run(handle,
               &(struct cusolver_work){.name = "cusolverDnXsyevd",
                                       .type = dataTypeA,
                                       .a = cusolver_matrix("matrix A", A, n, n, lda),
                                       .b = cusolver_column("vector W", W, n),
                                       .lower = is_lower(uplo),
                                       .vectors = jobz == CUSOLVER_EIG_MODE_VECTOR,
                                       .info = info},
               dataTypeW, cusolver_syevd);
}

NO_WORKSPACES(cusolverDnXgesvd_bufferSize, SIMT_XGESVD(const void))

cusolverStatus_t cusolverDnXgesvd(SIMT_XGESVD(void), SIMT_XWORKSPACES, int *info)
{
    struct cusolver_work w = {.name = "cusolverDnXgesvd",
                              .type = dataTypeA,
                              .a = cusolver_matrix("matrix A", A, m, n, lda),
                              .b = cusolver_column("vector S", S, n),
                              .job_u = (char)jobu,
                              .job_vt = (char)jobvt,
                              .info = info};
    if (!cusolver_are_jobs(w.name, jobu, jobvt, m, n)) {
        return CUSOLVER_STATUS_INVALID_VALUE;
    }
    const cudaDataType of_both = dataTypeU == dataTypeA ? dataTypeVT : dataTypeU;
    cusolver_ask_for(&w, U, ldu, VT, ldvt);
    return run(handle, &w, dataTypeS == dataTypeA ? of_both : dataTypeS, cusolver_gesvd);
}
