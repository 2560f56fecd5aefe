/* flags: -lcublasLt -lcublas */
/* cuBLASLt: products of matrices that lie by columns or by rows, in batches, with what is done to
 * each sum behind them: bias, ReLU and its mask, GELU, and their gradients. The factors are small
 * whole numbers, so that sums are exact; GELU is compared with the C library's tanh(). */
#include "check.h"
#include <cublasLt.h>
#include <cuda_fp16.h>

#define CHECK_BLAS(call) CHECK_INT(call, CUBLAS_STATUS_SUCCESS)

enum { M = 6, N = 5, K = 4, BATCH = 2, ROOM = 256, MASK_BITS = 128, WORKSPACE = 1 << 20 };
enum {
    OF_BIAS = CUBLASLT_EPILOGUE_BIAS | 16 | CUBLASLT_EPILOGUE_BGRADA | CUBLASLT_EPILOGUE_BGRADB
};

static cublasLtHandle_t handle;
static float *a, *b, *c, *d, *bias, *aux;
static void *workspace;

static float number(int i, int seed) { return (float)((7 * i + 5 * seed + i / 3) % 9 - 4); }

static void fill(float *x, int seed)
{
    for (int i = 0; i < ROOM; i++)
        x[i] = number(i, seed);
}

/* Of M x N, M x K and K x N matrices. */
struct shape {
    bool trans_a, trans_b, by_rows;
    int lda, ldb, ldd;
};

static double element(const float *x, const struct shape *s, bool transposed, int leading, int i,
                      int j)
{
    const bool by_rows = transposed != s->by_rows;
    return x[by_rows ? i * leading + j : j * leading + i];
}

static double product(const struct shape *s, int i, int j, int batch)
{
    double sum = 0;
    for (int k = 0; k < K; k++)
        sum += element(a + batch * 64, s, s->trans_a, s->lda, i, k) *
               element(b + batch * 64, s, s->trans_b, s->ldb, k, j);
    return sum;
}

static cublasLtMatrixLayout_t layout(const struct shape *s, int rows, int columns, int leading)
{
    cublasLtMatrixLayout_t l;
    const int32_t order = s->by_rows ? CUBLASLT_ORDER_ROW : CUBLASLT_ORDER_COL, count = BATCH;
    const int64_t stride = 64;
    CHECK_BLAS(cublasLtMatrixLayoutCreate(&l, CUDA_R_32F, rows, columns, leading));
    CHECK_BLAS(
        cublasLtMatrixLayoutSetAttribute(l, CUBLASLT_MATRIX_LAYOUT_ORDER, &order, sizeof order));
    CHECK_BLAS(cublasLtMatrixLayoutSetAttribute(l, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count,
                                                sizeof count));
    CHECK_BLAS(cublasLtMatrixLayoutSetAttribute(l, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                                                &stride, sizeof stride));
    return l;
}

static cublasLtMatmulDesc_t description(const struct shape *s, int32_t epilogue, int64_t leading)
{
    cublasLtMatmulDesc_t p;
    const int32_t op_a = s->trans_a ? CUBLAS_OP_T : CUBLAS_OP_N;
    const int32_t op_b = s->trans_b ? CUBLAS_OP_T : CUBLAS_OP_N;
    const int64_t bias_stride = 16, aux_stride = leading * N;
    CHECK_BLAS(cublasLtMatmulDescCreate(&p, CUBLAS_COMPUTE_32F, CUDA_R_32F));
#define SET(name, value)                                                                           \
    CHECK_BLAS(cublasLtMatmulDescSetAttribute(p, CUBLASLT_MATMUL_DESC_##name, &value, sizeof value))
    SET(TRANSA, op_a);
    SET(TRANSB, op_b);
    SET(EPILOGUE, epilogue);
    if (epilogue == CUBLASLT_EPILOGUE_DEFAULT)
        return p; /* NVIDIA's library takes no pointers that nobody needs */
    if (epilogue & OF_BIAS) {
        SET(BIAS_POINTER, bias);
        SET(BIAS_BATCH_STRIDE, bias_stride);
    }
    SET(EPILOGUE_AUX_POINTER, aux);
    SET(EPILOGUE_AUX_LD, leading);
    SET(EPILOGUE_AUX_BATCH_STRIDE, aux_stride);
    return p;
}

static cublasStatus_t run(const struct shape *s, int32_t epilogue, float beta, int64_t leading = M)
{
    const float alpha = 2;
    cublasLtMatmulDesc_t p = description(s, epilogue, leading);
    cublasLtMatrixLayout_t of_a = s->trans_a ? layout(s, K, M, s->lda) : layout(s, M, K, s->lda);
    cublasLtMatrixLayout_t of_b = s->trans_b ? layout(s, N, K, s->ldb) : layout(s, K, N, s->ldb);
    cublasLtMatrixLayout_t of_d = layout(s, M, N, s->ldd);
    cublasLtMatmulPreference_t preference;
    cublasLtMatmulHeuristicResult_t found;
    int count = 0;
    const size_t bytes = WORKSPACE;
    CHECK_BLAS(cublasLtMatmulPreferenceCreate(&preference));
    CHECK_BLAS(cublasLtMatmulPreferenceSetAttribute(
        preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &bytes, sizeof bytes));
    CHECK_BLAS(cublasLtMatmulAlgoGetHeuristic(handle, p, of_a, of_b, of_d, of_d, preference, 1,
                                              &found, &count));
    CHECK_INT(count, 1);
    fill(d, 9);
    const cublasStatus_t status = cublasLtMatmul(handle, p, &alpha, a, of_a, b, of_b, &beta, c,
                                                 of_d, d, of_d, &found.algo, workspace, bytes, 0);
    CHECK_INT(cudaDeviceSynchronize(), cudaSuccess);
    CHECK_BLAS(cublasLtMatmulPreferenceDestroy(preference));
    CHECK_BLAS(cublasLtMatrixLayoutDestroy(of_a));
    CHECK_BLAS(cublasLtMatrixLayoutDestroy(of_b));
    CHECK_BLAS(cublasLtMatrixLayoutDestroy(of_d));
    CHECK_BLAS(cublasLtMatmulDescDestroy(p));
    return status;
}

static const struct shape plain = {false, false, false, M, K, M};

static void shapes(void)
{
    for (int i = 0; i < 8; i++) {
        struct shape s = {(i & 1) != 0, (i & 2) != 0, (i & 4) != 0, 0, 0, 7};
        s.lda = 8, s.ldb = 7;
        CHECK_BLAS(run(&s, CUBLASLT_EPILOGUE_DEFAULT, 3));
        for (int batch = 0; batch < BATCH; batch++)
            for (int x = 0; x < M; x++)
                for (int y = 0; y < N; y++)
                    CHECK_INT(element(d + 64 * batch, &s, false, s.ldd, x, y),
                              2 * product(&s, x, y, batch) +
                                  3 * element(c + 64 * batch, &s, false, s.ldd, x, y));
    }
}

static double gelu(double x)
{
    return 0.5 * x * (1 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
}

static void forward(void)
{
    uint8_t *mask = (uint8_t *)aux;
    CHECK_BLAS(run(&plain, CUBLASLT_EPILOGUE_RELU_AUX_BIAS, 0, MASK_BITS));
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            const double sum = 2 * product(&plain, i, j, 1) + bias[16 + i];
            const int bit = MASK_BITS * (N + j) + i;
            CHECK_INT(d[64 + i + M * j], sum > 0 ? sum : 0);
            CHECK_INT(mask[bit / 8] >> bit % 8 & 1, sum > 0);
        }
    /* The gradient of what has just been masked, and its sums by rows. */
    CHECK_BLAS(run(&plain, CUBLASLT_EPILOGUE_DRELU_BGRAD, 0, MASK_BITS));
    for (int i = 0; i < M; i++) {
        double sum = 0;
        for (int j = 0; j < N; j++) {
            const int bit = MASK_BITS * (N + j) + i;
            const bool on = (mask[bit / 8] >> bit % 8 & 1) != 0;
            CHECK_INT(d[64 + i + M * j], on ? 2 * product(&plain, i, j, 1) : 0);
            sum += on ? 2 * product(&plain, i, j, 1) : 0;
        }
        CHECK_INT(bias[16 + i], sum);
    }
    fill(bias, 4);
    CHECK_BLAS(run(&plain, CUBLASLT_EPILOGUE_GELU_AUX_BIAS, 0));
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            const double sum = 2 * product(&plain, i, j, 0) + bias[i];
            CHECK_INT(aux[i + M * j], sum);
            CHECK(fabs(d[i + M * j] - gelu(sum)) <= 1e-6 * (1 + fabs(sum)));
        }
}

/* gelu'() by a difference; and sums over A's columns and B's rows. */
static void backward(void)
{
    for (int i = 0; i < ROOM; i++)
        aux[i] = number(i, 6) / 2;
    CHECK_BLAS(run(&plain, CUBLASLT_EPILOGUE_DGELU, 0));
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            const double x = aux[i + M * j], slope = (gelu(x + 1e-5) - gelu(x - 1e-5)) / 2e-5;
            const double want = 2 * product(&plain, i, j, 0) * slope;
            CHECK(fabs(d[i + M * j] - want) <= 1e-4 * (1 + fabs(want)));
        }
    CHECK_BLAS(run(&plain, CUBLASLT_EPILOGUE_BGRADA, 0));
    for (int i = 0; i < M; i++)
        CHECK_INT(bias[i], a[i] + a[i + M] + a[i + 2 * M] + a[i + 3 * M]);
    if (!on_simulator)
        return; /* an H200's library has no kernel for the next one in float */
    CHECK_BLAS(run(&plain, CUBLASLT_EPILOGUE_BGRADB, 0));
    for (int j = 0; j < N; j++)
        CHECK_INT(bias[j], b[K * j] + b[K * j + 1] + b[K * j + 2] + b[K * j + 3]);
}

/* Elements of half and integers, in descriptors of the program's own. */
static void types(void)
{
    cublasLtMatrixLayoutOpaque_t la, lb, ld;
    cublasLtMatmulDescOpaque_t p;
    __half *h = (__half *)c, *out = (__half *)d;
    int8_t *bytes = (int8_t *)c;
    const float one = 1, none = 0;
    const int32_t one_i = 1, none_i = 0;
    for (int i = 0; i < 64; i++)
        h[i] = __float2half(number(i, 2));
    CHECK_BLAS(cublasLtMatrixLayoutInit(&la, CUDA_R_16F, M, K, M));
    CHECK_BLAS(cublasLtMatrixLayoutInit(&lb, CUDA_R_16F, K, N, K));
    CHECK_BLAS(cublasLtMatrixLayoutInit(&ld, CUDA_R_16F, M, N, M));
    CHECK_BLAS(cublasLtMatmulDescInit(&p, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    CHECK_BLAS(cublasLtMatmul(handle, &p, &one, h, &la, h + 32, &lb, &none, out, &ld, out, &ld,
                              NULL, NULL, 0, 0));
    CHECK_INT(cudaDeviceSynchronize(), cudaSuccess);
    for (int i = 0; i < M * N; i++) {
        float sum = 0;
        for (int k = 0; k < K; k++)
            sum += number(i % M + M * k, 2) * number(32 + k + K * (i / M), 2);
        CHECK_INT(__half2float(out[i]), sum);
    }
    for (int i = 0; i < 64; i++)
        bytes[i] = (int8_t)(100 - 3 * i);
    CHECK_BLAS(cublasLtMatrixLayoutInit(&la, CUDA_R_8I, K, M, K));
    CHECK_BLAS(cublasLtMatrixLayoutInit(&lb, CUDA_R_8I, K, N, K));
    CHECK_BLAS(cublasLtMatrixLayoutInit(&ld, CUDA_R_32I, M, N, M));
    CHECK_BLAS(cublasLtMatmulDescInit(&p, CUBLAS_COMPUTE_32I, CUDA_R_32I));
    const int32_t t = CUBLAS_OP_T;
    CHECK_BLAS(cublasLtMatmulDescSetAttribute(&p, CUBLASLT_MATMUL_DESC_TRANSA, &t, sizeof t));
    CHECK_BLAS(cublasLtMatmul(handle, &p, &one_i, bytes, &la, bytes + 32, &lb, &none_i, d, &ld, d,
                              &ld, NULL, NULL, 0, 0));
    CHECK_INT(cudaDeviceSynchronize(), cudaSuccess);
    for (int i = 0; i < M * N; i++) {
        int sum = 0;
        for (int k = 0; k < K; k++)
            sum += bytes[k + K * (i % M)] * bytes[32 + k + K * (i / M)];
        CHECK_INT(((int *)d)[i], sum);
    }
}

static void mistakes(void)
{
    cublasLtMatrixLayoutOpaque_t l, wrong;
    cublasLtMatmulDescOpaque_t p;
    const float one = 1;
    struct shape s = plain;
    uint64_t rows = 0;
    size_t written = 0;
    CHECK_BLAS(cublasLtMatrixLayoutInit(&l, CUDA_R_32F, M, M, M));
    CHECK_BLAS(cublasLtMatrixLayoutInit(&wrong, CUDA_R_32F, M, N, M));
    CHECK_BLAS(cublasLtMatmulDescInit(&p, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    CHECK_BLAS(cublasLtMatrixLayoutGetAttribute(&wrong, CUBLASLT_MATRIX_LAYOUT_COLS, &rows,
                                                sizeof rows, &written));
    CHECK_INT(rows, N);
    CHECK_INT(written, sizeof rows);
    CHECK_INT(cublasLtMatmul(handle, &p, &one, a, &l, b, &l, &one, d, &wrong, d, &wrong, NULL, NULL,
                             0, 0),
              CUBLAS_STATUS_INVALID_VALUE);
    CHECK_INT(cublasLtMatmul(NULL, &p, &one, a, &l, b, &l, &one, d, &l, d, &l, NULL, NULL, 0, 0),
              CUBLAS_STATUS_NOT_INITIALIZED);
    s.by_rows = false;
    CHECK_INT(run(&s, CUBLASLT_EPILOGUE_RELU_AUX, 0, M), CUBLAS_STATUS_INVALID_VALUE);
}

int main(void)
{
    CHECK_BLAS(cublasLtCreate(&handle));
    CHECK_INT(cudaMalloc(&workspace, WORKSPACE), cudaSuccess);
    float **const all[] = {&a, &b, &c, &d, &bias, &aux};
    for (int i = 0; i < 6; i++) {
        CHECK_INT(cudaMallocManaged(all[i], ROOM * sizeof(float)), cudaSuccess);
        fill(*all[i], i);
    }
    shapes();
    forward();
    backward();
    types();
    if (on_simulator)
        mistakes();
    CHECK_BLAS(cublasLtDestroy(handle));
    return check_done();
}
