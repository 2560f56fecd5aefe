/* nest.h - the loops that stretches stand in; for chain.c and schedule.c alone. */
#ifndef SIMT_NEST_H
#define SIMT_NEST_H

#include "time/stretch.h"

/* Per function of the kernel, in s->arena: s->flows, and which loops multiply (s->multiplies). */
void nest_find(struct scheduler *s);
/* Does a loop around b hold instructions that a warp gives to a tensor core? */
bool nest_multiplies(const struct scheduler *s, const struct stretch *b);
/* Is there a loop around `from` that does not have `to`? entries: how often control came to the
 * largest of them from elsewhere. */
bool nest_leaves(const struct scheduler *s, const struct stretch *from, const struct stretch *to,
                 double *entries);
/* Runs of b, times the warps of a block for each of which those wait that do not come to its loop:
 * one warp's loop holds up all that meet it at a barrier behind. */
double nest_critical(const struct scheduler *s, const struct stretch *b);
/* How often b begins to wait: where it stands in a loop that only polls, how often that is entered.
 */
double nest_waits(const struct scheduler *s, const struct stretch *b);
/* Do both stand in the smallest loop around b that does more than poll? */
bool nest_together(const struct scheduler *s, const struct stretch *b, const struct stretch *other);

#endif
