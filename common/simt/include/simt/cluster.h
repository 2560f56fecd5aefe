/* simt/cluster.h - what compute capability 9.0 has beyond a block: the intrinsic functions of
 * thread block clusters, launches that overlap the one before, and atomic sums of two and four
 * floats. */
#ifndef SIMT_SIMT_CLUSTER_H
#define SIMT_SIMT_CLUSTER_H

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

/* --- dependent launches: to wait for the kernel before, to let the next one begin ------------- */

SIMT_DEVICE void cudaGridDependencySynchronize()
{
    asm volatile("griddepcontrol.wait;" ::: "memory");
}
SIMT_DEVICE void cudaTriggerProgrammaticLaunchCompletion()
{
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}

/* --- each float is added atomically, in global memory ----------------------------------------- */

#define SIMT_VECTOR_ATOMIC(suffix, scope)                                                          \
    SIMT_DEVICE float2 atomicAdd##suffix(float2 *address, float2 v)                                \
    {                                                                                              \
        float2 old;                                                                                \
        asm volatile("atom" scope ".global.add.v2.f32 {%0, %1}, [%2], {%3, %4};"                   \
                     : "=f"(old.x), "=f"(old.y)                                                    \
                     : "l"(__cvta_generic_to_global(address)), "f"(v.x), "f"(v.y)                  \
                     : "memory");                                                                  \
        return old;                                                                                \
    }                                                                                              \
    SIMT_DEVICE float4 atomicAdd##suffix(float4 *address, float4 v)                                \
    {                                                                                              \
        float4 old;                                                                                \
        asm volatile("atom" scope ".global.add.v4.f32 {%0, %1, %2, %3}, [%4], {%5, %6, %7, %8};"   \
                     : "=f"(old.x), "=f"(old.y), "=f"(old.z), "=f"(old.w)                          \
                     : "l"(__cvta_generic_to_global(address)), "f"(v.x), "f"(v.y), "f"(v.z),       \
                       "f"(v.w)                                                                    \
                     : "memory");                                                                  \
        return old;                                                                                \
    }
SIMT_VECTOR_ATOMIC(, "")
SIMT_VECTOR_ATOMIC(_block, ".cta")
SIMT_VECTOR_ATOMIC(_system, ".sys")
#undef SIMT_VECTOR_ATOMIC

#endif
