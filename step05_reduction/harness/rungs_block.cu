/* rungs_block.cu - launches the first five rungs: one result per block, and passes until one is
 * left.
 *
 * A block combines its own few elements and writes one partial result; the next launch reduces
 * those. 4,000,000 elements in blocks of 512 need three launches: 7,813 results, then 16, then 1.
 * The last block of a pass is usually not full: its idle threads bring the identity. */
#include "step05_reduction/first_add.cuh"
#include "step05_reduction/harness/passes.cuh"
#include "step05_reduction/harness/reduction.h"
#include "step05_reduction/interleaved.cuh"
#include "step05_reduction/sequential.cuh"
#include "step05_reduction/strided_index.cuh"
#include "step05_reduction/warp_shuffle.cuh"

template <typename T, typename OP> static void launch_interleaved(struct reduction *r)
{
    reduce_in_passes<T>(reduce_interleaved<T, OP>, 1, pass_blocks, r);
}

template <typename T, typename OP> static void launch_strided_index(struct reduction *r)
{
    reduce_in_passes<T>(reduce_strided_index<T, OP>, 1, pass_blocks, r);
}

template <typename T, typename OP> static void launch_sequential(struct reduction *r)
{
    reduce_in_passes<T>(reduce_sequential<T, OP>, 1, pass_blocks, r);
}

template <typename T, typename OP> static void launch_first_add(struct reduction *r)
{
    reduce_in_passes<T>(reduce_first_add<T, OP>, 2, pass_blocks, r);
}

template <typename T, typename OP> static void launch_warp_shuffle(struct reduction *r)
{
    reduce_in_passes<T>(reduce_warp_shuffle<T, OP>, 2, pass_blocks, r);
}

/* Every pass adds log2(block * per_thread) times on the way from an element to its result. */
static double passes_depth(const struct reduction *r, unsigned per_thread)
{
    double depth = 0;
    unsigned n = r->n, block = r->block;
    for (;;) {
        depth += log2((double)block * per_thread);
        n = pass_blocks(n, block, per_thread);
        if (n == 1)
            return depth;
        block = next_pass_block(block, per_thread);
    }
}

static double depth_one(const struct reduction *r, enum reduction_type)
{
    return passes_depth(r, 1);
}

static double depth_two(const struct reduction *r, enum reduction_type)
{
    return passes_depth(r, 2);
}

size_t block_rungs(const struct rung **rungs)
{
    static const struct rung table[] = {
        {"reduce_interleaved", "neighbours add: t % 2s == 0 works, every warp diverges", false,
         false, 512, 1, FOR_EVERY_TYPE_AND_OP(launch_interleaved), depth_one},
        {"reduce_strided_index", "the first threads work: no divergence, but bank conflicts", false,
         false, 512, 1, FOR_EVERY_TYPE_AND_OP(launch_strided_index), depth_one},
        {"reduce_sequential", "upper half onto lower half: no divergence, no conflicts", false,
         false, 512, 1, FOR_EVERY_TYPE_AND_OP(launch_sequential), depth_one},
        {"reduce_first_add", "two elements a thread, added while loading: half the blocks", false,
         false, 512, 2, FOR_EVERY_TYPE_AND_OP(launch_first_add), depth_two},
        {"reduce_warp_shuffle", "lanes read each other's registers: one barrier, not ten", false,
         false, 512, 2, FOR_EVERY_TYPE_AND_OP(launch_warp_shuffle), depth_two},
    };
    *rungs = table;
    return sizeof table / sizeof table[0];
}
