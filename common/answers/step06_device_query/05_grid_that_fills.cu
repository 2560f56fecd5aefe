/* Why: the grid is then resident as a whole: no block waits for a slot, and there is no last wave
 * that fills the GPU only in part. The loop takes care of any n. */

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
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads,
                                                  shared_bytes);
    return sms * blocks;
}
