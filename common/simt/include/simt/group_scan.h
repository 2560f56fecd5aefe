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

} // namespace cooperative_groups

#endif
