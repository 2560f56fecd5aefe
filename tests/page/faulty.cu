/* faulty.cu - a race in shared memory, then an access behind the end of an array: what the page shows of
 * them is looked at by run.sh. `quiet`: neither. */
#include <stdio.h>
#include <string.h>

enum { N = 64 };

__global__ void neighbour(int *out, bool waits)
{
    __shared__ int tile[N];
    tile[threadIdx.x] = (int)threadIdx.x; // stored
    if (waits)
        __syncthreads();
    out[threadIdx.x] = tile[(threadIdx.x + 32) % N]; // loaded
}

__global__ void beyond(float *out, int n)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n)
        out[i] = 1; // behind the end
}

int main(int argc, char **argv)
{
    const bool quiet = argc > 1 && strcmp(argv[1], "quiet") == 0;
    int *out;
    float *floats;
    cudaMalloc(&out, N * sizeof *out);
    cudaMalloc(&floats, 40 * sizeof *floats);
    neighbour<<<1, N>>>(out, quiet);
    cudaDeviceSynchronize();
    beyond<<<1, N>>>(floats, quiet ? 40 : 41);
    const cudaError_t error = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorName(error));
    cudaFree(out);
    cudaFree(floats);
    return (error == cudaSuccess) == quiet ? 0 : 1;
}
