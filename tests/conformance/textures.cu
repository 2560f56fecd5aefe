/* textures.cu - what a texture unit returns: each case of textures.def is a texture of random
 * texels that is read at random places; a line is its name and a hash of all results, bit for bit.
 *
 * The same program, built for a GPU, recorded textures_h200.csv. Its random numbers are its own, so
 * that every machine draws the same. With a name as argument the results of that case are printed.
 */
#include <cuda_runtime.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECKED(call)                                                                              \
    do {                                                                                           \
        cudaError_t code_ = (call);                                                                \
        if (code_ != cudaSuccess) {                                                                \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call,                          \
                    cudaGetErrorString(code_));                                                    \
            exit(2);                                                                               \
        }                                                                                          \
    } while (0)

enum function {
    TEX1D,
    TEX2D,
    TEX3D,
    LAYERED1,
    LAYERED2,
    CUBE,
    CUBES,
    LOD1,
    LOD2,
    LOD3,
    GATHER,
    FETCH
};
enum texels { FLOAT, HALF, UNSIGNED, SIGNED };
enum places { ANYWHERE, RAMP, EDGES };

struct test {
    const char *name;
    enum function function;
    enum texels texels;
    int bits, channels, width, height, depth;
    bool linear;
    int address; /* cudaAddressMode...; of GATHER the channel is address / 4 */
    bool normalised, reads_floats;
    enum places places;
    int levels;
    bool linear_levels;
    float bias, least, most;
};

static const struct test tests[] = {
#define CASE(name, ...) {name, __VA_ARGS__},
#include "textures.def"
#undef CASE
};

enum { SAMPLES = 2048, MOST_BYTES = 1 << 18 };

/* --- on the device ---------------------------------------------------------------------------- */

template <typename T>
__device__ T texel(enum function f, cudaTextureObject_t t, float4 p, int layer, int channel)
{
    switch (f) {
    case TEX1D:
        return tex1D<T>(t, p.x);
    case TEX2D:
        return tex2D<T>(t, p.x, p.y);
    case TEX3D:
        return tex3D<T>(t, p.x, p.y, p.z);
    case LAYERED1:
        return tex1DLayered<T>(t, p.x, layer);
    case LAYERED2:
        return tex2DLayered<T>(t, p.x, p.y, layer);
    case CUBE:
        return texCubemap<T>(t, p.x, p.y, p.z);
    case CUBES:
        return texCubemapLayered<T>(t, p.x, p.y, p.z, layer);
    case LOD1:
        return tex1DLod<T>(t, p.x, p.w);
    case LOD2:
        return tex2DLod<T>(t, p.x, p.y, p.w);
    case LOD3:
        return tex3DLod<T>(t, p.x, p.y, p.z, p.w);
    case GATHER:
        return tex2Dgather<T>(t, p.x, p.y, channel);
    default:
        return tex1Dfetch<T>(t, (int)p.x);
    }
}

__global__ void read_floats(enum function f, cudaTextureObject_t t, const float4 *place,
                            int channel, float4 *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < SAMPLES) {
        out[i] = texel<float4>(f, t, place[i], (int)place[i].w, channel);
    }
}

__global__ void read_integers(enum function f, cudaTextureObject_t t, const float4 *place,
                              int channel, int4 *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < SAMPLES) {
        out[i] = texel<int4>(f, t, place[i], (int)place[i].w, channel);
    }
}

/* --- random inputs ---------------------------------------------------------------------------- */

static uint64_t state; /* of Knuth's generator (MMIX) */

static uint32_t draw(void)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(state >> 32);
}

static float draw_unit(void) { return (float)(draw() >> 8) * 0x1p-24f; }

static void draw_texel(const struct test *k, unsigned char *at)
{
    if (k->texels == FLOAT) {
        const float value = (draw_unit() * 2 - 1) * (float)(1 << draw() % 8);
        memcpy(at, &value, sizeof value);
    } else {
        uint32_t bits = draw();
        if (k->texels == HALF) { /* neither infinite nor tiny */
            bits = (bits & 0x83ffu) | (10 + bits / 65536 % 10) << 10;
        }
        memcpy(at, &bits, (size_t)k->bits / 8);
    }
}

/* Around each border of texels, a few of the floats nearest to it. */
static float edge(int i, int width)
{
    const int step = i % 16 - 8;
    const float border = (float)(i / 16 % (4 * width)) * 0.5f - (float)width * 0.5f;
    uint32_t bits;
    float value;
    if (border == 0) {
        return (float)step * 0x1p-20f;
    }
    memcpy(&bits, &border, sizeof bits);
    bits += (uint32_t)step;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static float side(int texels) { return (float)(texels > 0 ? texels : 1); }

static float draw_coordinate(int texels) { return (draw_unit() * 2 - 0.5f) * side(texels); }

static float4 draw_place(const struct test *k, int i)
{
    float4 p = {draw_coordinate(k->width), draw_coordinate(k->height), draw_coordinate(k->depth),
                0};
    if (k->places != ANYWHERE) {
        p.x = k->places == RAMP ? (float)i * 0x1p-9f : edge(i, k->width);
    }
    if (k->normalised) {
        p.x /= side(k->width), p.y /= side(k->height), p.z /= side(k->depth);
    }
    if (k->function == CUBE || k->function == CUBES) {
        p.x = draw_unit() * 2 - 1, p.y = draw_unit() * 2 - 1, p.z = draw_unit() * 2 - 1;
    }
    if (k->function >= LAYERED1 && k->function <= CUBES) {
        p.w = (float)(int)(draw_unit() * side(k->depth)) - 1;
    }
    if (k->function >= LOD1 && k->function <= LOD3) {
        p.w = draw_unit() * 6 - 1;
    }
    return p;
}

/* --- one case --------------------------------------------------------------------------------- */

static cudaChannelFormatDesc format_of(const struct test *k)
{
    const int b = k->bits, c = k->channels;
    return cudaCreateChannelDesc(b, c > 1 ? b : 0, c > 2 ? b : 0, c > 3 ? b : 0,
                                 k->texels == SIGNED     ? cudaChannelFormatKindSigned
                                 : k->texels == UNSIGNED ? cudaChannelFormatKindUnsigned
                                                         : cudaChannelFormatKindFloat);
}

static void fill_array(const struct test *k, cudaArray_t array, struct cudaExtent e)
{
    static unsigned char bytes[MOST_BYTES];
    const size_t texel = (size_t)k->channels * k->bits / 8, channel = (size_t)k->bits / 8;
    struct cudaMemcpy3DParms copy = {};
    e.height = e.height > 0 ? e.height : 1;
    e.depth = e.depth > 0 ? e.depth : 1;
    for (size_t at = 0; at < e.width * e.height * e.depth * texel; at += channel) {
        draw_texel(k, bytes + at);
    }
    copy.srcPtr = make_cudaPitchedPtr(bytes, e.width * texel, e.width, e.height);
    copy.dstArray = array;
    copy.extent = e;
    copy.kind = cudaMemcpyHostToDevice;
    CHECKED(cudaMemcpy3D(&copy));
}

static unsigned flags_of(const struct test *k)
{
    switch (k->function) {
    case LAYERED1:
    case LAYERED2:
        return cudaArrayLayered;
    case CUBE:
        return cudaArrayCubemap;
    case CUBES:
        return cudaArrayCubemap | cudaArrayLayered;
    case GATHER:
        return cudaArrayTextureGather;
    default:
        return cudaArrayDefault;
    }
}

static size_t halved(int texels, int times)
{
    return texels == 0 ? 0 : texels >> times > 0 ? (size_t)(texels >> times) : 1;
}

static struct cudaResourceDesc resource_of(const struct test *k)
{
    static float linear[64];
    struct cudaResourceDesc r = {};
    const cudaChannelFormatDesc format = format_of(k);
    if (k->function == FETCH) {
        for (int i = 0; i < k->width; i++) {
            draw_texel(k, (unsigned char *)&linear[i]);
        }
        r.resType = cudaResourceTypeLinear;
        r.res.linear.desc = format;
        r.res.linear.sizeInBytes = (size_t)k->width * k->channels * k->bits / 8;
        CHECKED(cudaMalloc(&r.res.linear.devPtr, sizeof linear));
        CHECKED(cudaMemcpy(r.res.linear.devPtr, linear, sizeof linear, cudaMemcpyHostToDevice));
        return r;
    }
    const struct cudaExtent whole = make_cudaExtent(k->width, k->height, k->depth);
    if (k->levels <= 1) {
        r.resType = cudaResourceTypeArray;
        CHECKED(cudaMalloc3DArray(&r.res.array.array, &format, whole, flags_of(k)));
        fill_array(k, r.res.array.array, whole);
        return r;
    }
    r.resType = cudaResourceTypeMipmappedArray;
    CHECKED(cudaMallocMipmappedArray(&r.res.mipmap.mipmap, &format, whole, k->levels));
    for (int l = 0; l < k->levels; l++) {
        cudaArray_t level;
        CHECKED(cudaGetMipmappedArrayLevel(&level, r.res.mipmap.mipmap, l));
        fill_array(k, level,
                   make_cudaExtent(halved(k->width, l), halved(k->height, l), halved(k->depth, l)));
    }
    return r;
}

static void release(const struct cudaResourceDesc *r)
{
    CHECKED(r->resType == cudaResourceTypeLinear  ? cudaFree(r->res.linear.devPtr)
            : r->resType == cudaResourceTypeArray ? cudaFreeArray(r->res.array.array)
                                                  : cudaFreeMipmappedArray(r->res.mipmap.mipmap));
}

static struct cudaTextureDesc reading_of(const struct test *k)
{
    struct cudaTextureDesc t = {};
    for (int i = 0; i < 3; i++) {
        t.addressMode[i] = (cudaTextureAddressMode)(k->address % 4);
    }
    t.filterMode = k->linear ? cudaFilterModeLinear : cudaFilterModePoint;
    t.readMode = k->reads_floats ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
    t.normalizedCoords = k->normalised;
    t.borderColor[0] = 0.25f, t.borderColor[1] = -3, t.borderColor[2] = 0.7f, t.borderColor[3] = 1;
    t.mipmapFilterMode = k->linear_levels ? cudaFilterModeLinear : cudaFilterModePoint;
    t.mipmapLevelBias = k->bias;
    t.minMipmapLevelClamp = k->least;
    t.maxMipmapLevelClamp = k->most;
    return t;
}

static void print(const uint32_t *words)
{
    for (int i = 0; i < SAMPLES; i++) {
        printf("%d: %08x %08x %08x %08x\n", i, words[4 * i], words[4 * i + 1], words[4 * i + 2],
               words[4 * i + 3]);
    }
}

static void run(const struct test *k, bool prints)
{
    static float4 place[SAMPLES];
    static uint32_t result[4 * SAMPLES];
    float4 *d_place, *d_result;
    cudaTextureObject_t texture;
    state = (uint64_t)(k - tests) + 1;
    const struct cudaResourceDesc resource = resource_of(k);
    const struct cudaTextureDesc reading = reading_of(k);
    for (int i = 0; i < SAMPLES; i++) {
        place[i] = draw_place(k, i);
    }
    CHECKED(cudaCreateTextureObject(&texture, &resource, &reading, NULL));
    CHECKED(cudaMalloc((void **)&d_place, sizeof place));
    CHECKED(cudaMalloc((void **)&d_result, sizeof result));
    CHECKED(cudaMemcpy(d_place, place, sizeof place, cudaMemcpyHostToDevice));
    const bool integers = k->texels >= UNSIGNED && !k->reads_floats;
    if (integers) {
        read_integers<<<SAMPLES / 256, 256>>>(k->function, texture, d_place, k->address / 4,
                                              (int4 *)d_result);
    } else {
        read_floats<<<SAMPLES / 256, 256>>>(k->function, texture, d_place, k->address / 4,
                                            d_result);
    }
    CHECKED(cudaGetLastError());
    CHECKED(cudaMemcpy(result, d_result, sizeof result, cudaMemcpyDeviceToHost));
    uint64_t hash = UINT64_C(14695981039346656037); /* FNV-1a, by words */
    for (int i = 0; i < 4 * SAMPLES; i++) {
        hash = (hash ^ result[i]) * UINT64_C(1099511628211);
    }
    prints ? print(result) : (void)printf("%s,%016llx\n", k->name, (unsigned long long)hash);
    CHECKED(cudaDestroyTextureObject(texture));
    CHECKED(cudaFree(d_place));
    CHECKED(cudaFree(d_result));
    release(&resource);
}

int main(int argc, char **argv)
{
    for (const struct test *k = tests; k < tests + sizeof tests / sizeof *tests; k++) {
        if (argc < 2 || strcmp(argv[1], k->name) == 0) {
            run(k, argc > 1);
        }
    }
    return 0;
}
