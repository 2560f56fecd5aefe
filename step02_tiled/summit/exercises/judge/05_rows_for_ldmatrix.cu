/* Remember: a swizzle moves whole pieces of 16 bytes, and only within their row: stores and reads
 * use the same place(). */
#include "common/judge/judge.h"

#include <string.h>

__global__ void hand_out(unsigned *out, const uint4 *in, int tiles);

void exercise(struct judge *j)
{
    const int tiles = judge_size(j, "tiles", 8);
    int *in = judge_ints(j, "in", tiles * 512, 0, 1 << 30);
    int *want = judge_want_ints(j, "out", tiles * 512);
    for (int i = 0; i < tiles * 512; i++) {
        const int lane = i % 32, matrix = i / 32 % 4, pair = i / 128 % 4, tile = i / 512;
        const int row = lane / 4 + 8 * (matrix % 2), piece = 2 * pair + matrix / 2;
        want[i] = in[tile * 512 + row * 32 + piece * 4 + lane % 4];
    }
    hand_out<<<1, 32>>>((unsigned *)judge_gpu(j, want), (const uint4 *)judge_gpu(j, in), tiles);
    judge_check(j);
}
