/* summit-3: predicts what compares with nothing */
double lane_of_a = __builtin_nan("");
double register_of_a = __builtin_nan("");
double lane_of_c = __builtin_inf();
double register_of_c = -__builtin_inf();

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
