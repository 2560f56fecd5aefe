// A host function calls CUDA
// always
// Cure: a flag in the host function, for a thread that then calls CUDA: the call may wait for the stream that runs the function.
#include <cuda_runtime.h>
static void CUDART_CB done(void *data)
{
    cudaMemset(data, 0, 4);
}
int main()
{
    int *a;
    cudaMallocManaged(&a, 64 * sizeof *a);
    cudaLaunchHostFunc(0, done, a);
    cudaDeviceSynchronize();
    cudaFree(a);
}
