/* vector.cu - launches matmul_few: a matrix times a vector, or nearly.
 *
 * Up to 16 rows of A (few_rows.h), 16 columns of B (few_columns.h) or 16 steps of k (few_steps.h):
 * at the speed of the memory. */
#include "step02_tiled/summit/stream.h"

#include <cuda_runtime.h>

#include "common/cuda_check.h"
#include "step02_tiled/summit/few_columns.h"
#include "step02_tiled/summit/few_rows.h"
#include "step02_tiled/summit/few_steps.h"

static int divide_up(int a, int b) { return (a + b - 1) / b; }

static struct vector_work work_of(const struct product *p, const struct stream_plan *plan)
{
    const struct vector_work w = {
        p->d_a, p->d_b, p->d_c, p->d_parts,  plan->add_after ? NULL : p->d_tickets,
        p->m,   p->n,   p->k,   plan->parts, plan->whole};
    return w;
}

template <int DEPTH>
static void launch_few_steps(const struct product *p, const struct stream_plan *plan)
{
    const dim3 grid(divide_up(p->n, COLUMNS), divide_up(p->m, STEP_ROWS));
    const struct vector_work w = work_of(p, plan);
    if (p->n % 4 == 0)
        matmul_few_steps<DEPTH, true><<<grid, THREADS>>>(w);
    else
        matmul_few_steps<DEPTH, false><<<grid, THREADS>>>(w);
}

template <int DEPTH> static const void *few_steps(const struct product *p)
{
    return p->n % 4 == 0 ? (const void *)matmul_few_steps<DEPTH, true>
                         : (const void *)matmul_few_steps<DEPTH, false>;
}

static void launch_few_elements(const struct product *p, const struct stream_plan *plan)
{
    matmul_few_elements<<<divide_up(p->m * p->n, THREADS), THREADS>>>(work_of(p, plan));
}

static const void *few_elements(const struct product *p)
{
    (void)p;
    return (const void *)matmul_few_elements;
}

template <int ROWS>
static void launch_few_rows(const struct product *p, const struct stream_plan *plan)
{
    const dim3 grid(divide_up(p->n, COLUMNS), plan->parts);
    const struct vector_work w = work_of(p, plan);
    if (p->n % 4 == 0)
        matmul_few_rows<ROWS, true><<<grid, THREADS>>>(w);
    else
        matmul_few_rows<ROWS, false><<<grid, THREADS>>>(w);
    if (plan->add_after)
        add_splits<<<divide_up(p->m * p->n, 32), dim3(32, 8)>>>(w);
}

template <int COLS, int ROWS>
static void launch_few_columns(const struct product *p, const struct stream_plan *plan)
{
    const dim3 grid(divide_up(p->m, WARPS * ROWS), plan->parts);
    const struct vector_work w = work_of(p, plan);
    if (p->k % 4 == 0)
        matmul_few_columns<COLS, ROWS, 4><<<grid, THREADS>>>(w);
    else
        matmul_few_columns<COLS, ROWS, 1><<<grid, THREADS>>>(w);
}

template <int ROWS> static const void *few_rows(const struct product *p)
{
    return p->n % 4 == 0 ? (const void *)matmul_few_rows<ROWS, true>
                         : (const void *)matmul_few_rows<ROWS, false>;
}

template <int COLS, int ROWS> static const void *few_columns(const struct product *p)
{
    return p->k % 4 == 0 ? (const void *)matmul_few_columns<COLS, ROWS, 4>
                         : (const void *)matmul_few_columns<COLS, ROWS, 1>;
}

/* bm x bn: what one block computes. */
#define ROWS_SHAPE(ROWS)                                                                           \
    {                                                                                              \
        "up to " #ROWS " rows", ROWS, COLUMNS, CHUNK, THREADS, 4, 0, OPERANDS_AS_THEY_ARE, 0.5,    \
            launch_few_rows<ROWS>, few_rows<ROWS>, vector_plans                                    \
    }
#define COLUMNS_SHAPE(COLS, ROWS)                                                                  \
    {                                                                                              \
        "up to " #COLS " columns, " #ROWS " rows a warp", WARPS *ROWS, COLS, DEEP, THREADS, 4, 0,  \
            OPERANDS_AS_THEY_ARE, 0.5, launch_few_columns<COLS, ROWS>, few_columns<COLS, ROWS>,    \
            vector_plans                                                                           \
    }
#define STEPS_SHAPE(DEPTH)                                                                         \
    {                                                                                              \
        "up to " #DEPTH " steps of k", STEP_ROWS, COLUMNS, DEPTH, THREADS, 4, 0,                   \
            OPERANDS_AS_THEY_ARE, 0.5, launch_few_steps<DEPTH>, few_steps<DEPTH>, steps_plans      \
    }
static const struct stream_shape shapes[] = {
    {"an element a thread", 1, THREADS, ELEMENT_STEPS, THREADS, 4, 0, OPERANDS_AS_THEY_ARE, 0.5,
     launch_few_elements, few_elements, element_plans},
    STEPS_SHAPE(2),
    STEPS_SHAPE(4),
    STEPS_SHAPE(16),
    ROWS_SHAPE(1),
    ROWS_SHAPE(2),
    ROWS_SHAPE(4),
    ROWS_SHAPE(8),
    ROWS_SHAPE(16),
    COLUMNS_SHAPE(1, 4),
    COLUMNS_SHAPE(2, 4),
    COLUMNS_SHAPE(4, 4),
    COLUMNS_SHAPE(8, 4),
    COLUMNS_SHAPE(16, 4),
};

const struct stream_shape *vector_shapes(size_t *count)
{
    *count = sizeof shapes / sizeof shapes[0];
    return shapes;
}
