/* watch.cu - runs one warp with notes and without (see watch.h). */
#include "step04_divergence/harness/watch.h"

#include <cuda_runtime.h>
#include <stdlib.h>
#include <string.h>

#include "common/cuda_check.h"
#include "step04_divergence/arms.cuh"
#include "step04_divergence/watched.cuh"

enum { LANES = 32 };

typedef void (*watch_kernel)(const unsigned *, unsigned *, struct watch_log *);

static watch_kernel kernel_of(enum watch_kind kind, bool watched)
{
    switch (kind) {
    case WATCH_IF:
        return watched ? watch_if<true> : watch_if<false>;
    case WATCH_LOOP:
        return watched ? watch_loop<true> : watch_loop<false>;
    default:
        return watched ? watch_lock<true> : watch_lock<false>;
    }
}

static void launch(watch_kernel kernel, const unsigned *d_wants, unsigned *d_out,
                   struct watch_log *d_log, uint32_t out[LANES])
{
    CUDA_CHECK(cudaMemset(d_out, 0, LANES * sizeof *d_out));
    CUDA_CHECK(cudaMemset(d_log, 0, sizeof *d_log));
    kernel<<<1, LANES>>>(d_wants, d_out, d_log);
    CUDA_CHECK_LAUNCH();
    CUDA_CHECK(cudaMemcpy(out, d_out, LANES * sizeof *d_out, cudaMemcpyDeviceToHost));
}

/* Of lanes that came by together the first one's line stands for all. */
static void gather(const struct watch_log *log, struct watch_run *run)
{
    const unsigned lines = log->count < WATCH_LINES_MAX ? log->count : (unsigned)WATCH_LINES_MAX;
    run->count = 0;
    run->complete = lines == log->count;
    for (unsigned i = 0; i < lines && run->complete; i++) {
        if ((log->lines[i].lanes & (1u << log->lines[i].lane) - 1) != 0)
            continue;
        run->complete = run->count < WATCH_NOTES_MAX;
        if (run->complete)
            run->notes[run->count++] = log->lines[i];
    }
}

void watch_run(enum watch_kind kind, const uint32_t wants[LANES], struct watch_run *run)
{
    unsigned *d_wants, *d_out;
    uint32_t out[LANES];
    static struct watch_log log;
    struct watch_log *d_log;
    CUDA_CHECK(cudaMalloc((void **)&d_wants, LANES * sizeof *d_wants));
    CUDA_CHECK(cudaMalloc((void **)&d_out, LANES * sizeof *d_out));
    CUDA_CHECK(cudaMalloc((void **)&d_log, sizeof *d_log));
    CUDA_CHECK(cudaMemcpy(d_wants, wants, LANES * sizeof *d_wants, cudaMemcpyHostToDevice));
    launch(kernel_of(kind, true), d_wants, d_out, d_log, out);
    CUDA_CHECK(cudaMemcpy(&log, d_log, sizeof log, cudaMemcpyDeviceToHost));
    gather(&log, run);
    launch(kernel_of(kind, false), d_wants, d_out, d_log, run->out);
    run->has_counters = counters_last_launch(&run->counters);
    run->same = memcmp(out, run->out, sizeof out) == 0;
    CUDA_CHECK(cudaFree(d_wants));
    CUDA_CHECK(cudaFree(d_out));
    CUDA_CHECK(cudaFree(d_log));
}

void watch_expect(enum watch_kind kind, const uint32_t wants[LANES], uint32_t out[LANES])
{
    memset(out, 0, LANES * sizeof *out);
    for (unsigned lane = 0; lane < LANES; lane++) {
        unsigned v = lane;
        if (kind == WATCH_LOCK) {
            out[0] += wants[lane] != 0;
            continue;
        }
        for (unsigned i = 0; i < (kind == WATCH_IF ? 8 : wants[lane]); i++)
            v = kind == WATCH_LOOP || wants[lane] ? work_then(v) : work_else(v);
        out[lane] = v;
    }
}
