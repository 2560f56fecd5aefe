/* mrg32k3a.h - the generator of curandStateMRG32k3a: L'Ecuyer, "Good parameters and implementations
 * for combined multiple recursive random number generators" (1999). Part of curand_kernel.h, which
 * includes it.
 *
 * Two recurrences of order three, modulo m1 and m2; jumps ahead are powers of their matrices. The
 * numbers, and the distances of sequences (2^127) and of subsequences (2^76), are NVIDIA's. */
#ifndef SIMT_MRG32K3A_H
#define SIMT_MRG32K3A_H

#define SIMT_MRG_M1 4294967087ull
#define SIMT_MRG_M2 4294944443ull

struct simt_mrg_matrix {
    unsigned int row[3][3];
};

/* One step, 2^76 steps and 2^127 steps of either recurrence. */
static __attribute__((device)) const simt_mrg_matrix simt_mrg_jumps[3][2] = {
    {{{{0u, 1u, 0u}, {0u, 0u, 1u}, {4294156359u, 1403580u, 0u}}},
     {{{0u, 1u, 0u}, {0u, 0u, 1u}, {4293573854u, 0u, 527612u}}}},
    {{{{82758667u, 1871391091u, 4127413238u},
       {3672831523u, 69195019u, 1871391091u},
       {3672091415u, 3528743235u, 69195019u}}},
     {{{1511326704u, 3759209742u, 1610795712u},
       {4292754251u, 1511326704u, 3889917532u},
       {3859662829u, 4292754251u, 3708466080u}}}},
    {{{{2427906178u, 3580155704u, 949770784u},
       {226153695u, 1230515664u, 3580155704u},
       {1988835001u, 986791581u, 1230515664u}}},
     {{{1464411153u, 277697599u, 1610723613u},
       {32183930u, 1464411153u, 1022607788u},
       {2824425944u, 32183930u, 2093834863u}}}},
};

static __inline__ __device__ simt_mrg_matrix simt_mrg_multiply(const simt_mrg_matrix &a,
                                                               const simt_mrg_matrix &b,
                                                               unsigned long long modulus)
{
    simt_mrg_matrix product;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            unsigned long long sum = 0;
            for (int k = 0; k < 3; k++) {
                sum = (sum + (unsigned long long)a.row[i][k] * b.row[k][j] % modulus) % modulus;
            }
            product.row[i][j] = (unsigned int)sum;
        }
    }
    return product;
}

/* The state of a recurrence after n jumps. */
static __inline__ __device__ void simt_mrg_jump(unsigned int state[3], simt_mrg_matrix jump,
                                                unsigned long long n, unsigned long long modulus)
{
    for (; n != 0; n >>= 1) {
        if (n & 1) {
            unsigned int next[3];
            for (int i = 0; i < 3; i++) {
                unsigned long long sum = 0;
                for (int k = 0; k < 3; k++) {
                    sum = (sum + (unsigned long long)jump.row[i][k] * state[k] % modulus) % modulus;
                }
                next[i] = (unsigned int)sum;
            }
            for (int i = 0; i < 3; i++) {
                state[i] = next[i];
            }
        }
        if (n > 1) {
            jump = simt_mrg_multiply(jump, jump, modulus);
        }
    }
}

#define SIMT_MRG_SKIP(name, which)                                                                 \
    static __inline__ __device__ void name(unsigned long long n, curandStateMRG32k3a_t *s)         \
    {                                                                                              \
        simt_mrg_jump(s->s1, simt_mrg_jumps[which][0], n, SIMT_MRG_M1);                            \
        simt_mrg_jump(s->s2, simt_mrg_jumps[which][1], n, SIMT_MRG_M2);                            \
    }
SIMT_MRG_SKIP(skipahead, 0)
SIMT_MRG_SKIP(skipahead_subsequence, 1)
SIMT_MRG_SKIP(skipahead_sequence, 2)
#undef SIMT_MRG_SKIP

/* Without a seed the state of the paper's example; the halves of a seed scramble it in turn. */
static __inline__ __device__ void curand_init(unsigned long long seed,
                                              unsigned long long subsequence,
                                              unsigned long long offset, curandStateMRG32k3a_t *s)
{
    const unsigned long long halves[2] = {(unsigned int)seed ^ 0x55555555u,
                                          (unsigned int)(seed >> 32) ^ 0xaaaaaaaau};
    for (int i = 0; i < 3; i++) {
        s->s1[i] = (unsigned int)(seed != 0 ? halves[i & 1] * 12345 % SIMT_MRG_M1 : 12345);
        s->s2[i] = (unsigned int)(seed != 0 ? halves[~i & 1] * 12345 % SIMT_MRG_M2 : 12345);
    }
    s->boxmuller_flag = s->boxmuller_flag_double = 0;
    s->boxmuller_extra = 0;
    s->boxmuller_extra_double = 0;
    skipahead_subsequence(subsequence, s);
    skipahead(offset, s);
}

/* The next number of the combined generator, from 1 to m1. */
SIMT_DEVICE double curand_MRG32k3a(curandStateMRG32k3a_t *s)
{
    const unsigned long long a =
        (1403580ull * s->s1[1] + 810728ull * (SIMT_MRG_M1 - s->s1[0])) % SIMT_MRG_M1;
    const unsigned long long b =
        (527612ull * s->s2[2] + 1370589ull * (SIMT_MRG_M2 - s->s2[0])) % SIMT_MRG_M2;
    s->s1[0] = s->s1[1];
    s->s1[1] = s->s1[2];
    s->s1[2] = (unsigned int)a;
    s->s2[0] = s->s2[1];
    s->s2[1] = s->s2[2];
    s->s2[2] = (unsigned int)b;
    return (double)(a > b ? a - b : a + SIMT_MRG_M1 - b);
}

/* Spread over 32 bits. */
SIMT_DEVICE unsigned int curand(curandStateMRG32k3a_t *s)
{
    return (unsigned int)(curand_MRG32k3a(s) * 1.000000048662);
}
SIMT_DEVICE double curand_uniform_double(curandStateMRG32k3a_t *s)
{
    return curand_MRG32k3a(s) * 2.3283065498378288e-10; /* 1 / m1 */
}
SIMT_DEVICE float curand_uniform(curandStateMRG32k3a_t *s)
{
    return (float)curand_uniform_double(s);
}
SIMT_DEVICE float2 curand_normal2(curandStateMRG32k3a_t *s)
{
    float x = curand_uniform(s), angle = curand_uniform(s) * 6.2831855f;
    float length = sqrtf(-2.0f * logf(x)), sine, cosine;
    __sincosf(angle, &sine, &cosine);
    return make_float2(sine * length, cosine * length);
}
SIMT_DEVICE double2 curand_normal2_double(curandStateMRG32k3a_t *s)
{
    double x = curand_uniform_double(s), half_turns = curand_uniform_double(s) * 2.0;
    double length = sqrt(-2.0 * log(x)), sine, cosine;
    sincospi(half_turns, &sine, &cosine);
    return make_double2(sine * length, cosine * length);
}

#endif
