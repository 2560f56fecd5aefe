/* step01-1: prints more than there is room for */
#include <cstdio>
__global__ void number(float *out, int n)
{
    for (int i = 0; i < 100000; i++)
        printf("solved %d %p\n", n, out);
}
