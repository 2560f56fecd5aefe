/* 02 first add: add while loading                                       [fill]
 *
 * Given:  blocks of 256 threads, each now for 512 elements; in the tree half of
 *         the threads would be idle from the first round on
 * Wanted: each thread loads two elements and stores their sum; any n
 *
 *    |0 ... 255|256 ... 511|        thread t: x[begin + t] + x[begin + t + 256]
 *     t          t + 256
 *
 * goal: load sectors per request <= 4
 */
__global__ void block_sums(float *out, const float *x, int n)
{
    __shared__ float s[256];
    const int t = threadIdx.x;
    s[t] = 0.0f; // YOURS: the sum of this thread's two elements
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half)
            s[t] += s[t + half];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}
