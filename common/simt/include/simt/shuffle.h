/* simt/shuffle.h - __shfl_sync, __shfl_up_sync, __shfl_down_sync, __shfl_xor_sync.
 *
 * The hardware shuffles 32-bit words; a 64-bit value goes as two. The last operand of the PTX
 * instruction packs the segment mask (32 - width, bits 8 to 12) and the clamp: lane 31 of a
 * segment bounds idx, down and xor, lane 0 bounds up. */
#ifndef SIMT_SHUFFLE_H
#define SIMT_SHUFFLE_H

#include "device.h"

SIMT_DEVICE int __simt_shfl_word_idx(unsigned int mask, int value, int lane, int width)
{
    return __nvvm_shfl_sync_idx_i32(mask, value, lane, ((32 - width) << 8) | 31);
}
SIMT_DEVICE int __simt_shfl_word_up(unsigned int mask, int value, int delta, int width)
{
    return __nvvm_shfl_sync_up_i32(mask, value, delta, (32 - width) << 8);
}
SIMT_DEVICE int __simt_shfl_word_down(unsigned int mask, int value, int delta, int width)
{
    return __nvvm_shfl_sync_down_i32(mask, value, delta, ((32 - width) << 8) | 31);
}
SIMT_DEVICE int __simt_shfl_word_bfly(unsigned int mask, int value, int lanes, int width)
{
    return __nvvm_shfl_sync_bfly_i32(mask, value, lanes, ((32 - width) << 8) | 31);
}

/* 64-bit values, made of the 32-bit ones. */
#define SIMT_SHUFFLE_WIDE(mode)                                                                    \
    SIMT_DEVICE unsigned long long __simt_shfl_wide_##mode(                                        \
        unsigned int mask, unsigned long long value, int lane, int width)                          \
    {                                                                                              \
        unsigned int low = (unsigned int)__simt_shfl_word_##mode(mask, (int)value, lane, width);   \
        unsigned int high =                                                                        \
            (unsigned int)__simt_shfl_word_##mode(mask, (int)(value >> 32), lane, width);          \
        return ((unsigned long long)high << 32) | low;                                             \
    }

SIMT_SHUFFLE_WIDE(idx)
SIMT_SHUFFLE_WIDE(up)
SIMT_SHUFFLE_WIDE(down)
SIMT_SHUFFLE_WIDE(bfly)

#define SIMT_SHUFFLE(name, lane_type, mode, type, bits, size)                                      \
    SIMT_DEVICE type name(unsigned int mask, type value, lane_type lane, int width = 32)           \
    {                                                                                              \
        return __builtin_bit_cast(                                                                 \
            type,                                                                                  \
            __simt_shfl_##size##_##mode(mask, __builtin_bit_cast(bits, value), (int)lane, width)); \
    }

#define SIMT_SHUFFLES(type, bits, size)                                                            \
    SIMT_SHUFFLE(__shfl_sync, int, idx, type, bits, size)                                          \
    SIMT_SHUFFLE(__shfl_up_sync, unsigned int, up, type, bits, size)                               \
    SIMT_SHUFFLE(__shfl_down_sync, unsigned int, down, type, bits, size)                           \
    SIMT_SHUFFLE(__shfl_xor_sync, int, bfly, type, bits, size)

SIMT_SHUFFLES(int, int, word)
SIMT_SHUFFLES(unsigned int, int, word)
SIMT_SHUFFLES(float, int, word)
SIMT_SHUFFLES(long, unsigned long long, wide)
SIMT_SHUFFLES(unsigned long, unsigned long long, wide)
SIMT_SHUFFLES(long long, unsigned long long, wide)
SIMT_SHUFFLES(unsigned long long, unsigned long long, wide)
SIMT_SHUFFLES(double, unsigned long long, wide)

#undef SIMT_SHUFFLES
#undef SIMT_SHUFFLE
#undef SIMT_SHUFFLE_WIDE

#endif
