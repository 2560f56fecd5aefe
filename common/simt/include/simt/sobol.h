/* sobol.h - Sobol' sequences of 32 and of 64 bits in kernels, plain and scrambled: their states and
 * distributions. Part of curand_kernel.h, which includes it.
 *
 * The number at position i + 1 differs from that at i by one direction vector; a scrambled sequence
 * begins with its constant instead of 0. Normal numbers come one from one, by the inverse of the
 * distribution, so that a sequence stays one. */
#ifndef SIMT_SIMT_SOBOL_H
#define SIMT_SIMT_SOBOL_H

#define SIMT_SOBOL_STEP(state, word, bits)                                                         \
    typedef struct state state##_t;                                                                \
    static __inline__ __device__ void skipahead(word n, state##_t *s)                              \
    {                                                                                              \
        s->i += n;                                                                                 \
        s->x = s->c;                                                                               \
        word gray = s->i ^ s->i >> 1;                                                              \
        for (int k = 0; k < bits; k++) {                                                           \
            s->x ^= gray >> k & 1 ? s->direction_vectors[k] : 0;                                   \
        }                                                                                          \
    }                                                                                              \
    static __inline__ __device__ void simt_sobol_init(const word *vectors, word constant,          \
                                                      word offset, state##_t *s)                   \
    {                                                                                              \
        for (int k = 0; k < bits; k++) {                                                           \
            s->direction_vectors[k] = vectors[k];                                                  \
        }                                                                                          \
        s->i = 0;                                                                                  \
        s->c = constant;                                                                           \
        skipahead(offset, s);                                                                      \
    }                                                                                              \
    SIMT_DEVICE word curand(state##_t *s)                                                          \
    {                                                                                              \
        word x = s->x;                                                                             \
        int k = 0;                                                                                 \
        while (s->i >> k & 1) {                                                                    \
            k++;                                                                                   \
        }                                                                                          \
        s->x ^= s->direction_vectors[k < bits ? k : bits - 1];                                     \
        s->i++;                                                                                    \
        return x;                                                                                  \
    }                                                                                              \
    SIMT_DEVICE float curand_uniform(state##_t *s)                                                 \
    {                                                                                              \
        return simt_uniform((unsigned int)(curand(s) >> (bits - 32)));                             \
    }                                                                                              \
    SIMT_DEVICE double curand_uniform_double(state##_t *s)                                         \
    {                                                                                              \
        return simt_sobol_double(curand(s));                                                       \
    }                                                                                              \
    SIMT_DEVICE float curand_normal(state##_t *s)                                                  \
    {                                                                                              \
        return simt_sobol_normal((unsigned int)(curand(s) >> (bits - 32)));                        \
    }                                                                                              \
    SIMT_DEVICE double curand_normal_double(state##_t *s)                                          \
    {                                                                                              \
        return normcdfinv(simt_sobol_double(curand(s)));                                           \
    }                                                                                              \
    SIMT_DEVICE float curand_log_normal(state##_t *s, float mean, float deviation)                 \
    {                                                                                              \
        return expf(mean + deviation * curand_normal(s));                                          \
    }                                                                                              \
    SIMT_DEVICE double curand_log_normal_double(state##_t *s, double mean, double deviation)       \
    {                                                                                              \
        return exp(mean + deviation * curand_normal_double(s));                                    \
    }

#define SIMT_SOBOL(bits, word)                                                                     \
    typedef word curandDirectionVectors##bits##_t[bits];                                           \
    struct curandStateSobol##bits {                                                                \
        word i, x, c;                                                                              \
        word direction_vectors[bits];                                                              \
    };                                                                                             \
    struct curandStateScrambledSobol##bits {                                                       \
        word i, x, c;                                                                              \
        word direction_vectors[bits];                                                              \
    };                                                                                             \
    SIMT_SOBOL_STEP(curandStateSobol##bits, word, bits)                                            \
    SIMT_SOBOL_STEP(curandStateScrambledSobol##bits, word, bits)                                   \
    static __inline__ __device__ void curand_init(word *vectors, word offset,                      \
                                                  curandStateSobol##bits##_t *s)                   \
    {                                                                                              \
        simt_sobol_init(vectors, 0, offset, s);                                                    \
    }                                                                                              \
    static __inline__ __device__ void curand_init(word *vectors, word constant, word offset,       \
                                                  curandStateScrambledSobol##bits##_t *s)          \
    {                                                                                              \
        simt_sobol_init(vectors, constant, offset, s);                                             \
    }

SIMT_DEVICE double simt_sobol_double(unsigned int x) { return simt_uniform_double(x); }
SIMT_DEVICE double simt_sobol_double(unsigned long long x)
{
    return (double)(x >> 11) * CURAND_2POW53_INV_DOUBLE + CURAND_2POW53_INV_DOUBLE / 2.0;
}
/* Of the upper half the negative of the lower half's, whose small numbers are exact. */
SIMT_DEVICE float simt_sobol_normal(unsigned int x)
{
    const bool upper = x > 0x80000000u;
    const float n = normcdfinvf(simt_uniform(upper ? 0xffffffffu - x : x));
    return upper ? -n : n;
}
SIMT_SOBOL(32, unsigned int)
SIMT_SOBOL(64, unsigned long long)
#undef SIMT_SOBOL
#undef SIMT_SOBOL_STEP

#endif
