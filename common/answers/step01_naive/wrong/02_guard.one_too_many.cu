/* n elements end at n - 1. */
__global__ void twice(float *out, const float *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n)
        out[i] = 2.0f * x[i]; // rejected: memory error
}
