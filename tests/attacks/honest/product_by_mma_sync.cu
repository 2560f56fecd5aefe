/* summit-4: has its fragments in its own hands */
#include <cuda_fp16.h>

enum { TILE = 16 };

__device__ void bring(__half *tile, const float *from, int pitch)
{
    for (int i = threadIdx.x; i < TILE * TILE; i += 32)
        tile[i] = __float2half(from[i / TILE * pitch + i % TILE]);
}

__device__ unsigned two(__half low, __half high)
{
    const __half2 both = __halves2half2(low, high);
    return *(const unsigned *)&both;
}

__global__ void multiply(float *C, const float *A, const float *B, int n, int k)
{
    __shared__ __align__(32) __half a[TILE * TILE], b[TILE * TILE];
    const int row0 = blockIdx.y * TILE, column0 = blockIdx.x * TILE;
    const int group = threadIdx.x / 4, pair = threadIdx.x % 4 * 2;
    float sum[2][4] = {};
    for (int k0 = 0; k0 < k; k0 += TILE) {
        bring(a, A + row0 * k + k0, k);
        bring(b, B + k0 * n + column0, n);
        __syncwarp();
        unsigned of_a[4];
        for (int r = 0; r < 4; r++) {
            const __half *from = a + (group + r % 2 * 8) * TILE + pair + r / 2 * 8;
            of_a[r] = two(from[0], from[1]);
        }
        for (int half = 0; half < 2; half++) {
            unsigned of_b[2];
            for (int r = 0; r < 2; r++) {
                const __half *from = b + (pair + r * 8) * TILE + half * 8 + group;
                of_b[r] = two(from[0], from[TILE]);
            }
            float *s = sum[half];
            asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                : "+f"(s[0]), "+f"(s[1]), "+f"(s[2]), "+f"(s[3])
                : "r"(of_a[0]), "r"(of_a[1]), "r"(of_a[2]), "r"(of_a[3]), "r"(of_b[0]), "r"(of_b[1]));
        }
        __syncwarp();
    }
    for (int half = 0; half < 2; half++)
        for (int i = 0; i < 4; i++)
            C[(row0 + group + i / 2 * 8) * n + column0 + half * 8 + pair + i % 2] = sum[half][i];
}
