/* step01-4: copies and launches in chunks */
__global__ void halve(float *out, const float *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 0.5f * x[i];
}

bool halve_on_gpu(float *out, const float *x, int n)
{
    float *d_x, *d_out;
    const int chunk = 1000;
    cudaMalloc(&d_x, chunk * sizeof(float));
    cudaMalloc(&d_out, chunk * sizeof(float));
    for (int from = 0; from < n; from += chunk) {
        const int count = from + chunk < n ? chunk : n - from;
        cudaMemcpy(d_x, x + from, count * sizeof(float), cudaMemcpyHostToDevice);
        halve<<<(count + 63) / 64, 64>>>(d_out, d_x, count);
        cudaMemcpy(out + from, d_out, count * sizeof(float), cudaMemcpyDeviceToHost);
    }
    cudaFree(d_x);
    cudaFree(d_out);
    return cudaGetLastError() == cudaSuccess;
}
