/* Counts the warps of 1000 threads, and a request for each thread.
 * rejected: prediction load_requests */
double warps = 32;
double load_requests = 1000;
double store_sectors = 125;
double divergent_warps = 1;

__global__ void twice(float *out, const float *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 2.0f * x[i];
}
