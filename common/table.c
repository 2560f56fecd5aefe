/* table.c - rows of typed cells, printed as aligned text, CSV or JSON (see table.h). */
#include "table_cells.h"

#include "common/csv.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void *table_checked(void *memory)
{
    if (memory == NULL) {
        fprintf(stderr, "out of memory for a table\n");
        exit(2);
    }
    return memory;
}

struct table *table_open(const struct column *columns, size_t count)
{
    struct table *t = table_checked(calloc(1, sizeof *t));
    assert(count > 0);
    t->columns = columns;
    t->column_count = count;
    t->left_out = "With --wide also: ";
    return t;
}

void table_close(struct table *t)
{
    if (t == NULL) {
        return;
    }
    for (size_t i = 0; i < t->row_count * t->column_count; i++) {
        free(t->cells[i].text);
    }
    free(t->cells);
    free(t);
}

void table_row(struct table *t)
{
    if (t->row_count == t->row_capacity) {
        t->row_capacity = t->row_capacity ? 2 * t->row_capacity : 16;
        size_t size = t->row_capacity * t->column_count * sizeof *t->cells;
        t->cells = table_checked(realloc(t->cells, size));
    }
    struct table_cell *row = t->cells + t->row_count * t->column_count;
    memset(row, 0, t->column_count * sizeof *row);
    t->row_count++;
}

void table_leave_out(struct table *t, const char *names) { t->leave_out = names; }

void table_says_left_out(struct table *t, const char *words) { t->left_out = words; }

size_t table_rows(const struct table *t) { return t->row_count; }

static bool is_real(enum column_type type) { return type == COLUMN_REAL || type == COLUMN_GENERAL; }

/* The cell of that column in the last row. What does not exist is the program's mistake: it ends
 * here in every build, as a silent `-` in a column of results would be a wrong table. */
static struct table_cell *find_cell(struct table *t, const char *name, enum column_type type)
{
    for (size_t i = 0; i < t->column_count && t->row_count > 0; i++) {
        const struct column *c = &t->columns[i];
        if (strcmp(c->name, name) != 0) {
            continue;
        }
        if (c->type == type || (is_real(c->type) && is_real(type))) {
            return &t->cells[(t->row_count - 1) * t->column_count + i];
        }
    }
    fprintf(stderr, "table: no row yet, or no column '%s' of that type\n", name);
    abort();
}

void table_text(struct table *t, const char *name, const char *text)
{
    struct table_cell *c = find_cell(t, name, COLUMN_TEXT);
    free(c->text);
    c->text = text != NULL ? table_checked(strdup(text)) : NULL;
    c->set = text != NULL;
}

void table_integer(struct table *t, const char *name, int64_t value)
{
    struct table_cell *c = find_cell(t, name, COLUMN_INTEGER);
    c->integer = value;
    c->set = true;
}

void table_real(struct table *t, const char *name, double value)
{
    struct table_cell *c = find_cell(t, name, COLUMN_REAL);
    c->real = value;
    c->set = true;
}

void table_measured(struct table *t, const char *name, double value)
{
    struct table_cell *c = find_cell(t, name, COLUMN_REAL);
    c->real = value;
    c->set = !isnan(value);
}

static void put(void *out, char c) { fputc(c, out); }

void table_write_csv(const struct table *t, FILE *out, const char *provenance)
{
    char buffer[CELL_TEXT_MAX];
    if (provenance != NULL) {
        fprintf(out, "# %s\n", provenance);
    }
    for (size_t i = 0; i < t->column_count; i++) {
        fputs(i > 0 ? "," : "", out);
        csv_field(t->columns[i].name, put, out);
    }
    fputc('\n', out);
    for (size_t row = 0; row < t->row_count; row++) {
        for (size_t i = 0; i < t->column_count; i++) {
            const struct table_cell *cell = &t->cells[row * t->column_count + i];
            fputs(i > 0 ? "," : "", out);
            if (cell->set && is_real(t->columns[i].type) && !isnan(cell->real)) {
                fprintf(out, "%.9g", cell->real);
            } else {
                csv_field(table_cell_text(&t->columns[i], cell, buffer), put, out);
            }
        }
        fputc('\n', out);
    }
}

const char *table_cell_text(const struct column *c, const struct table_cell *cell, char *buffer)
{
    if (!cell->set) {
        return "-";
    }
    if (c->type == COLUMN_TEXT) {
        return cell->text;
    }
    if (c->type == COLUMN_INTEGER) {
        snprintf(buffer, CELL_TEXT_MAX, "%" PRId64, cell->integer);
    } else if (isnan(cell->real)) {
        return "nan"; /* printf may write -nan */
    } else {
        snprintf(buffer, CELL_TEXT_MAX, c->type == COLUMN_REAL ? "%.*f" : "%.*g", c->digits,
                 cell->real);
    }
    return buffer;
}

void table_json_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++) {
        if ((unsigned char)*text < 0x20) {
            fprintf(out, "\\u%04x", (unsigned)(unsigned char)*text);
        } else {
            fprintf(out, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
        }
    }
    fputc('"', out);
}

static void write_json_cell(const struct column *c, const struct table_cell *cell, FILE *out)
{
    if (!cell->set || (is_real(c->type) && !isfinite(cell->real))) {
        fputs("null", out);
    } else if (c->type == COLUMN_TEXT) {
        table_json_text(out, cell->text);
    } else if (c->type == COLUMN_INTEGER) {
        fprintf(out, "%" PRId64, cell->integer);
    } else {
        fprintf(out, "%.9g", cell->real);
    }
}

void table_write_json(const struct table *t, FILE *out)
{
    fputc('[', out);
    for (size_t row = 0; row < t->row_count; row++) {
        fputs(row > 0 ? ",\n  {" : "\n  {", out);
        for (size_t i = 0; i < t->column_count; i++) {
            fputs(i > 0 ? ", " : "", out);
            table_json_text(out, t->columns[i].name);
            fputs(": ", out);
            write_json_cell(&t->columns[i], &t->cells[row * t->column_count + i], out);
        }
        fputc('}', out);
    }
    fputs(t->row_count > 0 ? "\n]" : "]", out);
}
