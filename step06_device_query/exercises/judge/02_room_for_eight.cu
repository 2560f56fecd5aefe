/* Remember: shared memory a block, times the blocks you want, must fit; the system's share
 * counts. */
#include "common/judge/judge.h"

__global__ void reverse_chunks(float *x);
extern int chunk;

void exercise(struct judge *j)
{
    judge_read(j, chunk);
    if (chunk < 1 || chunk > 1 << 20)
        judge_reject(j, "CHUNK is %d: no SM has so much shared memory", chunk);
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
