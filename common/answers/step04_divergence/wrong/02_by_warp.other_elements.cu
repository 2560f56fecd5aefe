/* No warp divides, but the wrong elements get each loop.
 * rejected: wrong result */
__global__ void steps(float *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const int warp = i / 32, lane = i % 32;
    const int e = i + 0 * lane;
    float v = x[e];
    if (warp % 2 == 0)
        for (int s = 0; s < 20; s++)
            v = 0.5f * v + 1.0f;
    else
        for (int s = 0; s < 20; s++)
            v = 0.25f * v - 1.0f;
    x[e] = v;
}
