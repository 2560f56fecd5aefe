/* simt/float16_memory.h - loads and stores with cache hints, shuffles and atomics of a 16-bit
 * float.
 *
 * Read after simt/float16.h, with the same words defined, once for half and once for bfloat16. A
 * value travels as an unsigned short, a pair as an unsigned int. */

#define SIMT_LOAD(name, ...)                                                                       \
    SIMT_DEVICE SIMT_T name(const SIMT_T *p)                                                       \
    {                                                                                              \
        return SIMT_T::simt_of(name((const unsigned short *)p));                                   \
    }                                                                                              \
    SIMT_DEVICE SIMT_T2 name(const SIMT_T2 *p)                                                     \
    {                                                                                              \
        return SIMT_T2::simt_of(name((const unsigned int *)p));                                    \
    }
#define SIMT_STORE(name, ...)                                                                      \
    SIMT_DEVICE void name(SIMT_T *p, SIMT_T v) { name((unsigned short *)p, v.__x); }               \
    SIMT_DEVICE void name(SIMT_T2 *p, SIMT_T2 v) { name((unsigned int *)p, v.simt_bits()); }
SIMT_HINTED(SIMT_LOAD, SIMT_STORE)
#undef SIMT_LOAD
#undef SIMT_STORE

#define SIMT_SHUFFLE(name, lane_type)                                                              \
    SIMT_DEVICE SIMT_T name(unsigned int mask, SIMT_T v, lane_type lane, int width = 32)           \
    {                                                                                              \
        return SIMT_T::simt_of(name(mask, (unsigned int)v.__x, lane, width));                      \
    }                                                                                              \
    SIMT_DEVICE SIMT_T2 name(unsigned int mask, SIMT_T2 v, lane_type lane, int width = 32)         \
    {                                                                                              \
        return SIMT_T2::simt_of(name(mask, v.simt_bits(), lane, width));                           \
    }
SIMT_SHUFFLE(__shfl_sync, int)
SIMT_SHUFFLE(__shfl_up_sync, unsigned int)
SIMT_SHUFFLE(__shfl_down_sync, unsigned int)
SIMT_SHUFFLE(__shfl_xor_sync, int)
#undef SIMT_SHUFFLE

#if SIMT_ARCH >= SIMT_SUMS_SINCE
SIMT_DEVICE SIMT_T atomicAdd(SIMT_T *address, SIMT_T v)
{
    unsigned short old;
    asm volatile("atom.add.noftz." SIMT_PTX " %0, [%1], %2;"
                 : "=h"(old)
                 : "l"(address), "h"(v.__x)
                 : "memory");
    return SIMT_T::simt_of(old);
}
SIMT_DEVICE SIMT_T2 atomicAdd(SIMT_T2 *address, SIMT_T2 v)
{
    unsigned int old;
    asm volatile("atom.add.noftz." SIMT_PTX "x2 %0, [%1], %2;"
                 : "=r"(old)
                 : "l"(address), "r"(v.simt_bits())
                 : "memory");
    return SIMT_T2::simt_of(old);
}
#else
/* Of bfloat16 before sm_90: a compare-and-swap until no other store has come between. */
#define SIMT_ADD(type, word, bits)                                                                 \
    SIMT_DEVICE type atomicAdd(type *address, type v)                                              \
    {                                                                                              \
        word seen = *(word *)address, before;                                                      \
        do {                                                                                       \
            before = seen;                                                                         \
            type sum = type::simt_of(before) + v;                                                  \
            seen = atomicCAS((word *)address, before, bits(sum));                                  \
        } while (seen != before);                                                                  \
        return type::simt_of(before);                                                              \
    }
#define SIMT_BITS(v)  v.__x
#define SIMT_BITS2(v) v.simt_bits()
SIMT_ADD(SIMT_T, unsigned short, SIMT_BITS)
SIMT_ADD(SIMT_T2, unsigned int, SIMT_BITS2)
#undef SIMT_ADD
#undef SIMT_BITS
#undef SIMT_BITS2
#endif
