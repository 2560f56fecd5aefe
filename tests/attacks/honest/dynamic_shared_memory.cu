/* step01-4: asks for shared memory at the launch */
__global__ void by_shared(float *out, const float *x, int n)
{
    extern __shared__ float part[];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < n ? x[i] : 0.0f;
    __syncthreads();
    if (i < n)
        out[i] = 0.5f * part[threadIdx.x];
}

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
    cudaMalloc((void **)&d_x, 4 * n);
    cudaMalloc((void **)&d_out, 4 * n);
    cudaMemcpy(d_x, x, 4 * n, cudaMemcpyHostToDevice);
    by_shared<<<(n + 255) / 256, 256, 256 * sizeof(float)>>>(d_out, d_x, n);
    cudaMemcpy(out, d_out, 4 * n, cudaMemcpyDeviceToHost);
    cudaFree(d_x);
    cudaFree(d_out);
    return cudaGetLastError() == cudaSuccess;
}
