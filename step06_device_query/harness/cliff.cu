/* cliff.cu - the performance cliff: kernels of rising register count, and their bandwidth (see
 * cliff.h). Reads down to the two entry points at the end. */
#include "step06_device_query/harness/cliff.h"

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/counters.h"
#include "common/cuda_check.h"
#include "common/device_limits.h"
#include "common/timing.h"
#include "common/verify.h"
#include "step06_device_query/copy_holding.cuh"
#include "step06_device_query/harness/devices.h"
#include "step06_device_query/harness/occupancy_table.h"

typedef void (*copy_kernel)(const float *in, float *out, unsigned n);

struct variant {
    const char *name;
    copy_kernel kernel;
    bool sabotaged;
};

/* Registers are given out 8 per thread (256 per warp) at a time, hence the steps. */
#define HOLDING(count)                                                                             \
    {                                                                                              \
        "copy_holding_" #count, copy_holding<count>, false                                         \
    }
static const struct variant variants[] = {
    HOLDING(0),   HOLDING(4),   HOLDING(8),   HOLDING(12),
    HOLDING(16),  HOLDING(20),  HOLDING(24),  HOLDING(28),
    HOLDING(32),  HOLDING(40),  HOLDING(48),  HOLDING(56),
    HOLDING(64),  HOLDING(80),  HOLDING(96),  HOLDING(112),
    HOLDING(144), HOLDING(176), HOLDING(208), {"copy_stops_early", copy_stops_early, true},
};

enum { VARIANT_COUNT = sizeof variants / sizeof variants[0] };

void cliff_list(void)
{
    for (int i = 0; i < VARIANT_COUNT; i++)
        printf("%-18s %s\n", variants[i].name,
               variants[i].sabotaged ? "sabotaged: the verification must reject it"
                                     : "copies, and holds that many values in registers");
}

/* ---------------------------------------------------------------------------------- one launch */

/* What all measurements share. */
struct bench {
    struct cliff_options options;
    struct gpu_limits limits;
    float *in, *out; /* host: the input, the result */
    float *d_in, *d_out;
    size_t size_bytes;
};

struct launch {
    const struct bench *bench;
    copy_kernel kernel;
    struct occupancy_request request;
    unsigned grid;
};

static void launch_copy(void *state)
{
    const struct launch *l = (const struct launch *)state;
    l->kernel<<<l->grid, l->request.threads_per_block, l->request.dynamic_shared_bytes>>>(
        l->bench->d_in, l->bench->d_out, l->bench->options.n);
}

/* The kernel's own registers and shared memory, with the launch's block and dynamic part. */
static struct occupancy_request request_of(copy_kernel kernel, unsigned block,
                                           uint64_t shared_bytes)
{
    struct cudaFuncAttributes attributes;
    struct occupancy_request request;
    CUDA_CHECK(cudaFuncGetAttributes(&attributes, kernel));
    request.threads_per_block = block;
    request.registers_per_thread = (unsigned)attributes.numRegs;
    request.static_shared_bytes = attributes.sharedSizeBytes;
    request.dynamic_shared_bytes = shared_bytes;
    return request;
}

/* Lets the kernel use that much, and lets the SM split its memory in favour of shared memory. */
static void allow_shared(copy_kernel kernel, uint64_t shared_bytes)
{
    CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    (int)shared_bytes));
    CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                                    cudaSharedmemCarveoutMaxShared));
}

/* One line on stderr and false if the runtime counts other blocks per SM than we do. */
static bool same_as_runtime(copy_kernel kernel, const struct occupancy_request *r,
                            const struct occupancy *o)
{
    int blocks = -1;
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &blocks, kernel, (int)r->threads_per_block, (size_t)r->dynamic_shared_bytes));
    if (blocks == (int)o->blocks_per_sm)
        return true;
    fprintf(stderr,
            "%u threads, %u registers, %llu B of dynamic shared memory: computed %u blocks per SM, "
            "the runtime says %d\n",
            r->threads_per_block, r->registers_per_thread,
            (unsigned long long)r->dynamic_shared_bytes, o->blocks_per_sm, blocks);
    return false;
}

/* Launches exactly the blocks that are resident at once, so that no last, half-empty round blurs
 * the figure; verifies; adds a row. */
static bool measure(const struct bench *b, const char *name, copy_kernel kernel,
                    uint64_t shared_bytes, struct table *t)
{
    const struct cliff_options *options = &b->options;
    struct launch l = {b, kernel, request_of(kernel, options->block, shared_bytes), 0};
    struct timing_options timing_options = {options->warmup, options->repeats, 1, false};
    struct occupancy o;
    allow_shared(kernel, shared_bytes);
    occupancy_compute(&b->limits, &l.request, &o);
    if (!same_as_runtime(kernel, &l.request, &o))
        return false;
    if (o.blocks_per_sm == 0) {
        occupancy_table_add(t, &b->limits, &l.request, &o, NULL, 0);
        return true;
    }
    const unsigned needed = (options->n - 1) / options->block + 1;
    const unsigned resident = b->limits.sm_count * o.blocks_per_sm;
    l.grid = resident < needed ? resident : needed;

    cuda_poison(b->d_out, b->size_bytes);
    struct timing time = timing_run(&timing_options, launch_copy, &l);
    CUDA_CHECK(cudaMemcpy(b->out, b->d_out, b->size_bytes, cudaMemcpyDeviceToHost));
    struct verify_result result = verify_bytes(b->out, b->in, b->size_bytes);
    if (!result.ok)
        result = verify_floats_equal(b->out, b->in, options->n);
    verify_explain(stderr, name, &result, 0);
    if (result.ok)
        occupancy_table_add(t, &b->limits, &l.request, &o, &time, 2.0 * (double)b->size_bytes);
    return result.ok;
}

/* ------------------------------------------------------------------------------ the two ladders */

static bool measure_registers(const struct bench *b, struct table *t)
{
    bool right = true;
    for (int i = 0; i < VARIANT_COUNT; i++)
        if (!variants[i].sabotaged)
            right &= measure(b, variants[i].name, variants[i].kernel, 0, t);
    return right;
}

/* For each number of blocks the largest shared memory with which they fit. */
static bool measure_shared(const struct bench *b, struct table *t)
{
    const struct gpu_limits *g = &b->limits;
    const struct occupancy_request request = request_of(variants[0].kernel, b->options.block, 0);
    struct occupancy o;
    bool right = true;
    if (!occupancy_compute(g, &request, &o))
        return true;
    for (unsigned blocks = o.blocks_per_sm; blocks > 0; blocks--) {
        unsigned per_block = g->shared_bytes_per_sm / blocks / g->shared_unit * g->shared_unit;
        unsigned usable = per_block - g->shared_bytes_reserved;
        if (usable > g->shared_bytes_per_block_opt_in)
            usable = g->shared_bytes_per_block_opt_in;
        right &= measure(b, variants[0].name, variants[0].kernel, usable, t);
    }
    return right;
}

static void *allocate(size_t size_bytes)
{
    void *memory = malloc(size_bytes);
    if (!memory) {
        fprintf(stderr, "no %zu bytes of host memory: give a smaller --n\n", size_bytes);
        exit(2);
    }
    return memory;
}

int cliff_measure(struct table *t, const struct cliff_options *options)
{
    struct bench b;
    int chosen = -1;
    bool right;
    if (options->kernel) {
        chosen =
            options_find("kernel", options->kernel, variants, VARIANT_COUNT, sizeof variants[0]);
        if (chosen < 0)
            return 2;
    }
    devices_count(); /* ends the program if there is none */
    b.options = *options;
    b.size_bytes = options->n * sizeof(float);
    device_limits(0, &b.limits);
    if (options->block > b.limits.max_threads_per_block) {
        fprintf(stderr, "a block has at most %u threads on %s: give a smaller --block than %u\n",
                b.limits.max_threads_per_block, b.limits.name, options->block);
        return 2;
    }
    b.in = (float *)allocate(b.size_bytes);
    b.out = (float *)allocate(b.size_bytes);
    verify_fill_floats(b.in, options->n, options->seed);
    CUDA_CHECK(cudaMalloc((void **)&b.d_in, b.size_bytes));
    CUDA_CHECK(cudaMalloc((void **)&b.d_out, b.size_bytes));
    CUDA_CHECK(cudaMemcpy(b.d_in, b.in, b.size_bytes, cudaMemcpyHostToDevice));

    if (chosen >= 0)
        right = measure(&b, variants[chosen].name, variants[chosen].kernel, 0, t);
    else
        right = measure_registers(&b, t) & measure_shared(&b, t);

    CUDA_CHECK(cudaFree(b.d_in));
    CUDA_CHECK(cudaFree(b.d_out));
    free(b.in);
    free(b.out);
    return right ? 0 : 1;
}

/* ---------------------------------------------------------------------------------------- check */

int cliff_check(void)
{
    struct gpu_limits g;
    int configurations = 0, different = 0;
    device_limits(0, &g);
    const unsigned most = g.shared_bytes_per_block_opt_in;
    const unsigned shared[] = {0, 1, 1000, 5000, 12 * 1024, 20000, most / 3, most / 2, most};
    for (int i = 0; i < VARIANT_COUNT; i++)
        for (size_t s = 0; s < sizeof shared / sizeof shared[0]; s++) {
            allow_shared(variants[i].kernel, shared[s]);
            for (unsigned block = 32; block <= g.max_threads_per_block; block += 31 + block / 4) {
                struct occupancy_request r = request_of(variants[i].kernel, block, shared[s]);
                struct occupancy o;
                occupancy_compute(&g, &r, &o);
                configurations++;
                different += !same_as_runtime(variants[i].kernel, &r, &o);
            }
        }
    printf("%s: %d of %d configurations equal\ncudaOccupancyMaxActiveBlocksPerMultiprocessor\n",
           g.name, configurations - different, configurations);
    return different > 0 ? 1 : 0;
}
