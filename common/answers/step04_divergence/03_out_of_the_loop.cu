/* Why: lanes of both kinds meet again behind the short branch and go through the loop together.
 * Before, the warp issued the loop twice, each time with about half of its lanes. */

__global__ void polish(float *x, int n, int rounds)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float v = x[i];
    if (v < 0.0f) {
        v = -v;
    }
    for (int s = 0; s < rounds; s++)
        v = 0.99f * (v + 0.01f / (v + 1.0f));
    x[i] = v;
}
