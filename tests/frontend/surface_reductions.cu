/* surface_reductions.cu - sured: what an H200 made of surfaces of one to three dimensions, for every operation, type
 * and rule for what lies outside (recorded as a hash for each operation), and of surfaces of other formats. */
/* flags: -std=c++17 -lcuda */
#include "check.h"

#include <cuda.h>

#include <string>
#include <vector>

typedef unsigned long long u64;

/* Coordinates inside, or also beside the surface by up to three columns, two lines and one slice. */
struct reduction {
    std::string name;
    int dimensions;
    bool is_wide, counts_bytes, beside;
    cudaChannelFormatKind kind;
    int bits, channels;
};

static CUfunction compile(CUmodule *module, const reduction &r)
{
    static const char *const places[] = {"%r1", "{%r1, %r2}", "{%r1, %r2, %r3, %r3}"};
    const std::string text =
        std::string(".version 8.1\n.target sm_80\n.address_size 64\n"
                    ".entry k(.param .u64 s, .param .u64 v, .param .u64 c) { .reg .b32 %r<9>; .reg .b64 %rd<9>;\n"
                    "ld.param.u64 %rd0, [s]; ld.param.u64 %rd1, [v]; ld.param.u64 %rd2, [c];\n"
                    "mov.u32 %r0, %tid.x; mul.wide.u32 %rd3, %r0, 16;\n"
                    "add.u64 %rd2, %rd2, %rd3; add.u64 %rd1, %rd1, %rd3;\n"
                    "ld.global.v4.u32 {%r1, %r2, %r3, %r8}, [%rd2];\n"
                    "ld.global.u32 %r4, [%rd1]; ld.global.u64 %rd4, [%rd1];\n") +
        r.name + " [%rd0, " + places[r.dimensions - 1] + "], " + (r.is_wide ? "%rd4" : "%r4") + ";\nret; }\n";
    CUfunction kernel = NULL;
    CHECK_INT(cuModuleLoadData(module, text.c_str()), CUDA_SUCCESS);
    CHECK_INT(cuModuleGetFunction(&kernel, *module, "k"), CUDA_SUCCESS);
    return kernel;
}

static const int sizes[3][3] = {{20, 0, 0}, {20, 6, 0}, {10, 6, 4}};

static std::vector<int> coordinates_of(const reduction &r)
{
    const int *s = sizes[r.dimensions - 1], m = r.beside, texel = r.bits / 8 * r.channels;
    std::vector<int> all;
    for (int z = s[2] ? -m : 0; z < (s[2] ? s[2] + m : 1); z++)
        for (int y = s[1] ? -2 * m : 0; y < (s[1] ? s[1] + 2 * m : 1); y++)
            for (int x = -3 * m; x < s[0] + 3 * m; x++) {
                const int place[] = {r.counts_bytes ? x * texel : x, y, z, 0};
                all.insert(all.end(), place, place + 4);
            }
    return all;
}

static void copy_image(cudaArray_t array, const int *s, int texel, unsigned *image, bool back)
{
    cudaMemcpy3DParms p = {0};
    const cudaPitchedPtr memory = make_cudaPitchedPtr(image, s[0] * texel, s[0], s[1] ? s[1] : 1);
    (back ? p.dstPtr : p.srcPtr) = memory;
    (back ? p.srcArray : p.dstArray) = array;
    p.extent = make_cudaExtent(s[0], s[1] ? s[1] : 1, s[2] ? s[2] : 1);
    p.kind = back ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice;
    CHECK_CUDA(cudaMemcpy3D(&p));
}

static u64 hash_of(const reduction &r)
{
    const int *s = sizes[r.dimensions - 1], texel = r.bits / 8 * r.channels;
    const int words = s[0] * (s[1] ? s[1] : 1) * (s[2] ? s[2] : 1) * texel / 4;
    std::vector<unsigned> image(words + 1, 0), values(4096);
    for (int i = 0; i < words; i++)
        image[i] = i * 2654435761u + 12345;
    for (int i = 0; i < 4096; i++)
        values[i] = i * 0x9e3779b9u + 7;
    const std::vector<int> places = coordinates_of(r);
    const cudaChannelFormatDesc d =
        cudaCreateChannelDesc(r.bits, r.channels > 1 ? r.bits : 0, r.channels > 2 ? r.bits : 0,
                              r.channels > 2 ? r.bits : 0, r.kind);
    cudaArray_t array;
    CHECK_CUDA(cudaMalloc3DArray(&array, &d, make_cudaExtent(s[0], s[1], s[2]), cudaArraySurfaceLoadStore));
    copy_image(array, s, texel, image.data(), false);
    void *on_device[2];
    CHECK_CUDA(cudaMalloc(&on_device[0], values.size() * 4));
    CHECK_CUDA(cudaMalloc(&on_device[1], places.size() * 4));
    CHECK_CUDA(cudaMemcpy(on_device[0], values.data(), values.size() * 4, cudaMemcpyHostToDevice));
    CHECK_CUDA(cudaMemcpy(on_device[1], places.data(), places.size() * 4, cudaMemcpyHostToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaSurfaceObject_t surface;
    CHECK_CUDA(cudaCreateSurfaceObject(&surface, &resource));
    CUmodule module;
    const CUfunction kernel = compile(&module, r);
    void *args[] = {&surface, &on_device[0], &on_device[1]};
    CHECK_INT(cuLaunchKernel(kernel, 1, 1, 1, (unsigned)places.size() / 4, 1, 1, 0, 0, args, 0), CUDA_SUCCESS);
    CHECK_CUDA(cudaDeviceSynchronize());
    copy_image(array, s, texel, image.data(), true);
    u64 h = 1469598103934665603ull;
    for (int i = 0; i < words + 1; i++)
        h = (h ^ (i < words ? image[i] : 0)) * 1099511628211ull;
    cuModuleUnload(module);
    cudaDestroySurfaceObject(surface);
    cudaFreeArray(array);
    cudaFree(on_device[0]);
    cudaFree(on_device[1]);
    return h;
}

/* In one to three dimensions; inside with .trap, and beside the surface with .clamp and .zero. */
static void test_operation(const char *name, const char *type, u64 recorded)
{
    static const char *const geometries[] = {".1d.", ".2d.", ".3d."}, *const rules[] = {".trap", ".clamp", ".zero"};
    const bool wide = strstr(type, "64") != NULL;
    u64 sum = 0;
    for (int g = 0; g < 3; g++)
        for (int rule = 0; rule < 3; rule++)
            sum = sum * 31 + hash_of({std::string(name) + geometries[g] + type + rules[rule], g + 1, wide, name[6] == 'b',
                                      rule > 0, cudaChannelFormatKindUnsigned, 32, wide ? 2 : 1});
    if (sum != recorded && check_failures++ < 10)
        printf("%s of %s: %016llx, not %016llx\n", name, type, sum, recorded);
}

/* By .p x counts words of a row, whatever the texel; signed texels of any size make the words signed. */
static void test_formats(void)
{
    static const struct {
        cudaChannelFormatKind kind;
        int bits, channels;
        u64 sum, least;
    } formats[] = {
        {cudaChannelFormatKindUnsigned, 8, 1, 0x934249ccc218acdc, 0x4a858f0551dc61bf},
        {cudaChannelFormatKindUnsigned, 8, 2, 0x38a0fa5c94ca1ec5, 0x53a99489d434c2c7},
        {cudaChannelFormatKindUnsigned, 8, 4, 0x804ea3b237652569, 0xf6c1cf0086fed760},
        {cudaChannelFormatKindUnsigned, 16, 1, 0x38a0fa5c94ca1ec5, 0x53a99489d434c2c7},
        {cudaChannelFormatKindUnsigned, 16, 2, 0x804ea3b237652569, 0xf6c1cf0086fed760},
        {cudaChannelFormatKindUnsigned, 16, 4, 0x8c3fcae5f5e56419, 0x47cbc827e726dcf6},
        {cudaChannelFormatKindUnsigned, 32, 1, 0x804ea3b237652569, 0xf6c1cf0086fed760},
        {cudaChannelFormatKindUnsigned, 32, 2, 0x8c3fcae5f5e56419, 0x47cbc827e726dcf6},
        {cudaChannelFormatKindUnsigned, 32, 4, 0x4fd48a3a160f59a9, 0xc3a715469dc074cb},
        {cudaChannelFormatKindSigned, 8, 1, 0x934249ccc218acdc, 0x07f096d7db1ea953},
        {cudaChannelFormatKindSigned, 8, 2, 0x38a0fa5c94ca1ec5, 0xf566d714e5f0c8f9},
        {cudaChannelFormatKindSigned, 8, 4, 0x804ea3b237652569, 0xa971fa70a11c1246},
        {cudaChannelFormatKindSigned, 16, 1, 0x38a0fa5c94ca1ec5, 0xf566d714e5f0c8f9},
        {cudaChannelFormatKindSigned, 16, 2, 0x804ea3b237652569, 0xa971fa70a11c1246},
        {cudaChannelFormatKindSigned, 16, 4, 0x8c3fcae5f5e56419, 0x1590d36e176746bc},
        {cudaChannelFormatKindSigned, 32, 1, 0x804ea3b237652569, 0xa971fa70a11c1246},
        {cudaChannelFormatKindSigned, 32, 2, 0x8c3fcae5f5e56419, 0x1590d36e176746bc},
        {cudaChannelFormatKindSigned, 32, 4, 0x4fd48a3a160f59a9, 0xecf37e3a5efe55cb},
    };
    for (const auto &f : formats) {
        const u64 sum = hash_of({"sured.p.add.2d.b32.zero", 2, false, false, true, f.kind, f.bits, f.channels});
        const u64 least = hash_of({"sured.p.min.2d.b32.clamp", 2, false, false, true, f.kind, f.bits, f.channels});
        CHECK_INT(sum, f.sum);
        CHECK_INT(least, f.least);
    }
}

int main()
{
    CHECK_CUDA(cudaFree(NULL));
    test_operation("sured.b.add", "u32", 0x47c958d5d0c69e05);
    test_operation("sured.b.add", "s32", 0x47c958d5d0c69e05);
    test_operation("sured.b.add", "u64", 0x6a15f82e2e5daf2a);
    test_operation("sured.b.min", "u32", 0x376a84c66dc00c45);
    test_operation("sured.b.min", "s32", 0x74f9ba3db155f72e);
    test_operation("sured.b.min", "u64", 0x1a2aede12c141351);
    test_operation("sured.b.min", "s64", 0x604528d9aa3b7349);
    test_operation("sured.b.max", "u32", 0xcc56b10ad3f0ecfe);
    test_operation("sured.b.max", "s32", 0xcf6f46d840ae5379);
    test_operation("sured.b.max", "u64", 0x338cf72e67cd50e1);
    test_operation("sured.b.max", "s64", 0x68049f350c8eede1);
    test_operation("sured.b.and", "b32", 0x421d11a87b0e76c5);
    test_operation("sured.b.or", "b32", 0xc5a207e2d0570b49);
    test_operation("sured.p.add", "b32", 0x47c958d5d0c69e05);
    test_operation("sured.p.min", "b32", 0x376a84c66dc00c45);
    test_operation("sured.p.max", "b32", 0xcc56b10ad3f0ecfe);
    test_operation("sured.p.and", "b32", 0x421d11a87b0e76c5);
    test_operation("sured.p.or", "b32", 0xc5a207e2d0570b49);
    test_operation("sured.p.min", "b64", 0x1a2aede12c141351);
    test_operation("sured.p.max", "b64", 0x338cf72e67cd50e1);
    test_formats();
    return check_done();
}
