/* cooperative_groups/memcpy_async.h - memcpy_async(group, ...): the threads of a group start to
 * copy an array together; wait(group) and wait_prior<N>(group) wait, and end with the group's
 * barrier. */
#ifndef SIMT_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#define SIMT_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H

#include "../cooperative_groups.h"
#include "../cuda_pipeline_primitives.h"

#if defined(__CUDA__)

#include "../simt/copy_async.h"

namespace cooperative_groups
{

/* Where the type says little of the alignment, the addresses decide. */
template <size_t Alignment, typename Group>
SIMT_DEVICE void simt_group_copy(const Group &g, void *to, const void *from, size_t bytes)
{
    size_t rank = g.thread_rank(), size = g.size();
    size_t low = (size_t)to | (size_t)from | bytes;
    if (Alignment >= 4) {
        simt_copy_async<Alignment>(to, from, bytes, rank, size);
    } else if (low % 16 == 0) {
        simt_copy_async<16>(to, from, bytes, rank, size);
    } else if (low % 8 == 0) {
        simt_copy_async<8>(to, from, bytes, rank, size);
    } else if (low % 4 == 0) {
        simt_copy_async<4>(to, from, bytes, rank, size);
    } else {
        simt_copy_async<1>(to, from, bytes, rank, size);
    }
    __pipeline_commit();
}

template <typename Group, typename T, typename Size>
SIMT_DEVICE void memcpy_async(const Group &g, T *to, const T *from, const Size &bytes)
{
    simt_group_copy<simt_alignment<T, Size>::value>(g, to, from, (size_t)bytes);
}
template <typename Group, typename Size>
SIMT_DEVICE void memcpy_async(const Group &g, void *to, const void *from, const Size &bytes)
{
    simt_group_copy<simt_size_alignment<Size>::value>(g, to, from, (size_t)bytes);
}
/* Of as many elements as both have room for. */
template <typename Group, typename T, typename To, typename From>
SIMT_DEVICE void memcpy_async(const Group &g, T *to, const To &to_count, const T *from,
                              const From &from_count)
{
    size_t count = (size_t)to_count < (size_t)from_count ? (size_t)to_count : (size_t)from_count;
    simt_group_copy<alignof(T)>(g, to, from, count * sizeof(T));
}

/* Waits until at most `Prior` of the copies are under way. */
template <unsigned int Prior, typename Group> SIMT_DEVICE void wait_prior(const Group &g)
{
    __pipeline_wait_prior(Prior);
    g.sync();
}
template <typename Group> SIMT_DEVICE void wait(const Group &g) { wait_prior<0>(g); }

} // namespace cooperative_groups

#endif

#endif
