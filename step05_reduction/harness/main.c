/* main.c - lesson 05: the ladder of reductions, checked, timed and counted.
 *
 * The kernels stand in the lesson's folder, interleaved.cuh first. Each rung is
 * verified at n, at the edges and with NaN and infinity; on a GPU it is then timed, on the
 * simulator its launches are counted. */
#include <inttypes.h>
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
#include "common/timing.h"
#include "step05_reduction/harness/check.h"
#include "step05_reduction/harness/draw.h"
#include "step05_reduction/harness/trace.h"

enum { RUNGS_MAX = 16, N_GPU = 4000000, N_SIM = 1000003 };

/* ------------------------------------------------------------------ the request */

enum { NOT_DRAWN = -1 };

/* What the command line asks for. */
struct request {
    struct options o;
    struct option_integers n;
    int type, op;  /* enum reduction_type, reduction_op; their COUNT: all */
    int64_t block; /* 0: every rung its own */
    bool trace;
    int draw;                     /* --draw, index of draw_names, or NOT_DRAWN */
    struct rung rungs[RUNGS_MAX]; /* those to run */
    size_t count;
};

/* All rungs, in the order of the lesson: ladder, reference, sabotaged. */
static size_t all_rungs(struct rung *out)
{
    size_t (*const tables[])(const struct rung **) = {block_rungs, grid_rungs, cub_rungs,
                                                      sabotaged_rungs};
    size_t count = 0;
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        const struct rung *rungs;
        const size_t more = tables[i](&rungs);
        for (size_t k = 0; k < more; k++)
            out[count++] = rungs[k];
    }
    return count;
}

static void print_list(const struct rung *rungs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        printf("%-20s %s\n", rungs[i].name, rungs[i].idea);
}

/* -1: go on, otherwise the exit code. */
static int choose_rungs(struct request *q)
{
    struct rung all[RUNGS_MAX];
    const size_t count = all_rungs(all);
    if (q->o.list) {
        print_list(all, count);
        return 0;
    }
    if (q->o.kernel) {
        const int found = options_find("kernel", q->o.kernel, all, count, sizeof all[0]);
        if (found < 0)
            return 2;
        q->rungs[q->count++] = all[found];
        return -1;
    }
    for (size_t i = 0; i < count; i++)
        if (!all[i].sabotaged)
            q->rungs[q->count++] = all[i];
    return -1;
}

static int read_request(struct request *q, int argc, char **argv)
{
    static const char *const types[] = {"int", "float", "double", "all", NULL};
    static const char *const ops[] = {"sum", "min", "max", "all", NULL};
    const struct option_spec own[] = {
        OPT_INTEGERS("n", &q->n, 1, INT32_MAX, "elements; several sizes: 1000,4000000"),
        OPT_CHOICE("type", &q->type, types, "element type"),
        OPT_CHOICE("op", &q->op, ops, "what to reduce to"),
        OPT_INTEGER("block", &q->block, 1, 1024, "threads of a block, a power of two"),
        OPT_FLAG("trace", &q->trace, "count the trees of one block, round by round"),
        OPT_CHOICE("draw", &q->draw, draw_names, "draw how elements move, in a block of 8 or 16"),
    };
    const struct options_about about = {
        "step05_reduction",
        "reductions: from a divergent tree to the speed of the memory",
        true,
        3,
        15,
        predict_lesson};
    const int code = options_parse(&q->o, argc, argv, &about, own, sizeof own / sizeof own[0]);
    if (code >= 0)
        return code;
    if (q->block & (q->block - 1))
        return options_error(&q->o,
                             "--block %" PRId64 ": a tree halves the block in every round, so it "
                             "must be a power of two: 1, 2, 4, ... 1024",
                             q->block);
    if (q->draw != NOT_DRAWN && (q->trace || q->o.kernel))
        return options_error(&q->o, "--draw stands alone: leave out --trace and --kernel");
    if (q->draw != NOT_DRAWN && (q->block == 1 || q->block > DRAW_BLOCK_MAX))
        return options_error(&q->o, "--draw: a picture has room for blocks of 2 to %d threads",
                             DRAW_BLOCK_MAX);
    return choose_rungs(q);
}

/* ------------------------------------------------------------------ the table */

static const struct column columns[] = {
    {"kernel", NULL, NULL, COLUMN_TEXT, 0},
    {"type", NULL, NULL, COLUMN_TEXT, 0},
    {"op", NULL, NULL, COLUMN_TEXT, 0},
    {"n", NULL, "elements", COLUMN_INTEGER, 0},
    {"block", NULL, "threads", COLUMN_INTEGER, 0},
    {"time_ms", "time", "ms", COLUMN_REAL, 4},
    {"gb_per_s", "read", "GB/s", COLUMN_REAL, 0},
    {"percent_of_peak", "of peak", "%", COLUMN_REAL, 1},
    {"divergent_branches", NULL, NULL, COLUMN_INTEGER, 0},
    {"shared_wavefronts", NULL, NULL, COLUMN_INTEGER, 0},
    {"bank_conflicts", NULL, NULL, COLUMN_INTEGER, 0},
    {"barriers", NULL, NULL, COLUMN_INTEGER, 0},
    {"abs_error", "error", NULL, COLUMN_GENERAL, 3},
    {"error_bound", "bound", NULL, COLUMN_GENERAL, 3},
    {"verified", NULL, NULL, COLUMN_TEXT, 0},
    LAUNCH_COLUMNS,
};

/* What one run of the program needs besides the request. */
struct lesson {
    const struct request *q;
    struct table *table;
    struct gpu_limits gpu;
    bool all_right;
};

/* One row on its way: one rung at one size. */
struct row {
    struct launch_counters counters;
    struct outcome outcome; /* with the input of INPUT_REAL */
    struct timing timing;
    struct launch_times times; /* on the simulator: see counters.h */
    bool right;
};

static void add_row(struct lesson *l, const struct session *s, const struct rung *rung,
                    const struct row *row)
{
    struct table *t = l->table;
    table_row(t);
    table_text(t, "kernel", rung->name);
    table_text(t, "type", type_names[s->type]);
    table_text(t, "op", op_names[s->op]);
    table_integer(t, "n", s->r.n);
    if (!rung->foreign)
        table_integer(t, "block", l->q->block ? l->q->block : rung->block);
    if (row->timing.has_time) {
        const double gb_per_s =
            timing_gb_per_s(&row->timing, (double)s->r.n * (double)type_bytes(s->type));
        table_measured(t, "time_ms", row->timing.median_ms);
        table_measured(t, "gb_per_s", gb_per_s);
        table_measured(t, "percent_of_peak", 100 * gb_per_s / gpu_limits_peak_gb_per_s(&l->gpu));
    }
    if (backend_is_sim()) {
        const struct launch_counters *c = &row->counters;
        table_integer(t, "divergent_branches", (int64_t)c->divergent_branches);
        table_integer(t, "shared_wavefronts",
                      (int64_t)(c->shared_load_wavefronts + c->shared_store_wavefronts));
        table_integer(t, "bank_conflicts",
                      (int64_t)(c->shared_load_conflicts + c->shared_store_conflicts));
        table_integer(t, "barriers", (int64_t)c->barriers);
    }
    table_real(t, "abs_error", row->outcome.error);
    table_real(t, "error_bound", row->outcome.bound);
    table_text(t, "verified", row->right ? "yes" : "NO");
    char key[256];
    snprintf(key, sizeof key, "kernel=%s type=%s op=%s n=%u block=%u", rung->name,
             type_names[s->type], op_names[s->op], s->r.n,
             l->q->block ? (unsigned)l->q->block : rung->block);
    launch_columns_set(t, &row->times, "step05_ladder.csv step05_sizes.csv step05_types.csv", key);
}

/* ------------------------------------------------------------------ running */

struct timed {
    const struct rung *rung;
    struct session *s;
};

static void launch_timed(void *state)
{
    struct timed *t = state;
    t->rung->launch[t->s->type][t->s->op](&t->s->r);
}

/* A wrong kernel is not timed: its time would mean nothing. */
static void measure(const struct lesson *l, struct session *s, const struct rung *rung,
                    struct row *row)
{
    const struct options *o = &l->q->o;
    const struct timing_options options = {o->warmup, o->repeats, 1, false};
    session_prepare(s, rung, (unsigned)l->q->block);
    launch_times_start();
    row->outcome = session_run(s, rung, false);
    launch_times(&row->times);
    row->right = row->right && row->outcome.right;
    if (!row->outcome.right)
        fprintf(stderr, "%s: error %.3g, more than its bound %.3g\n", rung->name,
                row->outcome.error, row->outcome.bound);
    if (row->right && !backend_is_sim()) {
        struct timed timed = {rung, s};
        row->timing = timing_run(&options, launch_timed, &timed);
    }
}

/* All rungs at one size: first on input whose sum is exact in any order, then on real numbers. */
static void run_size(struct lesson *l, struct session *s, unsigned n)
{
    const struct request *q = l->q;
    const unsigned block = (unsigned)q->block;
    struct row rows[RUNGS_MAX];
    memset(rows, 0, sizeof rows);
    for (size_t i = 0; i < q->count; i++)
        rows[i].right =
            check_edges(s, &q->rungs[i], block) && check_special(s, &q->rungs[i], block);
    session_fill(s, INPUT_EXACT, n, n - 1);
    for (size_t i = 0; i < q->count; i++)
        rows[i].right &= check_exact(s, &q->rungs[i], block, &rows[i].counters);
    session_fill(s, INPUT_REAL, n, n / 2);
    for (size_t i = 0; i < q->count; i++) {
        measure(l, s, &q->rungs[i], &rows[i]);
        add_row(l, s, &q->rungs[i], &rows[i]);
        l->all_right = l->all_right && rows[i].right;
    }
}

/* false: no memory for it. */
static bool run_type_and_op(struct lesson *l, enum reduction_type type, enum reduction_op op)
{
    const struct request *q = l->q;
    const unsigned block = (unsigned)q->block, smallest = block && block < 512 ? block : 512;
    unsigned room = check_room(block);
    for (size_t i = 0; i < q->n.count; i++)
        room = q->n.values[i] > room ? (unsigned)q->n.values[i] : room;
    struct session s = {.type = type, .op = op, .seed = q->o.seed};
    if (!session_open(&s, room, smallest, &l->gpu))
        return false;
    for (size_t i = 0; i < q->n.count; i++)
        run_size(l, &s, (unsigned)q->n.values[i]);
    session_close(&s);
    return true;
}

static bool chosen(int asked, int which, int all) { return asked == all || asked == which; }

static bool run_all(struct lesson *l)
{
    for (int type = 0; type < TYPE_COUNT; type++)
        for (int op = 0; op < OP_COUNT; op++)
            if (chosen(l->q->type, type, TYPE_COUNT) && chosen(l->q->op, op, OP_COUNT) &&
                !run_type_and_op(l, (enum reduction_type)type, (enum reduction_op)op))
                return false;
    return true;
}

/* How the first pass cuts the input up, for the rungs with an element a thread. */
static void print_blocks(const struct request *q)
{
    const unsigned block = q->block ? (unsigned)q->block : 512;
    for (size_t i = 0; i < q->n.count; i++) {
        const unsigned n = (unsigned)q->n.values[i], blocks = pass_blocks(n, block, 1);
        printf("%u elements in blocks of %u: blocks %u, elements of the last %u\n", n, block,
               blocks, n - (blocks - 1) * block);
    }
}

static void print_legend(const struct lesson *l)
{
    printf("\n");
    print_blocks(l->q);
    puts("verified: at n, around a block's edges, twice in a row, with NaN and infinity");
    if (!launch_columns_kept()) /* there they have no room */
        puts("error: of real numbers in [-1, 1), against double precision;\n"
             "bound: rounding explains so much");
    if (backend_is_sim())
        puts("counts: sums over all launches that one reduction needs");
    else
        printf("time: all launches of one reduction, input and result in device memory;\n"
               "peak: %.0f GB/s\n",
               gpu_limits_peak_gb_per_s(&l->gpu));
}

static int run_lesson(const struct request *q)
{
    const bool usual = !q->o.kernel && !q->block && q->type == TYPE_FLOAT && q->op == OP_SUM &&
                       q->n.count == 1 && q->n.values[0] == N_SIM;
    if (usual && !q->o.csv)
        launch_columns_keep(true, "type=float op=sum n=4000000", "n = 4000000");
    struct lesson l = {
        .q = q,
        .table = table_open(columns, launch_columns(sizeof columns / sizeof columns[0])),
        .all_right = true,
    };
    const bool one = q->type != TYPE_COUNT && q->op != OP_COUNT;
    table_leave_out(l.table, one ? (launch_columns_kept()
                                        ? "type op abs_error error_bound block verified barriers n"
                                        : "type op abs_error error_bound block barriers verified n")
                                 : "abs_error error_bound block barriers bank_conflicts");
    device_limits(0, &l.gpu);
    int code = 2;
    if (run_all(&l) && report_table(l.table, &q->o))
        code = l.all_right ? 0 : 1;
    if (code < 2 && !options_quiet(&q->o))
        print_legend(&l);
    table_close(l.table);
    return code;
}

int main(int argc, char **argv)
{
    struct request q = {.n = {.count = 1}, .type = TYPE_FLOAT, .op = OP_SUM, .draw = NOT_DRAWN};
    q.n.values[0] = backend_is_sim() ? N_SIM : N_GPU;
    const int code = read_request(&q, argc, argv);
    if (code >= 0)
        return code;
    if (q.trace && q.type == TYPE_COUNT)
        return options_error(&q.o, "--trace draws one type: --type int, float or double");
    options_banner(&q.o);
    if (q.draw != NOT_DRAWN)
        return draw_elements(&q.o, q.draw, q.block ? (unsigned)q.block : 8);
    if (!q.trace)
        return run_lesson(&q);
    return trace_trees(&q.o, (enum reduction_type)q.type, q.block ? (unsigned)q.block : 512);
}
