/* The atomic is right, the guard is gone. */
__global__ void shades(int *count, const int *shade, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&count[shade[i]], 1); // rejected: memory error
}
