/* step03-3: computes places out of every array */
__host__ __device__ int place(int field, int i, int n)
{
    return field * i * 1000003 - n;
}

__global__ void lengths(float *out, const float *points, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = points[i];
}
