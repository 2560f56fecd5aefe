/* Remember: count the distinct sectors, not the lanes: an access costs what it touches. */
#include "common/judge/judge.h"

extern double a, b, c, d, e, f;

/* Each of them alone, by one warp. */
__global__ void touch(float *out, const float *x, int what)
{
    const int i = threadIdx.x;
    float value = 0.0f;
    if (what == 0)
        value = x[i + 8];
    else if (what == 1)
        value = x[i + 1];
    else if (what == 2)
        value = x[2 * i];
    else if (what == 3)
        value = x[33 * i];
    else if (what == 4)
        value = x[i / 8];
    else
        value = ((const float4 *)x)[i].x + ((const float4 *)x)[i].y + ((const float4 *)x)[i].z +
                ((const float4 *)x)[i].w;
    out[i] = value;
}

void exercise(struct judge *j)
{
    const char *const names[6] = {"a", "b", "c", "d", "e", "f"};
    double before = 0;
    if (!judge_large(j))
        return;
    judge_read(j, a);
    judge_read(j, b);
    judge_read(j, c);
    judge_read(j, d);
    judge_read(j, e);
    judge_read(j, f);
    const double answers[6] = {a, b, c, d, e, f};
    float *x = judge_floats(j, "x", 33 * 32), *out = judge_scratch_floats(j, "out", 32);
    for (int what = 0; what < 6; what++) {
        touch<<<1, 32>>>(judge_gpu(j, out), judge_gpu(j, x), what);
        judge_check(j);
        const double sectors = judge_metric(j, "load sectors");
        judge_predict(j, names[what], answers[what], sectors - before,
                      "Write down the byte addresses of lanes 0, 1, 2 and 31, and divide them by "
                      "32: how many different "
                      "quotients do all 32 lanes have?");
        before = sectors;
    }
}
