/* exec_video.c - video instructions: sums, differences, extremes, shifts and comparisons of bytes,
 * halves and words, with a second operation or a part of the result to write. PTX ISA, "Video
 * Instructions"; struct video_form (decode/video.h) says what one of them does.
 *
 * ptxas makes sequences of other instructions of them, so they are rare, and one function serves
 * all forms of an operation. */
#include "decode/video.h"
#include "exec/exec.h"
#include "exec/exec_types.h"

typedef __int128 wide; /* holds the product of two words and a sum, and a word shifted by 32 */

/* `bits` bits of a word from bit `at` on. */
static inline s64 field(u32 word, unsigned at, unsigned bits, bool is_signed)
{
    const u32 top = word >> at << (32 - bits);
    return is_signed ? (s64)((s32)top >> (32 - bits)) : (s64)(top >> (32 - bits));
}

static inline unsigned part_bits(unsigned part)
{
    return part == PART_WHOLE ? 32 : part < PART_H0 ? 8 : 16;
}

static inline unsigned part_at(unsigned part)
{
    return part == PART_WHOLE ? 0 : part < PART_H0 ? 8 * (part - PART_B0) : 16 * (part - PART_H0);
}

static inline wide clamp(wide a, unsigned bits, bool is_signed)
{
    const wide most = ((wide)1 << (bits - is_signed)) - 1, least = is_signed ? -most - 1 : 0;
    return a < least ? least : a > most ? most : a;
}

static inline bool compare(s64 a, s64 b, unsigned comparison)
{
    switch (comparison) {
    case VIDEO_EQ:
        return a == b;
    case VIDEO_NE:
        return a != b;
    case VIDEO_LT:
        return a < b;
    case VIDEO_LE:
        return a <= b;
    case VIDEO_GT:
        return a > b;
    default:
        return a >= b;
    }
}

/* What becomes of a scalar result: it is clamped, meets c, or is put into a part of c. */
static inline u32 finish(wide result, u32 c, struct video_form f)
{
    const unsigned bits = part_bits(f.d_part), at = part_at(f.d_part);
    const wide other = f.d_signed ? (wide)(s32)c : (wide)c;
    result = f.saturates ? clamp(result, bits, f.d_signed) : result;
    switch (f.second) {
    case SECOND_ADD:
        return (u32)(result + other);
    case SECOND_MIN:
        return (u32)(result < other ? result : other);
    case SECOND_MAX:
        return (u32)(result > other ? result : other);
    default:
        break;
    }
    const u32 mask = (bits == 32 ? ~0u : (1u << bits) - 1) << at;
    return ((u32)result << at & mask) | (c & ~mask);
}

/* SCALAR(name, expression): a and b are the sources, of at most 33 bits, f is the form. */
#define SCALAR(name, expression)                                                                   \
    HANDLER(name)                                                                                  \
    {                                                                                              \
        u32 *d = warp_ref(w, in->d);                                                               \
        const u32 *ra = warp_ref(w, in->a), *rb = warp_ref(w, in->b), *rc = warp_ref(w, in->c);    \
        const struct video_form f = video_unpack(in->literal);                                     \
        WRITE_LANES(u32, d, ({                                                                     \
                        const s64 a =                                                              \
                            field(ra[i], part_at(f.a_part), part_bits(f.a_part), f.a_signed);      \
                        const s64 b =                                                              \
                            field(rb[i], part_at(f.b_part), part_bits(f.b_part), f.b_signed);      \
                        finish(expression, rc[i], f);                                              \
                    }));                                                                           \
        return in + 1;                                                                             \
    }

static inline unsigned distance(s64 b, bool wraps)
{
    return wraps ? (unsigned)b & 31u : b > 32 ? 32 : (unsigned)b;
}

#define SCALARS                                                                                    \
    ROW(vadd, a + b)                                                                               \
    ROW(vsub, a - b)                                                                               \
    ROW(vabsdiff, a < b ? b - a : a - b)                                                           \
    ROW(vmin, a < b ? a : b)                                                                       \
    ROW(vmax, a > b ? a : b)                                                                       \
    ROW(vset, compare(a, b, f.comparison))                                                         \
    ROW(vshl, (wide)a *((wide)1 << distance(b, f.wraps)))                                          \
    ROW(vshr, a >> distance(b, f.wraps))

#define ROW(name, expression) SCALAR(name, expression)
SCALARS
#undef ROW

/* The product, and c with it, count as signed where a factor is, or where the product is negated;
 * the sum does where c is negated as well. */
static inline u32 multiply_add(s64 a, s64 b, u32 c, struct video_form f)
{
    const bool is_signed = f.a_signed || f.b_signed || f.negates_product;
    const wide product = f.negates_product ? -((wide)a * b) : (wide)a * b;
    const wide addend = is_signed ? (wide)(s32)c : (wide)c;
    const wide sum = (product + (f.negates_c ? -addend : addend) + f.plus_one) >> f.scale;
    return (u32)(f.saturates ? clamp(sum, 32, is_signed || f.negates_c) : sum);
}

HANDLER(vmad)
{
    u32 *d = warp_ref(w, in->d);
    const u32 *ra = warp_ref(w, in->a), *rb = warp_ref(w, in->b), *rc = warp_ref(w, in->c);
    const struct video_form f = video_unpack(in->literal);
    WRITE_LANES(u32, d,
                multiply_add(field(ra[i], part_at(f.a_part), part_bits(f.a_part), f.a_signed),
                             field(rb[i], part_at(f.b_part), part_bits(f.b_part), f.b_signed),
                             rc[i], f));
    return in + 1;
}

/* --- two halves, four bytes ------------------------------------------------------------------ */

/* The part of b:a that lane k of a source reads. */
static inline s64 lane_of(u32 a, u32 b, u16 lanes, unsigned k, unsigned bits, bool is_signed)
{
    const unsigned at = (lanes >> 4 * k & 15u) * bits;
    return field(at < 32 ? a : b, at & 31u, bits, is_signed);
}

/* LANE_WISE(name, bits, expression): a and b are one lane's sources. Lanes of the mask are added to
 * c, or stand in d beside the others of c. */
#define LANE_WISE(name, bits, expression)                                                          \
    static inline u32 name##_of(u32 ra, u32 rb, u32 c, struct video_form f)                        \
    {                                                                                              \
        u32 parts = f.second == SECOND_ADD ? c : 0;                                                \
        for (unsigned k = 0; k < 32 / (bits); k++) {                                               \
            const s64 a = lane_of(ra, rb, f.a_lanes, k, bits, f.a_signed);                         \
            const s64 b = lane_of(ra, rb, f.b_lanes, k, bits, f.b_signed);                         \
            const wide all = expression, one = f.saturates ? clamp(all, bits, f.d_signed) : all;   \
            const u32 ones = (1u << (bits)) - 1, written = f.mask >> k & 1u;                       \
            if (f.second == SECOND_ADD) {                                                          \
                parts += written ? (u32)one : 0;                                                   \
            } else {                                                                               \
                parts |= (written ? (u32)one & ones : c >> (bits)*k & ones) << (bits)*k;           \
            }                                                                                      \
        }                                                                                          \
        return parts;                                                                              \
    }                                                                                              \
    HANDLER(name)                                                                                  \
    {                                                                                              \
        u32 *d = warp_ref(w, in->d);                                                               \
        const u32 *ra = warp_ref(w, in->a), *rb = warp_ref(w, in->b), *rc = warp_ref(w, in->c);    \
        const struct video_form f = video_unpack(in->literal);                                     \
        WRITE_LANES(u32, d, name##_of(ra[i], rb[i], rc[i], f));                                    \
        return in + 1;                                                                             \
    }

#define LANE_ROWS                                                                                  \
    ROW(vadd, a + b)                                                                               \
    ROW(vsub, a - b)                                                                               \
    ROW(vavrg, a + b >= 0 ? (a + b + 1) >> 1 : (a + b) >> 1)                                       \
    ROW(vabsdiff, a < b ? b - a : a - b)                                                           \
    ROW(vmin, a < b ? a : b)                                                                       \
    ROW(vmax, a > b ? a : b)                                                                       \
    ROW(vset, compare(a, b, f.comparison))

#define ROW(name, expression) LANE_WISE(name##2, 16, expression) LANE_WISE(name##4, 8, expression)
LANE_ROWS
#undef ROW

#define ROW(name, expression) WORK_ROW(name),
const struct handler exec_video_table[] = {SCALARS WORK_ROW(vmad),
#undef ROW
#define ROW(name, expression) WORK_ROW(name##2), WORK_ROW(name##4),
                                           LANE_ROWS{0}};
