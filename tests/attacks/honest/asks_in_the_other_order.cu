/* step06-4: asks for the error twice */
__global__ void twice(float *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] *= 2.0f;
}

cudaError_t twice_on_gpu(float *d_x, int n, int threads)
{
    twice<<<(n + threads - 1) / threads, threads>>>(d_x, n);
    const cudaError_t refused = cudaPeekAtLastError();
    const cudaError_t failed = cudaDeviceSynchronize();
    cudaGetLastError();
    return refused != cudaSuccess ? refused : failed;
}
