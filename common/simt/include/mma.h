/* mma.h - nvcuda::wmma: products of small matrices by the 32 threads of a warp together, each of
 * which holds a fragment. Written to the chapter "Warp Matrix Functions" of the CUDA C++
 * Programming Guide, on PTX's wmma instructions; which element x[i] of a fragment is, is theirs to
 * say. */
#ifndef SIMT_MMA_H
#define SIMT_MMA_H

#include "cuda_bf16.h"
#include "cuda_fp16.h"

#if defined(__CUDA__)

namespace nvcuda
{
namespace wmma
{

struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
enum layout_t { mem_row_major, mem_col_major };

namespace precision
{
struct u4;
struct s4;
struct b1;
struct tf32;
} // namespace precision
namespace experimental
{
namespace precision
{
using wmma::precision::b1;
using wmma::precision::s4;
using wmma::precision::u4;
} // namespace precision
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
} // namespace experimental

template <typename Use, int m, int n, int k, typename T, typename Layout = void> class fragment;

/* What all fragments have. */
template <typename T, int count> struct __attribute__((aligned(8))) simt_fragment {
    enum { num_elements = count, num_storage_elements = count };
    typedef T element_type;
    typedef T storage_element_type;
    T x[count];
};
#define SIMT_FRAGMENT(use, m, n, k, type, element, count)                                          \
    template <typename Layout>                                                                     \
    class fragment<use, m, n, k, type, Layout> : public simt_fragment<element, count>              \
    {                                                                                              \
    };

template <typename T, int count, typename V>
SIMT_DEVICE void fill_fragment(simt_fragment<T, count> &f, const V &value)
{
    for (int i = 0; i < count; i++) {
        f.x[i] = (T)value;
    }
}
/* The nearest number of 10 bits of fraction; a tie goes away from zero. */
SIMT_DEVICE float __float_to_tf32(float v)
{
    unsigned int bits;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(v));
    return __builtin_bit_cast(float, bits);
}

/* Lists of registers: their names in the instruction's text, and as its results and operands. */
#define SIMT_NAMES_1(x) "{%[" x "0]}"
#define SIMT_NAMES_2(x) "{%[" x "0], %[" x "1]}"
#define SIMT_NAMES_4(x) "{%[" x "0], %[" x "1], %[" x "2], %[" x "3]}"
#define SIMT_NAMES_8(x)                                                                            \
    "{%[" x "0], %[" x "1], %[" x "2], %[" x "3], %[" x "4], %[" x "5], %[" x "6], %[" x "7]}"
#define SIMT_OUT(x, i, letter)      [x##i] "=" letter(x[i])
#define SIMT_IN(x, i, letter)       [x##i] letter(x[i])
#define SIMT_LIST_1(one, x, letter) one(x, 0, letter)
#define SIMT_LIST_2(one, x, letter) SIMT_LIST_1(one, x, letter), one(x, 1, letter)
#define SIMT_LIST_4(one, x, letter)                                                                \
    SIMT_LIST_2(one, x, letter), one(x, 2, letter), one(x, 3, letter)
#define SIMT_LIST_8(one, x, letter)                                                                \
    SIMT_LIST_4(one, x, letter), one(x, 4, letter), one(x, 5, letter), one(x, 6, letter),          \
        one(x, 7, letter)

/* Of a and b: pointer is what the program has in memory, count the number of registers. */
#define SIMT_LOAD(use, part, m, n, k, type, pointer, ptx, word, letter, count, layout)             \
    SIMT_DEVICE void load_matrix_sync(fragment<use, m, n, k, type, layout##_major> &f,             \
                                      const pointer *p, unsigned int ldm)                          \
    {                                                                                              \
        word *r = (word *)f.x;                                                                     \
        asm volatile("wmma.load." part ".sync.aligned." #layout ".m" #m "n" #n "k" #k "." ptx      \
                     " " SIMT_NAMES_##count("r") ", [%[p]], %[ldm];"                               \
                     : SIMT_LIST_##count(SIMT_OUT, r, letter)                                      \
                     : [p] "l"(p), [ldm] "r"(ldm)                                                  \
                     : "memory");                                                                  \
    }
#define SIMT_FACTOR(use, part, m, n, k, type, pointer, element, elements, ptx, word, letter,       \
                    count)                                                                         \
    SIMT_FRAGMENT(use, m, n, k, type, element, elements)                                           \
    SIMT_LOAD(use, part, m, n, k, type, pointer, ptx, word, letter, count, row)                    \
    SIMT_LOAD(use, part, m, n, k, type, pointer, ptx, word, letter, count, col)
#define SIMT_FACTORS(m, n, k, type, pointer, element, ptx, word, letter, elements_a, count_a,      \
                     elements_b, count_b)                                                          \
    SIMT_FACTOR(matrix_a, "a", m, n, k, type, pointer, element, elements_a, ptx, word, letter,     \
                count_a)                                                                           \
    SIMT_FACTOR(matrix_b, "b", m, n, k, type, pointer, element, elements_b, ptx, word, letter,     \
                count_b)

#define SIMT_MOVE_SUM(m, n, k, type, ptx, word, letter, count, layout)                             \
    SIMT_DEVICE void simt_load_##layout(fragment<accumulator, m, n, k, type> &f, const type *p,    \
                                        unsigned int ldm)                                          \
    {                                                                                              \
        word *r = (word *)f.x;                                                                     \
        asm volatile("wmma.load.c.sync.aligned." #layout ".m" #m "n" #n "k" #k "." ptx             \
                     " " SIMT_NAMES_##count("r") ", [%[p]], %[ldm];"                               \
                     : SIMT_LIST_##count(SIMT_OUT, r, letter)                                      \
                     : [p] "l"(p), [ldm] "r"(ldm)                                                  \
                     : "memory");                                                                  \
    }                                                                                              \
    SIMT_DEVICE void simt_store_##layout(type *p, const fragment<accumulator, m, n, k, type> &f,   \
                                         unsigned int ldm)                                         \
    {                                                                                              \
        const word *r = (const word *)f.x;                                                         \
        asm volatile("wmma.store.d.sync.aligned." #layout ".m" #m "n" #n "k" #k "." ptx            \
                     " [%[p]], " SIMT_NAMES_##count("r") ", %[ldm];" ::[p] "l"(p),                 \
                     [ldm] "r"(ldm), SIMT_LIST_##count(SIMT_IN, r, letter)                         \
                     : "memory");                                                                  \
    }
#define SIMT_SUM(m, n, k, type, ptx, word, letter, elements, count)                                \
    SIMT_FRAGMENT(accumulator, m, n, k, type, type, elements)                                      \
    SIMT_MOVE_SUM(m, n, k, type, ptx, word, letter, count, row)                                    \
    SIMT_MOVE_SUM(m, n, k, type, ptx, word, letter, count, col)

template <int m, int n, int k, typename T>
SIMT_DEVICE void load_matrix_sync(fragment<accumulator, m, n, k, T> &f, const T *p,
                                  unsigned int ldm, layout_t layout)
{
    if (layout == mem_row_major) {
        simt_load_row(f, p, ldm);
    } else {
        simt_load_col(f, p, ldm);
    }
}
template <int m, int n, int k, typename T>
SIMT_DEVICE void store_matrix_sync(T *p, const fragment<accumulator, m, n, k, T> &f,
                                   unsigned int ldm, layout_t layout)
{
    if (layout == mem_row_major) {
        simt_store_row(p, f, ldm);
    } else {
        simt_store_col(p, f, ldm);
    }
}

#define SIMT_MMA "wmma.mma.sync.aligned."
/* d = a * b + c. `types` are the last words of the instruction's name. */
#define SIMT_PRODUCT(name, m, n, k, type, word, letter, count_a, count_b, dtype, dword, dletter,   \
                     dcount, ctype, cword, cletter, ccount, types, la, lb)                         \
    SIMT_DEVICE void name(fragment<accumulator, m, n, k, dtype> &fd,                               \
                          const fragment<matrix_a, m, n, k, type, la##_major> &fa,                 \
                          const fragment<matrix_b, m, n, k, type, lb##_major> &fb,                 \
                          const fragment<accumulator, m, n, k, ctype> &fc)                         \
    {                                                                                              \
        dword *d = (dword *)fd.x;                                                                  \
        const word *a = (const word *)fa.x, *b = (const word *)fb.x;                               \
        const cword *c = (const cword *)fc.x;                                                      \
        asm volatile(                                                                              \
            SIMT_MMA #la "." #lb ".m" #m "n" #n "k" #k "." types                                   \
                         " " SIMT_NAMES_##dcount("d") ", " SIMT_NAMES_##count_a(                   \
                             "a") ", " SIMT_NAMES_##count_b("b") ", " SIMT_NAMES_##ccount("c") ";" \
            : SIMT_LIST_##dcount(SIMT_OUT, d, dletter)                                             \
            : SIMT_LIST_##count_a(SIMT_IN, a, letter), SIMT_LIST_##count_b(SIMT_IN, b, letter),    \
              SIMT_LIST_##ccount(SIMT_IN, c, cletter));                                            \
    }
#define SIMT_PRODUCTS(...)                                                                         \
    SIMT_PRODUCT(__VA_ARGS__, row, row)                                                            \
    SIMT_PRODUCT(__VA_ARGS__, row, col)                                                            \
    SIMT_PRODUCT(__VA_ARGS__, col, row)                                                            \
    SIMT_PRODUCT(__VA_ARGS__, col, col)

/* --- the shapes ------------------------------------------------------------------------------ */

/* half: f16 or f32 sums, in any mixture. */
#define SIMT_HALF(m, n, k)                                                                         \
    SIMT_FACTORS(m, n, k, __half, __half, __half, "f16", unsigned int, "r", 16, 8, 16, 8)          \
    SIMT_SUM(m, n, k, __half, "f16", unsigned int, "r", 8, 4)                                      \
    SIMT_SUM(m, n, k, float, "f32", float, "f", 8, 8)                                              \
    SIMT_PRODUCTS(simt_mma, m, n, k, __half, unsigned int, "r", 8, 8, float, float, "f", 8, float, \
                  float, "f", 8, "f32.f32")                                                        \
    SIMT_PRODUCTS(simt_mma, m, n, k, __half, unsigned int, "r", 8, 8, __half, unsigned int, "r",   \
                  4, __half, unsigned int, "r", 4, "f16.f16")                                      \
    SIMT_PRODUCTS(simt_mma, m, n, k, __half, unsigned int, "r", 8, 8, float, float, "f", 8,        \
                  __half, unsigned int, "r", 4, "f32.f16")                                         \
    SIMT_PRODUCTS(simt_mma, m, n, k, __half, unsigned int, "r", 8, 8, __half, unsigned int, "r",   \
                  4, float, float, "f", 8, "f16.f32")
SIMT_HALF(16, 16, 16)
SIMT_HALF(32, 8, 16)
SIMT_HALF(8, 32, 16)
#undef SIMT_HALF

#define SIMT_BFLOAT(m, n, k, elements_a, count_a, elements_b, count_b)                             \
    SIMT_FACTORS(m, n, k, __nv_bfloat16, __nv_bfloat16, __nv_bfloat16, "bf16", unsigned int, "r",  \
                 elements_a, count_a, elements_b, count_b)                                         \
    SIMT_PRODUCTS(simt_mma, m, n, k, __nv_bfloat16, unsigned int, "r", count_a, count_b, float,    \
                  float, "f", 8, float, float, "f", 8, "f32.bf16.bf16.f32")
SIMT_BFLOAT(16, 16, 16, 8, 4, 8, 4)
SIMT_BFLOAT(32, 8, 16, 16, 8, 4, 2)
SIMT_BFLOAT(8, 32, 16, 4, 2, 16, 8)
#undef SIMT_BFLOAT

SIMT_FACTORS(16, 16, 8, precision::tf32, float, float, "tf32", unsigned int, "r", 4, 4, 4, 4)
SIMT_SUM(16, 16, 8, float, "f32", float, "f", 8, 8)
SIMT_PRODUCTS(simt_mma, 16, 16, 8, precision::tf32, unsigned int, "r", 4, 4, float, float, "f", 8,
              float, float, "f", 8, "f32.tf32.tf32.f32")

SIMT_FACTORS(8, 8, 4, double, double, double, "f64", double, "d", 1, 1, 1, 1)
SIMT_SUM(8, 8, 4, double, "f64", double, "d", 2, 2)
SIMT_PRODUCTS(simt_mma, 8, 8, 4, double, double, "d", 1, 1, double, double, "d", 2, double, double,
              "d", 2, "f64.f64.f64.f64")

/* Bytes: the last argument of mma_sync() clamps the sums. */
#define SIMT_BYTES_OF(m, n, k, type, ptx, elements_a, count_a, elements_b, count_b)                \
    SIMT_FACTORS(m, n, k, type, type, type, ptx, unsigned int, "r", elements_a, count_a,           \
                 elements_b, count_b)                                                              \
    SIMT_PRODUCTS(simt_mma, m, n, k, type, unsigned int, "r", count_a, count_b, int, int, "r", 8,  \
                  int, int, "r", 8, "s32." ptx "." ptx ".s32")                                     \
    SIMT_PRODUCTS(simt_mma_clamped, m, n, k, type, unsigned int, "r", count_a, count_b, int, int,  \
                  "r", 8, int, int, "r", 8, "s32." ptx "." ptx ".s32.satfinite")
#define SIMT_BYTES(m, n, k, ...)                                                                   \
    SIMT_SUM(m, n, k, int, "s32", int, "r", 8, 8)                                                  \
    SIMT_BYTES_OF(m, n, k, signed char, "s8", __VA_ARGS__)                                         \
    SIMT_BYTES_OF(m, n, k, unsigned char, "u8", __VA_ARGS__)
SIMT_BYTES(16, 16, 16, 8, 2, 8, 2)
SIMT_BYTES(32, 8, 16, 16, 4, 4, 1)
SIMT_BYTES(8, 32, 16, 4, 1, 16, 4)
#undef SIMT_BYTES
#undef SIMT_BYTES_OF

/* Eight numbers of 4 bits, or 32 bits, in one word; a by rows, b by columns. */
#define SIMT_PACKED(k, type, ptx, count)                                                           \
    template <> class fragment<matrix_a, 8, 8, k, type, row_major> : public simt_fragment<int, 1>  \
    {                                                                                              \
      public:                                                                                      \
        enum { num_elements = count };                                                             \
    };                                                                                             \
    template <> class fragment<matrix_b, 8, 8, k, type, col_major> : public simt_fragment<int, 1>  \
    {                                                                                              \
      public:                                                                                      \
        enum { num_elements = count };                                                             \
    };                                                                                             \
    SIMT_LOAD(matrix_a, "a", 8, 8, k, type, void, ptx, unsigned int, "r", 1, row)                  \
    SIMT_LOAD(matrix_b, "b", 8, 8, k, type, void, ptx, unsigned int, "r", 1, col)
#define SIMT_PACKED_PRODUCT(name, k, type, types)                                                  \
    SIMT_PRODUCT(name, 8, 8, k, type, unsigned int, "r", 1, 1, int, int, "r", 2, int, int, "r", 2, \
                 types, row, col)
SIMT_SUM(8, 8, 32, int, "s32", int, "r", 2, 2)
SIMT_PACKED(32, precision::s4, "s4", 8)
SIMT_PACKED(32, precision::u4, "u4", 8)
SIMT_PACKED_PRODUCT(simt_mma, 32, precision::s4, "s32.s4.s4.s32")
SIMT_PACKED_PRODUCT(simt_mma, 32, precision::u4, "s32.u4.u4.s32")
SIMT_PACKED_PRODUCT(simt_mma_clamped, 32, precision::s4, "s32.s4.s4.s32.satfinite")
SIMT_PACKED_PRODUCT(simt_mma_clamped, 32, precision::u4, "s32.u4.u4.s32.satfinite")
#undef SIMT_MMA
SIMT_SUM(8, 8, 128, int, "s32", int, "r", 2, 2)
SIMT_PACKED(128, precision::b1, "b1", 32)
#define SIMT_MMA "wmma.mma.xor.popc.sync.aligned."
SIMT_PACKED_PRODUCT(simt_mma_xor, 128, precision::b1, "s32.b1.b1.s32")
#undef SIMT_MMA
#define SIMT_MMA "wmma.mma.and.popc.sync.aligned."
SIMT_PACKED_PRODUCT(simt_mma_and, 128, precision::b1, "s32.b1.b1.s32")
#undef SIMT_PACKED
#undef SIMT_PACKED_PRODUCT

/* ------------------------------------------------------------- products */

template <int m, int n, int k, typename D, typename T, typename A, typename B, typename C>
SIMT_DEVICE void
mma_sync(fragment<accumulator, m, n, k, D> &d, const fragment<matrix_a, m, n, k, T, A> &a,
         const fragment<matrix_b, m, n, k, T, B> &b, const fragment<accumulator, m, n, k, C> &c)
{
    simt_mma(d, a, b, c);
}
/* The sums of integers may be clamped instead of wrapping around. */
template <int m, int n, int k, typename T, typename A, typename B>
SIMT_DEVICE void mma_sync(fragment<accumulator, m, n, k, int> &d,
                          const fragment<matrix_a, m, n, k, T, A> &a,
                          const fragment<matrix_b, m, n, k, T, B> &b,
                          const fragment<accumulator, m, n, k, int> &c, bool clamped)
{
    if (clamped) {
        simt_mma_clamped(d, a, b, c);
    } else {
        simt_mma(d, a, b, c);
    }
}
/* The bits that differ, or that both have, counted. */
SIMT_DEVICE void bmma_sync(fragment<accumulator, 8, 8, 128, int> &d,
                           const fragment<matrix_a, 8, 8, 128, precision::b1, row_major> &a,
                           const fragment<matrix_b, 8, 8, 128, precision::b1, col_major> &b,
                           const fragment<accumulator, 8, 8, 128, int> &c,
                           experimental::bmmaBitOp op = experimental::bmmaBitOpXOR,
                           experimental::bmmaAccumulateOp = experimental::bmmaAccumulateOpPOPC)
{
    if (op == experimental::bmmaBitOpAND) {
        simt_mma_and(d, a, b, c);
    } else {
        simt_mma_xor(d, a, b, c);
    }
}
namespace experimental
{
using wmma::bmma_sync;
}

} // namespace wmma
} // namespace nvcuda

#undef SIMT_FRAGMENT
#undef SIMT_LOAD
#undef SIMT_FACTOR
#undef SIMT_FACTORS
#undef SIMT_MOVE_SUM
#undef SIMT_SUM
#undef SIMT_PRODUCT
#undef SIMT_PRODUCTS
#undef SIMT_MMA
#undef SIMT_NAMES_1
#undef SIMT_NAMES_2
#undef SIMT_NAMES_4
#undef SIMT_NAMES_8
#undef SIMT_OUT
#undef SIMT_IN
#undef SIMT_LIST_1
#undef SIMT_LIST_2
#undef SIMT_LIST_4
#undef SIMT_LIST_8

#endif

#endif
