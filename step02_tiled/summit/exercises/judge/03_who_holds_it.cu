/* Remember: a group of four lanes has a row; a register of A holds two neighbours along k, one of C
 * a single element. */
#include "common/judge/judge.h"

__global__ void fragments(float *a, float *c, const float *A, const float *B);
extern double lane_of_a, register_of_a, lane_of_c, register_of_c;

/* Which number, lane * 4 + register, holds that element: A's are their own places, and so are
 * C's, since B moves nothing. */
static int holder(const float *held, float element)
{
    for (int i = 0; i < 128; i++)
        if (held[i] == element)
            return i;
    return -1;
}

void exercise(struct judge *j)
{
    if (!judge_large(j))
        return;
    judge_read(j, lane_of_a);
    judge_read(j, register_of_a);
    judge_read(j, lane_of_c);
    judge_read(j, register_of_c);
    float *A = judge_floats(j, "A", 256), *B = judge_floats(j, "B", 128);
    float *a = judge_want_floats(j, "a", 128), *c = judge_want_floats(j, "c", 128);
    for (int i = 0; i < 256; i++)
        A[i] = (float)i;
    for (int i = 0; i < 128; i++)
        B[i] = i / 8 == i % 8;
    for (int i = 0; i < 128; i++) { /* lane i / 4, register i % 4 */
        const int row = i / 16, low = i % 4 % 2, high = i % 4 / 2;
        a[i] = A[(row + 8 * low) * 16 + i / 4 % 4 * 2 + 8 * high];
        c[i] = A[(row + 8 * high) * 16 + i / 4 % 4 * 2 + low];
    }
    fragments<<<1, 32>>>(judge_gpu(j, a), judge_gpu(j, c), judge_gpu(j, A), judge_gpu(j, B));
    judge_check(j);
    const int of_a = holder((const float *)judge_got(j, a), 9 * 16 + 14);
    const int of_c = holder((const float *)judge_got(j, c), 12 * 16 + 5);
    judge_predict(j, "lane_of_a", lane_of_a, of_a / 4,
                  "Rows 1 and 9 belong to the same four lanes. Which of the four has k = 14?");
    judge_predict(j, "register_of_a", register_of_a, of_a % 4,
                  "Is row 9 an upper or a lower row, and k = 14 in the first or the second half?");
    judge_predict(j, "lane_of_c", lane_of_c, of_c / 4,
                  "Rows 4 and 12 belong to the same four lanes; each has two columns.");
    judge_predict(j, "register_of_c", register_of_c, of_c % 4,
                  "Row 12 is a lower row; is column 5 the first or the second of its lane's two?");
}
