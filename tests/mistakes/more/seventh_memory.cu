/* seventh_memory.cu - of the seventh set: bounds, alignment, values never set, indices of threads.
 */
/* flags: -std=c++17 -arch=sm_90a */
#include "mistakes.h"

#include <curand_kernel.h>
#include <stdint.h>

#define I ((int)(blockIdx.x * blockDim.x + threadIdx.x))
#define T ((int)threadIdx.x)

/* Four elements a thread: 1001 is no multiple of four. */
template <bool right> __global__ void by_four(float *a, int n)
{
    int i = 4 * I;
    if (i < (right ? n - 3 : n)) {
        float4 v = *(float4 *)(a + i); // MISTAKE by_four out
        *(float4 *)(a + i) = make_float4(v.y, v.z, v.w, v.x);
    }
    if (right && I == 0) {
        for (int k = n / 4 * 4; k < n; k++) {
            a[k] = -a[k];
        }
    }
}
TWINS(by_four) { by_four<right><<<1, 256>>>(buffer<float>(1001), 1001); }

/* Rows of 17 words do not begin at multiples of 16 bytes. */
template <bool right> __global__ void vector_rows(const float *in, float *out)
{
    __shared__ __align__(16) float s[16][right ? 20 : 17];
    int x = T % 16, y = T / 16;
    s[y][x] = in[T];
    __syncthreads();
    if (x < 4) {
        float4 v = *(float4 *)&s[y][4 * x]; // MISTAKE vector_rows aligned
        out[y * 4 + x] = v.x + v.y + v.z + v.w;
    }
}
TWINS(vector_rows) { vector_rows<right><<<1, 256>>>(buffer<float>(256), buffer<float>(64)); }

/* Squares of the elements that there are, and a sum of as many as there are threads. */
template <bool right> __global__ void squares(const float *x, int n, float *square)
{
    if (I < n) {
        square[I] = x[I] * x[I];
    } else if (right) {
        square[I] = 0;
    }
}
__global__ void add_up(const float *square, float *out)
{
    float sum = square[I]; // MISTAKE tail_sum uninitialised
    for (int d = 16; d > 0; d /= 2) {
        sum += __shfl_down_sync(~0u, sum, d);
    }
    if (T % 32 == 0) {
        atomicAdd(out, sum);
    }
}
TWINS(tail_sum)
{
    float *square;
    must(cudaMalloc(&square, 256 * sizeof *square));
    squares<right><<<4, 64>>>(buffer<float>(250), 250, square);
    add_up<<<4, 64>>>(square, buffer<float>(1));
    must(cudaDeviceSynchronize());
    must(cudaFree(square));
}

/* Threads of a block share one generator of random numbers. */
template <bool right> __global__ void throw_dice(curandStatePhilox4_32_10_t *state, float *out)
{
    curandStatePhilox4_32_10_t *mine = state + (right ? I : (int)blockIdx.x);
    if (right || T == 0) {
        curand_init(7, I, 0, mine);
    }
    __syncthreads();
    out[I] = curand_uniform(mine); // MISTAKE one_generator race
}
TWINS(one_generator)
{
    throw_dice<right><<<2, 64>>>(buffer<curandStatePhilox4_32_10_t>(128), buffer<float>(128));
}

/* All threads of a grid go through the array by steps of a block. */
template <bool right> __global__ void axpy(const float *x, float *y, int n)
{
    for (int i = right ? I : T; i < n; i += right ? blockDim.x * gridDim.x : blockDim.x) {
        y[i] += 2 * x[i]; // MISTAKE step_of_block race
    }
}
TWINS(step_of_block) { axpy<right><<<4, 64>>>(buffer<float>(1000), buffer<float>(1000), 1000); }

/* A block of 32 x 4 threads, and an index that knows one dimension. */
template <bool right> __global__ void flat(float *a)
{
    int i = right ? I * 4 + threadIdx.y : I;
    a[i] += 1; // MISTAKE flat race
}
TWINS(flat) { flat<right><<<2, dim3(32, 4)>>>(buffer<float>(256)); }

/* One barrier a round is enough for two buffers, not for one. */
template <bool right> __global__ void rounds(float *x)
{
    __shared__ float s[right ? 2 : 1][64];
    float v = x[T];
    for (int k = 0; k < 6; k++) {
        float *now = s[right ? k % 2 : 0];
        now[T] = v; // MISTAKE one_buffer race
        __syncthreads();
        v = 0.5f * (now[(T + 1) % 64] + now[(T + 63) % 64]);
    }
    x[T] = v;
}
TWINS(one_buffer) { rounds<right><<<1, 64>>>(buffer<float>(64)); }

/* Merging two sorted halves into themselves. */
__device__ int below(const int *a, int n, int key, bool equal)
{
    int low = 0;
    while (low < n) {
        int m = (low + n) / 2;
        if (a[m] < key || (equal && a[m] == key)) {
            low = m + 1;
        } else {
            n = m;
        }
    }
    return low;
}
__global__ void merge(const int *from, int *to, int half)
{
    int i = I;
    int place = i < half ? i + below(from + half, half, from[i], false)
                         : i - half + below(from, half, from[i], true);
    to[place] = from[i]; // MISTAKE merged_in_place race
}
TWINS(merged_in_place)
{
    int *a = buffer<int>(128), *b = buffer<int>(128), h[128];
    for (int i = 0; i < 128; i++) {
        h[i] = i % 64 * 2 + i / 64;
    }
    must(cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice));
    merge<<<2, 64>>>(a, right ? b : a, 64);
}

/* A hundred clusters are cleared by 64 threads, one each. */
template <bool right> __global__ void count_clusters(const int *of, int *out)
{
    __shared__ int s[100];
    for (int k = T; k < 100 && (right || k == T); k += 64) {
        s[k] = 0;
    }
    __syncthreads();
    atomicAdd(&s[of[T]], 1); // MISTAKE count_clusters uninitialised
    __syncthreads();
    out[T] = s[T];
}
TWINS(count_clusters)
{
    int *of = buffer<int>(64), h[64];
    for (int i = 0; i < 64; i++) {
        h[i] = 99 - i;
    }
    must(cudaMemcpy(of, h, sizeof h, cudaMemcpyHostToDevice));
    count_clusters<right><<<1, 64>>>(of, buffer<int>(64));
}

/* A tile of 16 x 16 in a block of 32 x 32. */
template <bool right> __global__ void tile_of_block(const float *in, float *out)
{
    enum { TILE = right ? 32 : 16 };
    __shared__ float s[TILE][TILE];
    int i = threadIdx.y * 32 + threadIdx.x;
    s[threadIdx.y][threadIdx.x] = in[i]; // MISTAKE tile_of_block shared
    __syncthreads();
    out[threadIdx.x * 32 + threadIdx.y] = s[threadIdx.y][threadIdx.x];
}
TWINS(tile_of_block)
{
    tile_of_block<right><<<1, dim3(32, 32)>>>(buffer<float>(1024), buffer<float>(1024));
}

/* Doubles behind an odd number of flags. */
template <bool right> __global__ void flags_then_sums(double *out, int flags)
{
    extern __shared__ char memory[];
    char *flag = memory;
    double *sum = (double *)(memory + (right ? (flags + 7) / 8 * 8 : flags));
    flag[T] = 1;
    sum[T] = T; // MISTAKE flags_then_sums aligned
    __syncthreads();
    out[T] = flag[T] * sum[31 - T];
}
TWINS(flags_then_sums) { flags_then_sums<right><<<1, 32, 600>>>(buffer<double>(32), 33); }

/* Four bytes at once from rows of 30 bytes. */
template <bool right> __global__ void quantised(const int8_t *a, const int8_t *x, int *y)
{
    int sum = 0;
    for (int k = 0; k < 28; k += 4) {
        int four = *(const int *)(a + T * (right ? 32 : 30) + k); // MISTAKE quantised aligned
        sum = __dp4a(four, *(const int *)(x + k), sum);
    }
    y[T] = sum;
}
TWINS(quantised)
{
    quantised<right><<<1, 32>>>(buffer<int8_t>(1024), buffer<int8_t>(32), buffer<int>(32));
}

/* A kernel for doubles is given floats. */
__global__ void square_all(double *a) { a[I] *= a[I]; } // MISTAKE doubles out
TWINS(doubles)
{
    void *a = buffer<float>(right ? 256 : 128);
    square_all<<<2, 64>>>((double *)a);
}

/* The largest value has a bin of its own. */
template <bool right> __global__ void ten_bins(const float *x, int *bins)
{
    int b = (int)(x[I] * 10);
    atomicAdd(&bins[right && b > 9 ? 9 : b], 1); // MISTAKE ten_bins out
}
TWINS(ten_bins)
{
    float *x = buffer<float>(64), one = 1;
    must(cudaMemcpy(x + 20, &one, sizeof one, cudaMemcpyHostToDevice));
    ten_bins<right><<<1, 64>>>(x, buffer<int>(10));
}

/* A remainder may be negative. */
template <bool right> __global__ void hash_negative(const int *key, int *table)
{
    int h = right ? (unsigned)key[I] * 2654435761u % 64 : (int)(key[I] * 2654435761u) % 64;
    atomicAdd(&table[h], 1); // MISTAKE hash_negative out
}
TWINS(hash_negative)
{
    int *key = buffer<int>(64), h[64];
    for (int i = 0; i < 64; i++) {
        h[i] = 3 * i + 1;
    }
    must(cudaMemcpy(key, h, sizeof h, cudaMemcpyHostToDevice));
    hash_negative<right><<<1, 64>>>(key, buffer<int>(64));
}

/* Rows of a sparse matrix, filled up with -1. */
template <bool right>
__global__ void ell(const int *column, const float *value, const float *x, float *y)
{
    float sum = 0;
    for (int k = 0; k < 3; k++) {
        int c = column[k * 64 + I];
        if (!right || c >= 0) {
            sum += value[k * 64 + I] * x[c]; // MISTAKE ell out
        }
    }
    y[I] = sum;
}
TWINS(ell)
{
    int *column = buffer<int>(192);
    must(cudaMemset(column + 128, 0xff, 40 * sizeof *column));
    ell<right><<<1, 64>>>(column, buffer<float>(192), buffer<float>(64), buffer<float>(64));
}

/* Pixels of three bytes are taken for pixels of four. */
template <bool right> __global__ void grey(const uint8_t *rgb, uint8_t *out)
{
    if (right) {
        out[I] = (rgb[3 * I] + rgb[3 * I + 1] + rgb[3 * I + 2]) / 3;
    } else {
        uchar4 p = *(const uchar4 *)(rgb + 3 * I); // MISTAKE grey aligned
        out[I] = (p.x + p.y + p.z) / 3;
    }
}
TWINS(grey) { grey<right><<<4, 64>>>(buffer<uint8_t>(768), buffer<uint8_t>(256)); }

/* A prefix sum in local memory begins with what nobody has set. */
template <bool right> __global__ void local_prefix(const int *x, int *out, int n)
{
    int sum[9];
    if (right) {
        sum[0] = 0;
    }
    for (int k = 0; k < n; k++) {
        sum[k + 1] = sum[k] + x[(T + k) % 32]; // MISTAKE local_prefix uninitialised
    }
    out[T] = sum[n];
}
TWINS(local_prefix) { local_prefix<right><<<1, 32>>>(buffer<int>(32), buffer<int>(32), 8); }
