/* step01-1: is a file that never ends */
#include "/dev/zero"

__global__ void number(float *out, int n)
{
    if (threadIdx.x == 0 && n < 0)
        out[0] = 1.0f;
}
