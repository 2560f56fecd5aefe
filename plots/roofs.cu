/* roofs.cu - how fast this GPU reads from its L2 cache and from its memory: two lines of the
 * roofline.
 *
 * Every thread reads 16 bytes at a time, past the L1 cache (__ldcg), so many at once that latency
 * does not matter; a buffer of a quarter of the L2 is read again and again, one of 32 times the L2
 * once. The sum of what was read is compared with what it must be. plots/record runs it on a GPU
 * and keeps its CSV; on the simulator it verifies and has no rates. */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/counters.h"
#include "common/cuda_check.h"
#include "common/device_limits.h"
#include "common/options.h"
#include "common/report.h"
#include "common/table.h"
#include "common/timing.h"

enum { BLOCK = 512, AT_ONCE = 8 };

static const struct column columns[] = {
    {"roof", NULL, NULL, COLUMN_TEXT, 0},         {"bytes", NULL, NULL, COLUMN_INTEGER, 0},
    {"passes", NULL, NULL, COLUMN_INTEGER, 0},    {"time_ms", "time", "ms", COLUMN_REAL, 4},
    {"gb_per_s", "read", "GB/s", COLUMN_REAL, 0}, {"verified", NULL, NULL, COLUMN_TEXT, 0},
};

/* What a launch needs: the buffer is read `passes` times, `rounds` times AT_ONCE loads a thread. */
struct reading {
    const uint4 *d_in;
    unsigned *d_sum;
    unsigned blocks;
    int rounds, passes;
};

__global__ void fill(uint4 *out, size_t count)
{
    const size_t threads = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += threads)
        out[i] = make_uint4((unsigned)i, 1, 2, 3);
}

/* The pass is added to each value, so that no pass can be left out. */
__global__ void read_again(const uint4 *in, int rounds, int passes, unsigned *sum)
{
    const size_t threads = (size_t)gridDim.x * blockDim.x;
    const size_t mine = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    unsigned total = 0;
    for (int pass = 0; pass < passes; pass++)
        for (int round = 0; round < rounds; round++) {
            uint4 got[AT_ONCE];
            const uint4 *from = in + mine + (size_t)round * AT_ONCE * threads;
#pragma unroll
            for (int i = 0; i < AT_ONCE; i++)
                got[i] = __ldcg(from + i * threads);
#pragma unroll
            for (int i = 0; i < AT_ONCE; i++)
                total += (got[i].x ^ (unsigned)pass) + got[i].y + got[i].z + got[i].w;
        }
    atomicAdd(sum, total);
}

static void launch(void *state)
{
    const struct reading *r = (const struct reading *)state;
    CUDA_CHECK(cudaMemsetAsync(r->d_sum, 0, sizeof *r->d_sum, 0));
    read_again<<<r->blocks, BLOCK>>>(r->d_in, r->rounds, r->passes, r->d_sum);
}

static unsigned expected_sum(size_t count, int passes)
{
    unsigned sum = 0;
    for (int pass = 0; pass < passes; pass++)
        for (size_t i = 0; i < count; i++)
            sum += ((unsigned)i ^ (unsigned)pass) + 1 + 2 + 3;
    return sum;
}

static bool run_roof(struct table *t, const char *name, unsigned blocks, size_t wanted_bytes,
                     int passes, const struct options *o)
{
    const size_t threads = (size_t)blocks * BLOCK,
                 bytes_a_round = threads * AT_ONCE * sizeof(uint4);
    const int rounds = (int)(wanted_bytes / bytes_a_round) + 1;
    const size_t bytes = bytes_a_round * (size_t)rounds;
    struct reading r = {NULL, NULL, blocks, rounds, passes};
    uint4 *d_in;
    unsigned sum;
    CUDA_CHECK(cudaMalloc(&d_in, bytes));
    CUDA_CHECK(cudaMalloc(&r.d_sum, sizeof sum));
    fill<<<blocks, BLOCK>>>(d_in, bytes / sizeof *d_in);
    CUDA_CHECK_LAUNCH();
    r.d_in = d_in;
    const struct timing_options options = {o->warmup, o->repeats, 1, false};
    const struct timing timing = timing_run(&options, launch, &r);
    CUDA_CHECK(cudaMemcpy(&sum, r.d_sum, sizeof sum, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(d_in));
    CUDA_CHECK(cudaFree(r.d_sum));
    const bool ok = sum == expected_sum(bytes / sizeof *d_in, passes);
    table_row(t);
    table_text(t, "roof", name);
    table_integer(t, "bytes", (int64_t)bytes);
    table_integer(t, "passes", passes);
    table_text(t, "verified", ok ? "yes" : "NO");
    if (ok) {
        table_measured(t, "time_ms", timing.median_ms);
        table_measured(t, "gb_per_s", timing_gb_per_s(&timing, (double)bytes * passes));
    }
    return ok;
}

int main(int argc, char **argv)
{
    const struct options_about about = {"roofs", "how fast this GPU reads L2 and memory", false, 3,
                                        15};
    struct options o;
    const int code = options_parse(&o, argc, argv, &about, NULL, 0);
    if (code >= 0)
        return code;
    struct gpu_limits limits;
    device_limits(0, &limits);
    const bool sim = backend_is_sim(); /* a block and a pass or two are enough to verify there */
    const unsigned blocks = sim ? 1 : limits.sm_count * 2; /* 128 KB of loads in flight per SM */
    struct table *t = table_open(columns, sizeof columns / sizeof columns[0]);
    const bool l2 = run_roof(t, "L2", blocks, sim ? 0 : limits.l2_bytes / 4, sim ? 2 : 64, &o);
    const bool dram = run_roof(t, "DRAM", blocks, sim ? 0 : limits.l2_bytes * 32, 1, &o);
    const bool written = report_table(t, &o);
    table_close(t);
    return !written ? 2 : l2 && dram ? 0 : 1;
}
