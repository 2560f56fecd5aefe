/* Why: whether a launch is accepted is known at once and asked by cudaGetLastError(); whether the
 * kernel ran well is known when it has ended. One question does not answer the other. */

__global__ void twice(float *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] *= 2.0f;
}

cudaError_t twice_on_gpu(float *d_x, int n, int threads)
{
    twice<<<(n + threads - 1) / threads, threads>>>(d_x, n);
    const cudaError_t refused = cudaGetLastError();
    const cudaError_t failed = cudaDeviceSynchronize();
    return refused != cudaSuccess ? refused : failed;
}
