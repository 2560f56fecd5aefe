/* 04 refused: a launch that does not take place                       [repair]
 *
 * Given:  a block may have 1024 threads. Asked for 2048, the launch is refused,
 *         nothing runs, and twice_on_gpu() says cudaSuccess.
 * Wanted: the error of the launch, if it was refused, else that of the run. An
 *         error that was reported once must not be reported by the next call.
 *
 *    launch  --refused-->  cudaGetLastError()
 *            --runs----->  cudaDeviceSynchronize()
 */
__global__ void twice(float *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] *= 2.0f;
}

cudaError_t twice_on_gpu(float *d_x, int n, int threads)
{
    twice<<<(n + threads - 1) / threads, threads>>>(d_x, n);
    return cudaDeviceSynchronize(); // YOURS: this asks one question of two
}
