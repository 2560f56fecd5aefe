/* step01-1: stops the GPU */
__global__ void number(float *out, int n)
{
    asm volatile("trap;");
    out[0] = n;
}
