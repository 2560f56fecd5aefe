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
 * It runs once for each shape: ragged, one, empty, two, equal, random, large. Host arrays belong to the judge
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

/* A size of this shape: `large` in the large one, 1, 0, 2, 2^k + 1, something odd, or random below
 * `large`.
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
/* For an exercise that is defined for them, before its results are computed: in one of the random
 * shapes every seventh of the values becomes NaN, an infinity or -0. */
void judge_specials(struct judge *j, float *values, size_t count);
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
/* The result is a matrix with so many columns: mistakes are reported by row and column. */
void judge_columns(struct judge *j, const void *want, int columns);

/* The device's copy of a host array from above: judge_gpu(j, x) has the type of x. */
void *judge_device(struct judge *j, const void *host);
#define judge_gpu(j, host) ((__typeof__(&(host)[0]))judge_device(j, host))

/* --- the learner's host code: it runs in a box, elsewhere ---------------------------------------
 */

/* Reads a variable of the learner's file, of the skeleton's name and type, into the skeleton's:
 * judge_read(j, splits); then `splits` may be used. */
#define judge_read(j, variable) judge_read_variable(j, #variable, &(variable), sizeof(variable))
void judge_read_variable(struct judge *j, const char *name, void *into, size_t bytes);
/* Calls a function of the learner's file: judge_call(j, blocks_for, n, threads). Numbers, host
 * arrays from above (which it gets a copy of and may fill, if not const) and judge_gpu() pointers
 * may be its arguments; its result is a number. Its calls of the CUDA runtime are carried out here.
 */
#define judge_call(j, function, ...) judge_call_typed(j, false, function, ##__VA_ARGS__)
/* The same, and the result must come from the GPU: host code gets the inputs in another order than
 * the GPU does, and what it returns in arrays must have been copied back from there. */
#define judge_call_on_gpu(j, function, ...) judge_call_typed(j, true, function, ##__VA_ARGS__)
/* Calls it `rows` times, with the numbers of a row of `arguments` each: results[row]. */
#define judge_tabulate(j, function, rows, arguments, results)                                      \
    judge_tabulate_typed(j, function, rows, arguments, results)

struct judge_argument {
    uint64_t value;
    bool pointer, constant;
};
uint64_t judge_ask(struct judge *j, const void *function, bool on_gpu,
                   const struct judge_argument *arguments, unsigned count);
void judge_ask_rows(struct judge *j, const void *function, unsigned columns, int rows,
                    const int *arguments, int *results);

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

/* The next call of the learner's host code that waits for the GPU returns an error, as if a kernel
 * had failed; cudaGetLastError() knows of it once. */
void judge_fail_next_wait(struct judge *j);
/* Predictions: what the learner wrote against what was counted; accepted within 0.5 per cent.
 * think: what to think of, without the answer; not whether it is too low, which could be bisected.
 */
void judge_predict(struct judge *j, const char *what, double predicted, double counted,
                   const char *think);
/* How many fences of the whole GPU stand in the learner's GPU code; an atomic with
 * memory_order_acq_rel is two. `many` on a GPU, whose machine code is not read. */
unsigned judge_fences(const struct judge *j, unsigned many);
/* "Which line ...?": the line of the learner's file that costs most of `metric` ("bank conflicts");
 * a line of equal cost is right, too. */
void judge_which_line(struct judge *j, const char *metric, int line);
/* The value of a metric (metrics.def), summed over the launches of this shape so far; on a GPU,
 * which does not count, NaN, and predictions that are numbers are taken as they are. */
double judge_metric(struct judge *j, const char *metric);

#ifdef __cplusplus
}

template <typename T> struct judge_pointer { /* what an argument's type says */
    enum { is = false, constant = false };
};
template <typename T> struct judge_pointer<T *> {
    enum { is = true, constant = false };
};
template <typename T> struct judge_pointer<const T *> {
    enum { is = true, constant = true };
};
template <typename T> static inline judge_argument judge_argument_of(T value)
{
    static_assert(sizeof(T) <= 8, "arguments are numbers and pointers");
    judge_argument a = {0, judge_pointer<T>::is, judge_pointer<T>::constant};
    __builtin_memcpy(&a.value, &value, sizeof value);
    return a;
}
template <typename R, typename... P, typename... A>
static inline R judge_call_typed(judge *j, bool on_gpu, R (*function)(P...), A... arguments)
{
    const judge_argument list[] = {judge_argument_of<P>(arguments)...};
    const uint64_t value =
        judge_ask(j, reinterpret_cast<const void *>(function), on_gpu, list, sizeof...(P));
    R result;
    __builtin_memcpy(&result, &value, sizeof result);
    return result;
}
template <typename... P, typename... A>
static inline void judge_call_typed(judge *j, bool on_gpu, void (*function)(P...), A... arguments)
{
    const judge_argument list[] = {judge_argument_of<P>(arguments)...};
    judge_ask(j, reinterpret_cast<const void *>(function), on_gpu, list, sizeof...(P));
}
template <typename... P>
static inline void judge_tabulate_typed(judge *j, int (*function)(P...), int rows,
                                        const int *arguments, int *results)
{
    judge_ask_rows(j, reinterpret_cast<const void *>(function), sizeof...(P), rows, arguments,
                   results);
}
#endif

#endif
