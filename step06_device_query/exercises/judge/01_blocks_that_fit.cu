/* Remember: the scarcest of four resources decides, in whole blocks. */
#include "common/judge/judge.h"

extern double blocks_a, blocks_b, blocks_c, blocks_d;

static double fit(int threads, int registers, int shared_bytes)
{
    int blocks = 8;
    blocks = 1536 / threads < blocks ? 1536 / threads : blocks;
    blocks = 16384 / (threads * registers) < blocks ? 16384 / (threads * registers) : blocks;
    if (shared_bytes > 0)
        blocks = 16384 / shared_bytes < blocks ? 16384 / shared_bytes : blocks;
    return blocks;
}

static const char think[] =
    "Four quotients, rounded down: threads, block slots, registers (threads times registers "
    "of a thread), shared memory. The smallest is the answer.";

void exercise(struct judge *j)
{
    judge_read(j, blocks_a);
    judge_read(j, blocks_b);
    judge_read(j, blocks_c);
    judge_read(j, blocks_d);
    judge_predict(j, "blocks_a", blocks_a, fit(256, 10, 0), think);
    judge_predict(j, "blocks_b", blocks_b, fit(256, 12, 0), think);
    judge_predict(j, "blocks_c", blocks_c, fit(128, 10, 2048), think);
    judge_predict(j, "blocks_d", blocks_d, fit(512, 11, 0), think);
}
