/* cooperative_groups.h - groups of threads as objects: the block, tiles of a warp, the threads
 * that are active, the whole grid.
 *
 * All groups that fit into a warp share one implementation: a lane mask, from which rank, size and
 * every collective follow. A grid barrier needs cudaLaunchCooperativeKernel(), which makes all
 * blocks resident together. */
#ifndef SIMT_COOPERATIVE_GROUPS_H
#define SIMT_COOPERATIVE_GROUPS_H

#include "cuda_runtime.h"

#if defined(__CUDA__)

#include <cuda/atomic> /* as in NVIDIA's header; a group has a scope */

#define SIMT_GROUP_METHOD __attribute__((device, always_inline, nodebug))

namespace cooperative_groups
{

SIMT_DEVICE unsigned int simt_lane() { return __nvvm_read_ptx_sreg_laneid(); }
SIMT_DEVICE unsigned int simt_rank_in_block()
{
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
SIMT_DEVICE unsigned int simt_block_threads() { return blockDim.x * blockDim.y * blockDim.z; }

/* Shuffles of any type that is copied as bytes: word by word. */
template <typename T, typename Shuffle> SIMT_DEVICE T simt_shuffle_words(const T &value, Shuffle f)
{
    constexpr unsigned int words = (sizeof(T) + 3) / 4;
    unsigned int buffer[words] = {};
    T result;
    __builtin_memcpy(buffer, &value, sizeof(T));
    for (unsigned int i = 0; i < words; i++) {
        buffer[i] = f(buffer[i]);
    }
    __builtin_memcpy((void *)&result, buffer, sizeof(T));
    return result;
}

/* Base of all groups. Kind block: mask unused. */
class thread_group
{
  public:
    SIMT_GROUP_METHOD void sync() const
    {
        if (is_block_) {
            __syncthreads();
        } else {
            __syncwarp(mask_);
        }
    }
    SIMT_GROUP_METHOD unsigned int size() const
    {
        return is_block_ ? simt_block_threads() : (unsigned int)__popc(mask_);
    }
    SIMT_GROUP_METHOD unsigned int num_threads() const { return size(); }
    SIMT_GROUP_METHOD unsigned int thread_rank() const
    {
        return is_block_ ? simt_rank_in_block()
                         : (unsigned int)__popc(mask_ & ((1u << simt_lane()) - 1));
    }
    SIMT_GROUP_METHOD bool is_valid() const { return true; }
    SIMT_GROUP_METHOD unsigned int simt_mask() const { return mask_; }
    SIMT_GROUP_METHOD bool simt_is_block() const { return is_block_; }
    SIMT_GROUP_METHOD thread_group(bool is_block, unsigned int mask)
        : is_block_(is_block), mask_(mask)
    {
    }

  private:
    bool is_block_;
    unsigned int mask_;
};

} // namespace cooperative_groups

#include "simt/thread_block.h"

namespace cooperative_groups
{

/* ------------------------------------------------------------- groups within a warp */

/* Collectives by rank in the group; lane_of() turns a rank into a lane of the warp. */
class simt_warp_group : public thread_group
{
  public:
    static constexpr ::cuda::thread_scope thread_scope = ::cuda::thread_scope_block;
    SIMT_GROUP_METHOD explicit simt_warp_group(unsigned int mask) : thread_group(false, mask) {}
    SIMT_GROUP_METHOD void sync() const { __syncwarp(simt_mask()); }
    SIMT_GROUP_METHOD int any(int predicate) const { return __any_sync(simt_mask(), predicate); }
    SIMT_GROUP_METHOD int all(int predicate) const { return __all_sync(simt_mask(), predicate); }
    SIMT_GROUP_METHOD unsigned int ballot(int predicate) const
    {
        return to_ranks(__ballot_sync(simt_mask(), predicate));
    }
    template <typename T> SIMT_GROUP_METHOD unsigned int match_any(T value) const
    {
        return to_ranks(__match_any_sync(simt_mask(), value));
    }
    template <typename T> SIMT_GROUP_METHOD unsigned int match_all(T value, int &predicate) const
    {
        return to_ranks(__match_all_sync(simt_mask(), value, &predicate));
    }
    /* Of a rank that the group lacks: the last lane of the warp, as in NVIDIA's header. */
    template <typename T> SIMT_GROUP_METHOD T shfl(T value, unsigned int rank) const
    {
        return from_lane(value, lane_of(rank));
    }
    template <typename T> SIMT_GROUP_METHOD T shfl_up(T value, unsigned int delta) const
    {
        unsigned int rank = thread_rank();
        return from_lane(value, lane_of(rank < delta ? rank : rank - delta));
    }
    template <typename T> SIMT_GROUP_METHOD T shfl_down(T value, unsigned int delta) const
    {
        unsigned int rank = thread_rank();
        return from_lane(value, lane_of(delta < size() - rank ? rank + delta : rank));
    }

  protected:
    template <typename T> SIMT_GROUP_METHOD T from_lane(const T &value, unsigned int lane) const
    {
        unsigned int mask = simt_mask();
        return simt_shuffle_words(value, [=](unsigned int word) SIMT_LAMBDA {
            return __shfl_sync(mask, word, (int)lane);
        });
    }
    SIMT_GROUP_METHOD unsigned int lane_of(unsigned int rank) const
    {
        return simt_mask() == 0xffffffff ? rank : __fns(simt_mask(), 0, (int)rank + 1);
    }
    /* A lane mask with the bits moved to ranks. */
    SIMT_GROUP_METHOD unsigned int to_ranks(unsigned int lanes) const
    {
        unsigned int ranks = 0, bit = 1;
        for (unsigned int left = simt_mask(); left != 0; left &= left - 1, bit <<= 1) {
            if (lanes & left & (0u - left)) {
                ranks |= bit;
            }
        }
        return ranks;
    }
};

/* Rank and size in what a tile was cut from: a block or, below, a larger tile. */
template <typename Parent> struct simt_tile_parent {
    SIMT_GROUP_METHOD static unsigned int rank() { return simt_rank_in_block(); }
    SIMT_GROUP_METHOD static unsigned int size() { return simt_block_threads(); }
};

/* N consecutive lanes, N a power of two: everything is one shuffle of width N. */
template <unsigned int N, typename Parent = void, bool Large = (N > 32)>
class thread_block_tile : public thread_group
{
    static_assert(N > 0 && N <= 32 && (N & (N - 1)) == 0,
                  "a tile has 1, 2, 4, 8, 16 or 32 threads");

  public:
    static constexpr ::cuda::thread_scope thread_scope = ::cuda::thread_scope_block;
    SIMT_GROUP_METHOD thread_block_tile()
        : thread_group(false, (0xffffffffu >> (32 - N)) << (simt_lane() & ~(N - 1)))
    {
    }
    template <typename Other>
    SIMT_GROUP_METHOD thread_block_tile(const thread_block_tile<N, Other> &) : thread_block_tile()
    {
    }
    SIMT_GROUP_METHOD void sync() const { __syncwarp(simt_mask()); }
    SIMT_GROUP_METHOD static constexpr unsigned int size() { return N; }
    SIMT_GROUP_METHOD static constexpr unsigned int num_threads() { return N; }
    SIMT_GROUP_METHOD unsigned int thread_rank() const { return simt_lane() & (N - 1); }
    /* Which tile of its parent it is, and of how many. */
    SIMT_GROUP_METHOD unsigned int meta_group_rank() const
    {
        return simt_tile_parent<Parent>::rank() / N;
    }
    SIMT_GROUP_METHOD unsigned int meta_group_size() const
    {
        return (simt_tile_parent<Parent>::size() + N - 1) / N;
    }
    template <typename T> SIMT_GROUP_METHOD T shfl(T value, int rank) const
    {
        unsigned int mask = simt_mask();
        return simt_shuffle_words(value, [=](unsigned int word) SIMT_LAMBDA {
            return __shfl_sync(mask, word, rank, (int)N);
        });
    }
    template <typename T> SIMT_GROUP_METHOD T shfl_up(T value, unsigned int delta) const
    {
        unsigned int mask = simt_mask();
        return simt_shuffle_words(value, [=](unsigned int word) SIMT_LAMBDA {
            return __shfl_up_sync(mask, word, delta, (int)N);
        });
    }
    template <typename T> SIMT_GROUP_METHOD T shfl_down(T value, unsigned int delta) const
    {
        unsigned int mask = simt_mask();
        return simt_shuffle_words(value, [=](unsigned int word) SIMT_LAMBDA {
            return __shfl_down_sync(mask, word, delta, (int)N);
        });
    }
    template <typename T> SIMT_GROUP_METHOD T shfl_xor(T value, unsigned int lanes) const
    {
        unsigned int mask = simt_mask();
        return simt_shuffle_words(value, [=](unsigned int word) SIMT_LAMBDA {
            return __shfl_xor_sync(mask, word, (int)lanes, (int)N);
        });
    }
    SIMT_GROUP_METHOD int any(int predicate) const { return __any_sync(simt_mask(), predicate); }
    SIMT_GROUP_METHOD int all(int predicate) const { return __all_sync(simt_mask(), predicate); }
    SIMT_GROUP_METHOD unsigned int ballot(int predicate) const
    {
        return to_ranks(__ballot_sync(simt_mask(), predicate));
    }
    template <typename T> SIMT_GROUP_METHOD unsigned int match_any(T value) const
    {
        return to_ranks(__match_any_sync(simt_mask(), value));
    }
    template <typename T> SIMT_GROUP_METHOD unsigned int match_all(T value, int &predicate) const
    {
        return to_ranks(__match_all_sync(simt_mask(), value, &predicate));
    }

  private:
    SIMT_GROUP_METHOD static unsigned int to_ranks(unsigned int lanes)
    {
        return (lanes >> (simt_lane() & ~(N - 1))) & (0xffffffffu >> (32 - N));
    }
};

template <unsigned int M, typename Parent> struct simt_tile_parent<thread_block_tile<M, Parent>> {
    SIMT_GROUP_METHOD static unsigned int rank()
    {
        return (M > 32 ? simt_rank_in_block() : simt_lane()) & (M - 1);
    }
    SIMT_GROUP_METHOD static unsigned int size() { return M; }
};

/* A group of the calling thread alone. */
SIMT_DEVICE thread_block_tile<1, void> this_thread() { return thread_block_tile<1, void>(); }

/* N > 32 threads of a block or of a larger tile: whole warps, which meet in shared memory. */
template <unsigned int N, typename Parent> class thread_block_tile<N, Parent, true>
{
    static_assert(N <= 1024 && (N & (N - 1)) == 0, "a large tile has 64, 128 ... 1024 threads");

  public:
    static constexpr ::cuda::thread_scope thread_scope = ::cuda::thread_scope_block;
    SIMT_GROUP_METHOD explicit thread_block_tile(simt_tile_scratch *scratch) : scratch_(scratch) {}
    template <typename Other>
    SIMT_GROUP_METHOD thread_block_tile(const thread_block_tile<N, Other> &other)
        : scratch_(other.simt_scratch())
    {
    }
    SIMT_GROUP_METHOD simt_tile_scratch *simt_scratch() const { return scratch_; }
    SIMT_GROUP_METHOD void sync() const
    {
        simt_sync_warps(&scratch_->arrived[__builtin_ctz(N / 64)], (0xffffffffu >> (32 - N / 32))
                                                                       << first_warp());
    }
    SIMT_GROUP_METHOD static constexpr unsigned int size() { return N; }
    SIMT_GROUP_METHOD static constexpr unsigned int num_threads() { return N; }
    SIMT_GROUP_METHOD static unsigned int thread_rank() { return simt_rank_in_block() % N; }
    SIMT_GROUP_METHOD static unsigned int meta_group_rank()
    {
        return simt_tile_parent<Parent>::rank() / N;
    }
    SIMT_GROUP_METHOD static unsigned int meta_group_size()
    {
        return (simt_tile_parent<Parent>::size() + N - 1) / N;
    }
    SIMT_GROUP_METHOD static bool is_valid() { return true; }
    template <typename T> SIMT_GROUP_METHOD T shfl(T value, unsigned int rank) const
    {
        if (thread_rank() == rank) {
            *slot<T>(0) = value;
        }
        sync();
        T result = *slot<T>(0);
        sync();
        return result;
    }
    SIMT_GROUP_METHOD int any(int predicate) const
    {
        return simt_combine(__any_sync(0xffffffff, predicate),
                            [](int a, int b) SIMT_LAMBDA { return a | b; });
    }
    SIMT_GROUP_METHOD int all(int predicate) const
    {
        return simt_combine(__all_sync(0xffffffff, predicate),
                            [](int a, int b) SIMT_LAMBDA { return a & b; });
    }
    /* What each warp has agreed on, combined over the warps; all threads get the result. */
    template <typename T, typename Operation>
    SIMT_GROUP_METHOD T simt_combine(T of_warp, Operation op) const
    {
        if (simt_lane() == 0) {
            *slot<T>(thread_rank() / 32) = of_warp;
        }
        sync();
        T result = *slot<T>(0);
        for (unsigned int warp = 1; warp < N / 32; warp++) {
            result = op(result, *slot<T>(warp));
        }
        sync();
        return result;
    }

    /* Of each warp's value that of warp number `which`. */
    template <typename T>
    SIMT_GROUP_METHOD T simt_of_warp(const T &of_warp, unsigned int which) const
    {
        if (simt_lane() == 0) {
            *slot<T>(thread_rank() / 32) = of_warp;
        }
        sync();
        T result = *slot<T>(which);
        sync();
        return result;
    }

  private:
    template <typename T> SIMT_GROUP_METHOD T *slot(unsigned int warp) const
    {
        static_assert(sizeof(T) <= 8,
                      "values of tiles of more than 32 threads have 8 bytes at most");
        return (T *)&scratch_->slots[first_warp() + warp];
    }
    SIMT_GROUP_METHOD static unsigned int first_warp()
    {
        return simt_rank_in_block() / N * (N / 32);
    }
    simt_tile_scratch *scratch_;
};

/* A large tile takes the scratch memory of its block, or of a larger tile, along. */
template <bool Large> struct simt_tile_maker {
    template <typename Tile, typename Parent> SIMT_GROUP_METHOD static Tile make(const Parent &)
    {
        return Tile();
    }
};
template <> struct simt_tile_maker<true> {
    template <typename Tile, typename Parent> SIMT_GROUP_METHOD static Tile make(const Parent &of)
    {
        return Tile(of.simt_scratch());
    }
};

template <unsigned int N, typename Parent>
SIMT_DEVICE thread_block_tile<N, Parent> tiled_partition(const Parent &parent)
{
    return simt_tile_maker<(N > 32)>::template make<thread_block_tile<N, Parent>>(parent);
}

/* A tile whose size is known at run time only: a power of two, at most a warp. */
SIMT_DEVICE thread_group tiled_partition(const thread_group &parent, unsigned int size)
{
    if (size == 0 || size > 32 || (size & (size - 1)) != 0) {
        __trap();
    }
    unsigned int whole = size >= 32 ? 0xffffffffu : (1u << size) - 1;
    if (parent.simt_is_block()) {
        return thread_group(false, whole << (simt_lane() & ~(size - 1)));
    }
    unsigned int first = parent.thread_rank() / size * size, mask = 0, rank = 0;
    for (unsigned int left = parent.simt_mask(); left != 0; left &= left - 1, rank++) {
        if (rank >= first && rank < first + size) {
            mask |= left & (0u - left);
        }
    }
    return thread_group(false, mask);
}

/* The threads of a warp that are here together. */
class coalesced_group : public simt_warp_group
{
  public:
    SIMT_GROUP_METHOD explicit coalesced_group(unsigned int mask, unsigned int rank = 0,
                                               unsigned int groups = 1)
        : simt_warp_group(mask), rank_(rank), groups_(groups)
    {
    }
    /* Which part of a partition it is, and of how many. */
    SIMT_GROUP_METHOD unsigned int meta_group_rank() const { return rank_; }
    SIMT_GROUP_METHOD unsigned int meta_group_size() const { return groups_; }

  private:
    unsigned int rank_, groups_;
};

SIMT_DEVICE coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

/* The threads of the group that give the same answer; those that say no come first. */
template <typename Group> SIMT_DEVICE coalesced_group binary_partition(const Group &g, bool answer)
{
    unsigned int all = g.simt_mask(), yes = __ballot_sync(all, answer), no = all & ~yes;
    bool both = yes != 0 && no != 0;
    return coalesced_group(answer ? yes : no, both && answer, both ? 2 : 1);
}
/* Those with the same label; the parts are in the order of their first threads. */
template <typename Group, typename T>
SIMT_DEVICE coalesced_group labeled_partition(const Group &g, T label)
{
    unsigned int same = __match_any_sync(g.simt_mask(), label);
    unsigned int first = same & (0u - same),
                 firsts = __ballot_sync(g.simt_mask(), first == 1u << simt_lane());
    return coalesced_group(same, (unsigned int)__popc(firsts & (first - 1)),
                           (unsigned int)__popc(firsts));
}

/* ------------------------------------------------------------- one thread for the group */

/* CUDA leaves open which thread makes the call: here it is the first one. */
template <typename Group, typename Call, typename... Arguments>
SIMT_DEVICE void invoke_one(const Group &g, Call &&call, Arguments &&...arguments)
{
    if (g.thread_rank() == 0) {
        static_cast<Call &&>(call)(static_cast<Arguments &&>(arguments)...);
    }
}
/* The type of a value: that of a function's result without its reference. */
template <typename T> struct simt_value {
    typedef T type;
};
template <typename T> struct simt_value<T &> {
    typedef T type;
};
template <typename T> struct simt_value<const T &> {
    typedef T type;
};

/* All threads of the group, which is a part of a warp, return what the call returned. */
template <typename Group, typename Call, typename... Arguments>
SIMT_DEVICE auto invoke_one_broadcast(const Group &g, Call &&call, Arguments &&...arguments) ->
    typename simt_value<
        decltype(static_cast<Call &&>(call)(static_cast<Arguments &&>(arguments)...))>::type
{
    typename simt_value<decltype(static_cast<Call &&>(call)(
        static_cast<Arguments &&>(arguments)...))>::type result{};
    if (g.thread_rank() == 0) {
        result = static_cast<Call &&>(call)(static_cast<Arguments &&>(arguments)...);
    }
    return g.shfl(result, 0);
}

/* ------------------------------------------------------------- the whole grid */

} // namespace cooperative_groups

#include "simt/cluster_group.h"
#include "simt/grid_group.h"

namespace cooperative_groups
{

/* ------------------------------------------------------------- the same as functions */

template <typename Group> SIMT_DEVICE void sync(const Group &g) { g.sync(); }
template <typename Group> SIMT_DEVICE unsigned int thread_rank(const Group &g)
{
    return (unsigned int)g.thread_rank();
}
template <typename Group> SIMT_DEVICE unsigned int group_size(const Group &g)
{
    return (unsigned int)g.size();
}

} // namespace cooperative_groups

#undef SIMT_GROUP_METHOD

#endif

#endif
