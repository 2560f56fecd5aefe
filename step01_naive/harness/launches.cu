/* launches.cu - see launches.h. On a GPU the kernels are timed, and the copies beside them; on the
 * simulator they are counted, and their times are modelled. The loop on the CPU is timed on either.
 */
#include "step01_naive/harness/launches.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "common/counters.h"
#include "common/cuda_check.h"
#include "common/launch_columns.h"
#include "common/report.h"
#include "common/timing.h"
#include "step01_naive/launches.cuh"

enum { THREADS = 256, BLOCKS_OF_A_FULL_GPU = 8 * 132, ROUNDS = 5 };

struct addition {
    float *a, *b, *c, *d_a, *d_b, *d_c;
    int n, blocks, threads;
};

static const struct column columns[] = {
    {"launch", NULL, NULL, COLUMN_TEXT, 0},
    {"n", "elements", NULL, COLUMN_INTEGER, 0},
    {"blocks", NULL, NULL, COLUMN_INTEGER, 0},
    {"threads", "threads", "a block", COLUMN_INTEGER, 0},
    {"rounds", "rounds of", "the loop", COLUMN_INTEGER, 0},
    {"load_requests", "load", "requests", COLUMN_INTEGER, 0},
    {"sectors_per_request", "sectors", "a request", COLUMN_REAL, 2},
    {"time_ms", "time", "ms", COLUMN_REAL, 4},
    {"with_copies_ms", "with copies", "ms", COLUMN_REAL, 4},
    {"verified", NULL, NULL, COLUMN_TEXT, 0},
    LAUNCH_COLUMNS,
};

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static void fill(struct addition *x, int n)
{
    const size_t bytes = sizeof(float) * (size_t)n;
    x->n = n;
    x->a = (float *)malloc(bytes);
    x->b = (float *)malloc(bytes);
    x->c = (float *)malloc(bytes);
    if (!x->a || !x->b || !x->c) {
        fprintf(stderr, "step01_naive: no memory for 3 x %d floats\n", n);
        exit(2);
    }
    for (int i = 0; i < n; i++) {
        x->a[i] = (float)(i % 1000);
        x->b[i] = (float)(i % 7);
        x->c[i] = -1.0f;
    }
    CUDA_CHECK(cudaMalloc(&x->d_a, bytes));
    CUDA_CHECK(cudaMalloc(&x->d_b, bytes));
    CUDA_CHECK(cudaMalloc(&x->d_c, bytes));
    CUDA_CHECK(cudaMemcpy(x->d_a, x->a, bytes, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(x->d_b, x->b, bytes, cudaMemcpyHostToDevice));
}

static void empty(struct addition *x)
{
    CUDA_CHECK(cudaFree(x->d_a));
    CUDA_CHECK(cudaFree(x->d_b));
    CUDA_CHECK(cudaFree(x->d_c));
    free(x->a);
    free(x->b);
    free(x->c);
}

/* The loop that everybody would write, in milliseconds: the best of some rounds. */
static double add_on_cpu(struct addition *x)
{
    double best = 0.0;
    for (int round = 0; round < ROUNDS; round++) {
        const double start = now_ms();
        for (int i = 0; i < x->n; i++)
            x->c[i] = x->a[i] + x->b[i];
        const double took = now_ms() - start;
        best = round == 0 || took < best ? took : best;
    }
    return best;
}

static void launch_addition(void *state)
{
    const struct addition *x = (const struct addition *)state;
    add_striding<<<x->blocks, x->threads>>>(x->d_a, x->d_b, x->d_c, x->n);
}

/* Copies there, kernel, copy back, as a program does that needs the result on the host. */
static double with_copies_ms(struct addition *x)
{
    const size_t bytes = sizeof(float) * (size_t)x->n;
    double best = 0.0;
    for (int round = 0; round < ROUNDS; round++) {
        const double start = now_ms();
        CUDA_CHECK(cudaMemcpy(x->d_a, x->a, bytes, cudaMemcpyHostToDevice));
        CUDA_CHECK(cudaMemcpy(x->d_b, x->b, bytes, cudaMemcpyHostToDevice));
        launch_addition(x);
        CUDA_CHECK(cudaMemcpy(x->c, x->d_c, bytes, cudaMemcpyDeviceToHost));
        const double took = now_ms() - start;
        best = round == 0 || took < best ? took : best;
    }
    return best;
}

static bool is_right(struct addition *x)
{
    CUDA_CHECK(cudaMemcpy(x->c, x->d_c, sizeof(float) * (size_t)x->n, cudaMemcpyDeviceToHost));
    for (int i = 0; i < x->n; i++)
        if (!(x->c[i] == x->a[i] + x->b[i]))
            return false;
    return true;
}

static void add_counts(struct table *t, const char *name, const struct addition *x)
{
    struct launch_counters c;
    struct launch_times times;
    char key[96];
    if (counters_last_launch(&c) && c.global_load_requests > 0) {
        table_integer(t, "load_requests", (int64_t)c.global_load_requests);
        table_real(t, "sectors_per_request",
                   (double)c.global_load_sectors / (double)c.global_load_requests);
    }
    if (launch_times(&times)) {
        snprintf(key, sizeof key, "launch=%s n=%d", name, x->n);
        launch_columns_set(t, &times, "step01_launches.csv", key);
    }
}

static bool add_launch(struct table *t, const struct options *o, struct addition *x,
                       const char *name)
{
    const struct timing_options timing = {o->warmup, o->repeats, 1, false};
    const int threads = x->blocks * x->threads;
    cuda_poison(x->d_c, sizeof(float) * (size_t)x->n);
    launch_times_start();
    launch_addition(x);
    CUDA_CHECK_LAUNCH();
    table_row(t);
    table_text(t, "launch", name);
    table_integer(t, "n", x->n);
    table_integer(t, "blocks", x->blocks);
    table_integer(t, "threads", x->threads);
    table_integer(t, "rounds", (x->n + threads - 1) / threads);
    add_counts(t, name, x);
    const bool ok = is_right(x);
    table_text(t, "verified", ok ? "yes" : "NO");
    if (ok && !backend_is_sim()) {
        table_measured(t, "time_ms", timing_run(&timing, launch_addition, x).median_ms);
        table_measured(t, "with_copies_ms", with_copies_ms(x));
    }
    return ok;
}

static bool add_rows(struct table *t, const struct options *o, int n, double *cpu_ms)
{
    struct addition x;
    fill(&x, n);
    *cpu_ms = add_on_cpu(&x);
    if (o->csv || !backend_is_sim()) {
        table_row(t);
        table_text(t, "launch", "cpu_loop");
        table_integer(t, "n", n);
        table_integer(t, "rounds", n);
        table_real(t, "time_ms", *cpu_ms);
    }
    const struct {
        const char *name;
        int blocks, threads;
    } launches[] = {
        {"one_thread", 1, 1},
        {"one_block", 1, THREADS},
        {"full_gpu", BLOCKS_OF_A_FULL_GPU, THREADS},
        {"thread_each", (n + THREADS - 1) / THREADS, THREADS},
    };
    bool all_ok = true;
    for (size_t i = 0; i < sizeof launches / sizeof launches[0]; i++) {
        x.blocks = launches[i].blocks;
        x.threads = launches[i].threads;
        all_ok = add_launch(t, o, &x, launches[i].name) && all_ok;
    }
    empty(&x);
    return all_ok;
}

int launches_run(const struct options *o, const struct option_integers *elements)
{
    struct table *t = table_open(columns, launch_columns(sizeof columns / sizeof columns[0]));
    table_leave_out(t, "floor_ms verified");
    double cpu_ms = 0.0;
    bool all_ok = true;
    options_banner(o);
    for (size_t i = 0; i < elements->count; i++)
        all_ok = add_rows(t, o, (int)elements->values[i], &cpu_ms) && all_ok;
    const bool written = report_table(t, o);
    if (!options_quiet(o) && backend_is_sim())
        printf("The same loop on the CPU of this machine: %.4f ms, measured\n", cpu_ms);
    table_close(t);
    return !written ? 2 : all_ok ? 0 : 1;
}
