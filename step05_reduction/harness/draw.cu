/* draw.cu - pictures of moving elements (see draw.h).
 *
 * For a tree and for shuffles: one line of threads, one of what they add, one of what then lies
 * there, for each round. For tickets: one line a block, in the order in which they finished. */
#include "step05_reduction/harness/draw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cuda_check.h"
#include "common/report.h"
#include "step05_reduction/harness/trace.h"
#include "step05_reduction/warp_shuffle.cuh"

const char *const draw_names[] = {"interleaved", "strided_index", "sequential",
                                  "shuffle",     "tickets",       NULL};
enum { SHUFFLE = TREE_COUNT, TICKETS, TICKET_THREADS = 32 };

static const struct column columns[] = {
    {"picture", NULL, NULL, COLUMN_TEXT, 0},     {"round", NULL, NULL, COLUMN_INTEGER, 0},
    {"element", NULL, NULL, COLUMN_INTEGER, 0},  {"value", NULL, NULL, COLUMN_INTEGER, 0},
    {"thread", NULL, NULL, COLUMN_INTEGER, 0},   {"adds", NULL, NULL, COLUMN_INTEGER, 0},
    {"elements", NULL, NULL, COLUMN_INTEGER, 0},
};

/* Small, all different from their neighbours. */
static int element(unsigned i) { return (int)(i * 7 + 3) % 10; }

/* ------------------------------------------------------------------ on the device */

/* The lanes' registers after some of the steps of warp_combine(). */
__global__ void shuffle_steps(int *values, unsigned steps)
{
    int value = values[threadIdx.x];
    for (unsigned s = blockDim.x / 2; s > 0 && steps > 0; s /= 2, steps--)
        value += __shfl_down_sync((1u << blockDim.x) - 1, value, s, (int)blockDim.x);
    values[threadIdx.x] = value;
}

/* reduce_single_pass() for as many numbers as there are threads, and who drew which ticket. */
__global__ void draw_tickets(int *partials, unsigned *ticket, unsigned *drawn, int *out)
{
    __shared__ int shared[WARP_LANES];
    __shared__ bool last;
    const int own = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    const int sum = block_combine<int, op_sum<int>>(own, shared);
    if (threadIdx.x == 0) {
        partials[blockIdx.x] = sum;
        __threadfence();
        drawn[blockIdx.x] = atomicInc(ticket, gridDim.x - 1);
        last = drawn[blockIdx.x] == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (!last || threadIdx.x != 0)
        return;
    *out = 0;
    for (unsigned b = 0; b < gridDim.x; b++)
        *out += __ldcg(partials + b);
}

/* What lies in the block's elements after `rounds` rounds. */
static void run_rounds(int which, unsigned block, unsigned rounds, int values[DRAW_BLOCK_MAX])
{
    int *d_values;
    CUDA_CHECK(cudaMalloc((void **)&d_values, block * sizeof *d_values));
    for (unsigned i = 0; i < block; i++)
        values[i] = element(i);
    CUDA_CHECK(cudaMemcpy(d_values, values, block * sizeof *d_values, cudaMemcpyHostToDevice));
    if (which == SHUFFLE) {
        shuffle_steps<<<1, block>>>(d_values, rounds);
        CUDA_CHECK_LAUNCH();
    } else {
        tree_run((enum tree)which, TYPE_INT, block, d_values, rounds);
    }
    CUDA_CHECK(cudaMemcpy(values, d_values, block * sizeof *d_values, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(d_values));
}

/* ------------------------------------------------------------------ a tree, or shuffles */

/* Who adds what to element i in a round; thread < 0: nobody. */
struct addition {
    int thread;
    unsigned adds;
};

static void plan(int which, unsigned block, unsigned round, struct addition plan[DRAW_BLOCK_MAX])
{
    const enum tree tree = which == SHUFFLE ? TREE_SEQUENTIAL : (enum tree)which;
    const unsigned stride = tree_stride(tree, block, round);
    for (unsigned i = 0; i < block; i++)
        plan[i].thread = -1;
    for (unsigned t = 0; t < block; t++) {
        unsigned a;
        if (tree_works(tree, block, stride, t, &a)) {
            plan[a].thread = (int)t;
            plan[a].adds = a + stride;
        }
    }
}

static void print_cells(const char *what, const struct addition *plan, unsigned block,
                        const char *format, const int *values)
{
    char text[16];
    printf("  %-9s", what);
    for (unsigned i = 0; i < block; i++) {
        if (plan && plan[i].thread < 0)
            snprintf(text, sizeof text, ".");
        else
            snprintf(text, sizeof text, format, values[i]);
        printf("%4s", text);
    }
    printf("\n");
}

static void print_round(unsigned round, const struct addition *plan, unsigned block,
                        const int *values)
{
    char title[16];
    int threads[DRAW_BLOCK_MAX], adds[DRAW_BLOCK_MAX];
    for (unsigned i = 0; i < block; i++) {
        threads[i] = plan[i].thread;
        adds[i] = (int)plan[i].adds;
    }
    snprintf(title, sizeof title, "round %u", round + 1);
    printf("\n");
    print_cells(title, plan, block, "t%d", threads);
    print_cells("  adds", plan, block, "+%d", adds);
    print_cells("  has", plan, block, "%d", values);
}

static void add_round(struct table *t, int which, unsigned round, const struct addition *plan,
                      unsigned block, const int *values)
{
    for (unsigned i = 0; i < block; i++) {
        table_row(t);
        table_text(t, "picture", draw_names[which]);
        table_integer(t, "round", round);
        table_integer(t, "element", i);
        table_integer(t, "elements", block);
        if (plan && plan[i].thread < 0)
            continue;
        table_integer(t, "value", values[i]);
        if (plan) {
            table_integer(t, "thread", plan[i].thread);
            table_integer(t, "adds", plan[i].adds);
        }
    }
}

static const char *const legends[] = {
    "t is the thread that adds, +k the element that it adds, has what then is there",
    "lane t reads the register of the lane named: no shared memory, no barrier.\n"
    "  Lanes with a dot do the same, but their results are not used",
};

/* Every round on the device, its elements against the same additions here. */
static bool draw_rounds(int which, unsigned block, struct table *t, bool people)
{
    int values[DRAW_BLOCK_MAX], want[DRAW_BLOCK_MAX], numbers[DRAW_BLOCK_MAX];
    struct addition todo[DRAW_BLOCK_MAX];
    run_rounds(which, block, 0, values);
    for (unsigned i = 0; i < block; i++) {
        numbers[i] = (int)i;
        want[i] = element(i);
    }
    if (people) {
        printf("%s, a block of %u threads\n  %s\n\n", draw_names[which], block,
               legends[which == SHUFFLE]);
        print_cells(which == SHUFFLE ? "lane" : "element", NULL, block, "%d", numbers);
        print_cells("loaded", NULL, block, "%d", values);
    }
    add_round(t, which, 0, NULL, block, values);
    for (unsigned round = 0; round < tree_rounds(block); round++) {
        plan(which, block, round, todo);
        run_rounds(which, block, round + 1, values);
        for (unsigned i = 0; i < block; i++)
            if (todo[i].thread >= 0)
                want[i] += want[todo[i].adds];
        for (unsigned i = 0; i < block; i++)
            if (todo[i].thread >= 0 && values[i] != want[i]) {
                fprintf(stderr, "%s: round %u leaves %d in element %u, not %d\n", draw_names[which],
                        round + 1, values[i], i, want[i]);
                return false;
            }
        if (people)
            print_round(round, todo, block, values);
        add_round(t, which, round + 1, todo, block, values);
    }
    return true;
}

/* ------------------------------------------------------------------ tickets */

struct tickets {
    int partials[DRAW_BLOCK_MAX], sum;
    unsigned drawn[DRAW_BLOCK_MAX];
};

static void run_tickets(unsigned blocks, struct tickets *got)
{
    if (backend_is_sim()) /* runs blocks in order unless asked not to; a GPU promises no order */
        setenv("SIMT_SCHEDULE", "3", 0);
    int *d_partials, *d_sum;
    unsigned *d_ticket, *d_drawn;
    CUDA_CHECK(cudaMalloc((void **)&d_partials, blocks * sizeof *d_partials));
    CUDA_CHECK(cudaMalloc((void **)&d_drawn, blocks * sizeof *d_drawn));
    CUDA_CHECK(cudaMalloc((void **)&d_ticket, sizeof *d_ticket));
    CUDA_CHECK(cudaMalloc((void **)&d_sum, sizeof *d_sum));
    CUDA_CHECK(cudaMemset(d_ticket, 0, sizeof *d_ticket));
    cuda_poison(d_sum, sizeof *d_sum);
    draw_tickets<<<blocks, TICKET_THREADS>>>(d_partials, d_ticket, d_drawn, d_sum);
    CUDA_CHECK_LAUNCH();
    CUDA_CHECK(
        cudaMemcpy(got->partials, d_partials, blocks * sizeof *d_partials, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaMemcpy(got->drawn, d_drawn, blocks * sizeof *d_drawn, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaMemcpy(&got->sum, d_sum, sizeof got->sum, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(d_partials));
    CUDA_CHECK(cudaFree(d_drawn));
    CUDA_CHECK(cudaFree(d_ticket));
    CUDA_CHECK(cudaFree(d_sum));
}

static bool draw_ticket_order(unsigned blocks, struct table *t, bool people)
{
    struct tickets got;
    const int threads = (int)blocks * TICKET_THREADS, want = threads * (threads - 1) / 2;
    unsigned seen = 0;
    run_tickets(blocks, &got);
    if (people)
        printf("tickets: %u blocks of %d threads add the numbers 0 to %d\n"
               "  a block writes its sum, then draws a ticket; in the order of the tickets:\n\n"
               "  ticket  block  its sum\n",
               blocks, TICKET_THREADS, threads - 1);
    for (unsigned ticket = 0; ticket < blocks; ticket++)
        for (unsigned b = 0; b < blocks; b++) {
            if (got.drawn[b] != ticket)
                continue;
            seen++;
            table_row(t);
            table_text(t, "picture", "tickets");
            table_integer(t, "round", ticket);
            table_integer(t, "element", b);
            table_integer(t, "value", got.partials[b]);
            table_integer(t, "elements", blocks);
            if (people && ticket + 1 < blocks)
                printf("  %6u  %5u  %7d  is not the last, and leaves\n", ticket, b,
                       got.partials[b]);
            else if (people)
                printf("  %6u  %5u  %7d  is the last: all sums are in memory, so it adds them\n\n"
                       "  %22d  in the order of the blocks, whichever was last\n",
                       ticket, b, got.partials[b], got.sum);
        }
    if (seen == blocks && got.sum == want)
        return true;
    fprintf(stderr, "tickets: %u of %u tickets drawn once, sum %d instead of %d\n", seen, blocks,
            got.sum, want);
    return false;
}

int draw_elements(const struct options *o, int which, unsigned block)
{
    char provenance[256];
    const bool people = !options_quiet(o);
    struct table *t = table_open(columns, sizeof columns / sizeof columns[0]);
    const bool right = which == TICKETS ? draw_ticket_order(block, t, people)
                                        : draw_rounds(which, block, t, people);
    if (people && right)
        printf("\n%s\n", report_provenance(provenance, sizeof provenance));
    const bool written = !right || report_csv(t, o);
    table_close(t);
    return !right ? 1 : written ? 0 : 2;
}
