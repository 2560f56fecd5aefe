/* thread_block.h - the block as a group. Part of cooperative_groups.h, which includes it. */
#ifndef SIMT_THREAD_BLOCK_H
#define SIMT_THREAD_BLOCK_H

namespace cooperative_groups
{

/* Shared memory through which the warps of a tile of more than 32 threads meet: a word of arrivals
 * for each size of such a tile, with a bit for each warp, and eight bytes of each warp. Since sm_80
 * it lies in what every block has reserved, which begins as zeros; before, the program gives it. */
struct simt_tile_scratch {
    unsigned int arrived[5], unused[3];
    unsigned long long slots[32];
};
template <unsigned int MaxBlockSize = 1024> struct __attribute__((aligned(8))) block_tile_memory {
#if __CUDA_ARCH__ >= 800
    char simt_unused;
#else
    simt_tile_scratch simt_scratch;
#endif
};
SIMT_DEVICE simt_tile_scratch *simt_reserved_scratch()
{
    unsigned long long at = 0;
#if __CUDA_ARCH__ >= 800
    unsigned int offset;
    asm("mov.u32 %0, %%reserved_smem_offset_1;" : "=r"(offset));
    asm("cvta.shared.u64 %0, %1;" : "=l"(at) : "l"((unsigned long long)offset));
#endif
    return (simt_tile_scratch *)at;
}
template <unsigned int MaxBlockSize>
SIMT_DEVICE simt_tile_scratch *simt_scratch_in(block_tile_memory<MaxBlockSize> &memory)
{
#if __CUDA_ARCH__ >= 800
    (void)memory;
    return simt_reserved_scratch();
#else
    if (simt_rank_in_block() < 5) {
        memory.simt_scratch.arrived[simt_rank_in_block()] = 0;
    }
    __syncthreads();
    return &memory.simt_scratch;
#endif
}

/* The barrier of some warps: the last one that comes takes back the bits of all, for which the
 * others wait. Each warp sets its own bit alone, so it may come again at once. */
SIMT_DEVICE void simt_sync_warps(unsigned int *arrived, unsigned int warps)
{
    const unsigned int mine = 1u << simt_rank_in_block() / 32;
    __syncwarp();
    if (simt_lane() == 0) {
        __threadfence_block();
        if (((atomicOr(arrived, mine) | mine) & warps) == warps) {
            atomicAnd(arrived, ~warps);
        } else {
            while (*(volatile unsigned int *)arrived & mine) {
            }
        }
        __threadfence_block();
    }
    __syncwarp();
}

class thread_block : public thread_group
{
  public:
    static constexpr ::cuda::thread_scope thread_scope = ::cuda::thread_scope_block;
    SIMT_GROUP_METHOD explicit thread_block(simt_tile_scratch *scratch = simt_reserved_scratch())
        : thread_group(true, 0), scratch_(scratch)
    {
    }
    SIMT_GROUP_METHOD simt_tile_scratch *simt_scratch() const { return scratch_; }
    SIMT_GROUP_METHOD static void sync() { __syncthreads(); }
    /* In two steps as the grid's; a block waits for all in the second. */
    struct arrival_token {
    };
    SIMT_GROUP_METHOD arrival_token barrier_arrive() const { return arrival_token(); }
    SIMT_GROUP_METHOD void barrier_wait(arrival_token &&) const { __syncthreads(); }
    SIMT_GROUP_METHOD static unsigned int size() { return simt_block_threads(); }
    SIMT_GROUP_METHOD static unsigned int num_threads() { return simt_block_threads(); }
    SIMT_GROUP_METHOD static unsigned int thread_rank() { return simt_rank_in_block(); }
    SIMT_GROUP_METHOD static dim3 group_index() { return dim3(blockIdx); }
    SIMT_GROUP_METHOD static dim3 thread_index() { return dim3(threadIdx); }
    SIMT_GROUP_METHOD static dim3 group_dim() { return dim3(blockDim); }
    SIMT_GROUP_METHOD static dim3 dim_threads() { return dim3(blockDim); }

  private:
    simt_tile_scratch *scratch_;
};

SIMT_DEVICE thread_block this_thread_block() { return thread_block(); }
template <unsigned int MaxBlockSize>
SIMT_DEVICE thread_block this_thread_block(block_tile_memory<MaxBlockSize> &memory)
{
    return thread_block(simt_scratch_in(memory));
}

} // namespace cooperative_groups

#endif
