/* check.h - is a rung right? At every edge, twice in a row, and with NaN and infinity in the input.
 *
 * Each function returns true, or false after one line on stderr that says what went wrong where. */
#ifndef CHECK_H
#define CHECK_H

#include "step05_reduction/harness/session.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The input that the session holds, INPUT_EXACT: two runs, one after the other, must both give
 * exactly the right answer; tally gets the counts of the first one. */
bool check_exact(struct session *s, const struct rung *rung, unsigned block,
                 struct launch_counters *tally);

/* Sizes around the multiples of the block, in blocks of `block` and of 1024 threads. */
bool check_edges(struct session *s, const struct rung *rung, unsigned block);

/* NaN and both infinities at the places where a kernel may lose them. Nothing to do for int, and
 * not done for CUB, whose minimum and maximum do not promise to pass a NaN on. */
bool check_special(struct session *s, const struct rung *rung, unsigned block);

/* The elements that check_edges() and check_special() need room for. */
unsigned check_room(unsigned block);

#ifdef __cplusplus
}
#endif

#endif
