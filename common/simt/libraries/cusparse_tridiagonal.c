/* cusparse_tridiagonal.c - our cuSPARSE: tridiagonal systems, one with several right sides or many
 * in a batch, by Gaussian elimination. In every form the first element of the lower diagonal and
 * the last of the upper one are not used. */
#include "libraries/cusparse.h"

#include <math.h>
#include <stdlib.h>

#include "base/room.h"

/* Element i of system s lies at s * system + i * step in the diagonals, and of its right side r at
 * s * system + r * side + i * step in x, whose place the solution takes. */
struct systems {
    const char *name;
    int64_t m, systems, sides;
    int64_t step, system, side;
    const void *lower, *middle, *upper;
    void *x;
    cudaDataType type;
    bool pivots; /* rows are exchanged where that divides by a larger number */
};

/* One row while it is eliminated: what stands on the diagonal and in the two columns behind it. */
struct row {
    double middle, upper, second;
};

struct arrays {
    const void *lower, *middle, *upper;
    void *x;
};

static int64_t last_element(const struct systems *t)
{
    return (t->systems - 1) * t->system + (t->m - 1) * t->step;
}

static bool open_arrays(struct simt_library *l, const struct systems *t, struct arrays *a)
{
    const uint64_t size = element_size(t->type);
    const uint64_t bytes = (uint64_t)(last_element(t) + 1) * size;
    const uint64_t of_x = bytes + (uint64_t)((t->sides - 1) * t->side) * size;
    a->lower = simt_library_line(l, "lower diagonal", t->lower, bytes, LIBRARY_READS);
    a->middle =
        a->lower == NULL ? NULL : simt_library_line(l, "diagonal", t->middle, bytes, LIBRARY_READS);
    a->upper = a->middle == NULL
                   ? NULL
                   : simt_library_line(l, "upper diagonal", t->upper, bytes, LIBRARY_READS);
    a->x = a->upper == NULL
               ? NULL
               : simt_library_line(l, "right side", t->x, of_x, LIBRARY_READS_AND_WRITES);
    return a->x != NULL;
}

/* Row `below` has `lower` in the column of row `at`: afterwards it has nothing there. */
static void eliminate(struct row *at, struct row *below, double lower, double *x, bool pivots)
{
    if (pivots && fabs(lower) > fabs(at->middle)) {
        const struct row old = *at;
        const double old_x = x[0];
        *at = (struct row){lower, below->middle, below->upper};
        *below = (struct row){old.upper, old.second, 0};
        lower = old.middle;
        x[0] = x[1];
        x[1] = old_x;
    }
    const double factor = lower / at->middle;
    below->middle -= factor * at->upper;
    below->upper -= factor * at->second;
    x[1] -= factor * x[0];
}

static void solve_one(const struct systems *t, const struct arrays *a, int64_t begin, int64_t of_x,
                      struct row *rows, double *x)
{
    for (int64_t i = 0; i < t->m; i++) {
        const int64_t at = begin + i * t->step;
        const double upper = i + 1 < t->m ? element_load(t->type, a->upper, at) : 0;
        rows[i] = (struct row){element_load(t->type, a->middle, at), upper, 0};
        x[i] = element_load(t->type, a->x, of_x + i * t->step);
    }
    for (int64_t i = 0; i + 1 < t->m; i++) {
        const double lower = element_load(t->type, a->lower, begin + (i + 1) * t->step);
        eliminate(&rows[i], &rows[i + 1], lower, &x[i], t->pivots);
    }
    for (int64_t i = t->m - 1; i >= 0; i--) {
        double sum = x[i];
        sum -= i + 1 < t->m ? rows[i].upper * x[i + 1] : 0;
        sum -= i + 2 < t->m ? rows[i].second * x[i + 2] : 0;
        x[i] = sum / rows[i].middle;
    }
    for (int64_t i = 0; i < t->m; i++) {
        element_store(t->type, a->x, of_x + i * t->step, x[i]);
    }
}

static bool solve(struct simt_library *l, const void *state)
{
    const struct systems *t = state;
    struct arrays a;
    if (!open_arrays(l, t, &a)) {
        return false;
    }
    struct row *rows = room_raw((size_t)t->m, sizeof *rows);
    double *x = room_raw((size_t)t->m, sizeof *x);
    for (int64_t s = 0; s < t->systems; s++) {
        for (int64_t r = 0; r < t->sides; r++) {
            solve_one(t, &a, s * t->system, s * t->system + r * t->side, rows, x);
        }
    }
    free(rows);
    free(x);
    return true;
}

static cusparseStatus_t run(cusparseHandle_t handle, const struct systems *t)
{
    if (handle == NULL) {
        return CUSPARSE_STATUS_NOT_INITIALIZED;
    }
    if (t->m < 1 || t->systems < 0 || t->sides < 0) {
        return CUSPARSE_STATUS_INVALID_VALUE;
    }
    return t->systems == 0 || t->sides == 0 ? CUSPARSE_STATUS_SUCCESS
                                            : cusparse_run(handle, t->name, solve, t, sizeof *t);
}

/* B has n right sides as columns, ldb elements apart. */
#define ONE_SYSTEM(name_, T, type_, pivots_)                                                       \
    CUSPARSE_NO_BUFFER(name_##_bufferSizeExt, cusparseHandle_t handle, int m, int n, const T *dl,  \
                       const T *d, const T *du, const T *b, int ldb)                               \
    cusparseStatus_t name_(cusparseHandle_t handle, int m, int n, const T *dl, const T *d,         \
                           const T *du, T *b, int ldb, void *buffer)                               \
    {                                                                                              \
        if (ldb < m || m < 3) {                                                                    \
            return CUSPARSE_STATUS_INVALID_VALUE;                                                  \
        }                                                                                          \
        return run(handle,                                                                         \
                   &(struct systems){#name_, m, 1, n, 1, 0, ldb, dl, d, du, b, type_, pivots_});   \
    }
ONE_SYSTEM(cusparseSgtsv2, float, CUDA_R_32F, true)
ONE_SYSTEM(cusparseDgtsv2, double, CUDA_R_64F, true)
ONE_SYSTEM(cusparseSgtsv2_nopivot, float, CUDA_R_32F, false)
ONE_SYSTEM(cusparseDgtsv2_nopivot, double, CUDA_R_64F, false)

/* Systems one behind the other, `stride` elements apart; without exchanges of rows. */
#define STRIDED(name_, T, type_)                                                                   \
    CUSPARSE_NO_BUFFER(name_##_bufferSizeExt, cusparseHandle_t handle, int m, const T *dl,         \
                       const T *d, const T *du, const T *x, int count, int stride)                 \
    cusparseStatus_t name_(cusparseHandle_t handle, int m, const T *dl, const T *d, const T *du,   \
                           T *x, int count, int stride, void *buffer)                              \
    {                                                                                              \
        if (stride < m) {                                                                          \
            return CUSPARSE_STATUS_INVALID_VALUE;                                                  \
        }                                                                                          \
        return run(handle, &(struct systems){#name_, m, count, 1, 1, stride, 0, dl, d, du, x,      \
                                             type_, false});                                       \
    }
STRIDED(cusparseSgtsv2StridedBatch, float, CUDA_R_32F)
STRIDED(cusparseDgtsv2StridedBatch, double, CUDA_R_64F)

/* The first elements of all systems, then the second ones; algorithm 0 (Thomas) exchanges no rows,
 * 1 (LU) and 2 (QR) are stable. What a card leaves in the diagonals is not defined. */
#define INTERLEAVED(name_, T, type_)                                                               \
    CUSPARSE_NO_BUFFER(name_##_bufferSizeExt, cusparseHandle_t handle, int algorithm, int m,       \
                       const T *dl, const T *d, const T *du, const T *x, int count)                \
    cusparseStatus_t name_(cusparseHandle_t handle, int algorithm, int m, T *dl, T *d, T *du,      \
                           T *x, int count, void *buffer)                                          \
    {                                                                                              \
        if (algorithm < 0 || algorithm > 2) {                                                      \
            return CUSPARSE_STATUS_INVALID_VALUE;                                                  \
        }                                                                                          \
        return run(handle, &(struct systems){#name_, m, count, 1, count, 1, 0, dl, d, du, x,       \
                                             type_, algorithm > 0});                               \
    }
INTERLEAVED(cusparseSgtsvInterleavedBatch, float, CUDA_R_32F)
INTERLEAVED(cusparseDgtsvInterleavedBatch, double, CUDA_R_64F)
