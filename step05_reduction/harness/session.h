/* session.h - device memory for reductions of one type and operation, and single checked runs.
 *
 * Called by check.c (is a rung right?) and main.c (how fast, what does it count?). */
#ifndef SESSION_H
#define SESSION_H

#include "common/gpu/gpu_limits.h"
#include "step05_reduction/harness/reduction.h"

#ifdef __cplusplus
extern "C" {
#endif

struct session {
    enum reduction_type type;
    enum reduction_op op;
    struct reduction r;
    unsigned room;            /* elements that fit into r.d_in */
    struct expected expected; /* of what r.d_in holds */
    uint64_t seed;
};

/* Room for n elements, and for the partial results of every rung in blocks of at least
 * smallest_block threads. false after one line on stderr if the device has not that much memory. */
bool session_open(struct session *s, unsigned n, unsigned smallest_block,
                  const struct gpu_limits *gpu);
void session_close(struct session *s);

/* Fills the input with n new elements. For minimum and maximum the extreme one is put at index
 * `extreme_at`. */
void session_fill(struct session *s, enum input_kind kind, unsigned n, unsigned extreme_at);
/* Fills the input with these elements. */
void session_copy(struct session *s, const void *elements, unsigned n);

/* The rung, ready for r.d_in: block 0 stands for the rung's own. CUB gets its working
 * memory, enough for any n that fits. */
void session_prepare(struct session *s, const struct rung *rung, unsigned block);

struct outcome {
    double got, want, error, bound;
    bool right; /* error <= bound: a NaN is not */
};
/* Poisons the result, runs the rung once and compares. exact: the bound is 0, whatever the depth.
 */
struct outcome session_run(struct session *s, const struct rung *rung, bool exact);

#ifdef __cplusplus
}
#endif

#endif
