/* reduction.c - the arithmetic of launches that all rungs share. */
#include "step05_reduction/harness/reduction.h"

/* The sum is taken in 64 bits: n + block can exceed 2^32 in none of our uses, but why wonder. */
unsigned pass_blocks(unsigned n, unsigned block, unsigned per_thread)
{
    const uint64_t per_block = (uint64_t)block * per_thread;
    return (unsigned)((n + per_block - 1) / per_block);
}

/* A block of one thread with one element copies it: the passes after the first then need two
 * threads, or there would always be another pass. */
unsigned next_pass_block(unsigned block, unsigned per_thread)
{
    return block * per_thread == 1 ? 2 : block;
}

unsigned blocks_held(const struct reduction *r)
{
    const unsigned per_sm = r->threads_per_sm / r->block;
    return r->sms * (per_sm > 0 ? per_sm : 1);
}

void reduction_launched(struct reduction *r)
{
    r->launches++;
    struct launch_counters last;
    if (!r->tally || !counters_last_launch(&last))
        return;
#define COUNTER(field, unit, metric) r->tally->field += last.field;
#include "common/simt/base/counters.def"
#undef COUNTER
}
