/* spills.h - what happens when a block may not have the registers that it needs, and how long a wave
 * with few blocks takes. Called by main.cu for --spills and --tail. Exit codes. */
#ifndef STEP06_SPILLS_H
#define STEP06_SPILLS_H

#include "common/options.h"

int spills_run(const struct options *o, unsigned n);
int tail_run(const struct options *o);

#endif
