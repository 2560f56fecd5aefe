/* Why: 228 KB / 8 are 29184 bytes a block, less 1024 for the system: 7040 floats, of which 27 * 256
 * = 6912 are whole rounds of 256 threads.
 *
 * Remember: shared memory a block, times the blocks you want, must fit; the system's share counts. */
#ifndef JUDGE

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

#else
#include "common/judge/judge.h"

__global__ void reverse_chunks(float *x);
extern int chunk;

void exercise(struct judge *j)
{
    const int blocks = judge_size(j, "blocks", 8), n = blocks * chunk;
    int resident = 0;
    float *want = judge_want_floats(j, "x", n), *before = judge_floats(j, "before", n);
    for (int i = 0; i < n; i++)
        want[i] = before[i / chunk * chunk + chunk - 1 - i % chunk];
    judge_start(j, want, before);
    if (blocks > 0)
        reverse_chunks<<<blocks, 256>>>(judge_gpu(j, want));
    judge_check(j);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, reverse_chunks, 256, 0);
    judge_goal(j, "blocks on an SM", resident, ">=", 8);
    judge_goal(j, "CHUNK", chunk, ">=", 6912);
}

#endif
