/* report_lines.h - SIMT_REPORT=lines, for report.c alone. */
#ifndef SIMT_REPORT_LINES_H
#define SIMT_REPORT_LINES_H

#include "base/ranges.h"
#include "report/report.h"

/* Adds the launch that has just run to the lines of its kernel. measured: as below, so far. */
void report_lines_add(const struct report_row *row, const struct ranges *measured);
/* measured: numbers of launches that the program measures. Kernels of which some are, are shown
 * without the launches of other shapes; those are named at the end. */
void report_lines_print(const struct ranges *measured);

#endif
