/* record_rows.c - see record_rows.h. */
#include "report/record_rows.h"
#include "base/room.h"
#include "report/array_name.h"
#include "report/moved.h"

#include "report/report_explain.h"

#include "base/arena.h"
#include "base/describe.h"
#include "watch/advice.h"
#include "base/names.h"
#include "report/source.h"

#include "common/gpu/draw.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_SOURCE_LINES = 4000, MOST_SHOWN_CLASSES = 8 };

struct texts {
    const char **items;
    unsigned count, capacity;
    struct names numbers;
};

struct record_rows {
    struct arena arena;
    struct texts files, pictures;
    size_t bytes;
};

struct record_rows *record_rows_open(void) { return room_new(1, sizeof(struct record_rows)); }

size_t record_rows_bytes(const struct record_rows *r) { return r->bytes; }

/* ---- files and pictures ---------------------------------------------------------------------- */

static unsigned keep_text(struct record_rows *r, struct texts *t, const char *text, bool *is_new)
{
    unsigned number;
    t->numbers.arena = &r->arena;
    *is_new = !names_find(&t->numbers, text, &number);
    if (*is_new) {
        number = t->count++;
        t->items = arena_grow(&r->arena, (void *)t->items, number, &t->capacity, sizeof *t->items);
        t->items[number] = arena_strndup(&r->arena, text, strlen(text));
        names_add(&t->numbers, t->items[number], number);
    }
    return number;
}

int record_file_number(struct record_rows *r, const char *file)
{
    bool is_new;
    if (file == NULL) {
        return -1;
    }
    unsigned number = keep_text(r, &r->files, file, &is_new);
    for (unsigned i = 1; is_new && i <= source_line_count(file); i++) {
        r->bytes += strlen(source_line(file, i)) + 3;
    }
    return (int)number;
}

static enum draw_op op_of(enum access_kind kind)
{
    return kind == ACCESS_LOAD || kind == ACCESS_COPY_READ     ? DRAW_LOAD
           : kind == ACCESS_STORE || kind == ACCESS_COPY_WRITE ? DRAW_STORE
                                                               : DRAW_ATOMIC;
}

/* Addresses counted from the 128-byte line that the lowest lies in: requests that look alike share
 * a picture, and the addresses themselves stand beside it. */
static void from_its_line(struct draw_access *a)
{
    uint64_t lowest = UINT64_MAX;
    for (lane_mask left = a->mask; left != 0; left &= left - 1) {
        uint64_t address = a->address[first_lane(left)];
        lowest = address < lowest ? address : lowest;
    }
    for (unsigned i = 0; i < WARP_LANES; i++) {
        a->address[i] -= lowest & ~(uint64_t)127;
    }
}

struct draw_access record_draw_access(enum ptx_space space, enum access_kind kind, unsigned bytes,
                                      lane_mask lanes, const uint64_t *address)
{
    struct draw_access a = {.space = space == PTX_SHARED ? DRAW_SHARED : DRAW_GLOBAL,
                            .op = op_of(kind),
                            .bytes = bytes,
                            .mask = lanes};
    memcpy(a.address, address, sizeof a.address);
    if (space == PTX_GLOBAL) {
        from_its_line(&a);
    }
    return a;
}

/* The number of the request's picture; -1 for a space that has none. */
int record_picture_number(struct record_rows *r, enum ptx_space space, enum access_kind kind,
                          unsigned bytes, lane_mask lanes, const uint64_t *address)
{
    char *text = NULL;
    size_t length = 0;
    bool is_new = false;
    if (space != PTX_GLOBAL && space != PTX_SHARED) {
        return -1;
    }
    const struct draw_access a = record_draw_access(space, kind, bytes, lanes, address);
    FILE *out = room_stream(&text, &length);
    draw_text(out, &a, (struct draw_style){.utf8 = false});
    room_stream_end(out);
    unsigned number = keep_text(r, &r->pictures, text, &is_new);
    r->bytes += is_new ? length + 40 : 0;
    free(text);
    return (int)number;
}

/* ---- lists of 32 numbers --------------------------------------------------------------------- */

void record_vector_text(const uint64_t *lane, lane_mask mask, char *text, size_t size)
{
    bool equal = true, even = true;
    const unsigned first = mask != 0 ? first_lane(mask) : 0;
    int64_t step = 0;
    for (lane_mask left = mask & (mask - 1); left != 0; left &= left - 1) {
        unsigned i = first_lane(left);
        int64_t distance = (int64_t)(lane[i] - lane[first]), lanes = (int64_t)(i - first);
        step = left == (mask & (mask - 1)) ? distance / lanes : step;
        equal = equal && distance == 0;
        even = even && distance == step * lanes;
    }
    if (equal) {
        snprintf(text, size, "=%" PRIx64, lane[first]);
    } else if (even) { /* as lane 0 would have it */
        snprintf(text, size, "+%" PRIx64 ",%" PRId64, lane[first] - (uint64_t)step * first, step);
    } else {
        size_t length = 0;
        for (unsigned i = 0; i < WARP_LANES && length < size; i++) {
            length += (size_t)snprintf(text + length, size - length, "%s", i > 0 ? "," : "");
            if (mask >> i & 1u && length < size) {
                length += (size_t)snprintf(text + length, size - length, "%" PRIx64, lane[i]);
            }
        }
    }
}

/* ---- lines ----------------------------------------------------------------------------------- */

struct line_writer {
    struct json *j;
    struct record_rows *rows;
};

static void write_line(void *state, const struct simt_line *line)
{
    struct line_writer *w = state;
    json_open(w->j, NULL, '{');
    json_integer(w->j, "file", record_file_number(w->rows, line->file));
    json_number(w->j, "line", line->line);
#define COUNTER(field, unit, metric)                                                               \
    if (line->counters.field != 0) {                                                               \
        json_number(w->j, #field, line->counters.field);                                           \
    }
#include "base/counters.def"
#undef COUNTER
    json_close(w->j, '}');
}

void record_write_lines(struct json *j, struct record_rows *r, const struct simt_kernel *kernel)
{
    struct line_writer w = {j, r};
    json_open(j, "lines", '[');
    simt_kernel_lines(kernel, write_line, &w);
    json_close(j, ']');
}

/* ---- accesses -------------------------------------------------------------------------------- */

const char *const record_kind_names[] = {
    [ACCESS_LOAD] = "load",           [ACCESS_STORE] = "store",
    [ACCESS_ATOMIC] = "atomic",       [ACCESS_REDUCTION] = "reduction",
    [ACCESS_COPY_READ] = "copy from", [ACCESS_COPY_WRITE] = "copy to"};
const char *const record_space_names[] = {
    [PTX_GENERIC] = "generic", [PTX_GLOBAL] = "global",  [PTX_SHARED] = "shared",
    [PTX_LOCAL] = "local",     [PTX_CONST] = "constant", [PTX_PARAM] = "parameter",
    [PTX_REG] = "register"};

void record_write_floor(struct json *j, const struct floors *f)
{
    if (!isfinite(f->floor_us)) {
        return;
    }
    json_open(j, "floor", '{');
    json_real(j, "us", f->floor_us);
    json_text(j, "limiter", floor_name(f->limiter));
    json_open(j, "resources", '{');
    for (unsigned i = 0; i < FLOOR_RESOURCES; i++) {
        json_real(j, floor_name((enum floor_resource)i), f->us[i]);
    }
    json_close(j, '}');
    json_close(j, '}');
}

void record_write_dim(struct json *j, const char *key, const struct simt_dim *d)
{
    json_open(j, key, '[');
    json_number(j, NULL, d->x);
    json_number(j, NULL, d->y);
    json_number(j, NULL, d->z);
    json_close(j, ']');
}

static void write_sample(struct json *j, struct record_rows *r, const char *key,
                         const struct access_row *row, const struct access_class *c)
{
    const struct access_sample *s = &c->sample;
    char addresses[WARP_LANES * 18];
    record_vector_text(s->address, s->lanes, addresses, sizeof addresses);
    json_open(j, key, '{');
    json_number(j, "cost", c->cost);
    record_write_dim(j, "block", &s->block);
    json_number(j, "warp", s->warp);
    json_number(j, "lanes", s->lanes);
    json_text(j, "addresses", addresses);
    json_integer(j, "picture",
                 record_picture_number(r, row->space, row->kind, row->bytes, s->lanes, s->address));
    json_close(j, '}');
}

static const struct access_class *first_class(const struct access_row *row)
{
    const struct access_class *first = &row->classes[0];
    for (unsigned i = 1; i < row->class_count; i++) {
        const struct access_sample *s = &row->classes[i].sample, *f = &first->sample;
        bool before = s->block_number != f->block_number ? s->block_number < f->block_number
                                                         : s->warp < f->warp;
        first = before ? &row->classes[i] : first;
    }
    return first;
}

static void write_access(struct json *j, struct record_rows *r, const char *kernel,
                         const struct access_row *rows, unsigned count, unsigned index)
{
    const struct access_row *row = &rows[index];
    char name[80], advice[400];
    array_name_of(rows, count, index, kernel, name, sizeof name);
    json_open(j, NULL, '{');
    json_integer(j, "file", record_file_number(r, row->file));
    json_number(j, "line", row->line);
    json_number(j, "column", row->column);
    json_text(j, "kind", record_kind_names[row->kind]);
    json_text(j, "space", record_space_names[row->space]);
    json_number(j, "bytes", row->bytes);
    json_text(j, "array", name);
    if (row->space == PTX_GLOBAL && row->array_bytes > 0) {
        char begin[24];
        snprintf(begin, sizeof begin, "%" PRIx64, row->array_begin);
        json_text(j, "begin", begin);
        json_number(j, "array_bytes", row->array_bytes);
    }
    json_text(j, "made_at", row->made_at != NULL ? describe_line(row->made_at) : "");
    json_number(j, "requests", row->requests);
    json_number(j, "lanes", row->lanes);
    json_number(j, "cost", row->cost);
    json_number(j, "least", row->least);
    json_number(j, "conflicts", row->conflicts);
    json_number(j, "wanted_bytes", row->wanted_bytes);
    json_bool(j, "moved", moved_by_compiler(rows, count, index, kernel));
    json_text(j, "advice", advice_for(rows, count, index, name, advice, sizeof advice));
    json_open(j, "classes", '[');
    for (unsigned i = 0; i < row->class_count; i++) {
        json_open(j, NULL, '[');
        json_number(j, NULL, row->classes[i].cost);
        json_number(j, NULL, row->classes[i].requests);
        json_close(j, ']');
    }
    json_close(j, ']');
    write_sample(j, r, "worst", row, accesses_worst(row));
    write_sample(j, r, "typical", row, accesses_typical(row));
    write_sample(j, r, "first", row, first_class(row));
    json_close(j, '}');
}

void record_write_accesses(struct json *j, struct record_rows *r, const char *kernel,
                           const struct access_row *rows, unsigned count)
{
    json_open(j, "accesses", '[');
    for (unsigned i = 0; i < count; i++) {
        write_access(j, r, kernel, rows, count, i);
    }
    json_close(j, ']');
}

/* ---- branches -------------------------------------------------------------------------------- */

static void write_branch(struct json *j, struct record_rows *r, const struct branch_row *row,
                         const struct access_row *accesses, unsigned access_count)
{
    char advice[300];
    uint64_t others = row->others;
    json_open(j, NULL, '{');
    json_integer(j, "file", record_file_number(r, row->file));
    json_number(j, "line", row->line);
    json_number(j, "column", row->column);
    json_number(j, "executed", row->executed);
    json_number(j, "divergent", row->divergent);
    json_text(j, "advice", advice_for_loop(row, accesses, access_count, advice, sizeof advice));
    json_open(j, "classes", '[');
    for (unsigned i = 0; i < row->class_count; i++) {
        const struct branch_class *c = &row->classes[i];
        if (i >= MOST_SHOWN_CLASSES) {
            others += c->count;
            continue;
        }
        json_open(j, NULL, '{');
        json_number(j, "lanes", c->lanes);
        json_number(j, "taken", c->taken);
        json_number(j, "count", c->count);
        record_write_dim(j, "block", &c->block);
        json_number(j, "warp", c->warp);
        json_close(j, '}');
    }
    json_close(j, ']');
    json_number(j, "others", others);
    json_close(j, '}');
}

void record_write_branches(struct json *j, struct record_rows *r, const struct branch_row *rows,
                           unsigned count, const struct access_row *accesses, unsigned access_count)
{
    json_open(j, "branches", '[');
    for (unsigned i = 0; i < count; i++) {
        write_branch(j, r, &rows[i], accesses, access_count);
    }
    json_close(j, ']');
}

/* ---- the end --------------------------------------------------------------------------------- */

/* Relative to the current directory, where the file lies below it. */
static const char *short_name(const char *file)
{
    char here[4096];
    size_t length = getcwd(here, sizeof here) != NULL ? strlen(here) : 0;
    bool below = length > 0 && strncmp(file, here, length) == 0 && file[length] == '/';
    return below ? file + length + 1 : file;
}

void record_rows_write(struct json *j, const struct record_rows *r)
{
    json_open(j, "files", '[');
    for (unsigned i = 0; i < r->files.count; i++) {
        json_open(j, NULL, '{');
        json_text(j, "name", short_name(r->files.items[i]));
        json_open(j, "lines", '[');
        for (unsigned n = 1; n <= source_line_count(r->files.items[i]) && n <= MOST_SOURCE_LINES;
             n++) {
            json_text(j, NULL, source_line(r->files.items[i], n));
        }
        json_close(j, ']');
        json_close(j, '}');
    }
    json_close(j, ']');
    json_open(j, "pictures", '[');
    for (unsigned i = 0; i < r->pictures.count; i++) {
        json_text(j, NULL, r->pictures.items[i]);
    }
    json_close(j, ']');
}

static void write_explained(void *state, const char *kernel, const char *text)
{
    struct json *j = state;
    json_open(j, NULL, '[');
    json_text(j, NULL, kernel);
    json_text(j, NULL, text);
    json_close(j, ']');
}

void record_write_explained(struct json *j)
{
    json_open(j, "explained", '[');
    report_explain_visit(write_explained, j);
    json_close(j, ']');
}
