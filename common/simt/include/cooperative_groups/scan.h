/* cooperative_groups/scan.h - inclusive_scan() and exclusive_scan() over tiles and coalesced
 * groups. */
#ifndef SIMT_COOPERATIVE_GROUPS_SCAN_H
#define SIMT_COOPERATIVE_GROUPS_SCAN_H

#include "../cooperative_groups.h"

#if defined(__CUDA__)

#include "../simt/group_operations.h"
#include "../simt/group_scan.h"

namespace cooperative_groups
{

#define SIMT_SCAN(name)                                                                            \
    template <typename Group, typename T, typename Operation>                                      \
    SIMT_DEVICE T name(const Group &g, T value, Operation op)                                      \
    {                                                                                              \
        return simt_##name(g, value, op);                                                          \
    }                                                                                              \
    template <typename Group, typename T> SIMT_DEVICE T name(const Group &g, T value)              \
    {                                                                                              \
        return simt_##name(g, value, plus<T>());                                                   \
    }                                                                                              \
    /* The group's sum is added to an atomic, and each thread's part begins at what was there. */  \
    template <typename Group, typename Atomic, typename T, typename Operation>                     \
    SIMT_DEVICE auto name##_update(const Group &g, Atomic &sum, T value, Operation op)             \
        ->decltype(sum.fetch_add(value))                                                           \
    {                                                                                              \
        T inclusive = simt_inclusive_scan(g, value, op), before = T();                             \
        if (g.thread_rank() == g.size() - 1) {                                                     \
            before = sum.fetch_add(inclusive);                                                     \
        }                                                                                          \
        before = g.shfl(before, (int)g.size() - 1);                                                \
        return op(before, simt_##name(g, value, op));                                              \
    }                                                                                              \
    template <typename Group, typename Atomic, typename T>                                         \
    SIMT_DEVICE auto name##_update(const Group &g, Atomic &sum, T value)                           \
        ->decltype(sum.fetch_add(value))                                                           \
    {                                                                                              \
        return name##_update(g, sum, value, plus<T>());                                            \
    }
SIMT_SCAN(inclusive_scan)
SIMT_SCAN(exclusive_scan)
#undef SIMT_SCAN

} // namespace cooperative_groups

#endif

#endif
