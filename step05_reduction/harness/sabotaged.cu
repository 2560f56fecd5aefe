/* sabotaged.cu - launches the kernels of sabotaged.cuh. */
#include "step05_reduction/harness/passes.cuh"
#include "step05_reduction/harness/reduction.h"
#include "step05_reduction/sabotaged.cuh"

template <typename T, typename OP> static void launch_no_barrier(struct reduction *r)
{
    reduce_in_passes<T>(reduce_no_barrier<T, OP>, 1, pass_blocks, r);
}

/* Not rounded up: right whenever the block divides n, as it does in so many first tests. */
static unsigned full_blocks(unsigned n, unsigned block, unsigned) { return n / block; }

template <typename T, typename OP> static void launch_drops_rest(struct reduction *r)
{
    reduce_in_passes<T>(reduce_drops_rest<T, OP>, 1, full_blocks, r);
}

template <typename T, typename OP> static void launch_stale_ticket(struct reduction *r)
{
    const unsigned wanted = pass_blocks(r->n, r->block, 1), held = blocks_held(r);
    const unsigned blocks = wanted < held ? wanted : held;
    reduce_stale_ticket<T, OP><<<blocks, r->block>>>(
        (const T *)r->d_in, r->n, (T *)r->d_partials[0], r->d_ticket, (T *)r->d_out);
    r->launches = 0;
    reduction_launched(r);
}

template <typename T, typename OP> static void launch_no_fence(struct reduction *r)
{
    const unsigned wanted = pass_blocks(r->n, r->block, 1), held = blocks_held(r);
    const unsigned blocks = wanted < held ? wanted : held;
    reduce_no_fence<T, OP><<<blocks, r->block>>>(
        (const T *)r->d_in, r->n, (T *)r->d_partials[0], r->d_ticket, (T *)r->d_out);
    r->launches = 0;
    reduction_launched(r);
}

static double depth_of_any_order(const struct reduction *r, enum reduction_type)
{
    return (double)r->n - 1;
}

size_t sabotaged_rungs(const struct rung **rungs)
{
    static const struct rung table[] = {
        {"reduce_no_barrier", "SABOTAGED: reduce_sequential without its barriers", true, false, 512,
         1, FOR_EVERY_TYPE_AND_OP(launch_no_barrier), depth_of_any_order},
        {"reduce_drops_rest", "SABOTAGED: n / block blocks, not rounded up", true, false, 512, 1,
         FOR_EVERY_TYPE_AND_OP(launch_drops_rest), depth_of_any_order},
        {"reduce_stale_ticket", "SABOTAGED: a ticket that is never set back to 0", true, false, 512,
         1, FOR_EVERY_TYPE_AND_OP(launch_stale_ticket), depth_of_any_order},
        {"reduce_no_fence", "SABOTAGED: no fence before the ticket; right on most days", true,
         false, 512, 1, FOR_EVERY_TYPE_AND_OP(launch_no_fence), depth_of_any_order},
    };
    *rungs = table;
    return sizeof table / sizeof table[0];
}
