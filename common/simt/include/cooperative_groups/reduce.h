/* cooperative_groups/reduce.h - reduce(group, value, op): one result, which every thread gets. */
#ifndef SIMT_COOPERATIVE_GROUPS_REDUCE_H
#define SIMT_COOPERATIVE_GROUPS_REDUCE_H

#include "../cooperative_groups.h"

#if defined(__CUDA__)

namespace cooperative_groups
{

#define SIMT_OPERATION(name, expression)                                                           \
    template <typename T> struct name {                                                            \
        __attribute__((host, device)) T operator()(T a, T b) const { return expression; }          \
    };

SIMT_OPERATION(plus, a + b)
SIMT_OPERATION(less, b < a ? b : a)    /* the smaller */
SIMT_OPERATION(greater, a < b ? b : a) /* the larger */
SIMT_OPERATION(bit_and, a &b)
SIMT_OPERATION(bit_or, a | b)
SIMT_OPERATION(bit_xor, a ^ b)
#undef SIMT_OPERATION

/* A tile: a butterfly, so that all threads end with the same value. */
template <unsigned int N, typename Parent, typename T, typename Operation>
SIMT_DEVICE T reduce(const thread_block_tile<N, Parent, false> &g, T value, Operation op)
{
    for (unsigned int lanes = N / 2; lanes > 0; lanes /= 2) {
        value = op(value, g.shfl_xor(value, lanes));
    }
    return value;
}

/* A tile of several warps: each warp first. */
template <unsigned int N, typename Parent, typename T, typename Operation>
SIMT_DEVICE T reduce(const thread_block_tile<N, Parent, true> &g, T value, Operation op)
{
    return g.simt_combine(reduce(thread_block_tile<32, thread_block>(), value, op), op);
}

/* Any threads of a warp: halve the ranks, then spread the value of rank 0. */
template <typename T, typename Operation>
SIMT_DEVICE T reduce(const coalesced_group &g, T value, Operation op)
{
    for (unsigned int width = g.size(); width > 1; width = (width + 1) / 2) {
        unsigned int half = (width + 1) / 2;
        T other = g.shfl_down(value, half);
        if (g.thread_rank() + half < width) {
            value = op(value, other);
        }
    }
    return g.shfl(value, 0);
}

} // namespace cooperative_groups

#endif

#endif
