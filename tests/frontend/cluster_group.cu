/* cluster_group.cu - clusters by cooperative_groups, and bulk tensor copies by <cuda/barrier>: as
 * programs write them, without inline PTX. */
/* flags: -arch=sm_90a */
#include "check.h"

#include <cooperative_groups.h>
#include <cuda.h>
#include <cuda/barrier>
#include <cudaTypedefs.h>
#include <utility>

namespace cg = cooperative_groups;
namespace cde = cuda::device::experimental;

/* --- a histogram in the shared memory of four blocks ------------------------------------------ */

enum { BLOCKS = 4, PART = 64, VALUES = 10000 };

__global__ void __cluster_dims__(BLOCKS, 1, 1) histogram(const int *in, int *out)
{
    extern __shared__ int bins[];
    cg::cluster_group cluster = cg::this_cluster();
    for (int i = threadIdx.x; i < PART; i += blockDim.x) {
        bins[i] = 0;
    }
    cluster.sync();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < VALUES; i += gridDim.x * blockDim.x) {
        const int value = in[i];
        atomicAdd(cluster.map_shared_rank(bins, value / PART) + value % PART, 1);
    }
    cluster.sync();
    for (int i = threadIdx.x; i < PART; i += blockDim.x) {
        atomicAdd(&out[cluster.block_rank() * PART + i], bins[i]);
    }
}

static void check_histogram(void)
{
    static int want[BLOCKS * PART];
    int *in, *out;
    CHECK_CUDA(cudaMallocManaged(&in, VALUES * sizeof *in));
    CHECK_CUDA(cudaMallocManaged(&out, sizeof want));
    memset(out, 0, sizeof want);
    for (int i = 0; i < VALUES; i++) {
        in[i] = (int)((unsigned)i * 2654435761u >> 24);
        want[in[i]]++;
    }
    histogram<<<2 * BLOCKS, 96, PART * sizeof(int)>>>(in, out);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK(memcmp(out, want, sizeof want) == 0);
    CHECK_CUDA(cudaFree(in));
    CHECK_CUDA(cudaFree(out));
}

/* --- where a thread is in its cluster --------------------------------------------------------- */

struct place {
    unsigned block, blocks, thread, threads, owner, next;
    uint3 index;
};

__global__ void __cluster_dims__(2, 2, 1) places(place *out)
{
    __shared__ unsigned number;
    cg::cluster_group c = cg::this_cluster();
    if (threadIdx.x == 0) {
        number = blockIdx.y * gridDim.x + blockIdx.x;
    }
    cg::cluster_group::arrival_token token = c.barrier_arrive();
    c.barrier_wait(std::move(token));
    const unsigned *next = c.map_shared_rank(&number, (c.block_rank() + 1) % c.num_blocks());
    place p = {c.block_rank(),
               c.num_blocks(),
               c.thread_rank(),
               c.num_threads(),
               c.query_shared_rank(next),
               *next,
               {c.block_index().x, c.block_index().y, c.thread_index().x}};
    out[(blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x] = p;
    c.sync();
}

static void check_places(void)
{
    enum { THREADS = 8, GRID = 4 };
    place *out;
    CHECK_CUDA(cudaMallocManaged(&out, GRID * 2 * THREADS * sizeof *out));
    places<<<dim3(GRID, 2), THREADS>>>(out);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < GRID * 2 * THREADS; i++) {
        const unsigned x = i / THREADS % GRID, y = i / THREADS / GRID, rank = x % 2 + 2 * y;
        const unsigned next = (rank + 1) % 4;
        CHECK_INT(out[i].block, rank);
        CHECK_INT(out[i].blocks, 4);
        CHECK_INT(out[i].thread, rank * THREADS + i % THREADS);
        CHECK_INT(out[i].threads, 4 * THREADS);
        CHECK_INT(out[i].owner, next);
        CHECK_INT(out[i].next, next / 2 * GRID + x / 2 * 2 + next % 2);
        CHECK_INT(out[i].index.x, x % 2);
        CHECK_INT(out[i].index.y, y);
        CHECK_INT(out[i].index.z, x % 2 * THREADS + i % THREADS);
    }
    CHECK_CUDA(cudaFree(out));
}

/* --- a box of an array, doubled in shared memory ---------------------------------------------- */

enum { WIDTH = 48, PITCH = 52, HEIGHT = 40, BOX_WIDTH = 32, BOX_HEIGHT = 16 };
typedef cuda::barrier<cuda::thread_scope_block> block_barrier;

__global__ void double_box(const __grid_constant__ CUtensorMap map, int *seen, int x, int y)
{
    __shared__ alignas(128) int tile[BOX_HEIGHT][BOX_WIDTH];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ block_barrier bar;
    if (threadIdx.x == 0) {
        init(&bar, blockDim.x);
        cde::fence_proxy_async_shared_cta();
    }
    __syncthreads();
    block_barrier::arrival_token token;
    if (threadIdx.x == 0) {
        cde::cp_async_bulk_tensor_2d_global_to_shared(&tile, &map, x, y, bar);
        token = cuda::device::barrier_arrive_tx(bar, 1, sizeof tile);
    } else {
        token = bar.arrive();
    }
    bar.wait(std::move(token));
    for (int i = threadIdx.x; i < BOX_WIDTH * BOX_HEIGHT; i += blockDim.x) {
        seen[i] = tile[i / BOX_WIDTH][i % BOX_WIDTH];
        tile[i / BOX_WIDTH][i % BOX_WIDTH] *= 2;
    }
    cde::fence_proxy_async_shared_cta();
    __syncthreads();
    if (threadIdx.x == 0) {
        cde::cp_async_bulk_tensor_2d_shared_to_global(&map, x, y, &tile);
        cde::cp_async_bulk_commit_group();
        cde::cp_async_bulk_wait_group_read<0>();
        (&bar)->~block_barrier();
    }
}

static void check_box(int x, int y)
{
    static int in[HEIGHT * PITCH], out[HEIGHT * PITCH], got[BOX_WIDTH * BOX_HEIGHT];
    const cuuint64_t dims[] = {WIDTH, HEIGHT}, strides[] = {PITCH * sizeof(int)};
    const cuuint32_t box[] = {BOX_WIDTH, BOX_HEIGHT}, steps[] = {1, 1};
    int *array, *seen;
    void *entry = NULL;
    CUtensorMap map;
    cudaDriverEntryPointQueryResult found;
    CHECK_CUDA(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000,
                                                cudaEnableDefault, &found));
    for (int i = 0; i < HEIGHT * PITCH; i++) {
        in[i] = i + 1;
    }
    CHECK_CUDA(cudaMalloc(&array, sizeof in));
    CHECK_CUDA(cudaMalloc(&seen, sizeof got));
    CHECK_CUDA(cudaMemcpy(array, in, sizeof in, cudaMemcpyHostToDevice));
    CHECK_INT(((PFN_cuTensorMapEncodeTiled_v12000)entry)(
                  &map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, array, dims, strides, box, steps,
                  CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                  CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
              CUDA_SUCCESS);
    double_box<<<1, 128>>>(map, seen, x, y);
    CHECK_CUDA(cudaMemcpy(got, seen, sizeof got, cudaMemcpyDeviceToHost));
    CHECK_CUDA(cudaMemcpy(out, array, sizeof out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < BOX_WIDTH * BOX_HEIGHT; i++) {
        const int column = x + i % BOX_WIDTH, row = y + i / BOX_WIDTH;
        const bool inside = column >= 0 && column < WIDTH && row >= 0 && row < HEIGHT;
        CHECK_INT(got[i], inside ? in[row * PITCH + column] : 0);
    }
    for (int i = 0; i < HEIGHT * PITCH; i++) {
        const int column = i % PITCH, row = i / PITCH;
        const bool moved = column >= x && column < x + BOX_WIDTH && column < WIDTH && row >= y &&
                           row < y + BOX_HEIGHT;
        CHECK_INT(out[i], moved ? 2 * in[i] : in[i]);
    }
    CHECK_CUDA(cudaFree(array));
    CHECK_CUDA(cudaFree(seen));
}

int main(void)
{
    check_histogram();
    check_places();
    check_box(0, 0);
    check_box(28, 33); /* over two edges */
    return check_done();
}
