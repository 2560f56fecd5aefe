/* second.cu - mistakes that professionals make: between blocks, between host and device, and in the runtime's
 * calls. */
#include "mistakes.h"

#include <cuda_pipeline.h>

/* --- atomics --------------------------------------------------------------------------------- */

template <bool right> __global__ void widths(unsigned *p)
{
    if (right) {
        atomicAdd(p + 2 * (threadIdx.x & 1), 1u);
    } else if (threadIdx.x & 1) {
        atomicAdd((unsigned long long *)p, 1ull); // MISTAKE widths race
    } else {
        atomicAdd(p, 1u);
    }
}
TWINS(widths) { widths<right><<<2, 64>>>(buffer<unsigned>(4)); }

template <bool right> __global__ void total_read(int *total, int *out)
{
    atomicAdd(total + (right ? blockIdx.x : 0), 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        out[blockIdx.x] = total[right ? blockIdx.x : 0]; // MISTAKE total_read race
    }
}
TWINS(total_read) { total_read<right><<<4, 64>>>(buffer<int>(4), buffer<int>(4)); }

struct pair {
    int hits, sum;
};
template <bool right> __global__ void reset_beside(pair *p, int *out)
{
    atomicAdd(&p->hits, 1);
    atomicAdd(&p->sum, (int)threadIdx.x);
    if (blockIdx.x == 1 && threadIdx.x == 0) {
        if (right) {
            out[0] = atomicExch(&p->hits, 0);
            out[1] = atomicExch(&p->sum, 0);
        } else {
            *p = pair{0, 0}; // MISTAKE reset_beside race
        }
    }
}
TWINS(reset_beside) { reset_beside<right><<<2, 64>>>(buffer<pair>(1), buffer<int>(2)); }

/* --- flags between blocks -------------------------------------------------------------------- */

template <bool right> __global__ void look_back(volatile int *status, int *value, int *out)
{
    if (threadIdx.x == 0) {
        int before = 0;
        if (blockIdx.x > 0) {
            while (status[blockIdx.x - 1] == 0) {
            }
            if (right) {
                __threadfence();
            }
            before = value[blockIdx.x - 1];
        }
        value[blockIdx.x] = before + 1; // MISTAKE look_back race
        if (right) {
            __threadfence();
        }
        status[blockIdx.x] = 1;
        out[blockIdx.x] = before;
    }
}
TWINS(look_back) { look_back<right><<<4, 32>>>(buffer<int>(4), buffer<int>(4), buffer<int>(4)); }

template <bool right> __global__ void later(volatile int *flags, int *out)
{
    if (threadIdx.x == 0) {
        const int other = right ? blockIdx.x - 1 : blockIdx.x + 1;
        while (other >= 0 && other < (int)gridDim.x && flags[other] == 0) { // MISTAKE later deadlock
        }
        flags[blockIdx.x] = 1;
        out[blockIdx.x] = 1;
    }
}
TWINS(later)
{
    const int blocks = 132 * 32 + 1;
    later<right><<<blocks, 32>>>(buffer<int>(blocks), buffer<int>(blocks));
}

template <bool right> __global__ void root(int *tree, int *out)
{
    out[blockIdx.x] = tree[0];
    if (blockIdx.x == 1 && threadIdx.x == 0 && !right) {
        tree[0] = 0; // MISTAKE root race
    }
}
TWINS(root)
{
    int *tree = buffer<int>(1), *out = buffer<int>(2);
    root<right><<<2, 1>>>(tree, out);
}

/* --- shared memory and lanes ------------------------------------------------------------------ */

template <bool right> __global__ void stale(const float *in, float *out)
{
    __shared__ float tile[64];
    float sum = 0;
    for (int t = 0; t < 4; t++) {
        tile[threadIdx.x] = in[64 * t + threadIdx.x]; // MISTAKE stale race
        __syncthreads();
        sum += tile[threadIdx.x] + tile[63 - threadIdx.x];
        if (right) {
            __syncthreads();
        }
    }
    out[threadIdx.x] = sum;
}
TWINS(stale) { stale<right><<<1, 64>>>(buffer<float>(256), buffer<float>(64)); }

template <bool right> __global__ void stage_early(const int *in, int *out)
{
    __shared__ int stage[2][64];
    __pipeline_memcpy_async(&stage[0][threadIdx.x], in + threadIdx.x, 4);
    __pipeline_commit();
    __pipeline_memcpy_async(&stage[1][threadIdx.x], in + 64 + threadIdx.x, 4);
    __pipeline_commit();
    if (right) {
        __pipeline_wait_prior(0);
    } else {
        __pipeline_wait_prior(1);
    }
    out[threadIdx.x] = stage[1][threadIdx.x]; // MISTAKE stage_early race
}
TWINS(stage_early) { stage_early<right><<<1, 64>>>(buffer<int>(128), buffer<int>(64)); }

/* Lanes that have no element of their own copy the last one, too, as in cg::memcpy_async(). */
template <bool right> __global__ void last_element(const int *in, int *out)
{
    __shared__ int tile[16];
    const int own = threadIdx.x < 16 ? (int)threadIdx.x : 15;
    const int from = right ? own : (int)threadIdx.x;
    __pipeline_memcpy_async(&tile[own], in + from, 4); // MISTAKE last_element race
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncwarp();
    out[threadIdx.x] = tile[threadIdx.x % 16];
}
TWINS(last_element)
{
    int numbers[32], *in = buffer<int>(32);
    for (int i = 0; i < 32; i++) {
        numbers[i] = i;
    }
    cudaMemcpy(in, numbers, sizeof numbers, cudaMemcpyHostToDevice);
    last_element<right><<<1, 32>>>(in, buffer<int>(32));
}

template <bool right> __global__ void read_only_path(int *data, int *out)
{
    if (blockIdx.x == 0 && !right) {
        data[threadIdx.x] = 7;
    }
    out[blockIdx.x * 32 + threadIdx.x] = __ldg(data + threadIdx.x); // MISTAKE read_only_path race
}
TWINS(read_only_path) { read_only_path<right><<<2, 32>>>(buffer<int>(32), buffer<int>(64)); }

/* The same in one thread: that it has stored before does not help, as another cache is asked. */
template <bool right> __global__ void own_read_only(int *data, int *out)
{
    data[threadIdx.x] = 7;
    out[threadIdx.x] = right ? data[threadIdx.x] : __ldg(data + threadIdx.x); // MISTAKE own_read_only read-only
}
TWINS(own_read_only) { own_read_only<right><<<1, 32>>>(buffer<int>(32), buffer<int>(32)); }

/* --- the stack, and what is printed ------------------------------------------------------------ */

static __device__ __noinline__ int depth(int n, const int *p)
{
    volatile int room[16];
    room[n & 15] = n;
    return n == 0 ? p[0] : depth(n - 1, p) + room[n & 15]; // MISTAKE recursion stack
}
template <bool right> __global__ void recursion(const int *in, int *out, int n)
{
    out[threadIdx.x] = depth(n, in);
}
TWINS(recursion) { recursion<right><<<1, 32>>>(buffer<int>(32), buffer<int>(32), right ? 4 : 40); }

template <bool right> __global__ void chatter(int lines)
{
    for (int i = 0; i < lines; i++) {
        printf("%d %d\n", i, (int)threadIdx.x); // MISTAKE chatter printf
    }
}
TWINS(chatter)
{
    fflush(stdout);
    chatter<right><<<4, 256>>>(right ? 1 : 64);
}

/* --- the host ---------------------------------------------------------------------------------- */

template <bool right> static void CUDART_CB callback(void *p)
{
    if (!right && cudaMemset(p, 0, 4) != cudaSuccess) { // MISTAKE calls_in_callback host.function
        exit(1);
    }
}
TWINS(calls_in_callback)
{
    must(cudaLaunchHostFunc(0, callback<right>, buffer<int>(1)));
    must(cudaDeviceSynchronize());
}

TWINS(elapsed_early)
{
    cudaEvent_t a, b;
    float ms;
    must(cudaEventCreate(&a));
    must(cudaEventCreate(&b));
    must(cudaEventRecord(a));
    stale<true><<<1, 64>>>(buffer<float>(256), buffer<float>(64));
    must(cudaEventRecord(b));
    if (right) {
        must(cudaEventSynchronize(b));
    }
    must(cudaEventElapsedTime(&ms, a, b)); // MISTAKE elapsed_early cudaEventSynchronize
    must(cudaEventDestroy(a));
    must(cudaEventDestroy(b));
}

TWINS(overlap)
{
    char *p = buffer<char>(256);
    must(cudaMemcpy(p + (right ? 128 : 64), p, 128, cudaMemcpyDeviceToDevice)); // MISTAKE overlap overlap
}
