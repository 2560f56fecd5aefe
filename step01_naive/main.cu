/* step01_naive - matrix multiplication, one thread for each element of the result.
 *
 * C = A.B, row-major: A is m x k, B is k x n, C is m x n. This lesson alone spells out what every
 * CUDA program does: allocate on the GPU, copy there, launch, check, copy back, free. Read from
 * the kernels to measure(); main() is at the end. */
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/counters.h"
#include "common/cuda_check.h"
#include "common/device_limits.h"
#include "common/launch_columns.h"
#include "common/matmul_reference.h"
#include "common/options.h"
#include "common/predict.h"
#include "common/report.h"
#include "common/timing.h"
#include "step01_naive/harness/example.h"
#include "step01_naive/harness/grid.h"
#include "step01_naive/harness/launches.h"
#include "step01_naive/harness/mapping.h"

/* -------------------------------------------------------------------------------------- kernels */

/* x runs along a row of C. The 32 threads of a warp have 32 neighbouring columns: they read one
 * element of A together, and 32 neighbouring elements of B. */
__global__ void matmul_naive(const float *A, const float *B, float *C, int m, int n, int k)
{
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= m || column >= n) /* the last blocks may stick out over both edges of C */
        return;
    float sum = 0.0f;
    for (int i = 0; i < k; i++)
        sum += A[(size_t)row * k + i] * B[(size_t)i * n + column];
    C[(size_t)row * n + column] = sum;
}

/* The same with x and y swapped: a warp walks down a column of C, and of A, so its 32 reads lie k
 * elements apart. Same arithmetic, same result. */
__global__ void matmul_naive_column_mapped(const float *A, const float *B, float *C, int m, int n,
                                           int k)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    const int column = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || column >= n)
        return;
    float sum = 0.0f;
    for (int i = 0; i < k; i++)
        sum += A[(size_t)row * k + i] * B[(size_t)i * n + column];
    C[(size_t)row * n + column] = sum;
}

/* Sabotaged: a row of B has n elements, not k. Right for square matrices, and only there. */
__global__ void matmul_naive_wrong_stride(const float *A, const float *B, float *C, int m, int n,
                                          int k)
{
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= m || column >= n)
        return;
    float sum = 0.0f;
    for (int i = 0; i < k; i++)
        sum += A[(size_t)row * k + i] * B[(size_t)i * k + column];
    C[(size_t)row * n + column] = sum;
}

/* ------------------------------------------------------------------------- the table of kernels */

typedef void (*matmul_kernel)(const float *, const float *, float *, int, int, int);

struct variant {
    const char *name;
    matmul_kernel kernel;
    bool x_is_column; /* the grid's x covers columns of C; otherwise rows */
    bool sabotaged;   /* runs only when named, and must be rejected */
    const char *what;
};

static const struct variant variants[] = {
    {"matmul_naive_column_mapped", matmul_naive_column_mapped, false, false,
     "a warp walks down a column: uncoalesced"},
    {"matmul_naive", matmul_naive, true, false, "a warp walks along a row: coalesced"},
    {"matmul_naive_wrong_stride", matmul_naive_wrong_stride, true, true, "uses k where n belongs"},
};
enum { VARIANTS = sizeof variants / sizeof variants[0], BLOCK = 16 };
enum { SAMPLED_ABOVE = 400000000 }; /* warp instructions: larger launches are simulated in part */

/* ---------------------------------------------------------- allocate, copy, launch, check, free */

struct launch {
    const struct variant *variant;
    const float *d_a, *d_b; /* d_: memory of the GPU ("device"), which the CPU cannot read */
    float *d_c;
    int m, n, k;
};

/* A block is 16 x 16 threads; as many blocks as it takes to cover C, rounded up. */
static void launch_matmul(void *state)
{
    const struct launch *l = (const struct launch *)state;
    const int x_extent = l->variant->x_is_column ? l->n : l->m;
    const int y_extent = l->variant->x_is_column ? l->m : l->n;
    const dim3 block(BLOCK, BLOCK);
    const dim3 grid((x_extent + BLOCK - 1) / BLOCK, (y_extent + BLOCK - 1) / BLOCK);
    l->variant->kernel<<<grid, block>>>(l->d_a, l->d_b, l->d_c, l->m, l->n, l->k);
}

struct measurement {
    struct matmul_verdict verdict;
    struct timing timing;
    struct launch_counters counters;
    bool has_counters;
    struct launch_times times;
};

/* Runs one kernel on one shape from beginning to end. timing NULL: once, to verify it. */
static struct measurement measure(const struct variant *v, const struct matmul_reference *r,
                                  struct matmul_shape s, const struct timing_options *timing)
{
    const size_t a_bytes = s.m * s.k * sizeof(float);
    const size_t b_bytes = s.k * s.n * sizeof(float);
    const size_t c_bytes = s.m * s.n * sizeof(float);
    float *d_a, *d_b, *d_c;
    struct measurement result = {};

    float *c = (float *)malloc(c_bytes);
    if (!c) {
        fprintf(stderr, "step01_naive: no memory for a C of %zu bytes\n", c_bytes);
        exit(2);
    }

    /* 1. Memory on the GPU. */
    CUDA_CHECK(cudaMalloc(&d_a, a_bytes));
    CUDA_CHECK(cudaMalloc(&d_b, b_bytes));
    CUDA_CHECK(cudaMalloc(&d_c, c_bytes));

    /* 2. The inputs go there. C is filled with NaN, so that an element that the kernel forgets
     *    cannot look right. */
    CUDA_CHECK(cudaMemcpy(d_a, matmul_reference_a(r), a_bytes, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(d_b, matmul_reference_b(r), b_bytes, cudaMemcpyHostToDevice));
    cuda_poison(d_c, c_bytes);

    /* 3. Launch. The call returns at once; whether the launch was accepted, and whether the kernel
     *    then ran without an error, are two different questions: CUDA_CHECK_LAUNCH asks both. */
    struct launch launch = {v, d_a, d_b, d_c, (int)s.m, (int)s.n, (int)s.k};
    launch_times_start();
    launch_matmul(&launch);
    CUDA_CHECK_LAUNCH();
    result.has_counters = timing && counters_last_launch(&result.counters);
    launch_times(&result.times);

    /* 4. The result comes back (cudaMemcpy waits for the kernel) and is verified. */
    CUDA_CHECK(cudaMemcpy(c, d_c, c_bytes, cudaMemcpyDeviceToHost));
    struct launch_sampled sample;
    result.verdict = launch_was_sampled(&sample) ? matmul_judge_sampled(r, c) : matmul_judge(r, c);
    matmul_explain(stderr, v->name, r, &result.verdict);
    if (sample.executed < sample.blocks)
        report_sample(v->name, &sample, result.verdict.compared);

    /* 5. Only what is right is worth timing. */
    if (timing && result.verdict.ok)
        result.timing = timing_run(timing, launch_matmul, &launch);

    /* 6. Give the memory back. */
    CUDA_CHECK(cudaFree(d_a));
    CUDA_CHECK(cudaFree(d_b));
    CUDA_CHECK(cudaFree(d_c));
    free(c);
    return result;
}

/* ----------------------------------------------------------------------------------- the report */

static const struct column columns[] = {
    {"kernel", NULL, NULL, COLUMN_TEXT, 0},
    {"m", NULL, NULL, COLUMN_INTEGER, 0},
    {"n", NULL, NULL, COLUMN_INTEGER, 0},
    {"k", NULL, NULL, COLUMN_INTEGER, 0},
    {"time_ms", "time", "ms", COLUMN_REAL, 4},
    {"gflops", NULL, "GFLOPS", COLUMN_REAL, 1},
    {"percent_of_peak", "of peak", "%", COLUMN_REAL, 1},
    {"load_sectors_per_request", "sectors", "per request", COLUMN_REAL, 2},
    {"global_load_sectors", "load sectors", NULL, COLUMN_INTEGER, 0},
    {"max_rel_error", "max error", "relative", COLUMN_GENERAL, 2},
    {"verified", NULL, NULL, COLUMN_TEXT, 0},
    LAUNCH_COLUMNS,
};

/* Peak FP32 rate of the device, in GFLOPS. */
static double device_peak_gflops(void)
{
    struct gpu_limits limits;
    device_limits(0, &limits);
    return gpu_limits_peak_gflops(&limits);
}

static void add_row(struct table *t, const struct variant *v, struct matmul_shape s,
                    const struct measurement *m)
{
    const double operations = 2.0 * (double)s.m * (double)s.n * (double)s.k;
    table_row(t);
    table_text(t, "kernel", v->name);
    table_integer(t, "m", (int64_t)s.m);
    table_integer(t, "n", (int64_t)s.n);
    table_integer(t, "k", (int64_t)s.k);
    table_text(t, "verified", m->verdict.ok ? "yes" : "NO");
    if (!m->verdict.ok)
        return; /* no number of a wrong kernel is worth printing */
    if (m->timing.has_time) {
        const double gflops = timing_gflops(&m->timing, operations);
        table_measured(t, "time_ms", m->timing.median_ms);
        table_measured(t, "gflops", gflops);
        table_measured(t, "percent_of_peak", 100.0 * gflops / device_peak_gflops());
    }
    table_real(t, "max_rel_error", m->verdict.max_rel_error);
    char key[128];
    snprintf(key, sizeof key, "kernel=%s m=%zu n=%zu k=%zu", v->name, s.m, s.n, s.k);
    launch_columns_set(t, &m->times, "step01.csv", key);
    if (!m->has_counters)
        return;
    const struct launch_counters *c = &m->counters;
    table_real(t, "load_sectors_per_request",
               (double)c->global_load_sectors / (double)c->global_load_requests);
    table_integer(t, "global_load_sectors", (int64_t)c->global_load_sectors);
}

/* How much there is to do, before anything is measured. */
static void print_work(struct matmul_shape s)
{
    const double m = (double)s.m, n = (double)s.n, k = (double)s.k, operations = 2.0 * m * n * k;
    const double asked = 2.0 * m * n * k * sizeof(float); /* one A and one B per multiplication */
    const double least = (m * k + k * n + m * n) * sizeof(float);
    printf("C = A.B, A %zu x %zu, B %zu x %zu: 2 m n k = %.0f operations\n", s.m, s.k, s.k, s.n,
           operations);
    printf("the threads ask for %.6g GB: %.2f operations per byte\n", asked / 1e9,
           operations / asked);
    printf("each matrix once would be %.6g GB: %.4g operations per byte\n\n", least / 1e9,
           operations / least);
}

/* ----------------------------------------------------------------------------------------- main */

/* m, n, k: all three different, single elements, rows and columns, multiples of the block and not.
 * The first has k < n, so that the wrong stride stays inside B: a wrong result, not a fault. */
static const struct matmul_shape check_shapes[] = {
    {30, 50, 40}, {48, 32, 32}, {1, 1, 1}, {1, 1, 7}, {17, 3, 5}, {65, 33, 130},
};

static bool passes_checks(const struct variant *v, uint64_t seed)
{
    for (size_t i = 0; i < sizeof check_shapes / sizeof check_shapes[0]; i++) {
        struct matmul_reference *r = matmul_reference_open(check_shapes[i], seed);
        if (!r) {
            fprintf(stderr, "step01_naive: no memory for the reference\n");
            exit(2);
        }
        const bool ok = measure(v, r, check_shapes[i], NULL).verdict.ok;
        matmul_reference_close(r);
        if (!ok)
            return false;
    }
    return true;
}

static void list_variants(void)
{
    for (int i = 0; i < VARIANTS; i++)
        printf("%-27s %s%s\n", variants[i].name, variants[i].what,
               variants[i].sabotaged ? " [sabotaged]" : "");
}

/* The selected kernels: all that are right, or the one that --kernel names. */
static bool run(struct table *t, const struct options *o, struct matmul_shape s, int only)
{
    const struct timing_options timing = {o->warmup, o->repeats, 1, false};
    struct matmul_reference *r = matmul_reference_open(s, o->seed);
    bool all_ok = true;
    if (!r) {
        fprintf(stderr, "step01_naive: no memory for the reference\n");
        exit(2);
    }
    for (int i = 0; i < VARIANTS; i++) {
        struct measurement m = {};
        if (only >= 0 ? i != only : variants[i].sabotaged)
            continue;
        if (passes_checks(&variants[i], o->seed))
            m = measure(&variants[i], r, s, &timing);
        add_row(t, &variants[i], s, &m);
        all_ok = all_ok && m.verdict.ok;
    }
    matmul_reference_close(r);
    return all_ok;
}

/* The exit code of --grid: a vector, `--grid 10 --block 4`, or a matrix, `--grid 5x3 --block 2x2`.
 */
static int draw_grid(const struct options *o, const struct option_integers *grid,
                     const struct option_integers *block)
{
    const size_t dimensions = grid->count;
    if (dimensions > 2 || block->count != dimensions)
        return options_error(o, "--grid and --block: give a vector as --grid 10 --block 4, or a "
                                "matrix as --grid 5x3 --block 2x2");
    const int columns = (int)grid->values[0], rows = dimensions == 2 ? (int)grid->values[1] : 0;
    const int block_x = (int)block->values[0], block_y = rows ? (int)block->values[1] : 1;
    if (!grid_fits(columns, rows, block_x, block_y))
        return options_error(o,
                             "--grid: more than %d threads across or %d down do not fit the "
                             "drawing",
                             GRID_THREADS_ACROSS, GRID_THREADS_DOWN);
    options_banner(o);
    grid_print(columns, rows, block_x, block_y);
    return 0;
}

int main(int argc, char **argv)
{
    int64_t m = 4096, n = 4096, k = 4096;
    if (backend_is_sim()) {
        m = 128;
        n = 192;
        k = 160;
    }
    bool example = false, warp = false, launches = false;
    struct option_integers grid = {}, block = {1, {4}, false}, elements = {1, {1000003}, false};
    const struct option_spec own[] = {
        OPT_INTEGER("m", &m, 1, 32768, "rows of A and C"),
        OPT_INTEGER("n", &n, 1, 32768, "columns of B and C"),
        OPT_INTEGER("k", &k, 1, 32768, "columns of A, rows of B"),
        OPT_INTEGERS("grid", &grid, 1, 16, "draw the threads over 10 elements, or 5x3"),
        OPT_INTEGERS("block", &block, 1, 16, "threads of a block for --grid: 4, or 2x2"),
        OPT_FLAG("example", &example, "draw what a 2 x 2 block of a 4 x 4 product reads"),
        OPT_FLAG("launches", &launches, "one thread, one block, many: the same addition, counted"),
        OPT_INTEGERS("elements", &elements, 1, 100000000, "how many --launches adds"),
        OPT_FLAG("warp", &warp, "draw what a warp reads, for both mappings"),
    };
    const struct options_about about = {
        "step01_naive", "matrix multiplication, one thread for each element", true, 2, 10,
        predict_lesson};
    struct options o;
    const int code = options_parse(&o, argc, argv, &about, own, sizeof own / sizeof own[0]);
    if (code >= 0)
        return code;
    if (o.list) {
        list_variants();
        return 0;
    }
    if (!o.csv)
        launch_times_by_default();
    if (launches)
        return launches_run(&o, &elements);
    if (example) {
        options_banner(&o);
        example_print();
        return 0;
    }
    if (grid.count > 0)
        return draw_grid(&o, &grid, &block);
    if (warp) {
        options_banner(&o);
        mapping_print((int)n, (int)k);
        return 0;
    }
    int only = -1;
    if (o.kernel) {
        only = options_find("kernel", o.kernel, variants, VARIANTS, sizeof variants[0]);
        if (only < 0)
            return 2;
    }
    const struct matmul_shape s = {(size_t)m, (size_t)n, (size_t)k};
    launch_sample(SAMPLED_ABOVE);
    options_banner(&o);
    if (!options_quiet(&o))
        print_work(s);
    struct table *t = table_open(columns, launch_columns(sizeof columns / sizeof columns[0]));
    table_leave_out(t, "max_rel_error global_load_sectors");
    const bool all_ok = run(t, &o, s, only);
    const bool written = report_table(t, &o);
    table_close(t);
    if (!written)
        return 2;
    return all_ok ? 0 : 1;
}
