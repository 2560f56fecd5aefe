/* exec_int.c - integer arithmetic, shifts and bit fields. The rows are in exec_int.def; this file
 * holds what their expressions call, and expands them twice: functions, then the table. */
#include "exec/exec.h"
#include "exec/exec_types.h"

#if defined __AVX512F__
#include <immintrin.h>
#endif

static inline u32 popcount32(u32 a)
{
    a -= a >> 1 & 0x55555555u; /* written out, so that a loop over it becomes vector code */
    a = (a & 0x33333333u) + (a >> 2 & 0x33333333u);
    return ((a + (a >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24;
}

static inline u32 clz32(u32 a) { return a == 0 ? 32 : (u32)__builtin_clz(a); }

static inline u32 clz64(u64 a) { return a == 0 ? 64 : (u32)__builtin_clzll(a); }

static inline u32 shiftamt32(u32 a) { return a == 0 ? 0xffffffffu : clz32(a); }

static inline u32 shiftamt64(u64 a) { return a == 0 ? 0xffffffffu : clz64(a); }

static inline u32 reverse32(u32 a)
{
    a = (a >> 1 & 0x55555555u) | (a & 0x55555555u) << 1;
    a = (a >> 2 & 0x33333333u) | (a & 0x33333333u) << 2;
    a = (a >> 4 & 0x0f0f0f0fu) | (a & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(a);
}

static inline u32 saturate32(s64 a)
{
    return (u32)(a > INT32_MAX ? INT32_MAX : a < INT32_MIN ? INT32_MIN : a);
}

static inline u32 relu(s32 a) { return a < 0 ? 0 : (u32)a; }

/* Negative halves become zero. */
static inline u32 relu_pair(u32 a) { return a & ~((a >> 15 & 0x10001u) * 0xffffu); }

static inline u64 low24u(u32 a) { return a & 0xffffffu; }

static inline s64 low24s(u32 a) { return (s32)(a << 8) >> 8; }

/* `length` bits of a from `position` on; the sign bit is the highest one that a has there. */
static inline u64 extract64(u64 a, u32 position, u32 length, bool is_signed)
{
    u32 top = position + length > 64 ? 63 : position + length - 1;
    u64 sign = is_signed && length > 0 ? a >> (top & 63) & 1 : 0;
    u64 field = position > 63 ? 0 : a >> position;
    if (length > 63 - (position > 63 ? 63 : position)) { /* reaches the top: fill above it */
        u32 have = position > 63 ? 0 : 64 - position;
        return have > 63 ? field : sign ? field | ~(u64)0 << have : field;
    }
    u64 mask = ((u64)1 << length) - 1;
    return sign ? field | ~mask : field & mask;
}

static inline u32 at_most_255(u32 a) { return a > 255 ? 255 : a; }

static inline u32 extract32(u32 a, u32 position, u32 length, bool is_signed)
{
    u32 top = position + length > 32 ? 31 : position + length - 1;
    u32 sign = is_signed && length > 0 ? a >> (top & 31) & 1 : 0;
    u32 have = position > 31 ? 0 : 32 - position;
    u32 bits = length < have ? length : have;
    u32 field = position > 31 ? 0 : a >> position;
    u32 mask = bits > 31 ? 0xffffffffu : (1u << bits) - 1;
    return sign ? field | ~mask : field & mask;
}

static inline u32 mask_bits(u32 position, u32 width)
{
    return (u32)((((u64)1 << width) - 1) << position);
}

static inline u32 mask_bits_clamp(u32 position, u32 width)
{
    return position > 31 ? 0 : mask_bits(position, width > 32 ? 32 : width);
}

static inline u32 extend_bits(u32 a, u32 width, bool is_signed)
{
    return width == 0 ? 0 : extract32(a, 0, width > 32 ? 32 : width, is_signed);
}

static inline u32 funnel_left(u32 a, u32 b, u32 shift)
{
    return (u32)(((u64)b << 32 | a) << shift >> 32);
}

static inline u32 funnel_right(u32 a, u32 b, u32 shift)
{
    return (u32)(((u64)b << 32 | a) >> shift);
}

/* Shifts of 0 to 31 need no 64 bits, of which a vector holds half as many: what rotations are. */
static inline u32 funnel_left_short(u32 a, u32 b, u32 shift)
{
    return b << shift | a >> 1 >> (31 - shift);
}

static inline u32 funnel_right_short(u32 a, u32 b, u32 shift)
{
    return a >> shift | b << 1 << (31 - shift);
}

static inline u32 permute(u32 a, u32 b, u32 selector)
{
    u64 bytes = (u64)b << 32 | a;
    u32 result = 0;
    for (u32 i = 0; i < 4; i++) {
        u32 pick = selector >> 4 * i & 15;
        u32 byte = (u32)(bytes >> 8 * (pick & 7)) & 255;
        result |= (pick & 8 ? (byte & 128 ? 255 : 0) : byte) << 8 * i;
    }
    return result;
}

/* The named modes of prmt as selectors; see the PTX manual's table for prmt. */
static inline u32 permute_mode(u32 a, u32 b, u32 c, unsigned mode)
{
    static const u16 selectors[6][4] = {
        {0x3210, 0x4321, 0x5432, 0x6543}, {0x5670, 0x6701, 0x7012, 0x0123},
        {0x0000, 0x1111, 0x2222, 0x3333}, {0x3210, 0x3211, 0x3222, 0x3333},
        {0x0000, 0x1110, 0x2210, 0x3210}, {0x1010, 0x3232, 0x1010, 0x3232}};
    return permute(a, b, selectors[mode][c & 3]);
}

static inline u32 dot4(u32 a, u32 b, u32 c, bool a_signed, bool b_signed)
{
    for (u32 i = 0; i < 32; i += 8) {
        s32 x = a_signed ? (s8)(a >> i) : (s32)(a >> i & 255);
        s32 y = b_signed ? (s8)(b >> i) : (s32)(b >> i & 255);
        c += (u32)(x * y);
    }
    return c;
}

/* Halves or bytes of a word: `bits` is 16 or 8. */
static inline s32 packed_part(u32 word, u32 at, u32 bits, bool is_signed)
{
    u32 lane = word >> at << (32 - bits);
    return is_signed ? (s32)lane >> (32 - bits) : (s32)(lane >> (32 - bits));
}

static inline u32 lane_differences(u32 a, u32 b, u32 bits, bool is_signed)
{
    u32 all = 0;
    for (u32 i = 0; i < 32; i += bits) {
        s32 x = packed_part(a, i, bits, is_signed), y = packed_part(b, i, bits, is_signed);
        all |= (u32)(x < y ? y - x : x - y) << i;
    }
    return all;
}

static inline u32 sum_of_lanes(u32 word, u32 bits)
{
    u32 sum = 0;
    for (u32 i = 0; i < 32; i += bits) {
        sum += (u32)packed_part(word, i, bits, false);
    }
    return sum;
}

static inline u32 dot2(u32 a, u32 b, u32 c, bool a_signed, bool b_signed)
{
    for (u32 i = 0; i < 2; i++) {
        s32 x = a_signed ? (s16)(a >> 16 * i) : (s32)(a >> 16 * i & 0xffff);
        s32 y = b_signed ? (s8)(b >> 8 * i) : (s32)(b >> 8 * i & 255);
        c += (u32)x * (u32)y;
    }
    return c;
}

/* fns: the bit that is the |offset|-th set bit from `base`, upwards or downwards. */
static inline u32 nth_set_bit(u32 mask, u32 base, s32 offset)
{
    if (base > 31) {
        return 0xffffffffu;
    }
    if (offset == 0) {
        return mask >> base & 1 ? base : 0xffffffffu;
    }
    s32 step = offset > 0 ? 1 : -1;
    u32 left = offset > 0 ? (u32)offset : 0 - (u32)offset; /* also of the least number */
    for (s32 bit = (s32)base; bit >= 0 && bit < 32; bit += step) {
        if (mask >> bit & 1 && --left == 0) {
            return (u32)bit;
        }
    }
    return 0xffffffffu;
}

/* The one of x and y that the condition is about, in both halves of a and b. */
#define PICK16(T, a, b, condition)                                                                 \
    ({                                                                                             \
        T x = (T)(a), y = (T)(b);                                                                  \
        (u16)((condition) ? x : y);                                                                \
    })
#define PAIR16(T, a, b, condition)                                                                 \
    (PICK16(T, a, b, condition) | (u32)PICK16(T, a >> 16, b >> 16, condition) << 16)

#define UNARY_BY(WRITE, name, RD, TD, RA, TA, expression)                                          \
    HANDLER(name)                                                                                  \
    {                                                                                              \
        RD *d = warp_ref(w, in->d);                                                                \
        const RA *ra = warp_ref(w, in->a);                                                         \
        WRITE(RD, d, ({                                                                            \
                  TA a = (TA)ra[i];                                                                \
                  (TD)(expression);                                                                \
              }));                                                                                 \
        return in + 1;                                                                             \
    }
#define BINARY_BY(WRITE, name, RD, TD, RA, TA, RB, TB, expression)                                 \
    HANDLER(name)                                                                                  \
    {                                                                                              \
        RD *d = warp_ref(w, in->d);                                                                \
        const RA *ra = warp_ref(w, in->a);                                                         \
        const RB *rb = warp_ref(w, in->b);                                                         \
        WRITE(RD, d, ({                                                                            \
                  TA a = (TA)ra[i];                                                                \
                  TB b = (TB)rb[i];                                                                \
                  (TD)(expression);                                                                \
              }));                                                                                 \
        return in + 1;                                                                             \
    }
#define TERNARY_BY(WRITE, name, RD, TD, RA, TA, RB, TB, RC, TC, expression)                        \
    HANDLER(name)                                                                                  \
    {                                                                                              \
        RD *d = warp_ref(w, in->d);                                                                \
        const RA *ra = warp_ref(w, in->a);                                                         \
        const RB *rb = warp_ref(w, in->b);                                                         \
        const RC *rc = warp_ref(w, in->c);                                                         \
        WRITE(RD, d, ({                                                                            \
                  TA a = (TA)ra[i];                                                                \
                  TB b = (TB)rb[i];                                                                \
                  TC c = (TC)rc[i];                                                                \
                  (TD)(expression);                                                                \
              }));                                                                                 \
        return in + 1;                                                                             \
    }
/* What runs in hot loops, and what runs seldom (exec.h). */
#define UNARY(...)          UNARY_BY(WRITE_LANES, __VA_ARGS__)
#define BINARY(...)         BINARY_BY(WRITE_LANES, __VA_ARGS__)
#define TERNARY(...)        TERNARY_BY(WRITE_LANES, __VA_ARGS__)
#define UNARY_SELDOM(...)   UNARY_BY(WRITE_LANES_SELDOM, __VA_ARGS__)
#define BINARY_SELDOM(...)  BINARY_BY(WRITE_LANES_SELDOM, __VA_ARGS__)
#define TERNARY_SELDOM(...) TERNARY_BY(WRITE_LANES_SELDOM, __VA_ARGS__)
/* in->e is the hidden predicate that holds the carry flag. */
#define CARRY(name, R, W, start, sum)                                                              \
    HANDLER(name)                                                                                  \
    {                                                                                              \
        R *d = warp_ref(w, in->d);                                                                 \
        const R *ra = warp_ref(w, in->a), *rb = warp_ref(w, in->b), *rc = warp_ref(w, in->c);      \
        const bool chained = in->flags & INSN_CC_IN;                                               \
        lane_mask carries = chained ? read_predicate(w, in->e, false) : (start) ? FULL_MASK : 0;   \
        lane_mask out = 0;                                                                         \
        for (unsigned i = 0; i < WARP_LANES; i++) {                                                \
            R a = ra[i], b = rb[i], c = rc[i], carry = (R)(carries >> i & 1u);                     \
            (void)c;                                                                               \
            W wide = sum;                                                                          \
            out |= (lane_mask)(wide >> 8 * sizeof(R) & 1u) << i;                                   \
            d[i] = LANE_ACTIVE(w->active) ? (R)wide : d[i];                                        \
        }                                                                                          \
        write_predicate(w, in->flags &INSN_CC_OUT ? in->e : NO_REF, out);                          \
        return in + 1;                                                                             \
    }
/* The index of nearly every access is multiplied so. gcc multiplies 64 bits by 64 bits (vpmullq:
 * three multiplications for eight lanes), though the upper halves say nothing new (vpmuldq: one).
 */
#if defined __AVX512F__
#define PRODUCT_u32 _mm512_mul_epu32
#define PRODUCT_s32 _mm512_mul_epi32
static inline __m512i eight_wide(const u32 *ra)
{
    return _mm512_cvtepu32_epi64(_mm256_loadu_si256((const __m256i *)(const void *)ra));
}
#define WIDE(name, RD, TD, RA, TA, RB, TB, expression)                                             \
    HANDLER(name)                                                                                  \
    {                                                                                              \
        RD *d = warp_ref(w, in->d);                                                                \
        const RA *ra = warp_ref(w, in->a), *rb = warp_ref(w, in->b);                               \
        const lane_mask active = w->active;                                                        \
        for (unsigned i = 0; i < WARP_LANES; i += 8) {                                             \
            const __m512i product = PRODUCT_##TA(eight_wide(ra + i), eight_wide(rb + i));          \
            const __m512i old = _mm512_loadu_si512(d + i);                                         \
            const __mmask8 lanes = (__mmask8)(active >> i);                                        \
            _mm512_storeu_si512(d + i, _mm512_mask_mov_epi64(old, lanes, product));                \
        }                                                                                          \
        return in + 1;                                                                             \
    }
#else
#define WIDE BINARY
#endif
#include "exec/exec_int.def"
#undef UNARY
#undef BINARY
#undef TERNARY
#undef UNARY_SELDOM
#undef BINARY_SELDOM
#undef TERNARY_SELDOM
#undef CARRY
#undef WIDE

/* bfi has four operands: insert the low d bits of a into b at c. */
#define INSERT(name, R, BITS, SHORT)                                                               \
    HANDLER(name)                                                                                  \
    {                                                                                              \
        R *d = warp_ref(w, in->d);                                                                 \
        const R *ra = warp_ref(w, in->a), *rb = warp_ref(w, in->b);                                \
        const u32 *rc = warp_ref(w, in->c), *re = warp_ref(w, in->e);                              \
        WRITE_LANES(R, d, ({                                                                       \
                        u32 at = SHORT(rc[i]), length = SHORT(re[i]);                              \
                        u32 room = at < BITS ? BITS - at : 0;                                      \
                        u32 bits = length < room ? length : room;                                  \
                        R ones = bits >= BITS ? ~(R)0 : ((R)1 << (bits & (BITS - 1))) - 1;         \
                        u32 shift = at & (BITS - 1);                                               \
                        R mask = bits == 0 ? 0 : ones << shift;                                    \
                        (ra[i] << shift & mask) | (rb[i] & ~mask);                                 \
                    }));                                                                           \
        return in + 1;                                                                             \
    }
INSERT(bfi_b32, u32, 32u, (u8))
INSERT(bfi_b64, u64, 64u, at_most_255)

/* lop3: in->literal is the truth table of the three inputs. */
/* A lane's bits where the row of the truth table has a one in their place, else their opposite. */
#define IN_ROW(place, bits) (row & (place) ? (bits) : ~(bits))

HANDLER(lop3_b32)
{
    u32 *d = warp_ref(w, in->d);
    const u32 *ra = warp_ref(w, in->a), *rb = warp_ref(w, in->b), *rc = warp_ref(w, in->c);
    u32 table = (u32)in->literal;
    WRITE_LANES(u32, d, ({
                    u32 value = 0;
                    for (u32 row = 0; row < 8; row++) {
                        u32 match = IN_ROW(4, ra[i]) & IN_ROW(2, rb[i]) & IN_ROW(1, rc[i]);
                        value |= table >> row & 1 ? match : 0;
                    }
                    value;
                }));
    return in + 1;
}

#define UNARY(name, ...)   WORK_ROW(name),
#define BINARY(name, ...)  WORK_ROW(name),
#define WIDE(name, ...)    WORK_ROW(name),
#define TERNARY(name, ...) WORK_ROW(name),
#define UNARY_SELDOM       UNARY
#define BINARY_SELDOM      BINARY
#define TERNARY_SELDOM     TERNARY
#define CARRY(name, ...)   WORK_ROW(name),
HANDLER_TABLE(int) = {
#include "exec/exec_int.def"
    WORK_ROW(bfi_b32), WORK_ROW(bfi_b64), WORK_ROW(lop3_b32), {0}};
