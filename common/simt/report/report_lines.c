/* report_lines.c - SIMT_REPORT=lines: each kernel's source with its counts beside the lines, summed
 * over its launches, printed when the program ends. Called by report.c, which holds the lock. */
#include "report/report_lines.h"
#include "base/room.h"

#include "report/loop_lines.h"
#include "report/record_rows.h"
#include "report/row_words.h"
#include "api/simt_last.h"
#include "report/wrapped.h"
#include "watch/advice.h"
#include "report/source.h"

#include <inttypes.h>
#include <limits.h>
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
    bool moved; /* by the compiler */
    char array[80];
    uint64_t requests, lanes, cost, least, conflicts;
    uint64_t most_excess; /* of one launch: the one whose advice is printed */
    char advice[400];
};

/* The launches of a kernel with one grid and one block; those whose counts the program read while
 * they were the last ones apart from the others. */
struct kernel_lines {
    char *kernel;
    struct simt_dim grid, block;
    struct ranges launches; /* their numbers */
    bool counts_read, printed;
    struct simt_line *lines; /* the files' names are copies */
    size_t count, capacity;
    struct access_line *accesses;
    size_t access_count, access_capacity;
    struct estimate estimate; /* of the launch that needs longest; has_estimate: there is one */
    bool has_estimate;
};

static struct kernel_lines *kernels;
static size_t kernel_count;
static struct kernel_lines last; /* launch; it joins the others with the next one */

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
        ROOM_FOR_ONE(k->lines, k->count, k->capacity, 64);
        known = &k->lines[k->count++];
        *known = (struct simt_line){.file = line->file != NULL ? room_text(line->file) : NULL,
                                    .line = line->line};
    }
#define COUNTER(field, unit, metric) known->counters.field += line->counters.field;
#include "base/counters.def"
#undef COUNTER
}

static bool is_same_access(const struct access_line *a, const struct access_line *b)
{
    return a->line == b->line && a->column == b->column && a->kind == b->kind &&
           a->space == b->space && a->bytes == b->bytes && same_file(a->file, b->file) &&
           strcmp(a->array, b->array) == 0;
}

/* Adds to the access that is the same, or makes it one of the kernel's. */
static void add_access(struct kernel_lines *k, const struct access_line *more)
{
    struct access_line *a = NULL;
    for (size_t i = 0; i < k->access_count && a == NULL; i++) {
        a = is_same_access(&k->accesses[i], more) ? &k->accesses[i] : NULL;
    }
    if (a != NULL) {
        a->requests += more->requests;
        a->lanes += more->lanes;
        a->cost += more->cost;
        a->least += more->least;
        a->conflicts += more->conflicts;
        if (more->most_excess >= a->most_excess) {
            a->most_excess = more->most_excess;
            memcpy(a->advice, more->advice, sizeof a->advice);
        }
        return;
    }
    ROOM_FOR_ONE(k->accesses, k->access_count, k->access_capacity, 16);
    k->accesses[k->access_count] = *more;
    k->accesses[k->access_count++].file = more->file != NULL ? room_text(more->file) : NULL;
}

static void add_row(struct kernel_lines *k, const struct access_row *rows, unsigned count,
                    unsigned index, const struct row_words *words)
{
    const struct access_row *row = &rows[index];
    struct access_line a = {.file = row->file,
                            .line = row->line,
                            .column = row->column,
                            .kind = row->kind,
                            .space = row->space,
                            .bytes = row->bytes,
                            .moved = words->moved,
                            .requests = row->requests,
                            .lanes = row->lanes,
                            .cost = row->cost,
                            .least = row->least,
                            .conflicts = row->conflicts,
                            .most_excess = row->cost - row->least};
    memcpy(a.array, words->array, sizeof a.array);
    advice_for(rows, count, index, a.array, a.advice, sizeof a.advice);
    add_access(k, &a);
}

static void add_estimate(struct kernel_lines *k, const struct estimate *estimate)
{
    if (estimate != NULL && !isnan(estimate->floors.floor_us) &&
        (!k->has_estimate || estimate->floors.floor_us > k->estimate.floors.floor_us)) {
        k->estimate = *estimate;
        k->has_estimate = true;
    }
}

static void absorb(struct kernel_lines *k, const struct kernel_lines *other)
{
    for (size_t i = 0; i < other->launches.count; i++) {
        const struct range *r = &other->launches.items[i];
        ranges_add(&k->launches, r->from, r->to);
    }
    for (size_t i = 0; i < other->count; i++) {
        add_line(k, &other->lines[i]);
    }
    for (size_t i = 0; i < other->access_count; i++) {
        add_access(k, &other->accesses[i]);
    }
    add_estimate(k, other->has_estimate ? &other->estimate : NULL);
}

static struct kernel_lines *lines_like(const struct kernel_lines *one)
{
    for (size_t i = 0; i < kernel_count; i++) {
        struct kernel_lines *k = &kernels[i];
        if (memcmp(&k->grid, &one->grid, sizeof k->grid) == 0 &&
            memcmp(&k->block, &one->block, sizeof k->block) == 0 &&
            k->counts_read == one->counts_read && strcmp(k->kernel, one->kernel) == 0) {
            return k;
        }
    }
    kernels = room_resized(kernels, kernel_count + 1, sizeof *kernels);
    kernels[kernel_count] = (struct kernel_lines){.kernel = room_text(one->kernel),
                                                  .grid = one->grid,
                                                  .block = one->block,
                                                  .counts_read = one->counts_read};
    return &kernels[kernel_count++];
}

static void add_last(const struct ranges *measured)
{
    if (last.kernel == NULL) {
        return;
    }
    last.counts_read = ranges_overlap(&last.launches, measured);
    absorb(lines_like(&last), &last);
    for (size_t i = 0; i < last.count; i++) {
        free((char *)(uintptr_t)last.lines[i].file);
    }
    for (size_t i = 0; i < last.access_count; i++) {
        free((char *)(uintptr_t)last.accesses[i].file);
    }
    free(last.kernel);
    ranges_free(&last.launches);
    last = (struct kernel_lines){.lines = last.lines,
                                 .capacity = last.capacity,
                                 .accesses = last.accesses,
                                 .access_capacity = last.access_capacity};
}

void report_lines_add(const struct report_row *row, const struct ranges *measured)
{
    const struct access_row *rows;
    add_last(measured);
    last.kernel = room_text(row->kernel);
    last.grid = row->grid;
    last.block = row->block;
    ranges_add(&last.launches, row->launch, row->launch + 1);
    add_estimate(&last, row->estimate);
    simt_kernel_lines(row->handle, add_line, &last);
    const unsigned count = simt_last_accesses(&rows);
    const struct row_words *words = row_words_of(rows, count, row->kernel);
    for (unsigned i = 0; i < count; i++) {
        add_row(&last, rows, count, i, &words[i]);
    }
    loop_lines_add(row->kernel, rows, count);
}

enum { WIDTH = 80, INDENT = 12, SOURCE_AT = 24, DIVERGENT_WIDTH = 11 };

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
    if ((double)a->lanes < (WARP_LANES - 0.05) * requests) {
        length += snprintf(text + length, sizeof text - (size_t)length, ", %.1f lanes",
                           (double)a->lanes / requests);
    }
    if (a->moved) {
        snprintf(text + length, sizeof text - (size_t)length, "; moved here by the compiler");
    }
    wrapped_print(INDENT, "", text);
    if (a->advice[0] != '\0') {
        wrapped_print(INDENT, "-> ", a->advice);
    }
}

static void print_line(const struct kernel_lines *k, const struct simt_line *line, bool divergent)
{
    const struct simt_counters *c = &line->counters;
    const char *text = line->line != 0 ? source_line(line->file, line->line)
                                       : "(no line: moved or made by the compiler)";
    printf("%5" PRIu32, line->line);
    print_count(c->instructions);
    printf(" %5.1f",
           c->instructions > 0 ? (double)c->thread_instructions / (double)c->instructions : 0);
    if (divergent) {
        print_count(c->divergent_branches);
    }
    printf("%s", text[0] != '\0' ? "  " : "");
    wrapped_plain(text, WIDTH - SOURCE_AT - (divergent ? DIVERGENT_WIDTH : 0));
    printf("\n");
    for (size_t i = 0; i < k->access_count; i++) {
        const struct access_line *a = &k->accesses[i];
        if (a->line == line->line && same_file(a->file, line->file)) {
            print_access(a);
        }
    }
    loop_lines_print(k->kernel, line->file, line->line);
}

/* "at least 94.9 us: L1; then DRAM 41 %, issue 38 %" and the model's time, if there is one. */
static void print_estimate(const struct kernel_lines *k, uint64_t launches)
{
    const struct floors *f = &k->estimate.floors;
    unsigned others = 0;
    if (!k->has_estimate) {
        return;
    }
    char text[600];
    int length = snprintf(text, sizeof text, "%sat least %.3g us: %s",
                          launches > 1 ? "the longest " : "", f->floor_us, floor_name(f->limiter));
    for (enum floor_resource r = FLOOR_ISSUE; r < FLOOR_RESOURCES; r++) {
        if (r != f->limiter && f->us[r] >= 0.1 * f->floor_us) {
            length += snprintf(text + length, sizeof text - (size_t)length, "%s %s %.0f %%",
                               others++ == 0 ? "; then" : ",", floor_name(r),
                               100 * f->us[r] / f->floor_us);
        }
    }
    if (k->estimate.modelled) {
        snprintf(text + length, sizeof text - (size_t)length, "; modelled %.3g us: %s%s",
                 k->estimate.model_us, k->estimate.model_limiter,
                 k->estimate.calibrated ? "" : " (not calibrated for this GPU)");
    }
    printf("on %s\n", k->estimate.gpu);
    wrapped_print(0, "   ", text);
}

static bool has_divergence(const struct kernel_lines *k)
{
    uint64_t divergent = 0;
    for (size_t i = 0; i < k->count; i++) {
        divergent += k->lines[i].counters.divergent_branches;
    }
    return divergent > 0;
}

/* What the compiler gave no line to, where that is more than a word: of its kind in percent. */
static void print_without_line(const struct kernel_lines *k)
{
    uint64_t all = 0, sectors = 0, own = 0, own_sectors = 0;
    for (size_t i = 0; i < k->count; i++) {
        const struct simt_counters *c = &k->lines[i].counters;
        const uint64_t here = c->global_load_sectors + c->global_store_sectors +
                              c->global_red_sectors + c->global_atom_sectors + c->copy_sectors;
        all += c->instructions;
        sectors += here;
        own += k->lines[i].line == 0 ? c->instructions : 0;
        own_sectors += k->lines[i].line == 0 ? here : 0;
    }
    if (own_sectors > 0 || 20 * own > all) {
        char text[200];
        snprintf(text, sizeof text,
                 "the compiler gives no line to %.0f %% of the instructions and %.0f %% of the "
                 "global sectors: they stand in line 0",
                 100.0 * (double)own / (double)all,
                 sectors > 0 ? 100.0 * (double)own_sectors / (double)sectors : 0);
        wrapped_print(0, "   ", text);
    }
}

/* --- which launches --------------------------------------------------------------------------- */

static uint64_t launches_in(const struct ranges *r)
{
    uint64_t count = 0;
    for (size_t i = 0; i < r->count; i++) {
        count += r->items[i].to - r->items[i].from;
    }
    return count;
}

static bool is_measured(const char *kernel, const struct ranges *measured)
{
    bool any = false;
    for (size_t i = 0; i < kernel_count; i++) {
        any |= strcmp(kernels[i].kernel, kernel) == 0 &&
               ranges_overlap(&kernels[i].launches, measured);
    }
    return any;
}

/* Adds the kernel's other shapes that are to be shown: the measured ones, if there are any. */
static void merge(struct kernel_lines *k, const struct ranges *measured)
{
    const bool some_measured = ranges_overlap(&k->launches, measured);
    for (struct kernel_lines *o = k + 1; o < kernels + kernel_count; o++) {
        if (strcmp(o->kernel, k->kernel) != 0 ||
            ranges_overlap(&o->launches, measured) != some_measured) {
            continue;
        }
        absorb(k, o);
        o->printed = true;
    }
}

static void print_title(const struct kernel_lines *k, const struct ranges *measured)
{
    const uint64_t launches = launches_in(&k->launches);
    const uint64_t counted = ranges_common(&k->launches, measured);
    char text[800];
    int length = snprintf(text, sizeof text, "%.600s, %" PRIu64 " launch%s", k->kernel, launches,
                          launches == 1 ? "" : "es");
    if (counted > 0 && counted < launches) {
        length += snprintf(text + length, sizeof text - (size_t)length, ", %" PRIu64 " measured",
                           counted);
    }
    snprintf(text + length, sizeof text - (size_t)length, ", simulated counts by source line");
    printf("\n");
    wrapped_print(0, "", text);
}

static void print_kernel(const struct kernel_lines *k, const struct ranges *measured)
{
    const char *file = "";
    print_title(k, measured);
    print_estimate(k, launches_in(&k->launches));
    print_without_line(k);
    const bool divergent = has_divergence(k);
    printf("%5s %10s %5s%s\n", "", "warp", "lanes", divergent ? "  divergent" : "");
    printf("%5s %10s %5s%s\n", "line", "instr.", "act.", divergent ? "   branches" : "");
    for (size_t n = 0; n < k->count; n++) {
        if (k->lines[n].file != NULL && !same_file(file, k->lines[n].file)) {
            file = k->lines[n].file;
            wrapped_plain(file, INT_MAX);
            printf("\n");
        }
        print_line(k, &k->lines[n], divergent);
    }
}

/* "Not shown ...: matmul_naive 7, matmul_tiled<16> 7" */
static void print_not_shown(const struct ranges *measured)
{
    char text[4000];
    size_t length = 0;
    for (size_t i = 0; i < kernel_count && length < sizeof text; i++) {
        uint64_t launches = 0;
        if (kernels[i].printed) {
            continue;
        }
        for (size_t n = i; n < kernel_count; n++) {
            if (!kernels[n].printed && strcmp(kernels[n].kernel, kernels[i].kernel) == 0 &&
                !ranges_overlap(&kernels[n].launches, measured)) {
                launches += launches_in(&kernels[n].launches);
                kernels[n].printed = true;
            }
        }
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%s %" PRIu64,
                                   length > 0 ? ", " : "", kernels[i].kernel, launches);
    }
    if (length > 0) {
        printf("\n");
        wrapped_print(0,
                      "Not shown, as the program does not measure them (warm-up, "
                      "verification): ",
                      text);
    }
}

void report_lines_print(const struct ranges *measured)
{
    add_last(measured);
    for (size_t i = 0; i < kernel_count; i++) {
        struct kernel_lines *k = &kernels[i];
        if (!k->printed &&
            (!is_measured(k->kernel, measured) || ranges_overlap(&k->launches, measured))) {
            merge(k, measured);
            print_kernel(k, measured);
            k->printed = true;
        }
    }
    print_not_shown(measured);
}
