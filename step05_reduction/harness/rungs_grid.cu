/* rungs_grid.cu - launches the last two rungs: one grid that the GPU holds at once. */
#include "step05_reduction/grid_stride.cuh"
#include "step05_reduction/harness/reduction.h"
#include "step05_reduction/single_pass.cuh"

/* Enough blocks to fill the GPU, or to give every thread its first four loads. */
static unsigned grid_blocks(const struct reduction *r, size_t element_bytes)
{
    const unsigned width = PACK_BYTES / (unsigned)element_bytes;
    const unsigned wanted = pass_blocks(r->n, r->block, width * LOADS_IN_FLIGHT);
    const unsigned held = blocks_held(r);
    return wanted < held ? wanted : held;
}

template <typename T, typename OP> static void launch_grid_stride(struct reduction *r)
{
    const unsigned blocks = grid_blocks(r, sizeof(T));
    T *partials = (T *)r->d_partials[0];
    r->launches = 0;
    reduce_grid_stride<T, OP><<<blocks, r->block>>>((const T *)r->d_in, r->n, partials);
    reduction_launched(r);
    reduce_grid_stride<T, OP><<<1, r->block>>>(partials, blocks, (T *)r->d_out);
    reduction_launched(r);
}

/* A single block has nobody to wait for: fence, ticket and second tree would be most of the time of
 * so few elements, and the rung before already is one launch. */
enum { FEW = 8192 };

template <typename T, typename OP> static void launch_single_pass(struct reduction *r)
{
    const unsigned blocks = grid_blocks(r, sizeof(T));
    const T *in = (const T *)r->d_in;
    T *out = (T *)r->d_out;
    r->launches = 0;
    if (blocks == 1 && r->n <= FEW)
        reduce_grid_stride<T, OP><<<1, r->block>>>(in, r->n, out);
    else
        reduce_single_pass<T, OP>
            <<<blocks, r->block>>>(in, r->n, (T *)r->d_partials[0], r->d_ticket, out);
    reduction_launched(r);
}

/* Additions that one element of a walk over n goes through: a lane's own packs, the lanes of the
 * pack, the elements that fill none, the tree. */
static double walk_depth(double n, double blocks, double block, double width)
{
    const double run = block * LOADS_IN_FLIGHT * width;
    return ceil(n / (run * blocks)) * LOADS_IN_FLIGHT + width + log2(block);
}

static double depth_grid_stride(const struct reduction *r, enum reduction_type type)
{
    const double bytes = (double)type_bytes(type), width = PACK_BYTES / bytes;
    const double blocks = grid_blocks(r, type_bytes(type));
    return walk_depth(r->n, blocks, r->block, width) + walk_depth(blocks, 1, r->block, width);
}

static double depth_single_pass(const struct reduction *r, enum reduction_type type)
{
    const double bytes = (double)type_bytes(type), width = PACK_BYTES / bytes;
    const double blocks = grid_blocks(r, type_bytes(type));
    return walk_depth(r->n, blocks, r->block, width) + ceil(blocks / r->block) + log2(r->block);
}

size_t grid_rungs(const struct rung **rungs)
{
    static const struct rung table[] = {
        {"reduce_grid_stride", "one grid that fits, threads walk on, 16 bytes a load", false, false,
         1024, 0, FOR_EVERY_TYPE_AND_OP(launch_grid_stride), depth_grid_stride},
        {"reduce_single_pass", "the last block to finish adds the partials: one launch", false,
         false, 1024, 0, FOR_EVERY_TYPE_AND_OP(launch_single_pass), depth_single_pass},
    };
    *rungs = table;
    return sizeof table / sizeof table[0];
}
