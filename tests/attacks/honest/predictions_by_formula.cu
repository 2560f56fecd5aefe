/* step01-8: computes its predictions */
#include <cmath>
const int n_ = 1000;
double warps = std::ceil(n_ / 256.0) * 8;
double load_requests = std::ceil(n_ / 32.0);
double store_sectors = n_ * sizeof(float) / 32;
double divergent_warps = n_ % 32 != 0;
__global__ void twice(float *out, const float *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 2.0f * x[i];
}
