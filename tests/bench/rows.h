/* rows.h - the rows that are like other people's programs: sizes, and the same work as a loop of C.
 *
 * rows.cu holds the kernels, native.c the loops, which gcc compiles for this very machine and
 * OpenMP spreads over all cores. A native function does what its row's launch does, on the same
 * data. */
#ifndef BENCH_ROWS_H
#define BENCH_ROWS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    SPMV_ROWS = 1 << 14,
    SPMV_PER_ROW = 16,
    HISTOGRAM_VALUES = 1 << 20,
    HISTOGRAM_BINS = 256,
    IMAGE_SIDE = 256, /* of the stencil */
    GRAPH_NODES = 1 << 14,
    GRAPH_DEGREE = 8,
    BODIES = 1024,
    OPTIONS = 1 << 16,
    GENERATORS = 1 << 14,
    NUMBERS_OF_EACH = 64,
    SORTED = 1 << 14,
    SMALL_LAUNCHES = 10000,
    SMALL_THREADS = 128,
    SYNCED_BLOCKS = 8,
    SYNCED_THREADS = 128,
    SYNCS = 200,
    PIXELS = 1 << 19
};

/* Everything that the rows read and write: one set on the host, one on the device. */
struct work {
    float *a, *b, *c;       /* SORTED, IMAGE_SIDE^2, BODIES * 4, OPTIONS ... of them */
    int *columns;           /* SPMV_ROWS * SPMV_PER_ROW */
    int *starts;            /* SPMV_ROWS + 1 */
    int *edges;             /* GRAPH_NODES * GRAPH_DEGREE */
    int *levels;            /* GRAPH_NODES */
    int *changed;           /* one */
    unsigned *counts;       /* HISTOGRAM_BINS */
    unsigned char *bytes;   /* PIXELS * 4 */
    unsigned short *halves; /* PIXELS */
};

void native_spmv(const struct work *w);
void native_histogram(const struct work *w);
void native_median(const struct work *w);
void native_search(const struct work *w);
void native_bodies(const struct work *w);
void native_options(const struct work *w);
void native_random(const struct work *w);
void native_sort(const struct work *w);
void native_small(const struct work *w);
void native_synced(const struct work *w);
void native_gray(const struct work *w);

#ifdef __cplusplus
}
#endif

#endif
