/* Why: atomicAdd reads, adds and writes, and no other thread comes in between. */

__global__ void shades(int *count, const int *shade, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&count[shade[i]], 1);
}
