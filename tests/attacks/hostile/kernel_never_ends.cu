/* step01-1: does not end on the GPU */
__global__ void number(float *out, int n)
{
    for (volatile int i = 0; i >= 0; i = i + 1 & 7)
        if (n < 0)
            out[0] = i;
}
