/* step01-8: guesses by another type */
int warps = 32, load_requests = 32, store_sectors = 125, divergent_warps = 1;
__global__ void twice(float *out, const float *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 2.0f * x[i];
}
