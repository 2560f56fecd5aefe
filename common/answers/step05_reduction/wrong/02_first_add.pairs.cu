/* Takes neighbours: right, and every other float of a sector in vain. */
__global__ void block_sums(float *out, const float *x, int n)
{
    __shared__ float s[256];
    const int t = threadIdx.x, i = blockIdx.x * 512 + 2 * t;
    s[t] = (i < n ? x[i] : 0.0f) + (i + 1 < n ? x[i + 1] : 0.0f); // rejected: goal load sectors per request
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half)
            s[t] += s[t + half];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}
