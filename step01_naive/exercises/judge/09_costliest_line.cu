/* Remember: what stands beside threadIdx.x in an index decides what a request costs. */
#include "common/judge/judge.h"

__global__ void mix(float *out, const float *a, const float *b, const float *c);
extern int line;

void exercise(struct judge *j)
{
    if (!judge_large(j))
        return;
    judge_read(j, line);
    const int n = 128;
    float *a = judge_floats(j, "a", n * n), *b = judge_floats(j, "b", n * n);
    float *c = judge_floats(j, "c", n * n), *want = judge_want_floats(j, "out", n * n);
    judge_tolerance(j, want, 1e-5, 0);
    for (int i = 0; i < n * n; i++)
        want[i] = a[i] + b[i % n * n + i / n] + c[i / n * n];
    mix<<<dim3(4, 16), dim3(32, 8)>>>(judge_gpu(j, want), judge_gpu(j, a), judge_gpu(j, b),
                                      judge_gpu(j, c));
    judge_check(j);
    judge_which_line(j, "sectors", line);
}
