/* bulk_interleaved.cu - copies of tensors whose channels lie in slices of 16 or 32 bytes: what an H200 moved in 719
 * random copies (recorded as one hash for each kind), a few of them in words, and which maps its driver rejected. */
/* flags: -arch=sm_90a -std=c++17 -lcuda */
#include "check.h"

#include <cuda.h>

#include "bulk.h"

enum { TILE = 49152, REGION = 1 << 18, BASE = 1 << 17 }; /* bytes: of shared memory, of the array, and where it begins */
enum kind { LOAD = 'L', STORE = 'S', SUM = 'R', PIXELS = 'I' };
static const int type_bytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};

struct copy {
    int kind, interleave, swizzle, type, rank, fill, misplaced;
    cuuint64_t dims[5], strides[4];
    cuuint32_t box[5], steps[5];
    int corner[5], lower[3], upper[3];
    cuuint32_t pixels;
    unsigned short offset[3];
};

struct place {
    int at[5];
    unsigned short offset[3];
    int rank, kind;
    unsigned bytes;
};

/* --- the kernel -------------------------------------------------------------------------------------- */

#define MAP "l"(&map), "r"(shared_address(tile))
#define TILED(dims, coordinates, ...)                                                                              \
    asm volatile("cp.async.bulk.tensor." dims ".shared::cluster.global.tile.mbarrier::complete_tx::bytes [%1], "   \
                 "[%0, {" coordinates "}], [%2];" ::MAP,                                                           \
                 "r"(shared_address(&bar)), __VA_ARGS__                                                            \
                 : "memory")
#define IM2COL(dims, coordinates, offsets, ...)                                                                    \
    asm volatile("cp.async.bulk.tensor." dims ".shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%1], " \
                 "[%0, {" coordinates "}], [%2], {" offsets "};" ::MAP,                                            \
                 "r"(shared_address(&bar)), __VA_ARGS__                                                            \
                 : "memory")
#define OUT(name, dims, words, coordinates, ...)                                                                   \
    asm volatile(name ".async.bulk.tensor." dims ".global.shared::cta" words ".tile.bulk_group [%0, {" coordinates \
                      "}], [%1];" ::MAP,                                                                           \
                 __VA_ARGS__                                                                                       \
                 : "memory")
#define X3 "r"(c.at[0]), "r"(c.at[1]), "r"(c.at[2])
#define X4 X3, "r"(c.at[3])
#define X5 X4, "r"(c.at[4])
#define O1 "h"(c.offset[0])
#define O2 O1, "h"(c.offset[1])
#define O3 O2, "h"(c.offset[2])

__global__ void move(const __grid_constant__ CUtensorMap map, const place c, unsigned *seen)
{
    extern __shared__ __align__(1024) unsigned tile[];
    __shared__ u64 bar;
    const bool stores = c.kind == STORE || c.kind == SUM;
    for (unsigned i = threadIdx.x; i < TILE / 4; i += blockDim.x)
        tile[i] = stores ? 0x50000000u | i * 4 : 0xabababab;
    if (threadIdx.x == 0)
        init(&bar, 1);
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0 && stores) {
        if (c.rank == 3 && c.kind == STORE)
            OUT("cp", "3d", "", "%2, %3, %4", X3);
        else if (c.rank == 4 && c.kind == STORE)
            OUT("cp", "4d", "", "%2, %3, %4, %5", X4);
        else if (c.kind == STORE)
            OUT("cp", "5d", "", "%2, %3, %4, %5, %6", X5);
        else if (c.rank == 3)
            OUT("cp.reduce", "3d", ".add", "%2, %3, %4", X3);
        else if (c.rank == 4)
            OUT("cp.reduce", "4d", ".add", "%2, %3, %4, %5", X4);
        else
            OUT("cp.reduce", "5d", ".add", "%2, %3, %4, %5, %6", X5);
        commit_and_wait();
    } else if (threadIdx.x == 0) {
        expect(&bar, c.bytes);
        if (c.rank == 3 && c.kind == LOAD)
            TILED("3d", "%3, %4, %5", X3);
        else if (c.rank == 4 && c.kind == LOAD)
            TILED("4d", "%3, %4, %5, %6", X4);
        else if (c.kind == LOAD)
            TILED("5d", "%3, %4, %5, %6, %7", X5);
        else if (c.rank == 3)
            IM2COL("3d", "%3, %4, %5", "%6", X3, O1);
        else if (c.rank == 4)
            IM2COL("4d", "%3, %4, %5, %6", "%7, %8", X4, O2);
        else
            IM2COL("5d", "%3, %4, %5, %6, %7", "%8, %9, %10", X5, O3);
        wait(&bar, 0);
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < TILE / 4 && !stores; i += blockDim.x)
        seen[i] = tile[i];
}

/* --- copies ------------------------------------------------------------------------------------------ */

static CUresult encode(CUtensorMap *map, const copy &c, char *array)
{
    const CUtensorMapDataType type = (CUtensorMapDataType)c.type;
    const CUtensorMapInterleave interleave = (CUtensorMapInterleave)c.interleave;
    const CUtensorMapSwizzle swizzle = (CUtensorMapSwizzle)c.swizzle;
    const CUtensorMapFloatOOBfill fill = (CUtensorMapFloatOOBfill)c.fill;
    char *const address = array + BASE + c.misplaced;
    return c.kind == PIXELS
               ? cuTensorMapEncodeIm2col(map, type, c.rank, address, c.dims, c.strides, c.lower, c.upper, c.box[0],
                                         c.pixels, c.steps, interleave, swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE, fill)
               : cuTensorMapEncodeTiled(map, type, c.rank, address, c.dims, c.strides, c.box, c.steps, interleave,
                                        swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE, fill);
}

/* What the copy puts into shared memory: an element is a slice, and a box has one slice. */
static unsigned bytes_of(const copy &c)
{
    unsigned bytes = c.interleave == 2 ? 32 : 16;
    for (int i = 0; i < c.rank && c.kind != PIXELS; i++)
        bytes *= i == c.rank - 2 ? 1 : (c.box[i] + c.steps[i] - 1) / c.steps[i];
    return c.kind == PIXELS ? bytes * c.pixels : bytes;
}

static char *array;
static unsigned *seen, words[REGION / 4];

/* Makes the copy; its result is in words. Loads find the address of each word in the array. */
static void make(const copy &c, const CUtensorMap &map)
{
    const bool stores = c.kind == STORE || c.kind == SUM;
    place p = {{c.corner[0], c.corner[1], c.corner[2], c.corner[3], c.corner[4]},
               {c.offset[0], c.offset[1], c.offset[2]},
               c.rank,
               c.kind,
               bytes_of(c)};
    for (int i = 0; i < REGION / 4; i++)
        words[i] = c.kind == SUM ? 0 : stores ? 0xcdcdcdcd : i * 4;
    CHECK_CUDA(cudaMemcpy(array, words, REGION, cudaMemcpyHostToDevice));
    move<<<1, 256, TILE>>>(map, p, seen);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_CUDA(cudaMemcpy(words, stores ? (void *)array : seen, stores ? REGION : TILE, cudaMemcpyDeviceToHost));
}

/* --- random copies ----------------------------------------------------------------------------------- */

static unsigned seed;

static int drawn(int least, int most)
{
    seed = seed * 1664525u + 1013904223u;
    return least + (int)((seed >> 9) % (unsigned)(most - least + 1));
}

static void draw_pixels(copy &c)
{
    for (int i = 0; i < c.rank - 2; i++) {
        c.lower[i] = drawn(-3, 2);
        c.upper[i] = drawn(-3, 2);
        if ((int)c.dims[i + 1] + c.upper[i] <= c.lower[i])
            c.upper[i] = c.lower[i] - (int)c.dims[i + 1] + drawn(1, 3);
        c.offset[i] = (unsigned short)drawn(0, 3);
        c.corner[i + 1] = drawn(c.lower[i], (int)c.dims[i + 1] - 1 + c.upper[i]);
    }
    c.corner[c.rank - 1] = drawn(-1, (int)c.dims[c.rank - 1]);
    c.steps[c.rank - 1] = 1;
    c.pixels = drawn(1, 40);
}

/* The draws of the recorded copies, in their order: some of them are not used. */
static copy draw(int kind, int letter, int number)
{
    static const int types[] = {0, 1, 2, 1, 4, 6, 2, 0, 8, 9, 3, 5, 7};
    copy c = {kind};
    const bool stores = kind == STORE || kind == SUM;
    seed = 2654435761u * (unsigned)number + (unsigned)letter * 77777u;
    drawn(0, 0);
    c.rank = drawn(3, 5);
    c.interleave = drawn(0, 9) == 0 ? 0 : drawn(1, 2);
    c.type = types[drawn(0, kind == SUM ? 2 : 12)];
    if (kind == SUM)
        c.type = drawn(0, 1) ? 2 : 3;
    c.swizzle = c.interleave == 2 ? 1 : drawn(0, 3);
    c.fill = c.type >= 6 ? drawn(0, 1) : 0;
    const int unit = c.interleave == 2 ? 32 : 16, per = unit / type_bytes[c.type];
    for (int i = 0; i < 5; i++) {
        c.dims[i] = i > 0 ? drawn(1, 8) : drawn(0, 2) ? drawn(1, 6) * per : drawn(1, 6 * per);
        c.box[i] = i > 0 ? drawn(1, i > 2 ? 3 : 5) : drawn(0, 3) ? drawn(1, 4) * per : drawn(1, 4 * per);
        if (i == 0 && drawn(0, 3) == 0)
            c.box[0] = drawn(1, 6);
        c.steps[i] = drawn(0, 3) ? 1 : drawn(1, 3);
        c.corner[i] = stores ? drawn(0, (int)c.dims[i]) : drawn(-3, (int)c.dims[i] + 1);
        if (i == 0 && c.interleave == 0)
            c.corner[0] = per * drawn(0, 4);
        else if (i == 0) {
            const int first = drawn(stores ? 0 : -2, 6);
            c.corner[0] = first * (drawn(0, 2) ? per : 1);
        }
        if (i < 4)
            c.strides[i] = (cuuint64_t)unit * drawn(1, 1 << (3 + i));
        if (i < 4 && drawn(0, 15) == 0)
            c.strides[i] += 16;
    }
    c.misplaced = drawn(0, 24) == 0 ? 16 : 0;
    if (kind == PIXELS)
        draw_pixels(c);
    return c;
}

/* Does it begin in its bounding box? An H200 ends others with an illegal instruction. */
static bool begins_inside(const copy &c)
{
    const int first = c.interleave == 0 ? 1 : 0;
    for (int i = 0; i < c.rank - 2 && c.kind == PIXELS; i++)
        if (c.corner[i + first] < c.lower[i] || c.corner[i + first] > (int)c.dims[i + first] - 1 + c.upper[i])
            return false;
    return true;
}

/* Of the copies that the recording names `letter`, those of interleaved arrays: their number, and the hash of all
 * results. */
static void test_recorded(int kind, int letter, int copies, int accepted, u64 hash)
{
    int made = 0;
    u64 sum = 0;
    for (int n = 0; n < copies; n++) {
        const copy c = draw(kind, letter, n);
        CUtensorMap map;
        if (encode(&map, c, array) != CUDA_SUCCESS || c.interleave == 0 || bytes_of(c) > TILE || !begins_inside(c))
            continue;
        make(c, map);
        u64 h = 1469598103934665603ull;
        const int count = (kind == STORE || kind == SUM ? REGION : TILE) / 4;
        for (int i = 0; i < count; i++)
            h = (h ^ words[i]) * 1099511628211ull;
        sum = sum * 31 + h;
        made++;
    }
    CHECK_INT(made, accepted);
    CHECK_INT(sum, hash);
}

/* --- in words ---------------------------------------------------------------------------------------- */

/* Halves: 40 columns of each line, 7 lines, 5 slices, 4 images. */
static copy plain(int interleave)
{
    return {LOAD, interleave, interleave == 2 ? 1 : 0, 1, 4, 0, 0, {40, 7, 5, 4}, {1024, 160, 4096}, {16, 3, 2, 2}, {1, 1, 1, 1}, {0}};
}

/* Piece `piece` of 16 bytes came from `offset`; or has zeros, if that is OUTSIDE. */
enum { OUTSIDE = -1 };
static void expect_piece(int piece, int offset)
{
    for (int i = 0; i < 4; i++)
        CHECK_INT(words[piece * 4 + i], offset == OUTSIDE ? 0 : BASE + offset + 4 * i);
}

static void test_layout(void)
{
    CUtensorMap map;
    copy c = plain(1);
    c.corner[0] = 30, c.corner[2] = 2, c.corner[3] = -1;
    CHECK_INT(encode(&map, c, array), CUDA_SUCCESS);
    make(c, map);
    for (int i = 0; i < 2 * 3 * 16; i++) { /* image, line, column; of slice 2 alone */
        const int column = 30 + i % 16, line = i / 16 % 3, image = i / 48 - 1;
        expect_piece(i, column < 40 && image >= 0 ? 16 * column + 1024 * line + 2 * 160 + 4096 * image : OUTSIDE);
    }
    CHECK_INT(words[2 * 3 * 16 * 4], 0xabababab);
    c = plain(2);
    c.steps[0] = 2;
    CHECK_INT(encode(&map, c, array), CUDA_SUCCESS);
    make(c, map);
    for (int i = 0; i < 2 * 3 * 8 * 2; i++) { /* every other column has 2 pieces, which the swizzle exchanges */
        const int piece = i ^ (i >> 3 & 1), column = piece / 2 % 8 * 2, line = piece / 16 % 3, image = piece / 48;
        expect_piece(i, 32 * column + 16 * (piece % 2) + 1024 * line + 4096 * image);
    }
}

/* A map for plain arrays that the kernel makes one of slices. */
__global__ void replaced(const __grid_constant__ CUtensorMap given, CUtensorMap *copy, unsigned *out)
{
    __shared__ __align__(1024) unsigned tile[64];
    __shared__ u64 bar;
    if (threadIdx.x == 0) {
        *copy = given;
        asm volatile("tensormap.replace.tile.interleave_layout.global.b1024.b32 [%0], 1;" ::"l"(copy) : "memory");
        asm volatile("fence.proxy.tensormap::generic.release.gpu;" ::: "memory");
        asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(copy) : "memory");
        init(&bar, 1);
        expect(&bar, 256);
        asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, "
                     "{%3, %4, %5}], [%2];" ::"r"(shared_address(tile)),
                     "l"(copy), "r"(shared_address(&bar)), "r"(3), "r"(1), "r"(0)
                     : "memory");
        wait(&bar, 0);
    }
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x];
}

static void test_replaced(void)
{
    copy c = {LOAD, 0, 0, 2, 3, 0, 0, {40, 7, 5}, {1024, 8192}, {16, 1, 1}, {1, 1, 1}, {0}};
    CUtensorMap map, *there;
    CHECK_INT(encode(&map, c, array), CUDA_SUCCESS);
    CHECK_CUDA(cudaMalloc(&there, sizeof *there));
    for (int i = 0; i < REGION / 4; i++)
        words[i] = i * 4;
    CHECK_CUDA(cudaMemcpy(array, words, REGION, cudaMemcpyHostToDevice));
    replaced<<<1, 64>>>(map, there, seen);
    CHECK_CUDA(cudaMemcpy(words, seen, 256, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 16; i++)
        expect_piece(i, 16 * (3 + i) + 1024);
    CHECK_CUDA(cudaFree(there));
}

/* --- what the driver rejects -------------------------------------------------------------------------- */

static CUresult verdict(const copy &c)
{
    CUtensorMap map;
    return encode(&map, c, array);
}

static void test_rejected(void)
{
    const copy good = plain(2);
    copy c = good;
    CHECK_INT(verdict(good), CUDA_SUCCESS);
    c.swizzle = 3; /* NVIDIA's documentation allows one swizzle, its driver all */
    CHECK_INT(verdict(c), CUDA_SUCCESS);
    c = good, c.box[0] = 256, c.steps[0] = 3;
    CHECK_INT(verdict(c), CUDA_SUCCESS);
    c = good, c.rank = 2;
    CHECK_INT(verdict(c), CUDA_ERROR_INVALID_VALUE);
    c = good, c.interleave = 3;
    CHECK_INT(verdict(c), CUDA_ERROR_INVALID_VALUE);
    c = good, c.misplaced = 16;
    CHECK_INT(verdict(c), CUDA_ERROR_INVALID_VALUE);
    c = good, c.strides[1] = 176;
    CHECK_INT(verdict(c), CUDA_ERROR_INVALID_VALUE);
    c.interleave = 1;
    CHECK_INT(verdict(c), CUDA_SUCCESS);
    c = good, c.box[0] = 3; /* 6 bytes, as if the elements were halves */
    CHECK_INT(verdict(c), CUDA_ERROR_INVALID_VALUE);
    c = good, c.steps[0] = 9;
    CHECK_INT(verdict(c), CUDA_ERROR_INVALID_VALUE);
    c = {PIXELS, 1, 0, 1, 3, 0, 0, {4, 7, 5}, {1024, 160}, {16, 1, 1}, {1, 1, 1}, {0}, {2}, {-2}, 8, {0}};
    CHECK_INT(verdict(c), CUDA_ERROR_INVALID_VALUE); /* no column is left */
    c.lower[0] = 1;
    CHECK_INT(verdict(c), CUDA_SUCCESS);
}

int main()
{
    if (on_simulator) /* one line of explanation for each map that is rejected: not on a card */
        freopen("/dev/null", "w", stderr);
    CHECK_CUDA(cudaMalloc(&array, REGION));
    CHECK_CUDA(cudaMalloc(&seen, TILE));
    CHECK_CUDA(cudaFuncSetAttribute(move, cudaFuncAttributeMaxDynamicSharedMemorySize, TILE));
    test_layout();
    test_replaced();
    test_recorded(LOAD, 'B', 700, 375, 0x3c66429e696a6ecf);
    test_recorded(STORE, 'C', 350, 182, 0x245b2465ee11d1f8);
    test_recorded(SUM, 'D', 250, 131, 0x8bf7435a54cbba3);
    test_recorded(PIXELS, 'E', 200, 31, 0x9f0974ce961daf07);
    test_rejected();
    return check_done();
}
