/* launches.h - one thread, one block, many blocks, a grid stride: the same addition, counted and
 * timed beside a loop on the CPU. Called by main.cu for --launches. */
#ifndef STEP01_LAUNCHES_H
#define STEP01_LAUNCHES_H

#include "common/options.h"

/* One group of rows for each number of elements. The exit code: 0, 1 after a wrong result, 2 if a
 * file cannot be written. */
int launches_run(const struct options *o, const struct option_integers *elements);

#endif
