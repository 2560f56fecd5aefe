/* 01 neighbours: whose element comes next?                           [cheaper]
 *
 * Given:  1024 threads for n elements. As a CPU would, each takes a chunk of
 *         its own: thread t does elements t * chunk to (t + 1) * chunk - 1.
 * Wanted: the same work shared out so that in each round the 32 threads of a
 *         warp have neighbouring elements
 *
 *    chunk:  |0 0 0 0 0 0|1 1 1 1 1 1|2 2 2 ...      which thread does it
 *    wanted: |0 1 2 3 4 5 ... 31|32 ... 1023|0 1 2 ...
 *
 * goal: load sectors per request <= 4
 * goal: store sectors per request <= 4
 * goal: store requests <= n / 32 + 32
 */
__global__ void twice(float *out, const float *x, int n)
{
    const int threads = gridDim.x * blockDim.x;
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    const int chunk = (n + threads - 1) / threads;
    // YOURS: where thread t begins, and how far its next element is
    for (int i = t * chunk; i < n && i < (t + 1) * chunk; i++)
        out[i] = 2.0f * x[i];
}
