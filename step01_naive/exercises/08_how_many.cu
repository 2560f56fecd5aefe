/* 08 how many: count before the machine does                         [predict]
 *
 * Given:  twice<<<4, 256>>>(out, x, 1000), as in 02, now with its guard
 * Wanted: four numbers, in the variables below
 *
 * A warp is 32 threads. A warp instruction that loads or stores is one request,
 * unless the guard leaves none of its lanes; a sector is 32 bytes, 8 floats.
 */
// YOURS: 0 is no answer
double warps = 0;             // that the launch starts
double load_requests = 0;     // of x
double store_sectors = 0;     // of out, all requests together
double divergent_warps = 0;   // in which the guard is true for some lanes only

__global__ void twice(float *out, const float *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 2.0f * x[i];
}
