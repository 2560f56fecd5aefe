/* flags: -lcusparse -Xcompiler -Wno-deprecated-declarations */
/* cuSPARSE against dense sums of the host: dense to sparse and back in three formats, rows to
 * columns, sparse times sparse, products where a sparse matrix has elements, triangles of several
 * right sides, sparse vectors; and what is rejected. All numbers are small integers, so sums are
 * exact. */
#include "check.h"
#include <cusparse.h>

#define CHECK_SPARSE(call) CHECK_INT(call, CUSPARSE_STATUS_SUCCESS)

enum { ROWS = 9, COLUMNS = 7, WIDTH = 5 };
static const cusparseOperation_t PLAIN = CUSPARSE_OPERATION_NON_TRANSPOSE,
                                 TURNED = CUSPARSE_OPERATION_TRANSPOSE;
static const cudaDataType REAL = CUDA_R_64F;

static cusparseHandle_t handle;
static char *workspace; /* for calls whose size nobody asked for: larger than any of them wants */

/* Row 4 of every matrix, and column 2 of every other one, have no elements. */
static double value_at(int i, int j, int seed)
{
    const bool has = i != 4 && (seed % 2 == 0 || j != 2) && (3 * i + 5 * j + seed) % 4 < 2;
    return has ? (i + 2 * j + seed) % 5 + 1 : 0;
}

static double *dense_array(int rows, int columns, int leading, int seed)
{
    double *a = make_array<double>(leading * columns + 1);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            a[i + leading * j] = value_at(i, j, seed);
    return a;
}

static cusparseDnMatDescr_t dense_matrix(int rows, int columns, int leading, double *a)
{
    cusparseDnMatDescr_t m;
    CHECK_SPARSE(cusparseCreateDnMat(&m, rows, columns, leading, a, REAL, CUSPARSE_ORDER_COL));
    return m;
}

/* One without rows is a matrix, too; one with fewer than none is not. */
static void check_dense_sizes(void)
{
    cusparseDnMatDescr_t m = dense_matrix(0, 3, 1, NULL);
    CHECK_SPARSE(cusparseDestroyDnMat(m));
    CHECK(cusparseCreateDnMat(&m, -1, 3, 1, NULL, REAL, CUSPARSE_ORDER_COL) ==
          CUSPARSE_STATUS_INVALID_VALUE);
}

/* A matrix without elements yet, whose lines begin in `offsets` (of coordinates: nowhere). */
static cusparseSpMatDescr_t empty_matrix(int format, int rows, int columns, int *offsets)
{
    const cusparseIndexType_t index = CUSPARSE_INDEX_32I;
    cusparseSpMatDescr_t m;
    if (format == 0)
        CHECK_SPARSE(cusparseCreateCsr(&m, rows, columns, 0, offsets, NULL, NULL, index, index,
                                       CUSPARSE_INDEX_BASE_ZERO, REAL));
    else if (format == 1)
        CHECK_SPARSE(cusparseCreateCsc(&m, rows, columns, 0, offsets, NULL, NULL, index, index,
                                       CUSPARSE_INDEX_BASE_ONE, REAL));
    else
        CHECK_SPARSE(cusparseCreateCoo(&m, rows, columns, 0, NULL, NULL, NULL, index,
                                       CUSPARSE_INDEX_BASE_ZERO, REAL));
    return m;
}

static int count_of(cusparseSpMatDescr_t m)
{
    int64_t rows, columns, count = -1;
    CHECK_SPARSE(cusparseSpMatGetSize(m, &rows, &columns, &count));
    return (int)count;
}

struct sparse {
    cusparseSpMatDescr_t m;
    int *first, *second;
    double *values;
};

static sparse from_dense(int format, int rows, int columns, int seed)
{
    const int lines = format == 1 ? columns : rows;
    sparse s = {NULL, format == 2 ? NULL : make_array<int>(lines + 1), NULL, NULL};
    cusparseDnMatDescr_t d =
        dense_matrix(rows, columns, rows + 1, dense_array(rows, columns, rows + 1, seed));
    size_t bytes;
    s.m = empty_matrix(format, rows, columns, s.first);
    CHECK_SPARSE(cusparseDenseToSparse_bufferSize(handle, d, s.m,
                                                  CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, &bytes));
    void *buffer = make_array<char>((int)bytes);
    CHECK_SPARSE(
        cusparseDenseToSparse_analysis(handle, d, s.m, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, buffer));
    const int count = count_of(s.m);
    s.second = make_array<int>(count + 1);
    s.values = make_array<double>(count + 1);
    if (format == 0) {
        CHECK_SPARSE(cusparseCsrSetPointers(s.m, s.first, s.second, s.values));
    } else if (format == 1) {
        CHECK_SPARSE(cusparseCscSetPointers(s.m, s.first, s.second, s.values));
    } else {
        s.first = make_array<int>(count + 1);
        CHECK_SPARSE(cusparseCooSetPointers(s.m, s.first, s.second, s.values));
    }
    CHECK_SPARSE(
        cusparseDenseToSparse_convert(handle, d, s.m, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, buffer));
    CHECK_SPARSE(cusparseDestroyDnMat(d));
    return s;
}

static void there_and_back(int format)
{
    const sparse s = from_dense(format, ROWS, COLUMNS, format);
    double *back = make_array<double>(ROWS * COLUMNS);
    cusparseDnMatDescr_t d = dense_matrix(ROWS, COLUMNS, ROWS, back);
    CHECK_SPARSE(
        cusparseSparseToDense(handle, s.m, d, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, workspace));
    CHECK_OK(cudaDeviceSynchronize());
    int count = 0;
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            CHECK_FLOAT(back[i + ROWS * j] + 0.0, value_at(i, j, format) + 0.0, 0);
            count += value_at(i, j, format) != 0;
        }
    CHECK_INT(count_of(s.m), count);
    CHECK_SPARSE(cusparseDestroyDnMat(d));
    CHECK_SPARSE(cusparseDestroySpMat(s.m));
}

static void rows_to_columns()
{
    const sparse s = from_dense(0, ROWS, COLUMNS, 1), want = from_dense(1, ROWS, COLUMNS, 1);
    const int count = count_of(s.m);
    int *offsets = make_array<int>(COLUMNS + 1), *rows = make_array<int>(count);
    double *values = make_array<double>(count);
    CHECK_SPARSE(cusparseCsr2cscEx2(handle, ROWS, COLUMNS, count, s.values, s.first, s.second,
                                    values, offsets, rows, REAL, CUSPARSE_ACTION_NUMERIC,
                                    CUSPARSE_INDEX_BASE_ZERO, CUSPARSE_CSR2CSC_ALG1, workspace));
    CHECK_OK(cudaDeviceSynchronize());
    for (int i = 0; i <= COLUMNS; i++)
        CHECK_INT(offsets[i], want.first[i] - 1);
    for (int i = 0; i < count; i++) {
        CHECK_INT(rows[i], want.second[i] - 1);
        CHECK_FLOAT(values[i] + 0.0, want.values[i] + 0.0, 0);
    }
    CHECK_SPARSE(cusparseDestroySpMat(s.m));
    CHECK_SPARSE(cusparseDestroySpMat(want.m));
}

static void sparse_times_sparse()
{
    const sparse a = from_dense(0, ROWS, COLUMNS, 0), b = from_dense(0, COLUMNS, WIDTH, 3);
    int *offsets = make_array<int>(ROWS + 1);
    double alpha = 2, beta = 0;
    size_t bytes = 0;
    cusparseSpGEMMDescr_t d;
    cusparseSpMatDescr_t c = empty_matrix(0, ROWS, WIDTH, offsets);
    CHECK_SPARSE(cusparseSpGEMM_createDescr(&d));
    void *buffer = NULL;
    for (int i = 0; i < 2; i++) {
        CHECK_SPARSE(cusparseSpGEMM_workEstimation(handle, PLAIN, PLAIN, &alpha, a.m, b.m, &beta, c,
                                                   REAL, CUSPARSE_SPGEMM_DEFAULT, d, &bytes,
                                                   buffer));
        buffer = make_array<char>((int)bytes);
    }
    buffer = NULL;
    for (int i = 0; i < 2; i++) {
        CHECK_SPARSE(cusparseSpGEMM_compute(handle, PLAIN, PLAIN, &alpha, a.m, b.m, &beta, c, REAL,
                                            CUSPARSE_SPGEMM_DEFAULT, d, &bytes, buffer));
        buffer = make_array<char>((int)bytes);
    }
    const int count = count_of(c);
    int *columns = make_array<int>(count);
    double *values = make_array<double>(count);
    CHECK_SPARSE(cusparseCsrSetPointers(c, offsets, columns, values));
    CHECK_SPARSE(cusparseSpGEMM_copy(handle, PLAIN, PLAIN, &alpha, a.m, b.m, &beta, c, REAL,
                                     CUSPARSE_SPGEMM_DEFAULT, d));
    CHECK_OK(cudaDeviceSynchronize());
    int at = 0;
    for (int i = 0; i < ROWS; i++) {
        CHECK_INT(offsets[i], at);
        for (int j = 0; j < WIDTH; j++) {
            double want = 0;
            for (int k = 0; k < COLUMNS; k++)
                want += 2 * value_at(i, k, 0) * value_at(k, j, 3);
            if (want != 0) { /* all elements are positive: none cancel */
                CHECK_INT(columns[at], j);
                CHECK_FLOAT(values[at] + 0.0, want + 0.0, 0);
                at++;
            }
        }
    }
    CHECK_INT(count, at);
    beta = 1;
    if (on_simulator)
        CHECK_INT(cusparseSpGEMM_compute(handle, PLAIN, PLAIN, &alpha, a.m, b.m, &beta, c, REAL,
                                         CUSPARSE_SPGEMM_DEFAULT, d, &bytes, buffer),
                  CUSPARSE_STATUS_NOT_SUPPORTED);
    CHECK_SPARSE(cusparseSpGEMM_destroyDescr(d));
    const cusparseSpMatDescr_t matrices[] = {a.m, b.m, c};
    for (cusparseSpMatDescr_t m : matrices)
        CHECK_SPARSE(cusparseDestroySpMat(m));
}

/* C = 2 A^T B + 3 C where C has elements. */
static void where_it_has_elements()
{
    const sparse c = from_dense(0, ROWS, WIDTH, 2);
    cusparseDnMatDescr_t a =
        dense_matrix(COLUMNS, ROWS, COLUMNS, dense_array(COLUMNS, ROWS, COLUMNS, 0));
    cusparseDnMatDescr_t b =
        dense_matrix(COLUMNS, WIDTH, COLUMNS, dense_array(COLUMNS, WIDTH, COLUMNS, 6));
    double alpha = 2, beta = 3;
    CHECK_SPARSE(cusparseSDDMM(handle, TURNED, PLAIN, &alpha, a, b, &beta, c.m, REAL,
                               CUSPARSE_SDDMM_ALG_DEFAULT, workspace));
    CHECK_OK(cudaDeviceSynchronize());
    int at = 0;
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < WIDTH; j++) {
            double want = 3 * value_at(i, j, 2);
            if (want == 0)
                continue;
            for (int k = 0; k < COLUMNS; k++)
                want += 2 * value_at(k, i, 0) * value_at(k, j, 6);
            CHECK_FLOAT(c.values[at] + 0.0, want + 0.0, 0);
            at++;
        }
    CHECK_INT(count_of(c.m), at);
    CHECK_SPARSE(cusparseDestroyDnMat(a));
    CHECK_SPARSE(cusparseDestroyDnMat(b));
    CHECK_SPARSE(cusparseDestroySpMat(c.m));
}

/* The right sides of known solutions: a triangle with ones on its diagonal, plain and turned. */
static void several_right_sides(bool turned)
{
    enum { SIZE = 6, SIDES = 3 };
    double *a = make_array<double>(SIZE * SIZE), *b = make_array<double>(SIZE * SIDES);
    double *x = make_array<double>(SIZE * SIDES), alpha = 1;
    int *offsets = make_array<int>(SIZE + 1), *columns = make_array<int>(SIZE * SIZE), count = 0;
    double *values = make_array<double>(SIZE * SIZE);
    for (int i = 0; i < SIZE; i++) {
        offsets[i] = count;
        for (int j = 0; j <= i; j++)
            columns[count] = j, values[count++] = a[i * SIZE + j] = i == j ? 2 : (i + j) % 3;
    }
    offsets[SIZE] = count;
    for (int i = 0; i < SIZE; i++)
        for (int s = 0; s < SIDES; s++) {
            double sum = 0;
            for (int k = 0; k < SIZE; k++) {
                const int row = turned ? k : i, column = turned ? i : k;
                sum += column <= row ? a[row * SIZE + column] * (k + s + 1) : 0;
            }
            b[s + SIDES * i] = sum; /* row by row: B is turned */
        }
    cusparseSpMatDescr_t m;
    cusparseSpSMDescr_t d;
    cusparseFillMode_t lower = CUSPARSE_FILL_MODE_LOWER;
    CHECK_SPARSE(cusparseCreateCsr(&m, SIZE, SIZE, count, offsets, columns, values,
                                   CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                                   REAL));
    CHECK_SPARSE(cusparseSpMatSetAttribute(m, CUSPARSE_SPMAT_FILL_MODE, &lower, sizeof lower));
    cusparseDnMatDescr_t mb = dense_matrix(SIDES, SIZE, SIDES, b),
                         mx = dense_matrix(SIZE, SIDES, SIZE, x);
    size_t bytes;
    const cusparseOperation_t op = turned ? TURNED : PLAIN;
    CHECK_SPARSE(cusparseSpSM_createDescr(&d));
    CHECK_SPARSE(cusparseSpSM_bufferSize(handle, op, TURNED, &alpha, m, mb, mx, REAL,
                                         CUSPARSE_SPSM_ALG_DEFAULT, d, &bytes));
    void *buffer = make_array<char>((int)bytes);
    CHECK_SPARSE(cusparseSpSM_analysis(handle, op, TURNED, &alpha, m, mb, mx, REAL,
                                       CUSPARSE_SPSM_ALG_DEFAULT, d, buffer));
    CHECK_SPARSE(cusparseSpSM_solve(handle, op, TURNED, &alpha, m, mb, mx, REAL,
                                    CUSPARSE_SPSM_ALG_DEFAULT, d));
    CHECK_OK(cudaDeviceSynchronize());
    for (int i = 0; i < SIZE; i++)
        for (int s = 0; s < SIDES; s++)
            CHECK_FLOAT(x[i + SIZE * s] + 0.0, i + s + 1.0, 0);
    CHECK_SPARSE(cusparseSpSM_destroyDescr(d));
    CHECK_SPARSE(cusparseDestroySpMat(m));
    CHECK_SPARSE(cusparseDestroyDnMat(mb));
    CHECK_SPARSE(cusparseDestroyDnMat(mx));
}

static void vectors()
{
    enum { SIZE = 8, COUNT = 3 };
    int *indices = make_array<int>(COUNT);
    double *values = make_array<double>(COUNT), *y = make_array<double>(SIZE);
    double alpha = 2, beta = 3, dot = -1;
    cusparseSpVecDescr_t x;
    cusparseDnVecDescr_t d;
    for (int i = 0; i < COUNT; i++)
        indices[i] = 3 * i + 1, values[i] = i + 5; /* from 1: 0, 3, 6 */
    for (int i = 0; i < SIZE; i++)
        y[i] = i;
    CHECK_SPARSE(cusparseCreateSpVec(&x, SIZE, COUNT, indices, values, CUSPARSE_INDEX_32I,
                                     CUSPARSE_INDEX_BASE_ONE, REAL));
    CHECK_SPARSE(cusparseCreateDnVec(&d, SIZE, y, REAL));
    CHECK_SPARSE(cusparseSpVV(handle, PLAIN, x, d, &dot, REAL, workspace));
    CHECK_FLOAT(dot + 0.0, 6.0 * 3 + 7.0 * 6, 0); /* the call has waited */
    CHECK_SPARSE(cusparseAxpby(handle, &alpha, x, &beta, d));
    CHECK_OK(cudaDeviceSynchronize());
    for (int i = 0; i < SIZE; i++)
        CHECK_FLOAT(y[i] + 0.0, 3.0 * i + (i % 3 == 0 ? 2.0 * (i / 3 + 5) : 0), 0);
    CHECK_SPARSE(cusparseDestroySpVec(x));
    CHECK_SPARSE(cusparseDestroyDnVec(d));
}

/* Rows of a matrix in any order, sorted with their permutation; and the same as coordinates. */
static void in_order()
{
    enum { COUNT = 7 };
    static const int given[COUNT] = {2, 0, 1, 5, 3, 3, 1}, sorted[COUNT] = {0, 1, 2, 3, 3, 5, 1},
                     came_from[COUNT] = {1, 2, 0, 4, 5, 3, 6};
    int *offsets = make_array<int>(4), *columns = make_array<int>(COUNT);
    int *rows = make_array<int>(COUNT), *order = make_array<int>(COUNT);
    cusparseMatDescr_t m;
    offsets[0] = 0, offsets[1] = 3, offsets[2] = 6, offsets[3] = COUNT;
    for (int i = 0; i < COUNT; i++)
        columns[i] = given[i], rows[i] = i < 3 ? 9 : i < 6 ? 4 : 0;
    CHECK_SPARSE(cusparseCreateMatDescr(&m));
    CHECK_SPARSE(cusparseCreateIdentityPermutation(handle, COUNT, order));
    CHECK_SPARSE(cusparseXcsrsort(handle, 3, 6, COUNT, m, offsets, columns, order, workspace));
    if (on_simulator) { /* NVIDIA's library reads what NULL points to */
        CHECK_INT(cusparseXcsrsort(handle, 3, 6, COUNT, NULL, offsets, columns, order, workspace),
                  CUSPARSE_STATUS_INVALID_VALUE);
        CHECK_INT(cusparseXcsrsort(handle, 3, 6, COUNT, m, NULL, columns, order, workspace),
                  CUSPARSE_STATUS_INVALID_VALUE);
    }
    CHECK_OK(cudaDeviceSynchronize());
    for (int i = 0; i < COUNT; i++) {
        CHECK_INT(columns[i], sorted[i]);
        CHECK_INT(order[i], came_from[i]);
    }
    CHECK_SPARSE(cusparseXcoosortByRow(handle, 10, 6, COUNT, rows, columns, order, workspace));
    CHECK_OK(cudaDeviceSynchronize());
    for (int i = 0; i < COUNT; i++) {
        const int from = i < 1 ? 6 : i < 4 ? i + 2 : i - 4;
        CHECK_INT(rows[i], from < 3 ? 9 : from < 6 ? 4 : 0);
        CHECK_INT(columns[i], sorted[from]);
        CHECK_INT(order[i], came_from[from]);
    }
    CHECK_SPARSE(cusparseXcoosortByColumn(handle, 10, 6, COUNT, rows, columns, order, workspace));
    CHECK_OK(cudaDeviceSynchronize());
    for (int i = 1; i < COUNT; i++)
        CHECK(columns[i - 1] < columns[i] ||
              (columns[i - 1] == columns[i] && rows[i - 1] <= rows[i]));
    CHECK_SPARSE(cusparseDestroyMatDescr(m));
}

static void counts()
{
    double *a = dense_array(ROWS, COLUMNS, ROWS + 1, 1);
    int *found = make_array<int>(ROWS), total = -1, want = 0;
    cusparseMatDescr_t m;
    CHECK_SPARSE(cusparseCreateMatDescr(&m));
    CHECK_SPARSE(
        cusparseDnnz(handle, CUSPARSE_DIRECTION_ROW, ROWS, COLUMNS, m, a, ROWS + 1, found, &total));
    for (int i = 0; i < ROWS; i++) {
        int row = 0;
        for (int j = 0; j < COLUMNS; j++)
            row += value_at(i, j, 1) != 0;
        CHECK_INT(found[i], row);
        want += row;
    }
    CHECK_INT(total, want);
    CHECK_SPARSE(cusparseDestroyMatDescr(m));
}

/* Three products at once: one sparse matrix for all, or three whose values differ. */
static void batches(bool three)
{
    enum { BATCHES = 3, COUNT = 5, SPARSE = 8 };
    const double one = 1, zero = 0;
    static const int first[] = {0, 2, 2, 5}, second[] = {0, 3, 1, 2, 3};
    int *offsets = make_array<int>(4 * BATCHES), *columns = make_array<int>(SPARSE * BATCHES);
    double *values = make_array<double>(SPARSE * BATCHES);
    double *b = make_array<double>(10 * BATCHES), *c = make_array<double>(7 * BATCHES);
    cusparseSpMatDescr_t a;
    cusparseDnMatDescr_t dense, result;
    int count = 0;
    int64_t stride = 0;
    for (int k = 0; k < BATCHES; k++) {
        for (int i = 0; i < 4; i++)
            offsets[4 * k + i] = first[i];
        for (int i = 0; i < COUNT; i++)
            columns[SPARSE * k + i] = second[i], values[SPARSE * k + i] = i + 1 + 10 * k;
        for (int i = 0; i < 8; i++)
            b[10 * k + i] = i * i + k;
    }
    CHECK_SPARSE(cusparseCreateCsr(&a, 3, 4, COUNT, offsets, columns, values, CUSPARSE_INDEX_32I,
                                   CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, REAL));
    CHECK_SPARSE(cusparseCsrSetStridedBatch(a, BATCHES, three ? 4 : 0, three ? SPARSE : 0));
    CHECK_INT(cusparseCsrSetStridedBatch(a, BATCHES, 0, -1), CUSPARSE_STATUS_INVALID_VALUE);
    CHECK_SPARSE(cusparseSpMatGetStridedBatch(a, &count));
    CHECK_INT(count, BATCHES);
    dense = dense_matrix(4, 2, 4, b);
    result = dense_matrix(3, 2, 3, c);
    CHECK_SPARSE(cusparseDnMatSetStridedBatch(dense, BATCHES, 10));
    CHECK_SPARSE(cusparseDnMatSetStridedBatch(result, BATCHES, 7));
    CHECK_SPARSE(cusparseDnMatGetStridedBatch(result, &count, &stride));
    CHECK(count == BATCHES && stride == 7);
    CHECK_SPARSE(cusparseSpMM(handle, PLAIN, PLAIN, &one, a, dense, &zero, result, REAL,
                              CUSPARSE_SPMM_CSR_ALG1, workspace));
    CHECK_OK(cudaDeviceSynchronize());
    for (int k = 0; k < BATCHES; k++)
        for (int j = 0; j < 2; j++)
            for (int i = 0; i < 3; i++) {
                double sum = 0;
                for (int at = first[i]; at < first[i + 1]; at++)
                    sum += (at + 1 + (three ? 10 * k : 0)) * b[10 * k + second[at] + 4 * j];
                CHECK_FLOAT(c[7 * k + i + 3 * j], sum, 0);
            }
    CHECK_INT(cusparseDnMatSetStridedBatch(result, 0, 7), CUSPARSE_STATUS_INVALID_VALUE);
    CHECK_SPARSE(cusparseDnMatSetStridedBatch(result, BATCHES + 1, 7));
    CHECK_INT(cusparseSpMM(handle, PLAIN, PLAIN, &one, a, dense, &zero, result, REAL,
                           CUSPARSE_SPMM_CSR_ALG1, workspace),
              CUSPARSE_STATUS_INVALID_VALUE);
    CHECK_SPARSE(cusparseDestroyDnMat(dense));
    CHECK_SPARSE(cusparseDestroyDnMat(result));
    CHECK_SPARSE(cusparseDestroySpMat(a));
}

/* Element i of system s of a batch, whose solution is 1, 2, 3 ...; the diagonal of the second
 * system is small, so that it wants exchanges of rows. */
enum { SIZE = 12, SYSTEMS = 3 };
static double lower_at(int s, int i) { return i > 0 ? 1 + (i + s) % 3 : 0; }
static double middle_at(int s, int i) { return s == 1 ? 0.25 * (i % 2) : 8 + (i * s) % 3; }
static double upper_at(int s, int i) { return i + 1 < SIZE ? 2 - i % 2 : 0; }
static double side_at(int s, int i)
{
    return lower_at(s, i) * i + middle_at(s, i) * (i + 1) + upper_at(s, i) * (i + 2);
}

template <typename T> struct tridiagonal_arrays {
    T *lower, *middle, *upper, *x;
    tridiagonal_arrays(int step, int system)
    {
        const int room = (SYSTEMS - 1) * system + (SIZE - 1) * step + 1;
        lower = make_array<T>(room), middle = make_array<T>(room), upper = make_array<T>(room);
        x = make_array<T>(room);
        for (int s = 0; s < SYSTEMS; s++)
            for (int i = 0; i < SIZE; i++) {
                const int at = s * system + i * step;
                lower[at] = (T)lower_at(s, i), middle[at] = (T)middle_at(s, i);
                upper[at] = (T)upper_at(s, i), x[at] = (T)side_at(s, i);
            }
    }
    void check(int s, int step, int system, double error) const
    {
        for (int i = 0; i < SIZE; i++)
            CHECK_FLOAT(x[s * system + i * step], i + 1, error);
    }
};

static void tridiagonal()
{
    size_t bytes = 0;
    tridiagonal_arrays<double> one(1, SIZE), plain(1, SIZE), strided(1, SIZE + 2);
    tridiagonal_arrays<float> woven(SYSTEMS, 1);
    CHECK_SPARSE(cusparseDgtsv2_bufferSizeExt(handle, SIZE, 1, one.lower, one.middle, one.upper,
                                              one.x, SIZE, &bytes));
    CHECK(bytes < 1 << 20);
    for (int s = 0; s < SYSTEMS; s++) /* each of its own; the second one, too */
        CHECK_SPARSE(cusparseDgtsv2(handle, SIZE, 1, one.lower + s * SIZE, one.middle + s * SIZE,
                                    one.upper + s * SIZE, one.x + s * SIZE, SIZE, workspace));
    for (int i = 0; i < SIZE; i++) /* the first system with three right sides */
        plain.x[SIZE + i] = 2 * plain.x[i], plain.x[2 * SIZE + i] = -plain.x[i];
    CHECK_SPARSE(cusparseDgtsv2_nopivot(handle, SIZE, 3, plain.lower, plain.middle, plain.upper,
                                        plain.x, SIZE, workspace));
    for (int i = 0; i < SIZE; i++) /* an easy one in place of the second system */
        strided.middle[SIZE + 2 + i] = 1, strided.lower[SIZE + 2 + i] = 0,
                                  strided.upper[SIZE + 2 + i] = 0, strided.x[SIZE + 2 + i] = i + 1;
    CHECK_SPARSE(cusparseDgtsv2StridedBatch(handle, SIZE, strided.lower, strided.middle,
                                            strided.upper, strided.x, SYSTEMS, SIZE + 2,
                                            workspace));
    CHECK_SPARSE(cusparseSgtsvInterleavedBatch(handle, 1, SIZE, woven.lower, woven.middle,
                                               woven.upper, woven.x, SYSTEMS, workspace));
    CHECK_OK(cudaDeviceSynchronize());
    for (int s = 0; s < SYSTEMS; s++) {
        one.check(s, 1, SIZE, 1e-9);
        strided.check(s, 1, SIZE + 2, 1e-9);
        woven.check(s, SYSTEMS, 1, 1e-3);
    }
    for (int i = 0; i < SIZE; i++)
        CHECK_FLOAT(plain.x[2 * SIZE + i], -plain.x[i], 1e-9);
    plain.check(0, 1, SIZE, 1e-9);
    CHECK_INT(cusparseDgtsv2(handle, SIZE, 1, one.lower, one.middle, one.upper, one.x, SIZE - 1,
                             workspace),
              CUSPARSE_STATUS_INVALID_VALUE);
    if (on_simulator) { /* the last element of the last system lies behind its array */
        CHECK(cusparseDgtsv2StridedBatch(handle, SIZE, strided.lower, strided.middle,
                                         strided.upper + 1, strided.x, SYSTEMS, SIZE + 2,
                                         workspace) != CUSPARSE_STATUS_SUCCESS);
    }
}

int main()
{
    CHECK_SPARSE(cusparseCreate(&handle));
    workspace = make_array<char>(1 << 20);
    for (int format = 0; format < 3; format++)
        there_and_back(format);
    rows_to_columns();
    sparse_times_sparse();
    where_it_has_elements();
    several_right_sides(false);
    several_right_sides(true);
    vectors();
    check_dense_sizes();
    in_order();
    counts();
    batches(false);
    batches(true);
    tridiagonal();
    CHECK_SPARSE(cusparseDestroy(handle));
    return check_result();
}
