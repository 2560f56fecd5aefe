/* atomicExch stores, it does not add.
 * rejected: wrong result */
__global__ void shades(int *count, const int *shade, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicExch(&count[shade[i]], 1);
}
