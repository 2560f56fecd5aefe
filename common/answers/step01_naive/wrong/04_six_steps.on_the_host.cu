/* The CPU may do it, but host memory is not the GPU's: the kernel gets the host's pointers. */
__global__ void halve(float *out, const float *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 0.5f * x[i]; // rejected: memory error
}

bool halve_on_gpu(float *out, const float *x, int n)
{
    if (n == 0)
        return true;
    halve<<<(n + 255) / 256, 256>>>(out, x, n);
    return cudaDeviceSynchronize() == cudaSuccess;
}
