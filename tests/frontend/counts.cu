/* counts.cu - what a kernel costs, with either compiler: that of nvcc's code, which hardware runs.
 *
 * Vectors: two words of a float4 are loaded alone if they are no aligned pair. Aliasing:
 * a store of any type may change what a pointer of another type points to, so that is loaded again.
 * Loops: in which order loops in loops are unrolled, and what `#pragma unroll` writes out.
 */
#include "check.h"
#include "common/simt/api/simt_last.h"

#include <cuda_fp16.h>
#include <mma.h>

struct __align__(16) particle
{
    float4 position, velocity;
    int number;
};
struct plain {
    float x, y, z, mass;
}; // multiples of 4 only: nothing can be joined

#define READS(name, type, value)                                                                   \
    __global__ void name(const type *in, type *, float *out)                                       \
    {                                                                                              \
        const type *p = &in[threadIdx.x];                                                          \
        out[threadIdx.x] = value;                                                                  \
    }
#define READS_COPY(name, type, value)                                                              \
    __global__ void name(const type *in, type *, float *out)                                       \
    {                                                                                              \
        type v = in[threadIdx.x];                                                                  \
        out[threadIdx.x] = value;                                                                  \
    }

READS(float4_x, float4, p->x)
READS(float4_xy, float4, p->x + p->y)
READS(float4_xz, float4, p->x + p->z)
READS(float4_xw, float4, p->x + p->w)
READS(float4_yz, float4, p->y + p->z)
READS(float4_xyz, float4, p->x + p->y + p->z)
READS(float4_xzw, float4, p->x + p->z + p->w)
READS_COPY(float4_copy_xyz, float4, v.x + v.y + v.z)
READS_COPY(int4_copy_xyw, int4, (float)(v.x + v.y + v.w))
READS_COPY(uchar4_copy_xyz, uchar4, 0.3f * v.x + 0.6f * v.y + 0.1f * v.z)
READS_COPY(short4_copy_xyz, short4, (float)(v.x + v.y + v.z))
READS(uchar3_xyz, uchar3, 0.3f * p->x + 0.6f * p->y + 0.1f * p->z)
READS(plain_xyz, plain, p->x + p->y + p->z)
READS(particle_both, particle,
      p->position.x + p->position.z + p->velocity.y + p->velocity.x + p->velocity.z)

__global__ void moves(const float4 *in, float4 *p, float *)
{
    const float4 *v = &in[threadIdx.x];
    p[threadIdx.x].x += 0.5f * v->x;
    p[threadIdx.x].y += 0.5f * v->y;
    p[threadIdx.x].z += 0.5f * v->z;
}
// The store may change what is read behind it.
__global__ void reads_after_store(const float4 *in, float4 *p, float *out)
{
    float x = in[threadIdx.x].x;
    out[threadIdx.x] = x;
    p[threadIdx.x].z = 2;
    out[threadIdx.x] += in[threadIdx.x].z;
}
__global__ void sums_in_loop(const float4 *in, float4 *, float *out)
{
    float sum = 0;
    for (int i = 0; i < 32; i++)
        sum += in[i].x - in[i].z;
    out[threadIdx.x] = sum;
}
__global__ void copies(const particle *in, particle *to, float *)
{
    to[threadIdx.x] = in[threadIdx.x];
}

__global__ void moves_pairs(const float2 *in, float2 *p, float *)
{
    const float2 *v = &in[threadIdx.x];
    p[threadIdx.x].x += 0.5f * v->x;
    p[threadIdx.x].y += 0.5f * v->y;
}
__global__ void loops_to_bound_in_memory(const int *bound, int *, float *out)
{
    for (int i = 0; i < bound[1]; i++)
        out[threadIdx.x] = (float)i;
}
__global__ void reads_again(const int *in, int *, float *out)
{
    out[threadIdx.x] = (float)in[threadIdx.x];
    out[threadIdx.x + 32] += (float)in[threadIdx.x];
}

static unsigned char *input, *second;
static float *output;
static bool filled; // with something of its own

static void fill()
{
    for (int i = 0; i < 64 * 32; i++)
        input[i] = second[i] = (unsigned char)(i % 7 == 3 ? 64 : i % 5);
}

/* wmma loads halves eight by eight, a word for each lane: turned in registers if they lie so. */
template <typename Fragment> __global__ void loads_fragment(const half *in, half *, float *out)
{
    Fragment fragment;
    nvcuda::wmma::load_matrix_sync(fragment, in, 16);
    float sum = 0;
    for (int i = 0; i < 8; i++)
        sum = 2 * sum + __half2float(fragment.x[i]);
    out[threadIdx.x] = sum;
}
template <typename Use, typename Layout>
using fragment_of = nvcuda::wmma::fragment<Use, 16, 16, 16, half, Layout>;

/* So are sums in halves, on their way in and out. */
template <nvcuda::wmma::layout_t layout>
__global__ void moves_sums(const half *in, half *second, float *)
{
    nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, half> sums;
    nvcuda::wmma::load_matrix_sync(sums, in, 16, layout);
    nvcuda::wmma::store_matrix_sync(second, sums, 16, layout);
}

template <typename T>
static void counts(const char *name, void (*kernel)(const T *, T *, float *),
                   unsigned load_requests, unsigned load_sectors, unsigned store_requests,
                   unsigned store_sectors)
{
    if (!filled)
        fill();
    kernel<<<1, 32>>>((const T *)input, (T *)second, output);
    CHECK_CUDA(cudaDeviceSynchronize());
#ifdef SIMT
    simt_counters got = {};
    CHECK(simt_last_counters(&got));
    if (got.global_load_requests != load_requests || got.global_load_sectors != load_sectors ||
        got.global_store_requests != store_requests || got.global_store_sectors != store_sectors) {
        check_failures++;
        printf(
            "%s: %llu requests and %llu sectors loaded, %llu and %llu stored; not %u, %u, %u, %u\n",
            name, (unsigned long long)got.global_load_requests,
            (unsigned long long)got.global_load_sectors,
            (unsigned long long)got.global_store_requests,
            (unsigned long long)got.global_store_sectors, load_requests, load_sectors,
            store_requests, store_sectors);
    }
#endif
}
/* Lanes go different numbers of rounds, so it is seen in which order loops are unrolled. */
__global__ void loops_in_written_out(const unsigned char *in, unsigned char *, float *out)
{
    const int rounds = threadIdx.x * threadIdx.x % 37;
    int sum = 0;
    for (int n = 0; n < 3; n++) {
        for (int k = n; k < rounds; k++) {
            sum += in[threadIdx.x + 32 * k];
        }
    }
    out[threadIdx.x] = sum;
}

__global__ void few_rounds_in_loop(const unsigned char *in, unsigned char *, float *out)
{
    const int x = threadIdx.x;
    int sum = 0;
    for (int n = 0; n < 1 + x % 2; n++) {
        for (int k = 0; k < x * 7 % 13; k++) {
            sum += in[(x + 64 * k * k) & 1023];
        }
    }
    out[threadIdx.x] = sum;
}

__global__ void most_rounds_known(const unsigned char *in, unsigned char *, float *out)
{
    const int x = threadIdx.x;
    int sum = 0;
#pragma unroll
    for (int k = 0; k < x * 7 % 32; k++) {
        sum += in[(x * 3 + 64 * k) & 255];
    }
    out[threadIdx.x] = sum;
}

/* A remainder that is compared costs a division: with it the loop is too large for ptxas to unroll. */
__global__ void leaves_out_remainders(const float4 *in, float4 *, float *out)
{
    const float *a = (const float *)in;
    const int x = threadIdx.x;
    float sum = 0;
    for (int k = 0; k < 6 + x % 3; k += 2) {
        if ((x + k) % 5 == 2) {
            continue;
        }
        sum += a[(x + k) & 255] * a[(x + k * k) & 255];
    }
    out[x] = sum;
}

/* The counter and its sum go as far in each round, in a loop that is written out: ptxas sees no
 * counter in what nvcc makes of it. */
__global__ void sum_goes_as_far(const unsigned char *in, unsigned char *, float *out)
{
    const int x = threadIdx.x, rounds = x * x % 37;
    int sum = 0;
    for (int n = 0; n < 2; n++) {
        for (int k = 0; k < rounds; k++) {
            sum += in[(x * 8 + k) & 1023];
        }
    }
    out[threadIdx.x] = sum;
}

/* At most 8 rounds are known where the comparison keeps its sign: the loop is left as it is. */
__global__ void counts_down(const unsigned char *in, unsigned char *, float *out)
{
    const int x = threadIdx.x;
    int sum = 0;
    for (int k = 4 + x % 5; k > 0; k--) {
        sum += in[(x + 64 * k * k) & 1023];
    }
    out[threadIdx.x] = sum;
}

#define COUNTS(kernel, ...) counts(#kernel, kernel, __VA_ARGS__)

int main(void)
{
    input = make_array<unsigned char>(64 * 32);
    second = make_array<unsigned char>(64 * 32);
    output = make_array<float>(64);

    COUNTS(float4_x, 1, 16, 1, 4);
    COUNTS(float4_xy, 1, 16, 1, 4);
    COUNTS(float4_xz, 2, 32, 1, 4);
    COUNTS(float4_xw, 2, 32, 1, 4);
    COUNTS(float4_yz, 2, 32, 1, 4);
    COUNTS(float4_xyz, 1, 16, 1, 4);
    COUNTS(float4_xzw, 1, 16, 1, 4);
    COUNTS(float4_copy_xyz, 1, 16, 1, 4);
    const float4 *f = (const float4 *)input;
    for (int i = 0; i < 32; i++)
        CHECK_FLOAT(output[i], f[i].x + f[i].y + f[i].z, 0);
    COUNTS(int4_copy_xyw, 1, 16, 1, 4);
    COUNTS(uchar4_copy_xyz, 1, 4, 1, 4);
    for (int i = 0; i < 32; i++)
        CHECK_FLOAT(output[i],
                    0.3f * input[4 * i] + 0.6f * input[4 * i + 1] + 0.1f * input[4 * i + 2], 1e-6);
    COUNTS(short4_copy_xyz, 1, 8, 1, 4);
    for (int i = 0; i < 32; i++)
        CHECK_FLOAT(output[i],
                    ((short4 *)input)[i].x + ((short4 *)input)[i].y + ((short4 *)input)[i].z, 0);
    COUNTS(uchar3_xyz, 3, 9, 1, 4);
    COUNTS(plain_xyz, 3, 48, 1, 4);
    COUNTS(particle_both, 3, 96, 1, 4);

    COUNTS(moves, 2, 32, 2, 32);
    for (int i = 0; i < 32; i++) {
        CHECK_FLOAT(((float4 *)second)[i].z, f[i].z + 0.5f * f[i].z, 1e-6);
        CHECK_FLOAT(((float4 *)second)[i].w, f[i].w, 0);
    }
    COUNTS(reads_after_store, 3, 36, 3, 24);
    COUNTS(sums_in_loop, 64, 64, 1, 4);
    COUNTS(copies, 3, 96, 3, 96);
    CHECK(memcmp(input, second, 48 * 32) == 0);

    COUNTS(moves_pairs, 2, 16, 1, 8);
    COUNTS(reads_again, 3, 12, 2, 8);
    using namespace nvcuda::wmma;
    COUNTS((loads_fragment<fragment_of<matrix_a, row_major>>), 4, 32, 1, 4);
    COUNTS((loads_fragment<fragment_of<matrix_a, col_major>>), 4, 32, 1, 4);
    COUNTS((loads_fragment<fragment_of<matrix_b, row_major>>), 4, 32, 1, 4);
    COUNTS((loads_fragment<fragment_of<matrix_b, col_major>>), 4, 32, 1, 4);
    COUNTS(moves_sums<mem_row_major>, 4, 32, 4, 32);
    COUNTS(moves_sums<mem_col_major>, 4, 32, 4, 32);

    COUNTS(loops_in_written_out, 141, 581, 1, 4);
    COUNTS(few_rounds_in_loop, 22, 24, 1, 4);
    COUNTS(most_rounds_known, 4, 12, 1, 4);
    COUNTS(leaves_out_remainders, 8, 36, 1, 4);
    COUNTS(sum_goes_as_far, 78, 546, 1, 4);
#if !defined(__clang__) || __clang_major__ <= 16
    COUNTS(counts_down, 11, 24, 1, 4);
#endif

    int bound[2] = {0, 5};
    fill();
    CHECK_CUDA(cudaMemcpy(input, bound, sizeof bound, cudaMemcpyDefault));
    filled = true;
    COUNTS(loops_to_bound_in_memory, 6, 6, 5, 20);
    return check_done();
}
