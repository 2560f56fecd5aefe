/* Every thread takes pairs: only half of each sector is used. */
__global__ void twice(float *out, const float *x, int n)
{
    const int threads = gridDim.x * blockDim.x;
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = 2 * t; i < n; i += 2 * threads)
        for (int e = i; e < i + 2 && e < n; e++)
            out[e] = 2.0f * x[e]; // rejected: goal load sectors per request
}
