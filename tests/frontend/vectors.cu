/* Vector types: ways to make them, sizes and alignment, copies, unions, structs, parameters. */
#include "check.h"

struct particle {
    float4 position;
    char tag;
    double2 charge;
};

union view {
    float4 vector;
    float element[4];
};

__constant__ float4 corners[2] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
__device__ int2 device_pair = {3, 4};

__host__ __device__ float4 operator+(float4 a, float4 b)
{
    return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

__host__ __device__ float4 operator*(float s, const float4 &v)
{
    return make_float4(s * v.x, s * v.y, s * v.z, s * v.w);
}

__host__ __device__ float sum(float4 v) { return v.x + v.y + v.z + v.w; }

__global__ void combine(const float4 *in, float4 *out, float4 scale, int2 pair, struct particle p)
{
    __shared__ float4 tile[32];
    int i = (int)threadIdx.x;
    tile[i] = in[i];
    __syncthreads();
    float4 v = tile[31 - i] + corners[i % 2], zero = {0};
    float4 copy = v;
    copy.x += zero.y;
    union view u;
    u.vector = copy;
    u.element[3] += (float)pair.y + (float)device_pair.x + (float)p.charge.y;
    out[i] = u.vector + 2.0f * scale + p.position;
}

template <typename T> __global__ void twice(const T *in, T *out)
{
    T v = in[threadIdx.x];
    out[2 * threadIdx.x] = v;
    out[2 * threadIdx.x + 1] = in[threadIdx.x];
}

template <typename T> static void check_copy(void)
{
    T *in = make_array<T>(4), *out = make_array<T>(8);
    for (size_t i = 0; i < 4 * sizeof(T); i++)
        ((unsigned char *)in)[i] = (unsigned char)(i % 100 + 1);
    twice<<<1, 4>>>(in, out);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 8; i++)
        CHECK(memcmp(&in[i / 2], &out[i], sizeof(T)) == 0);
    CHECK_CUDA(cudaFree(in));
    CHECK_CUDA(cudaFree(out));
}

int main(void)
{
    float4 *in = make_array<float4>(32), *out = make_array<float4>(32);
    for (int i = 0; i < 32; i++)
        in[i] = make_float4((float)i, 1, 2, 3);
    struct particle p = {{1, 1, 1, 1}, 'p', {0.5, 0.25}};
    struct particle q = p;
    q.position.w = 2;
    float4 scale = {1.0f, 2.0f, 3.0f, 4.0f}, partial = {7.0f, 8.0f}, empty = {};
    combine<<<1, 32>>>(in, out, scale, make_int2(8, 9), q);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 32; i++) {
        float base = i % 2 ? 5 : 1;
        CHECK_FLOAT(out[i].x, 31 - i + base + 2 + 1, 0);
        CHECK_FLOAT(out[i].y, 1 + base + 1 + 4 + 1, 0);
        CHECK_FLOAT(out[i].z, 2 + base + 2 + 6 + 1, 0);
        CHECK_FLOAT(out[i].w, 3 + base + 3 + 9 + 3 + 0.25 + 8 + 2, 0);
    }
    CHECK(partial.y == 8 && partial.z == 0 && empty.x == 0 && sum(scale + partial) == 25);
    check_copy<char2>();
    check_copy<char3>();
    check_copy<char4>();
    check_copy<ushort2>();
    check_copy<short4>();
    check_copy<int2>();
    check_copy<uint3>();
    check_copy<int4>();
    check_copy<float2>();
    check_copy<float3>();
    check_copy<float4>();
    check_copy<longlong2>();
    check_copy<double2>();
    check_copy<double3>();
    check_copy<double4_16a>();
    check_copy<double4_32a>();
    return check_done();
}
