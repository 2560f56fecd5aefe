/* boundary.cu - runs the kernels of guards.cuh, and the vote about their guard. */
#include <cuda_runtime.h>
#include <stdlib.h>

#include "common/cuda_check.h"
#include "common/verify.h"
#include "step04_divergence/guards.cuh"
#include "step04_divergence/harness/lesson.h"

struct addition {
    float *out;
    const float *a, *b;
    int width, height; /* height 0: a vector */
    dim3 grid, block;
};

static void launch_addition(void *state)
{
    const struct addition *l = (const struct addition *)state;
    if (l->height == 0)
        vec_add<<<l->grid, l->block>>>(l->out, l->a, l->b, l->width);
    else
        image_add<<<l->grid, l->block>>>(l->out, l->a, l->b, l->width, l->height);
}

static void *host_memory(size_t bytes)
{
    void *memory = malloc(bytes);
    if (!memory) {
        fprintf(stderr,
                "step04_divergence: no memory for %zu bytes; a smaller problem needs less\n",
                bytes);
        exit(2);
    }
    return memory;
}

static float *device_copy(const float *values, size_t bytes)
{
    float *d;
    CUDA_CHECK(cudaMalloc((void **)&d, bytes));
    CUDA_CHECK(cudaMemcpy(d, values, bytes, cudaMemcpyHostToDevice));
    return d;
}

/* Runs the addition, reads its counters, compares its result with the CPU's. */
static void run_addition(struct addition *l, struct boundary_run *r, uint64_t seed,
                         const struct timing_options *timing)
{
    const size_t count = (size_t)l->width * (l->height ? l->height : 1);
    const size_t bytes = count * sizeof(float);
    float *a = (float *)host_memory(bytes), *b = (float *)host_memory(bytes);
    float *out = (float *)host_memory(bytes);
    verify_fill_floats(a, count, seed);
    verify_fill_floats(b, count, seed + 1);
    float *d_a = device_copy(a, bytes), *d_b = device_copy(b, bytes);
    CUDA_CHECK(cudaMalloc((void **)&l->out, bytes));
    cuda_poison(l->out, bytes);
    l->a = d_a;
    l->b = d_b;

    r->timing = timing_run(timing, launch_addition, l);
    r->has_counters = counters_last_launch(&r->counters);
    CUDA_CHECK(cudaMemcpy(out, l->out, bytes, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < count; i++)
        a[i] += b[i]; /* one rounding, as on the GPU */
    const struct verify_result check = verify_floats_equal(out, a, count);
    verify_explain(stderr, l->height ? "image_add" : "vec_add", &check, (size_t)l->width);
    r->right = check.ok;

    CUDA_CHECK(cudaFree(d_a));
    CUDA_CHECK(cudaFree(d_b));
    CUDA_CHECK(cudaFree(l->out));
    free(a);
    free(b);
    free(out);
}

/* The reports of all warps, added up; their states are kept for the picture. */
static void run_report(const struct addition *l, struct shape s, bool sabotaged,
                       struct boundary_run *r)
{
    const size_t blocks = (size_t)l->grid.x * l->grid.y, warps = blocks * shape_warps(s);
    const size_t bytes = warps * sizeof(struct warp_report);
    struct warp_report *reports = (struct warp_report *)host_memory(bytes), *d_reports;
    CUDA_CHECK(cudaMalloc((void **)&d_reports, bytes));
    cuda_poison(d_reports, bytes);
    boundary_report<<<l->grid, l->block>>>(d_reports, l->width, l->height ? l->height : 1,
                                           sabotaged);
    CUDA_CHECK_LAUNCH();
    CUDA_CHECK(cudaMemcpy(reports, d_reports, bytes, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(d_reports));

    r->state = (uint8_t *)host_memory(warps);
    r->counted.blocks = blocks;
    r->counted.warps = warps;
    for (size_t w = 0; w < warps; w++) {
        const unsigned lanes = __builtin_popcount(shape_lanes(s, (unsigned)(w % shape_warps(s))));
        r->state[w] = reports[w].state;
        r->counted.divergent += reports[w].state == WARP_DIVERGENT;
        r->counted.outside += reports[w].state == WARP_OUTSIDE;
        r->counted.inside_threads += reports[w].inside;
        r->counted.idle_threads += lanes - reports[w].inside;
    }
    free(reports);
}

struct boundary_run boundary_measure(int64_t width, int64_t height, struct shape s, bool sabotaged,
                                     uint64_t seed, const struct timing_options *timing)
{
    struct boundary_run r = {};
    struct addition l = {};
    l.width = (int)width;
    l.height = (int)height;
    l.block = dim3(s.x, s.y, s.z);
    l.grid = dim3((unsigned)boundary_blocks_x(width, s),
                  (unsigned)boundary_blocks_y(height ? height : 1, s));
    run_addition(&l, &r, seed, timing);
    run_report(&l, s, sabotaged, &r);
    return r;
}
