/* threadIdx, blockIdx, blockDim, gridDim, warpSize: values in three dimensions, and as dim3. */
#include "check.h"

struct where {
    uint3 thread, block;
    dim3 block_dim, grid_dim, thread_as_dim3;
    int warp_size, x_is_unsigned;
};

__device__ unsigned int volume(dim3 d) { return d.x * d.y * d.z; }

__global__ void report(struct where *out, unsigned int *volumes)
{
    unsigned int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    unsigned int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    unsigned int i = block * volume(blockDim) + thread;
    struct where w;
    w.thread = threadIdx;
    w.block = blockIdx;
    w.block_dim = blockDim;
    w.grid_dim = gridDim;
    w.thread_as_dim3 = dim3(threadIdx);
    w.warp_size = warpSize;
    w.x_is_unsigned = threadIdx.x - 1 > 0; /* for 0 only if unsigned */
    out[i] = w;
    const dim3 copy = gridDim;
    volumes[i] = volume(copy);
}

static void check(dim3 grid, dim3 block)
{
    unsigned int threads = block.x * block.y * block.z, blocks = grid.x * grid.y * grid.z;
    struct where *out = make_array<struct where>(threads * blocks);
    unsigned int *volumes = make_array<unsigned int>(threads * blocks);
    report<<<grid, block>>>(out, volumes);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (unsigned int i = 0; i < threads * blocks; i++) {
        unsigned int t = i % threads, b = i / threads;
        CHECK_INT(out[i].thread.x, t % block.x);
        CHECK_INT(out[i].thread.y, t / block.x % block.y);
        CHECK_INT(out[i].thread.z, t / block.x / block.y);
        CHECK_INT(out[i].block.x, b % grid.x);
        CHECK_INT(out[i].block.y, b / grid.x % grid.y);
        CHECK_INT(out[i].block.z, b / grid.x / grid.y);
        CHECK(out[i].block_dim.x == block.x && out[i].block_dim.y == block.y &&
              out[i].block_dim.z == block.z);
        CHECK(out[i].grid_dim.x == grid.x && out[i].grid_dim.y == grid.y &&
              out[i].grid_dim.z == grid.z);
        CHECK_INT(out[i].thread_as_dim3.y, out[i].thread.y);
        CHECK_INT(out[i].warp_size, 32);
        CHECK_INT(out[i].x_is_unsigned, out[i].thread.x != 1);
        CHECK_INT(volumes[i], blocks);
    }
    CHECK_CUDA(cudaFree(out));
    CHECK_CUDA(cudaFree(volumes));
}

/* Spins until the clock of the GPU is a millisecond further. */
__device__ unsigned long long nanoseconds(void)
{
    unsigned long long t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}
__global__ void wait_a_millisecond(unsigned long long *waited)
{
    const unsigned long long from = nanoseconds();
    while (nanoseconds() - from < 1000000) {
    }
    *waited = nanoseconds() - from;
}

static void check_waiting(void)
{
    unsigned long long *waited = make_array<unsigned long long>(1);
    wait_a_millisecond<<<1, 1>>>(waited);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK(*waited >= 1000000);
    CHECK_CUDA(cudaFree(waited));
}

int main(void)
{
    check_waiting();
    check(dim3(1), dim3(1));
    check(dim3(3, 2, 2), dim3(5, 4, 3));
    check(5, 33);
    check(dim3(2, 3), dim3(16, 16));
    return check_done();
}
