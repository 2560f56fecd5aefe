/* cublas.h - what the files of our cuBLAS share: a call's arguments, and how they reach memory.
 *
 * Private to cublas*.c. A call becomes a struct cublas_work, which a step of runtime/library.h does
 * at once or when a graph is launched. Elements are float or double, in gemm also narrower ones.
 * Sums are made in an order of our own: float sums of vectors in double, products of matrices in
 * float, so they differ from a card's in their last bits, as those of two cards do. */
#ifndef SIMT_CUBLAS_H
#define SIMT_CUBLAS_H

#include "libraries/element.h"
#include "runtime/library.h"

#include "include/cublas_v2.h"

/* A scalar of the caller's, or its place in device memory. */
struct cublas_scalar {
    unsigned char value[8];
    const void *place; /* NULL: value */
    cudaDataType type;
};

/* The arguments of any call: vectors lie in a, b, c with their increments for lda, ldb, ldc. */
struct cublas_work {
    const char *name;
    cublasOperation_t op_a, op_b;
    cublasSideMode_t side;
    cublasFillMode_t uplo;
    cublasDiagType_t diag;
    int m, n, k;
    struct cublas_scalar alpha, beta;
    const void *a, *b;
    void *c;
    int64_t lda, ldb, ldc;
    void *result, *info;
    /* gemm alone */
    cudaDataType a_type, b_type, c_type;
    cublasComputeType_t compute;
    bool arrays; /* a, b and c are arrays of pointers */
    int batch;
    int64_t stride_a, stride_b, stride_c;
};

struct cublas_scalar cublas_take_scalar(cublasHandle_t handle, const void *scalar,
                                        cudaDataType type);
/* A scalar of the library's own. */
struct cublas_scalar cublas_constant(double value);
/* Sets *value; false, explained. */
bool cublas_read_scalar(struct simt_library *l, const struct cublas_scalar *s, const char *role,
                        double *value);

/* Is the handle one? Are the sizes none below 0, the leading dimensions (or increments) enough?
 * Says which is not. */
cublasStatus_t cublas_check(cublasHandle_t handle, const struct cublas_work *w);
cublasStatus_t cublas_check_leading(const struct cublas_work *w, const char *what, int64_t leading,
                                    int rows);
/* Does the work in the handle's stream. waits: a result goes to the host. */
cublasStatus_t cublas_run(cublasHandle_t handle, const struct cublas_work *w,
                          simt_library_step step, bool waits);
/* The same with so many leading dimensions that are checked. */
struct cublas_leading {
    const char *what;
    int64_t leading;
    int rows;
};
cublasStatus_t cublas_run_matrices(cublasHandle_t handle, const struct cublas_work *w,
                                   simt_library_step step, const struct cublas_leading *leading,
                                   unsigned count);
/* In pointer mode "host" a result is the host's, and the call waits. */
bool cublas_result_is_hosts(cublasHandle_t handle);

/* alpha * op(A) * op(B) + beta * C in the place of C, of memory that is there: types, shapes and
 * leading dimensions are w's. scalars: alpha and beta; with beta 0 C is not read. */
void cublas_product(const struct cublas_work *w, const void *a, const void *b, void *c,
                    const double scalars[2]);

/* A vector of n elements with an increment, as BLAS has it: element i at [i * step]. */
void *cublas_vector(struct simt_library *l, const char *role, const void *x, int n,
                    int64_t increment, unsigned size, enum simt_library_use use);
/* A matrix, column by column. */
void *cublas_matrix(struct simt_library *l, const char *role, const void *at, int rows, int columns,
                    int64_t leading, unsigned size, enum simt_library_use use);

#endif
