/* Remember: grid stride for any n, float4 for fewer requests, and a guard for the rest. */
#include "common/judge/judge.h"

__global__ void sums(float *out, const float *x, int n);

void exercise(struct judge *j)
{
    const int n = judge_size(j, "n", (1 << 16) + 3);
    float *x = judge_floats(j, "x", n), *out = judge_scratch_floats(j, "out", 2048);
    double want = 0.0, got = 0.0;
    for (int i = 0; i < n; i++)
        want += x[i];
    sums<<<8, 256>>>(judge_gpu(j, out), judge_gpu(j, x), n);
    judge_check(j);
    const float *sum = (const float *)judge_got(j, out);
    for (int t = 0; t < 2048; t++)
        got += sum[t];
    if (!(got >= want - 0.01 && got <= want + 0.01))
        judge_reject(j, "the sum of out[0] to out[2047] is %.6g and should be %.6g", got, want);
}
