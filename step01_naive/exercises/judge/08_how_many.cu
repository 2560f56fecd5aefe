/* Remember: requests count warps that take part, sectors count what they touch. */
#include "common/judge/judge.h"

__global__ void twice(float *out, const float *x, int n);
extern double warps, load_requests, store_sectors, divergent_warps;

void exercise(struct judge *j)
{
    if (!judge_large(j))
        return;
    judge_read(j, warps);
    judge_read(j, load_requests);
    judge_read(j, store_sectors);
    judge_read(j, divergent_warps);
    const int n = 1000;
    float *x = judge_floats(j, "x", n), *want = judge_want_floats(j, "out", n);
    for (int i = 0; i < n; i++)
        want[i] = 2.0f * x[i];
    twice<<<4, 256>>>(judge_gpu(j, want), judge_gpu(j, x), n);
    judge_check(j);
    judge_predict(j, "warps", warps, judge_metric(j, "warps"),
                  "How many threads does the launch start, and how many of them are a warp?");
    judge_predict(j, "load_requests", load_requests, judge_metric(j, "load requests"),
                  "A warp makes a request if at least one of its lanes loads. Which warps have no "
                  "lane below 1000?");
    judge_predict(j, "store_sectors", store_sectors, judge_metric(j, "store sectors"),
                  "A full warp stores 32 floats, 8 to a sector. How many does the last warp with "
                  "elements store?");
    judge_predict(j, "divergent_warps", divergent_warps, judge_metric(j, "divergent branches"),
                  "The guard divides a warp that has lanes below 1000 and lanes beyond. How many "
                  "such warps are there?");
}
