/* texture_offsets.cu - forms of tex and tld4 that only PTX has: texel offsets, gathers of layers
 * and cubes, integer coordinates of layers, halves as results, the predicate of residency, depths
 * to compare with. The hashes are an H200's (recorded 2026-11-28), of 1024 reads for each filter
 * and address mode. */
/* flags: -std=c++17 -lcuda */
#include "check.h"

#include <cuda.h>

#include <string>
#include <vector>

typedef unsigned long long u64;
enum { READS = 1024 };

static unsigned draw(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* --- kernels
 * -------------------------------------------------------------------------------------------------------
 */

/* The instruction may use %f0 to %f3, the coordinates; %r4 to %r7, layer and offset; %r8 to %r10,
 * the coordinates as integers; %f4, 1/8; and leaves its results in %r0 to %r3. */
static CUfunction compile(const std::string &instruction)
{
    const std::string text =
        ".version 8.0\n.target sm_80\n.address_size 64\n"
        ".entry k(.param .u64 t, .param .u64 p, .param .u64 o, .param .u64 d)\n{\n"
        ".reg .b32 %r<16>; .reg .f32 %f<8>; .reg .b64 %rd<8>; .reg .b16 %h<4>; .reg .pred %q;\n"
        "ld.param.u64 %rd0, [t]; ld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [o];\n"
        "ld.param.u64 %rd3, [d]; mov.u32 %r11, %ctaid.x; mov.u32 %r12, %ntid.x;\n"
        "mov.u32 %r13, %tid.x; mad.lo.u32 %r11, %r11, %r12, %r13;\n"
        "mul.wide.u32 %rd4, %r11, 16; add.u64 %rd1, %rd1, %rd4; add.u64 %rd2, %rd2, %rd4;\n"
        "add.u64 %rd3, %rd3, %rd4; ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%rd1];\n"
        "ld.global.v4.u32 {%r5, %r6, %r7, %r4}, [%rd2]; mov.f32 %f4, 0f3e000000;\n"
        "cvt.rzi.s32.f32 %r8, %f0; cvt.rzi.s32.f32 %r9, %f1; cvt.rzi.s32.f32 %r10, %f2;\n"
        "mov.u32 %r0, 0; mov.u32 %r1, 0; mov.u32 %r2, 0; mov.u32 %r3, 0;\n" +
        instruction + "\nst.global.v4.u32 [%rd3], {%r0, %r1, %r2, %r3};\nret;\n}\n";
    CUmodule module;
    CUfunction kernel = NULL;
    CHECK_INT(cuModuleLoadData(&module, text.c_str()), CUDA_SUCCESS);
    CHECK_INT(cuModuleGetFunction(&kernel, module, "k"), CUDA_SUCCESS);
    return kernel;
}

struct places {
    float at[READS][4];
    int offset[READS][4]; /* and behind it the layer */
};
static struct places *places;
static unsigned (*results)[4];

static u64 hash_of(CUfunction kernel, cudaTextureObject_t texture)
{
    void *p = places->at, *o = places->offset, *d = results, *args[] = {&texture, &p, &o, &d};
    memset(results, 0xee, READS * sizeof *results);
    CHECK_INT(cuLaunchKernel(kernel, READS / 128, 1, 1, 128, 1, 1, 0, 0, args, NULL), CUDA_SUCCESS);
    CHECK_CUDA(cudaDeviceSynchronize());
    u64 hash = 14695981039346656037ull;
    for (size_t i = 0; i < READS * sizeof *results; i++)
        hash = (hash ^ ((unsigned char *)results)[i]) * 1099511628211ull;
    return hash;
}

/* --- textures
 * ------------------------------------------------------------------------------------------------------
 */

struct shape {
    const char *geometry;
    int width, height, depth; /* 0: it has none */
    unsigned flags;
};
static int side(int texels) { return texels > 0 ? texels : 1; }

static void draw_places(const shape &s, bool normalised, unsigned seed)
{
    static const int far[] = {8, -9, 16, 31, -32, 100, -1000, 63};
    const int sides[3] = {side(s.width), side(s.height), side(s.depth)};
    for (int i = 0; i < READS; i++) {
        float *at = places->at[i];
        int *offset = places->offset[i];
        for (int k = 0; k < 3; k++) {
            at[k] = ((float)(draw(&seed) % 4096) / 4096.0f * 2 - 0.5f) * (float)sides[k];
            if (normalised)
                at[k] /= (float)sides[k];
        }
        at[3] = (float)(draw(&seed) % 500 * 0.01f) - 0.5f;
        for (int k = 0; k < 3; k++)
            offset[k] = (int)(draw(&seed) % 17) - 8;
        if (i % 61 == 60) {
            const int value = far[draw(&seed) % 8];
            offset[draw(&seed) % 3] = value;
        }
        offset[3] = (int)(draw(&seed) % 7) - 1;
    }
}

static void copy_to(cudaArray_t array, const void *bytes, int texel, int width, int height,
                    int depth)
{
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr((void *)bytes, (size_t)width * texel, width, height);
    p.dstArray = array;
    p.extent = make_cudaExtent(width, height, depth);
    p.kind = cudaMemcpyHostToDevice;
    CHECK_CUDA(cudaMemcpy3D(&p));
}

static cudaArray_t draw_array(cudaChannelFormatDesc f, const shape &s, unsigned seed)
{
    cudaArray_t array;
    const int texel = (f.x + f.y + f.z + f.w) / 8, height = side(s.height), depth = side(s.depth);
    std::vector<unsigned char> bytes((size_t)s.width * height * depth * texel);
    CHECK_CUDA(cudaMalloc3DArray(&array, &f, make_cudaExtent(s.width, s.height, s.depth), s.flags));
    for (auto &b : bytes)
        b = (unsigned char)draw(&seed);
    for (size_t i = 0; f.f == cudaChannelFormatKindFloat && i * (f.x / 8) < bytes.size(); i++) {
        const float value = (float)((int)(draw(&seed) % 2001) - 1000) * 0.0123f;
        if (f.x == 32) {
            memcpy(&bytes[i * 4], &value, 4);
        } else { /* neither infinite nor tiny */
            const unsigned half = 0x2c00 + draw(&seed) % 0x1800;
            const unsigned short signed_half = (unsigned short)(half + (draw(&seed) & 1) * 0x8000u);
            memcpy(&bytes[i * 2], &signed_half, 2);
        }
    }
    copy_to(array, bytes.data(), texel, s.width, height, depth);
    return array;
}

static cudaMipmappedArray_t draw_levels(const shape &s)
{
    const cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    const bool layered = s.flags & cudaArrayLayered;
    cudaMipmappedArray_t whole;
    CHECK_CUDA(cudaMallocMipmappedArray(&whole, &f, make_cudaExtent(s.width, s.height, s.depth), 4,
                                        s.flags));
    for (int l = 0; l < 4; l++) {
        cudaArray_t level;
        unsigned seed = l + 3;
        CHECK_CUDA(cudaGetMipmappedArrayLevel(&level, whole, l));
        const int height = side(s.height >> l), depth = layered ? s.depth : side(s.depth >> l);
        std::vector<float> texels((size_t)(s.width >> l) * height * depth);
        for (auto &x : texels)
            x = (float)(draw(&seed) % 1000) * 0.01f;
        copy_to(level, texels.data(), 4, s.width >> l, height, depth);
    }
    return whole;
}

static cudaTextureObject_t make_texture(cudaResourceDesc r, bool linear, int mode, bool normalised,
                                        bool reads_floats)
{
    static const float border[] = {0.25f, -3, 0.7f, 1};
    cudaTextureObject_t texture;
    cudaTextureDesc t = {};
    for (int i = 0; i < 3; i++)
        t.addressMode[i] = (cudaTextureAddressMode)mode;
    memcpy(t.borderColor, border, sizeof border);
    t.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
    t.mipmapFilterMode = cudaFilterModeLinear;
    t.maxMipmapLevelClamp = 3;
    t.normalizedCoords = normalised;
    t.readMode = reads_floats ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
    CHECK_CUDA(cudaCreateTextureObject(&texture, &r, &t, NULL));
    return texture;
}

static cudaResourceDesc of_array(cudaArray_t array)
{
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = array;
    return r;
}

static void check_hash(const std::string &what, u64 sum, u64 recorded)
{
    if (sum != recorded && check_failures++ < 20)
        printf("%s: 0x%016llx, not 0x%016llx\n", what.c_str(), sum, recorded);
}

/* --- what is read
 * --------------------------------------------------------------------------------------------------
 */

/* The coordinates and the offset of a geometry, as PTX writes them. */
static const struct {
    struct shape shape, levels;
    const char *at, *texel, *offset, *gradient;
} geometries[] = {
    {{"1d", 37, 0, 0, 0}, {"1d", 32, 0, 0, 0}, "{%f0}", "{%r8}", "{%r5}", "{%f4}"},
    {{"2d", 17, 11, 0, 0},
     {"2d", 32, 16, 0, 0},
     "{%f0, %f1}",
     "{%r8, %r9}",
     "{%r5, %r6}",
     "{%f4, %f4}"},
    {{"3d", 7, 5, 6, 0},
     {"3d", 32, 16, 8, 0},
     "{%f0, %f1, %f2, %f2}",
     "{%r8, %r9, %r10, %r10}",
     "{%r5, %r6, %r7, %r7}",
     "{%f4, %f4, %f4, %f4}"},
    {{"a1d", 17, 0, 5, cudaArrayLayered},
     {"a1d", 32, 0, 5, cudaArrayLayered},
     "{%r4, %f0}",
     "{%r4, %r8}",
     "{%r5}",
     "{%f4}"},
    {{"a2d", 17, 11, 5, cudaArrayLayered},
     {"a2d", 32, 16, 5, cudaArrayLayered},
     "{%r4, %f0, %f1, %f1}",
     "{%r4, %r8, %r9, %r9}",
     "{%r5, %r6}",
     "{%f4, %f4}"},
};
static const char *const four = "{%r0, %r1, %r2, %r3}";

/* Without an offset, with one, and with one at integer coordinates. */
static void test_offsets(void)
{
    static const u64 recorded[][3] = {
        {0x973be4f4030254b8, 0x99894f422ad76502, 0x837b4ff190e464a0},
        {0xb6ad6e7dcdc3d87d, 0x33881e1aedce1208, 0x23fde22c211cd11d},
        {0xfdbff825a4b6d176, 0x6b31a5fa051cb26a, 0xfdeb8f40ada7564c},
        {0x9c86b305b1fa2cf5, 0x6e0e36dd129b6e80, 0xde8d54b5ccba3a84},
        {0x82254458e195a1cc, 0xd31462d4d4f638ff, 0xeb1c9e2f70d82171},
    };
    for (int g = 0; g < 5; g++) {
        const auto &form = geometries[g];
        const std::string begin = std::string("tex.") + form.shape.geometry + ".v4.f32.";
        const CUfunction plain = compile(begin + "f32 " + four + ", [%rd0, " + form.at + "];"),
                         shifted = compile(begin + "f32 " + four + ", [%rd0, " + form.at + "], " +
                                           form.offset + ";"),
                         texels = compile(begin + "s32 " + four + ", [%rd0, " + form.texel + "], " +
                                          form.offset + ";");
        const cudaArray_t array = draw_array(cudaCreateChannelDesc<float>(), form.shape, 5);
        u64 sum[3] = {0};
        for (int i = 0; i < 16; i++) {
            const int mode = i / 4, linear = i / 2 % 2, normalised = i % 2;
            if (!normalised && mode % 2 == 0)
                continue; /* repetition needs normalised coordinates */
            const cudaTextureObject_t texture =
                make_texture(of_array(array), linear, mode, normalised, false);
            draw_places(form.shape, normalised, 100 + mode);
            sum[0] = sum[0] * 31 + hash_of(plain, texture);
            sum[1] = sum[1] * 31 + hash_of(shifted, texture);
            if (!linear && !normalised)
                sum[2] = sum[2] * 31 + hash_of(texels, texture);
            CHECK_CUDA(cudaDestroyTextureObject(texture));
        }
        for (int i = 0; i < 3; i++)
            check_hash(begin + std::to_string(i), sum[i], recorded[g][i]);
        CHECK_CUDA(cudaFreeArray(array));
    }
}

/* With a named level, and with gradients. */
static void test_levels(void)
{
    static const u64 recorded[][2] = {
        {0xe53ceb463641987e, 0x63d76bfc64fc2f31}, {0xb4b4f4be17215272, 0x6361d9e80dd68850},
        {0x420a7a75b0c15d95, 0x7c9fe3fbfa26f85e}, {0x1297a0774cc9cfaf, 0x38ab06ad51275054},
        {0x2a33f44ff62d98c6, 0xadb00fde12a4b879},
    };
    for (int g = 0; g < 5; g++) {
        const auto &form = geometries[g];
        const std::string end = std::string(".v4.f32.f32 ") + four + ", [%rd0, " + form.at + "], ";
        const std::string name = form.shape.geometry, gradient = form.gradient;
        const CUfunction level = compile("tex.level." + name + end + "%f3, " + form.offset + ";"),
                         graded = compile("tex.grad." + name + end + gradient + ", " + gradient +
                                          ", " + form.offset + ";");
        cudaResourceDesc r = {};
        r.resType = cudaResourceTypeMipmappedArray;
        r.res.mipmap.mipmap = draw_levels(form.levels);
        u64 sum[2] = {0};
        for (int i = 0; i < 8; i++) {
            const cudaTextureObject_t texture = make_texture(r, i % 2, i / 2, true, false);
            draw_places(form.levels, true, 200 + i / 2);
            sum[0] = sum[0] * 31 + hash_of(level, texture);
            sum[1] = sum[1] * 31 + hash_of(graded, texture);
            CHECK_CUDA(cudaDestroyTextureObject(texture));
        }
        check_hash("tex.level." + name, sum[0], recorded[g][0]);
        check_hash("tex.grad." + name, sum[1], recorded[g][1]);
        CHECK_CUDA(cudaFreeMipmappedArray(r.res.mipmap.mipmap));
    }
}

/* One instruction at both filters and all address modes. */
static void test_instruction(cudaArray_t array, const shape &s, unsigned seed,
                             const std::string &text, u64 recorded)
{
    const CUfunction kernel = compile(text);
    u64 sum = 0;
    for (int i = 0; i < 8; i++) {
        const cudaTextureObject_t texture =
            make_texture(of_array(array), i % 2, i / 2, true, false);
        draw_places(s, true, seed + i / 2);
        sum = sum * 31 + hash_of(kernel, texture);
        CHECK_CUDA(cudaDestroyTextureObject(texture));
    }
    check_hash(text, sum, recorded);
}

static void test_forms(void)
{
    static const struct {
        const char *text;
        u64 recorded;
    } images[] =
        {
            {"tld4.r.2d.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%rd0, {%f0, %f1}], {%r5, %r6};",
             0x2c430e6822cb6ec0},
            {"tld4.g.2d.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%rd0, {%f0, %f1}], {%r5, %r6};",
             0x972c8899409e5840},
            {"tex.2d.v4.f32.f32 {%r0, %r1, %r2, %r3}|%q, [%rd0, {%f0, %f1}]; selp.u32 %r3, 7, 9, "
             "%q;",
             0xbe33c2d6d3d0add2},
            {"tld4.r.2d.v4.f32.f32 {%r0, %r1, %r2, %r3}|%q, [%rd0, {%f0, %f1}]; selp.u32 %r3, 7, "
             "9, %q;",
             0x75ae08b458ca1b20},
            {"tex.2d.v4.f32.f32 {%r0, %r1, %r2, %r3}|%q, [%rd0, {%f0, %f1}], {%r5, %r6}; selp.u32 "
             "%r3, 7, 9, %q;",
             0x8f50daa4743118d9},
            {"tex.2d.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%rd0, {%f0, %f1}], %f2;",
             0x8f28df6717613f8a},
            {"tex.2d.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%rd0, {%f0, %f1}], {%r5, %r6}, %f2;",
             0xf34e969801363415},
            {"tld4.r.2d.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%rd0, {%f0, %f1}], %f2;",
             0xe2cd8c0e6879dfe0},
            {"tld4.r.2d.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%rd0, {%f0, %f1}], {%r5, %r6}, %f2;",
             0x2c430e6822cb6ec0},
        },
      layers[] = {
          {"tld4.r.a2d.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%rd0, {%r4, %f0, %f1, %f1}];",
           0x539cc192f190c9e0},
          {"tld4.r.a2d.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%rd0, {%r4, %f0, %f1, %f1}], {%r5, %r6};",
           0x66e5a80aa87cc300},
          {"tex.a2d.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%rd0, {%r4, %f0, %f1, %f1}], %f3;",
           0xb017ba25c9aeff19},
      };
    const shape image = {"2d", 17, 11, 0, cudaArrayTextureGather},
                layered = {"a2d", 17, 11, 5, cudaArrayLayered};
    const cudaArray_t of_two = draw_array(cudaCreateChannelDesc<float2>(), image, 9),
                      of_layers = draw_array(cudaCreateChannelDesc<float>(), layered, 9);
    for (const auto &i : images)
        test_instruction(of_two, image, 300, i.text, i.recorded);
    for (const auto &l : layers)
        test_instruction(of_layers, layered, 400, l.text, l.recorded);
    CHECK_CUDA(cudaFreeArray(of_two));
    CHECK_CUDA(cudaFreeArray(of_layers));
}

static void test_cubes(void)
{
    static const struct {
        const char *text;
        bool layered;
        u64 recorded;
    } forms[] = {
        {"tld4.r.cube.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%rd0, {%f0, %f1, %f2, %f2}];", false,
         0xb9b3a2b37fce8ea0},
        {"tld4.r.acube.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%rd0, {%r4, %f0, %f1, %f2}];", true,
         0xaf98362599a54040},
    };
    unsigned seed = 77;
    for (int i = 0; i < READS; i++) {
        draw(&seed);
        for (int k = 2; k >= 0; k--)
            places->at[i][k] = (float)((int)(draw(&seed) % 2001) * 0.001f - 1);
        places->at[i][3] = 0;
        places->offset[i][0] = places->offset[i][1] = places->offset[i][2] = 0;
        places->offset[i][3] = (int)(draw(&seed) % 5) - 1;
    }
    for (const auto &f : forms) {
        const shape s = {"cube", 8, 8, f.layered ? 12 : 6,
                         cudaArrayCubemap | (f.layered ? cudaArrayLayered : 0u)};
        const cudaArray_t array = draw_array(cudaCreateChannelDesc<float>(), s, 9);
        const CUfunction kernel = compile(f.text);
        u64 sum = 0;
        for (int linear = 0; linear < 2; linear++) {
            const cudaTextureObject_t texture =
                make_texture(of_array(array), linear, 1, true, false);
            sum = sum * 31 + hash_of(kernel, texture);
            CHECK_CUDA(cudaDestroyTextureObject(texture));
        }
        check_hash(f.text, sum, f.recorded);
        CHECK_CUDA(cudaFreeArray(array));
    }
}

/* Halves of halves, of bytes and of 16-bit numbers read as floats, and of floats. */
static void test_halves(void)
{
    const shape s = {"2d", 17, 11, 0, 0};
    const cudaChannelFormatDesc formats[] = {
        cudaCreateChannelDesc(16, 16, 16, 16, cudaChannelFormatKindFloat),
        cudaCreateChannelDesc<uchar4>(), cudaCreateChannelDesc<float4>(),
        cudaCreateChannelDesc<short4>()};
    static const u64 recorded[2] = {0xda2f0e6ef5e75dc1, 0xda2f0e6ef5e75dc1};
    const CUfunction pairs = compile("tex.2d.v2.f16x2.f32 {%r0, %r1}, [%rd0, {%f0, %f1}];"),
                     halves =
                         compile("tex.2d.v4.f16.f32 {%h0, %h1, %h2, %h3}, [%rd0, {%f0, %f1}];\n"
                                 "mov.b32 %r0, {%h0, %h1}; mov.b32 %r1, {%h2, %h3};");
    u64 sum[2] = {0};
    draw_places(s, true, 31);
    for (int i = 0; i < 4; i++) {
        const cudaArray_t array = draw_array(formats[i], s, 4);
        const cudaTextureObject_t texture =
            make_texture(of_array(array), true, i == 2 ? 3 : 1, true, i % 2);
        sum[0] = sum[0] * 31 + hash_of(pairs, texture);
        sum[1] = sum[1] * 31 + hash_of(halves, texture);
        CHECK_CUDA(cudaDestroyTextureObject(texture));
        CHECK_CUDA(cudaFreeArray(array));
    }
    check_hash("tex.v2.f16x2", sum[0], recorded[0]);
    check_hash("tex.v4.f16", sum[1], recorded[1]);
}

int main()
{
    CHECK_CUDA(cudaMallocManaged(&places, sizeof *places));
    CHECK_CUDA(cudaMallocManaged(&results, READS * sizeof *results));
    test_offsets();
    test_levels();
    test_forms();
    test_cubes();
    test_halves();
    return check_done();
}
