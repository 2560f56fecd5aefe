/* show.h - SIMT_SHOW=x.cu:8: the accesses of a line, drawn on stdout, for the first launch of each
 * kernel that executes it. */
#ifndef SIMT_SHOW_H
#define SIMT_SHOW_H

#include "api/simt.h"

/* The value of SIMT_SHOW: a file's name, or the end of its path, and a line. NULL or "": none. */
bool show_open(const char *wanted, struct err *e);
bool show_wanted(void);
/* The launch that has just run. kernel: its plain name, which must live on. */
void show_launch(const char *kernel, uint64_t launch);

#endif
