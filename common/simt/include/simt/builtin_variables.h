/* simt/builtin_variables.h - threadIdx, blockIdx, blockDim, gridDim, warpSize.
 *
 * Each is an object without storage whose members are properties: reading threadIdx.x calls a
 * getter that reads the special register %tid.x. Nothing can be written; a copy (auto i = threadIdx)
 * reads the same registers. */
#ifndef SIMT_BUILTIN_VARIABLES_H
#define SIMT_BUILTIN_VARIABLES_H

#include "../vector_types.h"
#include "device.h"

#define SIMT_GETTER __attribute__((device, always_inline, nodebug)) static __inline__

#define SIMT_SPECIAL_REGISTER(type, prefix)                                                        \
    struct type {                                                                                  \
        typedef unsigned int simt_coordinates; /* a dim3 can be made from it */                    \
        __declspec(property(get = read_x)) unsigned int x;                                         \
        __declspec(property(get = read_y)) unsigned int y;                                         \
        __declspec(property(get = read_z)) unsigned int z;                                         \
        SIMT_GETTER unsigned int read_x() { return __nvvm_read_ptx_sreg_##prefix##_x(); }          \
        SIMT_GETTER unsigned int read_y() { return __nvvm_read_ptx_sreg_##prefix##_y(); }          \
        SIMT_GETTER unsigned int read_z() { return __nvvm_read_ptx_sreg_##prefix##_z(); }          \
        __attribute__((device, always_inline, nodebug)) operator uint3() const                     \
        {                                                                                          \
            return uint3{read_x(), read_y(), read_z()};                                            \
        }                                                                                          \
        __attribute__((device)) type() = delete;                                                   \
        __attribute__((device, always_inline, nodebug)) type(const type &) {}                      \
        __attribute__((device)) void operator=(const type &) const = delete;                       \
        __attribute__((device)) type *operator&() const = delete;                                  \
    };

SIMT_SPECIAL_REGISTER(simt_thread_idx, tid)
SIMT_SPECIAL_REGISTER(simt_block_idx, ctaid)
SIMT_SPECIAL_REGISTER(simt_block_dim, ntid)
SIMT_SPECIAL_REGISTER(simt_grid_dim, nctaid)

#undef SIMT_SPECIAL_REGISTER
#undef SIMT_GETTER

extern const __attribute__((device, weak)) simt_thread_idx threadIdx;
extern const __attribute__((device, weak)) simt_block_idx blockIdx;
extern const __attribute__((device, weak)) simt_block_dim blockDim;
extern const __attribute__((device, weak)) simt_grid_dim gridDim;
__attribute__((device)) static const int warpSize = 32;

#endif
