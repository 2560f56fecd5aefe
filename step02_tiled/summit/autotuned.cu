/* autotuned.cu - the top rung: the way to share out this product that is fastest on this GPU.
 *
 * No way is best everywhere: large tiles multiply with the fewest other instructions, small ones
 * and divided ones keep all multiprocessors busy when C is small, a row or a column wants to be
 * read at the speed of the memory. A model of waves and k ranks all that is possible; without a GPU
 * the first of the list is taken. On a GPU the best of the list are timed on the product at hand,
 * once, before anything is measured, and the fastest serves from then on. */
#include "step02_tiled/lesson.h"

#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/counters.h"
#include "common/cuda_check.h"
#include "step02_tiled/summit/stream.h"

enum { CANDIDATES_MAX = 1024, PLANS_MAX = 64, TIMED = 24 };

/* One way: a shape of warp_tiled.cu or packed.cu, or a plan. */
struct candidate {
    const struct shape *shape; /* NULL: the plan */
    struct stream_plan plan;
    int band;
    double cost; /* us: of the model, then measured */
};

/* The choice for the last product: tuning is not part of what is timed. */
struct choice {
    int m, n, k;
    bool made;
    struct candidate best;
    char text[128];
};

static bool kernel_fits(const void *kernel, size_t shared_bytes, int threads)
{
    struct cudaFuncAttributes attributes;
    int device, shared_max;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(
        cudaDeviceGetAttribute(&shared_max, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    CUDA_CHECK(cudaFuncGetAttributes(&attributes, kernel));
    return shared_bytes + attributes.sharedSizeBytes <= (size_t)shared_max &&
           threads <= attributes.maxThreadsPerBlock;
}

bool shape_fits(const struct shape *s, const struct product *p)
{
    return kernel_fits(s->kernel(p), s->shared_bytes, s->threads);
}

static int multiprocessors(void)
{
    int device, sms;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
    return sms;
}

/* --------------------------------------------------------------------------- what is possible */

struct candidates {
    struct candidate all[CANDIDATES_MAX];
    size_t count;
};

static void add_candidate(struct candidates *c, const struct candidate *one)
{
    if (c->count < CANDIDATES_MAX)
        c->all[c->count++] = *one;
}

/* A shape of the kernels below costs what a plan with whole tiles of its size would. Where rows do
 * not start at multiples of 16 bytes, warp_tiled.cu loads element by element. */
static double shape_model_us(const struct shape *s, const struct product *p, bool packed, int sms)
{
    static const double shares[] = {0.82, 0.62, 0.45}; /* whole tiles; small or ragged; both */
    const bool ragged = p->m % s->bm != 0 || p->n % s->bn != 0 || p->k % 32 != 0;
    const int64_t tiles = (int64_t)((p->m + s->bm - 1) / s->bm) * ((p->n + s->bn - 1) / s->bn);
    struct stream_shape like = {};
    like.bm = s->bm;
    like.bn = s->bn;
    like.deep = 16;
    like.per_sm = s->threads <= 128 ? 2 : 1;
    like.operands = packed ? OPERANDS_PACKED : OPERANDS_AS_THEY_ARE;
    const int small = s->bm * s->bn == 64 * 64;
    like.share = packed ? 0.82 : shares[small + (ragged ? 1 : 0)];
    const struct stream_plan plan = {&like, (int)tiles, (int)tiles, 1, false, p->band};
    return stream_model_us(&plan, p, sms);
}

static void add_shapes(struct candidates *c, const struct product *p, int sms)
{
    const struct shape *(*const tables[])(size_t *) = {warp_tiled_shapes, packed_shapes};
    for (size_t t = 0; t < sizeof tables / sizeof tables[0]; t++) {
        size_t count;
        const struct shape *shapes = tables[t](&count);
        for (size_t i = 0; i < count; i++) {
            struct candidate one = {};
            if (!shape_fits(&shapes[i], p))
                continue;
            one.shape = &shapes[i];
            one.band = p->band;
            one.cost = shape_model_us(one.shape, p, t == 1, sms);
            add_candidate(c, &one);
        }
    }
}

static void add_plans(struct candidates *c, const struct product *p, int sms)
{
    const struct stream_shape *(*const tables[])(size_t *) = {stream_shapes, vector_shapes};
    struct stream_plan plans[PLANS_MAX];
    for (size_t t = 0; t < sizeof tables / sizeof tables[0]; t++) {
        size_t count;
        const struct stream_shape *shapes = tables[t](&count);
        for (size_t i = 0; i < count; i++) {
            const struct stream_shape *s = &shapes[i];
            if (!kernel_fits(s->kernel(p), s->shared_bytes, s->threads))
                continue;
            const size_t planned = s->plans(s, p, sms, plans, PLANS_MAX);
            for (size_t j = 0; j < planned; j++) {
                struct candidate one = {};
                if (plans[j].add_after && backend_is_sim())
                    continue; /* the counts shown there are those of the last launch */
                one.plan = plans[j];
                one.band = p->band;
                one.cost = stream_model_us(&plans[j], p, sms);
                add_candidate(c, &one);
            }
        }
    }
}

static int compare_costs(const void *a, const void *b)
{
    const double x = ((const struct candidate *)a)->cost, y = ((const struct candidate *)b)->cost;
    return (x > y) - (x < y);
}

/* ----------------------------------------------------------------------------------- choosing */

struct attempt {
    const struct product *p;
    const struct candidate *way;
};

static void launch_attempt(void *state)
{
    const struct attempt *a = (const struct attempt *)state;
    struct product p = *a->p;
    struct stream_plan plan = a->way->plan;
    p.band = plan.band = a->way->band;
    if (a->way->shape)
        a->way->shape->launch(&p);
    else
        plan.shape->launch(&p, &plan);
}

/* The best of five, after one to load the kernel: what disturbs a run can only make it slower. */
static double measure_us(const struct candidate *way, const struct product *p)
{
    const struct timing_options options = {1, 5, 1, false};
    struct attempt a = {p, way};
    return 1000.0 * timing_run(&options, launch_attempt, &a).min_ms;
}

/* Where tiles are many, blocks that run together should share rows and columns: other bands. */
static void try_bands(struct candidate *best, const struct product *p)
{
    static const int bands[] = {1, 4, 16};
    const struct candidate way = *best;
    for (size_t i = 0; i < sizeof bands / sizeof bands[0]; i++) {
        struct candidate other = way;
        other.band = bands[i];
        other.cost = measure_us(&other, p);
        if (other.cost < best->cost)
            *best = other;
    }
}

static struct candidate fastest(struct candidates *c, const struct product *p)
{
    struct candidate *all = c->all;
    const size_t timed = c->count < TIMED ? c->count : TIMED;
    qsort(all, c->count, sizeof *all, compare_costs);
    if (backend_is_sim())
        return all[0];
    for (size_t i = 0; i < timed; i++)
        all[i].cost = measure_us(&all[i], p);
    qsort(all, timed, sizeof *all, compare_costs);
    for (size_t i = 0; i < 3 && i < timed && p->m > 1024 && p->n > 1024; i++)
        try_bands(&all[i], p);
    qsort(all, timed, sizeof *all, compare_costs);
    return all[0];
}

/* Says what was chosen, in words that name the rung it stems from. */
static void describe(const struct candidate *c, char *text, size_t size)
{
    const struct stream_plan *plan = &c->plan;
    if (c->shape)
        snprintf(text, size, "%s, bands of %d", c->shape->name, c->band);
    else if (plan->shape->plans != stream_plans)
        snprintf(text, size, plan->parts > 1 ? "%s, k in %d parts%s" : "%s", plan->shape->name,
                 plan->parts, plan->add_after ? ", added afterwards" : "");
    else if (plan->parts <= 1)
        snprintf(text, size, "%s, whole tiles, bands of %d", plan->shape->name, c->band);
    else
        snprintf(text, size, "%s, %d blocks, %d whole tiles, others in up to %d parts%s",
                 plan->shape->name, plan->blocks, plan->whole, plan->parts,
                 plan->add_after ? ", added afterwards" : "");
}

static void choose(struct choice *choice, const struct product *p)
{
    struct candidates *c = (struct candidates *)calloc(1, sizeof *c);
    if (!c) {
        fprintf(stderr, "step02_tiled: no memory for the list of ways to multiply\n");
        exit(2);
    }
    const int sms = multiprocessors();
    add_shapes(c, p, sms);
    add_plans(c, p, sms);
    choice->m = p->m;
    choice->n = p->n;
    choice->k = p->k;
    choice->made = true;
    choice->best = fastest(c, p);
    describe(&choice->best, choice->text, sizeof choice->text);
    free(c);
}

static struct choice last;

static void launch(void *state)
{
    const struct product *p = (const struct product *)state;
    if (!last.made || last.m != p->m || last.n != p->n || last.k != p->k)
        choose(&last, p);
    struct attempt a = {p, &last.best};
    launch_attempt(&a);
}

const char *autotuned_choice(void) { return last.made ? last.text : NULL; }

static const char *refusal(const struct product *p)
{
    size_t count;
    const struct shape *shapes = warp_tiled_shapes(&count);
    return shape_fits(&shapes[0], p) ? NULL : "a block has too little shared memory here";
}

/* --------------------------------------------------------------------- the two rungs by themselves
 */

/* The plan that the model likes best among those of some shapes. */
static struct stream_plan best_plan(const struct stream_shape *shapes, size_t count,
                                    const struct product *p)
{
    const int sms = multiprocessors();
    struct stream_plan plans[PLANS_MAX], best = {};
    for (size_t i = 0; i < count; i++)
        for (size_t j = shapes[i].plans(&shapes[i], p, sms, plans, PLANS_MAX); j-- > 0;)
            if (shapes[i].operands == OPERANDS_AS_THEY_ARE && !plans[j].add_after &&
                kernel_fits(shapes[i].kernel(p), shapes[i].shared_bytes, shapes[i].threads) &&
                (!best.shape ||
                 stream_model_us(&plans[j], p, sms) < stream_model_us(&best, p, sms)))
                best = plans[j];
    return best;
}

static void launch_best(const struct product *p, const struct stream_shape *(*table)(size_t *))
{
    size_t count;
    const struct stream_shape *shapes = table(&count);
    const struct stream_plan plan = best_plan(shapes, count, p);
    plan.shape->launch(p, &plan);
}

static void launch_stream(void *state)
{
    launch_best((const struct product *)state, stream_shapes);
}

static void launch_vector(void *state)
{
    launch_best((const struct product *)state, vector_shapes);
}

static const char *vector_refusal(const struct product *p)
{
    size_t count;
    const struct stream_shape *shapes = vector_shapes(&count);
    if (p->m == 0) /* --list: no product yet */
        return NULL;
    return best_plan(shapes, count, p).shape ? NULL : "m, n and k are all larger than 16";
}

static const char *stream_refusal(const struct product *p)
{
    size_t count;
    const struct stream_shape *shapes = stream_shapes(&count);
    for (size_t i = 0; i < count; i++)
        if (kernel_fits(shapes[i].kernel(p), shapes[i].shared_bytes, shapes[i].threads))
            return NULL;
    return "a block has too little shared memory here";
}

const struct rung *stream_rungs(size_t *count)
{
    static const struct rung rungs[] = {
        {"matmul_stream_k", "work cut by multiplications, not by tiles; any alignment", false,
         launch_stream, stream_refusal},
        {"matmul_few", "few rows, columns or steps of k: at the speed of the memory", false,
         launch_vector, vector_refusal, 1},
    };
    *count = sizeof rungs / sizeof rungs[0];
    return rungs;
}

static const struct rung rungs[] = {
    {"matmul_autotuned", "the way that is fastest for this product", false, launch, refusal},
};

const struct rung *autotuned_rungs(size_t *count)
{
    *count = sizeof rungs / sizeof rungs[0];
    return rungs;
}
