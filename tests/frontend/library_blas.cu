/* flags: -lcublas */
/* cuBLAS against sums that the host makes: all operations on matrices whose leading dimension is
 * larger than they are, scalars of both sides, batches, elements of 16 bits, in a captured stream;
 * and what is wrong. */
#include "check.h"
#include <cublas_v2.h>
#include <cuda_fp16.h>

#define CHECK_BLAS(call) CHECK_INT(call, CUBLAS_STATUS_SUCCESS)

enum { M = 37, N = 21, K = 29, LEADING = 41, ROOM = LEADING * 41 };

static cublasHandle_t handle;

/* Small whole numbers, so that all sums are exact in any order. */
template <typename T> static T *matrix(int seed)
{
    T *a = make_array<T>(ROOM);
    for (int i = 0; i < ROOM; i++)
        a[i] = T((i * 7 + seed * 13) % 11 - 5);
    return a;
}

template <typename T> static double at(const T *a, bool transposed, int row, int column)
{
    return double(transposed ? a[column + row * LEADING] : a[row + column * LEADING]);
}

static cublasStatus_t gemm(cublasOperation_t a, cublasOperation_t b, const float *alpha,
                           const float *x, const float *y, const float *beta, float *z)
{
    return cublasSgemm(handle, a, b, M, N, K, alpha, x, LEADING, y, LEADING, beta, z, LEADING);
}
static cublasStatus_t gemm(cublasOperation_t a, cublasOperation_t b, const double *alpha,
                           const double *x, const double *y, const double *beta, double *z)
{
    return cublasDgemm(handle, a, b, M, N, K, alpha, x, LEADING, y, LEADING, beta, z, LEADING);
}
static cublasStatus_t gemm(cublasOperation_t a, cublasOperation_t b, const __half *alpha,
                           const __half *x, const __half *y, const __half *beta, __half *z)
{
    return cublasHgemm(handle, a, b, M, N, K, alpha, x, LEADING, y, LEADING, beta, z, LEADING);
}

template <typename T>
static void check_product(const T *x, const T *y, const T *before, const T *got, bool of_a,
                          bool of_b, double beta)
{
    for (int j = 0; j < LEADING; j++)
        for (int i = 0; i < LEADING; i++) {
            double want = double(before[i + j * LEADING]);
            if (i < M && j < N) {
                want = beta == 0 ? 0 : want * beta;
                for (int k = 0; k < K; k++)
                    want += 2 * at(x, of_a, i, k) * at(y, of_b, k, j);
            }
            CHECK_FLOAT(double(got[i + j * LEADING]) + 0.0, want + 0.0, 0);
        }
}

template <typename T> static void products()
{
    T *x = matrix<T>(1), *y = matrix<T>(2), *before = matrix<T>(3), *got = matrix<T>(3);
    for (int way = 0; way < 4; way++) {
        const T alpha = T(2), beta = T(way - 1);
        memcpy((void *)got, (void *)before, ROOM * sizeof(T));
        CHECK_BLAS(gemm(way & 1 ? CUBLAS_OP_T : CUBLAS_OP_N, way & 2 ? CUBLAS_OP_T : CUBLAS_OP_N,
                        &alpha, x, y, &beta, got));
        CHECK_OK(cudaDeviceSynchronize());
        check_product(x, y, before, got, way & 1, way & 2, way - 1);
    }
}

/* beta of 0 does not read C, which is NaN here; and an element between two columns stays as it is.
 */
static void product_over_nothing()
{
    float *x = matrix<float>(1), *y = matrix<float>(2), *z = make_array<float>(ROOM);
    const float alpha = 2, beta = 0;
    CHECK_BLAS(gemm(CUBLAS_OP_N, CUBLAS_OP_N, &alpha, x, y, &beta, z));
    CHECK_OK(cudaDeviceSynchronize());
    float sum = 0;
    for (int k = 0; k < K; k++)
        sum += 2 * x[k * LEADING] * y[k];
    CHECK_FLOAT(z[0], sum, 0);
    CHECK(isnan(z[M]));
}

static void batches()
{
    enum { S = 4, COUNT = 5 };
    float *a = make_array<float>(16 * COUNT), *b = make_array<float>(16 * COUNT);
    float *c = make_array<float>(16 * COUNT), *d = make_array<float>(16 * COUNT);
    float **arrays = make_array<float *>(3 * COUNT);
    for (int i = 0; i < 16 * COUNT; i++)
        a[i] = float(i % 7), b[i] = float(i % 5), d[i] = c[i] = 1;
    for (int i = 0; i < COUNT; i++) {
        arrays[i] = a + 16 * i;
        arrays[COUNT + i] = b + 16 * (COUNT - 1 - i); /* in another order */
        arrays[2 * COUNT + i] = c + 16 * i;
    }
    const float alpha = 1, beta = 3;
    CHECK_BLAS(cublasSgemmBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, S, S, S, &alpha, arrays, S,
                                  arrays + COUNT, S, &beta, arrays + 2 * COUNT, S, COUNT));
    CHECK_BLAS(cublasSgemmStridedBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, S, S, S, &alpha, a, S,
                                         16, b, S, 16, &beta, d, S, 16, COUNT));
    CHECK_OK(cudaDeviceSynchronize());
    for (int i = 0; i < COUNT; i++)
        for (int e = 0; e < 16; e++) {
            float batched = 3, strided = 3;
            for (int k = 0; k < S; k++) {
                batched += a[16 * i + e % S + k * S] * b[16 * (COUNT - 1 - i) + k + e / S * S];
                strided += a[16 * i + e % S + k * S] * b[16 * i + k + e / S * S];
            }
            CHECK_FLOAT(c[16 * i + e], batched, 0);
            CHECK_FLOAT(d[16 * i + e], strided, 0);
        }
}

static void mixed_types()
{
    __half *a = make_array<__half>(9);
    signed char *p = make_array<signed char>(16);
    float *c = make_array<float>(9);
    int *q = make_array<int>(16);
    for (int i = 0; i < 9; i++)
        a[i] = __float2half(0.1f * float(i));
    for (int i = 0; i < 16; i++)
        p[i] = (signed char)(i * 9 - 70);
    const float one = 1, zero = 0;
    const int whole = 1, nothing = 0;
    CHECK_BLAS(cublasGemmEx(handle, CUBLAS_OP_T, CUBLAS_OP_N, 3, 3, 3, &one, a, CUDA_R_16F, 3, a,
                            CUDA_R_16F, 3, &zero, c, CUDA_R_32F, 3, CUBLAS_COMPUTE_32F,
                            CUBLAS_GEMM_DEFAULT));
    CHECK_BLAS(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &whole, p, CUDA_R_8I, 4, p,
                            CUDA_R_8I, 4, &nothing, q, CUDA_R_32I, 4, CUBLAS_COMPUTE_32I,
                            CUBLAS_GEMM_DEFAULT));
    CHECK_OK(cudaDeviceSynchronize());
    for (int e = 0; e < 9; e++) {
        double want = 0;
        for (int k = 0; k < 3; k++)
            want += double(__half2float(a[k + e % 3 * 3])) * double(__half2float(a[k + e / 3 * 3]));
        CHECK_FLOAT(c[e], want, 1e-6);
    }
    for (int e = 0; e < 16; e++) {
        int want = 0;
        for (int k = 0; k < 4; k++)
            want += p[e % 4 + k * 4] * p[k + e / 4 * 4];
        CHECK_INT(q[e], want);
    }
}

/* ---- vectors --------------------------------------------------------------------------------- */

static void vectors()
{
    enum { COUNT = 1000 };
    double *x = make_array<double>(2 * COUNT), *y = make_array<double>(3 * COUNT);
    double dot = 0, absolute = 0, squares = 0, got, alpha = -0.5;
    int index;
    for (int i = 0; i < 2 * COUNT; i++)
        x[i] = i % 17 - 8 + (i == 500 ? 100 : 0);
    for (int i = 0; i < 3 * COUNT; i++)
        y[i] = i % 13;
    for (int i = 0; i < COUNT; i++) {
        dot += x[2 * i] * y[3 * i];
        absolute += fabs(x[2 * i]);
        squares += x[2 * i] * x[2 * i];
    }
    CHECK_BLAS(cublasDdot(handle, COUNT, x, 2, y, 3, &got));
    CHECK_FLOAT(got, dot, 0);
    CHECK_BLAS(cublasDasum(handle, COUNT, x, 2, &got));
    CHECK_FLOAT(got, absolute, 0);
    CHECK_BLAS(cublasDnrm2(handle, COUNT, x, 2, &got));
    CHECK_FLOAT(got, sqrt(squares), 1e-14);
    CHECK_BLAS(cublasIdamax(handle, COUNT, x, 2, &index));
    CHECK_INT(index, 251); /* counted from 1 */
    CHECK_BLAS(cublasIdamin(handle, COUNT, x, 2, &index));
    CHECK_INT(index, 5);
    CHECK_BLAS(cublasDaxpy(handle, COUNT, &alpha, x, 2, y, 3));
    CHECK_BLAS(cublasDscal(handle, COUNT, &alpha, x, 2));
    CHECK_OK(cudaDeviceSynchronize());
    CHECK_FLOAT(y[3 * 9], 27 % 13 - 0.5 * (18 % 17 - 8), 0);
    CHECK_FLOAT(y[3 * 9 + 1], 28 % 13, 0);
    CHECK_FLOAT(x[2 * 9], -0.5 * (18 % 17 - 8), 0);
    CHECK_BLAS(cublasDcopy(handle, COUNT, x, -1, y, 1)); /* backwards */
    CHECK_OK(cudaDeviceSynchronize());
    CHECK_FLOAT(y[0], x[COUNT - 1], 0);
    const double first = x[0], other = y[0];
    CHECK_BLAS(cublasDswap(handle, 2, x, 1, y, 1));
    CHECK_OK(cudaDeviceSynchronize());
    CHECK(x[0] == other && y[0] == first);
}

/* A scalar and a result that are the device's. */
static void device_pointers()
{
    float *x = make_array<float>(8), *scalars = make_array<float>(2), one = 1;
    for (int i = 0; i < 8; i++)
        x[i] = float(i);
    scalars[0] = 3;
    CHECK_BLAS(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE));
    CHECK_BLAS(cublasSscal(handle, 8, scalars, x, 1));
    CHECK_BLAS(cublasSasum(handle, 8, x, 1, scalars + 1));
    CHECK_OK(cudaDeviceSynchronize());
    CHECK_FLOAT(scalars[1], 84, 0);
    if (on_simulator)
        CHECK_INT(cublasSscal(handle, 8, &one, x, 1), CUBLAS_STATUS_INVALID_VALUE);
    CHECK_BLAS(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST));
}

/* ---- other operations on matrices ------------------------------------------------------------ */

static void matrices_and_vectors()
{
    float *a = matrix<float>(4), *x = matrix<float>(5), *y = matrix<float>(6);
    float *b = matrix<float>(4), alpha = 2, beta = -1;
    CHECK_BLAS(cublasSgemv(handle, CUBLAS_OP_T, M, N, &alpha, a, LEADING, x, 2, &beta, y, 1));
    CHECK_BLAS(cublasSger(handle, M, N, &alpha, x, 1, a, 1, b, LEADING));
    CHECK_OK(cudaDeviceSynchronize());
    const float *before = matrix<float>(6);
    for (int j = 0; j < N; j++) {
        double want = -double(before[j]);
        for (int i = 0; i < M; i++)
            want += 2 * at(a, false, i, j) * double(x[2 * i]);
        CHECK_FLOAT(y[j] + 0.0, want + 0.0, 0);
    }
    CHECK_FLOAT(y[N], before[N], 0);
    CHECK_FLOAT(b[3 + 4 * LEADING], a[3 + 4 * LEADING] + 2 * x[3] * a[4], 0);
}

/* A triangle times what solving it gives is what was there before. */
static void triangles()
{
    enum { SIZE = 12, OTHER = 7 };
    double *t = matrix<double>(7), *b = matrix<double>(8), *before = matrix<double>(8), alpha = 4;
    for (int i = 0; i < SIZE; i++)
        t[i + i * LEADING] = 8;
    for (int way = 0; way < 8; way++) {
        const bool left = way & 1, lower = way & 2, transposed = way & 4;
        const int rows = left ? SIZE : OTHER, columns = left ? OTHER : SIZE;
        memcpy(b, before, ROOM * sizeof *b);
        CHECK_BLAS(cublasDtrsm(handle, left ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT,
                               lower ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER,
                               transposed ? CUBLAS_OP_T : CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, rows,
                               columns, &alpha, t, LEADING, b, LEADING));
        CHECK_OK(cudaDeviceSynchronize());
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < columns; j++) {
                double sum = 0;
                for (int k = 0; k < SIZE; k++) {
                    const int r = left ? i : k, c = left ? k : j;
                    const int stored_r = transposed ? c : r, stored_c = transposed ? r : c;
                    if (lower ? stored_r >= stored_c : stored_r <= stored_c)
                        sum += t[stored_r + stored_c * LEADING] *
                               (left ? b[k + j * LEADING] : b[i + k * LEADING]);
                }
                CHECK(fabs(sum - 4 * before[i + j * LEADING]) <= 1e-7);
            }
    }
}

static void factors()
{
    enum { SIZE = 6, COUNT = 3 };
    double *a = make_array<double>(SIZE * SIZE * COUNT),
           *lu = make_array<double>(SIZE * SIZE * COUNT);
    double *inverse = make_array<double>(SIZE * SIZE * COUNT);
    double **arrays = make_array<double *>(2 * COUNT);
    int *pivots = make_array<int>(SIZE * COUNT), *info = make_array<int>(COUNT);
    for (int i = 0; i < SIZE * SIZE * COUNT; i++)
        lu[i] = a[i] = (i * i * 31 + i * 7) % 19 - 9 + (i % 7 == 0);
    for (int i = 0; i < COUNT; i++) {
        arrays[i] = lu + i * SIZE * SIZE;
        arrays[COUNT + i] = inverse + i * SIZE * SIZE;
    }
    CHECK_BLAS(cublasDgetrfBatched(handle, SIZE, arrays, SIZE, pivots, info, COUNT));
    CHECK_BLAS(
        cublasDgetriBatched(handle, SIZE, arrays, SIZE, pivots, arrays + COUNT, SIZE, info, COUNT));
    CHECK_OK(cudaDeviceSynchronize());
    for (int n = 0; n < COUNT; n++)
        for (int i = 0; i < SIZE; i++)
            for (int j = 0; j < SIZE; j++) {
                double sum = 0;
                for (int k = 0; k < SIZE; k++)
                    sum += a[n * 36 + i + k * SIZE] * inverse[n * 36 + k + j * SIZE];
                CHECK(fabs(sum - (i == j)) <= 1e-9);
            }
}

/* ---- streams, graphs, mistakes --------------------------------------------------------------- */

static void captured()
{
    float *x, h[4] = {1, 2, 3, 4}, three = 3;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK_CUDA(cudaMalloc(&x, sizeof h));
    CHECK_OK(cudaStreamCreate(&stream));
    CHECK_BLAS(cublasSetVector(4, sizeof(float), h, 1, x, 1));
    CHECK_BLAS(cublasSetStream(handle, stream));
    CHECK_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CHECK_BLAS(cublasSscal(handle, 4, &three, x, 1));
    three = 100; /* it was read */
    CHECK_OK(cudaStreamEndCapture(stream, &graph));
    CHECK_OK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK_OK(cudaGraphDestroy(graph));
    CHECK_OK(cudaGraphLaunch(exec, stream));
    CHECK_OK(cudaGraphLaunch(exec, stream));
    CHECK_OK(cudaStreamSynchronize(stream));
    CHECK_BLAS(cublasGetVector(4, sizeof(float), x, 1, h, 1));
    CHECK_FLOAT(h[3], 36, 0);
    CHECK_OK(cudaGraphExecDestroy(exec));
    CHECK_BLAS(cublasSetStream(handle, 0));
}

static void mistakes()
{
    float *a = make_array<float>(16), *device, host[16], one = 1;
    CHECK_CUDA(cudaMalloc(&device, sizeof *device));
    CHECK_INT(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &one, a, 3, a, 4, &one, a, 4),
              CUBLAS_STATUS_INVALID_VALUE);
    CHECK_INT(cublasSaxpy(NULL, 4, &one, a, 1, a, 1), CUBLAS_STATUS_NOT_INITIALIZED);
    if (on_simulator) { /* undefined on a card */
        CHECK_INT(cublasSscal(handle, 17, &one, a, 1), CUBLAS_STATUS_INVALID_VALUE);
        CHECK_INT(cublasSscal(handle, 4, &one, host, 1), CUBLAS_STATUS_INVALID_VALUE);
        /* A result where the pointer mode does not look for it. */
        CHECK_INT(cublasSdot(handle, 4, a, 1, a, 1, device), CUBLAS_STATUS_INVALID_VALUE);
        CHECK_BLAS(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE));
        CHECK_INT(cublasSdot(handle, 4, a, 1, a, 1, &one), CUBLAS_STATUS_INVALID_VALUE);
        CHECK_BLAS(cublasSdot(handle, 4, a, 1, a, 1, device));
        CHECK_BLAS(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST));
    }
}

int main()
{
    CHECK_BLAS(cublasCreate(&handle));
    products<float>();
    products<double>();
    products<__half>();
    product_over_nothing();
    batches();
    mixed_types();
    vectors();
    device_pointers();
    matrices_and_vectors();
    triangles();
    factors();
    captured();
    mistakes();
    CHECK_BLAS(cublasDestroy(handle));
    return check_result();
}
