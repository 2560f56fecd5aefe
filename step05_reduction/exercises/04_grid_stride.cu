/* 04 grid stride: many elements a thread, four at a time             [cheaper]
 *
 * Given:  2048 threads, each adds up elements t, t + 2048, t + 4096, ...
 * Wanted: each thread's sum goes to out[t], and only the sum of all of them is
 *         judged, so the elements may be shared out otherwise: as float4, a
 *         quarter of the requests. Any n.
 *
 *    |t=0        |t=1        | ...  |t=2047     |t=0        | ...
 *    |x[0] .. [3]|x[4] .. [7]|                               the last n % 4?
 *
 * goal: load requests <= n / 128 + 64
 * goal: load sectors per request <= 16
 */
__global__ void sums(float *out, const float *x, int n)
{
    const int threads = gridDim.x * blockDim.x;
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int i = t; i < n; i += threads) // YOURS: 16 bytes a load
        sum += x[i];
    out[t] = sum;
}
