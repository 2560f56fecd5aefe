/* simt/texture.h - tex1D to texCubemapLayered, with levels and gradients, tex1Dfetch and
 * tex2Dgather, for texture objects. Each is one PTX instruction; see the CUDA C++ Programming
 * Guide, "Texture Functions". */
#ifndef SIMT_TEXTURE_H
#define SIMT_TEXTURE_H
#define __TEXTURE_INDIRECT_FUNCTIONS_H__

/* Four channels as the instruction gives them. */
struct simt_texel {
    unsigned int channel[4];
};

/* How a type is made of them: SIMT_TEXEL(type, channels, type of one). */
template <typename T> struct simt_texel_type;
#define SIMT_TEXEL(type, ...)                                                                      \
    template <> struct simt_texel_type<type> {                                                     \
        SIMT_DEVICE type from(const simt_texel &t) { return __VA_ARGS__; }                         \
    };
#define SIMT_TEXELS(scalar, name)                                                                  \
    SIMT_TEXEL(scalar, (scalar)t.channel[0])                                                       \
    SIMT_TEXEL(name##1, make_##name##1((scalar)t.channel[0]))                                      \
    SIMT_TEXEL(name##2, make_##name##2((scalar)t.channel[0], (scalar)t.channel[1]))                \
    SIMT_TEXEL(name##4, make_##name##4((scalar)t.channel[0], (scalar)t.channel[1],                 \
                                       (scalar)t.channel[2], (scalar)t.channel[3]))
SIMT_TEXEL(char, (char)t.channel[0])
SIMT_TEXELS(signed char, char)
SIMT_TEXELS(unsigned char, uchar)
SIMT_TEXELS(short, short)
SIMT_TEXELS(unsigned short, ushort)
SIMT_TEXELS(int, int)
SIMT_TEXELS(unsigned int, uint)
SIMT_TEXEL(float, __uint_as_float(t.channel[0]))
SIMT_TEXEL(float1, make_float1(__uint_as_float(t.channel[0])))
SIMT_TEXEL(float2, make_float2(__uint_as_float(t.channel[0]), __uint_as_float(t.channel[1])))
SIMT_TEXEL(float4, make_float4(__uint_as_float(t.channel[0]), __uint_as_float(t.channel[1]),
                               __uint_as_float(t.channel[2]), __uint_as_float(t.channel[3])))
#undef SIMT_TEXELS
#undef SIMT_TEXEL

/* One function: its name, its parameters, the instruction with its operands behind the four
 * results, %4 being the object, and those operands. Both of CUDA's forms. */
#define SIMT_PARAMETERS(...) , __VA_ARGS__
#define SIMT_FETCH(name, parameters, names, instruction, place, ...)                               \
    SIMT_DEVICE simt_texel simt_##name(cudaTextureObject_t object SIMT_PARAMETERS parameters)      \
    {                                                                                              \
        simt_texel t;                                                                              \
        asm volatile(instruction " {%0, %1, %2, %3}, " place ";"                                   \
                     : "=r"(t.channel[0]), "=r"(t.channel[1]), "=r"(t.channel[2]),                 \
                       "=r"(t.channel[3])                                                          \
                     : "l"(object), __VA_ARGS__);                                                  \
        return t;                                                                                  \
    }                                                                                              \
    template <typename T>                                                                          \
    SIMT_DEVICE T name(cudaTextureObject_t object SIMT_PARAMETERS parameters)                      \
    {                                                                                              \
        return simt_texel_type<T>::from(simt_##name(object SIMT_PARAMETERS names));                \
    }                                                                                              \
    template <typename T>                                                                          \
    SIMT_DEVICE void name(T *value, cudaTextureObject_t object SIMT_PARAMETERS parameters)         \
    {                                                                                              \
        *value = simt_texel_type<T>::from(simt_##name(object SIMT_PARAMETERS names));              \
    }

/* The same with a last argument that says whether the texels are there: without sparse arrays they
 * are. tex1Dfetch has none. */
#define SIMT_FETCH_RESIDENT(name, parameters, names, instruction, place, ...)                      \
    SIMT_FETCH(name, parameters, names, instruction, place, __VA_ARGS__)                           \
    template <typename T>                                                                          \
    SIMT_DEVICE T name(cudaTextureObject_t object SIMT_PARAMETERS parameters, bool *is_resident)   \
    {                                                                                              \
        *is_resident = true;                                                                       \
        return simt_texel_type<T>::from(simt_##name(object SIMT_PARAMETERS names));                \
    }

SIMT_FETCH(tex1Dfetch, (int x), (x), "tex.1d.v4.u32.s32", "[%4, {%5}]", "r"(x))
SIMT_FETCH_RESIDENT(tex1D, (float x), (x), "tex.1d.v4.u32.f32", "[%4, {%5}]", "f"(x))
SIMT_FETCH_RESIDENT(tex2D, (float x, float y), (x, y), "tex.2d.v4.u32.f32", "[%4, {%5, %6}]",
                    "f"(x), "f"(y))
SIMT_FETCH_RESIDENT(tex3D, (float x, float y, float z), (x, y, z), "tex.3d.v4.u32.f32",
                    "[%4, {%5, %6, %7, %7}]", "f"(x), "f"(y), "f"(z))
SIMT_FETCH_RESIDENT(tex1DLayered, (float x, int layer), (x, layer), "tex.a1d.v4.u32.f32",
                    "[%4, {%5, %6}]", "r"(layer), "f"(x))
SIMT_FETCH_RESIDENT(tex2DLayered, (float x, float y, int layer), (x, y, layer),
                    "tex.a2d.v4.u32.f32", "[%4, {%5, %6, %7, %7}]", "r"(layer), "f"(x), "f"(y))
SIMT_FETCH_RESIDENT(texCubemap, (float x, float y, float z), (x, y, z), "tex.cube.v4.u32.f32",
                    "[%4, {%5, %6, %7, %7}]", "f"(x), "f"(y), "f"(z))
SIMT_FETCH_RESIDENT(texCubemapLayered, (float x, float y, float z, int layer), (x, y, z, layer),
                    "tex.acube.v4.u32.f32", "[%4, {%5, %6, %7, %8}]", "r"(layer), "f"(x), "f"(y),
                    "f"(z))

SIMT_FETCH_RESIDENT(tex1DLod, (float x, float level), (x, level), "tex.level.1d.v4.u32.f32",
                    "[%4, {%5}], %6", "f"(x), "f"(level))
SIMT_FETCH_RESIDENT(tex2DLod, (float x, float y, float level), (x, y, level),
                    "tex.level.2d.v4.u32.f32", "[%4, {%5, %6}], %7", "f"(x), "f"(y), "f"(level))
SIMT_FETCH_RESIDENT(tex3DLod, (float x, float y, float z, float level), (x, y, z, level),
                    "tex.level.3d.v4.u32.f32", "[%4, {%5, %6, %7, %7}], %8", "f"(x), "f"(y), "f"(z),
                    "f"(level))
SIMT_FETCH_RESIDENT(tex1DLayeredLod, (float x, int layer, float level), (x, layer, level),
                    "tex.level.a1d.v4.u32.f32", "[%4, {%5, %6}], %7", "r"(layer), "f"(x),
                    "f"(level))
SIMT_FETCH_RESIDENT(tex2DLayeredLod, (float x, float y, int layer, float level),
                    (x, y, layer, level), "tex.level.a2d.v4.u32.f32", "[%4, {%5, %6, %7, %7}], %8",
                    "r"(layer), "f"(x), "f"(y), "f"(level))
SIMT_FETCH_RESIDENT(texCubemapLod, (float x, float y, float z, float level), (x, y, z, level),
                    "tex.level.cube.v4.u32.f32", "[%4, {%5, %6, %7, %7}], %8", "f"(x), "f"(y),
                    "f"(z), "f"(level))
SIMT_FETCH_RESIDENT(texCubemapLayeredLod, (float x, float y, float z, int layer, float level),
                    (x, y, z, layer, level), "tex.level.acube.v4.u32.f32",
                    "[%4, {%5, %6, %7, %8}], %9", "r"(layer), "f"(x), "f"(y), "f"(z), "f"(level))

SIMT_FETCH_RESIDENT(tex1DGrad, (float x, float dx, float dy), (x, dx, dy), "tex.grad.1d.v4.u32.f32",
                    "[%4, {%5}], {%6}, {%7}", "f"(x), "f"(dx), "f"(dy))
SIMT_FETCH_RESIDENT(tex2DGrad, (float x, float y, float2 dx, float2 dy), (x, y, dx, dy),
                    "tex.grad.2d.v4.u32.f32", "[%4, {%5, %6}], {%7, %8}, {%9, %10}", "f"(x), "f"(y),
                    "f"(dx.x), "f"(dx.y), "f"(dy.x), "f"(dy.y))
SIMT_FETCH_RESIDENT(tex3DGrad, (float x, float y, float z, float4 dx, float4 dy), (x, y, z, dx, dy),
                    "tex.grad.3d.v4.u32.f32",
                    "[%4, {%5, %6, %7, %7}], {%8, %9, %10, %10}, {%11, %12, %13, %13}", "f"(x),
                    "f"(y), "f"(z), "f"(dx.x), "f"(dx.y), "f"(dx.z), "f"(dy.x), "f"(dy.y),
                    "f"(dy.z))
SIMT_FETCH_RESIDENT(tex1DLayeredGrad, (float x, int layer, float dx, float dy), (x, layer, dx, dy),
                    "tex.grad.a1d.v4.u32.f32", "[%4, {%5, %6}], {%7}, {%8}", "r"(layer), "f"(x),
                    "f"(dx), "f"(dy))
SIMT_FETCH_RESIDENT(tex2DLayeredGrad, (float x, float y, int layer, float2 dx, float2 dy),
                    (x, y, layer, dx, dy), "tex.grad.a2d.v4.u32.f32",
                    "[%4, {%5, %6, %7, %7}], {%8, %9}, {%10, %11}", "r"(layer), "f"(x), "f"(y),
                    "f"(dx.x), "f"(dx.y), "f"(dy.x), "f"(dy.y))
#undef SIMT_FETCH_RESIDENT
#undef SIMT_FETCH

/* The instruction names the channel, so each has one of its own. */
#define SIMT_GATHER(letter, number)                                                                \
    SIMT_DEVICE simt_texel simt_gather_##letter(cudaTextureObject_t object, float x, float y)      \
    {                                                                                              \
        simt_texel t;                                                                              \
        asm volatile("tld4." #letter ".2d.v4.u32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}];"            \
                     : "=r"(t.channel[0]), "=r"(t.channel[1]), "=r"(t.channel[2]),                 \
                       "=r"(t.channel[3])                                                          \
                     : "l"(object), "f"(x), "f"(y));                                               \
        return t;                                                                                  \
    }
SIMT_GATHER(r, 0)
SIMT_GATHER(g, 1)
SIMT_GATHER(b, 2)
SIMT_GATHER(a, 3)
#undef SIMT_GATHER

template <typename T>
SIMT_DEVICE T tex2Dgather(cudaTextureObject_t object, float x, float y, int channel = 0)
{
    return simt_texel_type<T>::from(channel == 0   ? simt_gather_r(object, x, y)
                                    : channel == 1 ? simt_gather_g(object, x, y)
                                    : channel == 2 ? simt_gather_b(object, x, y)
                                                   : simt_gather_a(object, x, y));
}

template <typename T>
SIMT_DEVICE void tex2Dgather(T *value, cudaTextureObject_t object, float x, float y,
                             int channel = 0)
{
    *value = tex2Dgather<T>(object, x, y, channel);
}

#endif
