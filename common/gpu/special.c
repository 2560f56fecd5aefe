/* special.c - functions of CUDA's library that are little more than the special function unit. */
#include "common/gpu/special.h"

#include <math.h>

float special_exp2f(float x) { return special_ex2(x); }

float special_expf(float x)
{
    const float log2_e = 0x1.715476p+0f, log2_e_rest = 0x1.4ae0c0p-26f;
    const float place = fmaf(x, log2_e / 252, 0.5f); /* of x / ln 2 in [-126, 126], from 0 to 1 */
    const float clamped = place > 0 ? (place < 1 ? place : 1) : 0;
    const float whole = (float)floor((double)clamped * 252) - 126;
    const float rest = fmaf(x, log2_e_rest, fmaf(x, log2_e, -whole));
    return special_ex2_unit(rest) * ldexpf(1, (int)whole);
}
