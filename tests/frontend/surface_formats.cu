/* surface_formats.cu - sust.p, which only PTX has: it stores texels in the surface's own format. What an H200 made of
 * surfaces of all formats (recorded 2026-11-28, a hash for each geometry and rule for what lies outside), and single values. */
/* flags: -std=c++17 -lcuda */
#include "check.h"

#include <cuda.h>

#include <string>
#include <vector>

typedef unsigned long long u64;

static const unsigned edges[] = {
    0,          1,          127,        128,        129,        255,        256,        257,        32767,
    32768,      65535,      65536,      0x7fffffff, 0x80000000, 0xffffffff, 0xfffffffe, 0xffffff80, 0xffffff7f,
    0xffff8000, 0xffff7fff, 0x3f800000, 0xbf800000, 0x3f000000, 0x477fe000, 0x477ff000, 0x477fefff, 0x7f800000,
    0x7fc00000, 0xff800000, 0x33800000, 0x33000000, 0x33000001, 0x38800000, 0x387fffff, 0x3f801000, 0x3f803000,
    0x3f802fff, 0xc2c80000, 0x43800000, 0x7f7fffff, 0x80000001, 0x3b808081};

static unsigned draw(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

struct geometry {
    const char *name, *place;
    int width, height, depth;
    bool layered;
};
static const geometry geometries[] = {{"1d", "{%r1}", 40, 0, 0, false},
                                      {"2d", "{%r1, %r2}", 20, 6, 0, false},
                                      {"3d", "{%r1, %r2, %r3, %r3}", 10, 6, 4, false},
                                      {"a1d", "{%r3, %r1}", 20, 0, 5, true},
                                      {"a2d", "{%r3, %r1, %r2, %r2}", 10, 6, 4, true}};

static CUfunction compile(CUmodule *module, const geometry &g, int registers, const char *rule)
{
    static const char *const values[] = {"", "%r4", "{%r4, %r5}", "", "{%r4, %r5, %r6, %r7}"};
    const std::string vector = registers > 1 ? ".v" + std::to_string(registers) : "";
    const std::string text = std::string(".version 8.0\n.target sm_80\n.address_size 64\n"
                                         ".entry k(.param .u64 s, .param .u64 p, .param .u64 v) {\n"
                                         ".reg .b32 %r<9>; .reg .b64 %rd<5>;\n"
                                         "ld.param.u64 %rd0, [s]; ld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [v];\n"
                                         "mov.u32 %r0, %tid.x; mul.wide.u32 %rd3, %r0, 16;\n"
                                         "add.u64 %rd1, %rd1, %rd3; add.u64 %rd2, %rd2, %rd3;\n"
                                         "ld.global.v4.u32 {%r1, %r2, %r3, %r8}, [%rd1];\n"
                                         "ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%rd2];\n") +
                             "sust.p." + g.name + vector + ".b32." + rule + " [%rd0, " + g.place + "], " +
                             values[registers] + ";\nret; }\n";
    CUfunction kernel = NULL;
    CHECK_INT(cuModuleLoadData(module, text.c_str()), CUDA_SUCCESS);
    CHECK_INT(cuModuleGetFunction(&kernel, *module, "k"), CUDA_SUCCESS);
    return kernel;
}

struct store {
    int place[4];
    unsigned value[4];
};

/* Every texel, and where the rule allows it three columns, two rows and a slice beside the surface. */
static std::vector<store> draw_stores(const geometry &g, bool beside)
{
    std::vector<store> all;
    const int m = beside, height = g.height ? g.height : 1, depth = g.depth ? g.depth : 1;
    unsigned seed = 21;
    for (int z = g.depth ? -m : 0; z < depth + (g.depth ? m : 0); z++)
        for (int y = g.height ? -2 * m : 0; y < height + (g.height ? 2 * m : 0); y++)
            for (int x = -3 * m; x < g.width + 3 * m; x++) {
                store s = {{x, y, z, 0}, {0}};
                s.value[3] = draw(&seed) << 8;
                s.value[3] ^= draw(&seed);
                for (int i = 2; i >= 0; i--)
                    s.value[i] = edges[draw(&seed) % 42];
                all.push_back(s);
            }
    return all;
}

static void copy(cudaArray_t array, const geometry &g, int texel, void *bytes)
{
    cudaMemcpy3DParms p = {};
    p.srcArray = array;
    p.dstPtr = make_cudaPitchedPtr(bytes, (size_t)g.width * texel, g.width, g.height ? g.height : 1);
    p.extent = make_cudaExtent(g.width, g.height ? g.height : 1, g.depth ? g.depth : 1);
    p.kind = cudaMemcpyDeviceToHost;
    CHECK_CUDA(cudaMemcpy3D(&p));
}

/* Stores that are clamped meet, so these are made one after the other. */
static void launch(CUfunction kernel, cudaSurfaceObject_t surface, store *stores, size_t count, bool one_by_one)
{
    const size_t step = one_by_one ? 1 : 32;
    int(*place)[4];
    unsigned(*value)[4];
    CHECK_CUDA(cudaMallocManaged(&place, count * sizeof *place));
    CHECK_CUDA(cudaMallocManaged(&value, count * sizeof *value));
    for (size_t i = 0; i < count; i++) {
        memcpy(place[i], stores[i].place, sizeof *place);
        memcpy(value[i], stores[i].value, sizeof *value);
    }
    for (size_t i = 0; i < count; i += step) {
        void *p = place + i, *v = value + i, *args[] = {&surface, &p, &v};
        const unsigned threads = (unsigned)(count - i < step ? count - i : step);
        CHECK_INT(cuLaunchKernel(kernel, 1, 1, 1, threads, 1, 1, 0, 0, args, NULL), CUDA_SUCCESS);
    }
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_CUDA(cudaFree(place));
    CHECK_CUDA(cudaFree(value));
}

static u64 hash_of(CUfunction kernel, const geometry &g, bool beside, cudaChannelFormatDesc f)
{
    const int texel = (f.x + f.y + f.z + f.w) / 8, texels = g.width * (g.height ? g.height : 1) * (g.depth ? g.depth : 1);
    cudaArray_t array;
    cudaSurfaceObject_t surface;
    std::vector<unsigned char> bytes((size_t)texels * texel);
    CHECK_CUDA(cudaMalloc3DArray(&array, &f, make_cudaExtent(g.width, g.height, g.depth),
                                 cudaArraySurfaceLoadStore | (g.layered ? cudaArrayLayered : 0)));
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = array;
    CHECK_CUDA(cudaCreateSurfaceObject(&surface, &r));
    std::vector<store> stores = draw_stores(g, beside);
    launch(kernel, surface, stores.data(), stores.size() < 1024 ? stores.size() : 1024, beside);
    copy(array, g, texel, bytes.data());
    CHECK_CUDA(cudaDestroySurfaceObject(surface));
    CHECK_CUDA(cudaFreeArray(array));
    u64 hash = 14695981039346656037ull;
    for (unsigned char b : bytes)
        hash = (hash ^ b) * 1099511628211ull;
    return hash;
}

/* Channels of 8, 16 and 32 bits, 1, 2 and 4 of them; of geometries other than 2d fewer. */
static void test_geometry(const geometry &g, int registers, const char *rule, u64 recorded)
{
    static const cudaChannelFormatKind kinds[] = {cudaChannelFormatKindUnsigned, cudaChannelFormatKindSigned,
                                                  cudaChannelFormatKindFloat};
    CUmodule module;
    const CUfunction kernel = compile(&module, g, registers, rule);
    const bool all = strcmp(g.name, "2d") == 0;
    u64 sum = 0;
    for (int kind = 0; kind < 3; kind++)
        for (int bits = kind == 2 ? 16 : 8; bits <= 32; bits *= 2)
            for (int channels = 1; channels <= 4; channels *= 2)
                if (all || (channels != 2 && bits != 16)) {
                    const int second = channels > 1 ? bits : 0, others = channels > 2 ? bits : 0;
                    sum = sum * 31 + hash_of(kernel, g, rule[0] != 't',
                                             cudaCreateChannelDesc(bits, second, others, others, kinds[kind]));
                }
    CHECK_INT(cuModuleUnload(module), CUDA_SUCCESS);
    if (sum != recorded && check_failures++ < 10)
        printf("sust.p.%s of %d registers, .%s: 0x%016llx, not 0x%016llx\n", g.name, registers, rule, sum, recorded);
}

/* NaNs, what is too small for a half and what is too large. */
static void test_halves(void)
{
    static const unsigned floats[] = {0x7f800001, 0xff800001, 0x7f801fff, 0x7fc00001, 0x7fffffff, 0xffc00000,
                                      0x7fa00000, 0x33800001, 0xb3ffffff, 0x477fffff, 0x47800000};
    static const unsigned short halves[] = {0x7c01, 0xfc01, 0x7c01, 0x7e00, 0x7fff, 0xfe00,
                                            0x7d00, 0x0001, 0x8001, 0x7bff, 0x7bff};
    enum { COUNT = sizeof floats / sizeof *floats };
    const geometry g = {"1d", "{%r1}", COUNT, 0, 0, false};
    cudaChannelFormatDesc f = cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindFloat);
    cudaArray_t array;
    cudaSurfaceObject_t surface;
    unsigned short stored[COUNT];
    store stores[COUNT];
    for (int i = 0; i < COUNT; i++)
        stores[i] = {{i, 0, 0, 0}, {floats[i], 0, 0, 0}};
    CHECK_CUDA(cudaMalloc3DArray(&array, &f, make_cudaExtent(COUNT, 0, 0), cudaArraySurfaceLoadStore));
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = array;
    CHECK_CUDA(cudaCreateSurfaceObject(&surface, &r));
    CUmodule module;
    launch(compile(&module, g, 1, "trap"), surface, stores, COUNT, false);
    copy(array, g, 2, stored);
    for (int i = 0; i < COUNT; i++)
        CHECK_INT(stored[i], halves[i]);
}

int main()
{
    CHECK_CUDA(cudaFree(NULL));
    test_geometry(geometries[0], 1, "trap", 0xb0c46d215ab3bf2a);
    test_geometry(geometries[0], 1, "clamp", 0x8b09a1ea7648b9d8);
    test_geometry(geometries[0], 1, "zero", 0xb8ba46d2e91a3956);
    test_geometry(geometries[0], 2, "trap", 0xcfed55233110c34a);
    test_geometry(geometries[0], 2, "clamp", 0x4c71d37b79ee2d0f);
    test_geometry(geometries[0], 2, "zero", 0x498d1b2a34fafa9f);
    test_geometry(geometries[0], 4, "trap", 0x170345312010095e);
    test_geometry(geometries[0], 4, "clamp", 0x0dbe7de82bc79f1b);
    test_geometry(geometries[0], 4, "zero", 0x2345eb6f3899e758);
    test_geometry(geometries[1], 1, "trap", 0x7db4b64033e56f8b);
    test_geometry(geometries[1], 1, "clamp", 0x536c9e0ebbc76560);
    test_geometry(geometries[1], 1, "zero", 0xb01a01aced9f4858);
    test_geometry(geometries[1], 2, "trap", 0x250e9760b2eaa6d3);
    test_geometry(geometries[1], 2, "clamp", 0x7461e27c868eca28);
    test_geometry(geometries[1], 2, "zero", 0x9689460aa8cc2a70);
    test_geometry(geometries[1], 4, "trap", 0x5360bcad1e0b50d2);
    test_geometry(geometries[1], 4, "clamp", 0x564d8fe4e70747e3);
    test_geometry(geometries[1], 4, "zero", 0xaa9a6aa3f59165b6);
    test_geometry(geometries[2], 1, "trap", 0x9e42079bbdfe585a);
    test_geometry(geometries[2], 1, "clamp", 0x4085aa474ccc2da6);
    test_geometry(geometries[2], 1, "zero", 0x7ec3f0b4230301ce);
    test_geometry(geometries[2], 2, "trap", 0x0508b3e2f9e29be9);
    test_geometry(geometries[2], 2, "clamp", 0xf3fe697ca6a593b5);
    test_geometry(geometries[2], 2, "zero", 0xcaa3593fab746718);
    test_geometry(geometries[2], 4, "trap", 0x2c53c99099880170);
    test_geometry(geometries[2], 4, "clamp", 0xdf30d752d325fe28);
    test_geometry(geometries[2], 4, "zero", 0x745e9c09d572053a);
    test_geometry(geometries[3], 4, "trap", 0xc3c7fba376afa31f);
    test_geometry(geometries[3], 4, "clamp", 0x36d947f97bb5c090);
    test_geometry(geometries[3], 4, "zero", 0xc717e8463300f0bd);
    test_geometry(geometries[4], 4, "trap", 0x2c53c99099880170);
    test_geometry(geometries[4], 4, "clamp", 0xdf30d752d325fe28);
    test_geometry(geometries[4], 4, "zero", 0x745e9c09d572053a);
    test_halves();
    return check_done();
}
