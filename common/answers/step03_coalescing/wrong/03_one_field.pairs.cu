/* Pairs x, y and pairs z, mass: half of each sector is the other field. */
__host__ __device__ int place(int field, int i, int n)
{
    return field / 2 * 2 * n + 2 * i + field % 2;
}

__global__ void lengths(float *out, const float *points, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const float x = points[place(0, i, n)], // rejected: goal load sectors per request
                y = points[place(1, i, n)];
    out[i] = x * x + y * y;
}
