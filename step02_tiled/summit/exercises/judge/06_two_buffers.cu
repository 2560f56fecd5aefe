/* Remember: wait for your own copies, then at a barrier: now the others' copies are there, too. A
 * second barrier keeps all threads from refilling what is still read. */
#include "common/judge/judge.h"

__global__ void add_up(float *out, const float *x, int tiles);

void exercise(struct judge *j)
{
    const int tiles = judge_size(j, "tiles", 24);
    float *x = judge_floats(j, "x", tiles * 128), *want = judge_want_floats(j, "out", 128);
    for (int t = 0; t < tiles; t++)
        for (int i = 0; i < 128; i++)
            want[i] += x[t * 128 + i] + x[t * 128 + (i + 1) % 128];
    add_up<<<1, 128>>>(judge_gpu(j, want), judge_gpu(j, x), tiles);
    judge_check(j);
}
