/* report_page.h - SIMT_REPORT=FILE.html and FILE.json: the record of a program's launches, written
 * when it ends. For report.c alone. */
#ifndef SIMT_REPORT_PAGE_H
#define SIMT_REPORT_PAGE_H

#include "report/record.h"

/* Does the name end in .html or .json? */
bool report_is_page(const char *path);
/* Whether the file can be written is found out now: it is made, empty, unless it holds a page or
 * record that an earlier run wrote; another file is not overwritten. */
bool report_page_open(const char *path, struct err *e);

#endif
