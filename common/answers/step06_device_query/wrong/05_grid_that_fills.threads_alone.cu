/* Thread slots are not all that a block needs.
 * rejected: wrong result */
__global__ void kernel(float *x, int n)
{
    extern __shared__ float stage[];
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * blockDim.x) {
        stage[threadIdx.x] = x[i];
        x[i] = 2.0f * stage[threadIdx.x];
    }
}

int grid_for(int threads, size_t shared_bytes)
{
    int device = 0, sms = 0, blocks = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    blocks = shared_bytes > 0 ? 2048 / threads : 0;
    return sms * blocks;
}
