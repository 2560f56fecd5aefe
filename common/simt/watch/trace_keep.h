/* trace_keep.h - what a trace has recorded: steps, accesses, gaps, and lists of 32 numbers, each
 * once. */
#ifndef SIMT_TRACE_KEEP_H
#define SIMT_TRACE_KEEP_H

#include "watch/trace_tail.h"

/* The index of a list of 32 numbers. */
int trace_keep_vector(struct trace *t, const struct trace_vector *v);
/* Their index; of a step NOTHING where the limit has come. */
int trace_add_step(struct trace *t, const struct trace_step *step);
int trace_add_access(struct trace *t, const struct trace_access *access);
/* Another entry of the last step's list. */
void trace_add_waiting(struct trace *t, struct trace_step *s, struct trace_waiting waiting);
/* A step of a tail becomes one of the trace. */
void trace_take_over(struct trace *t, const struct tail_step *from);
/* What the tail has left out, before the oldest step that it still has. */
void trace_add_gap(struct trace *t, unsigned warp, const struct trace_tail *tail);

#endif
