/* thread_block.h - the block as a group. Part of cooperative_groups.h, which includes it. */
#ifndef SIMT_THREAD_BLOCK_H
#define SIMT_THREAD_BLOCK_H

namespace cooperative_groups
{

/* Shared memory through which the warps of a tile of more than 32 threads meet. */
#define SIMT_TILE_SLOT 32 /* bytes of a warp */
template <unsigned int MaxBlockSize = 1024> struct __attribute__((aligned(16))) block_tile_memory {
    char simt_slots[(MaxBlockSize + 31) / 32 * SIMT_TILE_SLOT];
};

class thread_block : public thread_group
{
  public:
    SIMT_GROUP_METHOD explicit thread_block(char *slots = nullptr)
        : thread_group(true, 0), slots_(slots)
    {
    }
    SIMT_GROUP_METHOD char *simt_slots() const { return slots_; }
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
    char *slots_;
};

SIMT_DEVICE thread_block this_thread_block() { return thread_block(); }
template <unsigned int MaxBlockSize>
SIMT_DEVICE thread_block this_thread_block(block_tile_memory<MaxBlockSize> &memory)
{
    return thread_block(memory.simt_slots);
}

} // namespace cooperative_groups

#endif
