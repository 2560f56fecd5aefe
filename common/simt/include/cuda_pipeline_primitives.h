/* cuda_pipeline_primitives.h - copies from global to shared memory that run beside the kernel.
 *
 * A thread starts copies of 4, 8 or 16 bytes, commits them as one batch, and waits until at most
 * so many of its batches are still under way. Other threads see the data after a barrier. */
#ifndef SIMT_CUDA_PIPELINE_PRIMITIVES_H
#define SIMT_CUDA_PIPELINE_PRIMITIVES_H

#include "cuda_runtime.h"

#if defined(__CUDA__)

#define SIMT_CP_ASYNC(cache, bytes)                                                                \
    asm volatile("cp.async." cache ".shared.global [%0], [%1], " #bytes ", %2;" ::"r"(shared),     \
                 "l"(from), "r"((unsigned int)(bytes - zero_fill))                                 \
                 : "memory")

/* The last zero_fill bytes become zero instead of being read. */
SIMT_DEVICE void __pipeline_memcpy_async(void *to, const void *from, size_t bytes,
                                         size_t zero_fill = 0)
{
    unsigned int shared = (unsigned int)__cvta_generic_to_shared(to);
    switch (bytes) {
    case 4:
        SIMT_CP_ASYNC("ca", 4);
        break;
    case 8:
        SIMT_CP_ASYNC("ca", 8);
        break;
    case 16:
        SIMT_CP_ASYNC("cg", 16);
        break;
    default:
        __trap(); /* no other size exists */
    }
}
#undef SIMT_CP_ASYNC

SIMT_DEVICE void __pipeline_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }

/* Waits until at most `batches` batches are under way. PTX wants a constant. */
SIMT_DEVICE void __pipeline_wait_prior(size_t batches)
{
    switch (batches) {
#define SIMT_WAIT(batches)                                                                         \
    case batches:                                                                                  \
        asm volatile("cp.async.wait_group " #batches ";" ::: "memory");                            \
        break;
        SIMT_WAIT(0)
        SIMT_WAIT(1)
        SIMT_WAIT(2)
        SIMT_WAIT(3)
        SIMT_WAIT(4)
        SIMT_WAIT(5)
        SIMT_WAIT(6)
        SIMT_WAIT(7)
#undef SIMT_WAIT
    default:
        asm volatile("cp.async.wait_group 8;" ::: "memory");
    }
}

#endif

#endif
