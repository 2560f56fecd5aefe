/* report_explain.h - SIMT_REPORT=explain, for report.c alone. */
#ifndef SIMT_REPORT_EXPLAIN_H
#define SIMT_REPORT_EXPLAIN_H

#include "cuda/report.h"

/* Keeps the longest launch of each kernel. */
void report_explain_add(const struct report_row *row);
void report_explain_print(void);

#endif
