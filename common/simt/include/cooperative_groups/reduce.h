/* cooperative_groups/reduce.h - reduce(group, value, op): one result, which every thread gets. */
#ifndef SIMT_COOPERATIVE_GROUPS_REDUCE_H
#define SIMT_COOPERATIVE_GROUPS_REDUCE_H

#include "../cooperative_groups.h"

#if defined(__CUDA__)

#include "../simt/group_operations.h"
#include "../simt/group_scan.h"

namespace cooperative_groups
{

/* Sums, extremes and bits of int and unsigned int: one instruction since sm_80. simt_redux() says
 * whether there is one for the operation, and leaves its result. */
template <typename T, typename Operation> SIMT_DEVICE bool simt_redux(unsigned int, T &, Operation)
{
    return false;
}
#if __CUDA_ARCH__ >= 800
#define SIMT_REDUX(operation, name, type)                                                          \
    SIMT_DEVICE bool simt_redux(unsigned int mask, type &value, operation<type>)                   \
    {                                                                                              \
        value = (type)__reduce_##name##_sync(mask, value);                                         \
        return true;                                                                               \
    }
SIMT_REDUX(plus, add, int)
SIMT_REDUX(plus, add, unsigned int)
SIMT_REDUX(less, min, int)
SIMT_REDUX(less, min, unsigned int)
SIMT_REDUX(greater, max, int)
SIMT_REDUX(greater, max, unsigned int)
SIMT_REDUX(bit_and, and, unsigned int)
SIMT_REDUX(bit_or, or, unsigned int)
SIMT_REDUX(bit_xor, xor, unsigned int)
#undef SIMT_REDUX
#endif

/* A tile: a butterfly, so that all threads end with the same value. */
template <unsigned int N, typename Parent, typename T, typename Operation>
SIMT_DEVICE T reduce(const thread_block_tile<N, Parent, false> &g, T value, Operation op)
{
    if (simt_redux(g.simt_mask(), value, op)) {
        return value;
    }
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

/* Any threads of a warp: in the order of a scan, whose last value goes to all. */
template <typename T, typename Operation>
SIMT_DEVICE T reduce(const coalesced_group &g, T value, Operation op)
{
    if (simt_redux(g.simt_mask(), value, op)) {
        return value;
    }
    return g.shfl(simt_inclusive_scan(g, value, op), g.size() - 1);
}

} // namespace cooperative_groups

#endif

#endif
