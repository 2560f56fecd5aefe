/* report_lines.c - SIMT_REPORT=lines: each kernel's source with its counts beside the lines, summed
 * over all launches, printed when the program ends. Called by report.c, which holds the lock. */
#include "cuda/report_lines.h"

#include "cuda/record_rows.h"
#include "cuda/simt_last.h"
#include "observe/advice.h"
#include "observe/source.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An access of a line, summed over the launches. */
struct access_line {
    const char *file; /* a copy */
    unsigned line, column;
    enum access_kind kind;
    enum ptx_space space;
    unsigned bytes;
    char array[80];
    uint64_t requests, lanes, cost, least, conflicts;
    uint64_t most_excess; /* of one launch: the one whose advice is printed */
    char advice[400];
};

struct kernel_lines {
    char *kernel;
    uint64_t launches;
    struct simt_line *lines; /* the files' names are copies */
    size_t count, capacity;
    struct access_line *accesses;
    size_t access_count, access_capacity;
    struct estimate estimate; /* of the launch that needs longest; has_estimate: there is one */
    bool has_estimate;
};

static struct kernel_lines *kernels;
static size_t kernel_count;

static void *grown(void *old, size_t size)
{
    void *p = realloc(old, size);
    if (p == NULL) {
        abort(); /* a few kilobytes */
    }
    return p;
}

static struct kernel_lines *kernel_of(const char *name)
{
    for (size_t i = 0; i < kernel_count; i++) {
        if (strcmp(kernels[i].kernel, name) == 0) {
            return &kernels[i];
        }
    }
    kernels = grown(kernels, (kernel_count + 1) * sizeof *kernels);
    kernels[kernel_count] = (struct kernel_lines){.kernel = strdup(name)};
    return &kernels[kernel_count++];
}

static bool same_file(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static void add_line(void *state, const struct simt_line *line)
{
    struct kernel_lines *k = state;
    struct simt_line *known = NULL;
    for (size_t i = 0; i < k->count && known == NULL; i++) {
        bool same = k->lines[i].line == line->line && same_file(k->lines[i].file, line->file);
        known = same ? &k->lines[i] : NULL;
    }
    if (known == NULL) {
        if (k->count == k->capacity) {
            k->capacity = k->capacity == 0 ? 64 : 2 * k->capacity;
            k->lines = grown(k->lines, k->capacity * sizeof *k->lines);
        }
        known = &k->lines[k->count++];
        *known = (struct simt_line){.file = line->file != NULL ? strdup(line->file) : NULL,
                                    .line = line->line};
    }
#define COUNTER(field, unit, metric) known->counters.field += line->counters.field;
#include "base/counters.def"
#undef COUNTER
}

static bool is_same_access(const struct access_line *a, const struct access_row *row,
                           const char *array)
{
    return a->line == row->line && a->column == row->column && a->kind == row->kind &&
           a->space == row->space && a->bytes == row->bytes && same_file(a->file, row->file) &&
           strcmp(a->array, array) == 0;
}

static struct access_line *access_of(struct kernel_lines *k, const struct access_row *row,
                                     const char *array)
{
    for (size_t i = 0; i < k->access_count; i++) {
        if (is_same_access(&k->accesses[i], row, array)) {
            return &k->accesses[i];
        }
    }
    if (k->access_count == k->access_capacity) {
        k->access_capacity = k->access_capacity == 0 ? 16 : 2 * k->access_capacity;
        k->accesses = grown(k->accesses, k->access_capacity * sizeof *k->accesses);
    }
    struct access_line *a = &k->accesses[k->access_count++];
    *a = (struct access_line){.file = row->file != NULL ? strdup(row->file) : NULL,
                              .line = row->line,
                              .column = row->column,
                              .kind = row->kind,
                              .space = row->space,
                              .bytes = row->bytes};
    snprintf(a->array, sizeof a->array, "%s", array);
    return a;
}

static void add_access(struct kernel_lines *k, const struct access_row *rows, unsigned count,
                       unsigned index)
{
    const struct access_row *row = &rows[index];
    char array[80];
    record_array_name(row, k->kernel, array, sizeof array);
    struct access_line *a = access_of(k, row, array);
    a->requests += row->requests;
    a->lanes += row->lanes;
    a->cost += row->cost;
    a->least += row->least;
    a->conflicts += row->conflicts;
    if (row->cost - row->least >= a->most_excess) {
        a->most_excess = row->cost - row->least;
        advice_for(rows, count, index, array, a->advice, sizeof a->advice);
    }
}

void report_lines_add(const char *kernel, const struct simt_kernel *handle,
                      const struct estimate *estimate)
{
    struct kernel_lines *k = kernel_of(kernel);
    k->launches++;
    if (estimate != NULL && !isnan(estimate->floors.floor_us) &&
        (!k->has_estimate || estimate->floors.floor_us > k->estimate.floors.floor_us)) {
        k->estimate = *estimate;
        k->has_estimate = true;
    }
    simt_kernel_lines(handle, add_line, k);
    const struct access_row *rows;
    unsigned count = simt_last_accesses(&rows);
    for (unsigned i = 0; i < count; i++) {
        add_access(k, rows, count, i);
    }
}

enum { WIDTH = 80, INDENT = 12, SOURCE_AT = 24, DIVERGENT_WIDTH = 11 };

void report_print_wrapped(int indent, const char *mark, const char *text)
{
    int column = indent + (int)strlen(mark);
    printf("%*s%s", indent, "", mark);
    for (const char *between = ""; *text != '\0'; between = " ") {
        int word = (int)strcspn(text, " ");
        if (column + (int)strlen(between) + word > WIDTH) {
            column = indent + 3;
            printf("\n%*s", column, "");
            between = "";
        }
        column += printf("%s%.*s", between, word, text);
        text += word + (int)strspn(text + word, " ");
    }
    printf("\n");
}

/* --- printing: nothing is wider than a terminal of 80 columns --------------------------------- */

static void print_count(uint64_t value)
{
    if (value > 0) {
        printf(" %10" PRIu64, value);
    } else {
        printf(" %10s", "");
    }
}

/* "load of tile: 512 requests, 32.00 wavefronts each, 1.00 would do" */
static void print_access(const struct access_line *a)
{
    char text[400];
    const bool counted = a->space == PTX_GLOBAL || a->space == PTX_SHARED;
    const double requests = (double)a->requests;
    int length =
        snprintf(text, sizeof text, "%s of %s: %" PRIu64 " request%s", record_kind_names[a->kind],
                 a->array[0] != '\0' ? a->array : record_space_names[a->space], a->requests,
                 a->requests == 1 ? "" : "s");
    if (counted) {
        length +=
            snprintf(text + length, sizeof text - (size_t)length, ", %.2f %ss each, ",
                     (double)a->cost / requests, a->space == PTX_GLOBAL ? "sector" : "wavefront");
        length += a->cost > a->least
                      ? snprintf(text + length, sizeof text - (size_t)length, "%.2f would do",
                                 (double)a->least / requests)
                      : snprintf(text + length, sizeof text - (size_t)length, "the least");
    }
    if (a->lanes < WARP_LANES * a->requests) {
        snprintf(text + length, sizeof text - (size_t)length, ", %.1f lanes",
                 (double)a->lanes / requests);
    }
    report_print_wrapped(INDENT, "", text);
    if (a->advice[0] != '\0') {
        report_print_wrapped(INDENT, "-> ", a->advice);
    }
}

static void print_line(const struct kernel_lines *k, const struct simt_line *line, bool divergent)
{
    const struct simt_counters *c = &line->counters;
    const char *text = line->line != 0 ? source_line(line->file, line->line) : "(no line is known)";
    printf("%5" PRIu32, line->line);
    print_count(c->instructions);
    printf(" %5.1f",
           c->instructions > 0 ? (double)c->thread_instructions / (double)c->instructions : 0);
    if (divergent) {
        print_count(c->divergent_branches);
    }
    printf("%s%.*s\n", text[0] != '\0' ? "  " : "",
           WIDTH - SOURCE_AT - (divergent ? DIVERGENT_WIDTH : 0), text);
    for (size_t i = 0; i < k->access_count; i++) {
        const struct access_line *a = &k->accesses[i];
        if (a->line == line->line && same_file(a->file, line->file)) {
            print_access(a);
        }
    }
}

/* "at least 94.9 us: L1; then DRAM 41 %, issue 38 %" and the model's time, if there is one. */
static void print_estimate(const struct kernel_lines *k)
{
    const struct floors *f = &k->estimate.floors;
    unsigned others = 0;
    if (!k->has_estimate) {
        return;
    }
    printf("on %s %sat least %.3g us: %s", k->estimate.gpu, k->launches > 1 ? "the longest " : "",
           f->floor_us, floor_name(f->limiter));
    for (enum floor_resource r = FLOOR_ISSUE; r < FLOOR_RESOURCES; r++) {
        if (r != f->limiter && f->us[r] >= 0.1 * f->floor_us) {
            printf("%s %s %.0f %%", others++ == 0 ? "; then" : ",", floor_name(r),
                   100 * f->us[r] / f->floor_us);
        }
    }
    if (k->estimate.modelled) {
        printf("; modelled %.3g us: %s%s", k->estimate.model_us, k->estimate.model_limiter,
               k->estimate.calibrated ? "" : " (not calibrated for this GPU)");
    }
    printf("\n");
}

static bool has_divergence(const struct kernel_lines *k)
{
    uint64_t divergent = 0;
    for (size_t i = 0; i < k->count; i++) {
        divergent += k->lines[i].counters.divergent_branches;
    }
    return divergent > 0;
}

void report_lines_print(void)
{
    for (size_t i = 0; i < kernel_count; i++) {
        const struct kernel_lines *k = &kernels[i];
        const char *file = "";
        printf("\n%s, %" PRIu64 " launch%s, simulated counts by source line\n", k->kernel,
               k->launches, k->launches == 1 ? "" : "es");
        print_estimate(k);
        const bool divergent = has_divergence(k);
        printf("%5s %10s %5s%s\n", "", "warp", "lanes", divergent ? "  divergent" : "");
        printf("%5s %10s %5s%s\n", "line", "instr.", "act.", divergent ? "   branches" : "");
        for (size_t n = 0; n < k->count; n++) {
            if (k->lines[n].file != NULL && !same_file(file, k->lines[n].file)) {
                file = k->lines[n].file;
                printf("%s\n", file);
            }
            print_line(k, &k->lines[n], divergent);
        }
    }
}
