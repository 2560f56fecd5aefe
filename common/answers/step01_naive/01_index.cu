/* Why: blockIdx.x blocks of blockDim.x threads stand before mine, and threadIdx.x threads of my
 * own. Neighbouring threads get neighbouring elements, so that the 32 stores of a warp fill 4
 * sectors. */

__global__ void number(float *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = (float)i;
}
