/* join.h - neighbouring accesses of aligned memory become one, as nvcc makes them.
 *
 * Where a program reads the fields x, y and z of a float4, nvcc loads all four at once: one
 * request. clang joins loads only where they fill a vector, and looks through few steps of address
 * arithmetic. PTX does not say how far an address is aligned; cc/alignment.awk has clang say it in
 * the column of each `.loc`, under
 * `.pragma "simt_alignments"`. PTX without the pragma (nvcc's, or written by hand) stays as it is.
 */
#ifndef SIMT_JOIN_H
#define SIMT_JOIN_H

#include "ptx/module.h"

/* Takes the code out of loc->column. */
void join_read_alignment(struct ptx_loc *loc);

/* Joins accesses of a function whose instructions and labels are complete. */
void join_accesses(struct ptx_func *f, struct arena *arena);

#endif
