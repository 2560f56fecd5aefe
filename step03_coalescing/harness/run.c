/* run.c - one trial from the device's empty arrays to a verdict (see run.h). */
#include "step03_coalescing/harness/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/counters.h"
#include "common/cuda_check.h"

/* Bytes 0x00 to 0x3f: no 0xff, which is the poison; and as floats, small positive numbers. */
static void fill_input(uint8_t *in, size_t bytes, uint64_t seed)
{
    struct rng random = rng_start(seed);
    for (size_t i = 0; i < bytes; i += sizeof(uint64_t)) {
        const uint64_t eight = rng_next(&random) & UINT64_C(0x3f3f3f3f3f3f3f3f);
        memcpy(in + i, &eight, bytes - i < sizeof eight ? bytes - i : sizeof eight);
    }
}

void arrays_open(struct arrays *a, const struct plan *p, uint64_t seed)
{
    *a = (struct arrays){0};
    a->capacity = plan_array_bytes(p);
    a->in = malloc(a->capacity);
    a->out = malloc(a->capacity);
    if (!a->in || !a->out) {
        fprintf(stderr,
                "step03_coalescing: no memory for two arrays of %zu bytes; a smaller --n "
                "needs less\n",
                a->capacity);
        exit(2);
    }
    fill_input(a->in, a->capacity, seed);
}

/* Device arrays of exactly that many bytes, so that the simulator and compute-sanitizer find an
 * access beyond them. */
static void arrays_resize(struct arrays *a, size_t bytes)
{
    if (a->bytes == bytes)
        return;
    CUDA_CHECK(cudaFree(a->d_in));
    CUDA_CHECK(cudaFree(a->d_out));
    CUDA_CHECK(cudaMalloc(&a->d_in, bytes));
    CUDA_CHECK(cudaMalloc(&a->d_out, bytes));
    CUDA_CHECK(cudaMemcpy(a->d_in, a->in, bytes, cudaMemcpyHostToDevice));
    a->bytes = bytes;
}

void arrays_close(struct arrays *a)
{
    CUDA_CHECK(cudaFree(a->d_in));
    CUDA_CHECK(cudaFree(a->d_out));
    free(a->in);
    free(a->out);
}

static bool read_counts(struct traffic *out)
{
    struct launch_counters c;
    const bool available = counters_last_launch(&c);
    out->load_requests = c.global_load_requests;
    out->load_sectors = c.global_load_sectors;
    out->store_requests = c.global_store_requests;
    out->store_sectors = c.global_store_sectors;
    out->bank_conflicts = c.shared_load_conflicts + c.shared_store_conflicts;
    return available;
}

/* A difference is an error: either the kernel, the simulator or the prediction is wrong. */
static bool counts_agree(const struct entry *e, const struct traffic *p, const struct traffic *c)
{
    const struct {
        const char *what;
        uint64_t predicted, counted;
    } pairs[] = {
        {"load requests", p->load_requests, c->load_requests},
        {"load sectors", p->load_sectors, c->load_sectors},
        {"store requests", p->store_requests, c->store_requests},
        {"store sectors", p->store_sectors, c->store_sectors},
        {"bank conflicts", p->bank_conflicts, c->bank_conflicts},
    };
    bool agree = true;
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        if (pairs[i].predicted == pairs[i].counted)
            continue;
        agree = false;
        fprintf(stderr, "%s, parameter %zu: %llu %s predicted, %llu counted\n", e->kernel->name,
                e->trial.parameter, (unsigned long long)pairs[i].predicted, pairs[i].what,
                (unsigned long long)pairs[i].counted);
    }
    return agree;
}

struct result run_entry(const struct entry *e, struct arrays *a,
                        const struct timing_options *timing)
{
    struct result r = {0};
    struct trial t = e->trial;
    arrays_resize(a, t.array_bytes);
    t.d_in = a->d_in;
    t.d_out = a->d_out;
    cuda_poison(t.d_out, t.array_bytes);
    r.timing = timing_run(timing, e->kernel->launch, &t);
    r.has_counts = e->kernel->predict && read_counts(&r.counted);
    CUDA_CHECK(cudaMemcpy(a->out, t.d_out, t.array_bytes, cudaMemcpyDeviceToHost));

    const struct verify_result check = e->kernel->check(&t, a->in, a->out);
    verify_explain(stderr, e->kernel->name, &check, (size_t)t.height);
    r.right = check.ok;
    r.counts_agree = true;
    if (e->kernel->predict)
        e->kernel->predict(&t, &r.predicted);
    if (r.has_counts && !e->kernel->sabotaged)
        r.counts_agree = counts_agree(e, &r.predicted, &r.counted);
    return r;
}
