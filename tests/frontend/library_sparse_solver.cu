/* flags: -lcusolver -lcusparse */
/* cuSOLVER of sparse matrices: solutions of known systems by all three factors, on either side,
 * with and without an order; singular matrices; orders, and matrices in them. */
#include "check.h"

#include <cusolverSp.h>
#include <vector>

#define CHECK_SOLVER(call) CHECK_INT(call, CUSOLVER_STATUS_SUCCESS)

enum { SIDE = 9, N = SIDE * SIDE };

static cusolverSpHandle_t handle;
static cusparseMatDescr_t of_base[2];

struct matrix {
    int n, base;
    std::vector<int> rows, columns;
    std::vector<double> values;
};

static matrix empty(int n, int base)
{
    matrix a = {n, base, {base}, {}, {}};
    return a;
}
static void put(matrix &a, int column, double value)
{
    a.columns.push_back(column + a.base);
    a.values.push_back(value);
}
static void end_row(matrix &a) { a.rows.push_back((int)a.values.size() + a.base); }

/* Neighbours on a square of points; `lean` spoils the symmetry of the values. */
static matrix laplace(int base, double lean)
{
    matrix a = empty(N, base);
    for (int i = 0; i < N; i++) {
        const int x = i % SIDE, y = i / SIDE;
        if (x < SIDE - 1)
            put(a, i + 1, -1 - lean); /* columns in no order */
        if (y > 0)
            put(a, i - SIDE, -1);
        put(a, i, 4.5);
        if (x > 0)
            put(a, i - 1, -1 + lean);
        if (y < SIDE - 1)
            put(a, i + SIDE, -1);
        end_row(a);
    }
    return a;
}

/* Of which no diagonal element is there, so that a pivot has to be looked for. */
static matrix cycle(int n)
{
    matrix a = empty(n, 0);
    for (int i = 0; i < n; i++) {
        put(a, (i + 1) % n, 2);
        put(a, (i + 2) % n, 1);
        end_row(a);
    }
    return a;
}

static double truth(int i) { return i % 7 - 2.5; }

static std::vector<double> times_truth(const matrix &a)
{
    std::vector<double> b((size_t)a.n, 0.0);
    for (int i = 0; i < a.n; i++)
        for (int at = a.rows[i] - a.base; at < a.rows[i + 1] - a.base; at++)
            b[i] += a.values[at] * truth(a.columns[at] - a.base);
    return b;
}

static double worst(const double *x, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fabs(x[i] - truth(i)) <= most ? most : fabs(x[i] - truth(i));
    return most;
}

typedef cusolverStatus_t (*solver)(cusolverSpHandle_t, int, int, const cusparseMatDescr_t,
                                   const double *, const int *, const int *, const double *, double,
                                   int, double *, int *);

static void check_solver(solver f, const matrix &a, bool on_device)
{
    const std::vector<double> b = times_truth(a);
    const size_t count = a.values.size();
    double *values = make_array<double>(count), *side = make_array<double>(a.n),
           *x = make_array<double>(a.n);
    int *rows = make_array<int>(a.n + 1), *columns = make_array<int>(count);
    memcpy(values, a.values.data(), count * sizeof *values);
    memcpy(side, b.data(), a.n * sizeof *side);
    memcpy(rows, a.rows.data(), (a.n + 1) * sizeof *rows);
    memcpy(columns, a.columns.data(), count * sizeof *columns);
    for (int order = 0; order < 3; order++) {
        int singularity = 99;
        memset(x, 0xff, a.n * sizeof *x);
        if (on_device)
            CHECK_SOLVER(f(handle, a.n, (int)count, of_base[a.base], values, rows, columns, side,
                           1e-12, order, x, &singularity));
        else
            CHECK_SOLVER(f(handle, a.n, (int)count, of_base[a.base], a.values.data(), a.rows.data(),
                           a.columns.data(), b.data(), 1e-12, order, x, &singularity));
        CHECK_INT(singularity, -1);
        CHECK(worst(x, a.n) <= 1e-11);
    }
}

static void solutions()
{
    const matrix plain = laplace(0, 0), from_one = laplace(1, 0), leaning = laplace(1, 0.25),
                 round = cycle(11);
    check_solver(cusolverSpDcsrlsvcholHost, plain, false);
    check_solver(cusolverSpDcsrlsvcholHost, from_one, false);
    check_solver(cusolverSpDcsrlsvchol, from_one, true);
    check_solver(cusolverSpDcsrlsvluHost, leaning, false);
    check_solver(cusolverSpDcsrlsvluHost, round, false);
    check_solver(cusolverSpDcsrlsvqrHost, leaning, false);
    check_solver(cusolverSpDcsrlsvqr, leaning, true);
    check_solver(cusolverSpDcsrlsvqr, round, true);
}

static void floats()
{
    const int rows[] = {0, 2, 4}, columns[] = {0, 1, 0, 1};
    const float values[] = {4, 1, 1, 3}, b[] = {1, 2};
    float x[2];
    int singularity;
    CHECK_SOLVER(cusolverSpScsrlsvluHost(handle, 2, 4, of_base[0], values, rows, columns, b, 0, 0,
                                         x, &singularity));
    CHECK_FLOAT(x[0], 1.0 / 11, 1e-6);
    CHECK_SOLVER(cusolverSpScsrlsvcholHost(handle, 2, 4, of_base[0], values, rows, columns, b, 0, 0,
                                           x, &singularity));
    CHECK_FLOAT(x[1], 7.0 / 11, 1e-6);
    CHECK_SOLVER(cusolverSpScsrlsvqrHost(handle, 2, 4, of_base[0], values, rows, columns, b, 0, 0,
                                         x, &singularity));
    CHECK_FLOAT(x[1], 7.0 / 11, 1e-6);
}

/* Row 2 is row 0 and row 1 together; a matrix that is symmetric, but not positive; one without a
 * column. */
static void singular()
{
    const int rows[] = {0, 3, 6, 9}, columns[] = {0, 1, 2, 0, 1, 2, 0, 1, 2};
    const double twice[] = {1, 2, 3, 4, 5, 7, 5, 7, 10}, indefinite[] = {1, 2, 0, 2, 1, 0, 0, 0, 1},
                 b[] = {1, 1, 1};
    const double gap[] = {1, 0, 2, 3, 0, 4, 5, 0, 6};
    double x[3];
    int singularity = 99;
    CHECK_SOLVER(cusolverSpDcsrlsvluHost(handle, 3, 9, of_base[0], twice, rows, columns, b, 1e-12,
                                         0, x, &singularity));
    CHECK_INT(singularity, 2);
    CHECK_SOLVER(cusolverSpDcsrlsvqrHost(handle, 3, 9, of_base[0], twice, rows, columns, b, 1e-12,
                                         0, x, &singularity));
    CHECK_INT(singularity, 2);
    CHECK_SOLVER(cusolverSpDcsrlsvcholHost(handle, 3, 9, of_base[0], indefinite, rows, columns, b,
                                           1e-12, 0, x, &singularity));
    CHECK_INT(singularity, 1);
    CHECK_SOLVER(cusolverSpDcsrlsvluHost(handle, 3, 9, of_base[0], gap, rows, columns, b, 1e-12, 0,
                                         x, &singularity));
    CHECK_INT(singularity, 1);
    if (!on_simulator)
        return; /* NVIDIA's library computes with a column outside of the matrix */
    /* what is rejected is CUDA's last error, too */
    const int outside[] = {0, 1, 3, 0, 1, 2, 0, 1, 2};
    CHECK_INT(cusolverSpDcsrlsvluHost(handle, 3, 9, of_base[0], twice, rows, outside, b, 1e-12, 0,
                                      x, &singularity),
              CUSOLVER_STATUS_INVALID_VALUE);
    CHECK_INT(cudaGetLastError(), cudaErrorInvalidValue);
}

/* The largest distance from the diagonal. */
static int band_of(const matrix &a)
{
    int most = 0;
    for (int i = 0; i < a.n; i++)
        for (int at = a.rows[i] - a.base; at < a.rows[i + 1] - a.base; at++)
            most = abs(a.columns[at] - a.base - i) > most ? abs(a.columns[at] - a.base - i) : most;
    return most;
}

static matrix in_order(matrix a, const std::vector<int> &p)
{
    std::vector<int> map(a.values.size());
    std::vector<double> before = a.values;
    size_t bytes = 0;
    for (size_t at = 0; at < map.size(); at++)
        map[at] = (int)at;
    CHECK_SOLVER(cusolverSpXcsrperm_bufferSizeHost(handle, a.n, a.n, (int)map.size(),
                                                   of_base[a.base], a.rows.data(), a.columns.data(),
                                                   p.data(), p.data(), &bytes));
    std::vector<char> buffer(bytes);
    CHECK_SOLVER(cusolverSpXcsrpermHost(handle, a.n, a.n, (int)map.size(), of_base[a.base],
                                        a.rows.data(), a.columns.data(), p.data(), p.data(),
                                        map.data(), buffer.data()));
    for (size_t at = 0; at < map.size(); at++)
        a.values[at] = before[map[at]];
    return a;
}

static double value_at(const matrix &a, int i, int j)
{
    for (int at = a.rows[i] - a.base; at < a.rows[i + 1] - a.base; at++)
        if (a.columns[at] - a.base == j)
            return a.values[at];
    return 0;
}

static void orders()
{
    typedef cusolverStatus_t (*finder)(cusolverSpHandle_t, int, int, const cusparseMatDescr_t,
                                       const int *, const int *, int *);
    const finder finders[] = {cusolverSpXcsrsymrcmHost, cusolverSpXcsrsymmdqHost,
                              cusolverSpXcsrsymamdHost};
    matrix a = laplace(1, 0.25);
    std::vector<int> shuffled(N), p(N);
    for (int i = 0; i < N; i++)
        shuffled[i] = i * 32 % N;
    a = in_order(a, shuffled);
    CHECK(band_of(a) > 40);
    for (int k = 0; k < 4; k++) {
        if (k < 3)
            CHECK_SOLVER(finders[k](handle, N, (int)a.values.size(), of_base[1], a.rows.data(),
                                    a.columns.data(), p.data()));
        else
            CHECK_SOLVER(cusolverSpXcsrmetisndHost(handle, N, (int)a.values.size(), of_base[1],
                                                   a.rows.data(), a.columns.data(), NULL,
                                                   p.data()));
        std::vector<int> seen(N, 0);
        for (int i = 0; i < N; i++)
            seen[p[i]]++;
        for (int i = 0; i < N; i++)
            CHECK_INT(seen[i], 1);
        const matrix ordered = in_order(a, p);
        if (k == 0)
            CHECK(band_of(ordered) <= 2 * SIDE);
        for (int i = 0; i < N; i += 5)
            for (int j = 0; j < N; j++)
                CHECK_FLOAT(value_at(ordered, i, j), value_at(a, p[i], p[j]), 0);
    }
    int symmetric = 99;
    CHECK_SOLVER(cusolverSpXcsrissymHost(handle, N, (int)a.values.size(), of_base[1], a.rows.data(),
                                         a.rows.data() + 1, a.columns.data(), &symmetric));
    CHECK_INT(symmetric, 1);
    matrix round = cycle(11);
    CHECK_SOLVER(cusolverSpXcsrissymHost(handle, 11, 22, of_base[0], round.rows.data(),
                                         round.rows.data() + 1, round.columns.data(), &symmetric));
    CHECK_INT(symmetric, 0);
    if (!on_simulator)
        return; /* NVIDIA's library writes to wherever a wrong order says */
    p[3] = p[4];
    CHECK_INT(cusolverSpXcsrpermHost(handle, N, N, (int)a.values.size(), of_base[1], a.rows.data(),
                                     a.columns.data(), p.data(), p.data(), shuffled.data(), NULL),
              CUSOLVER_STATUS_INVALID_VALUE);
}

int main(void)
{
    cudaStream_t stream, got;
    CHECK_SOLVER(cusolverSpCreate(&handle));
    CHECK_CUDA(cudaStreamCreate(&stream));
    CHECK_SOLVER(cusolverSpSetStream(handle, stream));
    CHECK_SOLVER(cusolverSpGetStream(handle, &got));
    CHECK(got == stream);
    for (int base = 0; base < 2; base++) {
        CHECK_INT(cusparseCreateMatDescr(&of_base[base]), 0);
        CHECK_INT(cusparseSetMatIndexBase(of_base[base], base ? CUSPARSE_INDEX_BASE_ONE
                                                              : CUSPARSE_INDEX_BASE_ZERO),
                  0);
    }
    solutions();
    floats();
    singular();
    orders();
    CHECK_SOLVER(cusolverSpDestroy(handle));
    return check_done();
}
