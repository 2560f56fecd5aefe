/* exec_directed.h - arithmetic on 32 lanes that rounds in a direction that the instruction names.
 *
 * With AVX-512 the direction is part of the machine's instruction: to set MXCSR twice takes three
 * times as long as to add 32 doubles. On other machines this thread's direction is set around the
 * loop (exec_rounding.h). Both are functions that are not inlined: so what they write is memory for
 * which a change of the direction is a barrier. */
#ifndef SIMT_EXEC_DIRECTED_H
#define SIMT_EXEC_DIRECTED_H

#include "exec/exec_rounding.h"
#include "exec/exec_types.h"

/* Defines directed_NAME_F(d, ra, rb, rc, rounding); the value is `expression` of a, b and c. */
#if defined __AVX512F__

#include <immintrin.h>

#define SUFFIX_f32 ps
#define SUFFIX_f64 pd

#define ROUNDED_add(S, R)    _mm512_add_round_##S(a, b, R)
#define ROUNDED_sub(S, R)    _mm512_sub_round_##S(a, b, R)
#define ROUNDED_mul(S, R)    _mm512_mul_round_##S(a, b, R)
#define ROUNDED_div(S, R)    _mm512_div_round_##S(a, b, R)
#define ROUNDED_rcp(S, R)    _mm512_div_round_##S(_mm512_set1_##S(1), a, R)
#define ROUNDED_sqrt(S, R)   _mm512_sqrt_round_##S(a, R)
#define ROUNDED_fma(S, R)    _mm512_fmadd_round_##S(a, b, c, R)
#define ROUNDED_fmsub(S, R)  _mm512_fmsub_round_##S(a, b, c, R)
#define ROUNDED_fnmadd(S, R) _mm512_fnmadd_round_##S(a, b, c, R)

#define IN_DIRECTION(name, F, S, R)                                                                \
    for (unsigned i = 0; i < WARP_LANES; i += 64 / sizeof(F)) {                                    \
        const __auto_type a = _mm512_loadu_##S(ra + i);                                            \
        const __auto_type b = _mm512_loadu_##S(rb + i);                                            \
        const __auto_type c = _mm512_loadu_##S(rc + i);                                            \
        (void)a, (void)b, (void)c;                                                                 \
        _mm512_store_##S(d + i, ROUNDED_##name(S, (R) | _MM_FROUND_NO_EXC));                       \
    }
#define IN_DIRECTIONS(name, F, S)                                                                  \
    if (rounding == ROUND_ZERO) {                                                                  \
        IN_DIRECTION(name, F, S, _MM_FROUND_TO_ZERO)                                               \
    } else if (rounding == ROUND_DOWN) {                                                           \
        IN_DIRECTION(name, F, S, _MM_FROUND_TO_NEG_INF)                                            \
    } else {                                                                                       \
        IN_DIRECTION(name, F, S, _MM_FROUND_TO_POS_INF)                                            \
    }
#define DIRECTED_BODY(name, F, S, expression) IN_DIRECTIONS(name, F, S)

#else

#define SUFFIX_f32
#define SUFFIX_f64
#define DIRECTED_BODY(name, F, S, expression)                                                      \
    round_as(rounding);                                                                            \
    for (unsigned i = 0; i < WARP_LANES; i++) {                                                    \
        const F a = ra[i], b = rb[i], c = rc[i];                                                   \
        (void)a, (void)b, (void)c;                                                                 \
        d[i] = (expression);                                                                       \
    }                                                                                              \
    round_as_usual(rounding);

#endif

#define DIRECTED(name, F, expression)                                                              \
    static __attribute__((noinline)) void directed_##name##_##F(                                   \
        F *restrict d, const F *ra, const F *rb, const F *rc, unsigned rounding)                   \
    {                                                                                              \
        DIRECTED_SUFFIXED(name, F, SUFFIX_##F, expression)                                         \
    }
#define DIRECTED_SUFFIXED(name, F, S, expression) DIRECTED_BODY(name, F, S, expression)

#endif
