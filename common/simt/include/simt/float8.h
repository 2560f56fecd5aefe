/* simt/float8.h - the types of an 8-bit float: one, two and four numbers. Read once for e4m3 and
 * once for e5m2, with SIMT_FP(suffix), a type's name (the suffix is empty, x2 or x4), and
 * SIMT_KIND, its interpretation, defined; leaves them undefined. What is too large becomes the
 * largest number. */

#ifdef __CUDA__
#define SIMT_METHOD __attribute__((host, device, always_inline, nodebug))
#else
#define SIMT_METHOD __inline__ __attribute__((always_inline))
#endif

struct SIMT_FP() {
    __nv_fp8_storage_t __x;

    SIMT_FP()() = default;
    SIMT_METHOD explicit SIMT_FP()(__half v)
        : __x(__nv_cvt_halfraw_to_fp8(v, __NV_SATFINITE, SIMT_KIND))
    {
    }
    SIMT_METHOD explicit SIMT_FP()(__nv_bfloat16 v)
        : __x(__nv_cvt_bfloat16raw_to_fp8(v, __NV_SATFINITE, SIMT_KIND))
    {
    }
    SIMT_METHOD explicit SIMT_FP()(double v)
        : __x(__nv_cvt_double_to_fp8(v, __NV_SATFINITE, SIMT_KIND))
    {
    }
#define SIMT_FROM(type)                                                                            \
    SIMT_METHOD explicit SIMT_FP()(type v)                                                         \
        : __x(__nv_cvt_float_to_fp8((float)v, __NV_SATFINITE, SIMT_KIND))                          \
    {                                                                                              \
    }
    SIMT_FROM(float)
    SIMT_FROM(short)
    SIMT_FROM(unsigned short)
    SIMT_FROM(int)
    SIMT_FROM(unsigned int)
    SIMT_FROM(long)
    SIMT_FROM(unsigned long)
    SIMT_FROM(long long)
    SIMT_FROM(unsigned long long)
#undef SIMT_FROM
    SIMT_METHOD explicit operator __half() const
    {
        return __half(__nv_cvt_fp8_to_halfraw(__x, SIMT_KIND));
    }
    SIMT_METHOD explicit operator float() const { return (float)(__half) * this; }
    SIMT_METHOD explicit operator double() const { return (double)(float)*this; }
    SIMT_METHOD explicit operator __nv_bfloat16() const { return __nv_bfloat16((float)*this); }
    SIMT_METHOD explicit operator bool() const { return (__x & 0x7f) != 0; }
    /* Toward zero; what does not fit ends at the bound. */
#define SIMT_TO(type)                                                                              \
    SIMT_METHOD explicit operator type() const { return (type)(__half) * this; }
    SIMT_TO(char)
    SIMT_TO(signed char)
    SIMT_TO(unsigned char)
    SIMT_TO(short)
    SIMT_TO(unsigned short)
    SIMT_TO(int)
    SIMT_TO(unsigned int)
    SIMT_TO(long)
    SIMT_TO(unsigned long)
    SIMT_TO(long long)
    SIMT_TO(unsigned long long)
#undef SIMT_TO
};

struct __attribute__((aligned(2))) SIMT_FP(x2) {
    __nv_fp8x2_storage_t __x;

    SIMT_FP(x2)() = default;
    SIMT_METHOD explicit SIMT_FP(x2)(__half2 v)
        : __x(__nv_cvt_halfraw2_to_fp8x2(v, __NV_SATFINITE, SIMT_KIND))
    {
    }
    SIMT_METHOD explicit SIMT_FP(x2)(__nv_bfloat162 v)
        : __x(__nv_cvt_bfloat16raw2_to_fp8x2(v, __NV_SATFINITE, SIMT_KIND))
    {
    }
    SIMT_METHOD explicit SIMT_FP(x2)(float2 v)
        : __x(__nv_cvt_float2_to_fp8x2(v, __NV_SATFINITE, SIMT_KIND))
    {
    }
    SIMT_METHOD explicit SIMT_FP(x2)(double2 v)
        : __x(__nv_cvt_double2_to_fp8x2(v, __NV_SATFINITE, SIMT_KIND))
    {
    }
    SIMT_METHOD explicit operator __half2() const
    {
        return __half2(__nv_cvt_fp8x2_to_halfraw2(__x, SIMT_KIND));
    }
    SIMT_METHOD explicit operator float2() const { return __half22float2((__half2) * this); }
};

struct __attribute__((aligned(4))) SIMT_FP(x4) {
    __nv_fp8x4_storage_t __x;

    SIMT_FP(x4)() = default;
    SIMT_METHOD SIMT_FP(x4)(SIMT_FP(x2) low, SIMT_FP(x2) high)
        : __x(low.__x | (unsigned int)high.__x << 16)
    {
    }
    SIMT_METHOD explicit SIMT_FP(x4)(__half2 low, __half2 high)
        : SIMT_FP(x4)(SIMT_FP(x2)(low), SIMT_FP(x2)(high))
    {
    }
    SIMT_METHOD explicit SIMT_FP(x4)(__nv_bfloat162 low, __nv_bfloat162 high)
        : SIMT_FP(x4)(SIMT_FP(x2)(low), SIMT_FP(x2)(high))
    {
    }
    SIMT_METHOD explicit SIMT_FP(x4)(float4 v)
        : SIMT_FP(x4)(SIMT_FP(x2)(make_float2(v.x, v.y)), SIMT_FP(x2)(make_float2(v.z, v.w)))
    {
    }
#define SIMT_FROM(type)                                                                            \
    SIMT_METHOD explicit SIMT_FP(x4)(type v)                                                       \
        : SIMT_FP(x4)(SIMT_FP(x2)(make_double2(v.x, v.y)), SIMT_FP(x2)(make_double2(v.z, v.w)))    \
    {                                                                                              \
    }
    SIMT_FROM(double4)
    SIMT_FROM(double4_16a)
    SIMT_FROM(double4_32a)
#undef SIMT_FROM
    SIMT_METHOD explicit operator float4() const
    {
        __half2 low(__nv_cvt_fp8x2_to_halfraw2((__nv_fp8x2_storage_t)__x, SIMT_KIND));
        __half2 high(__nv_cvt_fp8x2_to_halfraw2((__nv_fp8x2_storage_t)(__x >> 16), SIMT_KIND));
        return make_float4((float)low.x, (float)low.y, (float)high.x, (float)high.y);
    }
};

#undef SIMT_METHOD
#undef SIMT_FP
#undef SIMT_KIND
