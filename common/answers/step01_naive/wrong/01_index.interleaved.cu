/* Every element is written once, but neighbours of a warp lie gridDim.x elements apart.
 * rejected: wrong result */
__global__ void number(float *out, int n)
{
    const int i = threadIdx.x * gridDim.x + blockIdx.x;
    if (i < n)
        out[i] = (float)i;
}
