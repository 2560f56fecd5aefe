/* printf in a kernel: every conversion, no arguments, many arguments. run.sh compares the output
 * with print.txt. */
#include <cuda_runtime.h>
#include <stdio.h>

__global__ void speak(const char *word, float f)
{
    printf("hello\n");
    printf("%d %i %u %x %X %o %c|%5d|%-5d|%05d\n", -1, 2, 3u, 255, 255, 8, 'c', 42, 42, 42);
    printf("%ld %lld %llu %lx %hd %hd\n", -1l, -1ll, ~0ull, 255l, (short)-2, (short)3);
    printf("%f %.3f %10.2f|%e %g %a\n", f, f, 2.5, 12345.678, 0.0001, 1.0);
    printf("%s and %s, 100%%\n", word == NULL ? "null" : "pointer", "literal");
    printf("%d %f %d %f %d %f %d %f %d\n", 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5);
    printf("%p|%8s|%-8s|\n", (void *)0, "right", "left");
}

__global__ void count_up(void)
{
    if (threadIdx.x < 3)
        printf("block %d thread %d\n", (int)blockIdx.x, (int)threadIdx.x);
}

int main(void)
{
    speak<<<1, 1>>>(NULL, 1.25f);
    cudaDeviceSynchronize();
    for (int i = 0; i < 2; i++) {
        count_up<<<1, 32>>>();
        cudaDeviceSynchronize();
    }
    return cudaGetLastError() != cudaSuccess;
}
