/* Everyone adds: what a thread reads, another is overwriting. */
__global__ void block_sums(float *out, const float *x, int n)
{
    __shared__ float s[256];
    const int t = threadIdx.x, i = blockIdx.x * 256 + t;
    s[t] = i < n ? x[i] : 0.0f;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t + half < 256)
            s[t] += s[t + half]; // rejected: race
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}
