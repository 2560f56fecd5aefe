/* Two questions one after the other instead of if and else: each loop is still for half of the
 * lanes. */
__global__ void polish(float *x, int n, int rounds)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float v = x[i];
    const bool negative = v < 0.0f;
    if (negative) {
        v = -v;
        for (int s = 0; s < rounds; s++)
            v = 0.99f * (v + 0.01f / (v + 1.0f)); // rejected: goal instructions per warp
    }
    if (!negative)
        for (int s = 0; s < rounds; s++)
            v = 0.99f * (v + 0.01f / (v + 1.0f));
    x[i] = v;
}
