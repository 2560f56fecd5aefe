/* Why: 228 KB / 8 are 29184 bytes a block, less 1024 for the system: 7040 floats, of which 27 * 256
 * = 6912 are whole rounds of 256 threads. */

enum { CHUNK = 6912 };
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
