/* simt/group_scan.h - the sum (or what an operation makes) of all threads of a group up to this
 * one. */
#ifndef SIMT_GROUP_SCAN_H
#define SIMT_GROUP_SCAN_H

#include "group_operations.h"

namespace cooperative_groups
{

/* Tiles within a warp and coalesced groups: each step adds what lies 1, 2, 4 ... ranks before. */
template <typename Group, typename T, typename Operation>
SIMT_DEVICE T simt_inclusive_scan(const Group &g, T value, Operation op)
{
    for (unsigned int distance = 1; distance < g.size(); distance *= 2) {
        T before = g.shfl_up(value, distance);
        if (g.thread_rank() >= distance) {
            value = op(value, before);
        }
    }
    return value;
}
template <typename Group, typename T, typename Operation>
SIMT_DEVICE T simt_exclusive_scan(const Group &g, T value, Operation op)
{
    T before = g.shfl_up(simt_inclusive_scan(g, value, op), 1);
    return g.thread_rank() == 0 ? T() : before;
}

/* Tiles of several warps: each warp scans, then the warps' totals are scanned, by every warp for
 * itself. *before: what the warps before this one make; false: this is the first. */
template <unsigned int N, typename Parent, typename T, typename Operation>
SIMT_DEVICE bool simt_warps_before(const thread_block_tile<N, Parent, true> &g, T total,
                                   Operation op, T *before)
{
    const unsigned int warps = N / 32, warp = g.thread_rank() / 32;
    const thread_block_tile<32, thread_block> lanes;
    const thread_block_tile<warps, thread_block_tile<32, thread_block>> few;
    T totals = simt_inclusive_scan(few, g.simt_of_warp(total, lanes.thread_rank() % warps), op);
    *before = lanes.shfl(totals, warp > 0 ? (int)warp - 1 : 0);
    return warp > 0;
}
template <unsigned int N, typename Parent, typename T, typename Operation>
SIMT_DEVICE T simt_inclusive_scan(const thread_block_tile<N, Parent, true> &g, T value,
                                  Operation op)
{
    const thread_block_tile<32, thread_block> lanes;
    T before, own = simt_inclusive_scan(lanes, value, op);
    return simt_warps_before(g, lanes.shfl(own, 31), op, &before) ? op(own, before) : own;
}
template <unsigned int N, typename Parent, typename T, typename Operation>
SIMT_DEVICE T simt_exclusive_scan(const thread_block_tile<N, Parent, true> &g, T value,
                                  Operation op)
{
    const thread_block_tile<32, thread_block> lanes;
    T before, own = simt_inclusive_scan(lanes, value, op), previous = lanes.shfl_up(own, 1);
    const bool any = simt_warps_before(g, lanes.shfl(own, 31), op, &before);
    if (lanes.thread_rank() == 0) {
        return any ? before : T();
    }
    return any ? op(previous, before) : previous;
}

} // namespace cooperative_groups

#endif
