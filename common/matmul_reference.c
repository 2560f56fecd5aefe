/* matmul_reference.c - see matmul_reference.h. */
#include "common/matmul_reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/verify.h"

enum { FULL_WORK_MAX = 1 << 26, SAMPLES = 4096 }; /* multiplications; elements of C */

struct matmul_reference {
    struct matmul_shape shape;
    float *a, *b;
    size_t count;  /* elements with a reference value */
    size_t *index; /* where they are in C, ascending; NULL: element i is at i */
    double *want;
    double largest;   /* of |want| */
    double *signs;    /* x, n values of -1 or 1; NULL where all of C is compared */
    double *row_sums; /* A.(B.x), m values */
};

const float *matmul_reference_a(const struct matmul_reference *r) { return r->a; }

const float *matmul_reference_b(const struct matmul_reference *r) { return r->b; }

void matmul_reference_close(struct matmul_reference *r)
{
    if (r == NULL) {
        return;
    }
    free(r->a);
    free(r->b);
    free(r->index);
    free(r->want);
    free(r->signs);
    free(r->row_sums);
    free(r);
}

static double exact_element(const struct matmul_reference *r, size_t row, size_t column)
{
    const struct matmul_shape s = r->shape;
    double sum = 0.0;
    for (size_t i = 0; i < s.k; i++) {
        sum += (double)r->a[row * s.k + i] * (double)r->b[i * s.n + column];
    }
    return sum;
}

/* The corners first, then elements that an odd step spreads over rows and columns. */
static size_t sample_index(const struct matmul_shape s, size_t i)
{
    const size_t total = s.m * s.n;
    const size_t corners[4] = {0, s.n - 1, (s.m - 1) * s.n, total - 1};
    if (i < 4) {
        return corners[i];
    }
    return (size_t)(((uint64_t)i * 0x9e3779b97f4a7c15u) % total);
}

static void fill_wanted(struct matmul_reference *r)
{
    for (size_t i = 0; i < r->count; i++) {
        const size_t at = r->index ? r->index[i] : i;
        r->want[i] = exact_element(r, at / r->shape.n, at % r->shape.n);
        r->largest = fmax(r->largest, fabs(r->want[i]));
    }
}

/* x, then B.x, then A.(B.x): two passes over the inputs instead of m n k multiplications. */
static bool prepare_row_sums(struct matmul_reference *r, uint64_t seed)
{
    const struct matmul_shape s = r->shape;
    struct rng rng = rng_start(seed);
    double *bx = malloc(s.k * sizeof(double));
    r->signs = malloc(s.n * sizeof(double));
    r->row_sums = malloc(s.m * sizeof(double));
    if (bx == NULL || r->signs == NULL || r->row_sums == NULL) {
        free(bx);
        return false;
    }
    for (size_t j = 0; j < s.n; j++) {
        r->signs[j] = rng_next(&rng) >> 63 ? -1.0 : 1.0;
    }
    for (size_t i = 0; i < s.k; i++) {
        bx[i] = 0.0;
        for (size_t j = 0; j < s.n; j++) {
            bx[i] += (double)r->b[i * s.n + j] * r->signs[j];
        }
    }
    for (size_t row = 0; row < s.m; row++) {
        r->row_sums[row] = 0.0;
        for (size_t i = 0; i < s.k; i++) {
            r->row_sums[row] += (double)r->a[row * s.k + i] * bx[i];
        }
    }
    free(bx);
    return true;
}

struct matmul_reference *matmul_reference_open(struct matmul_shape s, uint64_t seed)
{
    struct matmul_reference *r = calloc(1, sizeof *r);
    if (r == NULL) {
        return NULL;
    }
    const bool full = (double)s.m * (double)s.n * (double)s.k <= FULL_WORK_MAX;
    r->shape = s;
    r->count = full ? s.m * s.n : SAMPLES;
    r->a = malloc(s.m * s.k * sizeof(float));
    r->b = malloc(s.k * s.n * sizeof(float));
    r->want = malloc(r->count * sizeof(double));
    r->index = full ? NULL : malloc(r->count * sizeof(size_t));
    if (r->a == NULL || r->b == NULL || r->want == NULL || (!full && r->index == NULL)) {
        matmul_reference_close(r);
        return NULL;
    }
    verify_fill_floats(r->a, s.m * s.k, seed);
    verify_fill_floats(r->b, s.k * s.n, seed + 1);
    for (size_t i = 0; !full && i < r->count; i++) {
        r->index[i] = sample_index(s, i);
    }
    fill_wanted(r);
    if (!full && !prepare_row_sums(r, seed + 2)) {
        matmul_reference_close(r);
        return NULL;
    }
    return r;
}

static void note_wrong(struct matmul_verdict *v, size_t row, size_t column, double got, double want)
{
    if (!v->ok) {
        return;
    }
    v->ok = false;
    v->row = row;
    v->column = column;
    v->got = got;
    v->want = want;
}

/* The rounding errors of a row's n elements add up like a random walk: sqrt(n) of them. */
static void judge_rows(const struct matmul_reference *r, const float *c, double tolerance,
                       struct matmul_verdict *v)
{
    const struct matmul_shape s = r->shape;
    const double row_tolerance = tolerance * sqrt((double)s.n);
    for (size_t row = 0; row < s.m; row++) {
        double sum = 0.0;
        for (size_t j = 0; j < s.n; j++) {
            sum += (double)c[row * s.n + j] * r->signs[j];
        }
        if (!verify_close(sum, r->row_sums[row], row_tolerance, 0.0)) {
            note_wrong(v, row, s.n, sum, r->row_sums[row]);
        }
    }
}

struct matmul_verdict matmul_judge(const struct matmul_reference *r, const float *c)
{
    const struct matmul_shape s = r->shape;
    const double tolerance = 4.0 * (double)s.k * 0x1p-24;
    struct matmul_verdict v = {true, r->index == NULL, r->count, 0.0, 0, 0, 0.0, 0.0};
    double worst = 0.0;
    for (size_t i = 0; i < r->count; i++) {
        const size_t at = r->index ? r->index[i] : i;
        const double got = (double)c[at], error = fabs(got - r->want[i]);
        if (!verify_close(got, r->want[i], tolerance, 0.0)) {
            note_wrong(&v, at / s.n, at % s.n, got, r->want[i]);
        }
        if (!(error <= worst)) { /* a NaN gets in, and stays */
            worst = isnan(worst) ? worst : error;
        }
    }
    v.max_rel_error = r->largest > 0.0 ? worst / r->largest : worst;
    if (r->index) {
        judge_rows(r, c, tolerance, &v);
    }
    return v;
}

/* --- a sample of the blocks ------------------------------------------------------------------- */

enum { STRETCH = 64 }; /* neighbours of a row that are computed together */

static bool is_poison(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits == 0xffffffffu;
}

/* want[i] for columns first .. first + count - 1 of the row, B read row by row. */
static void exact_stretch(const struct matmul_reference *r, size_t row, size_t first, size_t count,
                          double *want)
{
    const struct matmul_shape s = r->shape;
    for (size_t j = 0; j < count; j++) {
        want[j] = 0.0;
    }
    for (size_t i = 0; i < s.k; i++) {
        const double a = (double)r->a[row * s.k + i];
        for (size_t j = 0; j < count; j++) {
            want[j] += a * (double)r->b[i * s.n + first + j];
        }
    }
}

static void judge_stretch(const struct matmul_reference *r, const float *c, size_t row,
                          size_t first, size_t count, struct matmul_verdict *v)
{
    const double tolerance = 4.0 * (double)r->shape.k * 0x1p-24;
    double want[STRETCH];
    exact_stretch(r, row, first, count, want);
    for (size_t j = 0; j < count; j++) {
        const double got = (double)c[row * r->shape.n + first + j];
        if (!verify_close(got, want[j], tolerance, 0.0)) {
            note_wrong(v, row, first + j, got, want[j]);
        }
        v->max_rel_error = fmax(v->max_rel_error, fabs(got - want[j]) / fmax(r->largest, 1e-30));
    }
    v->compared += count;
}

struct matmul_verdict matmul_judge_sampled(const struct matmul_reference *r, const float *c)
{
    const struct matmul_shape s = r->shape;
    struct matmul_verdict v = {true, false, 0, 0.0, 0, 0, 0.0, 0.0};
    for (size_t row = 0; row < s.m; row++) {
        for (size_t j = 0; j < s.n;) {
            size_t count = 0;
            while (count < STRETCH && j + count < s.n && !is_poison(c[row * s.n + j + count])) {
                count++;
            }
            if (count > 0) {
                judge_stretch(r, c, row, j, count, &v);
            }
            j += count > 0 ? count : 1;
        }
    }
    v.ok = v.ok && v.compared > 0;
    return v;
}

void matmul_explain(FILE *out, const char *kernel, const struct matmul_reference *r,
                    const struct matmul_verdict *v)
{
    const struct matmul_shape s = r->shape;
    if (v->ok) {
        return;
    }
    fprintf(out, "%s: wrong at m=%zu n=%zu k=%zu, row %zu", kernel, s.m, s.n, s.k, v->row);
    if (v->column < s.n) {
        fprintf(out, ", column %zu: got %.6g, want %.6g\n", v->column, v->got, v->want);
    } else {
        fprintf(out, ": its sum with random signs is %.6g, must be %.6g\n", v->got, v->want);
    }
}
