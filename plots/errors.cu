/* errors.cu - how far from the true product are cuBLAS in FP32, and lesson 02's rungs that give
 * FP32 accuracy on tensor cores?
 *
 * Inputs of six kinds, some of them made to hurt. An element's error is measured against the sum of
 * the magnitudes of its products, |a||b|, which is what rounding is proportional to; the largest of
 * all elements counts. The reference is computed in double on the CPU. plots/record runs it on a
 * GPU and keeps its CSV. */
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/cuda_check.h"
#include "common/options.h"
#include "common/report.h"
#include "common/table.h"
#include "common/verify.h"
#include "step02_tiled/lesson.h"

/* C is square. Errors are looked at in ROWS rows spread over it, so that a CPU can follow. */
enum { ROWS = 48 };

static const struct column columns[] = {
    {"kernel", NULL, NULL, COLUMN_TEXT, 0},
    {"inputs", NULL, NULL, COLUMN_TEXT, 0},
    {"m", NULL, NULL, COLUMN_INTEGER, 0},
    {"n", NULL, NULL, COLUMN_INTEGER, 0},
    {"k", NULL, NULL, COLUMN_INTEGER, 0},
    {"error", "error of the magnitudes", NULL, COLUMN_GENERAL, 3},
    {"of_cublas", NULL, NULL, COLUMN_REAL, 3},
};

static double power_of_ten(struct rng *r, double most)
{
    return pow(10.0, most * (2 * rng_unit(r) - 1));
}

/* Each kind changes values in [-1, 1) in place: A is side x k, B is k x side. */
static void as_they_are(float *a, float *b, int side, int k, struct rng *r)
{
    (void)a, (void)b, (void)side, (void)k, (void)r;
}

static void mostly_zero(float *a, float *b, int side, int k, struct rng *r)
{
    for (int i = 0; i < side * k; i++) {
        a[i] = rng_unit(r) < 0.9 ? 0.0f : a[i];
        b[i] = rng_unit(r) < 0.9 ? 0.0f : b[i];
    }
}

static void positive(float *a, float *b, int side, int k, struct rng *r)
{
    (void)r;
    for (int i = 0; i < side * k; i++) {
        a[i] = fabsf(a[i]);
        b[i] = fabsf(b[i]);
    }
}

static void scaled_rows(float *a, float *b, int side, int k, struct rng *r)
{
    for (int line = 0; line < side; line++) {
        const float row = (float)power_of_ten(r, 15), column = (float)power_of_ten(r, 15);
        for (int i = 0; i < k; i++) {
            a[line * k + i] *= row;
            b[i * side + line] *= column;
        }
    }
}

static void scaled_elements(float *a, float *b, int side, int k, struct rng *r)
{
    for (int i = 0; i < side * k; i++) {
        a[i] *= (float)power_of_ten(r, 10);
        b[i] *= (float)power_of_ten(r, 10);
    }
}

/* Up in A what goes down in B: every product is of the same size, no block of A is. */
static void scaled_steps(float *a, float *b, int side, int k, struct rng *r)
{
    (void)r;
    for (int i = 0; i < k; i++) {
        const float up = (float)pow(10.0, 12.0 * i / k - 6);
        for (int line = 0; line < side; line++) {
            a[line * k + i] *= up;
            b[i * side + line] /= up;
        }
    }
}

static const struct {
    const char *name;
    void (*change)(float *a, float *b, int side, int k, struct rng *r);
} kinds[] = {
    {"uniform", as_they_are},
    {"nine_in_ten_zero", mostly_zero},
    {"positive", positive},
    {"rows_and_columns_scaled", scaled_rows},
    {"elements_scaled", scaled_elements},
    {"steps_of_k_scaled", scaled_steps},
};

static void *room(size_t bytes)
{
    void *memory = malloc(bytes);
    if (memory == NULL) {
        fprintf(stderr, "errors: no memory for %zu bytes\n", bytes);
        exit(2);
    }
    return memory;
}

/* Of ROWS rows of C, side / ROWS apart: the exact product and the sums of magnitudes. */
static void reference(const float *a, const float *b, int side, int k, double *exact,
                      double *magnitude)
{
    for (int i = 0; i < ROWS * side; i++)
        exact[i] = magnitude[i] = 0;
    for (int row = 0; row < ROWS; row++)
        for (int i = 0; i < k; i++)
            for (int column = 0; column < side; column++) {
                const double product =
                    (double)a[row * (side / ROWS) * k + i] * b[i * side + column];
                exact[row * side + column] += product;
                magnitude[row * side + column] += fabs(product);
            }
}

/* The largest error; NaN where an element is none. An element of which every product is 0 must be
 * 0. */
static double largest_error(const float *c, int side, const double *exact, const double *magnitude)
{
    double largest = 0;
    for (int i = 0; i < ROWS * side; i++) {
        const float got = c[i / side * (side / ROWS) * side + i % side];
        if (magnitude[i] == 0 && got == 0.0f)
            continue;
        const double error = fabs(got - exact[i]) / magnitude[i];
        if (!(error <= largest))
            largest = error;
        if (isnan(largest))
            break;
    }
    return largest;
}

static double error_of(const struct rung *rung, struct product *p, const double *exact,
                       const double *magnitude)
{
    const size_t bytes = (size_t)p->m * p->n * sizeof(float);
    float *c = (float *)room(bytes);
    cuda_poison(p->d_c, bytes);
    rung->launch(p);
    CUDA_CHECK_LAUNCH();
    CUDA_CHECK(cudaMemcpy(c, p->d_c, bytes, cudaMemcpyDeviceToHost));
    const double error = largest_error(c, p->n, exact, magnitude);
    free(c);
    return error;
}

/* One kind of inputs, one size: a row for each kernel. false: a kernel is not to be had, or gave no
 * number. */
static bool compare(struct table *t, size_t kind, int side, int k)
{
    static const char *const names[] = {"cublas_sgemm", "matmul_tensor_3xtf32",
                                        "matmul_tensor_3xfp16"};
    const struct matmul_shape s = {(size_t)side, (size_t)side, (size_t)k};
    const size_t bytes = (size_t)side * k * sizeof(float);
    struct rng r = rng_start(17 * kind + k);
    float *a = (float *)room(bytes), *b = (float *)room(bytes);
    double *exact = (double *)room(ROWS * side * sizeof(double)),
           *magnitude = (double *)room(ROWS * side * sizeof(double));
    verify_fill_floats(a, (size_t)side * k, 1);
    verify_fill_floats(b, (size_t)side * k, 2);
    kinds[kind].change(a, b, side, k, &r);
    reference(a, b, side, k, exact, magnitude);

    struct matmul_reference *inputs = reference_open(s, 1); /* product_open() wants some */
    struct product p = product_open(inputs, s);
    CUDA_CHECK(cudaMemcpy((void *)p.d_a, a, bytes, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy((void *)p.d_b, b, bytes, cudaMemcpyHostToDevice));
    size_t count;
    const struct rung *rungs = ladder(&count);
    bool ok = true;
    double of_cublas = NAN;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const int found = ladder_find(names[i]);
        const char *why = found < 0              ? "no such rung"
                          : rungs[found].refusal ? rungs[found].refusal(&p)
                                                 : NULL;
        if (why != NULL) {
            fprintf(stderr, "errors: %s: %s\n", names[i], why);
            ok = false;
            continue;
        }
        const double error = error_of(&rungs[found], &p, exact, magnitude);
        of_cublas = i == 0 ? error : of_cublas;
        ok = ok && error <= 1e-3;
        table_row(t);
        table_text(t, "kernel", names[i]);
        table_text(t, "inputs", kinds[kind].name);
        table_integer(t, "m", side);
        table_integer(t, "n", side);
        table_integer(t, "k", k);
        table_real(t, "error", error);
        table_real(t, "of_cublas", error / of_cublas);
    }
    product_close(&p);
    matmul_reference_close(inputs);
    free(a);
    free(b);
    free(exact);
    free(magnitude);
    return ok;
}

int main(int argc, char **argv)
{
    static const int sides[] = {384, 2064}, depths[] = {256, 512, 1300, 4096};
    const struct options_about about = {"errors", "how exact products in FP32 accuracy are", false,
                                        0, 1};
    struct options o;
    const int code = options_parse(&o, argc, argv, &about, NULL, 0);
    if (code >= 0)
        return code;
    struct table *t = table_open(columns, sizeof columns / sizeof columns[0]);
    bool ok = true;
    for (size_t kind = 0; kind < sizeof kinds / sizeof kinds[0]; kind++)
        for (size_t i = 0; i < 2 * sizeof depths / sizeof depths[0]; i++)
            ok = compare(t, kind, sides[i % 2], depths[i / 2]) && ok;
    const bool written = report_table(t, &o);
    table_close(t);
    return !written ? 2 : ok ? 0 : 1;
}
