/* step02_tiled - matrix multiplication, from one tile to the fastest kernel the GPU will run.
 *
 * The ladder: every rung computes the same C = A.B, faster. A rung is verified on shapes that are
 * multiples of nothing, then timed (on a GPU) or counted (on the simulator) on the shape that was
 * asked for. Start reading at ../tiled.cuh and follow the order of the tables in lesson.h. */
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/counters.h"
#include "common/cuda_check.h"
#include "common/device_limits.h"
#include "common/launch_columns.h"
#include "common/options.h"
#include "common/predict.h"
#include "common/report.h"
#include "step02_tiled/lesson.h"
#include "step02_tiled/harness/draw.h"
#include "step02_tiled/harness/loops.h"
#include "step02_tiled/harness/rows.h"

/* m, n, k: smaller than any tile, larger by one, k < n and k > n; rows that start at multiples of
 * 16 bytes and rows that do not. */
static const struct matmul_shape check_shapes[] = {
    {30, 50, 40}, {1, 1, 1}, {1, 1, 7}, {129, 65, 33}, {67, 132, 36}, {64, 128, 64},
};

enum { SAMPLED_ABOVE = 400000000 }; /* warp instructions: larger launches are simulated in part */

static const char *refusal_of(const struct rung *rung, const struct product *p)
{
    return rung->refusal ? rung->refusal(p) : NULL;
}

static bool passes_checks(const struct rung *rung, uint64_t seed)
{
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof check_shapes / sizeof check_shapes[0]; i++) {
        struct matmul_reference *r = reference_open(check_shapes[i], seed);
        struct product p = product_open(r, check_shapes[i]);
        ok = refusal_of(rung, &p) || product_verify(&p, r, rung->name, rung->launch, &p).ok;
        product_close(&p);
        matmul_reference_close(r);
    }
    return ok;
}

/* Verify, then time. The row of a rung that is wrong shows nothing but that. */
static struct result run_product(const struct rung *rung, struct product *p,
                                 const struct matmul_reference *r, const struct options *o)
{
    const struct timing_options timing = {o->warmup, o->repeats, 1, false};
    struct result result = {};
    const char *why_not = refusal_of(rung, p);
    if (why_not) {
        fprintf(stderr, "%s skipped:\n  %s\n", rung->name, why_not);
        result.skipped = true;
        return result;
    }
    result.verdict = product_verify(p, r, rung->name, rung->launch, p);
    result.has_counters = counters_last_launch(&result.counters);
    launch_times(&result.times);
    if (result.verdict.ok && !backend_is_sim())
        result.timing = timing_run(&timing, rung->launch, p);
    return result;
}

/* The same, after shapes that are multiples of nothing. */
static struct result run_rung(const struct rung *rung, struct product *p,
                              const struct matmul_reference *r, const struct options *o)
{
    const struct result wrong = {};
    return refusal_of(rung, p) || passes_checks(rung, o->seed) ? run_product(rung, p, r, o) : wrong;
}

/* A rung that rejects the shape asked for takes fewer rows of A, and says why. */
static struct result run_fewer_rows(const struct rung *rung, struct matmul_shape s, const char *why,
                                    const struct options *o)
{
    struct matmul_reference *r = reference_open(s, o->seed);
    struct product p = product_open(r, s);
    fprintf(stderr, "%s takes %zu x %zu x %zu:\n  %s\n", rung->name, s.m, s.n, s.k, why);
    const struct result result = run_rung(rung, &p, r, o);
    product_close(&p);
    matmul_reference_close(r);
    return result;
}

/* Which rungs to run: one, or a part of the ladder without what is sabotaged. */
struct choice {
    int only; /* index in the ladder, or -1 */
    enum ladder_part part;
};

static bool chosen(const struct choice *c, const struct rung *rung, size_t index)
{
    return c->only >= 0 ? index == (size_t)c->only
                        : !rung->sabotaged && rung_in_part(rung, c->part);
}

/* One product, all rungs or one. Returns whether everything that ran is right. */
static bool run_ladder(struct table *t, const struct options *o, struct matmul_shape s,
                       const struct choice *choice, double peak_gflops)
{
    size_t count;
    const struct rung *rungs = ladder(&count);
    struct matmul_reference *r = reference_open(s, o->seed);
    struct product p = product_open(r, s);
    bool all_ok = true;
    for (size_t i = 0; i < count; i++) {
        if (!chosen(choice, &rungs[i], i))
            continue;
        const char *why_not = refusal_of(&rungs[i], &p);
        const size_t fewer = why_not ? rungs[i].rows_instead : 0;
        const struct matmul_shape shown = {fewer ? fewer : s.m, s.n, s.k};
        const struct result result =
            fewer ? run_fewer_rows(&rungs[i], shown, why_not, o) : run_rung(&rungs[i], &p, r, o);
        rows_add(t, rungs[i].name, shown, &result, peak_gflops);
        all_ok = all_ok && (result.skipped || result.verdict.ok);
    }
    product_close(&p);
    matmul_reference_close(r);
    return all_ok;
}

/* 256 to 8192 on a GPU. The simulator stops at 512: each doubling is eight times the work. */
static bool run_sizes(struct table *t, const struct options *o, const struct choice *choice,
                      double peak_gflops)
{
    const size_t largest = backend_is_sim() ? 512 : 8192;
    bool all_ok = true;
    for (size_t size = 256; size <= largest; size *= 2) {
        const struct matmul_shape s = {size, size, size};
        all_ok = run_ladder(t, o, s, choice, peak_gflops) && all_ok;
        if (!options_quiet(o) && autotuned_choice())
            fprintf(stderr, "matmul_autotuned at %zu: %s\n", size, autotuned_choice());
    }
    return all_ok;
}

/* Times of the two rungs that --shapes compares, and what follows from all of them. */
struct comparison {
    double log_sum, least;
    size_t count;
    struct matmul_shape least_at;
};

static void compare_times(struct comparison *c, struct matmul_shape s, double ours_ms,
                          double cublas_ms)
{
    const double ratio = cublas_ms / ours_ms;
    c->log_sum += log(ratio);
    if (c->count++ == 0 || ratio < c->least) {
        c->least = ratio;
        c->least_at = s;
    }
}

/* Products drawn at random: the top rung in FP32 beside cuBLAS. */
static bool run_shapes(struct table *t, const struct options *o, double peak_gflops)
{
    enum { SHAPES = 40, SHAPES_SIM = 8 };
    static const char *const names[] = {"matmul_autotuned", "cublas_sgemm"};
    const size_t shapes = backend_is_sim() ? SHAPES_SIM : SHAPES;
    struct comparison all = {};
    size_t count;
    const struct rung *rungs = ladder(&count);
    bool all_ok = true;
    for (size_t i = 0; i < shapes; i++) {
        const struct matmul_shape s = drawn_shape(o->seed, i, backend_is_sim());
        struct matmul_reference *r = reference_open(s, o->seed);
        struct product p = product_open(r, s);
        struct result results[2];
        for (size_t x = 0; x < 2; x++) {
            const struct rung *rung = &rungs[ladder_find(names[x])];
            results[x] = run_product(rung, &p, r, o);
            rows_add(t, rung->name, s, &results[x], peak_gflops);
            all_ok = all_ok && (results[x].skipped || results[x].verdict.ok);
        }
        if (results[0].timing.has_time && results[1].timing.has_time)
            compare_times(&all, s, results[0].timing.median_ms, results[1].timing.median_ms);
        if (!options_quiet(o))
            fprintf(stderr, "%zu x %zu x %zu: %s\n", s.m, s.n, s.k, autotuned_choice());
        product_close(&p);
        matmul_reference_close(r);
    }
    if (all.count > 0 && !options_quiet(o))
        fprintf(stderr,
                "cublas_sgemm / matmul_autotuned: geometric mean of %zu %.3f, least %.3f "
                "(%zu x %zu x %zu)\n",
                all.count, exp(all.log_sum / (double)all.count), all.least, all.least_at.m,
                all.least_at.n, all.least_at.k);
    return all_ok;
}

static void list_rungs(void)
{
    size_t count;
    const struct rung *rungs = ladder(&count);
    const struct product nothing = {};
    for (size_t i = 0; i < count; i++) {
        const char *why_not = refusal_of(&rungs[i], &nothing);
        printf("%s%s\n    %s\n", rungs[i].name, rungs[i].sabotaged ? " [sabotaged]" : "",
               rungs[i].what);
        if (why_not)
            printf("    skipped:\n    %s\n", why_not);
    }
}

static double device_peak_gflops(void)
{
    struct gpu_limits limits;
    device_limits(0, &limits);
    return gpu_limits_peak_gflops(&limits);
}

/* Rows and columns where the command line gives none. */
static size_t usual_side(bool sim, bool sweep)
{
    if (sim)
        return sweep ? 64 : 256;
    return sweep ? 1024 : 4096;
}

static size_t given_or(int64_t given, size_t usual) { return given ? (size_t)given : usual; }

int main(int argc, char **argv)
{
    const bool sim = backend_is_sim();
    int64_t m = 0, n = 0, k = 0; /* 0: not given */
    bool sizes = false, shapes = false, sweep = false, limits = false, phases = false;
    bool banks = false, loops = false, all = false;
    enum { IN_REGISTERS, IN_GLOBAL_MEMORY };
    static const char *const places[] = {"registers", "global", NULL};
    static const char *const parts[] = {"core", "summit", "all", NULL}; /* enum ladder_part */
    enum { NOTHING, FRAGMENT };
    static const char *const pictures[] = {"nothing", "fragment", NULL};
    int accumulate = IN_REGISTERS, part = PART_CORE, picture = NOTHING;
    const struct option_spec own[] = {
        OPT_INTEGER("m", &m, 1, 32768, "rows of A and C; on a GPU 4096, for the sweep 1024"),
        OPT_INTEGER("n", &n, 1, 32768, "columns of B and C"),
        OPT_INTEGER("k", &k, 1, 131072, "columns of A, rows of B"),
        OPT_FLAG("all", &all, "the rungs of the summit, too: what comes behind lesson 06"),
        OPT_CHOICE("part", &part, parts, "which rungs: the lesson's, the summit's or both"),
        OPT_FLAG("sizes", &sizes, "square products from 256 up: GFLOPS against size"),
        OPT_FLAG("shapes", &shapes, "40 products drawn from --seed: matmul_autotuned and cuBLAS"),
        OPT_FLAG("sweep", &sweep, "150 two-level tilings: block tile, thread tile, loop order"),
        OPT_CHOICE("accumulate", &accumulate, places, "where the sweep keeps its sums"),
        OPT_FLAG("loops", &loops, "draw tiling on a CPU: when elements are used, what is fetched"),
        OPT_FLAG("phases", &phases, "draw a block's walk over the tiles of a 4 x 4 product"),
        OPT_FLAG("banks", &banks, "draw what warps read of shared memory, lanes over banks"),
        OPT_CHOICE("draw", &picture, pictures, "draw who holds what of a tensor core's operands"),
        OPT_FLAG("limits", &limits, "what memory allows on a small SM, computed"),
    };
    const struct options_about about = {
        "step02_tiled", "matrix multiplication, from one tile to the fastest kernel", true, 3, 15,
        predict_lesson};
    struct options o;
    const int code = options_parse(&o, argc, argv, &about, own, sizeof own / sizeof own[0]);
    if (code >= 0)
        return code;
    if (limits || phases || banks || loops || picture == FRAGMENT) {
        options_banner(&o);
        if (loops && !loops_print())
            return 1;
        if (phases)
            phases_print();
        if (banks)
            banks_print();
        if (picture == FRAGMENT)
            fragment_print();
        if (limits)
            limits_print();
        return 0;
    }
    if (o.list) {
        list_rungs();
        return 0;
    }
    const int only = o.kernel ? ladder_find(o.kernel) : -1;
    if (o.kernel && only < 0)
        return 2;
    launch_sample(SAMPLED_ABOVE);
    options_banner(&o);
    const struct choice choice = {only, all ? PART_ALL : (enum ladder_part)part};
    const size_t side = usual_side(sim, sweep), depth = sim ? side / 2 : side;
    const struct matmul_shape s = {given_or(m, side), given_or(n, side), given_or(k, depth)};
    if (sweep)
        return sweep_run(&o, s, accumulate == IN_GLOBAL_MEMORY);

    const bool usual = only < 0 && choice.part == PART_CORE && !m && !n && !k && !sizes && !shapes;
    if (usual && !o.csv)
        launch_columns_keep(false, "m=4096 n=4096 k=4096", "m = n = k = 4096");
    struct table *t = rows_open();
    const double peak = device_peak_gflops();
    bool all_ok;
    if (shapes)
        all_ok = run_shapes(t, &o, peak);
    else if (sizes)
        all_ok = run_sizes(t, &o, &choice, peak);
    else
        all_ok = run_ladder(t, &o, s, &choice, peak);
    const bool written = report_table(t, &o);
    if (!sizes && !shapes && !options_quiet(&o) && autotuned_choice())
        printf("matmul_autotuned took: %s\n", autotuned_choice());
    if (only < 0 && choice.part == PART_CORE && !options_quiet(&o))
        puts("The ladder goes on: summit/README.md, behind lesson 06; ./run --all runs it, too");
    table_close(t);
    if (!written)
        return 2;
    return all_ok ? 0 : 1;
}
