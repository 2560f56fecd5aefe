/* timing.c - CUDA events around repeated launches (see timing.h). */
#include "timing.h"

#include <math.h>
#include <stdlib.h>

#include "counters.h"
#include "cuda_check.h"

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_of_sorted(const double *values, int count)
{
    int half = count / 2;
    return count % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

/* Twice the L2 cache, so that overwriting it leaves nothing else inside. *bytes 0 if it has none.
 */
static void *flush_buffer(size_t *bytes)
{
    int device, l2_bytes;
    void *buffer = NULL;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, device));
    *bytes = 2 * (size_t)l2_bytes;
    if (*bytes > 0) {
        CUDA_CHECK(cudaMalloc(&buffer, *bytes));
    }
    return buffer;
}

static double time_once(const struct timing_options *o, timing_launch launch, void *state,
                        cudaEvent_t start, cudaEvent_t stop)
{
    float time_ms;
    CUDA_CHECK(cudaEventRecord(start, 0));
    for (int i = 0; i < o->batch; i++) {
        launch(state);
    }
    CUDA_CHECK(cudaEventRecord(stop, 0));
    CUDA_CHECK(cudaEventSynchronize(stop));
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaEventElapsedTime(&time_ms, start, stop));
    return (double)time_ms / o->batch;
}

static void time_repeats(const struct timing_options *o, timing_launch launch, void *state,
                         double *times_ms)
{
    cudaEvent_t start, stop;
    size_t flush_bytes = 0;
    void *flush = o->flush_l2 ? flush_buffer(&flush_bytes) : NULL;
    CUDA_CHECK(cudaEventCreate(&start));
    CUDA_CHECK(cudaEventCreate(&stop));
    for (int i = 0; i < o->repeats; i++) {
        if (flush != NULL) {
            CUDA_CHECK(cudaMemsetAsync(flush, i & 0xff, flush_bytes, 0));
        }
        times_ms[i] = time_once(o, launch, state, start, stop);
    }
    CUDA_CHECK(cudaEventDestroy(start));
    CUDA_CHECK(cudaEventDestroy(stop));
    if (flush != NULL) {
        CUDA_CHECK(cudaFree(flush));
    }
}

struct timing timing_run(const struct timing_options *options, timing_launch launch, void *state)
{
    struct timing t = {false, NAN, NAN, {NAN, NAN, NULL, NULL}};
    int untimed = backend_is_sim() ? 1 : options->warmup;
    launch_times_start();
    for (int i = 0; i < untimed; i++) {
        launch(state);
    }
    CUDA_CHECK_LAUNCH();
    launch_times(&t.times);
    if (backend_is_sim()) {
        return t;
    }

    double *times_ms = malloc((size_t)options->repeats * sizeof *times_ms);
    if (times_ms == NULL) {
        fprintf(stderr, "out of memory for %d times\n", options->repeats);
        exit(2);
    }
    time_repeats(options, launch, state, times_ms);
    qsort(times_ms, (size_t)options->repeats, sizeof *times_ms, compare_doubles);
    t.has_time = true;
    t.median_ms = median_of_sorted(times_ms, options->repeats);
    t.min_ms = times_ms[0];
    free(times_ms);
    return t;
}

double timing_gb_per_s(const struct timing *t, double bytes)
{
    return bytes / (t->median_ms * 1e6); /* bytes per ns */
}

double timing_gflops(const struct timing *t, double operations)
{
    return operations / (t->median_ms * 1e6);
}
