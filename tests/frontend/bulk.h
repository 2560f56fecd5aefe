/* bulk.h - mbarriers and clusters in PTX, for the tests of copies by the bulk engines. */
#ifndef TESTS_BULK_H
#define TESTS_BULK_H

typedef unsigned long long u64;

__device__ static unsigned shared_address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

__device__ static void init(u64 *bar, unsigned count)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(bar)), "r"(count) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

__device__ static void expect(u64 *bar, unsigned bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(bar)), "r"(bytes)
                 : "memory");
}

__device__ static void wait(u64 *bar, unsigned parity)
{
    asm volatile("{ .reg .pred p;\n"
                 "again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
                 "@!p bra again; }" ::"r"(shared_address(bar)),
                 "r"(parity)
                 : "memory");
}

__device__ static void sync_cluster(void)
{
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

__device__ static void commit_and_wait(void)
{
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

#endif
