/* One buffer and one barrier: some read what is new already. */
__global__ void scan(float *out, const float *x, int n)
{
    __shared__ float s[2][256];
    const int t = threadIdx.x, i = blockIdx.x * 256 + t;
    s[0][t] = i < n ? x[i] : 0.0f;
    __syncthreads();
    int from = 0;
    for (int d = 1; d < 256; d *= 2) {
        s[0][t] = t >= d ? s[0][t] + s[0][t - d] : s[0][t]; // rejected: race
        __syncthreads();
    }
    if (i < n)
        out[i] = s[from][t];
}
