/* step01-1: is no PTX */
__global__ void number(float *out, int n)
{
    asm volatile("} .entry solved() { ret;");
    out[0] = n;
}
