/* session.c - device buffers, input, and one checked run (see session.h). */
#include "step05_reduction/harness/session.h"

#include <stdlib.h>
#include <string.h>

#include "common/cuda_check.h"

enum { CHUNK = 1 << 20 }; /* elements made and copied at a time */

/* ------------------------------------------------------------------ memory */

static bool allocate(void **d, size_t size_bytes, size_t total_bytes)
{
    const cudaError_t error = cudaMalloc(d, size_bytes);
    if (error == cudaErrorMemoryAllocation) {
        fprintf(stderr,
                "step05_reduction: this reduction needs %.1f GB of device memory, more than is "
                "free: take a smaller --n, or a larger --block\n",
                (double)total_bytes / 1e9);
        (void)cudaGetLastError();
        return false;
    }
    CUDA_CHECK(error);
    return true;
}

bool session_open(struct session *s, unsigned n, unsigned smallest_block,
                  const struct gpu_limits *gpu)
{
    const size_t bytes = type_bytes(s->type);
    const unsigned first = pass_blocks(n, smallest_block, 1);
    const unsigned second = pass_blocks(first, next_pass_block(smallest_block, 1), 1);
    const size_t held = (size_t)gpu->sm_count * gpu->max_threads_per_sm;
    const size_t room[2] = {first > held ? first : held, second};
    const size_t total = bytes * (n + room[0] + room[1] + 1) + sizeof(unsigned);
    struct reduction *r = &s->r;
    memset(r, 0, sizeof *r);
    r->sms = gpu->sm_count;
    r->threads_per_sm = gpu->max_threads_per_sm;
    s->room = n;
    void *d_in = NULL, *d_ticket = NULL;
    const bool ok =
        allocate(&d_in, bytes * n, total) && allocate(&r->d_partials[0], bytes * room[0], total) &&
        allocate(&r->d_partials[1], bytes * room[1], total) && allocate(&r->d_out, bytes, total) &&
        allocate(&d_ticket, sizeof(unsigned), total);
    r->d_in = d_in;
    r->d_ticket = d_ticket;
    if (!ok)
        session_close(s);
    return ok;
}

void session_close(struct session *s)
{
    CUDA_CHECK(cudaFree((void *)s->r.d_in));
    CUDA_CHECK(cudaFree(s->r.d_partials[0]));
    CUDA_CHECK(cudaFree(s->r.d_partials[1]));
    CUDA_CHECK(cudaFree(s->r.d_out));
    CUDA_CHECK(cudaFree(s->r.d_ticket));
    CUDA_CHECK(cudaFree(s->r.d_temp));
    memset(&s->r, 0, sizeof s->r);
}

/* ------------------------------------------------------------------ input */

void session_fill(struct session *s, enum input_kind kind, unsigned n, unsigned extreme_at)
{
    const size_t bytes = type_bytes(s->type);
    struct input in = input_start(s->type, kind, s->seed);
    char *chunk = malloc(CHUNK * bytes), *d_in = (void *)s->r.d_in;
    if (!chunk) {
        fprintf(stderr, "step05_reduction: out of memory\n");
        exit(2);
    }
    for (size_t done = 0, count; done < n; done += count) {
        count = n - done < CHUNK ? n - done : CHUNK;
        input_next(&in, chunk, count);
        if (s->op != OP_SUM && extreme_at >= done && extreme_at - done < count)
            input_plant(&in, s->op, chunk + (extreme_at - done) * bytes);
        CUDA_CHECK(cudaMemcpy(d_in + done * bytes, chunk, count * bytes, cudaMemcpyHostToDevice));
    }
    free(chunk);
    s->expected = in.expected;
    s->r.n = n;
}

void session_copy(struct session *s, const void *elements, unsigned n)
{
    CUDA_CHECK(
        cudaMemcpy((void *)s->r.d_in, elements, n * type_bytes(s->type), cudaMemcpyHostToDevice));
    s->expected = input_expected(s->type, elements, n);
    s->r.n = n;
}

/* ------------------------------------------------------------------ a run */

void session_prepare(struct session *s, const struct rung *rung, unsigned block)
{
    s->r.block = block ? block : rung->block;
    CUDA_CHECK(cudaMemset(s->r.d_ticket, 0, sizeof(unsigned)));
    if (!rung->foreign)
        return;
    CUDA_CHECK(cudaFree(s->r.d_temp));
    struct reduction largest = s->r;
    largest.n = s->room;
    largest.d_temp = NULL; /* asks how much is needed */
    largest.temp_bytes = 0;
    rung->launch[s->type][s->op](&largest);
    s->r.temp_bytes = largest.temp_bytes;
    CUDA_CHECK(cudaMalloc(&s->r.d_temp, s->r.temp_bytes));
}

struct outcome session_run(struct session *s, const struct rung *rung, bool exact)
{
    double result; /* of any type: the widest */
    cuda_poison(s->r.d_out, type_bytes(s->type));
    rung->launch[s->type][s->op](&s->r);
    CUDA_CHECK_LAUNCH();
    CUDA_CHECK(cudaMemcpy(&result, s->r.d_out, type_bytes(s->type), cudaMemcpyDeviceToHost));
    struct outcome o = {
        .got = element_value(s->type, &result),
        .want = expected_value(&s->expected, s->type, s->op),
        .error = expected_error(&s->expected, s->type, s->op, &result),
        .bound = exact ? 0 : error_bound(&s->expected, s->type, s->op, rung->depth(&s->r, s->type)),
    };
    o.right = o.error <= o.bound;
    return o;
}
