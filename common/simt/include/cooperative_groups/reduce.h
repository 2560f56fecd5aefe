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

/* A tile of several warps: each warp first, then a butterfly over what the warps have. */
template <unsigned int N, typename Parent, typename T, typename Operation>
SIMT_DEVICE T reduce(const thread_block_tile<N, Parent, true> &g, T value, Operation op)
{
    const unsigned int warps = N / 32;
    T of_warp = reduce(thread_block_tile<32, thread_block>(), value, op);
    of_warp = g.simt_of_warp(of_warp, g.thread_rank() % warps);
    return reduce(thread_block_tile<warps, thread_block>(), of_warp, op);
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

/* The result goes to memory, or into an atomic, by one thread. */
template <typename Group, typename T, typename Operation>
SIMT_DEVICE void reduce_store_async(const Group &g, T *to, T value, Operation op)
{
    value = reduce(g, value, op);
    if (g.thread_rank() == 0) {
        *to = value;
    }
}
template <typename Group, typename Atomic, typename T, typename Operation>
SIMT_DEVICE auto reduce_store_async(const Group &g, Atomic &&to, T value, Operation op)
    -> decltype(to.store(value))
{
    value = reduce(g, value, op);
    if (g.thread_rank() == 0) {
        to.store(value);
    }
}
template <typename Atomic, typename T>
SIMT_DEVICE void simt_update(Atomic &&to, T value, const plus<T> &)
{
    to.fetch_add(value);
}
template <typename Atomic, typename T, typename Operation>
SIMT_DEVICE void simt_update(Atomic &&to, T value, const Operation &op)
{
    T old = to.load();
    while (!to.compare_exchange_weak(old, op(old, value))) {
    }
}
template <typename Group, typename Atomic, typename T, typename Operation>
SIMT_DEVICE auto reduce_update_async(const Group &g, Atomic &&to, T value, Operation op)
    -> decltype(to.store(value))
{
    value = reduce(g, value, op);
    if (g.thread_rank() == 0) {
        simt_update(to, value, op);
    }
}

} // namespace cooperative_groups

#endif

#endif
