// A sequence lock guards data that are read plainly
// races
// Cure: `volatile` or relaxed atomic accesses of the data on both sides: a plain load may be made once, early, or in halves, whatever the version says.
#include <cuda_runtime.h>
__global__ void publish(volatile int *version, int *x, int *out)
{
    if (blockIdx.x == 0) {
        for (int i = 1; i < 8; i++) {
            *version = 2 * i - 1;
            __threadfence();
            *x = i;
            __threadfence();
            *version = 2 * i;
        }
    } else {
        int before, value;
        do {
            before = *version;
            __threadfence();
            value = *x;
            __threadfence();
        } while (before % 2 == 1 || *version != before);
        *out = value;
    }
}
int main()
{
    int *a;
    cudaMalloc(&a, 3 * sizeof *a);
    cudaMemset(a, 0, 3 * sizeof *a);
    publish<<<2, 1>>>(a, a + 1, a + 2);
    cudaDeviceSynchronize();
    cudaFree(a);
}
