/* Remember: i = blockIdx.x * blockDim.x + threadIdx.x is the line that almost every kernel begins
 * with. */
#include "common/judge/judge.h"

__global__ void number(float *out, int n);

void exercise(struct judge *j)
{
    const int n = judge_size(j, "n", 1 << 16);
    float *want = judge_want_floats(j, "out", n);
    for (int i = 0; i < n; i++)
        want[i] = (float)i;
    number<<<judge_blocks(n, 256), 256>>>(judge_gpu(j, want), n);
    judge_check(j);
    /* Thread t of block b may have taken another element than b * 256 + t: then a warp's stores lie apart. */
    if (judge_large(j) && judge_metric(j, "store sectors per request") > 4.0)
        judge_reject(j, "all elements are right, but not each thread has its own element: "
                        "neighbouring threads of a block are to write neighbouring elements");
}
