/* The first half of a warp does even places, the second odd ones: it divides as before. */
__global__ void steps(float *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const int e = i / 32 * 32 + 2 * (i % 16) + i % 32 / 16;
    float v = x[e];
    if (e % 2 == 0) // rejected: goal divergent branches
        for (int s = 0; s < 20; s++)
            v = 0.5f * v + 1.0f;
    else
        for (int s = 0; s < 20; s++)
            v = 0.25f * v - 1.0f;
    x[e] = v;
}
