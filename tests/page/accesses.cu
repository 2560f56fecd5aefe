/* accesses.cu - kernels whose accesses SIMT_REPORT=FILE.traceg writes down: traceg.sh computes from
 * the file what the launches have counted. */
#include <cuda_pipeline_primitives.h>
#include <stdio.h>

enum {
    THREADS = 80,
    BLOCKS = 5,
    N = THREADS * BLOCKS
}; /* the last warp of a block is half empty */

/* Strides, holes, widths of 1 to 16 bytes, local memory. */
__global__ void all_widths(const float *in, const float4 *quads, const unsigned char *bytes,
                           double *out, int rounds)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = in[i] + in[i * 3 % N];
    volatile int own[8];
    own[i % 8] = i;
    for (int k = 0; k < rounds + i % 3; k++) {
        sum += in[(i + k) % N];
    }
    const float *at = &in[i];
    asm volatile("" : "+l"(at)); /* idle lanes have an address of the row, too */
    if (threadIdx.x % 5 != 0) {
        sum += quads[i].x + quads[i].y + quads[i].w + bytes[i + 1];
        sum += *at;
    }
    out[i] = sum + own[i % 8];
}

/* A column of a tile, 2, 4 and 32 lanes to a bank. */
__global__ void conflicts(const float *in, float *out)
{
    __shared__ float tile[32 * 33];
    for (int i = threadIdx.x; i < 32 * 33; i += blockDim.x) {
        tile[i] = in[i % N];
    }
    __syncthreads();
    const int lane = threadIdx.x % 32;
    volatile const float *from = tile;
    out[blockIdx.x * blockDim.x + threadIdx.x] =
        from[lane * 32] + from[lane * 33] + from[lane * 2] + from[lane * 4 % 64] + from[5];
}

/* Lanes that meet on one address, with a result and without one. */
__global__ void atomics(unsigned *counts, unsigned *tickets)
{
    atomicMax(&counts[threadIdx.x % 7], threadIdx.x);
    tickets[threadIdx.x] = atomicExch(&counts[8 + threadIdx.x / 2], blockIdx.x);
}

template <int BYTES, typename T> __global__ void copies(const T *in, T *out)
{
    __shared__ T tile[THREADS];
    const int i = threadIdx.x;
    __pipeline_memcpy_async(&tile[i], &in[i], BYTES);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[i] = tile[THREADS - 1 - i];
}

/* More lines than a file holds: addresses that have no common stride. */
__global__ void too_many(float *data, int rounds)
{
    for (int k = 0; k < rounds; k++) {
        data[(threadIdx.x * threadIdx.x + (unsigned)k) % 1024] = (float)k;
    }
}

int main(int argc, char **)
{
    float *in;
    double *out;
    cudaMalloc(&in, N * sizeof(float4));
    cudaMalloc(&out, N * sizeof(double));
    cudaMemset(in, 0, N * sizeof(float4));
    cudaMemset(out, 0, N * sizeof(double));
    if (argc > 1) {
        too_many<<<4, 32>>>(in, 30000);
        return cudaDeviceSynchronize() != cudaSuccess;
    }
    for (int rounds = 1; rounds < 3; rounds++) {
        all_widths<<<BLOCKS, THREADS>>>(in, (const float4 *)in, (const unsigned char *)in, out,
                                        rounds);
    }
    conflicts<<<BLOCKS, THREADS>>>(in, (float *)out);
    atomics<<<BLOCKS, THREADS>>>((unsigned *)in, (unsigned *)out);
    copies<8, double><<<1, THREADS>>>((const double *)in, out);
    return cudaDeviceSynchronize() != cudaSuccess;
}
