/* Why: blockIdx.x blocks of blockDim.x threads stand before mine, and threadIdx.x threads of my
 * own. So neighbouring threads have neighbouring elements. */

__global__ void number(float *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = (float)i;
}
