/* Remember: publish with store, fence, atomic; consume with atomic, fence, load. */
#include "common/judge/judge.h"

__global__ void total(float *out, float *part, unsigned *tickets, const float *x, int n);

void exercise(struct judge *j)
{
    const int n = judge_size(j, "n", 1 << 12), blocks = 1 + judge_random(j, 3, 20);
    float *x = judge_floats(j, "x", n), *want = judge_want_floats(j, "out", 1);
    float *part = judge_scratch_floats(j, "part", blocks);
    int *tickets = judge_want_ints(j, "tickets", 1), *zero = judge_ints(j, "zero", 1, 0, 0);
    judge_start(j, tickets, zero);
    tickets[0] = blocks;
    judge_tolerance(j, want, 1e-3, 1e-5);
    for (int i = 0; i < n; i++)
        want[0] += x[i];
    total<<<blocks, 1>>>(judge_gpu(j, want), judge_gpu(j, part), (unsigned *)judge_gpu(j, tickets),
                         judge_gpu(j, x), n);
    judge_check(j);
    if (judge_fences(j, 2) < 2)
        judge_reject(j, "right here, but one fence is missing: the last block draws its ticket and reads the parts; "
                        "what keeps these reads from coming first?");
}
