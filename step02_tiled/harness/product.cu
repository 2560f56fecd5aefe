/* product.cu - device copies of a product's matrices, one verified launch, and the whole ladder. */
#include "step02_tiled/lesson.h"

#include <assert.h>
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/counters.h"
#include "common/cuda_check.h"
#include "common/report.h"
#include "step02_tiled/summit/stream.h"

struct matmul_reference *reference_open(struct matmul_shape s, uint64_t seed)
{
    struct matmul_reference *r = matmul_reference_open(s, seed);
    if (!r) {
        fprintf(stderr, "step02_tiled: no memory for the reference of m=%zu n=%zu k=%zu\n", s.m,
                s.n, s.k);
        exit(2);
    }
    return r;
}

/* Room for the parts of divided tiles, before anything is timed. */
static void open_parts(struct product *p)
{
    const size_t ticket_bytes = TICKETS * sizeof *p->d_tickets + SPARE_FLOATS * sizeof(float);
    int device, sms;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
    CUDA_CHECK(cudaMalloc(&p->d_parts, (stream_room_floats(p, sms) + 4) * sizeof(float)));
    CUDA_CHECK(cudaMalloc(&p->d_tickets, ticket_bytes));
    CUDA_CHECK(cudaMemset(p->d_tickets, 0, ticket_bytes));
}

struct product product_open(const struct matmul_reference *r, struct matmul_shape s)
{
    enum { MARGIN = 256, DEFAULT_BAND = 8 }; /* no tile is larger than the margin, either way */
    const size_t work_floats = 2 * (s.k + MARGIN) * (s.m + s.n + 2 * MARGIN);
    float *d_a, *d_b, *d_c, *d_work;
    CUDA_CHECK(cudaMalloc(&d_a, s.m * s.k * sizeof(float)));
    CUDA_CHECK(cudaMalloc(&d_b, s.k * s.n * sizeof(float)));
    CUDA_CHECK(cudaMalloc(&d_c, s.m * s.n * sizeof(float)));
    CUDA_CHECK(cudaMalloc(&d_work, work_floats * sizeof(float)));
    CUDA_CHECK(
        cudaMemcpy(d_a, matmul_reference_a(r), s.m * s.k * sizeof(float), cudaMemcpyHostToDevice));
    CUDA_CHECK(
        cudaMemcpy(d_b, matmul_reference_b(r), s.k * s.n * sizeof(float), cudaMemcpyHostToDevice));
    struct product p = {d_a,  d_b,      d_c,      d_work,   NULL,
                        NULL, (int)s.m, (int)s.n, (int)s.k, DEFAULT_BAND};
    open_parts(&p);
    return p;
}

void product_close(struct product *p)
{
    CUDA_CHECK(cudaFree((void *)p->d_a));
    CUDA_CHECK(cudaFree((void *)p->d_b));
    CUDA_CHECK(cudaFree(p->d_c));
    CUDA_CHECK(cudaFree(p->d_work));
    CUDA_CHECK(cudaFree(p->d_parts));
    CUDA_CHECK(cudaFree(p->d_tickets));
}

struct matmul_verdict product_verify(struct product *p, const struct matmul_reference *r,
                                     const char *name, timing_launch launch, void *state)
{
    const size_t c_bytes = (size_t)p->m * (size_t)p->n * sizeof(float);
    float *c = (float *)malloc(c_bytes);
    if (!c) {
        fprintf(stderr, "step02_tiled: no memory for a C of %zu bytes\n", c_bytes);
        exit(2);
    }
    cuda_poison(p->d_c, c_bytes);
    launch_times_start();
    launch(state);
    CUDA_CHECK_LAUNCH();
    launch_again_for_last(name, launch, state);
    CUDA_CHECK(cudaMemcpy(c, p->d_c, c_bytes, cudaMemcpyDeviceToHost));
    struct launch_sampled sample;
    const bool sampled = launch_was_sampled(&sample);
    const struct matmul_verdict v = sampled ? matmul_judge_sampled(r, c) : matmul_judge(r, c);
    matmul_explain(stderr, name, r, &v);
    if (sampled)
        report_sample(name, &sample, v.compared);
    free(c);
    return v;
}

const struct rung *ladder(size_t *count)
{
    enum { RUNGS_MAX = 32 };
    static const struct rung *(*const tables[])(size_t *) = {
        core_rungs,      blocked_rungs,    warp_tiled_rungs, packed_rungs,      stream_rungs,
        autotuned_rungs, tensor_mma_rungs, tensor_rungs,     tensor_half_rungs, cublas_rungs};
    static struct rung all[RUNGS_MAX];
    static size_t total;
    const bool gathered = total > 0; /* by an earlier call */
    for (size_t i = 0; !gathered && i < sizeof tables / sizeof tables[0]; i++) {
        size_t n;
        const struct rung *rungs = tables[i](&n);
        assert(total + n <= RUNGS_MAX);
        memcpy(&all[total], rungs, n * sizeof *rungs);
        total += n;
    }
    *count = total;
    return all;
}

bool rung_in_part(const struct rung *rung, enum ladder_part part)
{
    size_t core, count;
    core_rungs(&core);
    const struct rung *all = ladder(&count);
    const bool in_core = (size_t)(rung - all) < core;
    return part == PART_ALL || in_core == (part == PART_CORE);
}

int ladder_find(const char *name)
{
    size_t count;
    const struct rung *all = ladder(&count);
    return options_find("kernel", name, all, count, sizeof all[0]);
}
