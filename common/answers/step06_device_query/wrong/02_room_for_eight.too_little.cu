/* Eight fit, and much is left over.
 * rejected: goal CHUNK */
enum { CHUNK = 4096 };
int chunk = CHUNK;

// A block of 256 threads reverses CHUNK floats.
__global__ void reverse_chunks(float *x)
{
    __shared__ float stage[CHUNK];
    float *mine = x + blockIdx.x * CHUNK;
    for (int i = threadIdx.x; i < CHUNK; i += 256)
        stage[i] = mine[i];
    __syncthreads();
    for (int i = threadIdx.x; i < CHUNK; i += 256)
        mine[i] = stage[CHUNK - 1 - i];
}
