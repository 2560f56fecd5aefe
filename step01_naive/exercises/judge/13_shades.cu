/* Remember: where several threads change one place, only an atomic operation is right. */
#include "common/judge/judge.h"

__global__ void shades(int *count, const int *shade, int n);

void exercise(struct judge *j)
{
    const int n = judge_size(j, "n", 1 << 14);
    int *shade = judge_ints(j, "shade", n, 0, 15), *want = judge_want_ints(j, "count", 16);
    int *zero = judge_ints(j, "zero", 16, 0, 0);
    judge_start(j, want, zero);
    for (int i = 0; i < n; i++)
        want[shade[i]]++;
    shades<<<judge_blocks(n, 256), 256>>>(judge_gpu(j, want), judge_gpu(j, shade), n);
    judge_check(j);
}
