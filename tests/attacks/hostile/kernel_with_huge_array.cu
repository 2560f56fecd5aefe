/* step01-1: asks for more memory than there is */
__device__ char large[1ull << 40];
__global__ void number(float *out, int n)
{
    large[n] = 1;
    out[0] = large[n];
}
