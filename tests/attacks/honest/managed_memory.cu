/* step01-4: uses managed memory */
__global__ void halve(float *out, const float *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 0.5f * x[i];
}

bool halve_on_gpu(float *out, const float *x, int n)
{
    float *m;
    if (n == 0)
        return true;
    cudaMallocManaged(&m, 8 * n);
    for (int i = 0; i < n; i++)
        m[i] = x[i];
    halve<<<(n + 255) / 256, 256>>>(m + n, m, n);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; i++)
        out[i] = m[n + i];
    cudaFree(m);
    return cudaGetLastError() == cudaSuccess;
}
