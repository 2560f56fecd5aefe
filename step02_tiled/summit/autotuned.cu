/* autotuned.cu - the top rung: the shape that is fastest for this product on this GPU.
 *
 * No shape is best everywhere: large tiles multiply with the fewest other instructions, small ones
 * keep all multiprocessors busy when C is small. So each shape that fits is timed on the product at
 * hand, once, and the fastest serves from then on. Without a GPU there are no times; the shape is
 * then the one that leaves the fewest elements idle in the last wave. */
#include "step02_tiled/lesson.h"

#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>

#include "common/counters.h"
#include "common/cuda_check.h"

bool shape_fits(const struct shape *s, const struct product *p)
{
    struct cudaFuncAttributes attributes;
    int device, shared_max;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(
        cudaDeviceGetAttribute(&shared_max, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    CUDA_CHECK(cudaFuncGetAttributes(&attributes, s->kernel(p)));
    return s->shared_bytes + attributes.sharedSizeBytes <= (size_t)shared_max &&
           s->threads <= attributes.maxThreadsPerBlock;
}

/* The multiplications of all waves, in units of one multiprocessor's block: less is better. */
static double padded_work(const struct shape *s, const struct product *p)
{
    int device, sm_count;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&sm_count, cudaDevAttrMultiProcessorCount, device));
    const double tiles = ceil((double)p->m / s->bm) * ceil((double)p->n / s->bn);
    return ceil(tiles / sm_count) * s->bm * s->bn;
}

/* The best of five, after one to load the kernel: what disturbs a run can only make it slower. */
static double measure(const struct shape *s, struct product *p)
{
    const struct timing_options options = {1, 5, 1, false};
    return timing_run(&options, s->launch, p).min_ms;
}

/* The choice for the last product: tuning is not part of what is timed. */
struct choice {
    int m, n, k;
    const struct shape *shape;
    int band;
    double cost; /* of the best so far */
    char text[96];
};

/* Tries one shape, on a GPU with tiles computed in bands of several heights. */
static void consider(struct choice *best, const struct shape *s, struct product p)
{
    static const int bands[] = {8, 1, 4, 16};
    for (size_t i = 0; i < sizeof bands / sizeof bands[0]; i++) {
        p.band = bands[i];
        const double cost = backend_is_sim() ? padded_work(s, &p) : measure(s, &p);
        if (cost < best->cost) {
            best->cost = cost;
            best->shape = s;
            best->band = p.band;
        }
        if (backend_is_sim() || p.m <= 2 * s->bm) /* where bands make no difference */
            return;
    }
}

static void choose(struct choice *best, const struct product *p)
{
    const struct shape *(*const tables[])(size_t *) = {warp_tiled_shapes, packed_shapes};
    best->m = p->m;
    best->n = p->n;
    best->k = p->k;
    best->cost = INFINITY;
    for (size_t t = 0; t < sizeof tables / sizeof tables[0]; t++) {
        size_t count;
        const struct shape *shapes = tables[t](&count);
        for (size_t i = 0; i < count; i++)
            if (shape_fits(&shapes[i], p))
                consider(best, &shapes[i], *p);
    }
    snprintf(best->text, sizeof best->text, "%s, bands of %d", best->shape->name, best->band);
}

static struct choice last;

static void launch(void *state)
{
    const struct product *p = (const struct product *)state;
    if (!last.shape || last.m != p->m || last.n != p->n || last.k != p->k)
        choose(&last, p);
    struct product chosen = *p;
    chosen.band = last.band;
    last.shape->launch(&chosen);
}

const char *autotuned_choice(void) { return last.shape ? last.text : NULL; }

static const char *refusal(const struct product *p)
{
    size_t count;
    const struct shape *shapes = warp_tiled_shapes(&count);
    return shape_fits(&shapes[0], p) ? NULL : "a block has too little shared memory here";
}

static const struct rung rungs[] = {
    {"matmul_autotuned", "the shape that is fastest for this product", false, launch, refusal},
};

const struct rung *autotuned_rungs(size_t *count)
{
    *count = sizeof rungs / sizeof rungs[0];
    return rungs;
}
