/* Memory spaces: cached loads and stores, vectors, shared (static and dynamic), constant, device
 * and managed variables, symbol copies, heap, memcpy and memset, address spaces, cp.async. */
#include "check.h"

#include <cuda_pipeline.h>

__constant__ float table[8];
__constant__ int initialised[3] = {7, 8, 9};
__device__ int counter = 5;
__device__ double grid_of_doubles[4][3];
static __device__ short hidden = -3;
__managed__ int managed_value = 42;
__device__ const char *text = "device text";

__global__ void use_variables(double *out)
{
    int i = (int)threadIdx.x;
    out[i] = table[i] + initialised[i % 3];
    if (i == 0) {
        atomicAdd(&counter, 10);
        hidden = (short)(hidden * 2);
        managed_value++;
        grid_of_doubles[1][2] = 6.5;
        out[8] = text[3];
    }
}

static void check_variables(void)
{
    double *out = make_array<double>(9), value;
    float values[8];
    int number;
    void *address;
    size_t bytes;
    for (int i = 0; i < 8; i++)
        values[i] = (float)i * 0.5f;
    CHECK_CUDA(cudaMemcpyToSymbol(table, values, 4 * sizeof(float)));
    CHECK_CUDA(cudaMemcpyToSymbol(table, values + 4, 4 * sizeof(float), 4 * sizeof(float)));
    managed_value += 100;
    use_variables<<<1, 8>>>(out);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 8; i++)
        CHECK_FLOAT(out[i], values[i] + 7 + i % 3, 0);
    CHECK_INT(out[8], 'i');
    CHECK_INT(managed_value, 143);
    CHECK_CUDA(cudaMemcpyFromSymbol(&number, counter, sizeof(number)));
    CHECK_INT(number, 15);
    CHECK_CUDA(cudaMemcpyFromSymbol(&value, grid_of_doubles, sizeof(value), 5 * sizeof(value)));
    CHECK_FLOAT(value, 6.5, 0);
    short small;
    CHECK_CUDA(cudaMemcpyFromSymbol(&small, hidden, sizeof(small), 0, cudaMemcpyDeviceToHost));
    CHECK_INT(small, -6);
    CHECK_CUDA(cudaGetSymbolSize(&bytes, grid_of_doubles));
    CHECK_INT(bytes, 96);
    CHECK_CUDA(cudaGetSymbolAddress(&address, counter));
    CHECK_CUDA(cudaMemcpy(&number, address, sizeof(number), cudaMemcpyDeviceToHost));
    CHECK_INT(number, 15);
}

/* Every cached load followed by every cached store. */
template <typename T> __global__ void copy_cached(const T *from, T *to)
{
    int i = (int)threadIdx.x, n = (int)blockDim.x;
    __stwb(to + i, __ldg(from + i));
    __stcg(to + n + i, __ldcg(from + i));
    __stcs(to + 2 * n + i, __ldcs(from + i));
    __stwt(to + 3 * n + i, __ldca(from + i));
    to[4 * n + i] = __ldcv(from + i);
    to[5 * n + i] = __ldlu(from + i);
}

template <typename T> static void check_cached(void)
{
    T *from = make_array<T>(32), *to = make_array<T>(6 * 32);
    for (size_t i = 0; i < 32 * sizeof(T); i++)
        ((unsigned char *)from)[i] = (unsigned char)(i % 120 + 1); /* no NaN among floats */
    copy_cached<<<1, 32>>>(from, to);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int copy = 0; copy < 6; copy++)
        CHECK(memcmp(from, to + 32 * copy, 32 * sizeof(T)) == 0);
    CHECK_CUDA(cudaFree(from));
    CHECK_CUDA(cudaFree(to));
}

template <typename T, int N> __global__ void reverse(T *data)
{
    __shared__ T tile[N];
    extern __shared__ double raw[];
    T *dynamic = (T *)raw;
    tile[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    dynamic[N - 1 - threadIdx.x] = tile[threadIdx.x];
    __syncthreads();
    data[threadIdx.x] = dynamic[threadIdx.x];
}

__global__ void spaces(int *out)
{
    __shared__ int shared;
    int local[4];
    for (int i = 0; i < 4; i++)
        local[i] = i * out[i];
    int *where = out[4] == 1 ? &shared : local; /* a generic pointer */
    *where = 11;
    out[5] = __isGlobal(out) != 0;
    out[6] = __isShared(&shared) != 0;
    out[7] = __isShared(out) == 0;
    out[8] = __isLocal(local) != 0;
    out[9] = out[4] == 1 ? shared : local[0];
    unsigned int address = (unsigned int)__cvta_generic_to_shared(&shared);
    int loaded;
    asm volatile("ld.shared.s32 %0, [%1];" : "=r"(loaded) : "r"(address) : "memory");
    out[10] = loaded;
    out[11] = local[out[12] & 3];
}

__global__ void heap(int **kept, int *out)
{
    int *p = (int *)malloc(sizeof(int) * 4);
    if (p == NULL)
        return;
    memset(p, 0, 4 * sizeof(int));
    p[threadIdx.x % 4] = (int)threadIdx.x;
    int copy[4];
    memcpy(copy, p, sizeof(copy));
    out[threadIdx.x] = copy[0] + copy[1] + copy[2] + copy[3];
    if (threadIdx.x == 3)
        *kept = p;
    else
        free(p);
}

__global__ void release(int **kept, int *out)
{
    out[0] = (*kept)[3];
    free(*kept);
}

__global__ void stage(const float *from, float *to)
{
    __shared__ __align__(16) float tile[128];
    int i = (int)threadIdx.x;
    __pipeline_memcpy_async(&tile[4 * i], from + 4 * i, 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    for (int j = i; j < 128; j += 32)
        to[j] = tile[127 - j];
}

int main(void)
{
    check_variables();
    check_cached<char>();
    check_cached<unsigned char>();
    check_cached<short>();
    check_cached<unsigned short>();
    check_cached<int>();
    check_cached<unsigned int>();
    check_cached<long long>();
    check_cached<unsigned long long>();
    check_cached<float>();
    check_cached<double>();
    check_cached<int2>();
    check_cached<uint4>();
    check_cached<float2>();
    check_cached<float4>();
    check_cached<double2>();

    int *numbers = make_array<int>(64);
    for (int i = 0; i < 64; i++)
        numbers[i] = i;
    reverse<int, 64><<<1, 64, 64 * sizeof(int)>>>(numbers);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK(numbers[0] == 63 && numbers[63] == 0);
    numbers[4] = 1;
    numbers[12] = 2;
    spaces<<<1, 1>>>(numbers);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK(numbers[5] && numbers[6] && numbers[7] && numbers[8]);
    CHECK(numbers[9] == 11 && numbers[10] == 11 && numbers[11] == 2 * numbers[2]);

    int **kept = make_array<int *>(1);
    heap<<<1, 64>>>(kept, numbers);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 64; i++)
        CHECK_INT(numbers[i], i);
    release<<<1, 1>>>(kept, numbers);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_INT(numbers[0], 3);

    float *from = make_array<float>(128), *to = make_array<float>(128);
    for (int i = 0; i < 128; i++)
        from[i] = (float)i;
    stage<<<1, 32>>>(from, to);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 128; i++)
        CHECK_FLOAT(to[i], 127 - i, 0);
    return check_done();
}
