/* 06 maximum with nan: what compares with nothing                     [repair]
 *
 * Given:  the greatest of 128 elements a block. It is wrong for a last block of
 *         negative numbers, and for a NaN among the elements.
 * Wanted: the greatest that there is; NaN, if one of them is NaN
 *
 *    a > b is false if either is NaN. fmaxf() takes the other one instead.
 *    What is neutral for a maximum, as 0 is for a sum?
 */
__device__ float larger(float a, float b)
{
    return a > b ? a : b; // YOURS: here, and one number below
}

__global__ void block_max(float *out, const float *x, int n)
{
    __shared__ float s[128];
    const int t = threadIdx.x, i = blockIdx.x * 128 + t;
    s[t] = i < n ? x[i] : 0.0f;
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
        if (t < half)
            s[t] = larger(s[t], s[t + half]);
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}
