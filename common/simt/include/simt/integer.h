/* simt/integer.h - integer intrinsics: bit counts, byte permutation, high products, sums of
 * absolute differences, dot products. Each is one PTX instruction or two. */
#ifndef SIMT_INTEGER_H
#define SIMT_INTEGER_H

#include "device.h"

/* Bits. Counts of leading zeros are 32 and 64 for zero; __ffs counts from 1, 0 for zero. */
SIMT_DEVICE int __clz(int x) { return x == 0 ? 32 : __builtin_clz((unsigned int)x); }
SIMT_DEVICE int __clzll(long long x)
{
    return x == 0 ? 64 : __builtin_clzll((unsigned long long)x);
}
SIMT_DEVICE int __popc(unsigned int x) { return __builtin_popcount(x); }
SIMT_DEVICE int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
SIMT_DEVICE int __ffs(int x) { return __builtin_ffs(x); }
SIMT_DEVICE int __ffsll(long long x) { return __builtin_ffsll(x); }
SIMT_DEVICE unsigned int __brev(unsigned int x) { return __builtin_bitreverse32(x); }
SIMT_DEVICE unsigned long long __brevll(unsigned long long x) { return __builtin_bitreverse64(x); }
SIMT_DEVICE unsigned int __fns(unsigned int mask, unsigned int base, int offset)
{
    return (unsigned int)__nvvm_fns(mask, base, offset);
}

/* Bytes: each selector nibble picks one of the eight bytes of y:x; its top bit spreads the sign. */
SIMT_DEVICE unsigned int __byte_perm(unsigned int x, unsigned int y, unsigned int selector)
{
    return (unsigned int)__nvvm_prmt(x, y, selector & 0x7777);
}

/* Shifts of the 64-bit value high:low; wrap takes the distance modulo 32, clamp ends at 32. */
#define SIMT_FUNNEL(name, mode)                                                                    \
    SIMT_DEVICE unsigned int name(unsigned int low, unsigned int high, unsigned int shift)         \
    {                                                                                              \
        unsigned int result;                                                                       \
        asm("shf." mode ".b32 %0, %1, %2, %3;" : "=r"(result) : "r"(low), "r"(high), "r"(shift));  \
        return result;                                                                             \
    }

SIMT_FUNNEL(__funnelshift_l, "l.wrap")
SIMT_FUNNEL(__funnelshift_lc, "l.clamp")
SIMT_FUNNEL(__funnelshift_r, "r.wrap")
SIMT_FUNNEL(__funnelshift_rc, "r.clamp")
#undef SIMT_FUNNEL

/* Products. */
SIMT_DEVICE int __mul24(int x, int y) { return __nvvm_mul24_i(x, y); }
SIMT_DEVICE unsigned int __umul24(unsigned int x, unsigned int y)
{
    return (unsigned int)__nvvm_mul24_ui(x, y);
}
SIMT_DEVICE int __mulhi(int x, int y) { return __nvvm_mulhi_i(x, y); }
SIMT_DEVICE unsigned int __umulhi(unsigned int x, unsigned int y)
{
    return (unsigned int)__nvvm_mulhi_ui(x, y);
}
SIMT_DEVICE long long __mul64hi(long long x, long long y) { return __nvvm_mulhi_ll(x, y); }
SIMT_DEVICE unsigned long long __umul64hi(unsigned long long x, unsigned long long y)
{
    return (unsigned long long)__nvvm_mulhi_ull(x, y);
}

/* Averages without overflow, rounded down or up; |x - y| + z. */
SIMT_DEVICE int __hadd(int x, int y) { return (x & y) + ((x ^ y) >> 1); }
SIMT_DEVICE int __rhadd(int x, int y) { return (x | y) - ((x ^ y) >> 1); }
SIMT_DEVICE unsigned int __uhadd(unsigned int x, unsigned int y)
{
    return (x & y) + ((x ^ y) >> 1);
}
SIMT_DEVICE unsigned int __urhadd(unsigned int x, unsigned int y)
{
    return (x | y) - ((x ^ y) >> 1);
}
SIMT_DEVICE unsigned int __sad(int x, int y, unsigned int z)
{
    return (unsigned int)__nvvm_sad_i(x, y, (int)z);
}
SIMT_DEVICE unsigned int __usad(unsigned int x, unsigned int y, unsigned int z)
{
    return (unsigned int)__nvvm_sad_ui(x, y, z);
}

/* Dot products of bytes, or of two 16-bit values with the low or high two bytes, added to c. */
#define SIMT_DOT(name, op, a_type, b_type, type)                                                   \
    SIMT_DEVICE type name(a_type a, b_type b, type c)                                              \
    {                                                                                              \
        type result;                                                                               \
        asm(op " %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(c));                        \
        return result;                                                                             \
    }

SIMT_DOT(__dp4a, "dp4a.s32.s32", int, int, int)
SIMT_DOT(__dp4a, "dp4a.u32.u32", unsigned int, unsigned int, unsigned int)
SIMT_DOT(__dp2a_lo, "dp2a.lo.s32.s32", int, int, int)
SIMT_DOT(__dp2a_lo, "dp2a.lo.u32.u32", unsigned int, unsigned int, unsigned int)
SIMT_DOT(__dp2a_hi, "dp2a.hi.s32.s32", int, int, int)
SIMT_DOT(__dp2a_hi, "dp2a.hi.u32.u32", unsigned int, unsigned int, unsigned int)
#undef SIMT_DOT

/* char4 and short2 arguments of the dot products. */
#define SIMT_AS_WORD(type, v) simt_as_word<type>(v)
template <typename Word, typename V> SIMT_DEVICE Word simt_as_word(const V &v)
{
    static_assert(sizeof(Word) == sizeof(V), "one word");
    Word word;
    __builtin_memcpy(&word, &v, sizeof(word));
    return word;
}
SIMT_DEVICE int __dp4a(char4 a, char4 b, int c)
{
    return __dp4a(SIMT_AS_WORD(int, a), SIMT_AS_WORD(int, b), c);
}
SIMT_DEVICE unsigned int __dp4a(uchar4 a, uchar4 b, unsigned int c)
{
    return __dp4a(SIMT_AS_WORD(unsigned int, a), SIMT_AS_WORD(unsigned int, b), c);
}
SIMT_DEVICE int __dp2a_lo(short2 a, char4 b, int c)
{
    return __dp2a_lo(SIMT_AS_WORD(int, a), SIMT_AS_WORD(int, b), c);
}
SIMT_DEVICE int __dp2a_hi(short2 a, char4 b, int c)
{
    return __dp2a_hi(SIMT_AS_WORD(int, a), SIMT_AS_WORD(int, b), c);
}
#undef SIMT_AS_WORD

/* The lane's own number and its relatives, as the compiler names them. */
SIMT_DEVICE unsigned int __lanemask_lt()
{
    unsigned int mask;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
    return mask;
}

#endif
