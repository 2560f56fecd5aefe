/* Remember: asynchronous data needs two waits: my copies, then all threads. */
#include "common/judge/judge.h"

__global__ void add_neighbours(float *out, const float *x);

void exercise(struct judge *j)
{
    const int n = judge_size_of(j, "n", 1 << 14, 512);
    float *x = judge_floats(j, "x", n), *want = judge_want_floats(j, "out", n);
    for (int i = 0; i < n; i++)
        want[i] = x[i] + x[i / 512 * 512 + (i + 1) % 512];
    if (n > 0)
        add_neighbours<<<n / 512, 128>>>(judge_gpu(j, want), judge_gpu(j, x));
    judge_check(j);
}
