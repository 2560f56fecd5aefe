/* Remember: load a tile with its halo once, synchronise, and compute from shared memory. */
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
