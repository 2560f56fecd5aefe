/* 11 grid stride: right for every launch                                [fill]
 *
 * Given:  n floats in x; any number of blocks with any number of threads,
 *         perhaps a single thread, perhaps more threads than elements
 * Wanted: out[i] = x[i] * x[i] for all n elements, each computed once
 *
 *     a grid of 8 threads:   thread 3 takes elements 3, 11, 19, 27 ...
 *
 * goal: load sectors per request <= 4
 * goal: load requests = n / 32
 */
__global__ void square(float *out, const float *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    // YOURS: one element is not enough
    if (i < n)
        out[i] = x[i] * x[i];
}
