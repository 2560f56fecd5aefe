/* exec_nearest.h - doubles rounded to the nearest half or bfloat, by way of a float that is rounded
 * to odd. Pure functions on one lane's value. They stand apart from exec_values.h since most files
 * that include that one do without <immintrin.h>, which takes the compiler longer than they do. */
#ifndef SIMT_EXEC_NEAREST_H
#define SIMT_EXEC_NEAREST_H

#include "exec/exec_values.h"

#if defined __F16C__
#include <immintrin.h>
#endif

/* bfloat_of_f64(a, ROUND_NEAREST) of an odd_f32_of_f64(a). */
static inline u16 nearest_bfloat_of_odd(f32 a)
{
    const u32 bits = bits_of_f32(a);
    return a == a ? (u16)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16) : 0x7fff;
}

static inline u16 nearest_bfloat_of_f64(f64 a) { return nearest_bfloat_of_odd(odd_f32_of_f64(a)); }

/* The same of half_of_f64(): a double, and an odd_f32_of_f64(). small_of_f64() takes 60
 * instructions for each lane where the machine's rounding takes 12. */
#if defined __F16C__

static inline u16 nearest_half_of_odd(f32 a)
{
    return a == a ? (u16)_cvtss_sh(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC) : 0x7fff;
}

static inline u16 nearest_half_of_f64(f64 a) { return nearest_half_of_odd(odd_f32_of_f64(a)); }

#else

static inline u16 nearest_half_of_odd(f32 a) { return half_of_f64(a, 0); }

static inline u16 nearest_half_of_f64(f64 a) { return half_of_f64(a, 0); }

#endif

#endif
