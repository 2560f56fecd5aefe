/* few_bits.h - conversions of 4-bit and of 6-bit floats, one and two at a time. Read by cuda_fp4.h
 * with SIMT_BITS 4 and by cuda_fp6.h with 6; SIMT_PAIR_BITS: of two that lie side by side. */
#define SIMT_FEW_3(before, bits, after) before##bits##after
#define SIMT_FEW_2(before, bits, after) SIMT_FEW_3(before, bits, after)
#define SIMT_FEW(before, after)         SIMT_FEW_2(before, SIMT_BITS, after)
#define SIMT_ONE                        SIMT_FEW(__nv_fp, _storage_t)
#define SIMT_TWO                        SIMT_FEW(__nv_fp, x2_storage_t)
#define SIMT_KINDS                      SIMT_FEW(__nv_fp, _interpretation_t)

/* ------------------------------------------------------------- one number */

SIMT_BOTH SIMT_ONE SIMT_FEW(__nv_cvt_double_to_fp, )(double v, SIMT_KINDS kind,
                                                     enum cudaRoundMode rounding)
{
    return (SIMT_ONE)simt_small_bits(v, SIMT_FEW(simt_fp, _format)(kind), simt_round_mode(rounding),
                                     true);
}
SIMT_BOTH SIMT_ONE SIMT_FEW(__nv_cvt_float_to_fp, )(float v, SIMT_KINDS kind,
                                                    enum cudaRoundMode rounding)
{
    return SIMT_FEW(__nv_cvt_double_to_fp, )((double)v, kind, rounding);
}
SIMT_BOTH SIMT_ONE SIMT_FEW(__nv_cvt_halfraw_to_fp, )(__half_raw v, SIMT_KINDS kind,
                                                      enum cudaRoundMode rounding)
{
    return SIMT_FEW(__nv_cvt_float_to_fp, )(__half2float(v), kind, rounding);
}
SIMT_BOTH SIMT_ONE SIMT_FEW(__nv_cvt_bfloat16raw_to_fp, )(__nv_bfloat16_raw v, SIMT_KINDS kind,
                                                          enum cudaRoundMode rounding)
{
    return SIMT_FEW(__nv_cvt_float_to_fp, )(__bfloat162float(v), kind, rounding);
}
SIMT_BOTH __half_raw SIMT_FEW(__nv_cvt_fp, _to_halfraw)(SIMT_ONE v, SIMT_KINDS kind)
{
    return (__half_raw)__half(simt_small_value(v, SIMT_FEW(simt_fp, _format)(kind)));
}

/* ------------------------------------------------------------- two numbers */

SIMT_BOTH SIMT_TWO SIMT_FEW(simt_fp, _pair)(double low, double high, SIMT_KINDS kind,
                                            enum cudaRoundMode rounding)
{
    return (SIMT_TWO)(SIMT_FEW(__nv_cvt_double_to_fp, )(high, kind, rounding)
                          << SIMT_PAIR_BITS / 2 |
                      SIMT_FEW(__nv_cvt_double_to_fp, )(low, kind, rounding));
}
SIMT_BOTH SIMT_TWO SIMT_FEW(__nv_cvt_double2_to_fp, x2)(double2 v, SIMT_KINDS kind,
                                                        enum cudaRoundMode rounding)
{
    return SIMT_FEW(simt_fp, _pair)(v.x, v.y, kind, rounding);
}
SIMT_BOTH SIMT_TWO SIMT_FEW(__nv_cvt_float2_to_fp, x2)(float2 v, SIMT_KINDS kind,
                                                       enum cudaRoundMode rounding)
{
    return SIMT_FEW(simt_fp, _pair)((double)v.x, (double)v.y, kind, rounding);
}
SIMT_BOTH SIMT_TWO SIMT_FEW(__nv_cvt_halfraw2_to_fp, x2)(__half2_raw v, SIMT_KINDS kind,
                                                         enum cudaRoundMode rounding)
{
    return SIMT_FEW(simt_fp, _pair)((double)__half2float(__half_raw{v.x}),
                                    (double)__half2float(__half_raw{v.y}), kind, rounding);
}
SIMT_BOTH SIMT_TWO SIMT_FEW(__nv_cvt_bfloat16raw2_to_fp, x2)(__nv_bfloat162_raw v, SIMT_KINDS kind,
                                                             enum cudaRoundMode rounding)
{
    return SIMT_FEW(simt_fp, _pair)((double)__bfloat162float(__nv_bfloat16_raw{v.x}),
                                    (double)__bfloat162float(__nv_bfloat16_raw{v.y}), kind,
                                    rounding);
}
SIMT_BOTH __half2_raw SIMT_FEW(__nv_cvt_fp, x2_to_halfraw2)(SIMT_TWO v, SIMT_KINDS kind)
{
    return __half2_raw{
        SIMT_FEW(__nv_cvt_fp, _to_halfraw)((SIMT_ONE)(v & ((1 << SIMT_PAIR_BITS / 2) - 1)), kind).x,
        SIMT_FEW(__nv_cvt_fp, _to_halfraw)((SIMT_ONE)(v >> SIMT_PAIR_BITS / 2), kind).x};
}

#undef SIMT_FEW_3
#undef SIMT_FEW_2
#undef SIMT_FEW
#undef SIMT_ONE
#undef SIMT_TWO
#undef SIMT_KINDS
