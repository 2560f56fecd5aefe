/* 06 select: a short branch that is none                             [cheaper]
 *
 * Given:  32 times: an even number is halved, an odd one becomes 3 v + 1. Lanes
 *         disagree about nearly every step.
 * Wanted: the same without a branch: compute both, keep one. An arm this short
 *         costs less than the branch that would skip it.
 *
 *     v % 2 == 0 ?    |---- v / 2 ----|
 *                     |-- 3 v + 1 ----|    all lanes do both
 *                     |- which one? --|
 *
 * goal: divergent branches = 0
 */
__global__ void count_steps(int *steps, const int *start, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int v = start[i];
    for (int s = 0; s < 32; s++) {
        if (v % 2 == 0) { // YOURS
            v = v / 2;
            asm volatile("" : "+r"(v)); // (keeps compilers from doing it)
        } else {
            v = 3 * v + 1;
            asm volatile("" : "+r"(v));
        }
    }
    steps[i] = v;
}
