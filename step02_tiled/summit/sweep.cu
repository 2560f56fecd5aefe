/* sweep.cu - 5 block tiles x 5 thread tiles x 3 loop orders, staged and unstaged: 150 tilings.
 *
 * Each is verified on a small ragged product, then timed (or counted) on the given one, or rejected
 * with the reason. Called by main.cu for --sweep. */
#include "step02_tiled/lesson.h"

#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/counters.h"
#include "common/cuda_check.h"
#include "common/device_limits.h"
#include "common/gpu/occupancy.h"
#include "common/launch_columns.h"
#include "common/report.h"
#include "step02_tiled/summit/two_level.h"

typedef void (*two_level_kernel)(const float *, const float *, float *, int, int, int,
                                 struct tiling);

static const struct tiling block_tiles[] = {
    {32, 32, 32}, {32, 64, 32}, {64, 32, 32}, {64, 64, 32}, {64, 64, 64}};
static const char *const order_names[ORDERS] = {"standard", "k_after_threads", "k_innermost"};

/* The kernels of one thread tile, by order, staged, and where the sums are. */
struct thread_tile {
    int tm, tn;
    two_level_kernel kernels[ORDERS][2][2];
};
#define KERNELS(TM, TN, ORDER)                                                                     \
    {                                                                                              \
        {matmul_two_level<TM, TN, ORDER, false, false>,                                            \
         matmul_two_level<TM, TN, ORDER, false, true>},                                            \
        {                                                                                          \
            matmul_two_level<TM, TN, ORDER, true, false>,                                          \
                matmul_two_level<TM, TN, ORDER, true, true>                                        \
        }                                                                                          \
    }
#define THREAD_TILE(TM, TN)                                                                        \
    {                                                                                              \
        TM, TN,                                                                                    \
        {                                                                                          \
            KERNELS(TM, TN, ORDER_STANDARD), KERNELS(TM, TN, ORDER_K_AFTER_THREADS),               \
                KERNELS(TM, TN, ORDER_K_INNERMOST)                                                 \
        }                                                                                          \
    }
static const struct thread_tile thread_tiles[] = {
    THREAD_TILE(2, 2), THREAD_TILE(4, 4), THREAD_TILE(4, 8), THREAD_TILE(8, 4), THREAD_TILE(8, 8)};
enum {
    BLOCK_TILES = sizeof block_tiles / sizeof block_tiles[0],
    THREAD_TILES = sizeof thread_tiles / sizeof thread_tiles[0],
    CONFIGURATIONS = 2 * ORDERS * BLOCK_TILES * THREAD_TILES
};

struct configuration {
    int block_tile, thread_tile, order;
    bool staged, in_global;
    char block_name[16], thread_name[8];
    two_level_kernel kernel;
    int threads, registers;
    size_t shared_bytes;
    struct product *product; /* what launch() computes */
    double merit;            /* GFLOPS on a GPU, load sectors on the simulator; NaN: none */
};

static struct configuration configuration_at(int index, bool in_global)
{
    struct configuration c = {};
    c.staged = index / (CONFIGURATIONS / 2) == 0;
    c.order = index / (BLOCK_TILES * THREAD_TILES) % ORDERS;
    c.block_tile = index / THREAD_TILES % BLOCK_TILES;
    c.thread_tile = index % THREAD_TILES;
    c.in_global = in_global;
    c.merit = NAN;
    const struct tiling *t = &block_tiles[c.block_tile];
    const struct thread_tile *thread = &thread_tiles[c.thread_tile];
    snprintf(c.block_name, sizeof c.block_name, "%dx%dx%d", t->bm, t->bn, t->bk);
    snprintf(c.thread_name, sizeof c.thread_name, "%dx%d", thread->tm, thread->tn);
    c.kernel = thread->kernels[c.order][c.staged][in_global];
    c.threads = t->bm / thread->tm * (t->bn / thread->tn);
    c.shared_bytes = c.staged ? sizeof(float) * (size_t)(t->bk * (t->bm + t->bn)) : 0;
    return c;
}

static void launch(void *state)
{
    const struct configuration *c = (const struct configuration *)state;
    const struct product *p = c->product;
    const struct tiling t = block_tiles[c->block_tile];
    const dim3 block((unsigned)(t.bn / thread_tiles[c->thread_tile].tn),
                     (unsigned)(t.bm / thread_tiles[c->thread_tile].tm));
    const dim3 grid((unsigned)((p->n + t.bn - 1) / t.bn), (unsigned)((p->m + t.bm - 1) / t.bm));
    c->kernel<<<grid, block, c->shared_bytes>>>(p->d_a, p->d_b, p->d_c, p->m, p->n, p->k, t);
}

/* ---------------------------------------------------------------------------------- the results */

static const struct column columns[] = {
    {"block_tile", "block tile", NULL, COLUMN_TEXT, 0},
    {"thread_tile", "thread tile", NULL, COLUMN_TEXT, 0},
    {"order", NULL, NULL, COLUMN_TEXT, 0},
    {"staged", NULL, NULL, COLUMN_TEXT, 0},
    {"accumulate", "sums in", NULL, COLUMN_TEXT, 0},
    {"m", NULL, NULL, COLUMN_INTEGER, 0},
    {"n", NULL, NULL, COLUMN_INTEGER, 0},
    {"k", NULL, NULL, COLUMN_INTEGER, 0},
    {"threads", NULL, "a block", COLUMN_INTEGER, 0},
    {"registers", NULL, "a thread", COLUMN_INTEGER, 0},
    {"shared_bytes", "shared", "bytes", COLUMN_INTEGER, 0},
    {"time_ms", "time", "ms", COLUMN_REAL, 4},
    {"gflops", NULL, "GFLOPS", COLUMN_REAL, 1},
    {"load_sectors_per_request", "sectors", "per request", COLUMN_REAL, 2},
    {"global_load_sectors", "load sectors", NULL, COLUMN_INTEGER, 0},
    {"shared_wavefronts", "shared", "wavefronts", COLUMN_INTEGER, 0},
    {"bank_conflicts", "bank", "conflicts", COLUMN_INTEGER, 0},
    {"max_rel_error", "max error", "relative", COLUMN_GENERAL, 2},
    {"verified", NULL, NULL, COLUMN_TEXT, 0},
    {"rejected", NULL, NULL, COLUMN_TEXT, 0},
    LAUNCH_COLUMNS,
};

static void add_row(struct table *t, const struct configuration *c, const struct product *p)
{
    table_row(t);
    table_text(t, "block_tile", c->block_name);
    table_text(t, "thread_tile", c->thread_name);
    table_text(t, "order", order_names[c->order]);
    table_text(t, "staged", c->staged ? "yes" : "no");
    table_text(t, "accumulate", c->in_global ? "global" : "registers");
    table_integer(t, "m", p->m);
    table_integer(t, "n", p->n);
    table_integer(t, "k", p->k);
    table_integer(t, "threads", c->threads);
    if (c->registers > 0)
        table_integer(t, "registers", c->registers);
    table_integer(t, "shared_bytes", (int64_t)c->shared_bytes);
}

static void add_counts(struct table *t, struct configuration *c)
{
    struct launch_counters counts;
    if (!counters_last_launch(&counts))
        return;
    table_real(t, "load_sectors_per_request",
               (double)counts.global_load_sectors / (double)counts.global_load_requests);
    table_integer(t, "global_load_sectors", (int64_t)counts.global_load_sectors);
    table_integer(t, "shared_wavefronts",
                  (int64_t)(counts.shared_load_wavefronts + counts.shared_store_wavefronts));
    table_integer(t, "bank_conflicts",
                  (int64_t)(counts.shared_load_conflicts + counts.shared_store_conflicts));
    c->merit = (double)counts.global_load_sectors;
}

/* With SIMT_MODEL=1: what it needs at least, how long a model says it takes, and what was recorded. */
static void add_times(struct table *t, const struct configuration *c, const struct product *p)
{
    struct launch_times times;
    char key[160];
    if (!launch_times(&times))
        return;
    snprintf(key, sizeof key, "block_tile=%s thread_tile=%s order=%s staged=%s m=%d n=%d k=%d",
             c->block_name, c->thread_name, order_names[c->order], c->staged ? "yes" : "no", p->m,
             p->n, p->k);
    launch_columns_set(t, &times,
                       c->in_global ? "step02_sweep_global.csv" : "step02_sweep.csv", key);
}

/* One configuration: its row. Returns false if its result was wrong. */
static bool run_one(struct table *t, struct configuration *c, struct product *p,
                    const struct matmul_reference *r, struct product *small,
                    const struct matmul_reference *small_reference, const struct options *o)
{
    struct gpu_limits limits;
    struct cudaFuncAttributes attributes;
    struct occupancy occupancy;
    device_limits(0, &limits);
    CUDA_CHECK(cudaFuncGetAttributes(&attributes, (const void *)c->kernel));
    /* PTX has no register allocation: on the simulator no register is counted, or missing. */
    c->registers = backend_is_sim() ? 0 : attributes.numRegs;
    const struct occupancy_request request = {(unsigned)c->threads, (unsigned)c->registers, 0,
                                              c->shared_bytes};
    add_row(t, c, p);
    if (!occupancy_compute(&limits, &request, &occupancy)) {
        table_text(t, "rejected", occupancy.refusal);
        return true;
    }
    const char *name = "matmul_two_level";
    c->product = small;
    bool ok = product_verify(small, small_reference, name, launch, c).ok;
    c->product = p;
    const struct matmul_verdict v = product_verify(p, r, name, launch, c);
    ok = ok && v.ok;
    table_text(t, "verified", ok ? "yes" : "NO");
    if (!ok)
        return false;
    table_real(t, "max_rel_error", v.max_rel_error);
    add_counts(t, c);
    add_times(t, c, p);
    if (!backend_is_sim()) {
        const struct timing_options timing = {o->warmup, o->repeats, 1, false};
        const struct timing time = timing_run(&timing, launch, c);
        c->merit = timing_gflops(&time, 2.0 * p->m * p->n * p->k);
        table_measured(t, "time_ms", time.median_ms);
        table_measured(t, "gflops", c->merit);
    }
    return true;
}

/* ---------------------------------------------------------------------- what they show together */

struct tally {
    double sum, best;
    int count;
};

static void tally_add(struct tally *t, double merit, bool more_is_better)
{
    if (isnan(merit))
        return;
    if (t->count == 0 || (more_is_better ? merit > t->best : merit < t->best))
        t->best = merit;
    t->sum += merit;
    t->count++;
}

static void tally_print(const char *name, const struct tally *t)
{
    if (t->count > 0)
        printf("  %-18s %10.1f %10.1f\n", name, t->best, t->sum / t->count);
}

static void print_summary(const struct configuration *all, bool gpu)
{
    struct tally staged[2] = {}, orders[ORDERS] = {}, blocks[BLOCK_TILES] = {},
                 threads[THREAD_TILES] = {};
    for (int i = 0; i < CONFIGURATIONS; i++) {
        tally_add(&staged[all[i].staged], all[i].merit, gpu);
        tally_add(&orders[all[i].order], all[i].merit, gpu);
        tally_add(&blocks[all[i].block_tile], all[i].merit, gpu);
        tally_add(&threads[all[i].thread_tile], all[i].merit, gpu);
    }
    printf("\n%-20s %10s %10s\n", gpu ? "GFLOPS" : "load sectors", "best", "mean");
    tally_print("staged", &staged[true]);
    tally_print("unstaged", &staged[false]);
    for (int i = 0; i < ORDERS; i++)
        tally_print(order_names[i], &orders[i]);
    for (int i = 0; i < BLOCK_TILES; i++)
        tally_print(all[i * THREAD_TILES].block_name, &blocks[i]);
    for (int i = 0; i < THREAD_TILES; i++)
        tally_print(all[i].thread_name, &threads[i]);
}

/* Thread tiles across, block tiles and orders down. */
static void print_heat_map(const struct configuration *all, bool staged)
{
    printf("\n%-30s", staged ? "staged" : "unstaged");
    for (int i = 0; i < THREAD_TILES; i++)
        printf("%10s", all[i].thread_name);
    printf("\n");
    for (int i = staged ? 0 : CONFIGURATIONS / 2;
         i < (staged ? CONFIGURATIONS / 2 : CONFIGURATIONS); i++) {
        if (all[i].thread_tile == 0)
            printf("  %-16s %-11s", order_names[all[i].order], all[i].block_name);
        if (isnan(all[i].merit))
            printf("%10s", "-");
        else
            printf("%10.0f", all[i].merit);
        if (all[i].thread_tile == THREAD_TILES - 1)
            printf("\n");
    }
}

static void print_progress(int done)
{
    enum { WIDTH = 50 };
    if (!isatty(STDERR_FILENO))
        return;
    fprintf(stderr, "\r[");
    for (int i = 0; i < WIDTH; i++)
        fputc(i < done * WIDTH / CONFIGURATIONS ? '#' : '.', stderr);
    fprintf(stderr, "] %3d of %d%s", done, CONFIGURATIONS, done == CONFIGURATIONS ? "\n" : "");
}

int sweep_run(const struct options *o, struct matmul_shape s, bool accumulate_in_global)
{
    const struct matmul_shape small_shape = {67, 35, 41};
    struct matmul_reference *r = reference_open(s, o->seed);
    struct matmul_reference *small_r = reference_open(small_shape, o->seed);
    struct product p = product_open(r, s), small = product_open(small_r, small_shape);
    struct table *t = table_open(columns, launch_columns(sizeof columns / sizeof columns[0]));
    struct configuration all[CONFIGURATIONS];
    bool all_ok = true;
    for (int i = 0; i < CONFIGURATIONS; i++) {
        print_progress(i);
        all[i] = configuration_at(i, accumulate_in_global);
        all_ok = run_one(t, &all[i], &p, r, &small, small_r, o) && all_ok;
    }
    print_progress(CONFIGURATIONS);
    const bool written = report_table(t, o);
    if (!options_quiet(o)) {
        print_summary(all, !backend_is_sim());
        print_heat_map(all, true);
        print_heat_map(all, false);
    }
    table_close(t);
    product_close(&p);
    product_close(&small);
    matmul_reference_close(r);
    matmul_reference_close(small_r);
    if (!written)
        return 2;
    return all_ok ? 0 : 1;
}
