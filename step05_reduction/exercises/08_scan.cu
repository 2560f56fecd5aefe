/* 08 scan: all sums at once                                             [fill]
 *
 * Given:  s[0] holds a block's 256 elements; s[1] is room for the next round
 * Wanted: out[i] = the sum of the block's elements up to and including i. In
 *         round d = 1, 2, 4, ... each element adds the one d places before it.
 *
 *    x        1   2   3   4   5
 *    d = 1    1   3   5   7   9
 *    d = 2    1   3   6  10  14
 *    d = 4    1   3   6  10  15      the next round reads what this one wrote
 *
 * goal: barriers per warp <= 9
 */
__global__ void scan(float *out, const float *x, int n)
{
    __shared__ float s[2][256];
    const int t = threadIdx.x, i = blockIdx.x * 256 + t;
    s[0][t] = i < n ? x[i] : 0.0f;
    __syncthreads();
    int from = 0;
    for (int d = 1; d < 256; d *= 2) {
        // YOURS: from s[from] to the other one, which is then the next `from`
    }
    if (i < n)
        out[i] = s[from][t];
}
