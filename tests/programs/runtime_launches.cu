/* Launches: arguments of every kind and alignment, grids of three dimensions, kernels that are
 * templates, static or in a namespace, launches through pointers and by the API, shared memory. */
#include "tests/frontend/check.h"

struct mixed {
    char a;
    double b;
    short c;
    float3 d;
    bool e;
};

struct big {
    int values[500];
};

__global__ void take_mixed(char c, double d, bool b, short s, float f, mixed m, long long big_value,
                           double *out)
{
    out[0] = c + d + b + s + f;
    out[1] = m.a + m.b + m.c + m.d.x + m.d.y + m.d.z + m.e;
    out[2] = (double)big_value;
}

__global__ void take_big(big b, int *out) { out[threadIdx.x] = b.values[threadIdx.x]; }

__global__ void where_am_i(uint3 *out)
{
    unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    unsigned threads = blockDim.x * blockDim.y * blockDim.z;
    out[block * threads + thread] =
        make_uint3(blockIdx.x * 100 + threadIdx.x, blockIdx.y * 100 + threadIdx.y,
                   blockIdx.z * 100 + threadIdx.z);
}

template <typename T, int FACTOR> __global__ void scale(T *p)
{
    p[threadIdx.x] = (T)(p[threadIdx.x] * FACTOR);
}

namespace
{
__global__ void unseen(int *out) { *out = 1; }
} // namespace

static __global__ void file_static(int *out) { *out = 2; }

namespace deep
{
namespace er
{
__global__ void nested(int *out) { *out = 3; }
} // namespace er
} // namespace deep

__global__ void use_shared(int *out, int words)
{
    extern __shared__ int words_of_block[];
    for (int i = (int)threadIdx.x; i < words; i += (int)blockDim.x)
        words_of_block[i] = i;
    __syncthreads();
    if (threadIdx.x == 0) {
        int sum = 0;
        for (int i = 0; i < words; i++)
            sum += words_of_block[i] == i;
        *out = sum;
    }
}

static void check_arguments(void)
{
    double *out = make_array<double>(3);
    int *ints = make_array<int>(500);
    mixed m = {1, 2.5, 3, {4.f, 5.f, 6.f}, true};
    big b;
    for (int i = 0; i < 500; i++)
        b.values[i] = 7 * i;
    take_mixed<<<1, 1>>>('\x05', 0.25, true, -3, 1.5f, m, 1LL << 45, out);
    take_big<<<1, 500>>>(b, ints);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_FLOAT(out[0], 4.75, 0);
    CHECK_FLOAT(out[1], 22.5, 0);
    CHECK_FLOAT(out[2], (double)(1LL << 45), 0);
    CHECK_INT(ints[499], 7 * 499);
}

static void check_grids(void)
{
    dim3 grid(3, 2, 4), block(5, 4, 3);
    uint3 *out = make_array<uint3>(24 * 60);
    where_am_i<<<grid, block>>>(out);
    CHECK_CUDA(cudaDeviceSynchronize());
    const uint3 last = out[24 * 60 - 1];
    CHECK(last.x == 204 && last.y == 103 && last.z == 302);
    const uint3 some = out[(1 + 3 * (1 + 2 * 2)) * 60 + 2 + 5 * (3 + 4 * 1)];
    CHECK(some.x == 102 && some.y == 103 && some.z == 201);
}

static void check_kernels(void)
{
    int *out = make_array<int>(32);
    double *doubles = make_array<double>(32);
    for (int i = 0; i < 32; i++)
        out[i] = i, doubles[i] = i + 0.5;
    scale<int, 3><<<1, 32>>>(out);
    scale<double, 4><<<1, 32>>>(doubles);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_INT(out[31], 93);
    CHECK_FLOAT(doubles[31], 126, 0);
    unseen<<<1, 1>>>(out);
    file_static<<<1, 1>>>(out + 1);
    deep::er::nested<<<1, 1>>>(out + 2);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK(out[0] == 1 && out[1] == 2 && out[2] == 3);
}

static int one_more(int *calls)
{
    file_static<<<1, 1>>>(calls);
    return cudaDeviceSynchronize() == cudaSuccess ? 32 : 0;
}

static void check_ways(void)
{
    int *out = make_array<int>(32), *calls = make_array<int>(1);
    void (*kernel)(int *) = scale<int, 10>;
    for (int i = 0; i < 32; i++)
        out[i] = i;
    kernel<<<1, one_more(calls)>>>(out); /* a launch inside the configuration of another */
    void *arguments[] = {&out};
    CHECK_CUDA(cudaLaunchKernel((const void *)scale<int, 2>, dim3(1), dim3(32), arguments, 0, 0));
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_INT(out[31], 620);
    CHECK_INT(*calls, 2);
}

static void check_shared(void)
{
    int *out = make_array<int>(1), words = 24 * 1024, blocks = 0;
    cudaFuncAttributes attributes;
    use_shared<<<1, 64, 96 * 1024>>>(out, words);
    CHECK(cudaGetLastError() == cudaErrorInvalidValue); /* 48 KB without asking */
    CHECK_CUDA(
        cudaFuncSetAttribute(use_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 96 * 1024));
    use_shared<<<1, 64, 96 * 1024>>>(out, words);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_INT(*out, words);
    CHECK_CUDA(cudaFuncGetAttributes(&attributes, use_shared));
    CHECK_INT(attributes.maxDynamicSharedSizeBytes, 96 * 1024);
    CHECK_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, use_shared, 64, 96 * 1024));
    CHECK_INT(blocks, 2); /* of 228 KB an SM: the default profile */
}

int main(void)
{
    check_arguments();
    check_grids();
    check_kernels();
    check_ways();
    check_shared();
    return check_done();
}
