/* step01-4: launches by the function, not by the brackets */
__global__ void halve(float *out, const float *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 0.5f * x[i];
}

bool halve_on_gpu(float *out, const float *x, int n)
{
    float *d_x, *d_out;
    if (n == 0)
        return true;
    cudaMalloc(&d_x, 4 * n);
    cudaMalloc(&d_out, 4 * n);
    cudaMemcpy(d_x, x, 4 * n, cudaMemcpyHostToDevice);
    void *arguments[] = {&d_out, &d_x, &n};
    if (cudaLaunchKernel((const void *)halve, dim3((n + 255) / 256), dim3(256), arguments, 0, 0) != cudaSuccess)
        return false;
    cudaMemcpy(out, d_out, 4 * n, cudaMemcpyDeviceToHost);
    cudaFree(d_x);
    cudaFree(d_out);
    return true;
}
