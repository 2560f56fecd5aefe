/* 03 one field: structs in an array, or arrays in a struct           [cheaper]
 *
 * Given:  n points with four fields x, y, z, mass in an array of 4 n floats;
 *         place() says where a field of point i lies, for host and kernel alike
 * Wanted: another place, so that a warp that reads one field of 32 points
 *         touches nothing else
 *
 *    now:     x0 y0 z0 m0 x1 y1 z1 m1 x2 ...       an array of structs
 *    wanted:  x0 x1 x2 ... y0 y1 y2 ... z0 ...     a struct of arrays
 *
 * goal: load sectors per request <= 4
 */
__host__ __device__ int place(int field, int i, int n)
{
    return 4 * i + field; // YOURS: where does x of the next point lie?
}

__global__ void lengths(float *out, const float *points, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const float x = points[place(0, i, n)], y = points[place(1, i, n)];
    out[i] = x * x + y * y;
}
