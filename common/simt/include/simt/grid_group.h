/* grid_group.h - the whole grid as a group: its rank, its size, its barrier. Part of
 * cooperative_groups.h, which includes it. */
#ifndef SIMT_GRID_GROUP_H
#define SIMT_GRID_GROUP_H

namespace cooperative_groups
{

/* Blocks that have arrived, and how many barriers are over. */
static __attribute__((device)) unsigned int simt_grid_arrived, simt_grid_barriers;

class grid_group
{
  public:
    static constexpr ::cuda::thread_scope thread_scope = ::cuda::thread_scope_device;
    /* A cooperative launch gives the grid a workspace; its address is in two registers. */
    SIMT_GROUP_METHOD bool is_valid() const
    {
        unsigned int high, low;
        asm("mov.u32 %0, %%envreg1;" : "=r"(high));
        asm("mov.u32 %0, %%envreg2;" : "=r"(low));
        return (high | low) != 0;
    }
    typedef unsigned int arrival_token; /* how many barriers were over before */
    /* Every thread arrives; the last block's first thread opens the barrier. */
    SIMT_GROUP_METHOD arrival_token barrier_arrive() const
    {
        if (!is_valid()) {
            __trap();
        }
        __syncthreads();
        unsigned int before = 0;
        if (simt_rank_in_block() == 0) {
            volatile unsigned int *barriers = &simt_grid_barriers;
            before = *barriers;
            __threadfence();
            if (atomicAdd(&simt_grid_arrived, 1u) == (unsigned int)num_blocks() - 1) {
                atomicExch(&simt_grid_arrived, 0u);
                __threadfence();
                atomicAdd(&simt_grid_barriers, 1u);
            }
        }
        return before;
    }
    SIMT_GROUP_METHOD void barrier_wait(arrival_token &&token) const
    {
        if (simt_rank_in_block() == 0) {
            volatile unsigned int *barriers = &simt_grid_barriers;
            while (*barriers == token) {
                __nanosleep(100);
            }
            __threadfence();
        }
        __syncthreads();
    }
    SIMT_GROUP_METHOD void sync() const { barrier_wait(barrier_arrive()); }
    SIMT_GROUP_METHOD static unsigned long long num_blocks()
    {
        return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
    }
    SIMT_GROUP_METHOD static unsigned long long block_rank()
    {
        return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    }
    SIMT_GROUP_METHOD static unsigned long long size()
    {
        return num_blocks() * simt_block_threads();
    }
    SIMT_GROUP_METHOD static unsigned long long num_threads() { return size(); }
    SIMT_GROUP_METHOD static unsigned long long thread_rank()
    {
        return block_rank() * simt_block_threads() + simt_rank_in_block();
    }
    SIMT_GROUP_METHOD static dim3 group_dim() { return dim3(gridDim); }
    SIMT_GROUP_METHOD static dim3 dim_blocks() { return dim3(gridDim); }
    SIMT_GROUP_METHOD static dim3 dim_threads()
    {
        return dim3(gridDim.x * blockDim.x, gridDim.y * blockDim.y, gridDim.z * blockDim.z);
    }
    SIMT_GROUP_METHOD static dim3 thread_index()
    {
        return dim3(blockIdx.x * blockDim.x + threadIdx.x, blockIdx.y * blockDim.y + threadIdx.y,
                    blockIdx.z * blockDim.z + threadIdx.z);
    }
    SIMT_GROUP_METHOD static dim3 block_index() { return dim3(blockIdx); }
};

SIMT_DEVICE grid_group this_grid() { return grid_group(); }

} // namespace cooperative_groups

#endif
