/* Remember: a warp is divided only where the edge runs through it; one that is wholly outside is
 * not. */
#include "common/judge/judge.h"

extern double square_76_62, flat_76_62, square_200_150;

__global__ void touch(float *image, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const bool inside = x < width && y < height;
    const unsigned vote = __ballot_sync(0xffffffffu, inside);
    const int thread = threadIdx.y * blockDim.x + threadIdx.x;
    if (thread % 32 == 0 && vote != 0 && vote != 0xffffffffu)
        atomicAdd(image, 1.0f);
}

static double divided(struct judge *j, const char *name, int width, int height, dim3 block)
{
    float *count = judge_want_floats(j, name, 1), *zero = judge_floats(j, "zero", 1);
    zero[0] = 0.0f;
    judge_start(j, count, zero);
    const dim3 grid((width + block.x - 1) / block.x, (height + block.y - 1) / block.y);
    touch<<<grid, block>>>(judge_gpu(j, count), width, height);
    return *(const float *)judge_got(j, count);
}

static const char think[] =
    "A warp is divided if it has lanes inside the image and lanes outside. How many rows of "
    "pixels does a warp of this block cover? Warps that are wholly outside agree.";

void exercise(struct judge *j)
{
    if (!judge_large(j))
        return;
    judge_read(j, square_76_62);
    judge_read(j, flat_76_62);
    judge_read(j, square_200_150);
    judge_predict(j, "square_76_62", square_76_62, divided(j, "a", 76, 62, dim3(16, 16)), think);
    judge_predict(j, "flat_76_62", flat_76_62, divided(j, "b", 76, 62, dim3(4, 8)), think);
    judge_predict(j, "square_200_150", square_200_150, divided(j, "c", 200, 150, dim3(16, 16)),
                  think);
}
