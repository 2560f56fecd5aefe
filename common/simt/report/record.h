/* record.h - what a program's launches did, in full, for pages: SIMT_REPORT=FILE.json and
 * FILE.html.
 *
 * Launches of one kernel with the same grid, block and counts are one entry. Every entry holds its
 * counts; of each kernel the largest launch also counts by line, and its accesses and branches with
 * the requests that show them; and one launch has a block step by step. What all that may take is
 * bounded (record.c). The text is JSON; page/README.md describes it. */
#ifndef SIMT_RECORD_H
#define SIMT_RECORD_H

#include "report/report.h"

#include <stdio.h>

enum { RECORD_SCHEMA = 1 }; /* grows when a field changes its meaning or goes */

/* Begins to watch launches. SIMT_TRACE=block[:warp] chooses what is stepped: a number, or x,y,z. */
bool record_open(struct err *e);
/* The launch that has just run. */
void record_add(const struct report_row *row);
/* The program measures launches number from ... to - 1. */
void record_measured(uint64_t from, uint64_t to);
/* The whole record as JSON. */
void record_write(FILE *out);

#endif
