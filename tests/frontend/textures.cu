/* textures.cu - arrays and their copies, surfaces, texture objects: what they hold and what they
 * reject. How texels are filtered: tests/conformance/textures.cu. */
#include "check.h"

enum { W = 20, H = 6, D = 4 };

#define GOOD(call) CHECK_INT(call, cudaSuccess)

/* --- surfaces --------------------------------------------------------------------------------- */

template <typename T> __global__ void shift(cudaSurfaceObject_t from, cudaSurfaceObject_t to)
{
    const int x = threadIdx.x, y = blockIdx.x, size = (int)sizeof(T);
    const T value = surf2Dread<T>(from, (x + 1) * size, y, cudaBoundaryModeClamp);
    T also;
    surf2Dread(&also, from, (x + 1) * size, y, cudaBoundaryModeClamp);
    surf2Dwrite(also, to, x * size, y);
    surf2Dwrite(value, to, (x + W) * size, y, cudaBoundaryModeZero); /* outside: nothing */
}

static struct cudaResourceDesc of_array(cudaArray_t array)
{
    struct cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = array;
    return r;
}

static cudaSurfaceObject_t surface_of(cudaArray_t array)
{
    const struct cudaResourceDesc r = of_array(array);
    cudaSurfaceObject_t s = 0;
    GOOD(cudaCreateSurfaceObject(&s, &r));
    return s;
}

template <typename T> static void check_shift(void)
{
    static unsigned char in[H][W][sizeof(T)], out[H][W][sizeof(T)];
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
    cudaArray_t from, to;
    for (size_t i = 0; i < sizeof in; i++) {
        ((unsigned char *)in)[i] = (unsigned char)(i * 37 + i / 256);
    }
    GOOD(cudaMallocArray(&from, &format, W, H, cudaArraySurfaceLoadStore));
    GOOD(cudaMallocArray(&to, &format, W, H, cudaArraySurfaceLoadStore));
    GOOD(cudaMemcpy2DToArray(from, 0, 0, in, W * sizeof(T), W * sizeof(T), H,
                             cudaMemcpyHostToDevice));
    const cudaSurfaceObject_t a = surface_of(from), b = surface_of(to);
    shift<T><<<H, W>>>(a, b);
    GOOD(cudaMemcpy2DFromArray(out, W * sizeof(T), to, 0, 0, W * sizeof(T), H,
                               cudaMemcpyDeviceToHost));
    for (int y = 0; y < H; y++) {
        for (int x = 0; x < W; x++) {
            CHECK(memcmp(out[y][x], in[y][x + 1 < W ? x + 1 : x], sizeof(T)) == 0);
        }
    }
    GOOD(cudaDestroySurfaceObject(a));
    GOOD(cudaDestroySurfaceObject(b));
    GOOD(cudaFreeArray(from));
    GOOD(cudaFreeArray(to));
}

__global__ void fill_space(cudaSurfaceObject_t space, cudaSurfaceObject_t layers,
                           cudaSurfaceObject_t rows, cudaSurfaceObject_t cube)
{
    const int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y, value = x + 100 * y + 10000 * z;
    surf3Dwrite(value, space, x * 4, y, z);
    surf2DLayeredwrite(value + 1, layers, x * 4, y, z);
    if (x < H) { /* a cube is as wide as it is high */
        surfCubemapwrite(value + 3, cube, x * 4, y, z);
    }
    if (y == 0) {
        surf1DLayeredwrite(value + 2, rows, x * 4, z);
    }
}

__global__ void read_space(cudaSurfaceObject_t space, cudaSurfaceObject_t layers,
                           cudaSurfaceObject_t rows, cudaSurfaceObject_t cube, int *wrong)
{
    const int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y, value = x + 100 * y + 10000 * z;
    const int beyond = surf3Dread<int>(space, x * 4, y, z + D, cudaBoundaryModeZero);
    const bool good = surf3Dread<int>(space, x * 4, y, z) == value && beyond == 0 &&
                      surf2DLayeredread<int>(layers, x * 4, y, z) == value + 1 &&
                      surf1DLayeredread<int>(rows, x * 4, z) == value - 100 * y + 2 &&
                      (x >= H || surfCubemapread<int>(cube, x * 4, y, z) == value + 3);
    if (!good) {
        atomicAdd(wrong, 1);
    }
}

static cudaArray_t array_of(int w, int h, int d, unsigned flags)
{
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    cudaArray_t a = NULL;
    GOOD(cudaMalloc3DArray(&a, &format, make_cudaExtent(w, h, d),
                           flags | cudaArraySurfaceLoadStore));
    return a;
}

static void check_spaces(void)
{
    cudaArray_t a[] = {array_of(W, H, D, 0), array_of(W, H, D, cudaArrayLayered),
                       array_of(W, 0, D, cudaArrayLayered), array_of(H, H, 6, cudaArrayCubemap)};
    cudaSurfaceObject_t s[4];
    int *wrong, found = -1;
    for (int i = 0; i < 4; i++) {
        s[i] = surface_of(a[i]);
    }
    GOOD(cudaMalloc((void **)&wrong, sizeof *wrong));
    GOOD(cudaMemset(wrong, 0, sizeof *wrong));
    fill_space<<<dim3(H, D), W>>>(s[0], s[1], s[2], s[3]);
    read_space<<<dim3(H, D), W>>>(s[0], s[1], s[2], s[3], wrong);
    GOOD(cudaMemcpy(&found, wrong, sizeof found, cudaMemcpyDeviceToHost));
    CHECK_INT(found, 0);
    for (int i = 0; i < 4; i++) {
        GOOD(cudaDestroySurfaceObject(s[i]));
        GOOD(cudaFreeArray(a[i]));
    }
    GOOD(cudaFree(wrong));
}

/* --- copies ----------------------------------------------------------------------------------- */

static void check_copies(void)
{
    static int in[D][H][W], out[D][H][W];
    cudaArray_t a = array_of(W, H, D, 0), b = array_of(W, H, 0, 0), c = array_of(W, H, 0, 0);
    struct cudaMemcpy3DParms p = {};
    for (int i = 0; i < D * H * W; i++) {
        ((int *)in)[i] = i * i;
    }
    p.srcPtr = make_cudaPitchedPtr(in, W * sizeof(int), W, H);
    p.dstArray = a;
    p.extent = make_cudaExtent(W, H, D);
    p.kind = cudaMemcpyHostToDevice;
    GOOD(cudaMemcpy3D(&p));
    struct cudaMemcpy3DParms back = {};
    back.srcArray = a;
    back.srcPos = make_cudaPos(2, 1, 1); /* texels */
    back.dstPtr = make_cudaPitchedPtr(out, W * sizeof(int), W, H);
    back.dstPos = make_cudaPos(4, 2, 0); /* texels, too: an array takes part */
    back.extent = make_cudaExtent(5, 3, 2);
    back.kind = cudaMemcpyDeviceToHost;
    GOOD(cudaMemcpy3DAsync(&back, 0));
    GOOD(cudaDeviceSynchronize());
    CHECK_INT(out[0][2][4], in[1][1][2]);
    CHECK_INT(out[1][4][8], in[2][3][6]);
    CHECK_INT(out[0][0][0], 0);
    back.srcPos = make_cudaPos(16, 1, 1);
    CHECK_INT(cudaMemcpy3D(&back), cudaErrorInvalidValue); /* 16 + 5 texels of 20 */
    GOOD(cudaMemcpy2DToArray(b, 0, 0, in[3], W * sizeof(int), W * sizeof(int), H,
                             cudaMemcpyHostToDevice));
    GOOD(cudaMemcpy2DArrayToArray(c, 4 * sizeof(int), 1, b, 0, 0, 3 * sizeof(int), 2));
    GOOD(cudaMemcpy2DFromArray(out[2], W * sizeof(int), c, 4 * sizeof(int), 1, 3 * sizeof(int), 2,
                               cudaMemcpyDeviceToHost));
    CHECK_INT(out[2][1][2], in[3][1][2]);
    (void)cudaGetLastError();
    GOOD(cudaFreeArray(a));
    GOOD(cudaFreeArray(b));
    GOOD(cudaFreeArray(c));
}

/* --- textures --------------------------------------------------------------------------------- */

__global__ void sample(cudaTextureObject_t plane, cudaTextureObject_t line, float *out)
{
    out[0] = tex2D<float>(plane, 1.5f, 2.5f);
    out[1] = tex2D<float>(plane, 2.0f, 2.5f); /* between two */
    out[2] = tex2D<float>(plane, -7.0f, 0.5f);
    out[3] = tex1Dfetch<float>(line, 3);
    out[4] = tex1Dfetch<float>(line, W); /* outside: 0 */
    float pointed;
    tex1Dfetch(&pointed, line, 5);
    out[5] = pointed;
}

/* Lanes of one warp that read two textures, and lanes that are off. */
__global__ void sample_apart(cudaTextureObject_t plane, cudaTextureObject_t line,
                             cudaTextureObject_t next_line, float *out)
{
    const int lane = threadIdx.x;
    float sampled = -1, fetched = -2;
    if (lane % 3 == 1) {
        sampled = tex2D<float>(plane, lane - 4.0f, 1.0f);
    }
    if (lane >= 7) {
        fetched = tex1Dfetch<float>(line, lane - 9);
    }
    out[lane] = sampled;
    out[32 + lane] = fetched;
    out[64 + lane] = tex1Dfetch<float>(lane % 2 ? next_line : line, lane / 2);
}

static void check_apart(cudaTextureObject_t plane, cudaTextureObject_t line,
                        cudaTextureObject_t next_line)
{
    float out[96], *d_out;
    GOOD(cudaMalloc((void **)&d_out, sizeof out));
    sample_apart<<<1, 32>>>(plane, line, next_line, d_out);
    GOOD(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
    for (int lane = 0; lane < 32; lane++) { /* the texel (x, y) is y * W + x */
        const float x = fminf(fmaxf(lane - 4.5f, 0), W - 1);
        const bool is_there = lane >= 9 && lane < 9 + W;
        CHECK(out[lane] == (lane % 3 == 1 ? x + 0.5f * W : -1));
        CHECK(out[32 + lane] == (is_there ? lane - 9 : lane < 7 ? -2 : 0));
        CHECK(out[64 + lane] == lane % 2 * W + lane / 2);
    }
    GOOD(cudaFree(d_out));
}

static void check_textures(void)
{
    float in[H][W], out[6], *pitched, *d_out;
    size_t pitch;
    struct cudaResourceDesc plane = {}, line = {};
    struct cudaTextureDesc t = {};
    cudaTextureObject_t over_plane, over_line, over_next;
    for (int i = 0; i < H * W; i++) {
        ((float *)in)[i] = (float)i;
    }
    GOOD(cudaMallocPitch((void **)&pitched, &pitch, sizeof in[0], H));
    GOOD(cudaMalloc((void **)&d_out, sizeof out));
    GOOD(cudaMemcpy2D(pitched, pitch, in, sizeof in[0], sizeof in[0], H, cudaMemcpyHostToDevice));
    plane.resType = cudaResourceTypePitch2D;
    plane.res.pitch2D.devPtr = pitched;
    plane.res.pitch2D.desc = cudaCreateChannelDesc<float>();
    plane.res.pitch2D.width = W, plane.res.pitch2D.height = H;
    plane.res.pitch2D.pitchInBytes = pitch;
    t.addressMode[0] = t.addressMode[1] = cudaAddressModeClamp;
    t.filterMode = cudaFilterModeLinear;
    GOOD(cudaCreateTextureObject(&over_plane, &plane, &t, NULL));
    line.resType = cudaResourceTypeLinear;
    line.res.linear.devPtr = pitched;
    line.res.linear.desc = cudaCreateChannelDesc<float>();
    line.res.linear.sizeInBytes = W * sizeof(float);
    t.filterMode = cudaFilterModePoint;
    GOOD(cudaCreateTextureObject(&over_line, &line, &t, NULL));
    sample<<<1, 1>>>(over_plane, over_line, d_out);
    GOOD(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
    const float want[] = {in[2][1], in[2][1] + 0.5f, in[0][0], in[0][3], 0, in[0][5]};
    for (int i = 0; i < 6; i++) {
        check_float(out[i], want[i], 0, "texture", __LINE__);
    }
    line.res.linear.devPtr = (char *)pitched + pitch;
    GOOD(cudaCreateTextureObject(&over_next, &line, &t, NULL));
    check_apart(over_plane, over_line, over_next);
    struct cudaResourceDesc told = {};
    struct cudaTextureDesc told_reading = {};
    GOOD(cudaGetTextureObjectResourceDesc(&told, over_plane));
    CHECK_INT(told.res.pitch2D.width, W);
    GOOD(cudaGetTextureObjectTextureDesc(&told_reading, over_plane));
    CHECK_INT(told_reading.filterMode, cudaFilterModeLinear);
    GOOD(cudaDestroyTextureObject(over_plane));
    GOOD(cudaDestroyTextureObject(over_line));
    GOOD(cudaDestroyTextureObject(over_next));
    GOOD(cudaFree(pitched));
    GOOD(cudaFree(d_out));
}

/* --- what is rejected ------------------------------------------------------------------------- */

static void check_rejected(void)
{
    const cudaChannelFormatDesc ints = cudaCreateChannelDesc<int>();
    const cudaChannelFormatDesc odd =
        cudaCreateChannelDesc(8, 8, 8, 0, cudaChannelFormatKindSigned);
    cudaArray_t a;
    cudaTextureObject_t t;
    cudaChannelFormatDesc told;
    struct cudaExtent extent;
    unsigned flags;
    struct cudaTextureDesc reading = {};
    CHECK_INT(cudaMallocArray(&a, &odd, W, H), cudaErrorInvalidChannelDescriptor);
    CHECK_INT(cudaMallocArray(&a, &ints, 0, H), cudaErrorInvalidValue);
    GOOD(cudaMallocArray(&a, &ints, W, H));
    GOOD(cudaArrayGetInfo(&told, &extent, &flags, a));
    CHECK_INT(told.x, 32);
    CHECK_INT(extent.width, W);
    CHECK_INT(extent.depth, 0);
    const struct cudaResourceDesc r = of_array(a);
    reading.filterMode = cudaFilterModeLinear;
    CHECK_INT(cudaCreateTextureObject(&t, &r, &reading, NULL), cudaErrorInvalidFilterSetting);
    reading.filterMode = cudaFilterModePoint;
    reading.readMode = cudaReadModeNormalizedFloat;
    CHECK_INT(cudaCreateTextureObject(&t, &r, &reading, NULL), cudaErrorInvalidNormSetting);
    GOOD(cudaFreeArray(a));
    (void)cudaGetLastError();
}

/* The level of a gradient is that of its longer step, along x or along y. */
__global__ void read_levels(cudaTextureObject_t t, float *out)
{
    const float2 short_step = make_float2(1.0f / W, 0), long_step = make_float2(0, 4.0f / W);
    out[0] = tex2DGrad<float>(t, 0.5f, 0.5f, short_step, long_step);
    out[1] = tex2DGrad<float>(t, 0.5f, 0.5f, long_step, short_step);
    out[2] = tex2DGrad<float>(t, 0.5f, 0.5f, short_step, short_step);
}

static void check_gradients()
{
    enum { LEVELS = 4 };
    const cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>();
    cudaMipmappedArray_t mipmap;
    cudaResourceDesc r = {};
    cudaTextureDesc reading = {};
    cudaTextureObject_t t;
    float *out = make_array<float>(3);
    GOOD(cudaMallocMipmappedArray(&mipmap, &floats, make_cudaExtent(W, W, 0), LEVELS));
    for (int i = 0; i < LEVELS; i++) { /* each texel of a level is the level's number */
        cudaArray_t level;
        float texels[W * W];
        for (float &texel : texels)
            texel = (float)i;
        GOOD(cudaGetMipmappedArrayLevel(&level, mipmap, i));
        GOOD(cudaMemcpy2DToArray(level, 0, 0, texels, (W >> i) * sizeof(float),
                                 (W >> i) * sizeof(float), W >> i, cudaMemcpyHostToDevice));
    }
    r.resType = cudaResourceTypeMipmappedArray;
    r.res.mipmap.mipmap = mipmap;
    reading.normalizedCoords = 1;
    reading.maxMipmapLevelClamp = LEVELS - 1;
    GOOD(cudaCreateTextureObject(&t, &r, &reading, NULL));
    read_levels<<<1, 1>>>(t, out);
    GOOD(cudaDeviceSynchronize());
    CHECK_INT(out[0], 2);
    CHECK_INT(out[1], 2);
    CHECK_INT(out[2], 0);
    GOOD(cudaDestroyTextureObject(t));
    GOOD(cudaFreeMipmappedArray(mipmap));
}

int main(void)
{
    check_shift<unsigned char>();
    check_shift<short>();
    check_shift<uchar4>();
    check_shift<float>();
    check_shift<int2>();
    check_shift<float4>();
    check_spaces();
    check_copies();
    check_textures();
    check_gradients();
    check_rejected();
    return check_done();
}
