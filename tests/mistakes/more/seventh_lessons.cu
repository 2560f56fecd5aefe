/* seventh_lessons.cu - a seventh set of mistakes: in the kernels that lessons teach. */
/* flags: -std=c++17 -arch=sm_90a */
#include "mistakes.h"

#include <math.h>

#define I ((int)(blockIdx.x * blockDim.x + threadIdx.x))
#define T ((int)threadIdx.x)

/* A maximum of a row: threads without a column put nothing into the tree. */
template <bool right> __global__ void row_max(const float *x, int columns, float *out)
{
    __shared__ float s[128];
    if (T < columns) {
        float m = x[T];
        for (int j = T + 128; j < columns; j += 128) {
            m = fmaxf(m, x[j]);
        }
        s[T] = m;
    } else if (right) {
        s[T] = -INFINITY;
    }
    __syncthreads();
    for (int d = 64; d > 0; d /= 2) {
        if (T < d) {
            s[T] = fmaxf(s[T], s[T + d]); // MISTAKE row_max uninitialised
        }
        __syncthreads();
    }
    if (T == 0) {
        *out = s[0];
    }
}
TWINS(row_max) { row_max<right><<<1, 128>>>(buffer<float>(100), 100, buffer<float>(1)); }

/* Softmax: one array in shared memory serves the maximum and then the sum. */
template <bool right> __global__ void softmax(float *x)
{
    __shared__ float s[128];
    float v = x[blockIdx.x * 128 + T];
    s[T] = v;
    __syncthreads();
    for (int d = 64; d > 0; d /= 2) {
        if (T < d) {
            s[T] = fmaxf(s[T], s[T + d]);
        }
        __syncthreads();
    }
    float m = s[0];
    if (right) {
        __syncthreads();
    }
    v = expf(v - m);
    s[T] = v; // MISTAKE softmax race
    __syncthreads();
    for (int d = 64; d > 0; d /= 2) {
        if (T < d) {
            s[T] += s[T + d];
        }
        __syncthreads();
    }
    x[blockIdx.x * 128 + T] = v / s[0];
}
TWINS(softmax) { softmax<right><<<4, 128>>>(buffer<float>(512)); }

/* Layer normalisation: the second warp of a block of 48 threads has only 16 lanes. */
template <bool right> __global__ void layer_mean(const float *x, float *out)
{
    __shared__ float part[2];
    float v = x[T];
    unsigned mask = right && T >= 32 ? 0xffffu : 0xffffffffu;
    for (int d = right && T >= 32 ? 8 : 16; d > 0; d /= 2) {
        v += __shfl_xor_sync(mask, v, d); // MISTAKE layer_mean lane
    }
    if (T % 32 == 0) {
        part[T / 32] = v;
    }
    __syncthreads();
    out[T] = x[T] - (part[0] + part[1]) / 48;
}
TWINS(layer_mean) { layer_mean<right><<<1, 48>>>(buffer<float>(48), buffer<float>(48)); }

/* Attention: the tile of keys becomes the tile of values. */
template <bool right>
__global__ void attend(const float *q, const float *k, const float *v, float *o)
{
    __shared__ float tile[32][33];
    int x = threadIdx.x, y = threadIdx.y;
    tile[y][x] = k[y * 32 + x];
    __syncthreads();
    float score = 0;
    for (int d = 0; d < 32; d++) {
        score += q[y * 32 + d] * tile[x][d];
    }
    if (right) {
        __syncthreads();
    }
    tile[y][x] = v[y * 32 + x]; // MISTAKE attend race
    __syncthreads();
    float sum = 0;
    for (int j = 0; j < 32; j++) {
        sum += __shfl_sync(~0u, score, j) * tile[j][x];
    }
    o[y * 32 + x] = sum;
}
TWINS(attend)
{
    float *a = buffer<float>(3072);
    attend<right><<<1, dim3(32, 32)>>>(a, a + 1024, a + 2048, buffer<float>(1024));
}

/* Attention with a running maximum: lane 0 of a row rescales what all lanes of the row use. */
template <bool right> __global__ void rescale(const float *x, float *o)
{
    __shared__ float alpha[4], top[4];
    int row = T / 32, lane = T % 32;
    float acc = 0;
    if (lane == 0) {
        top[row] = x[row];
    }
    __syncwarp();
    for (int j = 0; j < 3; j++) {
        float s = x[j * 128 + T];
        if (lane == 0) {
            float m = fmaxf(top[row], s);
            alpha[row] = expf(top[row] - m); // MISTAKE rescale race
            top[row] = m;
        }
        __syncwarp();
        acc = acc * alpha[row] + s;
        if (right) {
            __syncwarp();
        }
    }
    o[T] = acc;
}
TWINS(rescale) { rescale<right><<<1, 128>>>(buffer<float>(384), buffer<float>(128)); }

/* Sorting 100 keys with a network of 128: the last 28 have never been set. */
template <bool right> __global__ void top_k(const float *x, int n, float *out)
{
    __shared__ float s[128];
    if (T < n) {
        s[T] = x[T];
    } else if (right) {
        s[T] = -INFINITY;
    }
    __syncthreads();
    for (int k = 2; k <= 128; k *= 2) {
        for (int j = k / 2; j > 0; j /= 2) {
            int other = T ^ j;
            if (other > T && (s[T] < s[other]) == ((T & k) == 0)) { // MISTAKE top_k uninitialised
                float t = s[T];
                s[T] = s[other];
                s[other] = t;
            }
            __syncthreads();
        }
    }
    if (T < 8) {
        out[T] = s[T];
    }
}
TWINS(top_k) { top_k<right><<<1, 128>>>(buffer<float>(100), 100, buffer<float>(8)); }

/* Sparse matrix times vector: n rows have n + 1 limits. */
__global__ void spmv(const int *row, const int *column, const float *value, const float *x,
                     float *y, int n)
{
    int r = I / 32, lane = T % 32;
    if (r >= n) {
        return;
    }
    float sum = 0;
    for (int k = row[r] + lane; k < row[r + 1]; k += 32) { // MISTAKE spmv out
        sum += value[k] * x[column[k]];
    }
    for (int d = 16; d > 0; d /= 2) {
        sum += __shfl_down_sync(~0u, sum, d);
    }
    if (lane == 0) {
        y[r] = sum;
    }
}
TWINS(spmv)
{
    int *row = buffer<int>(right ? 65 : 64);
    spmv<<<16, 128>>>(row, buffer<int>(64), buffer<float>(64), buffer<float>(64), buffer<float>(64),
                      64);
}

/* A transpose that was tried with squares only. */
template <bool right>
__global__ void transpose_any(const float *in, float *out, int width, int height)
{
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    out[x * (right ? height : width) + y] = in[y * width + x]; // MISTAKE transpose_any out
}
TWINS(transpose_any)
{
    transpose_any<right>
        <<<dim3(4, 2), dim3(16, 16)>>>(buffer<float>(2048), buffer<float>(2048), 64, 32);
}

/* A tiled product: rows and columns have guards, the common dimension has none. */
template <bool right> __global__ void product(const float *a, const float *b, float *c, int n)
{
    __shared__ float as[16][16], bs[16][16];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x;
    float sum = 0;
    for (int k = 0; k < n; k += 16) {
        as[y][x] = row < n && (!right || k + x < n) ? a[row * n + k + x] : 0; // MISTAKE product out
        bs[y][x] = col < n && k + y < n ? b[(k + y) * n + col] : 0;
        __syncthreads();
        for (int j = 0; j < 16; j++) {
            sum += as[y][j] * bs[j][x];
        }
        __syncthreads();
    }
    if (row < n && col < n) {
        c[row * n + col] = sum;
    }
}
TWINS(product)
{
    product<right><<<dim3(2, 2), dim3(16, 16)>>>(buffer<float>(400), buffer<float>(400),
                                                 buffer<float>(400), 20);
}

/* Bytes have 256 values. */
template <bool right> __global__ void bytes(const unsigned char *x, unsigned *out)
{
    __shared__ unsigned bins[right ? 256 : 255];
    __shared__ unsigned total;
    for (int b = T; b < (right ? 256 : 255); b += blockDim.x) {
        bins[b] = 0;
    }
    if (T == 0) {
        total = 0;
    }
    __syncthreads();
    atomicAdd(&bins[x[T]], 1); // MISTAKE bytes bins
    atomicAdd(&total, 1);
    __syncthreads();
    out[T] = bins[T] + total;
}
TWINS(bytes)
{
    unsigned char *x = buffer<unsigned char>(64);
    must(cudaMemset(x, 0xff, 64));
    bytes<right><<<1, 64>>>(x, buffer<unsigned>(64));
}

/* A row with a halo of two: what lies right of the last block is not there. */
template <bool right> __global__ void convolve(const float *in, float *out, int n)
{
    __shared__ float s[64 + 4];
    int i = I;
    s[T + 2] = in[i];
    if (T < 2) {
        s[T] = i >= 2 ? in[i - 2] : 0;
        s[T + 66] = !right || i + 64 < n ? in[i + 64] : 0; // MISTAKE convolve out
    }
    __syncthreads();
    out[i] = s[T] + s[T + 1] + s[T + 2] + s[T + 3] + s[T + 4];
}
TWINS(convolve) { convolve<right><<<4, 64>>>(buffer<float>(256), buffer<float>(256), 256); }

/* A scan of 1000 elements: 1000 / 256 blocks are not enough for the sums of the blocks. */
__global__ void sum_of_block(const int *x, int n, int *sums)
{
    __shared__ int s;
    if (T == 0) {
        s = 0;
    }
    __syncthreads();
    atomicAdd(&s, I < n ? x[I] : 0);
    __syncthreads();
    if (T == 0) {
        sums[blockIdx.x] = s; // MISTAKE block_sums out
    }
}
TWINS(block_sums)
{
    int n = 1000;
    int *sums = buffer<int>(right ? (n + 255) / 256 : n / 256);
    sum_of_block<<<(n + 255) / 256, 256>>>(buffer<int>(n), n, sums);
}

/* The third parameter of the launch is forgotten. */
__global__ void sum_dynamic(const float *x, float *out)
{
    extern __shared__ float s[];
    s[T] = x[T]; // MISTAKE forgotten_shared shared
    __syncthreads();
    for (int d = blockDim.x / 2; d > 0; d /= 2) {
        if (T < d) {
            s[T] += s[T + d];
        }
        __syncthreads();
    }
    if (T == 0) {
        *out = s[0];
    }
}
TWINS(forgotten_shared)
{
    sum_dynamic<<<1, 128, right ? 128 * sizeof(float) : 0>>>(buffer<float>(128), buffer<float>(1));
}

/* The last warp's tree, copied from slides: a block of 32 has no 32 further elements. */
template <bool right> __global__ void old_tail(const float *x, float *out)
{
    __shared__ float s[32];
    s[T] = x[T];
    __syncwarp();
    float v = s[T];
    if (!right) {
        v += s[T + 32]; // MISTAKE old_tail shared
        __syncwarp();
        s[T] = v;
        __syncwarp();
    }
    for (int d = 16; d > 0; d /= 2) {
        v += T < d ? s[T + d] : 0;
        __syncwarp();
        s[T] = v;
        __syncwarp();
    }
    out[T] = v;
}
TWINS(old_tail) { old_tail<right><<<1, 32>>>(buffer<float>(32), buffer<float>(32)); }

/* Heat on a plate: the last row has no row below it. */
template <bool right> __global__ void heat(const float *u, float *next, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && y > 0 && x < n - 1 && y < (right ? n - 1 : n)) {
        float below = u[(y + 1) * n + x]; // MISTAKE heat out
        next[y * n + x] =
            0.25f * (u[(y - 1) * n + x] + below + u[y * n + x - 1] + u[y * n + x + 1]);
    }
}
TWINS(heat)
{
    heat<right><<<dim3(2, 2), dim3(16, 16)>>>(buffer<float>(1024), buffer<float>(1024), 32);
}

/* 65536 * 65536 elements are 0 in 32 bits. */
__global__ void first_and_last(float *a, int rows, int columns)
{
    a[(size_t)T * (rows - 1) * columns] = T; // MISTAKE size_in_int out
}
TWINS(size_in_int)
{
    float *a;
    unsigned rows = 65536, columns = 65536;
    size_t elements = right ? (size_t)rows * columns : rows * columns;
    must(cudaMalloc(&a, elements * sizeof *a));
    first_and_last<<<1, 2>>>(a, rows, columns);
    must(cudaDeviceSynchronize());
    must(cudaFree(a));
}
