/* bulk_tensors.cu - copies of tensors by the bulk engine: one to five dimensions with swizzles, borders and steps, to
 * two blocks of a cluster at once, and what becomes of values on the way. */
/* flags: -arch=sm_90a -std=c++17 */
#include "check.h"

#include <cuda.h>

#include "bulk.h"

/* --- tensors --------------------------------------------------------------------------------------- */

typedef CUresult (*encode_function)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *,
                                    const cuuint64_t *, const cuuint32_t *, const cuuint32_t *,
                                    CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion,
                                    CUtensorMapFloatOOBfill);
static encode_function encode;

static void find_encode(void)
{
    void *function = NULL;
    cudaDriverEntryPointQueryResult found;
    CHECK_CUDA(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault,
                                                &found));
    encode = (encode_function)function;
}

struct shape {
    int rank;
    int dims[5], box[5], steps[5], corner[5];
    CUtensorMapSwizzle swizzle;
};

/* 16-bit elements, padded rows: strides are the next multiple of 16 bytes, and 32 more. */
static void strides_of(const shape &s, cuuint64_t *strides)
{
    cuuint64_t bytes = 2 * (cuuint64_t)s.dims[0];
    for (int i = 0; i + 1 < s.rank; i++) {
        strides[i] = (bytes + 15) / 16 * 16 + 32;
        bytes = strides[i] * s.dims[i + 1];
    }
}

static CUtensorMap make_map(const shape &s, void *array)
{
    CUtensorMap map;
    cuuint64_t dims[5], strides[5];
    cuuint32_t box[5], steps[5];
    for (int i = 0; i < s.rank; i++) {
        dims[i] = s.dims[i];
        box[i] = s.box[i];
        steps[i] = s.steps[i];
    }
    strides_of(s, strides);
    const CUresult code =
        encode(&map, CU_TENSOR_MAP_DATA_TYPE_UINT16, s.rank, array, dims, strides, box, steps,
               CU_TENSOR_MAP_INTERLEAVE_NONE, s.swizzle, CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
               CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    CHECK_INT(code, CUDA_SUCCESS);
    return map;
}

struct corner {
    int at[5];
};

enum { TILE = 8192 };

template <int rank> __device__ static void tensor_load(unsigned to, const CUtensorMap *map, corner c, unsigned bar)
{
    if constexpr (rank == 1) {
        asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                     "[%0], [%1, {%3}], [%2];" ::"r"(to), "l"(map), "r"(bar), "r"(c.at[0])
                     : "memory");
    } else if constexpr (rank == 2) {
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                     "[%0], [%1, {%3, %4}], [%2];" ::"r"(to), "l"(map), "r"(bar), "r"(c.at[0]), "r"(c.at[1])
                     : "memory");
    } else if constexpr (rank == 3) {
        asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes "
                     "[%0], [%1, {%3, %4, %5}], [%2];" ::"r"(to), "l"(map), "r"(bar), "r"(c.at[0]), "r"(c.at[1]),
                     "r"(c.at[2])
                     : "memory");
    } else if constexpr (rank == 4) {
        asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes "
                     "[%0], [%1, {%3, %4, %5, %6}], [%2];" ::"r"(to), "l"(map), "r"(bar), "r"(c.at[0]),
                     "r"(c.at[1]), "r"(c.at[2]), "r"(c.at[3])
                     : "memory");
    } else {
        asm volatile("cp.async.bulk.tensor.5d.shared::cluster.global.mbarrier::complete_tx::bytes "
                     "[%0], [%1, {%3, %4, %5, %6, %7}], [%2];" ::"r"(to), "l"(map), "r"(bar), "r"(c.at[0]),
                     "r"(c.at[1]), "r"(c.at[2]), "r"(c.at[3]), "r"(c.at[4])
                     : "memory");
    }
}

template <int rank> __device__ static void tensor_store(unsigned from, const CUtensorMap *map, corner c)
{
    if constexpr (rank == 1) {
        asm volatile("cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [%1, {%2}], [%0];" ::"r"(from),
                     "l"(map), "r"(c.at[0])
                     : "memory");
    } else if constexpr (rank == 2) {
        asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%1, {%2, %3}], [%0];" ::"r"(from),
                     "l"(map), "r"(c.at[0]), "r"(c.at[1])
                     : "memory");
    } else if constexpr (rank == 3) {
        asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%1, {%2, %3, %4}], [%0];" ::"r"(from),
                     "l"(map), "r"(c.at[0]), "r"(c.at[1]), "r"(c.at[2])
                     : "memory");
    } else if constexpr (rank == 4) {
        asm volatile("cp.async.bulk.tensor.4d.global.shared::cta.bulk_group [%1, {%2, %3, %4, %5}], [%0];" ::"r"(
                         from),
                     "l"(map), "r"(c.at[0]), "r"(c.at[1]), "r"(c.at[2]), "r"(c.at[3])
                     : "memory");
    } else {
        asm volatile("cp.async.bulk.tensor.5d.global.shared::cta.bulk_group [%1, {%2, %3, %4, %5, %6}], [%0];" ::"r"(
                         from),
                     "l"(map), "r"(c.at[0]), "r"(c.at[1]), "r"(c.at[2]), "r"(c.at[3]), "r"(c.at[4])
                     : "memory");
    }
}

/* What arrives in shared memory, and then the same box into another array. */
template <int rank>
__global__ void tensors(const __grid_constant__ CUtensorMap in, const __grid_constant__ CUtensorMap out, corner c,
                        unsigned bytes, unsigned short *seen, bool stores)
{
    __shared__ __align__(1024) unsigned short tile[TILE];
    __shared__ u64 bar;
    for (unsigned i = threadIdx.x; i < TILE; i += blockDim.x) {
        tile[i] = 0xabcd;
    }
    if (threadIdx.x == 0) {
        init(&bar, 1);
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("prefetch.tensormap [%0];" ::"l"(&in));
        expect(&bar, bytes);
        tensor_load<rank>(shared_address(tile), &in, c, shared_address(&bar));
    }
    wait(&bar, 0);
    for (unsigned i = threadIdx.x; i < TILE; i += blockDim.x) {
        seen[i] = tile[i];
    }
    if (threadIdx.x == 0 && stores) {
        tensor_store<rank>(shared_address(tile), &out, c);
        commit_and_wait();
    }
}

/* Where byte b of a row lies: a swizzle gives each row a whole span, and exchanges its 16-byte pieces by the
 * 128 bytes that they are in. */
static unsigned place(unsigned row, unsigned b, unsigned row_bytes, CUtensorMapSwizzle swizzle)
{
    const unsigned pieces[] = {0, 1, 3, 7}, spans[] = {row_bytes, 32, 64, 128};
    const unsigned at = row * spans[swizzle] + b;
    return at ^ ((at >> 7 & pieces[swizzle]) << 4);
}

static void test_shape(const shape &s)
{
    cuuint64_t strides[5] = {0};
    strides_of(s, strides);
    const size_t size = s.rank == 1 ? (size_t)s.dims[0] : strides[s.rank - 2] * s.dims[s.rank - 1] / 2;
    unsigned short *from = make_array<unsigned short>(size), *to = make_array<unsigned short>(size);
    unsigned short *seen = make_array<unsigned short>(TILE), *want = new unsigned short[TILE];
    unsigned short *stored = new unsigned short[size];
    for (size_t i = 0; i < size; i++) {
        from[i] = (unsigned short)(i * 40503u >> 4 | 1);
        to[i] = stored[i] = (unsigned short)i;
    }
    for (int i = 0; i < TILE; i++) {
        want[i] = 0xabcd;
    }
    int counts[5] = {1, 1, 1, 1, 1}, all = 1;
    bool stores = true; /* which may not begin before the array */
    for (int i = 0; i < s.rank; i++) {
        stores = stores && s.corner[i] >= 0;
        counts[i] = i == 0 ? s.box[0] : (s.box[i] + s.steps[i] - 1) / s.steps[i];
        all *= counts[i];
    }
    for (int n = 0; n < all; n++) {
        size_t offset = 0;
        bool inside = true, reached = true; /* stores go to the next multiple of 16 bytes */
        for (int i = 0, rest = n; i < s.rank; rest /= counts[i], i++) {
            const int at = s.corner[i] + rest % counts[i] * (i == 0 ? 1 : s.steps[i]);
            inside = inside && at >= 0 && at < s.dims[i];
            reached = reached && at < (i == 0 ? (s.dims[i] + 7) / 8 * 8 : s.dims[i]);
            offset += (size_t)(long long)at * (i == 0 ? 1 : strides[i - 1] / 2);
        }
        want[place(n / s.box[0], 2 * (n % s.box[0]), 2 * s.box[0], s.swizzle) / 2] = inside ? from[offset] : 0;
        if (reached && stores) {
            stored[offset] = inside ? from[offset] : 0;
        }
    }
    const CUtensorMap in = make_map(s, from), out = make_map(s, to);
    corner c;
    memcpy(c.at, s.corner, sizeof c.at);
    switch (s.rank) {
    case 1:
        tensors<1><<<1, 128>>>(in, out, c, 2 * all, seen, stores);
        break;
    case 2:
        tensors<2><<<1, 128>>>(in, out, c, 2 * all, seen, stores);
        break;
    case 3:
        tensors<3><<<1, 128>>>(in, out, c, 2 * all, seen, stores);
        break;
    case 4:
        tensors<4><<<1, 128>>>(in, out, c, 2 * all, seen, stores);
        break;
    default:
        tensors<5><<<1, 128>>>(in, out, c, 2 * all, seen, stores);
    }
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < TILE; i++) {
        CHECK_INT(seen[i], want[i]);
    }
    for (size_t i = 0; i < size; i++) {
        CHECK_INT(to[i], stored[i]);
    }
    delete[] want;
    delete[] stored;
    cudaFree(from);
    cudaFree(to);
    cudaFree(seen);
}

static void test_tensors(void)
{
    const CUtensorMapSwizzle plain = CU_TENSOR_MAP_SWIZZLE_NONE;
    const shape shapes[] = {
        {1, {304}, {64}, {1}, {40}, plain},
        {1, {304}, {256}, {1}, {-8}, plain},
        {1, {304}, {256}, {1}, {200}, plain},
        {2, {100, 50}, {64, 16}, {1, 1}, {8, 5}, plain},
        {2, {100, 50}, {64, 16}, {1, 1}, {64, 40}, plain},   /* beyond both ends */
        {2, {100, 50}, {64, 16}, {1, 1}, {-16, -2}, plain},  /* before both */
        {2, {100, 50}, {64, 16}, {1, 1}, {200, 60}, plain},  /* nothing inside */
        {2, {100, 50}, {64, 16}, {1, 3}, {8, 1}, plain},     /* every third row */
        {2, {200, 50}, {64, 32}, {1, 1}, {16, 3}, CU_TENSOR_MAP_SWIZZLE_128B},
        {2, {200, 50}, {24, 32}, {1, 1}, {16, 3}, CU_TENSOR_MAP_SWIZZLE_128B}, /* narrower than its span */
        {2, {200, 50}, {32, 40}, {1, 1}, {24, 20}, CU_TENSOR_MAP_SWIZZLE_64B},
        {2, {200, 50}, {8, 40}, {1, 1}, {24, 20}, CU_TENSOR_MAP_SWIZZLE_64B},
        {2, {200, 50}, {16, 33}, {1, 1}, {8, 3}, CU_TENSOR_MAP_SWIZZLE_32B},
        {3, {40, 9, 7}, {32, 4, 3}, {1, 1, 1}, {0, 7, 5}, plain},
        {3, {64, 9, 7}, {64, 5, 3}, {1, 2, 1}, {0, -1, 2}, CU_TENSOR_MAP_SWIZZLE_128B},
        {4, {24, 5, 4, 6}, {16, 3, 2, 3}, {1, 1, 1, 1}, {8, 3, -1, 4}, plain},
        {4, {24, 5, 4, 6}, {16, 3, 2, 3}, {1, 1, 1, 1}, {8, 3, 3, 4}, plain},
        {5, {24, 5, 4, 3, 5}, {16, 2, 3, 2, 3}, {1, 1, 1, 1, 2}, {16, 1, 2, 2, 1}, plain},
        {5, {24, 5, 4, 3, 5}, {8, 5, 4, 3, 5}, {1, 1, 1, 1, 1}, {0, 0, 0, 0, 0}, plain},
    };
    for (const shape &s : shapes) {
        test_shape(s);
    }
}

/* --- one tile for two blocks, and sums of tiles ----------------------------------------------------- */

__global__ void __cluster_dims__(2, 1, 1) halves(const __grid_constant__ CUtensorMap in,
                                                 const __grid_constant__ CUtensorMap sums, unsigned short *seen)
{
    __shared__ __align__(128) unsigned short tile[2][8 * 64];
    __shared__ u64 bar;
    const unsigned rank = blockIdx.x % 2;
    if (threadIdx.x == 0) {
        init(&bar, 1);
        expect(&bar, sizeof tile);
    }
    sync_cluster();
    if (threadIdx.x == 0) { /* each block fetches one half for both */
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
                     ".multicast::cluster [%0], [%1, {%3, %4}], [%2], %5;" ::"r"(shared_address(tile[rank])),
                     "l"(&in), "r"(shared_address(&bar)), "r"(0), "r"((int)(8 * rank)), "h"((unsigned short)3)
                     : "memory");
    }
    wait(&bar, 0);
    for (unsigned i = threadIdx.x; i < 2 * 8 * 64; i += blockDim.x) {
        seen[rank * 2 * 8 * 64 + i] = tile[i / 512][i % 512];
    }
    if (threadIdx.x == 0) {
        asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%1, {%2, %3}], [%0];" ::"r"(
                         shared_address(tile[0])),
                     "l"(&sums), "r"(0), "r"(0)
                     : "memory");
        commit_and_wait();
    }
    sync_cluster();
}

static void test_halves(void)
{
    float *unused = make_array<float>(1);
    cudaFree(unused);
    unsigned *array = make_array<unsigned>(32 * 16), *sums = make_array<unsigned>(32 * 16);
    unsigned short *seen = make_array<unsigned short>(2 * 2 * 8 * 64);
    for (int i = 0; i < 32 * 16; i++) {
        array[i] = 70001u * i;
        sums[i] = 5;
    }
    const cuuint64_t dims[] = {32, 16}, strides[] = {128};
    const cuuint32_t box[] = {32, 8}, steps[] = {1, 1};
    CUtensorMap in, out;
    CHECK_INT(encode(&in, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, array, dims, strides, box, steps,
                     CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                     CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
              CUDA_SUCCESS);
    CHECK_INT(encode(&out, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, sums, dims, strides, box, steps,
                     CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                     CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
              CUDA_SUCCESS);
    halves<<<2, 64>>>(in, out, seen);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int b = 0; b < 2; b++) {
        CHECK(memcmp(seen + b * 1024, array, 2048) == 0);
    }
    for (int i = 0; i < 32 * 16; i++) {
        CHECK_INT(sums[i], i < 32 * 8 ? 5 + 2 * array[i] : 5);
    }
    /* What the driver rejects. */
    const cuuint32_t wide[] = {33, 8}, deep[] = {32, 257};
    const cuuint64_t odd[] = {132};
    if (on_simulator) { /* one line of explanation each: not on a card */
        freopen("/dev/null", "w", stderr);
    }
    CHECK_INT(encode(&in, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, array, dims, strides, wide, steps,
                     CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                     CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
              CUDA_ERROR_INVALID_VALUE);
    CHECK_INT(encode(&in, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, array, dims, strides, deep, steps,
                     CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                     CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
              CUDA_ERROR_INVALID_VALUE);
    CHECK_INT(encode(&in, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, array, dims, odd, box, steps,
                     CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                     CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
              CUDA_ERROR_INVALID_VALUE);
    CHECK_INT(encode(&in, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, array, dims, strides, box, steps,
                     CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_64B,
                     CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
              CUDA_ERROR_INVALID_VALUE);
    CHECK_INT(encode(&in, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, array, dims, strides, box, steps,
                     CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                     CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA),
              CUDA_ERROR_INVALID_VALUE);
    CHECK_INT(encode(&in, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, (char *)array + 8, dims, strides, box, steps,
                     CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                     CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
              CUDA_ERROR_INVALID_VALUE);
}

/* --- what the copy engine does to values -------------------------------------------------------------- */

__global__ void converted(const __grid_constant__ CUtensorMap map, unsigned *seen, float *sums)
{
    __shared__ __align__(128) unsigned row[32];
    __shared__ u64 bar;
    if (threadIdx.x == 0) {
        init(&bar, 1);
        expect(&bar, sizeof row);
        tensor_load<1>(shared_address(row), &map, corner{{0}}, shared_address(&bar));
    }
    __syncthreads();
    wait(&bar, 0);
    seen[threadIdx.x] = row[threadIdx.x];
    __syncthreads();
    row[threadIdx.x] = 1 + threadIdx.x; /* floats too small to be normal */
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], 128;" ::"l"(sums),
                     "r"(shared_address(row))
                     : "memory");
        commit_and_wait();
    }
}

static void test_values(void)
{
    static const unsigned given[16] = {0x3f801fff, 0x3f800fff, 0x3f801000, 0x3f803000, 0x00000001, 0x00400000,
                                       0x80000001, 0x7f800000, 0x7fc00001, 0x7f800001, 0xffffffff, 0x7f7fffff,
                                       0x40490fdb, 0xc0490fdb, 0x00800000, 0x007fffff};
    static const unsigned rounded[16] = {0x3f802000, 0x3f800000, 0x3f800000, 0x3f804000, 0x00000000, 0x00400000,
                                         0x80000000, 0x7f800000, 0x7fffe000, 0x7fffe000, 0x7fffe000, 0x7f800000,
                                         0x40490000, 0xc0490000, 0x00800000, 0x00800000};
    static const CUtensorMapDataType types[] = {
        CU_TENSOR_MAP_DATA_TYPE_FLOAT32, CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ, CU_TENSOR_MAP_DATA_TYPE_TFLOAT32,
        CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ};
    unsigned *array = make_array<unsigned>(16), *seen = make_array<unsigned>(32);
    float *sums = make_array<float>(32);
    memcpy(array, given, sizeof given);
    for (int t = 0; t < 4; t++) {
        CUtensorMap map;
        const cuuint64_t dims[] = {16}, strides[] = {0};
        const cuuint32_t box[] = {32}, steps[] = {1};
        CHECK_INT(encode(&map, types[t], 1, array, dims, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                         CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                         CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA),
                  CUDA_SUCCESS);
        memset(sums, 0, 32 * sizeof *sums);
        converted<<<1, 32>>>(map, seen, sums);
        CHECK_CUDA(cudaDeviceSynchronize());
        for (int i = 0; i < 32; i++) {
            CHECK_INT(seen[i], i >= 16 ? 0x7ff77ff7u : t < 2 ? given[i] : rounded[i]);
            unsigned bits;
            memcpy(&bits, &sums[i], sizeof bits);
            CHECK_INT(bits, i + 1);
        }
    }
}

int main()
{
    find_encode();
    test_tensors();
    test_values();
    test_halves();
    return check_done();
}
