/* stream.h - products cut by multiplications instead of tiles: what stream_k.cu offers and the
 * autotuned rung chooses from.
 *
 * A plan says how the tiles of C are shared out: `whole` of them are computed by one block each,
 * the multiplications of the others are divided evenly among all blocks, wherever that cuts. */
#ifndef STEP02_STREAM_H
#define STEP02_STREAM_H

#include "step02_tiled/lesson.h"

#ifdef __cplusplus
extern "C" {
#endif

struct stream_plan;

/* How a shape gets at A and B: as they lie there; packed copies (packed.cu); or those, with the
 * tiles of whole waves computed by matmul_packed, and only the rest divided. */
enum stream_operands { OPERANDS_AS_THEY_ARE, OPERANDS_PACKED, OPERANDS_PACKED_WAVES };

/* One block tile. */
struct stream_shape {
    const char *name;
    int bm, bn, deep;    /* block tile; steps of k between two barriers: a piece */
    int threads, per_sm; /* blocks that a multiprocessor is meant to hold */
    size_t shared_bytes; /* dynamic shared memory */
    enum stream_operands operands;
    double share; /* of the peak that a full GPU reached with it: measured on an H200 */
    void (*launch)(const struct product *p, const struct stream_plan *plan);
    const void *(*kernel)(const struct product *p); /* the instance that a product gets */
    /* Plans for a product on a GPU of `sms` multiprocessors; returns how many, at most max. */
    size_t (*plans)(const struct stream_shape *s, const struct product *p, int sms,
                    struct stream_plan *plans, size_t max);
};

struct stream_plan {
    const struct stream_shape *shape;
    int blocks;     /* of the grid */
    int whole;      /* tiles that one block computes alone, in waves of `blocks` */
    int parts;      /* the most blocks that any other tile is divided among; 1: none is */
    bool add_after; /* a second launch adds the parts; otherwise the last block of a tile does */
    int band;       /* see warp_tile.h */
};

enum { ELEMENT_STEPS = 16 }; /* k up to which a thread computes an element by itself */
enum { TICKETS = 8192, SPARE_FLOATS = 64 }; /* d_tickets: so many, then floats for nobody to use */

const struct stream_shape *stream_shapes(size_t *count); /* stream_k.cu */
const struct stream_shape *vector_shapes(size_t *count); /* vector.cu: matrix times vector */

/* plans.c */
size_t stream_plans(const struct stream_shape *s, const struct product *p, int sms,
                    struct stream_plan *plans, size_t max);
size_t vector_plans(const struct stream_shape *s, const struct product *p, int sms,
                    struct stream_plan *plans, size_t max);
size_t steps_plans(const struct stream_shape *s, const struct product *p, int sms,
                   struct stream_plan *plans, size_t max);
size_t element_plans(const struct stream_shape *s, const struct product *p, int sms,
                     struct stream_plan *plans, size_t max);
/* Floats that the parts of a plan need; the most that any plan for this product needs. */
size_t stream_parts_floats(const struct stream_plan *plan);
size_t stream_room_floats(const struct product *p, int sms);
/* A model of waves and k: microseconds, for ranking plans. It knows the H200's rates. */
double stream_model_us(const struct stream_plan *plan, const struct product *p, int sms);

/* packed.cu: copies A transposed, and B unless b is NULL, both padded with zeros to whole tiles. */
void pack_operands(const struct product *p, float *a, float *b, int rows, int a_columns,
                   int b_columns);
/* matmul_packed with blocks of 256 x 128, 16 deep, for the first `tiles` of them. */
void packed_tall_tiles(const struct product *p, const float *a, const float *b, int rows,
                       int a_columns, int b_columns, int tiles, int band);

#ifdef __cplusplus
}
#endif

#endif
