/* 04 six steps: allocate, copy, launch, check, copy back, free        [repair]
 *
 * Given:  x and out, n floats each in the memory of the host
 * Wanted: out[i] = x[i] / 2, computed on the GPU; true if nothing failed
 *
 * Two mistakes: one stands in a single step, the other in every step that says
 * how much memory it means. The compiler cannot see either.
 */
__global__ void halve(float *out, const float *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 0.5f * x[i];
}

bool halve_on_gpu(float *out, const float *x, int n)
{
    // YOURS: six steps, two mistakes
    float *d_x = NULL, *d_out = NULL;
    if (n == 0)
        return true;
    cudaMalloc(&d_x, n);
    cudaMalloc(&d_out, n);
    cudaMemcpy(d_x, x, n, cudaMemcpyHostToDevice);
    halve<<<(n + 255) / 256, 256>>>(d_out, d_x, n);
    cudaMemcpy(d_out, out, n, cudaMemcpyDeviceToHost);
    cudaFree(d_x);
    cudaFree(d_out);
    return cudaGetLastError() == cudaSuccess;
}
