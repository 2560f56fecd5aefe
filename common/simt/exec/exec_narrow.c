/* exec_narrow.c - cvt to several narrow values in one register: integers, and pairs of 8-bit
 * floats, e4m3 (4 bits of exponent, 3 of fraction, no infinity) and e5m2 (the upper half of an
 * f16). Results that are too large become the largest number (.sat, .satfinite). */
#include "exec/exec.h"
#include "exec/exec_types.h"
#include "exec/exec_values.h"

/* The code behind the largest number: an infinity of e5m2, the NaN of e4m3. */
static const struct small_format e4m3_format = {3, 7, 0x7f, 0x7f};
static const struct small_format e5m2_format = {2, 15, 0x7c, 0x7f};

static inline u32 fp8_of_f64(f64 a, struct small_format f, bool relu)
{
    if (a != a) {
        return f.nan;
    }
    u16 bits = small_of_f64(relu && a <= 0 ? 0 : a, f, ROUND_NEAREST);
    u32 magnitude = bits & 0x7fffu;
    return (u32)(bits >> 15 << 7) | (magnitude == f.infinity ? magnitude - 1 : magnitude);
}

static inline u16 half_of_e4m3(u32 bits)
{
    u32 sign = (bits & 0x80u) << 8, exponent = bits >> 3 & 15, fraction = bits & 7;
    if ((bits & 0x7fu) == 0x7f) {
        return 0x7fff;
    }
    if (exponent == 0) { /* fraction * 2^-9, of either sign */
        return (u16)(sign | half_of_f64((f64)fraction * 0x1p-9, ROUND_NEAREST));
    }
    return (u16)(sign | (exponent + 8) << 10 | fraction << 7);
}

static inline u16 half_of_e5m2(u32 bits)
{
    return (bits & 0x7fu) > 0x7c ? 0x7fff : (u16)(bits << 8);
}

static inline u16 half_relu(u16 a) { return a >> 15 ? 0 : a; }

/* cvt.rn.satfinite.e4m3x2.f32 d, a, b: a goes to the upper byte. */
#define FP8_PAIR(F)                                                                                \
    HANDLER(cvt_##F##x2_f32)                                                                       \
    {                                                                                              \
        u32 *d = warp_ref(w, in->d);                                                               \
        const f32 *ra = warp_ref(w, in->a), *rb = warp_ref(w, in->b);                              \
        const bool relu = in->conversion == CONVERT_RELU;                                          \
        WRITE_LANES(u32, d,                                                                        \
                    fp8_of_f64((f64)ra[i], F##_format, relu) << 8 |                                \
                        fp8_of_f64((f64)rb[i], F##_format, relu));                                 \
        return in + 1;                                                                             \
    }                                                                                              \
    HANDLER(cvt_##F##x2_f16x2)                                                                     \
    {                                                                                              \
        u32 *d = warp_ref(w, in->d);                                                               \
        const u32 *ra = warp_ref(w, in->a);                                                        \
        const bool relu = in->conversion == CONVERT_RELU;                                          \
        WRITE_LANES(u32, d,                                                                        \
                    fp8_of_f64((f64)f32_of_half((u16)(ra[i] >> 16)), F##_format, relu) << 8 |      \
                        fp8_of_f64((f64)f32_of_half((u16)ra[i]), F##_format, relu));               \
        return in + 1;                                                                             \
    }                                                                                              \
    HANDLER(cvt_f16x2_##F##x2)                                                                     \
    {                                                                                              \
        u32 *d = warp_ref(w, in->d);                                                               \
        const u32 *ra = warp_ref(w, in->a);                                                        \
        const bool relu = in->conversion == CONVERT_RELU;                                          \
        WRITE_LANES(u32, d, ({                                                                     \
                        u16 high = half_of_##F(ra[i] >> 8 & 0xffu),                                \
                            low = half_of_##F(ra[i] & 0xffu);                                      \
                        high = relu ? half_relu(high) : high;                                      \
                        low = relu ? half_relu(low) : low;                                         \
                        (u32) high << 16 | low;                                                    \
                    }));                                                                           \
        return in + 1;                                                                             \
    }
FP8_PAIR(e4m3)
FP8_PAIR(e5m2)

/* cvt.pack.sat d, a, b, c: `literal` bits of a above as many of b, and the low bits of c above
 * both. */
HANDLER(cvt_pack)
{
    u32 *d = warp_ref(w, in->d);
    const s32 *ra = warp_ref(w, in->a), *rb = warp_ref(w, in->b);
    const u32 *rc = warp_ref(w, in->c);
    const bool is_signed = in->flags & INSN_SIGNED;
    const u32 bits = (u32)in->literal, ones = (1u << bits) - 1;
    const s32 most = (s32)(is_signed ? ones >> 1 : ones), least = is_signed ? -most - 1 : 0;
    WRITE_LANES(u32, d, ({
                    const s32 a = ra[i] < least ? least : ra[i] > most ? most : ra[i];
                    const s32 b = rb[i] < least ? least : rb[i] > most ? most : rb[i];
                    const u32 both = ((u32)a & ones) << bits | ((u32)b & ones);
                    both | (bits == 16 ? 0 : rc[i] << (2 * bits & 31));
                }));
    return in + 1;
}

const struct handler exec_narrow_table[] = {WORK_ROW(cvt_pack),         WORK_ROW(cvt_e4m3x2_f32),
                                            WORK_ROW(cvt_e5m2x2_f32),   WORK_ROW(cvt_e4m3x2_f16x2),
                                            WORK_ROW(cvt_e5m2x2_f16x2), WORK_ROW(cvt_f16x2_e4m3x2),
                                            WORK_ROW(cvt_f16x2_e5m2x2), {0}};
