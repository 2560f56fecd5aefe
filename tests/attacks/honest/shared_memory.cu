/* step01-2: goes by shared memory */
__global__ void twice(float *out, const float *x, int n)
{
    __shared__ float part[256];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < n ? x[i] : 0.0f;
    __syncthreads();
    if (i < n)
        out[i] = part[threadIdx.x] + part[threadIdx.x];
}
