/* table_cells.h - what a table is made of, for the two files that print it: table.c (CSV, JSON) and
 * table_text.c (text for people). */
#ifndef COMMON_TABLE_CELLS_H
#define COMMON_TABLE_CELLS_H

#include "table.h"

struct table_cell {
    bool set;
    char *text; /* COLUMN_TEXT */
    int64_t integer;
    double real;
};

struct table {
    const struct column *columns;
    size_t column_count, row_count, row_capacity;
    struct table_cell *cells;    /* row after row */
    const char *leave_out; /* see table_leave_out(); may be NULL */
    const char *left_out;  /* see table_says_left_out() */
};

enum { CELL_TEXT_MAX = 400 }; /* %.*f of the largest double and a few digits */

/* Text of a cell for people; returns the cell's own text or buffer (CELL_TEXT_MAX). */
const char *table_cell_text(const struct column *c, const struct table_cell *cell, char *buffer);
/* Memory as it is; the program ends with 2 if there is none. */
void *table_checked(void *memory);

#endif
