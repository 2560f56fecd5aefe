/* spills.cu - see spills.h. Times exist on a GPU alone; the results are verified on either. */
#include "step06_device_query/harness/spills.h"

#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/counters.h"
#include "common/cuda_check.h"
#include "common/launch_columns.h"
#include "common/report.h"
#include "common/table.h"
#include "common/timing.h"
#include "step06_device_query/spilling.cuh"

enum { HELD = 64, THREADS = 256 };
typedef void (*evaluate_kernel)(const float *, float *, unsigned);

struct launch {
    const float *in;
    float *out;
    unsigned n, grid, chunk;
    evaluate_kernel kernel;
};

static void launch_evaluate(void *state)
{
    const struct launch *l = (const struct launch *)state;
    l->kernel<<<l->grid, THREADS>>>(l->in, l->out, l->n);
}

static void launch_copy(void *state)
{
    const struct launch *l = (const struct launch *)state;
    copy_chunk<<<l->grid, THREADS>>>(l->in, l->out, l->chunk);
}

static float input(size_t i) { return (float)(i % 1021) / 2048.0f; }

/* Device arrays of so many floats, the first filled. The host's copy goes to *host. */
static void open_arrays(struct launch *l, size_t floats, float **host)
{
    float *d_in;
    *host = (float *)malloc(floats * sizeof(float));
    if (!*host) {
        fprintf(stderr, "step06_device_query: no memory for %zu floats\n", floats);
        exit(2);
    }
    for (size_t i = 0; i < floats; i++)
        (*host)[i] = input(i);
    CUDA_CHECK(cudaMalloc(&d_in, floats * sizeof(float)));
    CUDA_CHECK(cudaMalloc(&l->out, floats * sizeof(float)));
    CUDA_CHECK(cudaMemcpy(d_in, *host, floats * sizeof(float), cudaMemcpyHostToDevice));
    l->in = d_in;
}

static void close_arrays(struct launch *l, float *host)
{
    CUDA_CHECK(cudaFree((void *)l->in));
    CUDA_CHECK(cudaFree(l->out));
    free(host);
}

static int sms(void)
{
    int device, count;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
    return count;
}

/* ---------------------------------------------------------------------------------------- spills
 */

static const struct column spill_columns[] = {
    {"blocks_asked", "blocks an SM", "asked for", COLUMN_INTEGER, 0},
    {"registers", "registers", "a thread", COLUMN_INTEGER, 0},
    {"local_bytes", "local memory", "B a thread", COLUMN_INTEGER, 0},
    {"blocks_per_sm", "blocks", "that fit", COLUMN_INTEGER, 0},
    {"n", "elements", NULL, COLUMN_INTEGER, 0},
    {"time_ms", "time", "ms", COLUMN_REAL, 4},
    {"verified", NULL, NULL, COLUMN_TEXT, 0},
    {"recorded_ms", "on a card", "ms", COLUMN_REAL, 4}, /* if launch_columns_kept() */
};

/* Of a kernel that ran here without a GPU: what ptxas and a card made of it. */
static void add_recorded(struct table *t, int blocks_asked)
{
    static const char *const names[] = {"registers", "local_bytes", "blocks_per_sm"};
    char key[32];
    snprintf(key, sizeof key, "blocks_asked=%d", blocks_asked);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const double value = launch_recorded("step06_spills.csv", key, names[i]);
        if (!isnan(value))
            table_integer(t, names[i], (int64_t)value);
    }
    table_measured(t, "recorded_ms", launch_recorded("step06_spills.csv", key, "time_ms"));
}

static bool evaluated_right(const struct launch *l, float *got)
{
    const unsigned threads = l->grid * THREADS;
    CUDA_CHECK(cudaMemcpy(got, l->out, sizeof(float) * l->n, cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < l->n; i += 61) {
        double want = 0.0;
        const unsigned thread = i % threads;
        for (int k = 0; k < HELD; k++)
            want = want * input(i) + input((thread + k) % l->n);
        if (!(fabs(got[i] - want) <= 1e-5))
            return false;
    }
    return true;
}

int spills_run(const struct options *o, unsigned n)
{
    static const struct {
        int blocks;
        evaluate_kernel kernel;
    } kernels[] = {{1, evaluate<HELD, 1>}, {3, evaluate<HELD, 3>}, {4, evaluate<HELD, 4>},
                   {5, evaluate<HELD, 5>}, {6, evaluate<HELD, 6>}, {8, evaluate<HELD, 8>}};
    const struct timing_options timing = {o->warmup, o->repeats, 1, false};
    if (!o->csv)
        launch_columns_keep(false, "", "67108867 elements");
    struct table *t = table_open(spill_columns, sizeof spill_columns / sizeof spill_columns[0] -
                                                    !launch_columns_kept());
    struct launch l = {};
    float *host;
    bool all_ok = true;
    options_banner(o);
    l.n = n;
    open_arrays(&l, n, &host);
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
        struct cudaFuncAttributes a;
        int fit;
        CUDA_CHECK(cudaFuncGetAttributes(&a, kernels[i].kernel));
        CUDA_CHECK(
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, kernels[i].kernel, THREADS, 0));
        l.kernel = kernels[i].kernel;
        l.grid = (unsigned)(fit * sms());
        cuda_poison(l.out, sizeof(float) * n);
        launch_evaluate(&l);
        CUDA_CHECK_LAUNCH();
        const bool ok = evaluated_right(&l, host);
        table_row(t);
        table_integer(t, "blocks_asked", kernels[i].blocks);
        if (!backend_is_sim()) { /* what ptxas decides */
            table_integer(t, "registers", a.numRegs);
            table_integer(t, "local_bytes", (int64_t)a.localSizeBytes);
            table_integer(t, "blocks_per_sm", fit);
        }
        if (launch_columns_kept())
            add_recorded(t, kernels[i].blocks);
        table_integer(t, "n", n);
        table_text(t, "verified", ok ? "yes" : "NO");
        if (ok && !backend_is_sim())
            table_measured(t, "time_ms", timing_run(&timing, launch_evaluate, &l).median_ms);
        all_ok = all_ok && ok;
    }
    close_arrays(&l, host);
    const bool written = report_table(t, o);
    if (launch_columns_kept())
        puts("registers, local memory and the blocks that fit are recorded, too");
    table_close(t);
    return !written ? 2 : all_ok ? 0 : 1;
}

/* ------------------------------------------------------------------------------------------ tail
 */

static const struct column tail_columns[] = {
    {"blocks", NULL, NULL, COLUMN_INTEGER, 0},
    {"waves", NULL, NULL, COLUMN_REAL, 2},
    {"time_ms", "time", "ms", COLUMN_REAL, 4},
    {"us_per_block", "time by", "blocks, us", COLUMN_REAL, 4},
    {"verified", NULL, NULL, COLUMN_TEXT, 0},
    {"recorded_ms", "on a card", "ms", COLUMN_REAL, 4}, /* if launch_columns_kept() */
};

static bool copied_right(const struct launch *l, float *got)
{
    const size_t floats = (size_t)l->grid * l->chunk;
    CUDA_CHECK(cudaMemcpy(got, l->out, sizeof(float) * floats, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < floats; i += 61)
        if (!(got[i] == input(i)))
            return false;
    return true;
}

int tail_run(const struct options *o)
{
    static const unsigned eighths[] = {1,  8,  9,
                                       16, 17, 24}; /* of a wave, but for the SMs' number */
    const struct timing_options timing = {o->warmup, o->repeats, 1, false};
    const unsigned sm_count = (unsigned)sms(), wave = 8 * sm_count;
    if (!o->csv)
        launch_columns_keep(false, "", "blocks that copy 256 KB each");
    struct table *t = table_open(tail_columns, sizeof tail_columns / sizeof tail_columns[0] -
                                                   !launch_columns_kept());
    struct launch l = {};
    float *host;
    bool all_ok = true;
    options_banner(o);
    l.chunk = backend_is_sim() ? 512 : 1 << 16;
    open_arrays(&l, (size_t)3 * wave * l.chunk, &host);
    for (size_t i = 0; i < sizeof eighths / sizeof eighths[0]; i++) {
        l.grid = eighths[i] * sm_count;
        cuda_poison(l.out, sizeof(float) * l.grid * l.chunk);
        launch_copy(&l);
        CUDA_CHECK_LAUNCH();
        const bool ok = copied_right(&l, host);
        table_row(t);
        table_integer(t, "blocks", l.grid);
        table_real(t, "waves", l.grid / (double)wave);
        table_text(t, "verified", ok ? "yes" : "NO");
        if (launch_columns_kept()) {
            char key[32];
            snprintf(key, sizeof key, "blocks=%u", l.grid);
            table_measured(t, "recorded_ms", launch_recorded("step06_tail.csv", key, "time_ms"));
        }
        if (ok && !backend_is_sim()) {
            const double ms = timing_run(&timing, launch_copy, &l).median_ms;
            table_measured(t, "time_ms", ms);
            table_measured(t, "us_per_block", 1e3 * ms / l.grid);
        }
        all_ok = all_ok && ok;
    }
    close_arrays(&l, host);
    const bool written = report_table(t, o);
    table_close(t);
    return !written ? 2 : all_ok ? 0 : 1;
}
