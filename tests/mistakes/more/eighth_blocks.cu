/* eighth_blocks.cu - of the eighth set: kernels in the CUDA of today, their tiles, barriers, copies
 * and clusters. */
/* flags: -std=c++17 -arch=sm_90a */
#include "mistakes.h"
#include "phase.h"

#include <cuda/pipeline>

#define T ((int)threadIdx.x)

/* Of phase.h, as macros: through clang an inlined function's own line is all that its PTX has. */
#define BULK_IN(to, from, bytes, bar)                                                              \
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], "  \
                 "%2, [%3];" ::"r"(smem(to)),                                                      \
                 "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(smem(&(bar).word))           \
                 : "memory")
#define BULK_OUT(to, from, bytes)                                                                  \
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2; "                    \
                 "cp.async.bulk.commit_group;" ::"l"(__cvta_generic_to_global(to)),                \
                 "r"(smem(from)), "r"(bytes)                                                       \
                 : "memory")
#define TRY_WAIT(done, bar)                                                                        \
    asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 "   \
                 "%0, 1, 0, p; }"                                                                  \
                 : "=r"(done)                                                                      \
                 : "r"(smem(&(bar).word))                                                          \
                 : "memory")

/* A sum of windows: a round fills the tile anew before all threads have read the last one. */
template <bool right> __global__ void windows(const float *in, float *out, int rounds)
{
    __shared__ float tile[128];
    float sum = 0;
    for (int k = 0; k < rounds; k++) {
        tile[T] = in[k * 128 + T]; // MISTAKE windows race
        __syncthreads();
        sum += tile[(T + 1) % 128] + tile[(T + 127) % 128];
        if (right) {
            __syncthreads();
        }
    }
    out[T] = sum;
}
TWINS(windows) { windows<right><<<1, 128>>>(buffer<float>(1024), buffer<float>(128), 8); }

/* A named barrier of three warps is given the count of two. */
template <bool right> __global__ void three_warps(int *out)
{
    __shared__ int s[96];
    s[T] = T;
    const int count = right ? 96 : 64;
    asm volatile("bar.sync 1, %0;" ::"r"(count)); // MISTAKE three_warps barrier
    out[T] = s[95 - T];
}
TWINS(three_warps) { three_warps<right><<<1, 96>>>(buffer<int>(96)); }

/* The lanes that have no element leave before the warp adds up. */
template <bool right> __global__ void ragged_sum(const int *x, int n, int *out)
{
    if (!right && T >= n) {
        return;
    }
    int v = T < n ? x[T] : 0;
    for (int d = 16; d > 0; d /= 2) {
        v += __shfl_down_sync(0xffffffffu, v, d); // MISTAKE ragged_sum lane
    }
    if (T == 0) {
        *out = v;
    }
}
TWINS(ragged_sum) { ragged_sum<right><<<1, 32>>>(buffer<int>(32), 20, buffer<int>(1)); }

/* A pipeline of each thread: the tile is read while its copy is one of those not awaited. */
template <bool right> __global__ void prior_stage(const int *in, int *out)
{
    __shared__ int s[2][64];
    auto pipe = cuda::make_pipeline();
    for (int k = 0; k < 2; k++) {
        pipe.producer_acquire();
        cuda::memcpy_async(&s[k][T], &in[k * 64 + T], sizeof(int), pipe);
        pipe.producer_commit();
    }
    cuda::pipeline_consumer_wait_prior<1>(pipe);
    if (right) {
        cuda::pipeline_consumer_wait_prior<0>(pipe);
    }
    out[T] = s[0][T] + s[1][T]; // MISTAKE prior_stage race
    pipe.consumer_release();
}
TWINS(prior_stage) { prior_stage<right><<<1, 64>>>(buffer<int>(128), buffer<int>(64)); }

/* A phase expects the bytes of one tile; two are copied. */
template <bool right> __global__ void expect_small(const float *in, float *out)
{
    __shared__ alignas(128) float a[64], b[64];
    __shared__ phase_barrier full;
    if (T == 0) {
        full.init(1);
        proxy_fence();
    }
    __syncthreads();
    if (T == 0) {
        full.expect(right ? 512 : 256);
        bulk_in(a, in, 256, &full);
        bulk_in(b, in + 64, 256, &full);
    }
    full.wait(0);
    out[T] = a[T] + b[T]; // MISTAKE expect_small race
}
TWINS(expect_small) { expect_small<right><<<1, 64>>>(buffer<float>(128), buffer<float>(64)); }

/* A phase expects more bytes than come. */
template <bool right> __global__ void expect_large(const float *in, float *out)
{
    __shared__ alignas(128) float a[64];
    __shared__ phase_barrier full;
    if (T == 0) {
        full.init(1);
        proxy_fence();
    }
    __syncthreads();
    if (T == 0) {
        full.expect(right ? 240 : 256); // the tile without its last four elements
        bulk_in(a, in, 240, &full);
    }
    for (unsigned done = 0; !done;) {
        TRY_WAIT(done, full); // MISTAKE expect_large does.not.end
    }
    out[T] = T < 60 ? a[T] : 0;
}
TWINS(expect_large) { expect_large<right><<<1, 64>>>(buffer<float>(64), buffer<float>(64)); }

/* A tile is scaled and stored by the bulk engine. */
template <bool right> __global__ void scaled_tile(float *out)
{
    __shared__ alignas(128) float s[64];
    s[T] = 2.0f * T;
    if (right) {
        proxy_fence();
    }
    __syncthreads();
    if (T == 0) {
        BULK_OUT(out, s, 256); // MISTAKE scaled_tile fence.proxy.async
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}
TWINS(scaled_tile) { scaled_tile<right><<<1, 64>>>(buffer<float>(64)); }

/* A block reads its neighbour's tile, and the neighbour may have left. */
template <bool right> __global__ __cluster_dims__(2) void neighbour_left(int *out)
{
    __shared__ int s[64];
    cg::cluster_group cluster = cg::this_cluster();
    s[T] = T + (int)blockIdx.x;
    cluster.sync();
    const int *other = cluster.map_shared_rank(s, cluster.block_rank() ^ 1);
    out[blockIdx.x * 64 + T] = other[T]; // MISTAKE neighbour_left ended
    if (right) {
        cluster.sync();
    }
}
TWINS(neighbour_left) { neighbour_left<right><<<2, 64>>>(buffer<int>(128)); }

/* A row of a picture is copied in bulk from an address that is no multiple of 16. */
template <bool right> __global__ void bulk_shifted(const float *in, float *out)
{
    __shared__ alignas(128) float a[64];
    __shared__ phase_barrier full;
    if (T == 0) {
        full.init(1);
        proxy_fence();
    }
    __syncthreads();
    if (T == 0) {
        full.expect(256);
        BULK_IN(a, in + (right ? 4 : 1), 256, full); // MISTAKE bulk_shifted align
    }
    full.wait(0);
    out[T] = a[T];
}
TWINS(bulk_shifted) { bulk_shifted<right><<<1, 64>>>(buffer<float>(128), buffer<float>(64)); }

/* The last elements of a tile are never filled, and the sum takes them. */
template <bool right> __global__ void short_tile(const float *in, int n, float *out)
{
    __shared__ float s[64];
    if (T < n) {
        s[T] = in[T];
    } else if (right) {
        s[T] = 0;
    }
    for (int d = 32; d > 0; d /= 2) {
        __syncthreads();
        if (T < d) {
            s[T] += s[T + d]; // MISTAKE short_tile uninitialised
        }
    }
    if (T == 0) {
        *out = s[0];
    }
}
TWINS(short_tile) { short_tile<right><<<1, 64>>>(buffer<float>(64), 50, buffer<float>(1)); }

/* The block that comes last adds up what the others stored. */
template <bool right> __global__ void partials(const int *in, int *part, unsigned *done, int *out)
{
    __shared__ bool last;
    int n = __syncthreads_count(in[blockIdx.x * 64 + T] >= 0);
    if (T == 0) {
        part[blockIdx.x] = n;
        if (right) {
            __threadfence();
        }
        last = atomicInc(done, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && T == 0) {
        if (right) {
            __threadfence();
        }
        for (unsigned b = 0; b < gridDim.x; b++) {
            *out += part[b]; // MISTAKE partials race
        }
    }
}
TWINS(partials)
{
    partials<right>
        <<<4, 64>>>(buffer<int>(256), buffer<int>(4), buffer<unsigned>(1), buffer<int>(1));
}

/* Each block has bins of its own, and adds them to those of all by a plain sum. */
template <bool right> __global__ void merge_plain(const unsigned char *in, int *bins)
{
    __shared__ int own[64];
    own[T] = 0;
    __syncthreads();
    atomicAdd(&own[in[blockIdx.x * 64 + T] % 64], 1);
    __syncthreads();
    if (right) {
        atomicAdd(&bins[T], own[T]);
    } else {
        bins[T] += own[T]; // MISTAKE merge_plain race
    }
}
TWINS(merge_plain) { merge_plain<right><<<4, 64>>>(buffer<unsigned char>(256), buffer<int>(64)); }

/* Colours are counted in halves of a word, and a neighbour's half is set by the whole word. */
template <bool right> __global__ void halves_of_words(unsigned *words, unsigned short one)
{
    auto *half = (unsigned short *)words;
    if (T < 32) {
        unsigned short was = 0;
        was = atomicCAS(&half[2 * T], was, one);
    } else if (right) {
        half[2 * (T - 32) + 1] = 7;
    } else {
        words[T - 32] = 7u << 16; // MISTAKE halves_of_words race
    }
}
TWINS(halves_of_words) { halves_of_words<right><<<1, 64>>>(buffer<unsigned>(32), 3); }
