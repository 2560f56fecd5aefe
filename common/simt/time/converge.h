/* converge.h - what lanes that may go different ways cost beside the ways: instructions that PTX
 * does not have. */
#ifndef SIMT_CONVERGE_H
#define SIMT_CONVERGE_H

#include "time/stretch.h"

/* Where a branch is left whose lanes may part, ptxas notes before it where they meet (BSSY), and
 * they come together there (BSYNC): one instruction each for a warp whose lanes stay together, and
 * one more each time that lanes part, since those that come later execute theirs. Adds them to
 * s->guarded, and to each stretch how often its lanes part. warps: of the launch. */
void converge_find(struct scheduler *s, const struct site *sites, double warps);

#endif
