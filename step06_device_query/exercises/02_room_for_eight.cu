/* 02 room for eight: shared memory for eight blocks                  [cheaper]
 *
 * Given:  a kernel that stages CHUNK floats a block; with 12032 of them an SM
 *         holds four blocks. An H200 has 228 KB of shared memory an SM (KB is
 *         1024 bytes), and the system takes 1 KB of each block's.
 * Wanted: the largest multiple of 256 with which eight blocks are resident
 *
 *    228 KB  |  block 0  |  block 1  | ... |  block 7  |
 *            | 1 KB + 4 CHUNK bytes each
 */
enum { CHUNK = 12032 }; // YOURS
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
