/* simt/cluster_group.h - the blocks of a cluster as a group. Part of cooperative_groups.h, which
 * includes it. */
#ifndef SIMT_CLUSTER_GROUP_H
#define SIMT_CLUSTER_GROUP_H

namespace cooperative_groups
{

class cluster_group
{
  public:
    struct arrival_token {
    };
    SIMT_GROUP_METHOD static arrival_token barrier_arrive()
    {
        __cluster_barrier_arrive();
        return arrival_token();
    }
    SIMT_GROUP_METHOD static void barrier_wait() { __cluster_barrier_wait(); }
    SIMT_GROUP_METHOD static void barrier_wait(arrival_token &&) { __cluster_barrier_wait(); }
    SIMT_GROUP_METHOD static void sync()
    {
        __cluster_barrier_arrive();
        __cluster_barrier_wait();
    }

    SIMT_GROUP_METHOD static unsigned int query_shared_rank(const void *address)
    {
        return __cluster_query_shared_rank(address);
    }
    template <typename T> SIMT_GROUP_METHOD static T *map_shared_rank(T *address, int rank)
    {
        return (T *)__cluster_map_shared_rank((const void *)address, (unsigned int)rank);
    }

    SIMT_GROUP_METHOD static dim3 block_index() { return __clusterRelativeBlockIdx(); }
    SIMT_GROUP_METHOD static unsigned int block_rank() { return __clusterRelativeBlockRank(); }
    SIMT_GROUP_METHOD static dim3 dim_blocks() { return __clusterDim(); }
    SIMT_GROUP_METHOD static unsigned int num_blocks() { return __clusterSizeInBlocks(); }
    SIMT_GROUP_METHOD static dim3 thread_index()
    {
        const dim3 b = block_index();
        return dim3(b.x * blockDim.x + threadIdx.x, b.y * blockDim.y + threadIdx.y,
                    b.z * blockDim.z + threadIdx.z);
    }
    SIMT_GROUP_METHOD static unsigned int thread_rank()
    {
        return block_rank() * simt_block_threads() + simt_rank_in_block();
    }
    SIMT_GROUP_METHOD static dim3 dim_threads()
    {
        const dim3 d = dim_blocks();
        return dim3(d.x * blockDim.x, d.y * blockDim.y, d.z * blockDim.z);
    }
    SIMT_GROUP_METHOD static unsigned int num_threads()
    {
        return num_blocks() * simt_block_threads();
    }
    SIMT_GROUP_METHOD static unsigned int size() { return num_threads(); }
};

SIMT_DEVICE cluster_group this_cluster() { return cluster_group(); }

} // namespace cooperative_groups

#endif
