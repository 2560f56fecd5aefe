/* step01-1: ends by inline assembly */
__global__ void number(float *out, int n)
{
    asm volatile("exit;");
    out[0] = n;
}
