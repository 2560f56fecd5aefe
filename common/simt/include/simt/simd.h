/* simt/simd.h - two halves or four bytes of a word at once (__vadd4 and the like). Written lane
 * by lane: what PTX has for some of them is only a faster way to the same bits. */
#ifndef SIMT_SIMD_H
#define SIMT_SIMD_H

#include "device.h"

/* Lane by lane: x and y are the lanes of a and b, sign- or zero-extended. */
#define SIMT_LANES(name, suffix, bits, type, expression)                                           \
    SIMT_DEVICE unsigned int name##suffix(unsigned int a, unsigned int b)                          \
    {                                                                                              \
        unsigned int result = 0, mask = (1u << bits) - 1;                                          \
        for (int i = 0; i < 32; i += bits) {                                                       \
            int x = (type)(a >> i), y = (type)(b >> i);                                            \
            (void)y;                                                                               \
            result |= ((unsigned int)(expression)&mask) << i;                                      \
        }                                                                                          \
        return result;                                                                             \
    }
#define SIMT_ONE(name, suffix)                                                                     \
    SIMT_DEVICE unsigned int name##suffix(unsigned int a) { return simt_##name##suffix(a, a); }

#define SIMT_SIGNED(name, expression)                                                              \
    SIMT_LANES(name, 2, 16, short, expression) SIMT_LANES(name, 4, 8, signed char, expression)
#define SIMT_UNSIGNED(name, expression)                                                            \
    SIMT_LANES(name, 2, 16, unsigned short, expression)                                            \
    SIMT_LANES(name, 4, 8, unsigned char, expression)
#define SIMT_OF_ONE(name, expression)                                                              \
    SIMT_SIGNED(simt_##name, expression) SIMT_ONE(name, 2) SIMT_ONE(name, 4)

/* What saturates ends at the largest and smallest value of a lane. */
#define SIMT_CLAMP(value, low, high) ((value) < (low) ? (low) : (value) > (high) ? (high) : (value))
#define SIMT_HIGH                    (int)(mask >> 1)
#define SIMT_TO_SIGNED(value)        SIMT_CLAMP(value, -SIMT_HIGH - 1, SIMT_HIGH)
#define SIMT_TO_UNSIGNED(value)      SIMT_CLAMP(value, 0, (int)mask)

SIMT_UNSIGNED(__vadd, x + y)
SIMT_SIGNED(__vaddss, SIMT_TO_SIGNED(x + y))
SIMT_UNSIGNED(__vaddus, SIMT_TO_UNSIGNED(x + y))
SIMT_UNSIGNED(__vsub, x - y)
SIMT_SIGNED(__vsubss, SIMT_TO_SIGNED(x - y))
SIMT_UNSIGNED(__vsubus, SIMT_TO_UNSIGNED(x - y))
SIMT_OF_ONE(__vabs, x < 0 ? -x : x)
SIMT_OF_ONE(__vabsss, SIMT_TO_SIGNED(x < 0 ? -x : x))
SIMT_OF_ONE(__vneg, -x)
SIMT_OF_ONE(__vnegss, SIMT_TO_SIGNED(-x))
SIMT_SIGNED(__vabsdiffs, x < y ? y - x : x - y)
SIMT_UNSIGNED(__vabsdiffu, x < y ? y - x : x - y)
SIMT_SIGNED(__vavgs, (x + y + (x + y >= 0)) >> 1)
SIMT_UNSIGNED(__vavgu, (x + y + 1) >> 1)
SIMT_UNSIGNED(__vhaddu, (x + y) >> 1)
SIMT_SIGNED(__vmaxs, x > y ? x : y)
SIMT_UNSIGNED(__vmaxu, x > y ? x : y)
SIMT_SIGNED(__vmins, x < y ? x : y)
SIMT_UNSIGNED(__vminu, x < y ? x : y)

/* __vcmp fills a lane with ones where the comparison holds, __vset makes it 1. */
#define SIMT_COMPARE(kind, word, condition)                                                        \
    kind(__vcmp##word, (condition) ? -1 : 0) kind(__vset##word, (condition) ? 1 : 0)
SIMT_COMPARE(SIMT_UNSIGNED, eq, x == y)
SIMT_COMPARE(SIMT_UNSIGNED, ne, x != y)
SIMT_COMPARE(SIMT_SIGNED, ges, x >= y)
SIMT_COMPARE(SIMT_UNSIGNED, geu, x >= y)
SIMT_COMPARE(SIMT_SIGNED, gts, x > y)
SIMT_COMPARE(SIMT_UNSIGNED, gtu, x > y)
SIMT_COMPARE(SIMT_SIGNED, les, x <= y)
SIMT_COMPARE(SIMT_UNSIGNED, leu, x <= y)
SIMT_COMPARE(SIMT_SIGNED, lts, x < y)
SIMT_COMPARE(SIMT_UNSIGNED, ltu, x < y)

/* Sums of absolute differences over the lanes. */
#define SIMT_SUM(name, difference, bits)                                                           \
    SIMT_DEVICE unsigned int name(unsigned int a, unsigned int b)                                  \
    {                                                                                              \
        unsigned int d = difference(a, b), sum = 0;                                                \
        for (int i = 0; i < 32; i += bits) {                                                       \
            sum += d >> i & ((1u << bits) - 1);                                                    \
        }                                                                                          \
        return sum;                                                                                \
    }
SIMT_SUM(__vsads2, __vabsdiffs2, 16)
SIMT_SUM(__vsads4, __vabsdiffs4, 8)
SIMT_SUM(__vsadu2, __vabsdiffu2, 16)
SIMT_SUM(__vsadu4, __vabsdiffu4, 8)

#undef SIMT_LANES
#undef SIMT_ONE
#undef SIMT_SIGNED
#undef SIMT_UNSIGNED
#undef SIMT_OF_ONE
#undef SIMT_CLAMP
#undef SIMT_HIGH
#undef SIMT_TO_SIGNED
#undef SIMT_TO_UNSIGNED
#undef SIMT_COMPARE
#undef SIMT_SUM

#endif
