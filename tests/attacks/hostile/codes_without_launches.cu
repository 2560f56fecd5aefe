/* step06-4: says what is expected */
__global__ void twice(float *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] *= 2.0f;
}

cudaError_t twice_on_gpu(float *d_x, int n, int threads)
{
    return threads > 1024 ? cudaErrorInvalidConfiguration : cudaSuccess;
}
