/* The index within the block alone: right for a single block, and only there.
 * rejected: wrong result */
__global__ void number(float *out, int n)
{
    const int i = threadIdx.x;
    if (i < n)
        out[i] = (float)i;
}
