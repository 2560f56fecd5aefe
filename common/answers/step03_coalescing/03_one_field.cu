/* Why: a warp reads x of 32 points: as structs of 16 bytes they lie in 16 sectors, of which it uses
 * a quarter; as an array of their own in 4, all of it used. n is a multiple of 8 here, so that each
 * array begins at a sector. */

__host__ __device__ int place(int field, int i, int n)
{
    return field * n + i;
}

__global__ void lengths(float *out, const float *points, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const float x = points[place(0, i, n)], y = points[place(1, i, n)];
    out[i] = x * x + y * y;
}
