/* loop_lines.h - for SIMT_REPORT=lines: of each kernel the loops whose lanes run different numbers
 * of rounds, by source line. */
#ifndef SIMT_LOOP_LINES_H
#define SIMT_LOOP_LINES_H

#include "base/base.h"
#include "watch/accesses.h"

bool loop_lines_open(void); /* before the first launch; false: there are too many observers */
/* The launch that has just run; rows: its accesses. */
void loop_lines_add(const char *kernel, const struct access_row *rows, unsigned count);
/* Prints what is to be said of a line's loop, if anything. */
void loop_lines_print(const char *kernel, const char *file, unsigned line);

#endif
