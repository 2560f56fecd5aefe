/* cublas_gemm.c - products of matrices, of one pair or many, of elements of 8 to 64 bits.
 *
 * Both factors are packed into panels, columns of op(A) and rows of op(B), so that the loop in the
 * middle reads memory in order; C is made in tiles that stay in registers. */
#include "libraries/cublas.h"

#include <stdlib.h>

#include "base/room.h"

enum { TILE_ROWS = 16, TILE_COLUMNS = 4 };

static bool has_columns(cublasOperation_t op) { return op == CUBLAS_OP_N; }

static int panels_of(int n, int width) { return (n + width - 1) / width; }

/* ---- in float and in double ------------------------------------------------------------------ */

#define REAL       float
#define NAME(name) name##_float
#include "libraries/cublas_gemm.def"
#undef REAL
#undef NAME
#define REAL       double
#define NAME(name) name##_double
#include "libraries/cublas_gemm.def"
#undef REAL
#undef NAME

/* ---- one product ----------------------------------------------------------------------------- */

static bool needs_double(const struct cublas_work *w)
{
    return w->c_type == CUDA_R_64F || w->c_type == CUDA_R_32I;
}

/* Rows and columns of a matrix as it lies in memory. */
static void *box_of(struct simt_library *l, const char *role, const void *at, const int shape[2],
                    int64_t leading, cudaDataType type, enum simt_library_use use)
{
    const uint64_t size = element_size(type);
    return simt_library_box(l, role, at, (uint64_t)shape[0] * size, (uint64_t)shape[1],
                            (uint64_t)leading * size, use);
}

void cublas_product(const struct cublas_work *w, const void *a, const void *b, void *c,
                    const double scalars[2])
{
    if (needs_double(w)) {
        product_double(w, a, b, c, scalars);
    } else {
        product_float(w, a, b, c, scalars);
    }
}

static bool multiply(struct simt_library *l, const struct cublas_work *w, const double scalars[2],
                     const void *const operands[3])
{
    const int of_a[2] = {has_columns(w->op_a) ? w->m : w->k, has_columns(w->op_a) ? w->k : w->m};
    const int of_b[2] = {has_columns(w->op_b) ? w->k : w->n, has_columns(w->op_b) ? w->n : w->k};
    const int of_c[2] = {w->m, w->n};
    const void *a = box_of(l, "matrix A", operands[0], of_a, w->lda, w->a_type, LIBRARY_READS);
    const void *b = a != NULL
                        ? box_of(l, "matrix B", operands[1], of_b, w->ldb, w->b_type, LIBRARY_READS)
                        : NULL;
    void *c = b != NULL ? box_of(l, "matrix C", operands[2], of_c, w->ldc, w->c_type,
                                 scalars[1] != 0 ? LIBRARY_READS_AND_WRITES : LIBRARY_WRITES)
                        : NULL;
    if (c == NULL) {
        return false;
    }
    cublas_product(w, a, b, c, scalars);
    return true;
}

/* ---- all of a call --------------------------------------------------------------------------- */

static const void *pointer_in(const void *array, int i) { return ((void *const *)array)[i]; }

static const void *moved(const void *base, int64_t elements, cudaDataType type)
{
    return (const char *)base + elements * (int64_t)element_size(type);
}

static bool operands_of(struct simt_library *l, const struct cublas_work *w, int i,
                        const void *operands[3])
{
    if (!w->arrays) {
        operands[0] = moved(w->a, i * w->stride_a, w->a_type);
        operands[1] = moved(w->b, i * w->stride_b, w->b_type);
        operands[2] = moved(w->c, i * w->stride_c, w->c_type);
        return true;
    }
    static const char *const roles[] = {"array of matrices A", "array of matrices B",
                                        "array of matrices C"};
    const void *const arrays[] = {w->a, w->b, w->c};
    for (int k = 0; k < 3; k++) {
        const void *array = simt_library_line(l, roles[k], arrays[k],
                                              (uint64_t)w->batch * sizeof(void *), LIBRARY_READS);
        if (array == NULL) {
            return false;
        }
        operands[k] = pointer_in(array, i);
    }
    return true;
}

static bool multiply_all(struct simt_library *l, const void *state)
{
    const struct cublas_work *w = state;
    double scalars[2];
    const void *operands[3];
    bool good = cublas_read_scalar(l, &w->alpha, "scalar alpha", &scalars[0]) &&
                cublas_read_scalar(l, &w->beta, "scalar beta", &scalars[1]);
    for (int i = 0; good && i < w->batch; i++) {
        good = operands_of(l, w, i, operands) && multiply(l, w, scalars, operands);
    }
    return good;
}

static cudaDataType scalar_type(cublasComputeType_t compute)
{
    switch (compute) {
    case CUBLAS_COMPUTE_16F:
    case CUBLAS_COMPUTE_16F_PEDANTIC:
        return CUDA_R_16F;
    case CUBLAS_COMPUTE_64F:
    case CUBLAS_COMPUTE_64F_PEDANTIC:
        return CUDA_R_64F;
    case CUBLAS_COMPUTE_32I:
    case CUBLAS_COMPUTE_32I_PEDANTIC:
        return CUDA_R_32I;
    default:
        return CUDA_R_32F;
    }
}

static cublasStatus_t gemm(cublasHandle_t handle, struct cublas_work *w, const void *alpha,
                           const void *beta)
{
    cublasStatus_t status = cublas_check(handle, w);
    if (status != CUBLAS_STATUS_SUCCESS) {
        return status;
    }
    if (element_size(w->a_type) == 0 || element_size(w->b_type) == 0 ||
        element_size(w->c_type) == 0) {
        simt_library_say(w->name, "only real elements of 16 to 64 bits and 8-bit integers are "
                                  "simulated, not complex or 8-bit floating-point numbers");
        return CUBLAS_STATUS_NOT_SUPPORTED;
    }
    status = cublas_check_leading(w, "lda", w->lda, has_columns(w->op_a) ? w->m : w->k);
    if (status == CUBLAS_STATUS_SUCCESS) {
        status = cublas_check_leading(w, "ldb", w->ldb, has_columns(w->op_b) ? w->k : w->n);
    }
    if (status == CUBLAS_STATUS_SUCCESS) {
        status = cublas_check_leading(w, "ldc", w->ldc, w->m);
    }
    if (status != CUBLAS_STATUS_SUCCESS || w->m == 0 || w->n == 0 || w->batch == 0) {
        return status;
    }
    w->alpha = cublas_take_scalar(handle, alpha, scalar_type(w->compute));
    w->beta = cublas_take_scalar(handle, beta, scalar_type(w->compute));
    return cublas_run(handle, w, multiply_all, false);
}

/* What the parameters of every product are called. */
#define SHAPE                                                                                      \
    .op_a = transa, .op_b = transb, .m = m, .n = n, .k = k, .lda = lda, .ldb = ldb, .ldc = ldc
#define TYPES(all) .a_type = all, .b_type = all, .c_type = all
#define STRIDES    .stride_a = strideA, .stride_b = strideB, .stride_c = strideC
#define ARRAYS     .a = Aarray, .b = Barray, .c = (void *)(uintptr_t)Carray, .arrays = true

#define ONE(function, title, T, type, compute_type)                                                \
    cublasStatus_t function(SIMT_CUBLAS_GEMM(T))                                                   \
    {                                                                                              \
        struct cublas_work w = {.name = title,                                                     \
                                SHAPE,                                                             \
                                TYPES(type),                                                       \
                                .compute = compute_type,                                           \
                                .a = A,                                                            \
                                .b = B,                                                            \
                                .c = C,                                                            \
                                .batch = 1};                                                       \
        return gemm(handle, &w, alpha, beta);                                                      \
    }
#define MANY(X, T, type, compute_type)                                                             \
    cublasStatus_t cublas##X##gemmBatched(SIMT_CUBLAS_GEMM_ARRAYS(T))                              \
    {                                                                                              \
        struct cublas_work w = {.name = "cublas" #X "gemmBatched",                                 \
                                SHAPE,                                                             \
                                TYPES(type),                                                       \
                                ARRAYS,                                                            \
                                .compute = compute_type,                                           \
                                .batch = batchCount};                                              \
        return gemm(handle, &w, alpha, beta);                                                      \
    }                                                                                              \
    cublasStatus_t cublas##X##gemmStridedBatched(SIMT_CUBLAS_GEMM_STRIDES(T))                      \
    {                                                                                              \
        struct cublas_work w = {.name = "cublas" #X "gemmStridedBatched",                          \
                                SHAPE,                                                             \
                                TYPES(type),                                                       \
                                STRIDES,                                                           \
                                .compute = compute_type,                                           \
                                .a = A,                                                            \
                                .b = B,                                                            \
                                .c = C,                                                            \
                                .batch = batchCount};                                              \
        return gemm(handle, &w, alpha, beta);                                                      \
    }
ONE(cublasSgemm_v2, "cublasSgemm", float, CUDA_R_32F, CUBLAS_COMPUTE_32F)
ONE(cublasDgemm_v2, "cublasDgemm", double, CUDA_R_64F, CUBLAS_COMPUTE_64F)
ONE(cublasHgemm, "cublasHgemm", __half, CUDA_R_16F, CUBLAS_COMPUTE_16F)
MANY(S, float, CUDA_R_32F, CUBLAS_COMPUTE_32F)
MANY(D, double, CUDA_R_64F, CUBLAS_COMPUTE_64F)
MANY(H, __half, CUDA_R_16F, CUBLAS_COMPUTE_16F)

#define EX_TYPES .a_type = Atype, .b_type = Btype, .c_type = Ctype, .compute = computeType

cublasStatus_t cublasGemmEx(SIMT_CUBLAS_GEMM_EX(void), cublasComputeType_t computeType,
                            cublasGemmAlgo_t algo)
{
    struct cublas_work w = {
        .name = "cublasGemmEx", SHAPE, EX_TYPES, .a = A, .b = B, .c = C, .batch = 1};
    return gemm(handle, &w, alpha, beta);
}

cublasStatus_t cublasSgemmEx(SIMT_CUBLAS_GEMM_EX(float))
{
    const cublasComputeType_t computeType = CUBLAS_COMPUTE_32F;
    struct cublas_work w = {
        .name = "cublasSgemmEx", SHAPE, EX_TYPES, .a = A, .b = B, .c = C, .batch = 1};
    return gemm(handle, &w, alpha, beta);
}

cublasStatus_t cublasGemmBatchedEx(SIMT_CUBLAS_PRODUCT, const void *alpha,
                                   const void *const Aarray[], cudaDataType Atype, int lda,
                                   const void *const Barray[], cudaDataType Btype, int ldb,
                                   const void *beta, void *const Carray[], cudaDataType Ctype,
                                   int ldc, int batchCount, cublasComputeType_t computeType,
                                   cublasGemmAlgo_t algo)
{
    struct cublas_work w = {
        .name = "cublasGemmBatchedEx", SHAPE, EX_TYPES, ARRAYS, .batch = batchCount};
    return gemm(handle, &w, alpha, beta);
}

cublasStatus_t cublasGemmStridedBatchedEx(SIMT_CUBLAS_PRODUCT, const void *alpha, const void *A,
                                          cudaDataType Atype, int lda, long long strideA,
                                          const void *B, cudaDataType Btype, int ldb,
                                          long long strideB, const void *beta, void *C,
                                          cudaDataType Ctype, int ldc, long long strideC,
                                          int batchCount, cublasComputeType_t computeType,
                                          cublasGemmAlgo_t algo)
{
    struct cublas_work w = {.name = "cublasGemmStridedBatchedEx",
                            SHAPE,
                            EX_TYPES,
                            STRIDES,
                            .a = A,
                            .b = B,
                            .c = C,
                            .batch = batchCount};
    return gemm(handle, &w, alpha, beta);
}
