/* overlap.cu - see overlap.h. The same job in each way: parts are copied to the device, worked on
 * and copied back. On a GPU everything is measured, each step between two events; on the simulator,
 * which does one thing after the other, the steps are placed by the times that copies and kernels
 * take. */
#include "step06_device_query/harness/overlap.h"

#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "common/counters.h"
#include "common/cuda_check.h"
#include "common/launch_columns.h"
#include "common/report.h"
#include "common/table.h"
#include "step06_device_query/overlapped.cuh"

enum { THREADS = 256, ROUNDS = 7, SMALL_KERNELS = 20, SMALL_N = 1024 };
/* Measured on an H200 between pinned memory and the device, for the drawing on the simulator. */
static const double link_gb_per_s = 55.0;

struct job {
    float *host, *device;
    int n, parts, rounds;
    cudaStream_t streams[OVERLAP_PARTS_MAX];
    int stream_count;
    struct overlap_step steps[OVERLAP_KINDS * OVERLAP_PARTS_MAX];
    int step_count;
    cudaGraphExec_t graph;
};

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static int blocks_for(int n) { return (n + THREADS - 1) / THREADS; }
static int part_size(const struct job *j) { return j->n / j->parts; }

/* The steps, part after part; part p in stream p modulo the number of streams. */
static void plan(struct job *j, int streams)
{
    j->stream_count = streams;
    j->step_count = 0;
    for (int part = 0; part < j->parts; part++)
        for (int kind = 0; kind < OVERLAP_KINDS; kind++) {
            const struct overlap_step s = {(enum overlap_kind)kind, part, part % streams, NAN, NAN};
            j->steps[j->step_count++] = s;
        }
}

static void issue(struct job *j, const struct overlap_step *s)
{
    const int size = part_size(j);
    const size_t bytes = sizeof(float) * (size_t)size;
    float *host = j->host + (size_t)s->part * size, *device = j->device + (size_t)s->part * size;
    cudaStream_t stream = j->streams[s->stream];
    if (s->kind == OVERLAP_THERE)
        CUDA_CHECK(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream));
    else if (s->kind == OVERLAP_BACK)
        CUDA_CHECK(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream));
    else
        work_on<<<blocks_for(size), THREADS, 0, stream>>>(device, size, j->rounds);
}

static void do_steps(struct job *j)
{
    for (int i = 0; i < j->step_count; i++)
        issue(j, &j->steps[i]);
    CUDA_CHECK(cudaDeviceSynchronize());
}

/* The host's array is the device's as well; pages move where they are needed. */
static void do_managed(struct job *j)
{
    work_on<<<blocks_for(j->n), THREADS>>>(j->host, j->n, j->rounds);
    CUDA_CHECK(cudaDeviceSynchronize());
    volatile float sum = 0.0f; /* the host touches each page: it moves back */
    for (int i = 0; i < j->n; i += 512)
        sum = sum + j->host[i];
}

static void prefetch(struct job *j, int to)
{
    const size_t bytes = sizeof(float) * (size_t)j->n;
#if defined(CUDART_VERSION) && CUDART_VERSION >= 13000
    const struct cudaMemLocation where = {to == cudaCpuDeviceId ? cudaMemLocationTypeHost
                                                                : cudaMemLocationTypeDevice,
                                          to == cudaCpuDeviceId ? 0 : to};
    CUDA_CHECK(cudaMemPrefetchAsync(j->host, bytes, where, 0, 0));
#else
    CUDA_CHECK(cudaMemPrefetchAsync(j->host, bytes, to, 0));
#endif
}

static void do_prefetched(struct job *j)
{
    int device;
    CUDA_CHECK(cudaGetDevice(&device));
    prefetch(j, device);
    work_on<<<blocks_for(j->n), THREADS>>>(j->host, j->n, j->rounds);
    prefetch(j, cudaCpuDeviceId);
    CUDA_CHECK(cudaDeviceSynchronize());
    volatile float sum = 0.0f;
    for (int i = 0; i < j->n; i += 512)
        sum = sum + j->host[i];
}

static void launch_small(cudaStream_t stream, float *device)
{
    for (int i = 0; i < SMALL_KERNELS; i++)
        add_one<<<blocks_for(SMALL_N), THREADS, 0, stream>>>(device, SMALL_N);
}

static void do_small(struct job *j)
{
    launch_small(j->streams[0], j->device);
    CUDA_CHECK(cudaStreamSynchronize(j->streams[0]));
}

static void do_graph(struct job *j)
{
    CUDA_CHECK(cudaGraphLaunch(j->graph, j->streams[0]));
    CUDA_CHECK(cudaStreamSynchronize(j->streams[0]));
}

/* What launch_small() would do is written down instead: a graph, which can be launched again and
 * again. */
static void capture(struct job *j)
{
    cudaGraph_t graph;
    CUDA_CHECK(cudaStreamBeginCapture(j->streams[0], cudaStreamCaptureModeGlobal));
    launch_small(j->streams[0], j->device);
    CUDA_CHECK(cudaStreamEndCapture(j->streams[0], &graph));
    CUDA_CHECK(cudaGraphInstantiate(&j->graph, graph, 0));
    CUDA_CHECK(cudaGraphDestroy(graph));
}

/* ------------------------------------------------------------------------------------ the ways */

static void fill(struct job *j)
{
    for (int i = 0; i < j->n; i++)
        j->host[i] = (float)(i % 1024) / 512.0f;
}

/* After `runs` of the twenty small kernels, which each add one to elements that were zero. */
static bool small_is_right(const struct job *j, int runs)
{
    float host[SMALL_N];
    CUDA_CHECK(cudaMemcpy(host, j->device, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < SMALL_N; i++)
        if (!(host[i] == (float)(SMALL_KERNELS * runs)))
            return false;
    return true;
}

static bool is_right(const struct job *j, int runs)
{
    for (int i = 0; i < j->n; i += 97) {
        float want = (float)(i % 1024) / 512.0f;
        for (int round = 0; round < runs * j->rounds && want != 1.0f; round++)
            want = want * 0.5f + 0.5f;
        if (!(fabsf(j->host[i] - want) <= 1e-6f))
            return false;
    }
    return true;
}

/* The median of ROUNDS, after one that is not counted; once on the simulator, without a time. */
static double time_of(struct job *j, void (*way)(struct job *))
{
    double took[ROUNDS];
    way(j);
    if (backend_is_sim())
        return NAN;
    for (int round = 0; round < ROUNDS; round++) {
        const double start = now_ms();
        way(j);
        const double t = now_ms() - start;
        int at = round;
        for (; at > 0 && took[at - 1] > t; at--)
            took[at] = took[at - 1];
        took[at] = t;
    }
    return took[ROUNDS / 2];
}

/* Measures each step of one run between two events. */
static void measure_steps(struct job *j)
{
    double engine_free[OVERLAP_KINDS] = {0};
    cudaEvent_t zero, from[OVERLAP_KINDS * OVERLAP_PARTS_MAX],
        to[OVERLAP_KINDS * OVERLAP_PARTS_MAX];
    CUDA_CHECK(cudaEventCreate(&zero));
    CUDA_CHECK(cudaEventRecord(zero, j->streams[0]));
    for (int i = 0; i < j->step_count; i++) {
        CUDA_CHECK(cudaEventCreate(&from[i]));
        CUDA_CHECK(cudaEventCreate(&to[i]));
        CUDA_CHECK(cudaEventRecord(from[i], j->streams[j->steps[i].stream]));
        issue(j, &j->steps[i]);
        CUDA_CHECK(cudaEventRecord(to[i], j->streams[j->steps[i].stream]));
    }
    CUDA_CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < j->step_count; i++) {
        float start, end;
        CUDA_CHECK(cudaEventElapsedTime(&start, zero, from[i]));
        CUDA_CHECK(cudaEventElapsedTime(&end, zero, to[i]));
        /* An event behind which the stream still waits for a copy engine comes too early. */
        const enum overlap_kind kind = j->steps[i].kind;
        j->steps[i].start_ms = start > engine_free[kind] ? start : engine_free[kind];
        j->steps[i].end_ms = engine_free[kind] = end;
        CUDA_CHECK(cudaEventDestroy(from[i]));
        CUDA_CHECK(cudaEventDestroy(to[i]));
    }
    CUDA_CHECK(cudaEventDestroy(zero));
}

/* On the simulator: how long a part's steps take, and so when each begins. */
static void place_steps(struct job *j)
{
    struct launch_times times;
    const double copy_ms = 4e-6 * part_size(j) / link_gb_per_s;
    struct overlap_step kernel = {OVERLAP_KERNEL, 0, 0, NAN, NAN};
    launch_times_start();
    issue(j, &kernel);
    CUDA_CHECK(cudaDeviceSynchronize());
    const double kernel_ms = launch_times(&times) ? times.model_ms : copy_ms;
    const double ms[OVERLAP_KINDS] = {copy_ms, kernel_ms, copy_ms};
    overlap_schedule(j->steps, j->step_count, ms);
}

static const struct column columns[] = {
    {"way", NULL, NULL, COLUMN_TEXT, 0},
    {"n", "floats", NULL, COLUMN_INTEGER, 0},
    {"parts", NULL, NULL, COLUMN_INTEGER, 0},
    {"streams", NULL, NULL, COLUMN_INTEGER, 0},
    {"time_ms", "time", "ms", COLUMN_REAL, 4},
    {"verified", NULL, NULL, COLUMN_TEXT, 0},
    {"recorded_ms", "on a card", "ms", COLUMN_REAL, 3}, /* if launch_columns_kept() */
};

static bool add_row(struct table *t, struct job *j, const char *name, int streams,
                    void (*way)(struct job *))
{
    const int runs = backend_is_sim() ? 1 : 1 + ROUNDS;
    const bool small = way == do_small || way == do_graph;
    if (small)
        CUDA_CHECK(cudaMemset(j->device, 0, sizeof(float) * SMALL_N));
    else
        fill(j);
    const double ms = time_of(j, way);
    const bool ok = small ? small_is_right(j, runs) : is_right(j, runs);
    table_row(t);
    table_text(t, "way", name);
    table_integer(t, "n", j->n);
    table_integer(t, "parts", way == do_steps ? j->parts : 1);
    table_integer(t, "streams", streams);
    table_measured(t, "time_ms", ok ? ms : NAN);
    table_text(t, "verified", ok ? "yes" : "NO");
    if (launch_columns_kept()) {
        char key[32];
        snprintf(key, sizeof key, "way=%s", name);
        table_measured(t, "recorded_ms", launch_recorded("step06_overlap.csv", key, "time_ms"));
    }
    return ok;
}

static void draw_steps(const struct options *o, struct job *j, const char *what)
{
    if (options_quiet(o))
        return;
    if (backend_is_sim())
        place_steps(j);
    else
        measure_steps(j);
    printf("%s:\n", what);
    overlap_draw(j->steps, j->step_count);
}

int overlap_run(const struct options *o, int n, int parts, int rounds)
{
    struct job j = {};
    bool ok = true;
    j.parts = parts;
    j.rounds = rounds;
    j.n = n / parts * parts;
    const size_t bytes = sizeof(float) * (size_t)j.n;
    if (!o->csv)
        launch_columns_keep(false, "", "8 parts of 32 MB");
    struct table *t =
        table_open(columns, sizeof columns / sizeof columns[0] - !launch_columns_kept());
    options_banner(o);
    launch_times_by_default();
    for (int i = 0; i < parts; i++)
        CUDA_CHECK(cudaStreamCreate(&j.streams[i]));
    CUDA_CHECK(cudaMalloc(&j.device, bytes));

    float *pageable = (float *)malloc(bytes);
    if (!pageable)
        return options_error(o, "no memory for %d floats", j.n);
    j.host = pageable;
    plan(&j, 1);
    ok = add_row(t, &j, "pageable", 1, do_steps) && ok;
    free(pageable);

    CUDA_CHECK(cudaMallocHost(&j.host, bytes));
    ok = add_row(t, &j, "pinned", 1, do_steps) && ok;
    draw_steps(o, &j, "One stream: each step waits for the one before");
    plan(&j, parts);
    ok = add_row(t, &j, "streams", parts, do_steps) && ok;
    draw_steps(o, &j, "A stream for each part: copies and kernels overlap");
    CUDA_CHECK(cudaFreeHost(j.host));

    CUDA_CHECK(cudaMallocManaged(&j.host, bytes));
    ok = add_row(t, &j, "managed", 1, do_managed) && ok;
    ok = add_row(t, &j, "prefetched", 1, do_prefetched) && ok;
    CUDA_CHECK(cudaFree(j.host));

    j.n = SMALL_N;
    ok = add_row(t, &j, "twenty_launches", 1, do_small) && ok;
    capture(&j);
    ok = add_row(t, &j, "one_graph", 1, do_graph) && ok;
    CUDA_CHECK(cudaGraphExecDestroy(j.graph));
    CUDA_CHECK(cudaFree(j.device));
    for (int i = 0; i < parts; i++)
        CUDA_CHECK(cudaStreamDestroy(j.streams[i]));
    if (!options_quiet(o))
        printf("\n");
    const bool written = report_table(t, o);
    table_close(t);
    return !written ? 2 : ok ? 0 : 1;
}
