/* NaN is right, the neutral element is that of a sum.
 * rejected: wrong result */
__device__ float larger(float a, float b)
{
    return a > b || isnan(a) ? a : b;
}

__global__ void block_max(float *out, const float *x, int n)
{
    __shared__ float s[128];
    const int t = threadIdx.x, i = blockIdx.x * 128 + t;
    s[t] = i < n ? x[i] : 0.0f;
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
        if (t < half)
            s[t] = larger(s[t], s[t + half]);
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}
