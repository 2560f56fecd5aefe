/* Why: thread t works at word t, so neighbours are in neighbouring banks in every round. With 2 t
 * step they lie 2, 4, ... 32 words apart, and up to 32 of them share a bank. */

__global__ void block_sums(float *out, const float *x, int n)
{
    __shared__ float s[256];
    const int t = threadIdx.x, i = blockIdx.x * 256 + t;
    s[t] = i < n ? x[i] : 0.0f;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half)
            s[t] += s[t + half];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}
