/* simt/surface.h - surf1Dread to surfCubemapLayeredwrite, for surface objects; see the CUDA C++
 * Programming Guide, "Surface Functions". x counts bytes. */
#ifndef SIMT_SURFACE_H
#define SIMT_SURFACE_H
#define __SURFACE_INDIRECT_FUNCTIONS_H__

/* What carries a value of so many bytes to and from a surface. */
template <unsigned long bytes> struct simt_carrier;
struct simt_byte_carrier {
    unsigned short half;
};
template <> struct simt_carrier<1> {
    typedef simt_byte_carrier type;
};
template <> struct simt_carrier<2> {
    typedef unsigned short type;
};
template <> struct simt_carrier<4> {
    typedef unsigned int type;
};
template <> struct simt_carrier<8> {
    typedef uint2 type;
};
template <> struct simt_carrier<16> {
    typedef uint4 type;
};

/* All moves of one geometry with one way to treat what lies outside. Assembly has no 8-bit
 * register, so bytes travel in 16 bits. */
#define SIMT_PLACE         [o] "l"(object), [x] "r"(x), [y] "r"(y), [z] "r"(z)
#define SIMT_UNPACKED(...) __VA_ARGS__
#define SIMT_SURFACE_MOVE(geometry, place, outside, type, bits, registers, read_to, written)       \
    SIMT_DEVICE void read(type *v, cudaSurfaceObject_t object, int x, int y, int z)                \
    {                                                                                              \
        asm volatile("suld.b." geometry "." bits "." #outside " {" registers "}, [%[o], " place    \
                     "];"                                                                          \
                     : SIMT_UNPACKED read_to                                                       \
                     : SIMT_PLACE);                                                                \
    }                                                                                              \
    SIMT_DEVICE void write(type v, cudaSurfaceObject_t object, int x, int y, int z)                \
    {                                                                                              \
        asm volatile("sust.b." geometry "." bits "." #outside " [%[o], " place "], {" registers    \
                     "};"                                                                          \
                     :                                                                             \
                     : SIMT_UNPACKED written, SIMT_PLACE                                           \
                     : "memory");                                                                  \
    }
#define SIMT_SURFACE_MOVES(name, geometry, place, outside)                                         \
    struct simt_##name##_##outside {                                                               \
        SIMT_SURFACE_MOVE(geometry, place, outside, simt_byte_carrier, "b8", "%[a]",               \
                          ([a] "=h"(v->half)), ([a] "h"(v.half)))                                  \
        SIMT_SURFACE_MOVE(geometry, place, outside, unsigned short, "b16", "%[a]", ([a] "=h"(*v)), \
                          ([a] "h"(v)))                                                            \
        SIMT_SURFACE_MOVE(geometry, place, outside, unsigned int, "b32", "%[a]", ([a] "=r"(*v)),   \
                          ([a] "r"(v)))                                                            \
        SIMT_SURFACE_MOVE(geometry, place, outside, uint2, "v2.b32", "%[a], %[b]",                 \
                          ([a] "=r"(v->x), [b] "=r"(v->y)), ([a] "r"(v.x), [b] "r"(v.y)))          \
        SIMT_SURFACE_MOVE(geometry, place, outside, uint4, "v4.b32", "%[a], %[b], %[c], %[d]",     \
                          ([a] "=r"(v->x), [b] "=r"(v->y), [c] "=r"(v->z), [d] "=r"(v->w)),        \
                          ([a] "r"(v.x), [b] "r"(v.y), [c] "r"(v.z), [d] "r"(v.w)))                \
    };

/* x, y and z are what the geometry makes of them: a layer is z, or y of one with one dimension. */
#define SIMT_SURFACE(name, geometry, place)                                                        \
    SIMT_SURFACE_MOVES(name, geometry, place, trap)                                                \
    SIMT_SURFACE_MOVES(name, geometry, place, clamp)                                               \
    SIMT_SURFACE_MOVES(name, geometry, place, zero)                                                \
    template <typename T>                                                                          \
    SIMT_DEVICE T simt_read_##name(cudaSurfaceObject_t object, int x, int y, int z,                \
                                   cudaSurfaceBoundaryMode mode)                                   \
    {                                                                                              \
        typename simt_carrier<sizeof(T)>::type carrier;                                            \
        T value;                                                                                   \
        if (mode == cudaBoundaryModeZero) {                                                        \
            simt_##name##_zero::read(&carrier, object, x, y, z);                                   \
        } else if (mode == cudaBoundaryModeClamp) {                                                \
            simt_##name##_clamp::read(&carrier, object, x, y, z);                                  \
        } else {                                                                                   \
            simt_##name##_trap::read(&carrier, object, x, y, z);                                   \
        }                                                                                          \
        __builtin_memcpy(&value, &carrier, sizeof value);                                          \
        return value;                                                                              \
    }                                                                                              \
    template <typename T>                                                                          \
    SIMT_DEVICE void simt_write_##name(T value, cudaSurfaceObject_t object, int x, int y, int z,   \
                                       cudaSurfaceBoundaryMode mode)                               \
    {                                                                                              \
        typename simt_carrier<sizeof(T)>::type carrier = {};                                       \
        __builtin_memcpy(&carrier, &value, sizeof value);                                          \
        if (mode == cudaBoundaryModeZero) {                                                        \
            simt_##name##_zero::write(carrier, object, x, y, z);                                   \
        } else if (mode == cudaBoundaryModeClamp) {                                                \
            simt_##name##_clamp::write(carrier, object, x, y, z);                                  \
        } else {                                                                                   \
            simt_##name##_trap::write(carrier, object, x, y, z);                                   \
        }                                                                                          \
    }

SIMT_SURFACE(1d, "1d", "{%[x]}")
SIMT_SURFACE(2d, "2d", "{%[x], %[y]}")
SIMT_SURFACE(3d, "3d", "{%[x], %[y], %[z], %[z]}")
SIMT_SURFACE(a1d, "a1d", "{%[y], %[x]}")
SIMT_SURFACE(a2d, "a2d", "{%[z], %[x], %[y], %[y]}")

/* CUDA's functions: PREFIXread and PREFIXwrite, with a value or a pointer to it. */
#define SIMT_SURFACE_FUNCTIONS(prefix, name, parameters, x, y, z)                                  \
    template <typename T>                                                                          \
    SIMT_DEVICE T prefix##read(cudaSurfaceObject_t object, SIMT_UNPACKED parameters,               \
                               cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)                \
    {                                                                                              \
        return simt_read_##name<T>(object, x, y, z, mode);                                         \
    }                                                                                              \
    template <typename T>                                                                          \
    SIMT_DEVICE void prefix##read(T *value, cudaSurfaceObject_t object, SIMT_UNPACKED parameters,  \
                                  cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)             \
    {                                                                                              \
        *value = simt_read_##name<T>(object, x, y, z, mode);                                       \
    }                                                                                              \
    template <typename T>                                                                          \
    SIMT_DEVICE void prefix##write(T value, cudaSurfaceObject_t object, SIMT_UNPACKED parameters,  \
                                   cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)            \
    {                                                                                              \
        simt_write_##name<T>(value, object, x, y, z, mode);                                        \
    }

SIMT_SURFACE_FUNCTIONS(surf1D, 1d, (int x), x, 0, 0)
SIMT_SURFACE_FUNCTIONS(surf2D, 2d, (int x, int y), x, y, 0)
SIMT_SURFACE_FUNCTIONS(surf3D, 3d, (int x, int y, int z), x, y, z)
SIMT_SURFACE_FUNCTIONS(surf1DLayered, a1d, (int x, int layer), x, layer, 0)
SIMT_SURFACE_FUNCTIONS(surf2DLayered, a2d, (int x, int y, int layer), x, y, layer)
SIMT_SURFACE_FUNCTIONS(surfCubemap, a2d, (int x, int y, int face), x, y, face)
SIMT_SURFACE_FUNCTIONS(surfCubemapLayered, a2d, (int x, int y, int layer_face), x, y, layer_face)

#undef SIMT_SURFACE_FUNCTIONS
#undef SIMT_UNPACKED
#undef SIMT_SURFACE
#undef SIMT_SURFACE_MOVES
#undef SIMT_SURFACE_MOVE
#undef SIMT_PLACE

#endif
