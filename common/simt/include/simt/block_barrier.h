/* simt/block_barrier.h - the barrier of PTX: a word of 8 bytes in shared memory that counts
 * arrivals and goes into its next phase when all have come (mbarrier). On it stand cuda::barrier
 * and cuda::pipeline of the block's scope. All functions take the word's address. */
#ifndef SIMT_BLOCK_BARRIER_H
#define SIMT_BLOCK_BARRIER_H

#include "device.h"

#if defined(__CUDA__)

SIMT_DEVICE unsigned int simt_mbarrier_address(const void *word)
{
    return (unsigned int)__cvta_generic_to_shared(word);
}
SIMT_DEVICE void simt_mbarrier_init(void *word, unsigned int expected)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(simt_mbarrier_address(word)),
                 "r"(expected)
                 : "memory");
}
/* Arrivals give a token that stands for the phase they belong to. */
SIMT_DEVICE unsigned long long simt_mbarrier_arrive(void *word)
{
    unsigned long long token;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];"
                 : "=l"(token)
                 : "r"(simt_mbarrier_address(word))
                 : "memory");
    return token;
}
SIMT_DEVICE unsigned long long simt_mbarrier_arrive(void *word, unsigned int count)
{
    unsigned long long token;
    if (count > 1) { /* all but the last cannot end the phase */
        asm volatile("mbarrier.arrive.noComplete.shared.b64 %0, [%1], %2;"
                     : "=l"(token)
                     : "r"(simt_mbarrier_address(word)), "r"(count - 1)
                     : "memory");
    }
    return simt_mbarrier_arrive(word);
}
SIMT_DEVICE void simt_mbarrier_drop(void *word)
{
    unsigned long long token;
    asm volatile("mbarrier.arrive_drop.shared.b64 %0, [%1];"
                 : "=l"(token)
                 : "r"(simt_mbarrier_address(word))
                 : "memory");
}
SIMT_DEVICE bool simt_mbarrier_test(const void *word, unsigned long long token)
{
    unsigned int done;
    asm volatile(
        "{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
        : "=r"(done)
        : "r"(simt_mbarrier_address(word)), "l"(token)
        : "memory");
    return done != 0;
}
SIMT_DEVICE bool simt_mbarrier_test_parity(const void *word, bool parity)
{
    unsigned int done;
    asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; "
                 "selp.u32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(simt_mbarrier_address(word)), "r"((unsigned int)parity)
                 : "memory");
    return done != 0;
}
/* The phase does not end before the thread's copies (cp.async) have. */
SIMT_DEVICE void simt_mbarrier_await_copies(void *word)
{
    asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(simt_mbarrier_address(word))
                 : "memory");
}

#endif

#endif
