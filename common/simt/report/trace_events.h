/* trace_events.h - SIMT_REPORT=FILE.trace.json: launches on their streams, and one SM's warps over
 * modelled time, in the format that Perfetto and chrome://tracing read. For report.c alone. */
#ifndef SIMT_TRACE_EVENTS_H
#define SIMT_TRACE_EVENTS_H

#include "report/report.h"

/* Does the name end in .trace.json? */
bool trace_events_wanted(const char *path);
/* The file is made now and written when the program ends. */
bool trace_events_open(const char *path, struct err *e);
/* The launch that has just run. */
void trace_events_add(const struct report_row *row);

#endif
