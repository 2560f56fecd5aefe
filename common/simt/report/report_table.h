/* report_table.h - SIMT_REPORT=-, for report.c alone. */
#ifndef SIMT_REPORT_TABLE_H
#define SIMT_REPORT_TABLE_H

#include "base/ranges.h"
#include "report/report.h"

/* Keeps the row; one that repeats the one before takes no room. */
void report_table_add(const struct report_row *row);
/* The tables, within 80 columns; measured: numbers of launches that the program measures, which
 * stand in tables of their own if there are others. Forgets the rows. */
void report_table_print(const struct ranges *measured);

#endif
