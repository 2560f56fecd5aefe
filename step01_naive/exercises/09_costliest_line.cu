/* 09 costliest line: which line asks for most sectors?             [which line]
 *
 * Given:  a kernel that makes one matrix of three, 128 x 128 each, with blocks
 *         of 32 x 8 threads: a warp is 32 neighbours in x
 * Wanted: the number of the line that touches most sectors
 *
 * Reading is not running: think of the 32 addresses of one warp in each line.
 */
int line = 0; // YOURS: a line number of this file

__global__ void mix(float *out, const float *a, const float *b, const float *c)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = a[y * 128 + x];
    sum += b[x * 128 + y];
    sum += c[y * 128];
    out[y * 128 + x] = sum;
}
