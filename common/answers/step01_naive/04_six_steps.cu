/* Why: cudaMalloc and cudaMemcpy count bytes, and a float has four of them. The first argument of
 * cudaMemcpy is where the bytes go, as in memcpy. */

__global__ void halve(float *out, const float *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 0.5f * x[i];
}

bool halve_on_gpu(float *out, const float *x, int n)
{
    const size_t bytes = n * sizeof(float);
    float *d_x = NULL, *d_out = NULL;
    if (n == 0)
        return true;
    cudaMalloc(&d_x, bytes);
    cudaMalloc(&d_out, bytes);
    cudaMemcpy(d_x, x, bytes, cudaMemcpyHostToDevice);
    halve<<<(n + 255) / 256, 256>>>(d_out, d_x, n);
    cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_x);
    cudaFree(d_out);
    return cudaGetLastError() == cudaSuccess; /* whatever failed above is remembered */
}
