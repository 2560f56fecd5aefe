/* trace.cu - the three trees of one block, drawn round by round, and counted twice.
 *
 * plan_round() is arithmetic: which threads combine in a round, what their warps and banks do. On
 * the simulator one block then runs the very tree of the kernels, ended after 0, 1, 2 ... rounds;
 * the counts of a round are the difference of two such launches. Any disagreement is an error. */
#include "step05_reduction/harness/trace.h"

#include <stdlib.h>
#include <string.h>

#include "common/gpu/access.h"
#include "common/cuda_check.h"
#include "common/report.h"
#include "step05_reduction/ops.cuh"
#include "step05_reduction/interleaved.cuh"
#include "step05_reduction/sequential.cuh"
#include "step05_reduction/strided_index.cuh"

const char *const tree_names[TREE_COUNT] = {"interleaved", "strided_index", "sequential"};

/* What one round costs. A warp issues the addition if any of its lanes works; it diverges if some
 * of its lanes do not. */
struct round {
    unsigned stride;
    unsigned threads, warps, divergent;
    unsigned load_wavefronts, load_conflicts; /* two loads for each addition */
    unsigned store_wavefronts, store_conflicts;
    char picture[MAX_BLOCK / WARP_LANES + 1]; /* a letter for each warp: all, some, none work */
};

/* ------------------------------------------------------------------ by arithmetic */

unsigned tree_rounds(unsigned block)
{
    unsigned rounds = 0;
    while (1u << rounds < block)
        rounds++;
    return rounds;
}

unsigned tree_stride(enum tree tree, unsigned block, unsigned round)
{
    return tree == TREE_SEQUENTIAL ? block >> (round + 1) : 1u << round;
}

bool tree_works(enum tree tree, unsigned block, unsigned stride, unsigned t, unsigned *a)
{
    *a = tree == TREE_STRIDED_INDEX ? 2 * stride * t : t;
    switch (tree) {
    case TREE_INTERLEAVED:
        return t % (2 * stride) == 0;
    case TREE_STRIDED_INDEX:
        return *a < block;
    default:
        return t < stride;
    }
}

static void plan_warp(struct round *round, enum tree tree, unsigned block, unsigned bytes,
                      unsigned warp)
{
    uint32_t own[ACCESS_LANES] = {0}, partner[ACCESS_LANES] = {0}, mask = 0;
    const unsigned first = warp * ACCESS_LANES;
    const unsigned lanes = block - first < ACCESS_LANES ? block - first : ACCESS_LANES;
    for (unsigned lane = 0; lane < lanes; lane++) {
        unsigned a;
        if (!tree_works(tree, block, round->stride, first + lane, &a))
            continue;
        mask |= 1u << lane;
        own[lane] = a * bytes;
        partner[lane] = (a + round->stride) * bytes;
    }
    const unsigned active = (unsigned)__builtin_popcount(mask);
    round->picture[warp] = active == 0 ? '.' : active == lanes ? '#' : '+';
    round->threads += active;
    round->warps += active > 0;
    round->divergent += active > 0 && active < lanes;
    const struct access_shared load_own = access_shared_load(own, mask, bytes);
    const struct access_shared load_partner = access_shared_load(partner, mask, bytes);
    const struct access_shared store = access_shared_store(own, mask, bytes);
    round->load_wavefronts += load_own.wavefronts + load_partner.wavefronts;
    round->load_conflicts += load_own.conflicts + load_partner.conflicts;
    round->store_wavefronts += store.wavefronts;
    round->store_conflicts += store.conflicts;
}

/* Round 0 is the first. */
static struct round plan_round(enum tree tree, unsigned block, unsigned bytes, unsigned number)
{
    struct round round;
    memset(&round, 0, sizeof round);
    round.stride = tree_stride(tree, block, number);
    for (unsigned warp = 0; warp * ACCESS_LANES < block; warp++)
        plan_warp(&round, tree, block, bytes, warp);
    return round;
}

/* ------------------------------------------------------------------ by the simulator */

/* The tree of a rung, left after some rounds. */
template <typename T, int TREE> __global__ void trace_tree(T *values, unsigned stop)
{
    __shared__ T shared[MAX_BLOCK];
    const unsigned t = threadIdx.x;
    shared[t] = values[t];
    __syncthreads();
    if (TREE == TREE_INTERLEAVED)
        tree_interleaved<T, op_sum<T>>(shared, stop);
    else if (TREE == TREE_STRIDED_INDEX)
        tree_strided_index<T, op_sum<T>>(shared, stop);
    else
        tree_sequential<T, op_sum<T>>(shared, stop);
    values[t] = shared[t];
}

template <typename T>
static void launch_tree(enum tree tree, unsigned block, void *d_values, unsigned stop)
{
    T *values = (T *)d_values;
    if (tree == TREE_INTERLEAVED)
        trace_tree<T, TREE_INTERLEAVED><<<1, block>>>(values, stop);
    else if (tree == TREE_STRIDED_INDEX)
        trace_tree<T, TREE_STRIDED_INDEX><<<1, block>>>(values, stop);
    else
        trace_tree<T, TREE_SEQUENTIAL><<<1, block>>>(values, stop);
    CUDA_CHECK_LAUNCH();
}

void tree_run(enum tree tree, enum reduction_type type, unsigned block, void *d_values,
              unsigned rounds)
{
    const unsigned stop = tree == TREE_SEQUENTIAL ? block >> (rounds + 1) : 1u << rounds;
    if (type == TYPE_INT)
        launch_tree<int>(tree, block, d_values, stop);
    else if (type == TYPE_FLOAT)
        launch_tree<float>(tree, block, d_values, stop);
    else
        launch_tree<double>(tree, block, d_values, stop);
}

static struct launch_counters count_rounds(enum tree tree, enum reduction_type type, unsigned block,
                                           void *d_values, unsigned rounds)
{
    struct launch_counters counters;
    tree_run(tree, type, block, d_values, rounds);
    counters_last_launch(&counters);
    return counters;
}

/* Compares one count of one round; returns false after a line on stderr. */
static bool agree(enum tree tree, unsigned number, const char *what, uint64_t counted,
                  unsigned planned)
{
    if (counted == planned)
        return true;
    fprintf(stderr, "tree %s, round %u: %u %s by arithmetic, but the simulator counted %lld\n",
            tree_names[tree], number + 1, planned, what, (long long)counted);
    return false;
}

static bool agree_round(enum tree tree, unsigned number, const struct round *p,
                        const struct launch_counters *before, const struct launch_counters *after)
{
#define MORE(field) (after->field - before->field)
    const uint64_t stores = MORE(shared_store_wavefronts), clashes = MORE(shared_store_conflicts);
    bool ok = agree(tree, number, "divergent branches", MORE(divergent_branches), p->divergent);
    ok &= agree(tree, number, "load wavefronts", MORE(shared_load_wavefronts), p->load_wavefronts);
    ok &= agree(tree, number, "load conflicts", MORE(shared_load_conflicts), p->load_conflicts);
    ok &= agree(tree, number, "store wavefronts", stores, p->store_wavefronts);
    ok &= agree(tree, number, "store conflicts", clashes, p->store_conflicts);
#undef MORE
    return ok;
}

/* ------------------------------------------------------------------ table and drawing */

static const struct column columns[] = {
    {"tree", NULL, NULL, COLUMN_TEXT, 0},
    {"round", NULL, NULL, COLUMN_INTEGER, 0},
    {"stride", NULL, NULL, COLUMN_INTEGER, 0},
    {"active_threads", "active threads", NULL, COLUMN_INTEGER, 0},
    {"active_warps", "active warps", NULL, COLUMN_INTEGER, 0},
    {"divergent_warps", "divergent warps", NULL, COLUMN_INTEGER, 0},
    {"shared_wavefronts", "shared wavefronts", NULL, COLUMN_INTEGER, 0},
    {"bank_conflicts", "bank conflicts", NULL, COLUMN_INTEGER, 0},
    {"warps", "warps: # all, + some, . no lanes work", NULL, COLUMN_TEXT, 0},
};

static void add_round(struct table *table, enum tree tree, unsigned number, const struct round *p)
{
    table_row(table);
    table_text(table, "tree", tree_names[tree]);
    table_integer(table, "round", number + 1);
    table_integer(table, "stride", p->stride);
    table_integer(table, "active_threads", p->threads);
    table_integer(table, "active_warps", p->warps);
    table_integer(table, "divergent_warps", p->divergent);
    table_integer(table, "shared_wavefronts", p->load_wavefronts + p->store_wavefronts);
    table_integer(table, "bank_conflicts", p->load_conflicts + p->store_conflicts);
    table_text(table, "warps", p->picture);
}

/* Sums of a tree, for the sentence below the table. */
struct total {
    unsigned warps, divergent, wavefronts, conflicts;
};

static bool trace_one_tree(enum tree tree, enum reduction_type type, unsigned block, void *d_values,
                           struct table *table, struct total *total)
{
    bool ok = true;
    struct launch_counters before, after;
    memset(&before, 0, sizeof before);
    if (d_values)
        before = count_rounds(tree, type, block, d_values, 0);
    for (unsigned number = 0; number < tree_rounds(block); number++) {
        const struct round p = plan_round(tree, block, (unsigned)type_bytes(type), number);
        add_round(table, tree, number, &p);
        total->warps += p.warps;
        total->divergent += p.divergent;
        total->wavefronts += p.load_wavefronts + p.store_wavefronts;
        total->conflicts += p.load_conflicts + p.store_conflicts;
        if (!d_values)
            continue;
        after = count_rounds(tree, type, block, d_values, number + 1);
        ok &= agree_round(tree, number, &p, &before, &after);
        before = after;
    }
    return ok;
}

static void print_totals(const struct total total[TREE_COUNT], enum reduction_type type,
                         unsigned block, bool counted)
{
    printf("\nOne block of %u threads, %u rounds, elements of type %s. In all:\n", block,
           tree_rounds(block), type_names[type]);
    for (int tree = 0; tree < TREE_COUNT; tree++)
        printf("%-13s%3u warp issues, %2u of them diverge; %3u wavefronts, %3u conflicts\n",
               tree_names[tree], total[tree].warps, total[tree].divergent, total[tree].wavefronts,
               total[tree].conflicts);
    puts(counted ? "Computed by arithmetic, and counted by the simulator: equal in every round."
                 : "Computed by arithmetic. BACKEND=sim also counts them while the kernels run.");
}

int trace_trees(const struct options *o, enum reduction_type type, unsigned block)
{
    struct table *table = table_open(columns, sizeof columns / sizeof columns[0]);
    struct total total[TREE_COUNT];
    table_leave_out(table, "stride active_threads");
    memset(total, 0, sizeof total);
    void *d_values = NULL;
    if (backend_is_sim()) {
        CUDA_CHECK(cudaMalloc(&d_values, MAX_BLOCK * sizeof(double)));
        CUDA_CHECK(cudaMemset(d_values, 0, MAX_BLOCK * sizeof(double)));
    }
    bool ok = true;
    for (int tree = 0; tree < TREE_COUNT; tree++)
        ok &= trace_one_tree((enum tree)tree, type, block, d_values, table, &total[tree]);
    const bool counted = d_values != NULL;
    CUDA_CHECK(cudaFree(d_values));
    bool written = true;
    if (ok)
        written = report_table(table, o);
    if (ok && !options_quiet(o))
        print_totals(total, type, block, counted);
    table_close(table);
    return !ok ? 1 : written ? 0 : 2;
}
