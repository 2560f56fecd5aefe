// A copy overlaps itself, and a time is asked for too early
// races
// Cure: another array in between; `cudaEventSynchronize(end)` before `cudaEventElapsedTime`.
#include <cuda_runtime.h>
int main()
{
    char *a;
    float ms;
    cudaEvent_t begin, end;
    cudaMalloc(&a, 256);
    cudaMemset(a, 0, 256);
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    cudaEventRecord(begin);
    cudaMemcpyAsync(a + 64, a, 128, cudaMemcpyDeviceToDevice);
    cudaEventRecord(end);
    cudaEventElapsedTime(&ms, begin, end);
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    cudaFree(a);
}
