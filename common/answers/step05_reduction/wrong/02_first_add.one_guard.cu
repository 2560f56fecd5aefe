/* Asks for the first element only. */
__global__ void block_sums(float *out, const float *x, int n)
{
    __shared__ float s[256];
    const int t = threadIdx.x, i = blockIdx.x * 512 + t;
    s[t] = (i < n ? x[i] : 0.0f) + (i < n ? x[i + 256] : 0.0f); // rejected: memory error
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half)
            s[t] += s[t + half];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}
