/* Why: the ballot tells every lane who has work, so each finds its place in the list by counting
 * the bits below its own. The list is then worked through by 32 lanes at a time, all of them busy
 * but in the last round.
 *
 * Remember: compact first, work afterwards: finding work is cheap, idling through it is not. */
#ifndef JUDGE

__device__ float work(float v)
{
    for (int s = 0; s < 160; s++)
        v = 0.5f * v + 1.0f / (1.0f + v * v);
    return v;
}

// Blocks of one warp, each with 1024 elements; x[i] < 0 stays as it is.
__global__ void some_work(float *x, int n)
{
    __shared__ int list[1024];
    const int lane = threadIdx.x;
    int count = 0;
    for (int k = 0; k < 32; k++) {
        const int i = blockIdx.x * 1024 + 32 * k + lane;
        const bool mine = i < n && x[i] >= 0.0f;
        const unsigned vote = __ballot_sync(0xffffffff, mine);
        if (mine)
            list[count + __popc(vote & ((1u << lane) - 1))] = i;
        count += __popc(vote);
    }
    __syncwarp();
    for (int e = lane; e < count; e += 32)
        x[list[e]] = work(x[list[e]]);
}

#else
#include "common/judge/judge.h"

__global__ void some_work(float *x, int n);

void exercise(struct judge *j)
{
    const int n = judge_size(j, "n", 1 << 13);
    float *want = judge_want_floats(j, "x", n), *before = judge_floats(j, "before", n);
    for (int i = 0; i < n; i++) {
        before[i] -= 0.35f;
        want[i] = before[i];
        for (int s = 0; s < 160 && before[i] >= 0.0f; s++)
            want[i] = 0.5f * want[i] + 1.0f / (1.0f + want[i] * want[i]);
    }
    judge_start(j, want, before);
    judge_tolerance(j, want, 1e-5, 1e-5);
    some_work<<<judge_blocks(n, 1024), 32>>>(judge_gpu(j, want), n);
    judge_check(j);
}

#endif
