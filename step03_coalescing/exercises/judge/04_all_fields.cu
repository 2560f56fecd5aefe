/* Remember: where all fields are used, an array of structs wastes nothing if it is read in
 * wide pieces. */
#include "common/judge/judge.h"

struct particle;
__global__ void energy(float *out, const particle *p, int n);

void exercise(struct judge *j)
{
    const int n = judge_size(j, "n", 1 << 13);
    float *p = judge_floats(j, "p", 8 * n), *want = judge_want_floats(j, "out", n);
    judge_tolerance(j, want, 1e-5, 1e-5);
    for (int i = 0; i < n; i++) {
        const float *q = p + 8 * i;
        want[i] = q[3] * (q[4] * q[4] + q[5] * q[5] + q[6] * q[6]) + q[7] * (q[0] + q[1] + q[2]);
    }
    energy<<<judge_blocks(n, 256), 256>>>(judge_gpu(j, want), (const particle *)judge_gpu(j, p), n);
    judge_check(j);
}
