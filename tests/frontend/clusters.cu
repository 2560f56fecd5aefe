/* clusters.cu - blocks of a cluster: their registers, their barrier, and each other's shared memory by
 * mapa, generic pointers, atomics, st.async, red.async and mbarriers. */
/* flags: -arch=sm_90a */
#include "check.h"

enum { THREADS = 64, BLOCKS = 4 };

#define SPECIAL(name)                                                                              \
    ({                                                                                             \
        unsigned value_;                                                                           \
        asm volatile("mov.u32 %0, %%" name ";" : "=r"(value_));                                    \
        value_;                                                                                    \
    })

__device__ static unsigned shared_address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

__device__ static unsigned map(unsigned address, unsigned rank)
{
    unsigned there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
    return there;
}

__device__ static void sync_cluster(void)
{
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

template <typename... Parameters, typename... Given>
static cudaError_t launch(dim3 grid, dim3 block, dim3 cluster, void (*kernel)(Parameters...), Given... given)
{
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attributes[2] = {};
    attributes[0].id = cudaLaunchAttributeClusterDimension;
    attributes[0].val.clusterDim.x = cluster.x;
    attributes[0].val.clusterDim.y = cluster.y;
    attributes[0].val.clusterDim.z = cluster.z;
    attributes[1].id = cudaLaunchAttributeClusterSchedulingPolicyPreference; /* changes no result */
    attributes[1].val.clusterSchedulingPolicyPreference = cudaClusterSchedulingPolicySpread;
    config.gridDim = grid;
    config.blockDim = block;
    config.attrs = attributes;
    config.numAttrs = 2;
    return cudaLaunchKernelEx(&config, kernel, given...);
}

/* --- registers --------------------------------------------------------------------------------- */

__global__ void registers(unsigned *out)
{
    unsigned explicit_cluster;
    asm volatile("{ .reg .pred p; mov.pred p, %%is_explicit_cluster; selp.u32 %0, 1, 0, p; }"
                 : "=r"(explicit_cluster));
    const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    const unsigned values[] = {SPECIAL("clusterid.x"),      SPECIAL("clusterid.y"),
                               SPECIAL("clusterid.z"),      SPECIAL("nclusterid.x"),
                               SPECIAL("nclusterid.y"),     SPECIAL("nclusterid.z"),
                               SPECIAL("cluster_ctaid.x"),  SPECIAL("cluster_ctaid.y"),
                               SPECIAL("cluster_ctaid.z"),  SPECIAL("cluster_nctaid.x"),
                               SPECIAL("cluster_nctaid.y"), SPECIAL("cluster_nctaid.z"),
                               SPECIAL("cluster_ctarank"),  SPECIAL("cluster_nctarank"),
                               explicit_cluster};
    for (unsigned i = 0; i < 15; i++) {
        out[16 * block + i] = values[i];
    }
}

static void test_registers(void)
{
    unsigned *out = make_array<unsigned>(16 * 24);
    CHECK_CUDA(launch(dim3(4, 3, 2), dim3(32), dim3(2, 3, 1), registers, out));
    CHECK_CUDA(cudaDeviceSynchronize());
    for (unsigned b = 0; b < 24; b++) {
        const unsigned x = b % 4, y = b / 4 % 3, z = b / 12;
        const unsigned want[15] = {x / 2, 0, z, 2, 1, 2, x % 2, y, 0, 2, 3, 1, x % 2 + 2 * y, 6, 1};
        for (unsigned i = 0; i < 15; i++) {
            CHECK_INT(out[16 * b + i], want[i]);
        }
    }
    registers<<<dim3(2, 3), 32>>>(out); /* each block is a cluster by itself */
    CHECK_CUDA(cudaDeviceSynchronize());
    for (unsigned b = 0; b < 6; b++) {
        const unsigned want[15] = {b % 2, b / 2, 0, 2, 3, 1, 0, 0, 0, 1, 1, 1, 0, 1, 0};
        for (unsigned i = 0; i < 15; i++) {
            CHECK_INT(out[16 * b + i], want[i]);
        }
    }
}

/* --- shared memory of other blocks --------------------------------------------------------------- */

/* Block r reads what block r + 1 wrote, by mapa and by a generic pointer; all add to block 0's sum. */
__global__ void ring(int *out, unsigned *spaces)
{
    __shared__ int tile[THREADS];
    __shared__ int sum;
    const unsigned t = threadIdx.x, rank = SPECIAL("cluster_ctarank");
    tile[t] = (int)(1000 * blockIdx.x + t);
    if (t == 0) {
        sum = 0;
    }
    sync_cluster();
    const unsigned next = (rank + 1) % BLOCKS;
    const unsigned there = map(shared_address(&tile[t]), next);
    int by_name, by_pointer;
    asm volatile("ld.shared::cluster.s32 %0, [%1];" : "=r"(by_name) : "r"(there));
    unsigned long long generic;
    asm volatile("mapa.u64 %0, %1, %2;" : "=l"(generic) : "l"(&tile[THREADS - 1 - t]), "r"(next));
    by_pointer = *(const int *)generic;
    unsigned own, cluster, owner, owner32;
    asm volatile("{ .reg .pred p, q; isspacep.shared::cta p, %2; isspacep.shared::cluster q, %2;\n"
                 "selp.u32 %0, 1, 0, p; selp.u32 %1, 1, 0, q; }"
                 : "=r"(own), "=r"(cluster)
                 : "l"(generic));
    asm volatile("getctarank.u64 %0, %1;" : "=r"(owner) : "l"(generic));
    asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(owner32) : "r"(there));
    spaces[blockIdx.x * THREADS + t] = own | cluster << 1 | owner << 4 | owner32 << 8;
    asm volatile("red.shared::cluster.add.s32 [%0], %1;" ::"r"(map(shared_address(&sum), 0)), "r"(by_name)
                 : "memory");
    int *remote = (int *)(generic - (unsigned long long)(THREADS - 1 - t) * sizeof(int));
    sync_cluster();
    if (t == 0) {
        remote[rank] = -(int)rank; /* element `rank` of the next block's tile */
    }
    sync_cluster();
    out[blockIdx.x * THREADS + t] = by_name + by_pointer + tile[t];
    if (t == 1 && rank == 0) {
        out[gridDim.x * THREADS + blockIdx.x / BLOCKS] = sum;
    }
}

static void test_ring(void)
{
    const int blocks = 3 * BLOCKS;
    int *out = make_array<int>(blocks * THREADS + 3);
    unsigned *spaces = make_array<unsigned>(blocks * THREADS);
    CHECK_CUDA(launch(dim3(blocks), dim3(THREADS), dim3(BLOCKS), ring, out, spaces));
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int b = 0; b < blocks; b++) {
        const int first = b / BLOCKS * BLOCKS, next = first + (b + 1) % BLOCKS;
        const int before = (b + BLOCKS - 1) % BLOCKS;
        for (int t = 0; t < THREADS; t++) {
            const int tile = t == before ? -before : 1000 * b + t;
            CHECK_INT(out[b * THREADS + t], 2000 * next + THREADS - 1 + tile);
            CHECK_INT(spaces[b * THREADS + t],
                      2 | (unsigned)(next - first) << 4 | (unsigned)(next - first) << 8);
        }
    }
    for (int c = 0; c < 3; c++) {
        CHECK_INT(out[blocks * THREADS + c],
                  THREADS * 1000 * (4 * (BLOCKS * c) + 6) + 4 * THREADS * (THREADS - 1) / 2);
    }
}

/* --- mbarriers of other blocks --------------------------------------------------------------------- */

__device__ static void init(unsigned long long *b, unsigned count)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(b)), "r"(count) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

__device__ static void wait(unsigned long long *b, unsigned parity)
{
    asm volatile("{ .reg .pred p;\n"
                 "again: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], %1;\n"
                 "@!p bra again; }" ::"r"(shared_address(b)),
                 "r"(parity)
                 : "memory");
}

/* Each block sends its numbers to the next one: words by st.async, sums by red.async, and arrivals. */
__global__ void senders(int *out)
{
    __shared__ __align__(16) int box[4 * THREADS];
    __shared__ unsigned sums[4];
    __shared__ unsigned long long full, arrived;
    const unsigned t = threadIdx.x, rank = SPECIAL("cluster_ctarank"), next = (rank + 1) % BLOCKS;
    if (t == 0) {
        init(&full, 1);
        init(&arrived, THREADS);
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&full)),
                     "r"(THREADS * 16 + THREADS * 4)
                     : "memory");
    }
    if (t < 4) {
        sums[t] = t == 1 ? 0xffffffffu : 0;
    }
    sync_cluster();
    const unsigned bar = map(shared_address(&full), next);
    const int value = (int)(100 * rank + t);
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.s32 [%0], {%1, %2, %3, %1}, [%4];" ::"r"(
                     map(shared_address(box + 4 * t), next)),
                 "r"(value), "r"(-value), "r"(7), "r"(bar)
                 : "memory");
    if (t % 4 == 0) {
        asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], %1, [%2];" ::"r"(
                         map(shared_address(sums), next)),
                     "r"(t), "r"(bar)
                     : "memory");
    } else if (t % 4 == 1) {
        asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.min.u32 [%0], %1, [%2];" ::"r"(
                         map(shared_address(sums + 1), next)),
                     "r"(t), "r"(bar)
                     : "memory");
    } else {
        asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.or.b32 [%0], %1, [%2];" ::"r"(
                         map(shared_address(sums + 2), next)),
                     "r"(t), "r"(bar)
                     : "memory");
    }
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(
                     map(shared_address(&arrived), next))
                 : "memory");
    wait(&full, 0);
    wait(&arrived, 0);
    const int *mine = box + 4 * t;
    out[blockIdx.x * THREADS + t] =
        mine[0] + 2 * mine[1] + 3 * mine[2] + 4 * mine[3] + (int)(sums[0] + sums[1] + sums[2]);
    sync_cluster();
}

static void test_senders(void)
{
    int *out = make_array<int>(2 * BLOCKS * THREADS);
    CHECK_CUDA(launch(dim3(2 * BLOCKS), dim3(THREADS), dim3(BLOCKS), senders, out));
    CHECK_CUDA(cudaDeviceSynchronize());
    int sum = 0, bits = 0;
    for (int t = 0; t < THREADS; t++) {
        sum += t % 4 == 0 ? t : 0;
        bits |= t % 4 > 1 ? t : 0;
    }
    for (int b = 0; b < 2 * BLOCKS; b++) {
        for (int t = 0; t < THREADS; t++) {
            const int value = 100 * ((b + BLOCKS - 1) % BLOCKS) + t;
            CHECK_INT(out[b * THREADS + t], 3 * value + 21 + sum + 1 + bits);
        }
    }
}

/* --- the barrier alone: threads that leave are not waited for; arriving and waiting apart ------------- */

__global__ void __cluster_dims__(2, 1, 1) leavers(int *out)
{
    __shared__ int flag;
    const unsigned rank = SPECIAL("cluster_ctarank");
    flag = 0;
    asm volatile("barrier.cluster.arrive.release;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
    if (threadIdx.x >= 40) {
        return;
    }
    if (threadIdx.x == 0) {
        asm volatile("st.shared::cluster.s32 [%0], %1;" ::"r"(map(shared_address(&flag), rank ^ 1)),
                     "r"((int)(10 + rank))
                     : "memory");
    }
    asm volatile("barrier.cluster.arrive.release;" ::: "memory");
    out[blockIdx.x * 64 + threadIdx.x] = 1; /* work between the two */
    asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
    out[blockIdx.x * 64 + threadIdx.x] += flag;
    asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");
    asm volatile("barrier.cluster.wait;" ::: "memory");
}

static void test_leavers(void)
{
    int *out = make_array<int>(8 * 64);
    leavers<<<8, 64>>>(out);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 8 * 64; i++) {
        CHECK_INT(out[i], i % 64 < 40 ? 11 + (i / 64 + 1) % 2 : -1);
    }
}

int main()
{
    test_registers();
    test_ring();
    test_senders();
    test_leavers();
    return check_done();
}
