/* bulk_im2col.cu - copies of pixels for convolutions: the channels of so many pixels of a bounding box, line by line,
 * plane by plane, image by image, each moved by the filter's offsets. */
/* flags: -arch=sm_90a -std=c++17 -lcuda */
#include "check.h"

#include <cuda.h>

#include "bulk.h"

enum { COPIES = 90, MOST_WORDS = 16 * 40, MOST_ARRAY = 24 * 9 * 9 * 9 * 9, OUTSIDE = -7 };

struct copy {
    int rank, dims[5], steps[5], lower[3], upper[3];
    int channels, pixels;
    int corner[5];
    unsigned short offset[3];
};

#define LOAD(dims, coordinates, offsets, ...)                                                                  \
    asm volatile("cp.async.bulk.tensor." dims ".shared::cluster.global.im2col.mbarrier::complete_tx::bytes "   \
                 "[%0], [%1, {" coordinates "}], [%2], {" offsets "};" ::"r"(shared_address(words)),           \
                 "l"(&map), "r"(shared_address(&bar)), __VA_ARGS__                                             \
                 : "memory")

__global__ void load(const __grid_constant__ CUtensorMap map, const copy c, int *out)
{
    __shared__ __align__(128) int words[MOST_WORDS];
    __shared__ u64 bar;
    for (int i = threadIdx.x; i < MOST_WORDS; i += blockDim.x)
        words[i] = OUTSIDE;
    if (threadIdx.x == 0)
        init(&bar, 1);
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        const int *x = c.corner;
        expect(&bar, c.channels * c.pixels * sizeof(int));
        if (c.rank == 3)
            LOAD("3d", "%3, %4, %5", "%6", "r"(x[0]), "r"(x[1]), "r"(x[2]), "h"(c.offset[0]));
        else if (c.rank == 4)
            LOAD("4d", "%3, %4, %5, %6", "%7, %8", "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "h"(c.offset[0]),
                 "h"(c.offset[1]));
        else
            LOAD("5d", "%3, %4, %5, %6, %7", "%8, %9, %10", "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(x[4]),
                 "h"(c.offset[0]), "h"(c.offset[1]), "h"(c.offset[2]));
        wait(&bar, 0);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < MOST_WORDS; i += blockDim.x)
        out[i] = words[i];
}

/* --- what is copied -------------------------------------------------------------------------------- */

/* The address of a pixel, in elements; -1: outside. */
static long long element_of(const copy &c, const int *pixel, int channel)
{
    long long address = 0, stride = 1;
    for (int i = 0; i < c.rank; i++) {
        const int moved = i > 0 && i < c.rank - 1 ? c.offset[i - 1] : 0;
        const int at = (i == 0 ? channel : pixel[i]) + moved;
        if (at < 0 || at >= c.dims[i])
            return -1;
        address += at * stride;
        stride *= c.dims[i];
    }
    return address;
}

static void to_next_pixel(const copy &c, int *pixel)
{
    for (int i = 1; i < c.rank - 1; i++) {
        pixel[i] += c.steps[i];
        if (pixel[i] < c.dims[i] + c.upper[i - 1])
            return;
        pixel[i] = c.lower[i - 1];
    }
    pixel[c.rank - 1]++;
}

static int drawn(int least, int most)
{
    static unsigned seed = 1;
    seed = seed * 1664525u + 1013904223u;
    return least + (int)((seed >> 10) % (unsigned)(most - least + 1));
}

static copy draw(int number)
{
    copy c = {3 + number % 3};
    c.channels = 4 * drawn(1, 4);
    c.pixels = drawn(1, 40);
    for (int i = 0; i < c.rank; i++) {
        c.dims[i] = i == 0 ? 4 * drawn(1, 6) : drawn(1, 9);
        c.steps[i] = i > 0 && i < c.rank - 1 && number % 2 ? drawn(1, 3) : 1;
    }
    for (int i = 0; i < c.rank - 2; i++) {
        c.lower[i] = drawn(-3, 2);
        c.upper[i] = drawn(-3, 2);
        if (c.dims[i + 1] + c.upper[i] <= c.lower[i])
            c.upper[i] = c.lower[i] - c.dims[i + 1] + drawn(1, 3);
        c.offset[i] = (unsigned short)drawn(0, 3);
        c.corner[i + 1] = drawn(c.lower[i], c.dims[i + 1] - 1 + c.upper[i]);
    }
    c.corner[0] = 4 * drawn(0, 3);
    c.corner[c.rank - 1] = drawn(-1, c.dims[c.rank - 1]);
    return c;
}

/* --- maps ------------------------------------------------------------------------------------------ */

static CUresult encode(CUtensorMap *map, const copy &c, int *array)
{
    cuuint64_t dims[5], strides[5], bytes = sizeof(int);
    cuuint32_t steps[5];
    for (int i = 0; i < c.rank; i++) {
        dims[i] = c.dims[i];
        steps[i] = c.steps[i];
        strides[i] = bytes *= c.dims[i];
    }
    return cuTensorMapEncodeIm2col(map, CU_TENSOR_MAP_DATA_TYPE_INT32, c.rank, array, dims, strides, c.lower, c.upper,
                                   c.channels, c.pixels, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                                   CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                   CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

static void test_copy(const copy &c, int *array, int *out)
{
    CUtensorMap map;
    int pixel[5];
    memcpy(pixel, c.corner, sizeof pixel);
    CHECK_INT(encode(&map, c, array), CUDA_SUCCESS);
    load<<<1, 64>>>(map, c, out);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int p = 0; p < c.pixels; p++) {
        for (int i = 0; i < c.channels; i++) {
            const long long element = element_of(c, pixel, c.corner[0] + i);
            CHECK_INT(out[p * c.channels + i], element < 0 ? 0 : array[element]);
        }
        to_next_pixel(c, pixel);
    }
    for (int i = c.channels * c.pixels; i < MOST_WORDS; i++)
        CHECK_INT(out[i], OUTSIDE);
}

static void test_arguments(int *array)
{
    const copy good = {4, {8, 5, 5, 2}, {1, 1, 1, 1}, {-128, 0}, {0, 0}, 4, 8};
    copy wide = good, many = good, none = good, flat = good;
    CUtensorMap map;
    wide.lower[0] = -129;
    many.pixels = 1025;
    none.pixels = 0;
    flat.rank = 2;
    CHECK_INT(encode(&map, good, array), CUDA_SUCCESS);
    CHECK_INT(encode(&map, wide, array), CUDA_ERROR_INVALID_VALUE);
    CHECK_INT(encode(&map, many, array), CUDA_ERROR_INVALID_VALUE);
    CHECK_INT(encode(&map, none, array), CUDA_ERROR_INVALID_VALUE);
    CHECK_INT(encode(&map, flat, array), CUDA_ERROR_INVALID_VALUE);
}

/* A copy that begins outside of the bounding box ends the launch; it comes last. */
static void test_outside(int *array, int *out)
{
    copy c = {4, {8, 6, 5, 3}, {1, 1, 1, 1}, {-1, 1}, {1, -1}, 4, 8, {0, -1, 3, 7}, {0, 0}};
    CUtensorMap map;
    test_copy(c, array, out); /* at two edges, of an image that is not there */
    c.corner[2] = 4;
    CHECK_INT(encode(&map, c, array), CUDA_SUCCESS);
    load<<<1, 64>>>(map, c, out);
    CHECK_INT(cudaDeviceSynchronize(), cudaErrorIllegalInstruction);
    cudaDeviceReset(); /* forgets the error */
}

int main(void)
{
    int *array = make_array<int>(MOST_ARRAY), *out = make_array<int>(MOST_WORDS);
    for (int i = 0; i < MOST_ARRAY; i++)
        array[i] = i + 1;
    for (int i = 0; i < COPIES; i++)
        test_copy(draw(i), array, out);
    test_arguments(array);
    test_outside(array, out);
    return check_done();
}
