/* x walks down the columns: right, and each request touches many sectors. */

__global__ void mirror(float *out, const float *in, int width, int height)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    const int column = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < height && column < width)
        out[row * width + column] = in[row * width + width - 1 - column]; // rejected: goal sectors per request
}

bool mirror_on_gpu(float *out, const float *in, int width, int height)
{
    const size_t bytes = sizeof(float) * width * height;
    float *d_out = NULL, *d_in = NULL;
    if (bytes == 0)
        return true;
    cudaMalloc(&d_out, bytes);
    cudaMalloc(&d_in, bytes);
    cudaMemcpy(d_in, in, bytes, cudaMemcpyHostToDevice);
    const dim3 block(32, 8), grid((height + 31) / 32, (width + 7) / 8);
    mirror<<<grid, block>>>(d_out, d_in, width, height);
    cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_out);
    cudaFree(d_in);
    return cudaGetLastError() == cudaSuccess;
}
