/* lesson.h - what the files of this lesson share: one run of one kernel, and the kernels' table.
 *
 * A trial is one kernel on one problem. copies.cu, structs.cu and transpose.cu each export the
 * kernels that they launch; plan.c lists the trials, predict.c says what each will cost, run.c runs
 * it, check.c says whether its result is right, rows.c puts it into the tables; draw.c draws. */
#ifndef STEP03_LESSON_H
#define STEP03_LESSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/options.h"
#include "common/verify.h"
#include "step03_coalescing/shapes.h"

#ifdef __cplusplus
extern "C" {
#endif

struct trial {
    size_t n;               /* elements copied; particles; elements of the matrix */
    size_t parameter;       /* what the experiment varies: see enum varies */
    size_t offset, stride;  /* of a copy, in elements: in[offset + i * stride] */
    unsigned element_bytes; /* 1, 2, 4, 8 or 16 */
    int width, height;      /* of the matrix that is transposed */
    size_t array_bytes;     /* of the input, and of the output: no byte more is allocated */
    const void *d_in;
    void *d_out;
};

/* Requests and sectors in global memory, bank conflicts in shared memory. */
struct traffic {
    uint64_t load_requests, load_sectors, store_requests, store_sectors;
    uint64_t bank_conflicts; /* of loads and stores together */
};

struct kernel {
    const char *name;
    const char *experiment;      /* also the first column of the CSV */
    const char *what;            /* what differs from the kernel before */
    bool sabotaged;              /* wrong on purpose: runs only when named, and must be rejected */
    void (*launch)(void *trial); /* a timing_launch */
    /* NULL: no kernel of ours, so nothing to count. */
    void (*predict)(const struct trial *t, struct traffic *out);
    struct verify_result (*check)(const struct trial *t, const void *in, const void *out);
    double useful_bytes; /* per element of n: bytes that the program wants moved, both ways */
};

/* The tables of the three kernel files. */
const struct kernel *copy_kernels(size_t *count);
const struct kernel *struct_kernels(size_t *count);
const struct kernel *transpose_kernels(size_t *count);

/* predict.c */
void predict_plain(const struct trial *t, struct traffic *out);
void predict_copy(const struct trial *t, struct traffic *out);
void predict_aos_one_field(const struct trial *t, struct traffic *out);
void predict_soa_one_field(const struct trial *t, struct traffic *out);
void predict_aos_all_fields(const struct trial *t, struct traffic *out);
void predict_aos_all_fields_float4(const struct trial *t, struct traffic *out);
void predict_soa_all_fields(const struct trial *t, struct traffic *out);
void predict_transpose_naive(const struct trial *t, struct traffic *out);
void predict_transpose_tile(const struct trial *t, struct traffic *out);
void predict_transpose_padded(const struct trial *t, struct traffic *out);
void predict_transpose_float4(const struct trial *t, struct traffic *out);

/* check.c: in is what was in d_in, out what d_out holds after it was filled with 0xff bytes and the
 * kernel ran. Bytes that the kernel has no business with must still be 0xff. */
struct verify_result check_copy(const struct trial *t, const void *in, const void *out);
struct verify_result check_aos_one_field(const struct trial *t, const void *in, const void *out);
struct verify_result check_soa_one_field(const struct trial *t, const void *in, const void *out);
struct verify_result check_aos_all_fields(const struct trial *t, const void *in, const void *out);
struct verify_result check_soa_all_fields(const struct trial *t, const void *in, const void *out);
struct verify_result check_transpose(const struct trial *t, const void *in, const void *out);

/* What the command line asks for. */
enum { NOT_GIVEN = -1 };
struct request {
    struct options o;
    int64_t offset, stride, n;               /* NOT_GIVEN, or the option's value */
    struct option_integers offsets, strides; /* what --offset(s) and --stride(s) ask for */
    unsigned element_bytes;                  /* --bytes */
    const struct kernel *kernel;             /* --kernel, or NULL */
    const char *svg;                         /* --svg, or NULL */
    bool tile;                               /* --tile */
    bool all;                                /* --all */
};

#ifdef __cplusplus
}
#endif

#endif
