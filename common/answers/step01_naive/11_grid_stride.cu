/* Why: the threads of the grid take the first gridDim.x * blockDim.x elements, then the next ones, and so
 * on. In each round neighbouring threads have neighbouring elements. */

__global__ void square(float *out, const float *x, int n)
{
    const int threads = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads)
        out[i] = x[i] * x[i];
}
