/* warp_trace.h - SIMT_REPORT=FILE.traceg: the accesses to memory of one launch, warp by warp, in
 * the format of Accel-Sim's instruction traces. For report.c alone; page/README.md describes it. */
#ifndef SIMT_WARP_TRACE_H
#define SIMT_WARP_TRACE_H

#include "report/report.h"

/* Is it FILE.traceg, FILE.traceg:KERNEL or FILE.traceg:KERNEL,N? */
bool warp_trace_wanted(const char *destination);
/* Whether the file can be written is found out now; it is written when the launch has run: the
 * first one, the first one of KERNEL, or the N-th one of KERNEL. A file that holds something else
 * than such a trace is not overwritten. */
bool warp_trace_open(const char *destination, struct err *e);

#endif
