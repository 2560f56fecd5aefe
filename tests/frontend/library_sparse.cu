/* flags: -lcusparse -Xcompiler -Wno-deprecated-declarations */
/* cuSPARSE against dense sums of the host: a matrix in three formats, with indices from 0 and from
 * 1, of 32 and of 64 bits, times a vector and a matrix; triangles, incomplete factors, scatter and
 * gather; and a wrong index. */
#include "check.h"
#include <cusparse.h>

#define CHECK_SPARSE(call) CHECK_INT(call, CUSPARSE_STATUS_SUCCESS)

enum { ROWS = 9, COLUMNS = 7, MOST = ROWS * COLUMNS, WORK = 1 << 20 };

static cusparseHandle_t handle;
static char *workspace; /* of WORK bytes: more than any of these calls wants */
static double dense[ROWS][COLUMNS];

/* The matrix line by line: offsets, and the other index of each element. */
template <typename I> struct stored {
    I *offsets, *lines, *others;
    double *values;
    int count;
};
template <typename I> static stored<I> store(bool by_columns, int base)
{
    stored<I> s = {make_array<I>(ROWS + 1), make_array<I>(MOST), make_array<I>(MOST),
                   make_array<double>(MOST), 0};
    const int lines = by_columns ? COLUMNS : ROWS, others = by_columns ? ROWS : COLUMNS;
    for (int i = 0; i < lines; i++) {
        s.offsets[i] = I(s.count + base);
        for (int j = 0; j < others; j++) {
            const double value = by_columns ? dense[j][i] : dense[i][j];
            if (value != 0) {
                s.lines[s.count] = I(i + base);
                s.others[s.count] = I(j + base);
                s.values[s.count++] = value;
            }
        }
    }
    s.offsets[lines] = I(s.count + base);
    return s;
}

static cusparseSpMatDescr_t describe(int format)
{
    cusparseSpMatDescr_t m = NULL;
    if (format == 0) {
        const stored<int> s = store<int>(false, 1);
        CHECK_SPARSE(cusparseCreateCsr(&m, ROWS, COLUMNS, s.count, s.offsets, s.others, s.values,
                                       CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                                       CUSPARSE_INDEX_BASE_ONE, CUDA_R_64F));
    } else if (format == 1) {
        const stored<long long> s = store<long long>(true, 0);
        CHECK_SPARSE(cusparseCreateCsc(&m, ROWS, COLUMNS, s.count, s.offsets, s.others, s.values,
                                       CUSPARSE_INDEX_64I, CUSPARSE_INDEX_64I,
                                       CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
    } else {
        const stored<int> s = store<int>(false, 0);
        CHECK_SPARSE(cusparseCreateCoo(&m, ROWS, COLUMNS, s.count, s.lines, s.others, s.values,
                                       CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
    }
    return m;
}

static void with_vector(cusparseSpMatDescr_t a, bool transposed)
{
    const int from = transposed ? ROWS : COLUMNS, to = transposed ? COLUMNS : ROWS;
    const cusparseOperation_t op =
        transposed ? CUSPARSE_OPERATION_TRANSPOSE : CUSPARSE_OPERATION_NON_TRANSPOSE;
    double *x = make_array<double>(ROWS), *y = make_array<double>(ROWS), alpha = 2, beta = -1;
    cusparseDnVecDescr_t vx, vy;
    size_t bytes;
    for (int i = 0; i < ROWS; i++)
        x[i] = i + 1, y[i] = 10 * i;
    CHECK_SPARSE(cusparseCreateDnVec(&vx, from, x, CUDA_R_64F));
    CHECK_SPARSE(cusparseCreateDnVec(&vy, to, y, CUDA_R_64F));
    CHECK_SPARSE(cusparseSpMV_bufferSize(handle, op, &alpha, a, vx, &beta, vy, CUDA_R_64F,
                                         CUSPARSE_SPMV_ALG_DEFAULT, &bytes));
    void *buffer = make_array<char>(bytes + 1);
    CHECK_SPARSE(cusparseSpMV(handle, op, &alpha, a, vx, &beta, vy, CUDA_R_64F,
                              CUSPARSE_SPMV_ALG_DEFAULT, buffer));
    CHECK_OK(cudaDeviceSynchronize());
    for (int i = 0; i < to; i++) {
        double want = -10 * i;
        for (int j = 0; j < from; j++)
            want += 2 * (transposed ? dense[j][i] : dense[i][j]) * x[j];
        CHECK_FLOAT(y[i] + 0.0, want + 0.0, 0);
    }
    CHECK_SPARSE(cusparseDestroyDnVec(vx));
    CHECK_SPARSE(cusparseDestroyDnVec(vy));
}

/* B lies row by row, C column by column. */
static void with_matrix(cusparseSpMatDescr_t a)
{
    enum { WIDTH = 3, LEADING = ROWS + 2 };
    double *b = make_array<double>(COLUMNS * WIDTH), *c = make_array<double>(LEADING * WIDTH);
    double alpha = 1, beta = 0;
    cusparseDnMatDescr_t mb, mc;
    for (int i = 0; i < COLUMNS * WIDTH; i++)
        b[i] = i % 5 - 2;
    CHECK_SPARSE(
        cusparseCreateDnMat(&mb, COLUMNS, WIDTH, WIDTH, b, CUDA_R_64F, CUSPARSE_ORDER_ROW));
    CHECK_SPARSE(cusparseCreateDnMat(&mc, ROWS, WIDTH, LEADING, c, CUDA_R_64F, CUSPARSE_ORDER_COL));
    CHECK_SPARSE(cusparseSpMM(handle, CUSPARSE_OPERATION_NON_TRANSPOSE,
                              CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha, a, mb, &beta, mc,
                              CUDA_R_64F, CUSPARSE_SPMM_ALG_DEFAULT, workspace));
    CHECK_OK(cudaDeviceSynchronize());
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < WIDTH; j++) {
            double want = 0;
            for (int k = 0; k < COLUMNS; k++)
                want += dense[i][k] * b[k * WIDTH + j];
            CHECK_FLOAT(c[i + j * LEADING] + 0.0, want + 0.0, 0);
        }
    CHECK(isnan(c[ROWS])); /* between columns */
    CHECK_SPARSE(cusparseDestroyDnMat(mb));
    CHECK_SPARSE(cusparseDestroyDnMat(mc));
}

/* A tridiagonal matrix has exact incomplete factors: L (U x) = b gives the solution. */
static void tridiagonal()
{
    enum { SIZE = 6, COUNT = 3 * SIZE - 2 };
    int *offsets = make_array<int>(SIZE + 1), *columns = make_array<int>(COUNT), count = 0, pivot;
    int bytes;
    double *values = make_array<double>(COUNT), *b = make_array<double>(SIZE);
    double *middle = make_array<double>(SIZE), *x = make_array<double>(SIZE), one = 1;
    for (int i = 0; i < SIZE; i++) {
        offsets[i] = count;
        for (int j = i - 1; j <= i + 1; j++)
            if (j >= 0 && j < SIZE)
                columns[count] = j, values[count++] = i == j ? 4 : -1;
        b[i] = 4 * (i + 1) - (i > 0 ? i : 0) - (i < SIZE - 1 ? i + 2 : 0); /* of x = 1, 2, ... */
    }
    offsets[SIZE] = count;
    csrilu02Info_t info;
    cusparseMatDescr_t m;
    CHECK_SPARSE(cusparseCreateCsrilu02Info(&info));
    CHECK_SPARSE(cusparseCreateMatDescr(&m));
    CHECK_SPARSE(cusparseDcsrilu02_bufferSize(handle, SIZE, COUNT, m, values, offsets, columns,
                                              info, &bytes));
    CHECK(bytes <= WORK);
    CHECK_SPARSE(cusparseDcsrilu02_analysis(handle, SIZE, COUNT, m, values, offsets, columns, info,
                                            CUSPARSE_SOLVE_POLICY_NO_LEVEL, workspace));
    CHECK_SPARSE(cusparseDcsrilu02(handle, SIZE, COUNT, m, values, offsets, columns, info,
                                   CUSPARSE_SOLVE_POLICY_NO_LEVEL, workspace));
    CHECK_OK(cudaDeviceSynchronize());
    CHECK_SPARSE(cusparseXcsrilu02_zeroPivot(handle, info, &pivot));
    CHECK_INT(pivot, -1);
    cusparseDnVecDescr_t vectors[3];
    double *arrays[] = {b, middle, x};
    for (int i = 0; i < 3; i++)
        CHECK_SPARSE(cusparseCreateDnVec(&vectors[i], SIZE, arrays[i], CUDA_R_64F));
    for (int i = 0; i < 2; i++) {
        cusparseSpMatDescr_t a;
        cusparseSpSVDescr_t d;
        cusparseFillMode_t fill = i == 0 ? CUSPARSE_FILL_MODE_LOWER : CUSPARSE_FILL_MODE_UPPER;
        cusparseDiagType_t diagonal =
            i == 0 ? CUSPARSE_DIAG_TYPE_UNIT : CUSPARSE_DIAG_TYPE_NON_UNIT;
        CHECK_SPARSE(cusparseCreateCsr(&a, SIZE, SIZE, COUNT, offsets, columns, values,
                                       CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                                       CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
        CHECK_SPARSE(cusparseSpMatSetAttribute(a, CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof fill));
        CHECK_SPARSE(
            cusparseSpMatSetAttribute(a, CUSPARSE_SPMAT_DIAG_TYPE, &diagonal, sizeof diagonal));
        CHECK_SPARSE(cusparseSpSV_createDescr(&d));
        CHECK_SPARSE(cusparseSpSV_analysis(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a,
                                           vectors[i], vectors[i + 1], CUDA_R_64F,
                                           CUSPARSE_SPSV_ALG_DEFAULT, d, workspace));
        CHECK_SPARSE(cusparseSpSV_solve(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a,
                                        vectors[i], vectors[i + 1], CUDA_R_64F,
                                        CUSPARSE_SPSV_ALG_DEFAULT, d));
        cusparseDnVecDescr_t shorter;
        CHECK_SPARSE(cusparseCreateDnVec(&shorter, SIZE - 1, x, CUDA_R_64F));
        CHECK_INT(cusparseSpSV_solve(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a, vectors[i],
                                     shorter, CUDA_R_64F, CUSPARSE_SPSV_ALG_DEFAULT, d),
                  CUSPARSE_STATUS_INVALID_VALUE);
        CHECK_SPARSE(cusparseDestroyDnVec(shorter));
        CHECK_SPARSE(cusparseSpSV_destroyDescr(d));
        CHECK_SPARSE(cusparseDestroySpMat(a));
    }
    CHECK_OK(cudaDeviceSynchronize());
    for (int i = 0; i < SIZE; i++)
        CHECK_FLOAT(x[i], i + 1, 1e-12);
}

static void single_elements()
{
    int *indices = make_array<int>(3);
    float *values = make_array<float>(3), *y = make_array<float>(8);
    cusparseSpVecDescr_t sparse;
    cusparseDnVecDescr_t vector;
    for (int i = 0; i < 8; i++)
        y[i] = float(i);
    for (int i = 0; i < 3; i++)
        indices[i] = 5 - 2 * i, values[i] = 100 + float(i);
    CHECK_SPARSE(cusparseCreateSpVec(&sparse, 8, 3, indices, values, CUSPARSE_INDEX_32I,
                                     CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
    CHECK_SPARSE(cusparseCreateDnVec(&vector, 8, y, CUDA_R_32F));
    CHECK_SPARSE(cusparseScatter(handle, sparse, vector));
    CHECK_OK(cudaDeviceSynchronize());
    CHECK(y[5] == 100 && y[3] == 101 && y[1] == 102 && y[2] == 2);
    y[3] = -7;
    CHECK_SPARSE(cusparseGather(handle, vector, sparse));
    CHECK_OK(cudaDeviceSynchronize());
    CHECK(values[1] == -7);
    indices[1] = 8;
    if (on_simulator)
        CHECK_INT(cusparseScatter(handle, sparse, vector), CUSPARSE_STATUS_INVALID_VALUE);
}

int main()
{
    CHECK_SPARSE(cusparseCreate(&handle));
    workspace = make_array<char>(WORK);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            dense[i][j] = (i * 5 + j * 3) % 4 == 1 ? i - 2 * j + 0.5 : 0;
    for (int format = 0; format < 3; format++) {
        const cusparseSpMatDescr_t a = describe(format);
        with_vector(a, false);
        with_vector(a, true);
        with_matrix(a);
        CHECK_SPARSE(cusparseDestroySpMat(a));
    }
    tridiagonal();
    single_elements();
    CHECK_SPARSE(cusparseDestroy(handle));
    return check_result();
}
