/* phase.h - mbarriers, copies by the bulk engine and the addresses of a cluster, in PTX; for
 * fourth_clusters.cu and more/fourth_copies.cu. Included behind mistakes.h. */
#ifndef PHASE_H
#define PHASE_H

#include <cooperative_groups.h>
#include <stdint.h>

namespace cg = cooperative_groups;

static __device__ uint32_t smem(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }
struct phase_barrier {
    uint64_t word;
    __device__ void init(int n)
    {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(smem(&word)), "r"(n)
                     : "memory");
    }
    __device__ void arrive()
    {
        asm volatile("{.reg .b64 t; mbarrier.arrive.shared::cta.b64 t, [%0]; }" ::"r"(smem(&word))
                     : "memory");
    }
    __device__ void expect(int bytes)
    {
        asm volatile("{.reg .b64 t; mbarrier.arrive.expect_tx.shared::cta.b64 t, [%0], %1; }" ::"r"(
                         smem(&word)),
                     "r"(bytes)
                     : "memory");
    }
    __device__ void wait(unsigned parity)
    {
        unsigned done = 0;
        while (!done)
            asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; "
                         "selp.u32 %0, 1, 0, p; }"
                         : "=r"(done)
                         : "r"(smem(&word)), "r"(parity)
                         : "memory");
    }
    __device__ void wait_cluster(unsigned parity)
    {
        unsigned done = 0;
        while (!done)
            asm volatile("{.reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 "
                         "p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                         : "=r"(done)
                         : "r"(smem(&word)), "r"(parity)
                         : "memory");
    }
};
static __device__ uint32_t remote(const void *p, int rank)
{
    uint32_t r;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(r) : "r"(smem(p)), "r"(rank));
    return r;
}
static __device__ void arrive_remote(const phase_barrier *b, int rank)
{
    asm volatile(
        "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(remote(&b->word, rank))
        : "memory");
}
static __device__ void bulk_in(void *to, const void *from, int bytes, phase_barrier *b)
{
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
            "r"(smem(to)),
        "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(smem(&b->word))
        : "memory");
}
static __device__ void bulk_out(void *to, const void *from, int bytes)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(
                     __cvta_generic_to_global(to)),
                 "r"(smem(from)), "r"(bytes)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
static __device__ void bulk_over(const void *to, int rank, const void *from, int bytes,
                                 const phase_barrier *b)
{
    asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], "
                 "[%1], %2, [%3];" ::"r"(remote(to, rank)),
                 "r"(smem(from)), "r"(bytes), "r"(remote(&b->word, rank))
                 : "memory");
}
static __device__ void proxy_fence()
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
static __device__ void init_fence()
{
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

#endif
