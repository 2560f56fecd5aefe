/* record_rows.c - see record_rows.h. */
#include "cuda/record_rows.h"

#include "base/arena.h"
#include "base/demangle.h"
#include "base/describe.h"
#include "observe/advice.h"
#include "observe/source.h"

#include "common/gpu/draw.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_SOURCE_LINES = 4000, MOST_SHOWN_CLASSES = 8 };

struct record_rows {
    struct arena arena;
    const char **files;
    unsigned file_count, file_capacity;
    const char **pictures;
    unsigned picture_count, picture_capacity;
    size_t bytes;
};

struct record_rows *record_rows_open(void) { return calloc(1, sizeof(struct record_rows)); }

size_t record_rows_bytes(const struct record_rows *r) { return r->bytes; }

/* ---- files and pictures -----------------------------------------------------------------------
 */

static unsigned keep_text(struct record_rows *r, const char ***list, unsigned *count,
                          unsigned *capacity, const char *text, bool *is_new)
{
    for (unsigned i = 0; i < *count; i++) {
        if (strcmp((*list)[i], text) == 0) {
            *is_new = false;
            return i;
        }
    }
    *list = arena_grow(&r->arena, (void *)*list, *count, capacity, sizeof **list);
    (*list)[*count] = arena_strndup(&r->arena, text, strlen(text));
    *is_new = true;
    return (*count)++;
}

static int file_number(struct record_rows *r, const char *file)
{
    bool is_new;
    if (file == NULL) {
        return -1;
    }
    unsigned number = keep_text(r, &r->files, &r->file_count, &r->file_capacity, file, &is_new);
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

/* The number of the request's picture; -1 for a space that has none. */
static int picture_number(struct record_rows *r, enum ptx_space space, enum access_kind kind,
                          unsigned bytes, lane_mask lanes, const uint64_t *address)
{
    char *text = NULL;
    size_t length = 0;
    bool is_new = false;
    if (space != PTX_GLOBAL && space != PTX_SHARED) {
        return -1;
    }
    struct draw_access a = {.space = space == PTX_SHARED ? DRAW_SHARED : DRAW_GLOBAL,
                            .op = op_of(kind),
                            .bytes = bytes,
                            .mask = lanes};
    memcpy(a.address, address, sizeof a.address);
    FILE *out = open_memstream(&text, &length);
    if (out == NULL) {
        return -1;
    }
    draw_text(out, &a, (struct draw_style){.utf8 = false});
    fclose(out);
    unsigned number =
        keep_text(r, &r->pictures, &r->picture_count, &r->picture_capacity, text, &is_new);
    r->bytes += is_new ? length + 40 : 0;
    free(text);
    return (int)number;
}

/* ---- lists of 32 numbers ----------------------------------------------------------------------
 */

/* "=5": 5 in every lane. "+100,4": 0x100, and 4 (decimal) more from lane to lane. Else hexadecimal
 * numbers with commas, none for a lane outside the mask. */
static void vector_text(const uint64_t *lane, lane_mask mask, char *text, size_t size)
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
            int n = mask >> i & 1u ? snprintf(text + length, size - length, "%s%" PRIx64,
                                              i > 0 ? "," : "", lane[i])
                                   : snprintf(text + length, size - length, "%s", i > 0 ? "," : "");
            length += n > 0 ? (size_t)n : 0;
        }
    }
}

/* ---- lines ------------------------------------------------------------------------------------
 */

struct line_writer {
    struct json *j;
    struct record_rows *rows;
};

static void write_line(void *state, const struct simt_line *line)
{
    struct line_writer *w = state;
    json_open(w->j, NULL, '{');
    json_integer(w->j, "file", file_number(w->rows, line->file));
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

/* ---- accesses ---------------------------------------------------------------------------------
 */

static const char *const kind_names[] = {
    [ACCESS_LOAD] = "load",           [ACCESS_STORE] = "store",
    [ACCESS_ATOMIC] = "atomic",       [ACCESS_REDUCTION] = "reduction",
    [ACCESS_COPY_READ] = "copy from", [ACCESS_COPY_WRITE] = "copy to"};
static const char *const space_names[] = {
    [PTX_GENERIC] = "generic", [PTX_GLOBAL] = "global",  [PTX_SHARED] = "shared",
    [PTX_LOCAL] = "local",     [PTX_CONST] = "constant", [PTX_PARAM] = "parameter",
    [PTX_REG] = "register"};

const char *record_array_name(const struct access_row *row, const char *kernel, char *text,
                              size_t size)
{
    if (row->parameter < 0 ||
        !source_parameter(row->file, kernel, (unsigned)row->parameter, text, size)) {
        snprintf(text, size, "%s", row->array);
    }
    return text;
}

static void write_dim(struct json *j, const char *key, const struct simt_dim *d)
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
    vector_text(s->address, s->lanes, addresses, sizeof addresses);
    json_open(j, key, '{');
    json_number(j, "cost", c->cost);
    write_dim(j, "block", &s->block);
    json_number(j, "warp", s->warp);
    json_number(j, "lanes", s->lanes);
    json_text(j, "addresses", addresses);
    json_integer(j, "picture",
                 picture_number(r, row->space, row->kind, row->bytes, s->lanes, s->address));
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
    record_array_name(row, kernel, name, sizeof name);
    json_open(j, NULL, '{');
    json_integer(j, "file", file_number(r, row->file));
    json_number(j, "line", row->line);
    json_number(j, "column", row->column);
    json_text(j, "kind", kind_names[row->kind]);
    json_text(j, "space", space_names[row->space]);
    json_number(j, "bytes", row->bytes);
    json_text(j, "array", name);
    json_text(j, "made_at", row->made_at != NULL ? describe_line(row->made_at) : "");
    json_number(j, "requests", row->requests);
    json_number(j, "lanes", row->lanes);
    json_number(j, "cost", row->cost);
    json_number(j, "least", row->least);
    json_number(j, "conflicts", row->conflicts);
    json_number(j, "wanted_bytes", row->wanted_bytes);
    json_text(j, "advice", advice_for(rows, count, index, name, advice, sizeof advice));
    json_open(j, "classes", '[');
    for (unsigned i = 0; i < row->class_count; i++) {
        json_open(j, NULL, '[');
        json_number(j, NULL, row->classes[i].cost);
        json_number(j, NULL, row->classes[i].requests);
        json_close(j, ']');
    }
    json_close(j, ']');
    write_sample(j, r, "worst", row, access_worst(row));
    write_sample(j, r, "typical", row, access_typical(row));
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

/* ---- branches ---------------------------------------------------------------------------------
 */

static void write_branch(struct json *j, struct record_rows *r, const struct branch_row *row)
{
    uint64_t others = row->others;
    json_open(j, NULL, '{');
    json_integer(j, "file", file_number(r, row->file));
    json_number(j, "line", row->line);
    json_number(j, "column", row->column);
    json_number(j, "executed", row->executed);
    json_number(j, "divergent", row->divergent);
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
        write_dim(j, "block", &c->block);
        json_number(j, "warp", c->warp);
        json_close(j, '}');
    }
    json_close(j, ']');
    json_number(j, "others", others);
    json_close(j, '}');
}

void record_write_branches(struct json *j, struct record_rows *r, const struct branch_row *rows,
                           unsigned count)
{
    json_open(j, "branches", '[');
    for (unsigned i = 0; i < count; i++) {
        write_branch(j, r, &rows[i]);
    }
    json_close(j, ']');
}

/* ---- the trace --------------------------------------------------------------------------------
 */

static void write_insn(struct json *j, struct record_rows *r, const struct kernel *k, uint32_t pc)
{
    char text[160];
    const char *file;
    struct trace_register registers[4];
    unsigned line = observed_line(k, pc, &file);
    unsigned count = trace_registers(k, pc, registers);
    trace_text(k->origin[pc], text, sizeof text);
    json_open(j, NULL, '[');
    json_integer(j, NULL, file_number(r, file));
    json_number(j, NULL, line);
    json_text(j, NULL, text);
    json_open(j, NULL, '[');
    for (unsigned i = 0; i < count; i++) {
        json_text(j, NULL, registers[i].name);
        json_text(j, NULL, ptx_type_name(registers[i].type));
    }
    json_close(j, ']');
    json_close(j, ']');
}

static void write_numbers(struct json *j, const int *list, unsigned count)
{
    while (count > 0 && list[count - 1] == TRACE_NOTHING) {
        count--;
    }
    json_open(j, NULL, '[');
    for (unsigned i = 0; i < count; i++) {
        json_integer(j, NULL, list[i]);
    }
    json_close(j, ']');
}

static void write_trace_access(struct json *j, struct record_rows *r, const struct trace *t,
                               const struct trace_access *a)
{
    json_open(j, NULL, '[');
    json_text(j, NULL, kind_names[a->kind]);
    json_text(j, NULL, space_names[a->space]);
    json_number(j, NULL, a->bytes);
    json_number(j, NULL, a->lanes);
    json_integer(j, NULL, a->address);
    json_number(j, NULL, a->cost.b);
    json_number(j, NULL, a->cost.c);
    json_integer(
        j, NULL,
        picture_number(r, a->space, a->kind, a->bytes, a->lanes, t->vectors[a->address].lane));
    write_numbers(j, a->written, 4);
    json_close(j, ']');
}

static void write_step(struct json *j, const struct trace *t, const struct trace_step *s,
                       const int *insn_of)
{
    const char *file;
    json_open(j, NULL, '[');
    json_number(j, NULL, s->warp);
    json_integer(j, NULL, insn_of[s->pc]);
    json_number(j, NULL, s->lanes);
    json_number(j, NULL, s->active);
    json_number(j, NULL, s->taken);
    json_integer(j, NULL, s->access);
    write_numbers(j, s->value, 4);
    json_open(j, NULL, '[');
    for (unsigned i = 0; i < s->waiting_count; i++) {
        const struct trace_waiting *w = &t->waiting[s->waiting + (int)i];
        json_number(j, NULL, w->lanes);
        json_number(j, NULL, observed_line(t->kernel, w->pc, &file));
        json_number(j, NULL, w->blocked ? 1 : w->ready ? 2 : 0);
    }
    json_close(j, ']');
    json_close(j, ']');
}

static void write_shared_variables(struct json *j, const struct trace *t)
{
    json_open(j, "shared", '[');
    for (unsigned i = 0; i < t->kernel->shared_variable_count; i++) {
        const struct shared_variable *v = &t->kernel->shared_variables[i];
        char name[256];
        demangle_name(v->name, name, sizeof name);
        const char *last = strrchr(name, ':');
        json_open(j, NULL, '[');
        json_text(j, NULL, last != NULL ? last + 1 : name);
        json_number(j, NULL, v->offset);
        json_number(j, NULL, v->bytes != 0 ? v->bytes : t->shared_bytes - v->offset);
        json_close(j, ']');
    }
    json_close(j, ']');
}

void record_write_trace(struct json *j, struct record_rows *r, const struct trace *t)
{
    char text[WARP_LANES * 18];
    int *insn_of = malloc((t->kernel->code_count + 1) * sizeof *insn_of);
    int insns = 0;
    if (insn_of == NULL) {
        return;
    }
    memset(insn_of, -1, (t->kernel->code_count + 1) * sizeof *insn_of);
    json_open(j, "trace", '{');
    write_dim(j, "block", &t->block_index);
    json_number(j, "warps", t->warp_count);
    json_integer(j, "only_warp", t->only_warp);
    json_number(j, "steps_of_block", t->steps_of_block);
    json_number(j, "shared_bytes", t->shared_bytes);
    write_shared_variables(j, t);
    json_open(j, "instructions", '[');
    for (unsigned i = 0; i < t->step_count; i++) {
        if (insn_of[t->steps[i].pc] < 0) {
            insn_of[t->steps[i].pc] = insns++;
            write_insn(j, r, t->kernel, t->steps[i].pc);
        }
    }
    json_close(j, ']');
    json_open(j, "steps", '[');
    for (unsigned i = 0; i < t->step_count; i++) {
        write_step(j, t, &t->steps[i], insn_of);
    }
    json_close(j, ']');
    json_open(j, "accesses", '[');
    for (unsigned i = 0; i < t->access_count; i++) {
        write_trace_access(j, r, t, &t->accesses[i]);
    }
    json_close(j, ']');
    json_open(j, "vectors", '[');
    for (unsigned i = 0; i < t->vector_count; i++) {
        vector_text(t->vectors[i].lane, FULL_MASK, text, sizeof text);
        json_text(j, NULL, text);
    }
    json_close(j, ']');
    json_close(j, '}');
    free(insn_of);
}

/* ---- the end ----------------------------------------------------------------------------------
 */

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
    for (unsigned i = 0; i < r->file_count; i++) {
        json_open(j, NULL, '{');
        json_text(j, "name", short_name(r->files[i]));
        json_open(j, "lines", '[');
        for (unsigned n = 1; n <= source_line_count(r->files[i]) && n <= MOST_SOURCE_LINES; n++) {
            json_text(j, NULL, source_line(r->files[i], n));
        }
        json_close(j, ']');
        json_close(j, '}');
    }
    json_close(j, ']');
    json_open(j, "pictures", '[');
    for (unsigned i = 0; i < r->picture_count; i++) {
        json_text(j, NULL, r->pictures[i]);
    }
    json_close(j, ']');
}
