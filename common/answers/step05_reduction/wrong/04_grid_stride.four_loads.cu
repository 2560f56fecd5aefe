/* Four neighbours a thread, and four requests. */
__global__ void sums(float *out, const float *x, int n)
{
    const int threads = gridDim.x * blockDim.x;
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int v = t; v < n / 4; v += threads) {
        const float *f = x + 4 * v;
        for (int e = 0; e < 4; e++)
            sum += f[e]; // rejected: goal load requests
    }
    if (n / 4 * 4 + t < n)
        sum += x[n / 4 * 4 + t];
    out[t] = sum;
}
