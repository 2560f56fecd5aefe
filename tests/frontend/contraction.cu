/* Products and sums that ptxas joins to an fma, which rounds once, and those that it leaves apart:
 * what mul, add and sub give for each type, beside what fma.rn, or mul.rn and add.rn, give. Some
 * operands must tell the two apart. */
/* flags: -arch=sm_90 */
#include "check.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

enum { THREADS = 256, OPERANDS = THREADS + 3 };

#define PTX2(letter, word, op)                                                                     \
    word d;                                                                                        \
    asm(op " %0, %1;" : "=" letter(d) : letter(a));                                                \
    return d
#define PTX3(letter, word, op)                                                                     \
    word d;                                                                                        \
    asm(op " %0, %1, %2;" : "=" letter(d) : letter(a), letter(b));                                 \
    return d
#define PTX4(letter, word, op)                                                                     \
    word d;                                                                                        \
    asm(op " %0, %1, %2, %3;" : "=" letter(d) : letter(a), letter(b), letter(c));                  \
    return d

/* A type's instructions, on words of its size. */
#define TYPE(type, word, letter, bias, fraction, halves)                                           \
    struct type {                                                                                  \
        typedef word w;                                                                            \
        enum { BIAS = bias, FRACTION = fraction, HALVES = halves };                                \
        static __device__ w neg(w a) { PTX2(letter, w, "neg." #type); }                            \
        static __device__ w mul(w a, w b) { PTX3(letter, w, "mul." #type); }                       \
        static __device__ w add(w a, w b) { PTX3(letter, w, "add." #type); }                       \
        static __device__ w sub(w a, w b) { PTX3(letter, w, "sub." #type); }                       \
        static __device__ w mul_rn(w a, w b) { PTX3(letter, w, "mul.rn." #type); }                 \
        static __device__ w add_rn(w a, w b) { PTX3(letter, w, "add.rn." #type); }                 \
        static __device__ w fma(w a, w b, w c) { PTX4(letter, w, "fma.rn." #type); }               \
    };
TYPE(f16, unsigned short, "h", 15, 10, 1)
TYPE(bf16, unsigned short, "h", 127, 7, 1)
TYPE(f16x2, unsigned, "r", 15, 10, 2)
TYPE(bf16x2, unsigned, "r", 127, 7, 2)
TYPE(f32, float, "f", 127, 23, 1)
TYPE(f64, double, "d", 1023, 52, 1)

/* A kernel of its own for each: another reader of the same product would change what ptxas does. */
enum form {
    SUM,
    SUM_REVERSED,
    LESS_SUMMAND,
    LESS_PRODUCT,
    TWO_SUMS,
    TWO_PRODUCTS,
    LESS_SECOND_PRODUCT,
    JOINED_FORMS,
    PRODUCT_KEPT = JOINED_FORMS,
    PRODUCT_IN_FMA,
    ROUNDED_PRODUCT,
    ROUNDED_SUM,
    IN_TWO_BLOCKS,
    FORMS
};

template <class P, int FORM>
__global__ void form(const typename P::w *in, typename P::w *out, typename P::w *kept)
{
    const int i = (int)threadIdx.x;
    const typename P::w a = in[i], b = in[i + 1], c = in[i + 2], d = in[i + 3];
    const typename P::w m = FORM == ROUNDED_PRODUCT ? P::mul_rn(a, b) : P::mul(a, b);
    if (FORM == TWO_SUMS)
        kept[i] = P::sub(d, m);
    if (FORM == PRODUCT_KEPT)
        kept[i] = m;
    if (FORM == PRODUCT_IN_FMA)
        kept[i] = P::fma(m, d, c);
    if (FORM == IN_TWO_BLOCKS && i < 128)
        __nanosleep(1);
    if (FORM == SUM_REVERSED)
        out[i] = P::add(c, m);
    else if (FORM == LESS_SUMMAND)
        out[i] = P::sub(m, c);
    else if (FORM == LESS_PRODUCT)
        out[i] = P::sub(c, m);
    else if (FORM == TWO_PRODUCTS)
        out[i] = P::add(m, P::mul(c, d));
    else if (FORM == LESS_SECOND_PRODUCT)
        out[i] = P::sub(m, P::mul(c, d));
    else if (FORM == ROUNDED_SUM)
        out[i] = P::add_rn(m, c);
    else
        out[i] = P::add(m, c);
}

/* Rounded once, and twice. */
template <class P>
__global__ void reference(const typename P::w *in, int form, typename P::w *once,
                          typename P::w *twice)
{
    const int i = (int)threadIdx.x;
    typename P::w a = in[i], b = in[i + 1], c = in[i + 2];
    if (form == TWO_PRODUCTS || form == LESS_SECOND_PRODUCT)
        c = P::mul_rn(c, in[i + 3]);
    if (form == LESS_SUMMAND || form == LESS_SECOND_PRODUCT)
        c = P::neg(c);
    if (form == LESS_PRODUCT)
        a = P::neg(a);
    once[i] = P::fma(a, b, c);
    twice[i] = P::add_rn(P::mul_rn(a, b), c);
}

template <class P, int FORM>
static void check_form(const char *type, const typename P::w *in, typename P::w *out)
{
    const size_t size = sizeof(typename P::w);
    typename P::w *once = out + THREADS, *twice = once + THREADS, *kept = twice + THREADS;
    int distinct = 0, wrong = 0;
    form<P, FORM><<<1, THREADS>>>(in, out, kept);
    reference<P><<<1, THREADS>>>(in, FORM, once, twice);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < THREADS; i++) {
        distinct += memcmp(once + i, twice + i, size) != 0;
        wrong += memcmp(out + i, (FORM < JOINED_FORMS ? once : twice) + i, size) != 0;
    }
    if (wrong > 0 || distinct == 0) {
        check_failures++;
        printf("%s, form %d: %d of %d are wrong (%d tell one rounding from two)\n", type, FORM,
               wrong, THREADS, distinct);
    }
}

/* Numbers between 1/8 and 8, of either sign, with all bits of their fraction. */
template <class P> static void fill(typename P::w *in)
{
    unsigned long long state = 88172645463325252ull;
    const int bits = (int)(8 * sizeof(typename P::w) / P::HALVES);
    for (int i = 0; i < OPERANDS; i++) {
        unsigned long long word = 0;
        for (int half = 0; half < P::HALVES; half++) {
            state ^= state << 13, state ^= state >> 7, state ^= state << 17;
            const unsigned long long exponent = P::BIAS - 3 + (state >> 58) % 6;
            const unsigned long long fraction = state & ((1ull << P::FRACTION) - 1);
            word |= ((state >> 57 & 1) << (bits - 1) | exponent << P::FRACTION | fraction)
                    << half * bits;
        }
        memcpy(in + i, &word, sizeof *in);
    }
}

template <class P> static void check_type(const char *type)
{
    typename P::w *in = make_array<typename P::w>(OPERANDS),
                  *out = make_array<typename P::w>(4 * THREADS);
    fill<P>(in);
    check_form<P, SUM>(type, in, out);
    check_form<P, SUM_REVERSED>(type, in, out);
    check_form<P, LESS_SUMMAND>(type, in, out);
    check_form<P, LESS_PRODUCT>(type, in, out);
    check_form<P, TWO_SUMS>(type, in, out);
    check_form<P, TWO_PRODUCTS>(type, in, out);
    check_form<P, LESS_SECOND_PRODUCT>(type, in, out);
    check_form<P, PRODUCT_KEPT>(type, in, out);
    check_form<P, PRODUCT_IN_FMA>(type, in, out);
    check_form<P, ROUNDED_PRODUCT>(type, in, out);
    check_form<P, ROUNDED_SUM>(type, in, out);
    check_form<P, IN_TWO_BLOCKS>(type, in, out);
}

/* The functions of the headers: those that end in _rn are never joined. */
__global__ void of_headers(const __half *h, const __nv_bfloat16 *f, int *same)
{
    const int i = (int)threadIdx.x;
    same[i] = __heq(h[i] * h[i + 1] + h[i + 2], __hfma(h[i], h[i + 1], h[i + 2]));
    same[i] += __heq(f[i] * f[i + 1] + f[i + 2], __hfma(f[i], f[i + 1], f[i + 2]));
}

__global__ void of_headers_rounded(const __half *h, const __nv_bfloat16 *f, int *same)
{
    const int i = (int)threadIdx.x;
    same[i] =
        __heq(__hadd_rn(__hmul_rn(h[i], h[i + 1]), h[i + 2]), __hfma(h[i], h[i + 1], h[i + 2]));
    same[i] +=
        __heq(__hadd_rn(__hmul_rn(f[i], f[i + 1]), f[i + 2]), __hfma(f[i], f[i + 1], f[i + 2]));
}

static int total(const int *counts)
{
    int sum = 0;
    for (int i = 0; i < THREADS; i++)
        sum += counts[i];
    return sum;
}

int main(void)
{
    check_type<f16>("f16");
    check_type<bf16>("bf16");
    check_type<f16x2>("f16x2");
    check_type<bf16x2>("bf16x2");
    check_type<f32>("f32");
    check_type<f64>("f64");

    unsigned short *h = make_array<unsigned short>(OPERANDS),
                   *f = make_array<unsigned short>(OPERANDS);
    int *same = make_array<int>(THREADS);
    fill<f16>(h);
    fill<bf16>(f);
    of_headers<<<1, THREADS>>>((const __half *)h, (const __nv_bfloat16 *)f, same);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_INT(total(same), 2 * THREADS);
    of_headers_rounded<<<1, THREADS>>>((const __half *)h, (const __nv_bfloat16 *)f, same);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK(total(same) < 2 * THREADS - 20);
    return check_done();
}
