/* flags: -arch=sm_80 */
/* Products in a row whose fragments differ in one element, in each register and each quarter of the
 * lanes in turn: a simulator that keeps a fragment must notice every change. Elements are small
 * whole numbers, so that sums are exact. */
#include "check.h"

#include <cuda_fp16.h>

enum { REGISTERS = 6, PLACES = REGISTERS * 4, LANES = 32 };

/* A product as it is, and directly after it with one more in a place. */
__global__ void multiply(const unsigned *words, float *out)
{
    const unsigned lane = threadIdx.x;
    for (unsigned place = 0; place <= PLACES; place++) {
        unsigned v[REGISTERS];
        float d[4];
        for (unsigned r = 0; r < REGISTERS; r++) {
            v[r] = words[r * LANES + lane];
        }
        for (unsigned r = 0; r < REGISTERS; r++) {
            if (place == 4 * r + lane / 8 && lane % 8 == 5) {
                v[r] = words[(r + REGISTERS) * LANES + lane];
            }
        }
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
                     "{%4, %5, %6, %7}, {%8, %9}, {%10, %10, %10, %10};"
                     : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
                     : "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3]), "r"(v[4]), "r"(v[5]), "f"(0.0f));
        for (unsigned i = 0; i < 4; i++) {
            const unsigned row = lane / 4 + 8 * (i / 2), column = lane % 4 * 2 + i % 2;
            out[(place * 16 + row) * 8 + column] = d[i];
        }
    }
}

/* Where register r of a lane stands: the first of its two elements. */
static void locate(unsigned r, unsigned lane, unsigned *line, unsigned *k)
{
    const bool of_a = r < 4;
    *line = lane / 4 + (of_a && r % 2 == 1 ? 8 : 0);
    *k = lane % 4 * 2 + (of_a ? r / 2 : r - 4) * 8;
}

static unsigned wrong_elements(int a[16][16], int b[8][16], const float *out)
{
    unsigned wrong = 0;
    for (unsigned row = 0; row < 16; row++) {
        for (unsigned column = 0; column < 8; column++) {
            int sum = 0;
            for (unsigned k = 0; k < 16; k++) {
                sum += a[row][k] * b[column][k];
            }
            wrong += out[row * 8 + column] != (float)sum;
        }
    }
    return wrong;
}

static unsigned halves(int low, int high)
{
    return __half_as_ushort(__float2half((float)low)) |
           (unsigned)__half_as_ushort(__float2half((float)high)) << 16;
}

int main()
{
    int a[16][16], b[8][16];
    static unsigned words[2 * REGISTERS * LANES];
    static float out[(PLACES + 1) * 128];
    unsigned *d_words, wrong = 0;
    float *d_out;
    for (int i = 0; i < 256; i++) {
        a[i / 16][i % 16] = i * 37 % 19 - 9;
        b[i / 2 / 16][i / 2 % 16] = i * 53 % 23 - 11;
    }
    for (unsigned i = 0; i < REGISTERS * LANES; i++) {
        unsigned line, k;
        locate(i / LANES, i % LANES, &line, &k);
        const int *from = i / LANES < 4 ? &a[line][k] : &b[line][k];
        words[i] = halves(from[0], from[1]);
        words[i + REGISTERS * LANES] = halves(from[0], from[1] + 1);
    }
    CHECK_CUDA(cudaMalloc(&d_words, sizeof words));
    CHECK_CUDA(cudaMalloc(&d_out, sizeof out));
    CHECK_CUDA(cudaMemcpy(d_words, words, sizeof words, cudaMemcpyHostToDevice));
    multiply<<<1, LANES>>>(d_words, d_out);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
    for (unsigned place = 0; place < PLACES; place++) {
        unsigned line, k;
        locate(place / 4, place % 4 * 8 + 5, &line, &k);
        int *changed = place / 4 < 4 ? &a[line][k + 1] : &b[line][k + 1];
        ++*changed;
        wrong += wrong_elements(a, b, out + place * 128);
        --*changed;
    }
    wrong += wrong_elements(a, b, out + PLACES * 128);
    CHECK_INT(wrong, 0);
    CHECK_CUDA(cudaFree(d_words));
    CHECK_CUDA(cudaFree(d_out));
    return check_failures != 0;
}
