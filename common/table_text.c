/* table_text.c - a table as text for people: all of it, or what fits a terminal (see table.h). */
#include "table_cells.h"

#include <stdlib.h>
#include <string.h>

enum { HEADING_LINES_MAX = 8, HEADING_MAX = 96, GAP = 2 };

/* A column as it will stand there. */
struct shown {
    size_t index; /* among the table's columns */
    size_t width;
    size_t lines; /* of its heading */
    char heading[HEADING_LINES_MAX][HEADING_MAX];
};

struct view {
    const struct table *t;
    bool wrap; /* headings may be broken between words */
    size_t count;
    struct shown *shown;
};

static size_t width_of(const char *text) /* characters, not bytes, of UTF-8 */
{
    size_t width = 0;
    for (; *text; text++) {
        width += ((unsigned char)*text & 0xc0) != 0x80;
    }
    return width;
}

static const char *title_of(const struct column *c, char *buffer)
{
    if (c->title) {
        return c->title;
    }
    snprintf(buffer, CELL_TEXT_MAX, "%s", c->name);
    for (char *p = buffer; *p; p++) {
        if (*p == '_') {
            *p = ' ';
        }
    }
    return buffer;
}

static const char *unit_of(const struct column *c) { return c->unit != NULL ? c->unit : ""; }

static const struct table_cell *cell_at(const struct table *t, size_t row, size_t column)
{
    return &t->cells[row * t->column_count + column];
}

/* ------------------------------------------------------------------ headings and widths */

static size_t values_width(const struct table *t, size_t column)
{
    char buffer[CELL_TEXT_MAX];
    size_t width = 0;
    for (size_t row = 0; row < t->row_count; row++) {
        const char *text = table_cell_text(&t->columns[column], cell_at(t, row, column), buffer);
        width = width_of(text) > width ? width_of(text) : width;
    }
    return width;
}

static size_t longest_word(const char *text)
{
    size_t longest = 0;
    while (*text) {
        char word[HEADING_MAX];
        size_t length = strcspn(text, " ");
        snprintf(word, sizeof word, "%.*s", (int)length, text);
        longest = width_of(word) > longest ? width_of(word) : longest;
        text += length + strspn(text + length, " ");
    }
    return longest;
}

/* Adds text to the heading, in lines of at most `width`; a word that is longer has its own. */
static void add_heading(struct shown *s, const char *text, size_t width)
{
    bool fresh = true;
    while (*text && s->lines <= HEADING_LINES_MAX) {
        char word[HEADING_MAX / 2];
        size_t length = strcspn(text, " ");
        snprintf(word, sizeof word, "%.*s", (int)length, text);
        text += length + strspn(text + length, " ");
        char *line = s->lines ? s->heading[s->lines - 1] : s->heading[0];
        const size_t used = width_of(line);
        if (!fresh && used + 1 + width_of(word) <= width && used + 1 < HEADING_MAX / 2) {
            strcat(line, " ");
            strcat(line, word);
        } else if (s->lines < HEADING_LINES_MAX) {
            snprintf(s->heading[s->lines++], HEADING_MAX, "%s", word);
        }
        fresh = false;
    }
}

static struct shown show(const struct view *v, size_t column)
{
    char buffer[CELL_TEXT_MAX];
    const struct column *c = &v->t->columns[column];
    const char *title = title_of(c, buffer), *unit = unit_of(c);
    struct shown s = {.index = column, .width = values_width(v->t, column)};
    const size_t title_width = v->wrap ? longest_word(title) : width_of(title);
    const size_t unit_width = v->wrap ? longest_word(unit) : width_of(unit);
    s.width = title_width > s.width ? title_width : s.width;
    s.width = unit_width > s.width ? unit_width : s.width;
    add_heading(&s, title, s.width);
    add_heading(&s, unit, s.width);
    return s;
}

static size_t total_width(const struct view *v)
{
    size_t total = 0;
    for (size_t i = 0; i < v->count; i++) {
        total += v->shown[i].width + (i > 0 ? GAP : 0);
    }
    return total;
}

/* ------------------------------------------------------------------ what is left out */

static bool only_missing(const struct table *t, size_t column)
{
    for (size_t row = 0; row < t->row_count; row++) {
        if (cell_at(t, row, column)->set) {
            return false;
        }
    }
    return t->row_count > 0;
}

static bool same_number(const struct table *t, size_t column)
{
    char first[CELL_TEXT_MAX], other[CELL_TEXT_MAX];
    const struct column *c = &t->columns[column];
    if (c->type == COLUMN_TEXT || t->row_count < 2) {
        return false;
    }
    const char *want = table_cell_text(c, cell_at(t, 0, column), first);
    for (size_t row = 1; row < t->row_count; row++) {
        if (strcmp(table_cell_text(c, cell_at(t, row, column), other), want) != 0) {
            return false;
        }
    }
    return true;
}

static void remove_shown(struct view *v, size_t at)
{
    memmove(&v->shown[at], &v->shown[at + 1], (v->count - at - 1) * sizeof *v->shown);
    v->count--;
}

/* Adds "m 128" to a sentence that is broken at `width`. */
static void say(FILE *out, size_t *column, size_t width, const char *intro, const char *item)
{
    const size_t length = width_of(item);
    if (*column == 0) {
        fputs(intro, out);
        *column = width_of(intro);
    } else if (*column + 3 + length > width) {
        fputs(",\n  ", out);
        *column = 2;
    } else {
        fputs(", ", out);
        *column += 2;
    }
    fputs(item, out);
    *column += length;
}

static void fold_same_numbers(struct view *v, FILE *out, size_t width)
{
    char title[CELL_TEXT_MAX], value[CELL_TEXT_MAX], item[2 * HEADING_MAX];
    size_t column = 0;
    for (size_t i = 1; i + 1 < v->count;) {
        const size_t index = v->shown[i].index;
        const struct column *c = &v->t->columns[index];
        if (!same_number(v->t, index)) {
            i++;
            continue;
        }
        snprintf(item, sizeof item, "%.60s %.40s%s%.40s", title_of(c, title),
                 table_cell_text(c, cell_at(v->t, 0, index), value), *unit_of(c) ? " " : "",
                 unit_of(c));
        say(out, &column, width, "In every row: ", item);
        remove_shown(v, i);
    }
    fputs(column ? "\n" : "", out);
}

/* The shown column to do without next: named ones first, then the last but one. */
static size_t next_to_go(const struct view *v, const char **names)
{
    while (*names && **names) {
        const size_t length = strcspn(*names, " ");
        const char *name = *names;
        *names += length + strspn(*names + length, " ");
        for (size_t i = 1; i + 1 < v->count; i++) {
            const char *own = v->t->columns[v->shown[i].index].name;
            if (strlen(own) == length && strncmp(own, name, length) == 0) {
                return i;
            }
        }
    }
    return v->count - 2;
}

/* Leaves out until it fits; what went stands in `gone`, one bool for each column. */
static void leave_out(struct view *v, size_t width, bool *gone)
{
    const char *names = v->t->leave_out;
    while (v->count > 2 && total_width(v) > width) {
        const size_t at = next_to_go(v, &names);
        gone[v->shown[at].index] = true;
        remove_shown(v, at);
    }
}

static void say_gone(const struct table *t, FILE *out, size_t width, const bool *gone)
{
    char title[CELL_TEXT_MAX], item[2 * HEADING_MAX];
    size_t column = 0;
    for (size_t i = 0; i < t->column_count; i++) {
        if (!gone[i]) {
            continue;
        }
        snprintf(item, sizeof item, "%.60s%s%.40s", title_of(&t->columns[i], title),
                 *unit_of(&t->columns[i]) ? " " : "", unit_of(&t->columns[i]));
        say(out, &column, width, t->left_out, item);
    }
    fputs(column ? "\n" : "", out);
}

/* ------------------------------------------------------------------ printing */

static void pad(FILE *out, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        fputc(' ', out);
    }
}

/* One field of a line, two blanks before all but the first. Blanks are owed until there is text, so
 * that no line ends with any. */
static void print_field(const struct view *v, size_t at, const char *text, FILE *out, size_t *owed)
{
    const bool left = v->t->columns[v->shown[at].index].type == COLUMN_TEXT;
    const size_t gap = v->shown[at].width - width_of(text);
    *owed += (at > 0 ? GAP : 0) + (left ? 0 : gap);
    if (*text != '\0') {
        pad(out, *owed);
        *owed = 0;
        fputs(text, out);
    }
    *owed += left ? gap : 0;
}

/* Headings end at the same line, above the ruler; unwrapped ones begin at the first. */
static void print_headings(const struct view *v, FILE *out)
{
    size_t lines = 0;
    for (size_t i = 0; i < v->count; i++) {
        lines = v->shown[i].lines > lines ? v->shown[i].lines : lines;
    }
    for (size_t line = 0; line < lines; line++) {
        size_t owed = 0;
        for (size_t i = 0; i < v->count; i++) {
            const struct shown *s = &v->shown[i];
            const size_t skipped = v->wrap ? lines - s->lines : 0;
            const bool has = line >= skipped && line - skipped < s->lines;
            print_field(v, i, has ? s->heading[line - skipped] : "", out, &owed);
        }
        fputc('\n', out);
    }
}

static void print_view(const struct view *v, FILE *out)
{
    char buffer[CELL_TEXT_MAX];
    print_headings(v, out);
    for (size_t i = 0; i < total_width(v); i++) {
        fputc('-', out);
    }
    fputc('\n', out);
    for (size_t row = 0; row < v->t->row_count; row++) {
        size_t owed = 0;
        for (size_t i = 0; i < v->count; i++) {
            const size_t index = v->shown[i].index;
            const struct table_cell *cell = cell_at(v->t, row, index);
            print_field(v, i, table_cell_text(&v->t->columns[index], cell, buffer), out, &owed);
        }
        fputc('\n', out);
    }
}

void table_print(const struct table *t, FILE *out) { table_print_within(t, out, 0); }

void table_print_within(const struct table *t, FILE *out, size_t width)
{
    struct view v = {.t = t, .wrap = width > 0};
    bool *gone = table_checked(calloc(t->column_count, sizeof *gone));
    v.shown = table_checked(calloc(t->column_count, sizeof *v.shown));
    for (size_t i = 0; i < t->column_count; i++) {
        const bool always = i == 0 || width == 0;
        if (always || !only_missing(t, i)) {
            v.shown[v.count++] = show(&v, i);
        }
    }
    if (width > 0 && total_width(&v) > width) {
        fold_same_numbers(&v, out, width);
    }
    if (width > 0) {
        leave_out(&v, width, gone);
    }
    print_view(&v, out);
    say_gone(t, out, width, gone);
    free(v.shown);
    free(gone);
}
