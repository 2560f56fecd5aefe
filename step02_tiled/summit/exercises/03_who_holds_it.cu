/* 03 who holds it: elements of a fragment, by hand                   [predict]
 *
 * Given:  one warp multiplies A, 16 x 16 halves, by B, 16 x 8, with mma.sync
 * Wanted: the lane and the register of one element of A and of one of C
 *
 * Of A, lane l has two neighbours along k in each of four registers: of row
 * l / 4, and of row l / 4 + 8. a0 and a1 are the upper and the lower row of
 * k = 0 .. 7, a2 and a3 those of k = 8 .. 15. Of C, lane l has two neighbours
 * of row l / 4 in c0 and c1, and of row l / 4 + 8 in c2 and c3.
 */
// YOURS: which lane has A at row 9, k = 14, and C at row 12, column 5?
double lane_of_a = 0;
double register_of_a = 0; // 0 .. 3
double lane_of_c = 0;
double register_of_c = 0; // 0 .. 3

#include <cuda_fp16.h>

__global__ void fragments(float *a, float *c, const float *A, const float *B)
{
    const int lane = threadIdx.x, row = lane / 4, k = lane % 4 * 2;
    __half2 of_a[4], of_b[2];
    float of_c[4] = {};
    for (int r = 0; r < 4; r++) {
        const float *from = A + (row + r % 2 * 8) * 16 + k + r / 2 * 8;
        of_a[r] = __floats2half2_rn(from[0], from[1]);
        a[lane * 4 + r] = from[0];
    }
    for (int r = 0; r < 2; r++) {
        const float *from = B + (k + r * 8) * 8 + row;
        of_b[r] = __floats2half2_rn(from[0], from[8]);
    }
    const unsigned *x = (const unsigned *)of_a, *y = (const unsigned *)of_b;
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(of_c[0]), "+f"(of_c[1]), "+f"(of_c[2]), "+f"(of_c[3])
        : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
    for (int r = 0; r < 4; r++)
        c[lane * 4 + r] = of_c[r];
}
