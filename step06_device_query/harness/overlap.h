/* overlap.h - host and device at the same time: one job of copies and kernels, done in several ways.
 * Called by main.cu for --overlap. */
#ifndef STEP06_OVERLAP_H
#define STEP06_OVERLAP_H

#include "common/options.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { OVERLAP_PARTS_MAX = 16 };

/* A copy there, a kernel or a copy back, of one part, in one stream. The order of the array is the
 * order of the calls. start and end: NAN until they are known. */
enum overlap_kind { OVERLAP_THERE, OVERLAP_KERNEL, OVERLAP_BACK, OVERLAP_KINDS };
struct overlap_step {
    enum overlap_kind kind;
    int part, stream;
    double start_ms, end_ms;
};

/* Three lines, copies there, kernels, copies back, over time; a digit is a part. */
void overlap_draw(const struct overlap_step *steps, int count);

/* When each step begins and ends if the copies of one direction and the kernels go one after the
 * other among themselves, and the steps of a stream in their order. Returns the end of the last. */
double overlap_schedule(struct overlap_step *steps, int count, const double ms[OVERLAP_KINDS]);

/* The exit code. n floats in `parts` parts, with streams in as many streams as parts. */
int overlap_run(const struct options *o, int n, int parts, int rounds);

#ifdef __cplusplus
}
#endif

#endif
