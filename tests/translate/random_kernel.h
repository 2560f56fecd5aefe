/* random_kernel.h - PTX kernels made at random, the same for the same seed: straight-line
 * arithmetic of all types in registers that are written once, loops and branches that part a warp,
 * memory of each space, carries, joined sums, votes, shuffles, atomics, barriers, calls.
 *
 * kernel(in, out): `in` has RANDOM_WORDS words that are only read, `out` as many that are written,
 * by lanes that may meet there: with one worker the order is the same each time. All registers of a
 * thread are stored to `out` behind those, RANDOM_KEPT words for each thread. */
#ifndef RANDOM_KERNEL_H
#define RANDOM_KERNEL_H

#include <stdint.h>
#include <stdio.h>

enum { RANDOM_WORDS = 4096, RANDOM_KEPT = 32, RANDOM_THREADS = 256 };

/* A generator of random numbers. */
struct dice {
    uint64_t state;
};
/* From 0 to sides - 1. */
unsigned dice_roll(struct dice *d, unsigned sides);

/* Writes a module with one kernel, `random`, of about `length` statements. */
void random_kernel(FILE *to, uint64_t seed, unsigned length);

/* The rows of random_ops.def, one after the other; NULL behind the last. */
const char *random_row(unsigned i);
/* A module whose kernel consists of this row. */
void random_row_kernel(FILE *to, unsigned row);

#endif
