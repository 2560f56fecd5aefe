/* advice.cu - kernels with one known defect each, and kernels without: what SIMT_REPORT=lines must say of
 * them stands in the line before each. "says ARRAY: WORDS": the only advice is at that array, with those
 * words in it. "silent": none. advice.sh compares. */
#include <stdio.h>

enum { N = 4096, WIDTH = 128 };
struct particle { float x, y, z, mass; };
struct pair { double key; int value; };
#define INDEX (int)(blockIdx.x * blockDim.x + threadIdx.x)

// says in: a column
__global__ void column_load(const float *in, float *out)
{
    int x = threadIdx.x, y = blockIdx.x;
    out[y * WIDTH + x] = in[x * WIDTH + y];
}
// says out: a column
__global__ void column_store(const float *in, float *out)
{
    int x = threadIdx.x, y = blockIdx.x;
    out[x * WIDTH + y] = in[y * WIDTH + x];
}
// says in: array of structs
__global__ void field_of_struct(const particle *in, float *out)
{
    out[INDEX] = in[INDEX].mass;
}
// says out: array of structs
__global__ void field_stored(const float *in, particle *out)
{
    out[INDEX].y = in[INDEX];
}
// says in: 16 bytes apart
__global__ void double_in_struct(const pair *in, double *out)
{
    out[INDEX] = in[INDEX].key;
}
// says in: 8 bytes apart
__global__ void stride_two(const float *in, float *out)
{
    out[INDEX] = in[2 * INDEX];
}
// says in: 32 bytes apart
__global__ void stride_eight(const float *in, float *out)
{
    out[INDEX] = in[8 * (INDEX % 512)];
}
// says in: side by side
__global__ void offset_one(const float *in, float *out)
{
    out[INDEX] = in[INDEX + 1];
}
// says out: side by side
__global__ void offset_store(const float *in, float *out)
{
    out[INDEX + 3] = in[INDEX];
}
// says in: chunk for each thread
__global__ void chunk(const float *in, float *out)
{
    float sum = 0;
    for (int i = 0; i < 16; i++)
        sum += in[16 * (INDEX % 256) + i];
    out[INDEX] = sum;
}
// says in: scattered
__global__ void scattered(const float *in, float *out)
{
    out[INDEX] = in[(INDEX * 1237) % 4093];
}
// says in: wider in x
__global__ void narrow_block(const float *in, float *out)
{
    int x = blockIdx.x % 32 * 4 + threadIdx.x, y = blockIdx.x / 32 * 8 + threadIdx.y;
    out[32 * blockIdx.x + 4 * threadIdx.y + threadIdx.x] = in[y * WIDTH + x];
}
// says tile: pad each row
__global__ void column_of_tile(const float *in, float *out)
{
    __shared__ float tile[32][32];
    for (int j = 0; j < 32; j += 8)
        tile[threadIdx.y + j][threadIdx.x] = in[(threadIdx.y + j) * 32 + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < 32; j += 8)
        out[(threadIdx.y + j) * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y + j];
}
// says kept: share banks
__global__ void even_words(const float *in, float *out)
{
    __shared__ float kept[512];
    for (int i = threadIdx.x; i < 512; i += 256)
        kept[i] = in[i];
    __syncthreads();
    out[threadIdx.x] = kept[2 * threadIdx.x];
}
// says total: all 32 lanes
__global__ void one_sum(const int *in, int *total)
{
    if (in[INDEX] >= 0)
        atomicAdd(total, in[INDEX] + 1);
}
// says bins: update one word
__global__ void few_bins(const int *in, int *bins)
{
    atomicAdd(&bins[(in[INDEX] + INDEX) % 4], 1);
}
// says best: all 32 lanes
__global__ void one_maximum(const int *in, int *best)
{
    atomicMax(best, in[INDEX] + (int)threadIdx.x);
}
// says of_block: lanes update one word
__global__ void shared_counter(const int *in, int *out)
{
    __shared__ float of_block;
    if (threadIdx.x == 0)
        of_block = 0;
    __syncthreads();
    atomicAdd(&of_block, (float)in[INDEX] + 1.5f);
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = (int)of_block;
}
// says in|out: threadIdx.x % 2
__global__ void every_second(const float *in, float *out)
{
    if (threadIdx.x % 2 == 0)
        out[INDEX / 2] = sqrtf(in[INDEX / 2]) + out[INDEX / 2 + N / 2];
}
// says rows: pad
__global__ void column_of_wide_tile(const float *in, float *out)
{
    extern __shared__ float rows[];
    for (int i = threadIdx.x; i < 64 * 32; i += 32)
        rows[i] = in[i];
    __syncwarp();
    float sum = 0;
    for (int i = 0; i < 64; i++)
        sum += rows[threadIdx.x * 64 + i];
    out[threadIdx.x] = sum;
}

// silent
__global__ void saxpy(const float *in, float *out)
{
    if (INDEX < N - 13)
        out[INDEX] += 2 * in[INDEX];
}
// silent
__global__ void broadcast(const float *in, float *out)
{
    out[INDEX] = in[blockIdx.x];
}
// silent
__global__ void stencil(const float *in, float *out)
{
    int i = INDEX;
    if (i > 0 && i < N - 1)
        out[i] = in[i - 1] + in[i] + in[i + 1];
}
// silent
__global__ void vectors(const float4 *in, float4 *out)
{
    out[INDEX % 1024] = in[INDEX % 1024];
}
// silent
__global__ void padded_tile(const float *in, float *out)
{
    __shared__ float tile[32][33];
    for (int j = 0; j < 32; j += 8)
        tile[threadIdx.y + j][threadIdx.x] = in[(threadIdx.y + j) * 32 + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < 32; j += 8)
        out[(threadIdx.y + j) * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y + j];
}
// silent
__global__ void tree(const float *in, float *out)
{
    __shared__ float part[256];
    part[threadIdx.x] = in[INDEX];
    for (int half = 128; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = part[0];
}
// silent
__global__ void tiled_product(const float *in, float *out)
{
    __shared__ float a[16][16], b[16][16];
    float sum = 0;
    for (int t = 0; t < 4; t++) {
        a[threadIdx.y][threadIdx.x] = in[threadIdx.y * 64 + t * 16 + threadIdx.x];
        b[threadIdx.y][threadIdx.x] = in[(t * 16 + threadIdx.y) * 64 + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < 16; k++)
            sum += a[threadIdx.y][k] * b[k][threadIdx.x];
        __syncthreads();
    }
    out[threadIdx.y * 64 + threadIdx.x] = sum;
}
// silent
__global__ void grid_stride(const float *in, float *out)
{
    for (int i = INDEX; i < N; i += (int)(gridDim.x * blockDim.x))
        out[i] = 2 * in[i];
}
// silent
__global__ void one_atomic_a_warp(const int *in, int *total)
{
    int sum = in[INDEX];
    for (int other = 16; other > 0; other /= 2)
        sum += __shfl_down_sync(~0u, sum, other);
    if (threadIdx.x % 32 == 0)
        atomicAdd(total, sum);
}
// silent
__global__ void own_bins(const int *in, int *bins)
{
    atomicAdd(&bins[INDEX % 1024], in[INDEX] + 1);
}

int main()
{
    float *in, *out;
    cudaMalloc(&in, 4 * N * sizeof(double));
    cudaMalloc(&out, 4 * N * sizeof(double));
    cudaMemset(in, 0, 4 * N * sizeof(double));
    cudaMemset(out, 0, 4 * N * sizeof(double));
    column_load<<<WIDTH, 32>>>(in, out);
    column_store<<<WIDTH, 32>>>(in, out);
    field_of_struct<<<N / 256, 256>>>((particle *)in, out);
    field_stored<<<N / 256, 256>>>(in, (particle *)out);
    double_in_struct<<<N / 512, 256>>>((pair *)in, (double *)out);
    stride_two<<<N / 256, 256>>>(in, out);
    stride_eight<<<N / 256, 256>>>(in, out);
    offset_one<<<N / 256, 256>>>(in, out);
    offset_store<<<N / 256, 256>>>(in, out);
    chunk<<<N / 256, 256>>>(in, out);
    scattered<<<N / 256, 256>>>(in, out);
    narrow_block<<<64, dim3(4, 8)>>>(in, out);
    column_of_tile<<<1, dim3(32, 8)>>>(in, out);
    even_words<<<1, 256>>>(in, out);
    one_sum<<<N / 256, 256>>>((int *)in, (int *)out);
    few_bins<<<N / 256, 256>>>((int *)in, (int *)out);
    one_maximum<<<N / 256, 256>>>((int *)in, (int *)out);
    shared_counter<<<N / 256, 256>>>((int *)in, (int *)out);
    every_second<<<N / 256, 256>>>(in, out);
    column_of_wide_tile<<<1, 32, 64 * 32 * sizeof(float)>>>(in, out);
    saxpy<<<N / 256, 256>>>(in, out);
    broadcast<<<N / 256, 256>>>(in, out);
    stencil<<<N / 256, 256>>>(in, out);
    vectors<<<N / 256, 256>>>((float4 *)in, (float4 *)out);
    padded_tile<<<1, dim3(32, 8)>>>(in, out);
    tree<<<N / 256, 256>>>(in, out);
    tiled_product<<<1, dim3(16, 16)>>>(in, out);
    grid_stride<<<4, 256>>>(in, out);
    one_atomic_a_warp<<<N / 256, 256>>>((int *)in, (int *)out);
    own_bins<<<N / 256, 256>>>((int *)in, (int *)out);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
