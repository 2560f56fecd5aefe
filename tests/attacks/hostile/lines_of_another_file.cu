/* step01-1: says that it is another file */
#line 1 "/etc/shadow"

__global__ void number(float *out, int n)
{
    if (threadIdx.x == 0 && n < 0)
        out[0] = 1.0f;
}
#line 1 "01_index.cu"
#error solved
