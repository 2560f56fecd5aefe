/* passes.cuh - launches a block-sized kernel until one result is left. Called by rungs_block.cu and
 * sabotaged.cu. */
#ifndef PASSES_CUH
#define PASSES_CUH

#include "step05_reduction/harness/reduction.h"

/* The partial results go to and fro between two buffers. `blocks_of` is pass_blocks(), or what a
 * sabotaged rung takes for it; no blocks at all end the passes as well. */
template <typename T>
static void reduce_in_passes(void (*kernel)(const T *, unsigned, T *), unsigned per_thread,
                             unsigned (*blocks_of)(unsigned, unsigned, unsigned),
                             struct reduction *r)
{
    const T *in = (const T *)r->d_in;
    unsigned n = r->n, block = r->block;
    r->launches = 0;
    for (;;) {
        const unsigned blocks = blocks_of(n, block, per_thread);
        if (blocks == 0)
            return;
        T *out = (T *)(blocks == 1 ? r->d_out : r->d_partials[r->launches % 2]);
        kernel<<<blocks, block>>>(in, n, out);
        reduction_launched(r);
        if (blocks == 1)
            return;
        in = out;
        n = blocks;
        block = next_pass_block(block, per_thread);
    }
}

#endif
