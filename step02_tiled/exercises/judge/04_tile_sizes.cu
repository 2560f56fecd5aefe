/* Remember: a tile of T x T divides the loads by T; its rows waste sectors only if they are shorter
 * than 8 floats. */
#include "common/judge/judge.h"

extern double requests_tile_8, requests_tile_16, requests_tile_32, sectors_tile_8;

template <int T> __global__ void tiled(float *C, const float *A, const float *B, int n)
{
    __shared__ float a[T][T], b[T][T];
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * T + y, column = blockIdx.x * T + x;
    float sum = 0.0f;
    for (int begin = 0; begin < n; begin += T) {
        a[y][x] = A[row * n + begin + x];
        b[y][x] = B[(begin + y) * n + column];
        __syncthreads();
        for (int i = 0; i < T; i++)
            sum += a[y][i] * b[i][x];
        __syncthreads();
    }
    C[row * n + column] = sum;
}

static const char requests_think[] = "Blocks of the grid, times warps of a block, times phases, "
                                     "times two: in each phase every warp loads once "
                                     "from A and once from B.";

void exercise(struct judge *j)
{
    const int n = 128;
    double sectors, requests, before;
    if (!judge_large(j))
        return;
    judge_read(j, requests_tile_8);
    judge_read(j, requests_tile_16);
    judge_read(j, requests_tile_32);
    judge_read(j, sectors_tile_8);
    float *A = judge_floats(j, "A", n * n), *B = judge_floats(j, "B", n * n);
    float *C = judge_scratch_floats(j, "C", n * n);
    tiled<8><<<dim3(16, 16), dim3(8, 8)>>>(judge_gpu(j, C), judge_gpu(j, A), judge_gpu(j, B), n);
    judge_check(j);
    requests = judge_metric(j, "load requests"), sectors = judge_metric(j, "load sectors");
    judge_predict(j, "requests_tile_8", requests_tile_8, requests, requests_think);
    before = requests;
    tiled<16><<<dim3(8, 8), dim3(16, 16)>>>(judge_gpu(j, C), judge_gpu(j, A), judge_gpu(j, B), n);
    judge_check(j);
    requests = judge_metric(j, "load requests");
    judge_predict(j, "requests_tile_16", requests_tile_16, requests - before, requests_think);
    before = requests;
    tiled<32><<<dim3(4, 4), dim3(32, 32)>>>(judge_gpu(j, C), judge_gpu(j, A), judge_gpu(j, B), n);
    judge_check(j);
    requests = judge_metric(j, "load requests");
    judge_predict(j, "requests_tile_32", requests_tile_32, requests - before, requests_think);
    judge_predict(j, "sectors_tile_8", sectors_tile_8, sectors,
                  "Which elements do the 32 lanes of a warp load? In a tile of 8, a warp has 4 "
                  "rows of 8 threads.");
}
