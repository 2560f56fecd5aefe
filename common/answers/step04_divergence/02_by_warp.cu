/* Why: two warps share 64 elements: the even one takes those at even places, the odd one the
 * others. The condition depends on the warp alone, so each warp goes one way. The price: lanes lie
 * two floats apart, 8 sectors a request instead of 4; worth it where the arms are long. */

__global__ void steps(float *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const int warp = i / 32, lane = i % 32;
    const int e = 64 * (warp / 2) + 2 * lane + warp % 2;
    float v = x[e];
    if (warp % 2 == 0)
        for (int s = 0; s < 20; s++)
            v = 0.5f * v + 1.0f;
    else
        for (int s = 0; s < 20; s++)
            v = 0.25f * v - 1.0f;
    x[e] = v;
}
