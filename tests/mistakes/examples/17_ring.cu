// A ring is filled again before its reader is done
// races
// Cure: the writer waits for `*taken` before it fills a slot again: `while (i - *taken >= 4);`, a `__threadfence()` behind that, and one between the reader's load and its store of `*taken`.
#include <cuda_runtime.h>
__global__ void pass_on(int *slot, volatile int *filled, volatile int *taken, int *sum)
{
    for (int i = 0; i < 16; i++) {
        if (blockIdx.x == 0) {
            slot[i % 4] = i;
            __threadfence();
            *filled = i + 1;
        } else {
            while (*filled <= i) {
            }
            __threadfence();
            *sum += slot[i % 4];
            *taken = i + 1;
        }
    }
}
int main()
{
    int *a;
    cudaMalloc(&a, 7 * sizeof *a);
    cudaMemset(a, 0, 7 * sizeof *a);
    pass_on<<<2, 1>>>(a, a + 4, a + 5, a + 6);
    cudaDeviceSynchronize();
    cudaFree(a);
}
