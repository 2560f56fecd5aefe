/* Why: both outcomes cost a few instructions; a select picks one without a jump, so no lane waits
 * for another. Compilers do this by themselves for short arms (predication); the empty asm
 * statements in the exercise kept them from it. */

__global__ void count_steps(int *steps, const int *start, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int v = start[i];
    for (int s = 0; s < 32; s++) {
        const int half = v / 2, more = 3 * v + 1;
        v = v % 2 == 0 ? half : more;
    }
    steps[i] = v;
}
