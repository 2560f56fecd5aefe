/* special.c - coefficients of the special function unit, and functions of CUDA's library that are
 * little more than it. special.h says where they come from. */
#include "common/gpu/special.h"

#include <math.h>

/* Of 2^f for f in [i / 64, (i + 1) / 64). */
const struct special_segment special_ex2_segments[64] = {
    {0x2000003, 22713, 494}, {0x205934a, 22960, 501}, {0x20b361e, 23210, 506},
    {0x210e8a5, 23463, 511}, {0x216ab12, 23718, 518}, {0x21c7d89, 23977, 521},
    {0x222603c, 24238, 527}, {0x2285359, 24502, 532}, {0x22e570c, 24768, 541},
    {0x2346b81, 25038, 546}, {0x23a90e8, 25311, 551}, {0x240c775, 25586, 559},
    {0x2470f51, 25865, 564}, {0x24d68b0, 26147, 568}, {0x253d3c3, 26431, 577},
    {0x25a50b9, 26719, 583}, {0x260dfc5, 27010, 589}, {0x267811a, 27304, 596},
    {0x26e34e9, 27602, 600}, {0x274fb6a, 27902, 609}, {0x27bd4cc, 28206, 615},
    {0x282c148, 28513, 622}, {0x289c10e, 28824, 627}, {0x290d459, 29138, 633},
    {0x297fb5d, 29455, 641}, {0x29f3651, 29776, 647}, {0x2a6856d, 30100, 655},
    {0x2ade8ea, 30428, 661}, {0x2b560fe, 30759, 670}, {0x2bcede5, 31094, 677},
    {0x2c48fda, 31432, 686}, {0x2cc4713, 31775, 691}, {0x2d413cf, 32121, 699},
    {0x2dbf64b, 32471, 705}, {0x2e3eec1, 32824, 715}, {0x2ebfd6d, 33182, 721},
    {0x2f42291, 33543, 730}, {0x2fc5e6a, 33908, 739}, {0x304b137, 34277, 748},
    {0x30d1b36, 34651, 753}, {0x3159cab, 35028, 763}, {0x31e35d6, 35409, 773},
    {0x326e6fa, 35795, 779}, {0x32fb057, 36185, 787}, {0x3389233, 36579, 796},
    {0x3418cd2, 36977, 806}, {0x34aa079, 37380, 813}, {0x353cd6d, 37787, 822},
    {0x35d13f7, 38198, 833}, {0x366745a, 38614, 842}, {0x36feee1, 39035, 849},
    {0x37983d6, 39460, 858}, {0x3833380, 39889, 870}, {0x38cfe2a, 40324, 877},
    {0x396e41f, 40763, 887}, {0x3a0e5ad, 41207, 896}, {0x3ab0320, 41655, 909},
    {0x3b53cc4, 42109, 917}, {0x3bf92ea, 42568, 925}, {0x3ca05e0, 43031, 938},
    {0x3d495f8, 43500, 946}, {0x3df4382, 43973, 959}, {0x3ea0ecf, 44452, 969},
    {0x3f4f834, 44936, 980},
};

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
