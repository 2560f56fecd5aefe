/* Polishes only what was negative.
 * rejected: wrong result */
__global__ void polish(float *x, int n, int rounds)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float v = x[i];
    if (v < 0.0f)
        v = -v;
    else
        rounds = 0;
    for (int s = 0; s < rounds; s++)
        v = 0.99f * (v + 0.01f / (v + 1.0f));
    x[i] = v;
}
