/* 228 KB / 8 / 4 bytes: 7296, of which 7168 is a multiple. The system takes its part.
 * rejected: goal blocks on an SM */
enum { CHUNK = 7168 };
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
