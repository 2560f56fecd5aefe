/* 01 sequential: which threads add, and which elements?              [cheaper]
 *
 * Given:  the sum of 256 elements a block, by a tree; thread t adds at 2 t step
 * Wanted: the same sums without bank conflicts: in each round the first half of
 *         what is left adds the second half
 *
 *    now, step 2:   s[0] += s[2]   s[4] += s[6]   s[8] += s[10]   4 words apart
 *    wanted, half 64:   s[t] += s[t + 64]                        side by side
 *
 * goal: bank conflicts = 0
 * goal: barriers per warp <= 9
 */
__global__ void block_sums(float *out, const float *x, int n)
{
    __shared__ float s[256];
    const int t = threadIdx.x, i = blockIdx.x * 256 + t;
    s[t] = i < n ? x[i] : 0.0f;
    __syncthreads();
    for (int step = 1; step < 256; step *= 2) { // YOURS: another order
        const int k = 2 * t * step;
        if (k < 256)
            s[k] += s[k + step];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}
