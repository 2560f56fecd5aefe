/* Why: a block of 256 needs 264 elements: 3 per cent more than its own, instead of nine times as
 * many. The halo costs two requests of a sector a block.
 *
 * Remember: load a tile with its halo once, synchronise, and compute from shared memory. */
#ifndef JUDGE

enum { RADIUS = 4, BLOCK = 256 };

__global__ void smooth(float *out, const float *in, int n)
{
    __shared__ float s[BLOCK + 2 * RADIUS];
    const int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
    s[t + RADIUS] = i < n ? in[i] : 0.0f;
    if (t < RADIUS) {
        s[t] = i >= RADIUS ? in[i - RADIUS] : 0.0f;
        s[t + RADIUS + BLOCK] = i + BLOCK < n ? in[i + BLOCK] : 0.0f;
    }
    __syncthreads();
    float sum = 0.0f;
    for (int d = -RADIUS; d <= RADIUS; d++)
        sum += s[t + RADIUS + d];
    if (i < n)
        out[i] = sum / 9.0f;
}

#else
#include "common/judge/judge.h"

__global__ void smooth(float *out, const float *in, int n);

void exercise(struct judge *j)
{
    const int n = judge_size(j, "n", 1 << 14);
    float *in = judge_floats(j, "in", n), *want = judge_want_floats(j, "out", n);
    judge_tolerance(j, want, 1e-5, 1e-5);
    for (int i = 0; i < n; i++) {
        for (int e = i - 4; e <= i + 4; e++)
            want[i] += e >= 0 && e < n ? in[e] : 0.0f;
        want[i] /= 9.0f;
    }
    smooth<<<judge_blocks(n, 256), 256>>>(judge_gpu(j, want), judge_gpu(j, in), n);
    judge_check(j);
}

#endif
