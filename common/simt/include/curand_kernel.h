/* curand_kernel.h - random numbers in kernels: XORWOW (curandState), Philox4_32_10 and MRG32k3a, their
 * uniform, normal and Poisson distributions, and Sobol' sequences, plain and scrambled. Written to the cuRAND
 * documentation and the papers that it names: Marsaglia, "Xorshift RNGs" (2003); Salmon et al.,
 * "Parallel Random Numbers: As Easy as 1, 2, 3" (2011).
 *
 * The 32-bit numbers and the uniform ones are those of NVIDIA's header, bit for bit. */
#ifndef SIMT_CURAND_KERNEL_H
#define SIMT_CURAND_KERNEL_H
#define CURAND_KERNEL_H_ /* programs ask for the header by NVIDIA's guard */

#include "cuda_runtime.h"

/* States: the host's code, too, allocates them. */
struct curandStateXORWOW {
    unsigned int d, v[5];
    int boxmuller_flag,
        boxmuller_flag_double; /* whether the second of two normal numbers is kept */
    float boxmuller_extra;
    double boxmuller_extra_double;
};
typedef struct curandStateXORWOW curandStateXORWOW_t;
typedef struct curandStateXORWOW curandState_t;
typedef struct curandStateXORWOW curandState;

struct curandStatePhilox4_32_10 {
    uint4 ctr, output; /* the counter, and the four numbers that it gives */
    uint2 key;
    unsigned int STATE; /* how many of them have been drawn */
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
};
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

struct curandStateMRG32k3a {
    unsigned int s1[3], s2[3]; /* of the two recurrences, the oldest first */
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
};
typedef struct curandStateMRG32k3a curandStateMRG32k3a_t;

#if defined(__CUDA__)

#include "simt/mrg32k3a.h"
#include "simt/xorwow_jumps.h"

/* ------------------------------------------------------------- XORWOW */

SIMT_DEVICE unsigned int curand(curandStateXORWOW_t *s)
{
    simt_xorwow_step(s->v);
    s->d += 362437;
    return s->v[4] + s->d;
}
/* As if `n` numbers had been drawn, or n times 2^67. */
static __inline__ __device__ void skipahead(unsigned long long n, curandStateXORWOW_t *s)
{
    simt_xorwow_jump(s->v, n, simt_xorwow_jumps);
    s->d += 362437u * (unsigned int)n;
}
static __inline__ __device__ void skipahead_sequence(unsigned long long n, curandStateXORWOW_t *s)
{
    simt_xorwow_jump(s->v, n, simt_xorwow_jumps + SIMT_XORWOW_BITS);
}
static __inline__ __device__ void curand_init(unsigned long long seed,
                                              unsigned long long subsequence,
                                              unsigned long long offset, curandStateXORWOW_t *s)
{
    unsigned int low = 1099087573u * ((unsigned int)seed ^ 0xaad26b49u);
    unsigned int high = 2591861531u * ((unsigned int)(seed >> 32) ^ 0xf7dcefddu);
    s->d = 6615241u + high + low;
    s->v[0] = 123456789u + low;
    s->v[1] = 362436069u ^ low;
    s->v[2] = 521288629u + high;
    s->v[3] = 88675123u ^ high;
    s->v[4] = 5783321u + low;
    skipahead_sequence(subsequence, s);
    skipahead(offset, s);
    s->boxmuller_flag = s->boxmuller_flag_double = 0;
    s->boxmuller_extra = 0;
    s->boxmuller_extra_double = 0;
}

/* ------------------------------------------------------------- Philox4_32_10 */

SIMT_DEVICE uint4 curand_Philox4x32_10(uint4 c, uint2 key)
{
    for (int round = 0; round < 10; round++) {
        unsigned int high0 = __umulhi(0xd2511f53u, c.x), low0 = 0xd2511f53u * c.x;
        unsigned int high1 = __umulhi(0xcd9e8d57u, c.z), low1 = 0xcd9e8d57u * c.z;
        c = make_uint4(high1 ^ c.y ^ key.x, low1, high0 ^ c.w ^ key.y, low0);
        key.x += 0x9e3779b9u;
        key.y += 0xbb67ae85u;
    }
    return c;
}
/* Adds to the counter of 128 bits, at its lower or its upper half. */
SIMT_DEVICE void simt_philox_add(curandStatePhilox4_32_10_t *s, unsigned long long n)
{
    unsigned long long low = ((unsigned long long)s->ctr.y << 32 | s->ctr.x) + n;
    s->ctr.x = (unsigned int)low;
    s->ctr.y = (unsigned int)(low >> 32);
    if (low < n) {
        s->ctr.z++;
        s->ctr.w += s->ctr.z == 0;
    }
}
SIMT_DEVICE void skipahead(unsigned long long n, curandStatePhilox4_32_10_t *s)
{
    s->STATE += (unsigned int)n & 3;
    simt_philox_add(s, n / 4 + (s->STATE > 3));
    s->STATE &= 3;
    s->output = curand_Philox4x32_10(s->ctr, s->key);
}
SIMT_DEVICE void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10_t *s)
{
    unsigned long long high = ((unsigned long long)s->ctr.w << 32 | s->ctr.z) + n;
    s->ctr.z = (unsigned int)high;
    s->ctr.w = (unsigned int)(high >> 32);
    s->output = curand_Philox4x32_10(s->ctr, s->key);
}
SIMT_DEVICE void curand_init(unsigned long long seed, unsigned long long subsequence,
                             unsigned long long offset, curandStatePhilox4_32_10_t *s)
{
    s->ctr = make_uint4(0, 0, 0, 0);
    s->key = make_uint2((unsigned int)seed, (unsigned int)(seed >> 32));
    s->STATE = 0;
    s->boxmuller_flag = s->boxmuller_flag_double = 0;
    s->boxmuller_extra = 0;
    s->boxmuller_extra_double = 0;
    skipahead_sequence(subsequence, s);
    skipahead(offset, s);
}
SIMT_DEVICE unsigned int curand(curandStatePhilox4_32_10_t *s)
{
    unsigned int result = s->STATE == 0   ? s->output.x
                          : s->STATE == 1 ? s->output.y
                          : s->STATE == 2 ? s->output.z
                                          : s->output.w;
    if (++s->STATE == 4) {
        s->STATE = 0;
        simt_philox_add(s, 1);
        s->output = curand_Philox4x32_10(s->ctr, s->key);
    }
    return result;
}
SIMT_DEVICE uint4 curand4(curandStatePhilox4_32_10_t *s)
{
    uint4 a = s->output;
    simt_philox_add(s, 1);
    uint4 b = s->output = curand_Philox4x32_10(s->ctr, s->key);
    switch (s->STATE) {
    case 0:
        return a;
    case 1:
        return make_uint4(a.y, a.z, a.w, b.x);
    case 2:
        return make_uint4(a.z, a.w, b.x, b.y);
    default:
        return make_uint4(a.w, b.x, b.y, b.z);
    }
}

/* ------------------------------------------------------------- distributions */

#define CURAND_2POW32_INV        2.3283064e-10f
#define CURAND_2POW32_INV_DOUBLE 2.3283064365386963e-10
#define CURAND_2POW53_INV_DOUBLE 1.1102230246251565e-16
#define CURAND_2POW32_INV_2PI    (2.3283064e-10f * 6.2831855f)

/* Above 0, up to 1. */
SIMT_DEVICE float simt_uniform(unsigned int x)
{
    return (float)x * CURAND_2POW32_INV + CURAND_2POW32_INV / 2.0f;
}
SIMT_DEVICE double simt_uniform_double(unsigned int x)
{
    return x * CURAND_2POW32_INV_DOUBLE + CURAND_2POW32_INV_DOUBLE;
}
SIMT_DEVICE double simt_uniform_double(unsigned int x, unsigned int y)
{
    unsigned long long z = x ^ (unsigned long long)y << 21;
    return (double)z * CURAND_2POW53_INV_DOUBLE + CURAND_2POW53_INV_DOUBLE / 2.0;
}
/* Two normal numbers of two uniform ones (Box and Muller). */
SIMT_DEVICE float2 simt_normal(unsigned int x, unsigned int y)
{
    float angle = (float)y * CURAND_2POW32_INV_2PI + CURAND_2POW32_INV_2PI / 2.0f;
    float length = sqrtf(-2.0f * logf(simt_uniform(x))), sine, cosine;
    __sincosf(angle, &sine, &cosine);
    return make_float2(sine * length, cosine * length);
}
SIMT_DEVICE double2 simt_normal(unsigned int x0, unsigned int x1, unsigned int y0, unsigned int y1)
{
    unsigned long long y = y0 ^ (unsigned long long)y1 << 21;
    double half_turns = (double)y * (CURAND_2POW53_INV_DOUBLE * 2.0) + CURAND_2POW53_INV_DOUBLE;
    double length = sqrt(-2.0 * log(simt_uniform_double(x0, x1))), sine, cosine;
    sincospi(half_turns, &sine, &cosine);
    return make_double2(sine * length, cosine * length);
}

#define SIMT_UNIFORM_BITS(state)                                                                   \
    SIMT_DEVICE float curand_uniform(state *s) { return simt_uniform(curand(s)); }                 \
    SIMT_DEVICE float2 curand_normal2(state *s)                                                    \
    {                                                                                              \
        unsigned int x = curand(s), y = curand(s);                                                 \
        return simt_normal(x, y);                                                                  \
    }                                                                                              \
    SIMT_DEVICE double2 curand_normal2_double(state *s)                                            \
    {                                                                                              \
        unsigned int a = curand(s), b = curand(s), c = curand(s), d = curand(s);                   \
        return simt_normal(a, b, c, d);                                                            \
    }
SIMT_UNIFORM_BITS(curandStateXORWOW_t)
SIMT_UNIFORM_BITS(curandStatePhilox4_32_10_t)
#undef SIMT_UNIFORM_BITS

#define SIMT_DISTRIBUTIONS(state)                                                                  \
    SIMT_DEVICE float curand_normal(state *s)                                                      \
    {                                                                                              \
        s->boxmuller_flag = !s->boxmuller_flag;                                                    \
        if (!s->boxmuller_flag) {                                                                  \
            return s->boxmuller_extra;                                                             \
        }                                                                                          \
        float2 both = curand_normal2(s);                                                           \
        s->boxmuller_extra = both.y;                                                               \
        return both.x;                                                                             \
    }                                                                                              \
    SIMT_DEVICE double curand_normal_double(state *s)                                              \
    {                                                                                              \
        s->boxmuller_flag_double = !s->boxmuller_flag_double;                                      \
        if (!s->boxmuller_flag_double) {                                                           \
            return s->boxmuller_extra_double;                                                      \
        }                                                                                          \
        double2 both = curand_normal2_double(s);                                                   \
        s->boxmuller_extra_double = both.y;                                                        \
        return both.x;                                                                             \
    }                                                                                              \
    SIMT_DEVICE float curand_log_normal(state *s, float mean, float deviation)                     \
    {                                                                                              \
        return expf(mean + deviation * curand_normal(s));                                          \
    }                                                                                              \
    SIMT_DEVICE double curand_log_normal_double(state *s, double mean, double deviation)           \
    {                                                                                              \
        return exp(mean + deviation * curand_normal_double(s));                                    \
    }                                                                                              \
    SIMT_DEVICE float2 curand_log_normal2(state *s, float mean, float deviation)                   \
    {                                                                                              \
        float2 n = curand_normal2(s);                                                              \
        return make_float2(expf(mean + deviation * n.x), expf(mean + deviation * n.y));            \
    }                                                                                              \
    SIMT_DEVICE double2 curand_log_normal2_double(state *s, double mean, double deviation)         \
    {                                                                                              \
        double2 n = curand_normal2_double(s);                                                      \
        return make_double2(exp(mean + deviation * n.x), exp(mean + deviation * n.y));             \
    }
SIMT_DISTRIBUTIONS(curandStateXORWOW_t)
SIMT_DISTRIBUTIONS(curandStatePhilox4_32_10_t)
SIMT_DISTRIBUTIONS(curandStateMRG32k3a_t)
#undef SIMT_DISTRIBUTIONS

SIMT_DEVICE double curand_uniform_double(curandStateXORWOW_t *s)
{
    unsigned int x = curand(s), y = curand(s);
    return simt_uniform_double(x, y);
}
SIMT_DEVICE double curand_uniform_double(curandStatePhilox4_32_10_t *s)
{
    return simt_uniform_double(curand(s));
}
SIMT_DEVICE float4 curand_uniform4(curandStatePhilox4_32_10_t *s)
{
    uint4 x = curand4(s);
    return make_float4(simt_uniform(x.x), simt_uniform(x.y), simt_uniform(x.z), simt_uniform(x.w));
}
SIMT_DEVICE double2 curand_uniform2_double(curandStatePhilox4_32_10_t *s)
{
    uint4 x = curand4(s);
    return make_double2(simt_uniform_double(x.x, x.y), simt_uniform_double(x.z, x.w));
}
SIMT_DEVICE float4 curand_normal4(curandStatePhilox4_32_10_t *s)
{
    uint4 x = curand4(s);
    float2 a = simt_normal(x.x, x.y), b = simt_normal(x.z, x.w);
    return make_float4(a.x, a.y, b.x, b.y);
}
SIMT_DEVICE float4 curand_log_normal4(curandStatePhilox4_32_10_t *s, float mean, float deviation)
{
    float4 n = curand_normal4(s);
    return make_float4(expf(mean + deviation * n.x), expf(mean + deviation * n.y),
                       expf(mean + deviation * n.z), expf(mean + deviation * n.w));
}

#include "simt/sobol.h"

/* ------------------------------------------------------------- Poisson numbers */

/* Below this mean by products of uniform numbers (Knuth, "The Art of Computer Programming", 3.4.1),
 * whose count grows with the mean; above it by transformed rejection (Hormann, "The transformed
 * rejection method for generating Poisson random variables", 1993, algorithm PTRS), which draws
 * two numbers or a few more. Both are exact; the first gives the numbers of NVIDIA's header. */
#define SIMT_POISSON_FEW 64.0

struct simt_poisson {
    double mean, log_mean, a, b, inverse_alpha, v_limit;
    __attribute__((device, always_inline, nodebug)) explicit simt_poisson(double lambda)
        : mean(lambda), log_mean(log(lambda))
    {
        b = 0.931 + 2.53 * sqrt(mean);
        a = -0.059 + 0.02483 * b;
        inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
        v_limit = 0.9277 - 3.6224 / (b - 2.0);
    }
    /* Does the pair (u, v) give a number? */
    __attribute__((device, always_inline, nodebug)) bool takes(double u, double v,
                                                               unsigned int *number) const
    {
        double middle = u - 0.5, side = 0.5 - fabs(middle);
        double k = floor((2.0 * a / side + b) * middle + mean + 0.43);
        *number = (unsigned int)k;
        if (side >= 0.07 && v <= v_limit) {
            return true;
        }
        if (k < 0 || (side < 0.013 && v > side)) {
            return false;
        }
        return log(v * inverse_alpha / (a / (side * side) + b)) <=
               k * log_mean - mean - lgamma(k + 1.0);
    }
};

template <typename State>
static __inline__ __device__ unsigned int simt_poisson_of(State *s, double lambda)
{
    unsigned int number = 0;
    if (lambda < SIMT_POISSON_FEW) {
        double limit = exp(-lambda), product = curand_uniform(s);
        for (; product > limit; number++) {
            product *= curand_uniform(s);
        }
        return number;
    }
    const simt_poisson wanted(lambda);
    double u, v;
    do {
        u = simt_uniform_double(curand(s));
        v = simt_uniform_double(curand(s));
    } while (!wanted.takes(u, v, &number));
    return number;
}
SIMT_DEVICE unsigned int curand_poisson(curandStateXORWOW_t *s, double lambda)
{
    return simt_poisson_of(s, lambda);
}
SIMT_DEVICE unsigned int curand_poisson(curandStatePhilox4_32_10_t *s, double lambda)
{
    return simt_poisson_of(s, lambda);
}
SIMT_DEVICE unsigned int curand_poisson(curandStateMRG32k3a_t *s, double lambda)
{
    return simt_poisson_of(s, lambda);
}
SIMT_DEVICE uint4 curand_poisson4(curandStatePhilox4_32_10_t *s, double lambda)
{
    uint4 four;
    four.x = simt_poisson_of(s, lambda);
    four.y = simt_poisson_of(s, lambda);
    four.z = simt_poisson_of(s, lambda);
    four.w = simt_poisson_of(s, lambda);
    return four;
}
#undef SIMT_POISSON_FEW

#endif

#endif
