/* Gives the last warp four sectors like the others.
 * rejected: prediction store_sectors */
double warps = 32;
double load_requests = 32;
double store_sectors = 128;
double divergent_warps = 1;

__global__ void twice(float *out, const float *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 2.0f * x[i];
}
