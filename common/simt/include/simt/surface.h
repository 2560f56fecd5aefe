/* simt/surface.h - surf1Dread to surfCubemapLayeredwrite, for surface objects; see the CUDA C++
 * Programming Guide, "Surface Functions". x counts bytes. */
#ifndef SIMT_SURFACE_H
#define SIMT_SURFACE_H
#define __SURFACE_INDIRECT_FUNCTIONS_H__

/* What carries a value of so many bytes to and from a surface. */
template <unsigned long bytes> struct simt_carrier;
template <> struct simt_carrier<1> {
    typedef unsigned char type;
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

/* All moves of one geometry with one way to treat what lies outside. */
#define SIMT_PLACE [o] "l"(object), [x] "r"(x), [y] "r"(y), [z] "r"(z)
#define SIMT_SURFACE_MOVES(name, geometry, place, outside)                                         \
    struct simt_##name##_##outside {                                                               \
        SIMT_DEVICE void read(unsigned char *v, cudaSurfaceObject_t object, int x, int y, int z)   \
        {                                                                                          \
            unsigned short half;                                                                   \
            asm volatile("suld.b." geometry ".b8." #outside " {%[a]}, [%[o], " place "];"          \
                         : [a] "=h"(half)                                                          \
                         : SIMT_PLACE);                                                            \
            *v = (unsigned char)half;                                                              \
        }                                                                                          \
        SIMT_DEVICE void read(unsigned short *v, cudaSurfaceObject_t object, int x, int y, int z)  \
        {                                                                                          \
            asm volatile("suld.b." geometry ".b16." #outside " {%[a]}, [%[o], " place "];"         \
                         : [a] "=h"(*v)                                                            \
                         : SIMT_PLACE);                                                            \
        }                                                                                          \
        SIMT_DEVICE void read(unsigned int *v, cudaSurfaceObject_t object, int x, int y, int z)    \
        {                                                                                          \
            asm volatile("suld.b." geometry ".b32." #outside " {%[a]}, [%[o], " place "];"         \
                         : [a] "=r"(*v)                                                            \
                         : SIMT_PLACE);                                                            \
        }                                                                                          \
        SIMT_DEVICE void read(uint2 *v, cudaSurfaceObject_t object, int x, int y, int z)           \
        {                                                                                          \
            asm volatile("suld.b." geometry ".v2.b32." #outside " {%[a], %[b]}, [%[o], " place     \
                         "];"                                                                      \
                         : [a] "=r"(v->x), [b] "=r"(v->y)                                          \
                         : SIMT_PLACE);                                                            \
        }                                                                                          \
        SIMT_DEVICE void read(uint4 *v, cudaSurfaceObject_t object, int x, int y, int z)           \
        {                                                                                          \
            asm volatile("suld.b." geometry ".v4.b32." #outside                                    \
                         " {%[a], %[b], %[c], %[d]}, [%[o], " place "];"                           \
                         : [a] "=r"(v->x), [b] "=r"(v->y), [c] "=r"(v->z), [d] "=r"(v->w)          \
                         : SIMT_PLACE);                                                            \
        }                                                                                          \
        SIMT_DEVICE void write(unsigned char v, cudaSurfaceObject_t object, int x, int y, int z)   \
        {                                                                                          \
            asm volatile("sust.b." geometry ".b8." #outside " [%[o], " place                       \
                         "], {%[a]};" ::[a] "h"((unsigned short)v),                                \
                         SIMT_PLACE                                                                \
                         : "memory");                                                              \
        }                                                                                          \
        SIMT_DEVICE void write(unsigned short v, cudaSurfaceObject_t object, int x, int y, int z)  \
        {                                                                                          \
            asm volatile("sust.b." geometry ".b16." #outside " [%[o], " place                      \
                         "], {%[a]};" ::[a] "h"(v),                                                \
                         SIMT_PLACE                                                                \
                         : "memory");                                                              \
        }                                                                                          \
        SIMT_DEVICE void write(unsigned int v, cudaSurfaceObject_t object, int x, int y, int z)    \
        {                                                                                          \
            asm volatile("sust.b." geometry ".b32." #outside " [%[o], " place                      \
                         "], {%[a]};" ::[a] "r"(v),                                                \
                         SIMT_PLACE                                                                \
                         : "memory");                                                              \
        }                                                                                          \
        SIMT_DEVICE void write(uint2 v, cudaSurfaceObject_t object, int x, int y, int z)           \
        {                                                                                          \
            asm volatile("sust.b." geometry ".v2.b32." #outside " [%[o], " place                   \
                         "], {%[a], %[b]};" ::[a] "r"(v.x),                                        \
                         [b] "r"(v.y), SIMT_PLACE                                                  \
                         : "memory");                                                              \
        }                                                                                          \
        SIMT_DEVICE void write(uint4 v, cudaSurfaceObject_t object, int x, int y, int z)           \
        {                                                                                          \
            asm volatile("sust.b." geometry ".v4.b32." #outside " [%[o], " place                   \
                         "], {%[a], %[b], %[c], %[d]};" ::[a] "r"(v.x),                            \
                         [b] "r"(v.y), [c] "r"(v.z), [d] "r"(v.w), SIMT_PLACE                      \
                         : "memory");                                                              \
        }                                                                                          \
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
        typename simt_carrier<sizeof(T)>::type carrier;                                            \
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
#define SIMT_UNPACKED(...) __VA_ARGS__

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
#undef SIMT_PLACE

#endif
