/* flags: -lcusolver -lcublas */
/* cuSOLVER by what its factors are for: solutions of known equations, A = Q R, A V = V W, A = U S
 * V'; both triangles, both sides, matrices whose leading dimension is larger than they are;
 * singular matrices, and what is rejected. */
#include "check.h"
#include <cusolverDn.h>

#define CHECK_SOLVER(call) CHECK_INT(call, CUSOLVER_STATUS_SUCCESS)

enum { N = 6, M = 8, LEADING = 9, SIDES = 3, ROOM = LEADING * LEADING };
/* Of the workspaces, in doubles: more than NVIDIA's library wants for matrices of this size. */
enum { WORK = 1 << 17, BYTES = 8 * WORK };

static cusolverDnHandle_t handle;
static int *info;
static double *workspace, *host_workspace;
static int words;

static double number(int i, int j)
{
    return (7 * i + 5 * j + i * j % 3) % 11 - 4 + (i == j ? 9 : 0);
}

static double *matrix(int rows, int columns)
{
    double *a = make_array<double>(ROOM);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            a[i + LEADING * j] = number(i, j);
    return a;
}

/* Right sides of A x = b, or A' x = b, with x(i, s) = i - 2 s + 1. */
static double *right_sides(const double *a, int n, bool turned)
{
    double *b = make_array<double>(ROOM);
    for (int i = 0; i < n; i++)
        for (int s = 0; s < SIDES; s++) {
            b[i + LEADING * s] = 0;
            for (int k = 0; k < n; k++)
                b[i + LEADING * s] +=
                    (turned ? a[k + LEADING * i] : a[i + LEADING * k]) * (k - 2 * s + 1);
        }
    return b;
}

static void check_solution(const double *x, int n)
{
    CHECK_OK(cudaDeviceSynchronize());
    CHECK_INT(*info, 0);
    for (int i = 0; i < n; i++)
        for (int s = 0; s < SIDES; s++)
            CHECK(fabs(x[i + LEADING * s] - (i - 2 * s + 1)) <= 1e-10);
}

static void with_lu(bool pivots)
{
    double *a = matrix(N, N), *before = matrix(N, N);
    int *rows = pivots ? make_array<int>(N) : NULL;
    double *b = right_sides(before, N, false), *c = right_sides(before, N, true);
    CHECK_SOLVER(cusolverDnDgetrf_bufferSize(handle, N, N, a, LEADING, &words));
    CHECK(words > 0 && words <= WORK);
    CHECK_SOLVER(cusolverDnDgetrf(handle, N, N, a, LEADING, workspace, rows, info));
    CHECK_SOLVER(
        cusolverDnDgetrs(handle, CUBLAS_OP_N, N, SIDES, a, LEADING, rows, b, LEADING, info));
    check_solution(b, N);
    CHECK_SOLVER(
        cusolverDnDgetrs(handle, CUBLAS_OP_T, N, SIDES, a, LEADING, rows, c, LEADING, info));
    check_solution(c, N);
    for (int i = 0; i < N && pivots; i++)
        CHECK(rows[i] > i && rows[i] <= N);
}

static void singular()
{
    float *a = make_array<float>(9), *work = (float *)workspace;
    int *rows = make_array<int>(3);
    for (int i = 0; i < 9; i++)
        a[i] =
            float(i % 3 + i / 3 * 3 + 1); /* the third column is twice the second less the first */
    CHECK_SOLVER(cusolverDnSgetrf(handle, 3, 3, a, 3, work, rows, info));
    CHECK_OK(cudaDeviceSynchronize());
    CHECK_INT(*info, 3);
    CHECK_INT(rows[0], 3);
}

static void with_cholesky(cublasFillMode_t uplo)
{
    double *whole = make_array<double>(ROOM), *a = make_array<double>(ROOM);
    const bool lower = uplo == CUBLAS_FILL_MODE_LOWER;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double sum = i == j ? 1 : 0;
            for (int k = 0; k < N; k++)
                sum += number(i, k) * number(j, k);
            whole[i + LEADING * j] = sum;
            a[i + LEADING * j] = (lower ? i >= j : i <= j) ? sum : NAN;
        }
    double *b = right_sides(whole, N, false);
    CHECK_SOLVER(cusolverDnDpotrf_bufferSize(handle, uplo, N, a, LEADING, &words));
    CHECK_SOLVER(cusolverDnDpotrf(handle, uplo, N, a, LEADING, workspace, WORK, info));
    CHECK_SOLVER(cusolverDnDpotrs(handle, uplo, N, SIDES, a, LEADING, b, LEADING, info));
    check_solution(b, N);
    CHECK(isnan(a[lower ? LEADING : 1]));
    whole[2 + LEADING * 2] = -1;
    CHECK_SOLVER(cusolverDnDpotrf(handle, uplo, N, whole, LEADING, workspace, WORK, info));
    CHECK_OK(cudaDeviceSynchronize());
    CHECK_INT(*info, 3);
}

/* Columns of q, of so many rows, are orthogonal and have length 1. */
static void check_orthogonal(const double *q, int rows, int columns)
{
    for (int i = 0; i < columns; i++)
        for (int j = 0; j < columns; j++) {
            double sum = i == j ? -1 : 0;
            for (int k = 0; k < rows; k++)
                sum += q[k + LEADING * i] * q[k + LEADING * j];
            CHECK(fabs(sum) <= 1e-12);
        }
}

static void with_reflectors()
{
    double *a = matrix(M, N), *tau = make_array<double>(N), *q = make_array<double>(ROOM);
    CHECK_SOLVER(cusolverDnDgeqrf_bufferSize(handle, M, N, a, LEADING, &words));
    CHECK_SOLVER(cusolverDnDgeqrf(handle, M, N, a, LEADING, tau, workspace, WORK, info));
    CHECK_OK(cudaDeviceSynchronize());
    memcpy(q, a, ROOM * sizeof *q);
    CHECK_SOLVER(cusolverDnDorgqr(handle, M, N, N, q, LEADING, tau, workspace, WORK, info));
    CHECK_OK(cudaDeviceSynchronize());
    check_orthogonal(q, M, N);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            double sum = -number(i, j);
            for (int k = 0; k <= j; k++)
                sum += q[i + LEADING * k] * a[k + LEADING * j];
            CHECK(fabs(sum) <= 1e-12);
        }
    /* Q' A = R from the left, and A' Q = R' from the right. */
    double *left = matrix(M, N), *right = make_array<double>(ROOM);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++)
            right[j + LEADING * i] = number(i, j);
    CHECK_SOLVER(cusolverDnDormqr(handle, CUBLAS_SIDE_LEFT, CUBLAS_OP_T, M, N, N, a, LEADING, tau,
                                  left, LEADING, workspace, WORK, info));
    CHECK_SOLVER(cusolverDnDormqr(handle, CUBLAS_SIDE_RIGHT, CUBLAS_OP_N, N, M, N, a, LEADING, tau,
                                  right, LEADING, workspace, WORK, info));
    CHECK_OK(cudaDeviceSynchronize());
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            const double want = i <= j ? a[i + LEADING * j] : 0;
            CHECK(fabs(left[i + LEADING * j] - want) <= 1e-12);
            CHECK(fabs(right[j + LEADING * i] - want) <= 1e-12);
        }
}

static void with_eigenvalues(cublasFillMode_t uplo)
{
    double *a = make_array<double>(ROOM), *values = make_array<double>(N);
    double *others = make_array<double>(N), *again = make_array<double>(ROOM);
    const bool lower = uplo == CUBLAS_FILL_MODE_LOWER;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            again[i + LEADING * j] = a[i + LEADING * j] =
                (lower ? i >= j : i <= j) ? number(i, j) + number(j, i) : NAN;
    CHECK_SOLVER(cusolverDnDsyevd_bufferSize(handle, CUSOLVER_EIG_MODE_VECTOR, uplo, N, a, LEADING,
                                             values, &words));
    CHECK_SOLVER(cusolverDnDsyevd(handle, CUSOLVER_EIG_MODE_VECTOR, uplo, N, a, LEADING, values,
                                  workspace, WORK, info));
    CHECK_SOLVER(cusolverDnDsyevd(handle, CUSOLVER_EIG_MODE_NOVECTOR, uplo, N, again, LEADING,
                                  others, workspace, WORK, info));
    CHECK_OK(cudaDeviceSynchronize());
    CHECK_INT(*info, 0);
    check_orthogonal(a, N, N);
    for (int k = 0; k < N; k++) {
        CHECK(k == 0 || values[k - 1] <= values[k]);
        CHECK(fabs(values[k] - others[k]) <= 1e-12);
        for (int i = 0; i < N; i++) {
            double sum = -values[k] * a[i + LEADING * k];
            for (int j = 0; j < N; j++)
                sum += (number(i, j) + number(j, i)) * a[j + LEADING * k];
            CHECK(fabs(sum) <= 1e-11);
        }
    }
}

/* rank: columns from there on are sums of those before. */
static void with_singular_values(char job_u, char job_vt, int rank)
{
    double *a = matrix(M, N), *before = make_array<double>(ROOM), *s = make_array<double>(N);
    double *u = make_array<double>(ROOM), *vt = make_array<double>(ROOM);
    for (int j = rank; j < N; j++)
        for (int i = 0; i < M; i++)
            a[i + LEADING * j] = a[i + LEADING * (j - 1)] + a[i];
    memcpy(before, a, ROOM * sizeof *a);
    CHECK_SOLVER(cusolverDnDgesvd_bufferSize(handle, M, N, &words));
    CHECK_SOLVER(cusolverDnDgesvd(handle, job_u, job_vt, M, N, a, LEADING, s, u, LEADING, vt,
                                  LEADING, workspace, WORK, NULL, info));
    CHECK_OK(cudaDeviceSynchronize());
    CHECK_INT(*info, 0);
    const double *columns = job_u == 'O' ? a : u, *rows = job_vt == 'O' ? a : vt;
    check_orthogonal(columns, M, job_u == 'A' ? M : N);
    for (int k = 0; k < N; k++) {
        CHECK(k == 0 || s[k - 1] >= s[k]);
        CHECK(k < rank ? s[k] > 1e-3 : s[k] >= 0 && s[k] <= 1e-12);
    }
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            double sum = -before[i + LEADING * j];
            for (int k = 0; k < N; k++)
                sum += columns[i + LEADING * k] * s[k] * rows[k + LEADING * j];
            CHECK(fabs(sum) <= 1e-11);
        }
    if (job_u == 'S')
        CHECK(isnan(u[LEADING * N])); /* not asked for */
}

/* The same by the functions with 64-bit sizes, float and double. */
template <typename T> static T *copy_of(const double *a)
{
    T *copy = make_array<T>(ROOM);
    for (int i = 0; i < ROOM; i++)
        copy[i] = (T)a[i];
    return copy;
}

template <typename T> static void check_near(const T *x, int n)
{
    CHECK_OK(cudaDeviceSynchronize());
    CHECK_INT(*info, 0);
    for (int i = 0; i < n; i++)
        for (int s = 0; s < SIDES; s++)
            CHECK(fabs(x[i + LEADING * s] - (i - 2 * s + 1)) <= (sizeof(T) == 4 ? 1e-3 : 1e-10));
}

template <typename T> static void with_64_bits(cudaDataType type)
{
    cusolverDnParams_t params;
    double *square = matrix(N, N), *even = matrix(N, N);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            even[i + LEADING * j] = number(i, j) + number(j, i) + (i == j ? 60 : 0);
    T *a = copy_of<T>(square), *b = copy_of<T>(right_sides(square, N, true)), *s = make_array<T>(N);
    T *p = copy_of<T>(even), *c = copy_of<T>(right_sides(even, N, false)), *e = copy_of<T>(even);
    int64_t *rows = make_array<int64_t>(N);
    size_t device = 0, host = 1;
    CHECK_SOLVER(cusolverDnCreateParams(&params));
    CHECK_SOLVER(cusolverDnSetAdvOptions(params, CUSOLVERDN_GETRF, CUSOLVER_ALG_0));
    CHECK_SOLVER(
        cusolverDnXgetrf_bufferSize(handle, params, N, N, type, a, LEADING, type, &device, &host));
    CHECK(device > 0 && device <= BYTES && host <= BYTES);
    CHECK_SOLVER(cusolverDnXgetrf(handle, params, N, N, type, a, LEADING, rows, type, workspace,
                                  BYTES, host_workspace, BYTES, info));
    CHECK_SOLVER(cusolverDnXgetrs(handle, params, CUBLAS_OP_T, N, SIDES, type, a, LEADING, rows,
                                  type, b, LEADING, info));
    check_near(b, N);
    for (int i = 0; i < N; i++)
        CHECK(rows[i] > i && rows[i] <= N);
    CHECK_SOLVER(cusolverDnXpotrf(handle, params, CUBLAS_FILL_MODE_UPPER, N, type, p, LEADING, type,
                                  workspace, BYTES, host_workspace, BYTES, info));
    CHECK_SOLVER(cusolverDnXpotrs(handle, params, CUBLAS_FILL_MODE_UPPER, N, SIDES, type, p,
                                  LEADING, type, c, LEADING, info));
    check_near(c, N);
    /* The sum of the eigenvalues is that of the diagonal; of singular values those of A' A. */
    CHECK_SOLVER(cusolverDnXsyevd(handle, params, CUSOLVER_EIG_MODE_NOVECTOR,
                                  CUBLAS_FILL_MODE_LOWER, N, type, e, LEADING, type, s, type,
                                  workspace, BYTES, host_workspace, BYTES, info));
    CHECK_OK(cudaDeviceSynchronize());
    double trace = 0, sum = 0, squares = 0;
    for (int i = 0; i < N; i++)
        trace += even[i + LEADING * i], sum += s[i];
    CHECK(fabs(trace - sum) <= 1e-4 * trace);
    a = copy_of<T>(square);
    CHECK_SOLVER(cusolverDnXgesvd(handle, params, 'N', 'N', N, N, type, a, LEADING, type, s, type,
                                  NULL, 1, type, NULL, 1, type, workspace, BYTES, host_workspace,
                                  BYTES, info));
    CHECK_OK(cudaDeviceSynchronize());
    trace = 0;
    for (int i = 0; i < N; i++) {
        squares += (double)s[i] * s[i];
        for (int j = 0; j < N; j++)
            trace += square[i + LEADING * j] * square[i + LEADING * j];
    }
    CHECK(fabs(trace - squares) <= 1e-4 * trace);
    if (on_simulator) /* ours has no complex numbers */
        CHECK_INT(cusolverDnXgeqrf(handle, params, N, N, CUDA_C_32F, a, LEADING, CUDA_C_32F, s,
                                   CUDA_C_32F, workspace, BYTES, host_workspace, BYTES, info),
                  CUSOLVER_STATUS_NOT_SUPPORTED);
    CHECK_SOLVER(cusolverDnDestroyParams(params));
}

int main()
{
    CHECK_SOLVER(cusolverDnCreate(&handle));
    info = make_array<int>(1);
    workspace = make_array<double>(WORK);
    host_workspace = (double *)malloc(BYTES);
    with_lu(true);
    with_lu(false);
    singular();
    with_cholesky(CUBLAS_FILL_MODE_LOWER);
    with_cholesky(CUBLAS_FILL_MODE_UPPER);
    with_reflectors();
    with_eigenvalues(CUBLAS_FILL_MODE_LOWER);
    with_eigenvalues(CUBLAS_FILL_MODE_UPPER);
    if (on_simulator) { /* CUDA 13.0's writes outside its workspace for so small matrices */
        with_singular_values('A', 'A', N);
        with_singular_values('S', 'S', N);
        with_singular_values('O', 'A', N);
        with_singular_values('A', 'O', N);
        with_singular_values('A', 'A', 3);
    }
    double *a = matrix(N, M), *s = make_array<double>(N);
    CHECK_INT(cusolverDnDgesvd(handle, 'N', 'N', N, M, a, LEADING, s, NULL, 1, NULL, 1, workspace,
                               WORK, NULL, info),
              CUSOLVER_STATUS_INVALID_VALUE);
    CHECK_INT(cusolverDnDgetrf(handle, N, N, a, N - 1, workspace, NULL, info),
              CUSOLVER_STATUS_INVALID_VALUE);
    with_64_bits<float>(CUDA_R_32F);
    with_64_bits<double>(CUDA_R_64F);
    CHECK_SOLVER(cusolverDnDestroy(handle));
    return check_result();
}
