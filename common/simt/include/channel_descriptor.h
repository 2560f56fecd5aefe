/* channel_descriptor.h - cudaCreateChannelDesc<T>(): the format of an array of T. */
#ifndef SIMT_CHANNEL_DESCRIPTOR_H
#define SIMT_CHANNEL_DESCRIPTOR_H
#define __CHANNEL_DESCRIPTOR_H__

#include "cuda_runtime_api.h"
#include "vector_types.h"

#ifdef __cplusplus
template <class T> inline cudaChannelFormatDesc cudaCreateChannelDesc()
{
    return cudaCreateChannelDesc(0, 0, 0, 0, cudaChannelFormatKindNone);
}

inline cudaChannelFormatDesc simt_channels(int bits, int count, cudaChannelFormatKind kind)
{
    return cudaCreateChannelDesc(bits, count > 1 ? bits : 0, count > 2 ? bits : 0,
                                 count > 3 ? bits : 0, kind);
}

#define SIMT_CHANNEL(type, bits, count, kind)                                                      \
    template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<type>()                         \
    {                                                                                              \
        return simt_channels(bits, count, cudaChannelFormatKind##kind);                            \
    }
#define SIMT_CHANNELS(type, bits, kind)                                                            \
    SIMT_CHANNEL(type##1, bits, 1, kind)                                                           \
    SIMT_CHANNEL(type##2, bits, 2, kind)                                                           \
    SIMT_CHANNEL(type##4, bits, 4, kind)
SIMT_CHANNEL(char, 8, 1, Signed)
SIMT_CHANNEL(signed char, 8, 1, Signed)
SIMT_CHANNEL(unsigned char, 8, 1, Unsigned)
SIMT_CHANNEL(short, 16, 1, Signed)
SIMT_CHANNEL(unsigned short, 16, 1, Unsigned)
SIMT_CHANNEL(int, 32, 1, Signed)
SIMT_CHANNEL(unsigned int, 32, 1, Unsigned)
SIMT_CHANNEL(float, 32, 1, Float)
SIMT_CHANNELS(char, 8, Signed)
SIMT_CHANNELS(uchar, 8, Unsigned)
SIMT_CHANNELS(short, 16, Signed)
SIMT_CHANNELS(ushort, 16, Unsigned)
SIMT_CHANNELS(int, 32, Signed)
SIMT_CHANNELS(uint, 32, Unsigned)
SIMT_CHANNELS(float, 32, Float)
#undef SIMT_CHANNEL
#undef SIMT_CHANNELS

inline cudaChannelFormatDesc cudaCreateChannelDescHalf(void)
{
    return simt_channels(16, 1, cudaChannelFormatKindFloat);
}
inline cudaChannelFormatDesc cudaCreateChannelDescHalf1(void) { return cudaCreateChannelDescHalf(); }
inline cudaChannelFormatDesc cudaCreateChannelDescHalf2(void)
{
    return simt_channels(16, 2, cudaChannelFormatKindFloat);
}
inline cudaChannelFormatDesc cudaCreateChannelDescHalf4(void)
{
    return simt_channels(16, 4, cudaChannelFormatKindFloat);
}
#endif

#endif
