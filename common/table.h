/* table.h - rows of named, typed columns: aligned text for people, CSV and JSON for programs.
 *
 * Cells are set by the column's CSV name, in any order; what is never set is missing and prints as
 * `-` in both forms. A wrong name or type is a mistake of the program, not of its user: abort().
 * report.h prints a table the way --csv asks for. No CUDA in here. */
#ifndef COMMON_TABLE_H
#define COMMON_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

enum column_type {
    COLUMN_TEXT,
    COLUMN_INTEGER,
    COLUMN_REAL,   /* digits after the point */
    COLUMN_GENERAL /* significant digits, as %g: for errors and other values of any magnitude */
};

struct column {
    const char *name;  /* in the CSV's header, and in the calls below */
    const char *title; /* above the text column; NULL: the name, with blanks for underscores */
    const char *unit;  /* below the title; NULL or "": none */
    enum column_type type;
    int digits; /* COLUMN_REAL and COLUMN_GENERAL */
};

struct table;

/* The columns must outlive the table. */
struct table *table_open(const struct column *columns, size_t count);
void table_close(struct table *t);

void table_row(struct table *t); /* starts a row; the calls below fill the row started last */
void table_text(struct table *t, const char *name, const char *text); /* copied; NULL: missing */
void table_integer(struct table *t, const char *name, int64_t value);
void table_real(struct table *t, const char *name, double value); /* NaN prints as nan */
/* A real that exists only if a GPU measured it: NaN is missing. */
void table_measured(struct table *t, const char *name, double value);

/* "text", in quotes and escaped as JSON wants it. */
void table_json_text(FILE *out, const char *text);

size_t table_rows(const struct table *t);

/* Title, unit, ruler, rows; text columns to the left, numbers to the right. All columns, however
 * wide that gets. */
void table_print(const struct table *t, FILE *out);

/* The same for a terminal of `width` characters; 0: as table_print(). Columns that hold nothing but
 * `-` are left out, headings are broken into lines. If that is not enough, numbers that are the
 * same in all rows stand once, above; if that is not enough, columns are left out: first those that
 * table_leave_out() names, in that order, then from the right; a line below says which. The first
 * of the columns and the last that holds anything always stay. */
void table_print_within(const struct table *t, FILE *out, size_t width);
/* CSV names with blanks between them; must outlive the table. */
void table_leave_out(struct table *t, const char *names);
/* How that line begins; default "With --wide also: ". Must outlive the table. */
void table_says_left_out(struct table *t, const char *words);

/* An array of objects, one per row, in the CSV's names; what is missing, or no number, is null. */
void table_write_json(const struct table *t, FILE *out);
/* RFC 4180 quoting; reals with up to 9 significant digits. A provenance that is not NULL becomes
 * the first line, after "# ". */
void table_write_csv(const struct table *t, FILE *out, const char *provenance);

#ifdef __cplusplus
}
#endif

#endif
