/* fmaxf() prefers numbers to NaN.
 * rejected: wrong result */
__device__ float larger(float a, float b)
{
    return fmaxf(a, b);
}

__global__ void block_max(float *out, const float *x, int n)
{
    __shared__ float s[128];
    const int t = threadIdx.x, i = blockIdx.x * 128 + t;
    s[t] = i < n ? x[i] : -INFINITY;
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
        if (t < half)
            s[t] = larger(s[t], s[t + half]);
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}
