/* Matrix transpose: naive, through shared memory, and with a padded tile. */
#include <stdio.h>
#include <stdlib.h>

#define TILE 32
#define ROWS 8

__global__ void transpose_naive(float *out, const float *in, int width, int height)
{
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        if (x < width && y + j < height)
            out[x * height + y + j] = in[(y + j) * width + x];
}

__global__ void transpose_shared(float *out, const float *in, int width, int height, int padding)
{
    extern __shared__ float tile[];
    int pitch = TILE + padding;
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        if (x < width && y + j < height)
            tile[(threadIdx.y + j) * pitch + threadIdx.x] = in[(y + j) * width + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        if (x < height && y + j < width)
            out[(y + j) * height + x] = tile[threadIdx.x * pitch + threadIdx.y + j];
}

static int check(const float *out, int width, int height, const char *name)
{
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            if (out[x * height + y] != (float)(y * width + x)) {
                printf("%s: WRONG at row %d, column %d\n", name, y, x);
                return 1;
            }
    printf("%s: right\n", name);
    return 0;
}

int main(void)
{
    const int width = 100, height = 70, count = width * height;
    int failures = 0;
    float *in, *out;
    if (cudaMallocManaged(&in, count * sizeof(float)) != cudaSuccess ||
        cudaMallocManaged(&out, count * sizeof(float)) != cudaSuccess)
        return 1;
    for (int i = 0; i < count; i++)
        in[i] = (float)i;
    dim3 block(TILE, ROWS), grid((width + TILE - 1) / TILE, (height + TILE - 1) / TILE);

    cudaMemset(out, 0xff, count * sizeof(float));
    transpose_naive<<<grid, block>>>(out, in, width, height);
    cudaDeviceSynchronize();
    failures += check(out, width, height, "naive");
    for (int padding = 0; padding < 2; padding++) {
        cudaMemset(out, 0xff, count * sizeof(float));
        transpose_shared<<<grid, block, TILE *(TILE + padding) * sizeof(float)>>>(out, in, width,
                                                                                  height, padding);
        cudaDeviceSynchronize();
        failures += check(out, width, height, padding ? "padded" : "shared");
    }
    if (cudaGetLastError() != cudaSuccess)
        failures++;
    cudaFree(in);
    cudaFree(out);
    return failures != 0;
}
