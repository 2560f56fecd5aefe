/* step01-1: prints a verdict */
#include <cstdio>
__global__ void number(float *out, int n)
{
    if (threadIdx.x == 0 && n >= 0)
        printf("solved\nsimt: solved\n\tsolved\t");
}
