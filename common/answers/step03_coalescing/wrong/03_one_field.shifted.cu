/* One too many: fits nowhere at the end.
 * rejected: wrong result */
__host__ __device__ int place(int field, int i, int n)
{
    return field * n + i + 1;
}

__global__ void lengths(float *out, const float *points, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const float x = points[place(0, i, n)], y = points[place(1, i, n)];
    out[i] = x * x + y * y;
}
