/* report_lines.h - SIMT_REPORT=lines, for report.c alone. */
#ifndef SIMT_REPORT_LINES_H
#define SIMT_REPORT_LINES_H

#include "cuda/simt.h"
#include "observe/estimate.h"

/* Adds the last launch of the kernel to its lines. estimate: of that launch, or NULL; that of the
 * longest one is printed. */
void report_lines_add(const char *kernel, const struct simt_kernel *handle,
                      const struct estimate *estimate);
void report_lines_print(void);
/* The text on stdout from column `indent` on, behind `mark`, broken between words at 80 columns. */
void report_print_wrapped(int indent, const char *mark, const char *text);

#endif
