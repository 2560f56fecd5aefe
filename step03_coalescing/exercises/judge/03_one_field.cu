/* Remember: what a warp reads together should lie together: structs of arrays, if few fields are
 * used. */
#include "common/judge/judge.h"

__host__ __device__ int place(int field, int i, int n);
__global__ void lengths(float *out, const float *points, int n);

void exercise(struct judge *j)
{
    const int n = judge_size_of(j, "n", 1 << 13, 8);
    float *points = judge_floats(j, "points", 4 * n), *want = judge_want_floats(j, "out", n);
    int *used = judge_ints(j, "used", 4 * n, 0, 0);
    int *asked = judge_ints(j, "asked", 12 * n, 0, 0), *places = judge_ints(j, "places", 4 * n, 0, 0);
    for (int i = 0; i < 4 * n; i++) {
        asked[3 * i] = i % 4, asked[3 * i + 1] = i / 4, asked[3 * i + 2] = n;
    }
    judge_tabulate(j, place, 4 * n, asked, places);
    for (int i = 0; i < n; i++) {
        for (int field = 0; field < 4; field++) {
            const int p = places[4 * i + field];
            if (p < 0 || p >= 4 * n)
                judge_reject(j, "place(%d, %d, %d) is %d: there are %d floats", field, i, n, p, 4 * n);
            if (used[p]++ != 0)
                judge_reject(j, "place(%d, %d, %d) is %d, where another field lies", field, i, n, p);
        }
        const float x = points[places[4 * i]], y = points[places[4 * i + 1]];
        want[i] = x * x + y * y;
    }
    judge_tolerance(j, want, 1e-6, 1e-6);
    lengths<<<judge_blocks(n, 256), 256>>>(judge_gpu(j, want), judge_gpu(j, points), n);
    judge_check(j);
}
