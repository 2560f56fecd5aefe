/* reduction.h - what the files of this lesson agree on: one reduction, one rung of the ladder.
 *
 * A reduction turns n elements of one type into one element: their sum, minimum or maximum. A rung
 * is a row of a table (rungs_block.cu, rungs_grid.cu, sabotaged.cu, cub_row.cu): its name, what
 * sets it apart, how to launch it and how long its longest chain of additions is. main.c runs the
 * rows, check.c judges their results, input.c knows the right ones, trace.cu explains. */
#ifndef REDUCTION_H
#define REDUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/counters.h"

#ifdef __cplusplus
extern "C" {
#endif

enum reduction_type { TYPE_INT, TYPE_FLOAT, TYPE_DOUBLE, TYPE_COUNT };
enum reduction_op { OP_SUM, OP_MIN, OP_MAX, OP_COUNT };

extern const char *const type_names[TYPE_COUNT + 1]; /* ends with NULL */
extern const char *const op_names[OP_COUNT + 1];
size_t type_bytes(enum reduction_type type);

/* One reduction, ready to launch. All pointers are device memory but tally. */
struct reduction {
    const void *d_in;    /* n elements */
    unsigned n;          /* 1 to 2^31 - 1 */
    void *d_out;         /* one element */
    unsigned block;      /* threads of a block: a power of two up to 1024 */
    void *d_partials[2]; /* room for the results of the blocks of one pass, and of the next */
    void *d_temp;        /* CUB's own working memory */
    size_t temp_bytes;
    unsigned *d_ticket; /* how many blocks are done; 0 before the first launch, and it must be
                         * 0 again after every launch */
    unsigned sms, threads_per_sm;  /* multiprocessors, and threads that each of them holds */
    struct launch_counters *tally; /* launches add their counts; NULL: do not count */
    unsigned launches;             /* kernels that the last reduction needed */
};

struct rung {
    const char *name;
    const char *idea; /* what differs from the rung above, one line */
    bool sabotaged;   /* wrong on purpose: verification must reject it */
    bool foreign;     /* somebody else's code: its NaN rule and block size are not ours */
    unsigned block;   /* threads of a block unless --block says otherwise */
    /* Elements that one block of the first pass takes per thread, or 0 where the grid is chosen
     * to fit the device. Sizes d_partials. */
    unsigned per_thread;
    void (*launch[TYPE_COUNT][OP_COUNT])(struct reduction *r);
    /* The most additions that any element goes through: the d of the error bound. */
    double (*depth)(const struct reduction *r, enum reduction_type type);
};

/* The tables; each returns how many rows it has. Inside functions, because a compiler may take a
 * constant outside for one that kernels want, too. */
size_t block_rungs(const struct rung **rungs);
size_t grid_rungs(const struct rung **rungs);
size_t cub_rungs(const struct rung **rungs); /* none without CUB */
size_t sabotaged_rungs(const struct rung **rungs);

/* Blocks of the first pass, hence elements of d_partials[0]; and of the pass after it. */
unsigned pass_blocks(unsigned n, unsigned block, unsigned per_thread);
unsigned next_pass_block(unsigned block, unsigned per_thread);
/* Blocks of r->block threads that the device holds at once: whole blocks on each multiprocessor. */
unsigned blocks_held(const struct reduction *r);

/* Adds the counters of the launch just made to r->tally, if there is one; counts the launch. */
void reduction_launched(struct reduction *r);

/* ------------------------------------------------------------------ inputs and right answers */

/* Of the right result, collected while the input is made. */
struct expected {
    double sum,
        sum_low;    /* the sum of real elements is sum + sum_low, about twice double precision */
    double abs_sum; /* sum of |x|: the yardstick of the error bound */
    double min, max;
    uint32_t int_sum; /* the sum of int elements, modulo 2^32 */
};

enum input_kind {
    /* Ints over the whole range, so that sums wrap; for real types odd integers from -7 to 7: all
     * partial sums are integers far below 2^24, exact in any order, and none of them is 0, so a
     * result that missed or repeated an element is unequal, not just less exact. */
    INPUT_EXACT,
    /* Reals over [-1, 1): the sum has a rounding error, which is the point. Ints as above. */
    INPUT_REAL
};

struct input {
    enum reduction_type type;
    enum input_kind kind;
    uint64_t state; /* of the random numbers */
    struct expected expected;
};

struct input input_start(enum reduction_type type, enum input_kind kind, uint64_t seed);
/* Writes the next count elements and adds them to in->expected. */
void input_next(struct input *in, void *elements, size_t count);
/* Makes *element, one of the input's, smaller (OP_MIN) or larger (OP_MAX) than all others: a kernel
 * that misses this one cannot be right. */
void input_plant(struct input *in, enum reduction_op op, void *element);
/* expected of elements that exist already, NaN and infinity among them. */
struct expected input_expected(enum reduction_type type, const void *elements, size_t count);

/* An element as a double: every int and float is one. */
double element_value(enum reduction_type type, const void *element);

/* The right answer, and how far the result is from it. For int sums both are taken modulo 2^32. */
double expected_value(const struct expected *e, enum reduction_type type, enum reduction_op op);
double expected_error(const struct expected *e, enum reduction_type type, enum reduction_op op,
                      const void *result);
/* |error| <= d u / (1 - d u) * sum |x|, with u = 2^-24 or 2^-53 (N. Higham, Accuracy and Stability
 * of Numerical Algorithms, section 4.2). 0 for int, minimum and maximum: they are exact. */
double error_bound(const struct expected *e, enum reduction_type type, enum reduction_op op,
                   double depth);

#ifdef __cplusplus
}
#endif

#endif
