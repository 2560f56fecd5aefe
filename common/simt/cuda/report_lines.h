/* report_lines.h - SIMT_REPORT=lines, for report.c alone. */
#ifndef SIMT_REPORT_LINES_H
#define SIMT_REPORT_LINES_H

#include "cuda/simt.h"

/* Adds the last launch of the kernel to its lines. */
void report_lines_add(const char *kernel, const struct simt_kernel *handle);
void report_lines_print(void);

#endif
