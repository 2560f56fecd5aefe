/* judge.h - what the judge's half of an exercise is written with: how the exercise is judged.
 *
 * exercises/judge/NN_name.cu holds one function:
 *
 *     void exercise(struct judge *j)
 *     {
 *         const int n = judge_size(j, "n", 1 << 16);
 *         float *x = judge_floats(j, "x", n);
 *         float *want = judge_want_floats(j, "out", n);
 *         for (int i = 0; i < n; i++)
 *             want[i] = 2.0f * x[i];
 *         twice<<<judge_blocks(n, 256), 256>>>(judge_gpu(j, want), judge_gpu(j, x), n);
 *         judge_check(j);
 *     }
 *
 * It runs once for each shape: ragged, one, empty, random, large. Host arrays belong to the judge
 * and live until exercise() returns; what it returns as `want` is to be filled with the expected
 * result, while the GPU's copy starts as NaN. Nothing here returns after a mistake of the learner:
 * the verdict is noted and this process ends. The goals are read from the exercise's comment and
 * hold for the counts of the large shape, all launches together. */
#ifndef JUDGE_JUDGE_H
#define JUDGE_JUDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct judge;

/* The exercise's own function. */
void exercise(struct judge *j);

/* --- shapes ----------------------------------------------------------------------------------- */

/* A size of this shape: `large` in the large one, 1, 0, something odd, or random below `large`.
 * Goals may use the name. A second size of the same shape differs from the first. */
int judge_size(struct judge *j, const char *name, int large);
/* The same, always a multiple (large must be one). */
int judge_size_of(struct judge *j, const char *name, int large, int multiple);
/* Random in low .. high; high in the large shape. */
int judge_between(struct judge *j, const char *name, int low, int high);
/* A number that follows from the shape, which goals may use and messages show; returns it. */
int judge_let(struct judge *j, const char *name, int value);
/* True in the large shape, whose counts are judged. For an exercise whose shape is shown:
 * `if (!judge_large(j)) return;`. */
bool judge_large(const struct judge *j);
/* Blocks that it takes for n threads; at least 1, as an empty grid is an error. */
unsigned judge_blocks(int64_t n, int threads);
/* A number in low .. high from this shape's seed. */
int judge_random(struct judge *j, int low, int high);

/* --- memory ----------------------------------------------------------------------------------- */

/* Inputs, on the host: random floats in [-1, 1) (multiples of 2^-10: sums of them are exact for
 * long), random ints in low .. high. They may be overwritten before judge_gpu(); the kernel may
 * not change them. */
float *judge_floats(struct judge *j, const char *name, size_t count);
int *judge_ints(struct judge *j, const char *name, size_t count, int low, int high);
/* Results, on the host, zero: fill in what is expected. Without judge_start() the GPU's copy holds
 * bytes 0xff, which are NaN, before the launch. */
float *judge_want_floats(struct judge *j, const char *name, size_t count);
int *judge_want_ints(struct judge *j, const char *name, size_t count);
/* What the result's memory holds before the launch, for a kernel that works in place. */
void judge_start(struct judge *j, const void *want, const void *initial);
/* Memory that the kernel may use as it likes, poisoned; nothing is expected of it. */
float *judge_scratch_floats(struct judge *j, const char *name, size_t count);
int *judge_scratch_ints(struct judge *j, const char *name, size_t count);
/* |got - want| <= abs + rel |want|; exact unless said. */
void judge_tolerance(struct judge *j, const void *want, double abs, double rel);
/* The result is a matrix with so many columns: mistakes are told by row and column. */
void judge_columns(struct judge *j, const void *want, int columns);

/* The device's copy of a host array from above: judge_gpu(j, x) has the type of x. */
void *judge_device(struct judge *j, const void *host);
#define judge_gpu(j, host) ((__typeof__(&(host)[0]))judge_device(j, host))

/* --- verdicts --------------------------------------------------------------------------------- */

/* Behind the launch: faults, results, inputs unchanged. */
void judge_check(struct judge *j);
/* The same for a result that host code of the learner brought back to `got`. */
void judge_check_host(struct judge *j, const void *want, const void *got);
/* The device's contents of a result so far, on the host: for what needs more than comparing. Waits
 * and judges faults. The memory is the judge's. */
const void *judge_got(struct judge *j, const void *want);
/* A number that host code of the learner returned. what: "blocks_for(1000, 256)". */
void judge_value(struct judge *j, const char *what, double got, double want);
/* A goal that no counter knows: ("blocks on an SM", 7, ">=", 8); relation as in goals. */
void judge_goal(struct judge *j, const char *what, double got, const char *relation, double limit);
/* A mistake that only the exercise can see; one line of text. */
void judge_reject(struct judge *j, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Predictions: what the learner wrote against what was counted; accepted within 0.5 per cent. */
void judge_predict(struct judge *j, const char *what, double predicted, double counted);
/* "Which line ...?": the line of the learner's file that costs most of `metric` ("bank conflicts");
 * a line of equal cost is right, too. */
void judge_which_line(struct judge *j, const char *metric, int line);
/* The value of a metric (metrics.def), summed over the launches of this shape so far; on a GPU,
 * which does not count, NaN, and predictions are taken as they are. */
double judge_metric(struct judge *j, const char *metric);

#ifdef __cplusplus
}
#endif

#endif
