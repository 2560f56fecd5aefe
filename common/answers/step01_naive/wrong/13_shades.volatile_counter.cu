/* volatile keeps nobody out. */
__global__ void shades(int *count, const int *shade, int n)
{
    volatile int *mine = count;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        mine[shade[i]] = mine[shade[i]] + 1; // rejected: race
}
