/* lesson.h - what the files of this lesson share: a product to compute, and the table of rungs.
 *
 * C = A.B, row-major, A is m x k, B is k x n, any m, n, k. Each .cu file holds the kernels of a few
 * rungs and exports them as a table; main.cu runs the tables in the order of the ladder. */
#ifndef STEP02_LESSON_H
#define STEP02_LESSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/matmul_reference.h"
#include "common/options.h"
#include "common/timing.h"

#ifdef __cplusplus
extern "C" {
#endif

struct product {
    const float *d_a, *d_b; /* d_: on the device */
    float *d_c;
    float *d_work;       /* room for A and B twice, in another layout, 256 wider and deeper */
    float *d_parts;      /* room for what several blocks compute of one tile (summit/stream.h) */
    unsigned *d_tickets; /* who is the last of them: 0 between launches */
    int m, n, k;
    int band; /* rows of tiles that the topmost kernels compute together: see warp_tile.h */
};

struct rung {
    const char *name;
    const char *what;              /* what it changes, compared with the rung before */
    bool sabotaged;                /* wrong on purpose: runs only when named, must be rejected */
    void (*launch)(void *product); /* a timing_launch */
    /* Why the rung cannot run here, or NULL. A rung without this function runs everywhere. */
    const char *(*refusal)(const struct product *p);
    /* So many rows of A it takes where it rejects the product for its shape; 0: it is skipped. */
    size_t rows_instead;
};

/* The ladder, from the bottom: the tables of the .cu files. */
const struct rung *core_rungs(size_t *count);        /* naive, tiles, thread tiles, vectors */
const struct rung *blocked_rungs(size_t *count);     /* no bank conflicts, double buffering */
const struct rung *warp_tiled_rungs(size_t *count);  /* warp tiles */
const struct rung *packed_rungs(size_t *count);      /* A repacked first, cp.async */
const struct rung *stream_rungs(size_t *count);      /* work cut by multiplications; few rows */
const struct rung *autotuned_rungs(size_t *count);   /* the best shape for this product */
const struct rung *tensor_mma_rungs(size_t *count);  /* tensor cores since Ampere */
const struct rung *tensor_rungs(size_t *count);      /* FP32 accuracy on tensor cores */
const struct rung *tensor_half_rungs(size_t *count); /* the same from FP16 */
const struct rung *cublas_rungs(size_t *count);      /* the reference */

/* One shape of the two topmost kernels; the autotuned rung chooses among them. */
struct shape {
    const char *name; /* block tile, thread tile */
    int bm, bn;       /* block tile */
    int threads;
    size_t shared_bytes; /* dynamic shared memory */
    void (*launch)(void *product);
    const void *(*kernel)(const struct product *p); /* the instance that a product gets */
};
const struct shape *warp_tiled_shapes(size_t *count);
const struct shape *packed_shapes(size_t *count);
/* false: the current device has too little shared memory for one block of it. */
bool shape_fits(const struct shape *s, const struct product *p);
/* "packed 256x128, 16 deep, 8x16 a thread, bands of 8": what the autotuned rung took last, or
 * NULL. Valid until it chooses again. */
const char *autotuned_choice(void);

/* The lesson has two parts: core_rungs() is the first, all others are the summit. */
enum ladder_part { PART_CORE, PART_SUMMIT, PART_ALL };
bool rung_in_part(const struct rung *rung, enum ladder_part part);

/* All of them in one table, and the rung of a name: -1 after one line on stderr. */
const struct rung *ladder(size_t *count);
int ladder_find(const char *name);

/* Device copies of a reference's inputs, and a C. Errors end the program with 2. */
struct product product_open(const struct matmul_reference *r, struct matmul_shape s);
void product_close(struct product *p);
/* Poisons C, launches once, judges what came back; explains on stderr what is wrong. */
struct matmul_verdict product_verify(struct product *p, const struct matmul_reference *r,
                                     const char *name, timing_launch launch, void *state);
/* matmul_reference_open() that ends the program with 2 if memory runs out. */
struct matmul_reference *reference_open(struct matmul_shape s, uint64_t seed);

/* Product number i of a set that no kernel was tuned for: sizes of every order of magnitude up to
 * 10,000, k up to 100,000, every fourth a matrix times a vector or nearly. `small`: up to 100. */
struct matmul_shape drawn_shape(uint64_t seed, size_t i, bool small);

/* sweep.cu: 150 two-level tilings; limits.c: the arithmetic of a small SM. Exit codes. */
int sweep_run(const struct options *o, struct matmul_shape s, bool accumulate_in_global);
void limits_print(void);

#ifdef __cplusplus
}
#endif

#endif
