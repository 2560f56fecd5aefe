/* flags: -lcublas */
/* cuBLAS against sums that the host makes: triangles and symmetric matrices, whose other triangle
 * holds what nobody may read, from both sides; and vectors of mixed types. All numbers are small
 * whole ones, so that sums are exact. */
#include "check.h"
#include <cublas_api.h>
#include <cublasXt.h>
#include <cublas_v2.h>
#include <cuda_fp16.h>

#define CHECK_BLAS(call) CHECK_INT(call, CUBLAS_STATUS_SUCCESS)

enum { M = 7, N = 5, K = 4, LEADING = 9, ROOM = LEADING * LEADING };

static cublasHandle_t handle;
static const cublasFillMode_t triangles[] = {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER};
static const cublasOperation_t operations[] = {CUBLAS_OP_N, CUBLAS_OP_T};
static const cublasSideMode_t sides[] = {CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT};

static double number(int i, int j, int seed) { return (7 * i + 3 * j + 5 * seed) % 9 - 4; }

template <typename T> static T *matrix(int seed)
{
    T *a = make_array<T>(ROOM);
    for (int i = 0; i < LEADING; i++)
        for (int j = 0; j < LEADING; j++)
            a[i + LEADING * j] = T(number(i, j, seed));
    return a;
}

static bool is_stored(cublasFillMode_t uplo, int i, int j)
{
    return uplo == CUBLAS_FILL_MODE_LOWER ? i >= j : i <= j;
}

/* The triangle of matrix 0; the rest is no number. */
static double *triangle(cublasFillMode_t uplo)
{
    double *a = matrix<double>(0);
    for (int i = 0; i < LEADING; i++)
        for (int j = 0; j < LEADING; j++)
            if (!is_stored(uplo, i, j))
                a[i + LEADING * j] = NAN;
    return a;
}

static double in_triangle(cublasFillMode_t uplo, cublasOperation_t op, cublasDiagType_t diag, int i,
                          int j)
{
    const int row = op == CUBLAS_OP_N ? i : j, column = op == CUBLAS_OP_N ? j : i;
    if (row == column && diag == CUBLAS_DIAG_UNIT)
        return 1;
    return is_stored(uplo, row, column) ? number(row, column, 0) : 0;
}

static double in_symmetric(cublasFillMode_t uplo, int i, int j)
{
    return is_stored(uplo, i, j) ? number(i, j, 0) : number(j, i, 0);
}

static void with_triangle(cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t op,
                          cublasDiagType_t diag, bool in_place)
{
    const bool left = side == CUBLAS_SIDE_LEFT;
    double *a = triangle(uplo), *b = matrix<double>(1), *c = in_place ? b : matrix<double>(2);
    double alpha = 3;
    CHECK_BLAS(cublasDtrmm(handle, side, uplo, op, diag, M, N, &alpha, a, LEADING, b, LEADING, c,
                           LEADING));
    CHECK_OK(cudaDeviceSynchronize());
    for (int i = 0; i < LEADING; i++)
        for (int j = 0; j < LEADING; j++) {
            double want = number(i, j, in_place ? 1 : 2);
            if (i < M && j < N) {
                want = 0;
                for (int k = 0; k < (left ? M : N); k++)
                    want += 3 * (left ? in_triangle(uplo, op, diag, i, k) * number(k, j, 1)
                                      : number(i, k, 1) * in_triangle(uplo, op, diag, k, j));
            }
            CHECK_FLOAT(c[i + LEADING * j] + 0.0, want + 0.0, 0);
        }
}

static void vector_with_triangle(cublasFillMode_t uplo, cublasOperation_t op)
{
    double *a = triangle(uplo), *x = matrix<double>(1);
    CHECK_BLAS(cublasDtrmv(handle, uplo, op, CUBLAS_DIAG_NON_UNIT, N, a, LEADING, x, 2));
    CHECK_OK(cudaDeviceSynchronize());
    for (int i = 0; i < N; i++) {
        double want = 0;
        for (int k = 0; k < N; k++)
            want += in_triangle(uplo, op, CUBLAS_DIAG_NON_UNIT, i, k) *
                    number(2 * k % LEADING, 2 * k / LEADING, 1);
        CHECK_FLOAT(x[2 * i] + 0.0, want + 0.0, 0);
    }
}

static void with_symmetric(cublasSideMode_t side, cublasFillMode_t uplo)
{
    const bool left = side == CUBLAS_SIDE_LEFT;
    double *a = triangle(uplo), *b = matrix<double>(1), *c = matrix<double>(2);
    double alpha = 2, beta = -1;
    CHECK_BLAS(
        cublasDsymm(handle, side, uplo, M, N, &alpha, a, LEADING, b, LEADING, &beta, c, LEADING));
    CHECK_OK(cudaDeviceSynchronize());
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            double want = -number(i, j, 2);
            for (int k = 0; k < (left ? M : N); k++)
                want += 2 * (left ? in_symmetric(uplo, i, k) * number(k, j, 1)
                                  : number(i, k, 1) * in_symmetric(uplo, k, j));
            CHECK_FLOAT(c[i + LEADING * j] + 0.0, want + 0.0, 0);
        }
}

/* One vector, two vectors, two matrices: what is not in the triangle stays. */
static void updates(cublasFillMode_t uplo)
{
    double *one = matrix<double>(2), *two = matrix<double>(2), alpha = 2;
    double *x = matrix<double>(1), *y = matrix<double>(3);
    CHECK_BLAS(cublasDsyr(handle, uplo, M, &alpha, x, 1, one, LEADING));
    CHECK_BLAS(cublasDsyr2(handle, uplo, M, &alpha, x, 1, y, 1, two, LEADING));
    CHECK_OK(cudaDeviceSynchronize());
    for (int i = 0; i < LEADING; i++)
        for (int j = 0; j < LEADING; j++) {
            const bool changes = i < M && j < M && is_stored(uplo, i, j);
            const double before = number(i, j, 2), xi = number(i, 0, 1), xj = number(j, 0, 1);
            CHECK_FLOAT(one[i + LEADING * j] + 0.0, before + (changes ? 2 * xi * xj : 0), 0);
            CHECK_FLOAT(two[i + LEADING * j] + 0.0,
                        before + (changes ? 2 * (xi * number(j, 0, 3) + xj * number(i, 0, 3)) : 0),
                        0);
        }
}

static void sums_of_products(cublasFillMode_t uplo, cublasOperation_t op)
{
    const bool plain = op == CUBLAS_OP_N;
    float *a = matrix<float>(1), *b = matrix<float>(3), *c = matrix<float>(2), alpha = 2, beta = 3;
    CHECK_BLAS(
        cublasSsyr2k(handle, uplo, op, M, K, &alpha, a, LEADING, b, LEADING, &beta, c, LEADING));
    CHECK_OK(cudaDeviceSynchronize());
    for (int i = 0; i < M; i++)
        for (int j = 0; j < M; j++) {
            double want = number(i, j, 2);
            if (is_stored(uplo, i, j)) {
                want *= 3;
                for (int p = 0; p < K; p++)
                    want += plain ? 2 * (number(i, p, 1) * number(j, p, 3) +
                                         number(i, p, 3) * number(j, p, 1))
                                  : 2 * (number(p, i, 1) * number(p, j, 3) +
                                         number(p, i, 3) * number(p, j, 1));
            }
            CHECK_FLOAT(double(c[i + LEADING * j]) + 0.0, want + 0.0, 0);
        }
}

static void mixed_vectors()
{
    enum { COUNT = 20 };
    __half *x = make_array<__half>(2 * COUNT), *y = make_array<__half>(COUNT), dot, norm;
    float alpha = 0.5f;
    double sum = 0, squares = 0;
    for (int i = 0; i < COUNT; i++) {
        x[2 * i] = __float2half(float(number(i, 0, 1)));
        y[i] = __float2half(float(number(i, 1, 2)));
        sum += number(i, 0, 1) * number(i, 1, 2);
        squares += number(i, 0, 1) * number(i, 0, 1);
    }
    CHECK_BLAS(cublasDotEx(handle, COUNT, x, CUDA_R_16F, 2, y, CUDA_R_16F, 1, &dot, CUDA_R_16F,
                           CUDA_R_32F));
    CHECK_FLOAT(double(__half2float(dot)) + 0.0, sum + 0.0, 0);
    CHECK_BLAS(cublasNrm2Ex(handle, COUNT, x, CUDA_R_16F, 2, &norm, CUDA_R_16F, CUDA_R_32F));
    CHECK_FLOAT(double(__half2float(norm)) + 0.0, sqrt(squares) + 0.0, 1e-3);
    double *far = make_array<double>(2), length = -1; /* squares that no double holds */
    far[0] = 3e200;
    far[1] = -4e200;
    CHECK_BLAS(cublasNrm2Ex(handle, 2, far, CUDA_R_64F, 1, &length, CUDA_R_64F, CUDA_R_64F));
    CHECK_FLOAT(length / 1e200, 5.0, 1e-12);
    CHECK_BLAS(cublasAxpyEx(handle, COUNT, &alpha, CUDA_R_32F, x, CUDA_R_16F, 2, y, CUDA_R_16F, 1,
                            CUDA_R_32F));
    CHECK_BLAS(cublasScalEx(handle, COUNT, &alpha, CUDA_R_32F, x, CUDA_R_16F, 2, CUDA_R_32F));
    CHECK_OK(cudaDeviceSynchronize());
    for (int i = 0; i < COUNT; i++) {
        CHECK_FLOAT(double(__half2float(y[i])) + 0.0, number(i, 1, 2) + 0.5 * number(i, 0, 1), 0);
        CHECK_FLOAT(double(__half2float(x[2 * i])) + 0.0, 0.5 * number(i, 0, 1), 0);
    }
    /* Types that the documentation's tables do not name together. */
    float result = -1;
    CHECK_INT(cublasDotEx(handle, COUNT, x, CUDA_R_16F, 2, &alpha, CUDA_R_32F, 1, &result,
                          CUDA_R_32F, CUDA_R_32F),
              CUBLAS_STATUS_NOT_SUPPORTED);
    CHECK_INT(cublasNrm2Ex(handle, COUNT, x, CUDA_R_16F, 2, &result, CUDA_R_32F, CUDA_R_32F),
              CUBLAS_STATUS_NOT_SUPPORTED);
    CHECK_INT(cublasAxpyEx(handle, COUNT, &alpha, CUDA_R_32F, x, CUDA_R_16F, 2, &result, CUDA_R_32F,
                           1, CUDA_R_32F),
              CUBLAS_STATUS_NOT_SUPPORTED);
}

/* Matrices of the host's, wider than what is used of them. */
static void of_the_host(cublasOperation_t op_a, cublasOperation_t op_b)
{
    cublasXtHandle_t xt;
    int device = 0, absent = 99, block = 0;
    float a[ROOM], b[ROOM], c[ROOM], alpha = 2, beta = -1;
    CHECK_BLAS(cublasXtCreate(&xt));
    CHECK_BLAS(cublasXtDeviceSelect(xt, 1, &device));
    CHECK_INT(cublasXtDeviceSelect(xt, 1, &absent), CUBLAS_STATUS_INVALID_VALUE);
    CHECK_BLAS(cublasXtSetBlockDim(xt, 64));
    CHECK_BLAS(cublasXtGetBlockDim(xt, &block));
    CHECK_INT(block, 64);
    for (int i = 0; i < LEADING; i++)
        for (int j = 0; j < LEADING; j++) {
            a[i + LEADING * j] = (float)number(i, j, 1);
            b[i + LEADING * j] = (float)number(i, j, 2);
            c[i + LEADING * j] = (float)number(i, j, 3);
        }
    CHECK_BLAS(cublasXtSgemm(xt, op_a, op_b, M, N, K, &alpha, a, LEADING, b, LEADING, &beta, c, LEADING));
    for (int i = 0; i < LEADING; i++)
        for (int j = 0; j < LEADING; j++) {
            double sum = 0;
            for (int k = 0; k < K; k++)
                sum += (op_a == CUBLAS_OP_N ? number(i, k, 1) : number(k, i, 1)) *
                       (op_b == CUBLAS_OP_N ? number(k, j, 2) : number(j, k, 2));
            const bool made = i < M && j < N;
            CHECK_INT(c[i + LEADING * j], made ? 2 * sum - number(i, j, 3) : number(i, j, 3));
        }
    CHECK_BLAS(cublasXtDestroy(xt));
}

int main()
{
    for (cublasOperation_t a : operations)
        for (cublasOperation_t b : operations)
            of_the_host(a, b);
    CHECK_BLAS(cublasCreate(&handle));
    for (cublasFillMode_t uplo : triangles) {
        for (cublasSideMode_t side : sides) {
            for (cublasOperation_t op : operations) {
                with_triangle(side, uplo, op, CUBLAS_DIAG_NON_UNIT, false);
                with_triangle(side, uplo, op, CUBLAS_DIAG_UNIT, true);
            }
            with_symmetric(side, uplo);
        }
        for (cublasOperation_t op : operations) {
            vector_with_triangle(uplo, op);
            sums_of_products(uplo, op);
        }
        updates(uplo);
    }
    mixed_vectors();
    CHECK_BLAS(cublasDestroy(handle));
    return check_result();
}
