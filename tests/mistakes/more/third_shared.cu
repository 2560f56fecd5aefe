/* third_shared.cu - mistakes with shared memory, as they stand in kernels of scans, sorts and tiles. */
#include "mistakes.h"
#include <cooperative_groups.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

enum { BLOCK = 128,
       WARP = 32 };

/* A scan in place: what one step reads, the same step overwrites. */
template <bool right>
__global__ void scan_in_place(const int *in, int *out)
{
    __shared__ int sums[BLOCK];
    int t = threadIdx.x;
    sums[t] = in[t];
    __syncthreads();
    for (int reach = 1; reach < BLOCK; reach *= 2) {
        int left = t >= reach ? sums[t - reach] : 0; // MISTAKE scan_step race
        if (right) {
            __syncthreads();
        }
        sums[t] += left;
        __syncthreads();
    }
    out[t] = sums[t];
}
TWINS(scan_step)
{
    scan_in_place<right><<<1, BLOCK>>>(buffer<int>(BLOCK), buffer<int>(BLOCK));
}

/* A helper that reduces a block keeps its partial sums in one array, and is called twice. */
__device__ int warp_sum(int v)
{
    for (int offset = WARP / 2; offset > 0; offset /= 2) {
        v += __shfl_down_sync(0xffffffff, v, offset);
    }
    return v;
}
template <bool right>
__device__ int block_sum(int v)
{
    __shared__ int partial[BLOCK / WARP];
    int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    v = warp_sum(v);
    if (right) {
        __syncthreads();
    }
    if (lane == 0) {
        partial[warp] = v; // MISTAKE sum_twice race
    }
    __syncthreads();
    int total = 0;
    for (int i = 0; i < BLOCK / WARP; i++) {
        total += partial[i];
    }
    return total;
}
template <bool right>
__global__ void mean_and_square(const int *in, int *out)
{
    int v = in[threadIdx.x];
    int sum = block_sum<right>(v), square = block_sum<right>(v * v);
    if (threadIdx.x == 0) {
        out[0] = sum, out[1] = square;
    }
}
TWINS(sum_twice)
{
    mean_and_square<right><<<1, BLOCK>>>(buffer<int>(BLOCK), buffer<int>(2));
}

/* The steps of a bitonic sort within a warp need no barrier of the block, but one of the warp. */
template <bool right>
__global__ void bitonic(int *keys)
{
    __shared__ int s[BLOCK];
    int t = threadIdx.x;
    s[t] = keys[t];
    __syncthreads();
    for (int size = 2; size <= BLOCK; size *= 2) {
        for (int stride = size / 2; stride > 0; stride /= 2) {
            int other = t ^ stride;
            if (other > t) {
                bool up = (t & size) == 0;
                int a = s[t], b = s[other]; // MISTAKE bitonic_warp race
                if ((a > b) == up) {
                    s[t] = b, s[other] = a;
                }
            }
            if (stride > WARP / 2 || right) {
                __syncthreads();
            }
        }
        __syncthreads();
    }
    keys[t] = s[t];
}
TWINS(bitonic_warp)
{
    int h[BLOCK];
    for (int i = 0; i < BLOCK; i++) {
        h[i] = i * 37 % 101;
    }
    int *d = buffer<int>(BLOCK);
    must(cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice));
    bitonic<right><<<1, BLOCK>>>(d);
}

/* Two arrays in dynamic shared memory: the second one's offset is in elements of the wrong size. */
template <bool right>
__global__ void two_arrays(const double *in, double *out)
{
    extern __shared__ char raw[];
    double *values = (double *)raw;
    int *ranks = (int *)(raw + (right ? sizeof(double) : sizeof(int)) * blockDim.x);
    int t = threadIdx.x;
    values[t] = in[t];
    ranks[t] = (t + 1) % blockDim.x; // MISTAKE two_arrays race
    __syncthreads();
    out[t] = values[ranks[t] % blockDim.x];
}
TWINS(two_arrays)
{
    two_arrays<right><<<1, BLOCK, BLOCK * 12>>>(buffer<double>(BLOCK), buffer<double>(BLOCK));
}

/* A flag of a relaxation is cleared for the next round while others still ask it. */
template <bool right>
__global__ void relax_short(int *labels)
{
    __shared__ int s[BLOCK];
    __shared__ bool changed;
    int t = threadIdx.x;
    s[t] = labels[t];
    if (t == 0) {
        changed = true;
    }
    __syncthreads();
    while (changed) {
        if (right) {
            __syncthreads();
        }
        if (t == 0) {
            changed = false; // MISTAKE clear_early race
        }
        __syncthreads();
        int left = s[t > 0 ? t - 1 : 0];
        __syncthreads();
        if (left > s[t]) {
            s[t] = left;
            changed = true;
        }
        __syncthreads();
    }
    labels[t] = s[t];
}
TWINS(clear_early)
{
    int *d = buffer<int>(BLOCK);
    must(cudaMemset(d, 1, 40));
    relax_short<right><<<1, BLOCK>>>(d);
}

/* Fields of one byte are changed together: each thread reads and writes its neighbour's bits. */
struct packed {
    unsigned char low : 4, high : 4;
};
template <bool right>
__global__ void set_fields(unsigned *out)
{
    __shared__ packed cells[BLOCK];
    int t = threadIdx.x;
    cells[t].low = 0, cells[t].high = 0;
    __syncthreads();
    if (right) {
        if (t % 2 == 0) {
            cells[t / 2].low = t, cells[t / 2].high = t + 1;
        }
    } else if (t % 2 == 0) {
        cells[t / 2].low = t;
    } else {
        cells[t / 2].high = t; // MISTAKE bit_fields race
    }
    __syncthreads();
    out[t] = cells[t].low + cells[t].high;
}
TWINS(bit_fields)
{
    set_fields<right><<<1, BLOCK>>>(buffer<unsigned>(BLOCK));
}

/* A group of 16 threads is synchronised where data move over 32. */
template <bool right>
__global__ void rotate(int *out)
{
    __shared__ int s[BLOCK];
    auto half = cg::tiled_partition<16>(cg::this_thread_block());
    auto whole = cg::tiled_partition<32>(cg::this_thread_block());
    int t = threadIdx.x;
    s[t] = t;
    if (right) {
        whole.sync();
    } else {
        half.sync();
    }
    out[t] = s[t / 32 * 32 + (t + 8) % 32]; // MISTAKE small_group race
}
TWINS(small_group)
{
    rotate<right><<<1, BLOCK>>>(buffer<int>(BLOCK));
}

/* A queue in shared memory: the count says that the element is there before it is. */
template <bool right>
__global__ void select_positive(const int *in, int *out)
{
    __shared__ int queue[BLOCK], count;
    int t = threadIdx.x;
    if (t == 0) {
        count = 0;
    }
    __syncthreads();
    if (in[t] >= 0) {
        queue[atomicAdd(&count, 1)] = t; // MISTAKE queue_ready race
    }
    if (right) {
        __syncthreads();
    } else {
        __syncwarp();
    }
    if (t < atomicAdd(&count, 0)) {
        out[t] = queue[t];
    }
}
TWINS(queue_ready)
{
    select_positive<right><<<1, BLOCK>>>(buffer<int>(BLOCK), buffer<int>(BLOCK));
}

/* A table is built by one warp and read by all; the barrier is a fence. */
template <bool right>
__global__ void table(float *out)
{
    __shared__ float sines[64];
    int t = threadIdx.x;
    if (t < 64) {
        sines[t] = t * 0.5f;
    }
    if (right) {
        __syncthreads();
    } else {
        __threadfence_block();
    }
    out[t] = sines[(t * 7) % 64]; // MISTAKE fence_for_barrier race
}
TWINS(fence_for_barrier)
{
    table<right><<<1, BLOCK>>>(buffer<float>(BLOCK));
}

/* The first thread of each warp counts; the counter is not atomic. */
template <bool right>
__global__ void count_warps(int *out)
{
    __shared__ int warps;
    if (threadIdx.x == 0) {
        warps = 0;
    }
    __syncthreads();
    if (threadIdx.x % WARP == 0) {
        if (right) {
            atomicAdd(&warps, 1);
        } else {
            warps++; // MISTAKE shared_count race
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        *out = warps;
    }
}
TWINS(shared_count)
{
    count_warps<right><<<1, BLOCK>>>(buffer<int>(1));
}

/* A warp's matrix fragment goes through shared memory as bytes of different widths. */
template <bool right>
__global__ void repack(const uchar4 *in, unsigned char *out)
{
    __shared__ uchar4 s[BLOCK];
    const unsigned char *bytes = (const unsigned char *)s;
    int t = threadIdx.x;
    s[t] = in[t];
    if (right) {
        __syncthreads();
    }
    for (int i = 0; i < 4; i++) {
        out[i * BLOCK + t] = bytes[i * BLOCK + t]; // MISTAKE repack race
    }
}
TWINS(repack)
{
    repack<right><<<1, BLOCK>>>(buffer<uchar4>(BLOCK), buffer<unsigned char>(4 * BLOCK));
}

/* Rows of a matrix in 2-D blocks: each warp's row is another warp's column. */
template <bool right>
__global__ void transpose(const float *in, float *out, int n)
{
    __shared__ float tile[WARP][WARP + 1];
    int x = blockIdx.x * WARP + threadIdx.x, y = blockIdx.y * WARP + threadIdx.y;
    for (int k = 0; k < WARP; k += 8) {
        tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * n + x];
    }
    if (right) {
        __syncthreads();
    } else {
        __syncwarp();
    }
    x = blockIdx.y * WARP + threadIdx.x, y = blockIdx.x * WARP + threadIdx.y;
    for (int k = 0; k < WARP; k += 8) {
        out[(y + k) * n + x] = tile[threadIdx.x][threadIdx.y + k]; // MISTAKE transpose_warp race
    }
}
TWINS(transpose_warp)
{
    transpose<right><<<dim3(2, 2), dim3(WARP, 8)>>>(buffer<float>(4096), buffer<float>(4096), 64);
}

/* A pivot is chosen by one thread and changed while the others still divide by it. */
template <bool right>
__global__ void eliminate(float *a, int n)
{
    __shared__ float pivot;
    int t = threadIdx.x;
    for (int k = 0; k < n; k++) {
        if (t == k) {
            pivot = a[k * n + k] + 1.0f; // MISTAKE pivot race
        }
        __syncthreads();
        if (t > k && t < n) {
            a[k * n + t] /= pivot;
        }
        if (right) {
            __syncthreads();
        }
    }
}
TWINS(pivot)
{
    eliminate<right><<<1, 64>>>(buffer<float>(64 * 64), 64);
}
