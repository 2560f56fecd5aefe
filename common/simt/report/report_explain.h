/* report_explain.h - what limits each kernel, in words: SIMT_REPORT=explain, and the page. */
#ifndef SIMT_REPORT_EXPLAIN_H
#define SIMT_REPORT_EXPLAIN_H

#include "report/report.h"

/* Keeps the longest launch of each kernel. */
void report_explain_add(const struct report_row *row);
/* Only these kernels ("a,b"), compared in this order; else all, each compared with the next one
 * whose name begins with the same word. */
void report_explain_only(const char *names);
void report_explain_print(void);
/* The same, kernel by kernel, in the order of their first launches. */
void report_explain_visit(void (*visit)(void *state, const char *kernel, const char *text),
                          void *state);

#endif
