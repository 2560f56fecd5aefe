/* matmul_reference.h - the CPU's answer to C = A.B, and the verdict on a GPU's answer.
 *
 * Row-major: A is m x k, B is k x n, C is m x n. Every product is accumulated in double. Small
 * products are compared in full. Large ones, which a CPU would need minutes for, are judged in two
 * ways that together leave nothing out: a few thousand elements spread over C are computed exactly,
 * and every row of C is tested at once by Freivalds' method (R. Freivalds, 1977): for a vector x of
 * random signs C.x must equal A.(B.x), and one wrong element anywhere breaks its row.
 * Called by the matmul lessons. No CUDA in here. */
#ifndef COMMON_MATMUL_REFERENCE_H
#define COMMON_MATMUL_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

struct matmul_shape {
    size_t m, n, k;
};

struct matmul_reference; /* inputs from a seed, and what is known of their product */

/* Fills A and B from the seed with values in [-1, 1). NULL if memory runs out. */
struct matmul_reference *matmul_reference_open(struct matmul_shape shape, uint64_t seed);
void matmul_reference_close(struct matmul_reference *r);
const float *matmul_reference_a(const struct matmul_reference *r);
const float *matmul_reference_b(const struct matmul_reference *r);

struct matmul_verdict {
    bool ok;
    bool full;            /* every element was compared with its own reference value */
    size_t compared;      /* how many were */
    double max_rel_error; /* largest |got - want| over the largest |want|; NaN if one was NaN */
    size_t row, column;   /* the first wrong element (column is n if only its row is known) */
    double got, want;
};

/* Compares c (m x n) with the reference. The tolerance is 4 k 2^-24: values in [-1, 1) make
 * partial sums of about sqrt(k), each of k additions rounds one of them, and a single missing
 * product, 1/4 on average, is 256 times as large even at k = 4096. */
struct matmul_verdict matmul_judge(const struct matmul_reference *r, const float *c);

/* The same where only some blocks of the launch ran (a sample, on the simulator): elements that
 * still hold the poison, 0xffffffff, were not computed and are left out; all others are compared,
 * and `compared` says how many they are. None at all is not ok. */
struct matmul_verdict matmul_judge_sampled(const struct matmul_reference *r, const float *c);

/* One line such as "matmul_naive: wrong at m=30 n=50 k=40, row 3, column 7: got nan, want 1.25";
 * prints nothing if the verdict is ok. */
void matmul_explain(FILE *out, const char *kernel, const struct matmul_reference *r,
                    const struct matmul_verdict *v);

#ifdef __cplusplus
}
#endif

#endif
