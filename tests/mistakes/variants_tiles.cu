/* variants_tiles.cu - second variants: tiles, stages, lanes, local variables, barriers of several
 * kinds. */
/* flags: -w -arch=sm_90 */
#include "mistakes.h"

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>

namespace cg = cooperative_groups;

/* --- stale tiles
 * ----------------------------------------------------------------------------------- */

template <bool right, int N>
__global__ void multiply(const float *a, const float *b, float *c, int n)
{
    __shared__ float ta[N][N + 1], tb[N][N + 1];
    const int x = threadIdx.x, y = threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; k += N) {
        ta[y][x] = a[y * n + k + x];
        tb[y][x] = b[(k + y) * N + x]; // MISTAKE stale_product race
        cg::sync(cg::this_thread_block());
#pragma unroll
        for (int i = 0; i < N; i++) {
            sum += ta[y][i] * tb[i][x];
        }
        if (right) {
            cg::this_thread_block().sync();
        }
    }
    c[y * N + x] = sum;
}
TWINS(stale_product)
{
    multiply<right, 8>
        <<<1, dim3(8, 8)>>>(buffer<float>(256), buffer<float>(256), buffer<float>(64), 32);
}

/* The halo of a stencil is fetched anew while the slow warps still compute. */
template <bool right> __global__ void sweep(double *line, int sweeps)
{
    extern __shared__ double s[];
    const int i = threadIdx.x + 1, n = blockDim.x;
    for (int k = 0; k < sweeps; k++) {
        s[i] = line[i]; // MISTAKE halo race
        if (i == 1) {
            s[0] = line[0];
            s[n + 1] = line[n + 1];
        }
        __syncthreads();
        line[i] = 0.5 * (s[i - 1] + s[i + 1]);
        if (right) {
            __syncthreads();
        }
    }
}
TWINS(halo) { sweep<right><<<1, 96, 98 * 8>>>(buffer<double>(98), 3); }

/* A histogram in shared memory, set to zero again before all have copied it out. */
template <bool right> __global__ void histograms(const unsigned char *in, int *out, int rows)
{
    __shared__ struct {
        int bin[64];
    } h;
    for (int r = 0; r < rows; r++) {
        h.bin[threadIdx.x] = 0;
        __syncthreads();
        atomicAdd(&h.bin[(in[r * 64 + threadIdx.x] + threadIdx.x * 7) % 64], 1);
        __syncthreads();
        out[r * 64 + threadIdx.x] = h.bin[63 - threadIdx.x]; // MISTAKE histograms race
        if (right) {
            __syncthreads();
        }
    }
}
TWINS(histograms) { histograms<right><<<1, 64>>>(buffer<unsigned char>(192), buffer<int>(192), 3); }

/* --- stages
 * ------------------------------------------------------------------------------------------ */

template <bool right> __global__ void pipe(const int4 *in, int4 *out, int rounds)
{
    __shared__ int4 stage[2][32];
    cuda::pipeline<cuda::thread_scope_thread> p = cuda::make_pipeline();
    const int t = threadIdx.x;
    p.producer_acquire();
    cuda::memcpy_async(&stage[0][t], in + t, sizeof(int4), p);
    p.producer_commit();
    for (int r = 0; r < rounds; r++) {
        p.producer_acquire();
        if (r + 1 < rounds) {
            cuda::memcpy_async(&stage[(r + 1) % 2][t], in + (r + 1) * 32 + t, sizeof(int4), p);
        }
        p.producer_commit();
        if (right) {
            cuda::pipeline_consumer_wait_prior<1>(p);
        }
        out[r * 32 + t] = stage[r % 2][t]; // MISTAKE pipe race
        p.consumer_release();
    }
}
TWINS(pipe) { pipe<right><<<1, 32>>>(buffer<int4>(128), buffer<int4>(128), 4); }

template <bool right> __global__ void group_copy(const float *in, float *out)
{
    __shared__ alignas(16) float tile[128];
    cg::thread_block block = cg::this_thread_block();
    cg::memcpy_async(block, tile, in, sizeof tile);
    if (right) {
        cg::wait(block);
    } else {
        block.sync();
    }
    out[threadIdx.x] = tile[127 - threadIdx.x]; // MISTAKE group_copy race
}
TWINS(group_copy) { group_copy<right><<<1, 128>>>(buffer<float>(128), buffer<float>(128)); }

template <bool right> __global__ void three_stages(const short *in, int *out)
{
    __shared__ alignas(16) short s[3][64];
    const int t = threadIdx.x;
    int sum = 0;
    for (int k = 0; k < 3; k++) {
        if (t < 16) {
            __pipeline_memcpy_async(&s[k][t * 4], in + k * 64 + t * 4, 8);
        }
        __pipeline_commit();
    }
    for (int k = 0; k < 3; k++) {
        if (k == 0) {
            __pipeline_wait_prior(2);
        } else if (k == 1 || right) {
            __pipeline_wait_prior(right ? 2 - k : 2);
        }
        __syncthreads();
        sum += s[k][63 - t]; // MISTAKE three_stages race
    }
    out[t] = sum;
}
TWINS(three_stages) { three_stages<right><<<1, 64>>>(buffer<short>(192), buffer<int>(64)); }

/* --- barriers
 * ---------------------------------------------------------------------------------------- */

using block_barrier = cuda::barrier<cuda::thread_scope_block>;
#pragma nv_diag_suppress static_var_with_dynamic_init
template <bool right> __global__ void too_many_expected(int *out)
{
    __shared__ block_barrier b;
    __shared__ int s[64];
    if (threadIdx.x == 0) {
        init(&b, right ? blockDim.x : blockDim.x + 1);
    }
    __syncthreads();
    s[threadIdx.x] = threadIdx.x;
    b.arrive_and_wait(); // MISTAKE too_many_expected arriv
    out[threadIdx.x] = s[63 - threadIdx.x];
}
TWINS(too_many_expected) { too_many_expected<right><<<1, 64>>>(buffer<int>(64)); }

/* Only those with work arrive. */
template <bool right> __global__ void some_arrive(const int *work, int *out)
{
    __shared__ block_barrier b;
    const int t = threadIdx.y * blockDim.x + threadIdx.x;
    if (t == 0) {
        init(&b, 64);
    }
    __syncthreads();
    if (t % 16 != 3 || right) {
        block_barrier::arrival_token token = b.arrive();
        if (t < 32) {
            b.wait(std::move(token)); // MISTAKE some_arrive arriv
        }
    }
    out[t] = work[t];
}
TWINS(some_arrive) { some_arrive<right><<<1, dim3(16, 4)>>>(buffer<int>(64), buffer<int>(64)); }

/* Read behind arrive(), before wait(). */
template <bool right> __global__ void split_arrive(int *out)
{
    __shared__ block_barrier b;
    __shared__ int s[64];
    const int t = threadIdx.x;
    if (t == 0) {
        init(&b, 64);
    }
    __syncthreads();
    s[t] = t;
    auto token = b.arrive();
    int x = right ? 0 : s[t ^ 33]; // MISTAKE split_arrive race
    b.wait(std::move(token));
    out[t] = right ? s[t ^ 33] : x;
}
TWINS(split_arrive) { split_arrive<right><<<1, 64>>>(buffer<int>(64)); }

/* --- local variables of other threads
 * ------------------------------------------------------------------- */

struct request {
    const int *values;
    int count;
};
template <bool right> __global__ void serve(int *out)
{
    __shared__ request r[32];
    __shared__ int room[32][4];
    int mine[4];
    const int t = threadIdx.x;
    int *p = right ? room[t] : mine;
    for (int i = 0; i < 4; i++) {
        p[i] = t * 4 + i;
    }
    r[t] = request{p, 4};
    __syncwarp();
    int sum = 0;
    for (int i = 0; i < r[t ^ 1].count; i++) {
        sum += r[t ^ 1].values[i]; // MISTAKE serve local.variable
    }
    out[t] = sum + p[t & 3];
}
TWINS(serve) { serve<right><<<1, 32>>>(buffer<int>(32)); }

/* A list of nodes on the stacks of several threads. */
struct chain_link {
    chain_link *next;
    float weight;
};
template <bool right> __global__ void chain_links(chain_link *pool, chain_link **head, float *out)
{
    chain_link own = {nullptr, 1.0f * threadIdx.x};
    chain_link *n = right ? &pool[threadIdx.x] : &own;
    *n = own;
    head[threadIdx.x] = n;
    __syncthreads();
    if (threadIdx.x == 1) {
        out[0] = head[0]->weight; // MISTAKE chain_links local.variable
    }
    __syncthreads();
    out[1 + threadIdx.x] = n->weight;
}
TWINS(chain_links)
{
    chain_links<right>
        <<<1, 64>>>(buffer<chain_link>(64), buffer<chain_link *>(64), buffer<float>(65));
}

/* A block's accumulator, by reference. */
__device__ __noinline__ void add_to(int *sum, int x) { atomicAdd(sum, x); }
template <bool right> __global__ void by_reference(int *out)
{
    __shared__ int *where, place;
    int sum = 0;
    if (threadIdx.x == 0) {
        place = 0;
        where = right ? &place : &sum;
    }
    __syncthreads();
    if (right) {
        add_to(where, 1);
    } else {
        *where += 1; // MISTAKE by_reference local.variable
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        out[0] = *where;
    }
}
TWINS(by_reference) { by_reference<right><<<1, 64>>>(buffer<int>(1)); }

/* --- lanes
 * ------------------------------------------------------------------------------------------------
 */

__global__ void tile_sum_unset(const float *in, float *out, int n)
{
    cg::thread_block_tile<16> tile = cg::tiled_partition<16>(cg::this_thread_block());
    float v;
    if ((int)threadIdx.x < n) {
        v = in[threadIdx.x];
    }
    for (int d = 8; d > 0; d /= 2) {
        v += tile.shfl_xor(v, d); // MISTAKE tile_sum uninitialised
    }
    if (tile.thread_rank() == 0) {
        out[threadIdx.x / 16] = v;
    }
}
TWINS(tile_sum) { tile_sum_unset<<<1, 64>>>(buffer<float>(64), buffer<float>(4), right ? 64 : 50); }

__global__ void last_of_row(const int *in, int *out, int rows)
{
    int carry;
    for (int r = 0; r < rows; r++) {
        int v = in[r * 32 + threadIdx.x];
        if (v > 3) {
            carry = v * 3 + r;
        }
        out[threadIdx.x] += __shfl_up_sync(~0u, carry, 1); // MISTAKE last_of_row uninitialised
    }
}
TWINS(last_of_row)
{
    int h[96];
    for (int i = 0; i < 96; i++) {
        h[i] = right || i % 5 ? 9 : 1;
    }
    int *in = buffer<int>(96);
    must(cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice));
    last_of_row<<<1, 32>>>(in, buffer<int>(96), 3);
}

template <bool right> __global__ void partial_ballot(const int *in, int *out)
{
    const int t = threadIdx.x;
    int v = in[t];
    if (t % 2 == 0) {
        const unsigned mask = right ? 0x55555555u : ~0u;
        v = __shfl_sync(mask, v, right ? t & 30 : t + 1); // MISTAKE partial_ballot lane
    }
    out[t] = v;
}
TWINS(partial_ballot) { partial_ballot<right><<<1, 32>>>(buffer<int>(32), buffer<int>(32)); }

/* A coalesced group reads what another branch's group wrote. */
template <bool right> __global__ void groups_meet(int *out)
{
    __shared__ int s[32];
    const int t = threadIdx.x;
    if (t % 3 == 0) {
        cg::coalesced_group g = cg::coalesced_threads();
        s[g.thread_rank()] = t;
        g.sync();
        out[t] = s[(g.thread_rank() + 1) % g.size()];
    } else if (!right) {
        out[t] = s[t % 11]; // MISTAKE groups_meet race
    }
}
TWINS(groups_meet) { groups_meet<right><<<1, 32>>>(buffer<int>(32)); }

/* --- recursion, printf
 * --------------------------------------------------------------------------------------- */

struct interval_tree {
    int low, high;
};
__device__ __noinline__ float area(interval_tree t, int depth)
{
    volatile float at[8];
    for (int i = 0; i < 8; i++) {
        at[i] = t.low + i;
    }
    if (depth == 0) {
        return at[t.low & 7];
    }
    const int middle = (t.low + t.high) / 2;
    return area(interval_tree{t.low, middle}, depth - 1) + at[depth & 7]; // MISTAKE area stack
}
template <bool right> __global__ void areas(float *out)
{
    out[threadIdx.x] = area({0, 1000}, right ? 3 : 60);
}
TWINS(area) { areas<right><<<1, 32>>>(buffer<float>(32)); }

struct even_odd {
    static __device__ __noinline__ bool even(unsigned n, volatile int *trace)
    {
        volatile int here[12];
        here[n % 12] = n;
        return n == 0 ? here[0] == 0 : odd(n - 1, here); // MISTAKE mutual stack
    }
    static __device__ __noinline__ bool odd(unsigned n, volatile int *trace)
    {
        volatile int here[12];
        here[n % 12] = trace[0];
        return n == 0 ? here[0] != here[0] : even(n - 1, here);
    }
};
template <bool right> __global__ void parity(int *out, unsigned n)
{
    volatile int begin[1] = {0};
    out[threadIdx.x] = even_odd::even(n, begin);
}
TWINS(mutual) { parity<right><<<1, 32>>>(buffer<int>(32), right ? 4 : 200); }

template <bool right> __global__ void trace_all(const float *in, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        if (right ? i == 0 : in[i] == 0) {
            printf("element %d of %d is %f\n", i, n, in[i]); // MISTAKE trace_all printf
        }
    }
}
TWINS(trace_all)
{
    fflush(stdout);
    trace_all<right><<<8, 128>>>(buffer<float>(8192), 8192);
}
