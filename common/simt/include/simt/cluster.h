/* simt/cluster.h - the intrinsic functions of thread block clusters: where a block is in its
 * cluster, the cluster's barrier, and the other blocks' shared memory. */
#ifndef SIMT_CLUSTER_H
#define SIMT_CLUSTER_H

#include "device.h"

#define SIMT_CLUSTER_DIM3(function, name)                                                          \
    SIMT_DEVICE dim3 function()                                                                    \
    {                                                                                              \
        unsigned int x, y, z;                                                                      \
        asm("mov.u32 %0, %%" name ".x;" : "=r"(x));                                                \
        asm("mov.u32 %0, %%" name ".y;" : "=r"(y));                                                \
        asm("mov.u32 %0, %%" name ".z;" : "=r"(z));                                                \
        return dim3(x, y, z);                                                                      \
    }
SIMT_CLUSTER_DIM3(__clusterDim, "cluster_nctaid")
SIMT_CLUSTER_DIM3(__clusterRelativeBlockIdx, "cluster_ctaid")
SIMT_CLUSTER_DIM3(__clusterGridDimInClusters, "nclusterid")
SIMT_CLUSTER_DIM3(__clusterIdx, "clusterid")
#undef SIMT_CLUSTER_DIM3

SIMT_DEVICE unsigned int __clusterRelativeBlockRank()
{
    unsigned int rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
SIMT_DEVICE unsigned int __clusterSizeInBlocks()
{
    unsigned int blocks;
    asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
    return blocks;
}
SIMT_DEVICE bool __clusterDimIsSpecified()
{
    unsigned int explicitly;
    asm("{ .reg .pred p; mov.pred p, %%is_explicit_cluster; selp.u32 %0, 1, 0, p; }"
        : "=r"(explicitly));
    return explicitly != 0;
}

SIMT_DEVICE void __cluster_barrier_arrive()
{
    asm volatile("barrier.cluster.arrive;" ::: "memory");
}
SIMT_DEVICE void __cluster_barrier_arrive_relaxed()
{
    asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");
}
SIMT_DEVICE void __cluster_barrier_wait() { asm volatile("barrier.cluster.wait;" ::: "memory"); }

SIMT_DEVICE void *__cluster_map_shared_rank(const void *address, unsigned int rank)
{
    unsigned long long mapped;
    asm("mapa.u64 %0, %1, %2;" : "=l"(mapped) : "l"(address), "r"(rank));
    return (void *)mapped;
}
SIMT_DEVICE unsigned int __cluster_query_shared_rank(const void *address)
{
    unsigned int rank;
    asm("getctarank.u64 %0, %1;" : "=r"(rank) : "l"(address));
    return rank;
}

#endif
