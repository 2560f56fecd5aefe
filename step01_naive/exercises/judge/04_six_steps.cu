/* Remember: sizes in bytes, target first, and ask for the error: no call stops the
 * program by itself. */
#include "common/judge/judge.h"

bool halve_on_gpu(float *out, const float *x, int n);

void exercise(struct judge *j)
{
    const int n = judge_size(j, "n", 1 << 14);
    float *x = judge_floats(j, "x", n), *want = judge_want_floats(j, "out", n);
    float *out = judge_floats(j, "host copy", n);
    for (int i = 0; i < n; i++) {
        want[i] = 0.5f * x[i];
        out[i] = 77.0f;
    }
    const bool good = judge_call_on_gpu(j, halve_on_gpu, out, x, n);
    judge_check_host(j, want, out);
    judge_value(j, "what halve_on_gpu() returns", good, true);
}
