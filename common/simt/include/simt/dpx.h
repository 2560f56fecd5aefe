/* simt/dpx.h - the sums and extremes of dynamic programming (DPX): of two and three values, of a
 * sum and a value, which of two it was, and with _relu not below zero; for words and for two halves
 * of a word at once. On the host as well. */
#ifndef SIMT_DPX_H
#define SIMT_DPX_H

#include "device.h"

#define SIMT_PICK(operation, a, b) ((a)operation(b) ? (a) : (b))

/* Of words. type: int or unsigned int. */
#define SIMT_WORDS(word, operation, type, suffix)                                                  \
    SIMT_BOTH type __vi##word##3_##suffix(type a, type b, type c)                                  \
    {                                                                                              \
        type m = SIMT_PICK(operation, a, b);                                                       \
        return SIMT_PICK(operation, m, c);                                                         \
    }                                                                                              \
    SIMT_BOTH type __viadd##word##_##suffix(type a, type b, type c)                                \
    {                                                                                              \
        type sum = (type)((unsigned int)a + (unsigned int)b);                                      \
        return SIMT_PICK(operation, sum, c);                                                       \
    }                                                                                              \
    SIMT_BOTH type __vib##word##_##suffix(type a, type b, bool *first)                             \
    {                                                                                              \
        *first = a operation## = b;                                                                \
        return SIMT_PICK(operation, a, b);                                                         \
    }
SIMT_WORDS(max, >, int, s32)
SIMT_WORDS(min, <, int, s32)
SIMT_WORDS(max, >, unsigned int, u32)
SIMT_WORDS(min, <, unsigned int, u32)
#undef SIMT_WORDS

/* Of halves: type is short or unsigned short; sums wrap around within them. */
#define SIMT_HALVES(word, operation, type, suffix)                                                 \
    SIMT_BOTH type simt_##word##_##suffix(type a, type b) { return SIMT_PICK(operation, a, b); }   \
    SIMT_BOTH unsigned int __vi##word##3_##suffix(unsigned int a, unsigned int b, unsigned int c)  \
    {                                                                                              \
        unsigned int result = 0;                                                                   \
        for (int i = 0; i < 32; i += 16) {                                                         \
            type m = simt_##word##_##suffix((type)(a >> i), (type)(b >> i));                       \
            result |= (unsigned int)(unsigned short)simt_##word##_##suffix(m, (type)(c >> i))      \
                      << i;                                                                        \
        }                                                                                          \
        return result;                                                                             \
    }                                                                                              \
    SIMT_BOTH unsigned int __viadd##word##_##suffix(unsigned int a, unsigned int b,                \
                                                    unsigned int c)                                \
    {                                                                                              \
        unsigned int result = 0;                                                                   \
        for (int i = 0; i < 32; i += 16) {                                                         \
            type sum = (type)((a >> i) + (b >> i));                                                \
            result |= (unsigned int)(unsigned short)simt_##word##_##suffix(sum, (type)(c >> i))    \
                      << i;                                                                        \
        }                                                                                          \
        return result;                                                                             \
    }                                                                                              \
    SIMT_BOTH unsigned int __vib##word##_##suffix(unsigned int a, unsigned int b,                  \
                                                  bool *first_high, bool *first_low)               \
    {                                                                                              \
        *first_high = (type)(a >> 16) operation## = (type)(b >> 16);                               \
        *first_low = (type)a operation## = (type)b;                                                \
        return __vi##word##3_##suffix(a, b, b);                                                    \
    }
SIMT_HALVES(max, >, short, s16x2)
SIMT_HALVES(min, <, short, s16x2)
SIMT_HALVES(max, >, unsigned short, u16x2)
SIMT_HALVES(min, <, unsigned short, u16x2)
#undef SIMT_HALVES

/* With _relu. */
#define SIMT_RELU(name, word, type, zero, parameters, arguments)                                   \
    SIMT_BOTH type name##_relu parameters { return zero(name arguments); }
SIMT_BOTH int simt_relu(int v) { return v > 0 ? v : 0; }
SIMT_BOTH unsigned int simt_relu_s16x2(unsigned int v) { return __vimax3_s16x2(v, 0, 0); }
#define SIMT_RELUS(word)                                                                           \
    SIMT_RELU(__vi##word##3_s32, word, int, simt_relu, (int a, int b, int c), (a, b, c))           \
    SIMT_RELU(__viadd##word##_s32, word, int, simt_relu, (int a, int b, int c), (a, b, c))         \
    SIMT_BOTH int __vi##word##_s32_relu(int a, int b)                                              \
    {                                                                                              \
        return simt_relu(__vi##word##3_s32(a, b, b));                                              \
    }                                                                                              \
    SIMT_RELU(__vi##word##3_s16x2, word, unsigned int, simt_relu_s16x2,                            \
              (unsigned int a, unsigned int b, unsigned int c), (a, b, c))                         \
    SIMT_RELU(__viadd##word##_s16x2, word, unsigned int, simt_relu_s16x2,                          \
              (unsigned int a, unsigned int b, unsigned int c), (a, b, c))                         \
    SIMT_BOTH unsigned int __vi##word##_s16x2_relu(unsigned int a, unsigned int b)                 \
    {                                                                                              \
        return simt_relu_s16x2(__vi##word##3_s16x2(a, b, b));                                      \
    }
SIMT_RELUS(max)
SIMT_RELUS(min)
#undef SIMT_RELUS
#undef SIMT_RELU
#undef SIMT_PICK

#endif
