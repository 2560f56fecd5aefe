/* simt/float8.h - the types of a float of 8, 6 or 4 bits: one, two and four numbers. Read once for
 * each format by cuda_fp8.h, cuda_fp6.h and cuda_fp4.h, with these defined:
 *
 *     SIMT_FP(suffix)           a type's name; the suffix is empty, x2 or x4 (left undefined)
 *     SIMT_KIND                 its interpretation (left undefined)
 *     SIMT_STORAGE(suffix)      the type of its bits
 *     SIMT_INTO(from, suffix, v)   converts v to nearest; what is too large becomes the largest number
 *     SIMT_OUT_OF(suffix, to, v)   converts to a half or to two
 *     SIMT_PAIR_BITS            of two numbers
 *     SIMT_MAGNITUDE            the bits of a number but for its sign
 */

struct SIMT_FP() {
    SIMT_STORAGE() __x;

    SIMT_FP()() = default;
    SIMT_METHOD explicit SIMT_FP()(__half v)
        : __x(SIMT_INTO(halfraw, , v))
    {
    }
    SIMT_METHOD explicit SIMT_FP()(__nv_bfloat16 v)
        : __x(SIMT_INTO(bfloat16raw, , v))
    {
    }
    SIMT_METHOD explicit SIMT_FP()(double v)
        : __x(SIMT_INTO(double, , v))
    {
    }
#define SIMT_FROM(type)                                                                            \
    SIMT_METHOD explicit SIMT_FP()(type v)                                                         \
        : __x(SIMT_INTO(float, , (float)v))                          \
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
        return __half(SIMT_OUT_OF(, halfraw, __x));
    }
    SIMT_METHOD explicit operator float() const { return (float)(__half) * this; }
    SIMT_METHOD explicit operator double() const { return (double)(float)*this; }
    SIMT_METHOD explicit operator __nv_bfloat16() const { return __nv_bfloat16((float)*this); }
    SIMT_METHOD explicit operator bool() const { return (__x & SIMT_MAGNITUDE) != 0; }
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

struct __attribute__((aligned(sizeof(SIMT_STORAGE(x2))))) SIMT_FP(x2) {
    SIMT_STORAGE(x2) __x;

    SIMT_FP(x2)() = default;
    SIMT_METHOD explicit SIMT_FP(x2)(__half2 v)
        : __x(SIMT_INTO(halfraw2, x2, v))
    {
    }
    SIMT_METHOD explicit SIMT_FP(x2)(__nv_bfloat162 v)
        : __x(SIMT_INTO(bfloat16raw2, x2, v))
    {
    }
    SIMT_METHOD explicit SIMT_FP(x2)(float2 v)
        : __x(SIMT_INTO(float2, x2, v))
    {
    }
    SIMT_METHOD explicit SIMT_FP(x2)(double2 v)
        : __x(SIMT_INTO(double2, x2, v))
    {
    }
    SIMT_METHOD explicit operator __half2() const
    {
        return __half2(SIMT_OUT_OF(x2, halfraw2, __x));
    }
    SIMT_METHOD explicit operator float2() const { return __half22float2((__half2) * this); }
};

struct __attribute__((aligned(sizeof(SIMT_STORAGE(x4))))) SIMT_FP(x4) {
    SIMT_STORAGE(x4) __x;

    SIMT_FP(x4)() = default;
    SIMT_METHOD SIMT_FP(x4)(SIMT_FP(x2) low, SIMT_FP(x2) high)
        : __x((SIMT_STORAGE(x4))(low.__x | (unsigned int)high.__x << SIMT_PAIR_BITS))
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
        __half2 low(SIMT_OUT_OF(x2, halfraw2, (SIMT_STORAGE(x2))__x));
        __half2 high(SIMT_OUT_OF(x2, halfraw2, (SIMT_STORAGE(x2))(__x >> SIMT_PAIR_BITS)));
        return make_float4((float)low.x, (float)low.y, (float)high.x, (float)high.y);
    }
};

#undef SIMT_FP
#undef SIMT_KIND
