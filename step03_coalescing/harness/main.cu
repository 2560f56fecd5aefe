/* step03_coalescing - what a warp's 32 addresses cost.
 *
 * Prints what common/gpu/access predicts, runs every kernel, checks its result on the CPU and its
 * counts against the prediction, and prints one table per experiment. The
 * kernels stand in the folder above. */
#include <cuda_runtime.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/counters.h"
#include "common/cuda_check.h"
#include "common/launch_columns.h"
#include "common/options.h"
#include "common/predict.h"
#include "common/report.h"
#include "common/timing.h"
#include "step03_coalescing/harness/draw.h"
#include "step03_coalescing/harness/overview.h"
#include "step03_coalescing/harness/rows.h"

/* --------------------------------------------------------------------------------- the options */

/* All kernels in one list, for --list and --kernel. */
static size_t all_kernels(struct kernel *out)
{
    const struct kernel *(*const tables[])(size_t *) = {copy_kernels, struct_kernels,
                                                        transpose_kernels};
    size_t total = 0;
    for (size_t t = 0; t < sizeof tables / sizeof tables[0]; t++) {
        size_t count;
        const struct kernel *kernels = tables[t](&count);
        for (size_t i = 0; i < count; i++)
            out[total++] = kernels[i];
    }
    return total;
}

static void print_list(const struct kernel *kernels, size_t count)
{
    for (size_t i = 0; i < count; i++)
        printf("%s (%s)%s\n    %s\n", kernels[i].name, kernels[i].experiment,
               kernels[i].sabotaged ? " [sabotaged]" : "", kernels[i].what);
}

/* "simple_offset" is an experiment with offsets, too. */
static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

/* Options that the chosen kernel would ignore are refused. */
static int check_options(const struct request *r)
{
    const char *experiment = r->kernel ? r->kernel->experiment : NULL;
    if (!experiment)
        return -1;
    if (r->offsets.count > 0 && !ends_with(experiment, "offset"))
        return options_error(&r->o, "--offset is for copy_offset, not for %s", r->kernel->name);
    if (r->strides.count > 0 && !ends_with(experiment, "stride"))
        return options_error(&r->o, "--stride is for copy_stride, not for %s", r->kernel->name);
    if (r->element_bytes != sizeof(float) && strcmp(experiment, "offset") != 0 &&
        strcmp(experiment, "stride") != 0)
        return options_error(&r->o, "--bytes is for copy_offset and copy_stride, not for %s",
                             r->kernel->name);
    return -1;
}

/* --offset 1 is --offsets 1. */
static int merge_lists(struct request *r)
{
    if ((r->offset != NOT_GIVEN && r->offsets.count > 0) ||
        (r->stride != NOT_GIVEN && r->strides.count > 0))
        return options_error(&r->o, "give one stride or offset, or a list of them, not both");
    if (r->offsets.dims || r->strides.dims)
        return options_error(&r->o, "--offsets and --strides: give a list such as 1,2,64");
    if (r->offset != NOT_GIVEN)
        r->offsets = (struct option_integers){1, {r->offset}, false};
    if (r->stride != NOT_GIVEN)
        r->strides = (struct option_integers){1, {r->stride}, false};
    return -1;
}

/* The one pattern that was asked for, as a picture for slides. -1: written, or not asked for. */
static int write_svg(const struct request *r)
{
    char title[64];
    if (!r->svg)
        return -1;
    if (r->offsets.count + r->strides.count != 1)
        return options_error(&r->o, "--svg draws one pattern: give one --offset or one --stride");
    const uint64_t offset = r->offsets.count ? (uint64_t)r->offsets.values[0] : 0;
    const uint64_t stride = r->strides.count ? (uint64_t)r->strides.values[0] : 1;
    const struct draw_access a = pattern_access(offset, stride, r->element_bytes);
    FILE *out = fopen(r->svg, "w");
    if (!out)
        return options_error(&r->o, "cannot write %s: %s", r->svg, strerror(errno));
    draw_svg(out, &a, pattern_title(title, sizeof title, offset, stride, r->element_bytes),
             draw_style_for(out));
    const bool failed = ferror(out) != 0;
    if (fclose(out) != 0 || failed)
        return options_error(&r->o, "cannot write all of %s", r->svg);
    return -1;
}

/* -1: go on, otherwise the exit code. */
static int read_request(struct request *r, int argc, char **argv)
{
    enum { LOG2_OF_FLOAT = 2 };
    static const char *const sizes[] = {"1", "2", "4", "8", "16", NULL}; /* the log2 is the index */
    int size = LOG2_OF_FLOAT;
    static struct kernel kernels[PLAN_MAX];
    const size_t kernel_count = all_kernels(kernels);
    const struct option_spec own[] = {
        OPT_INTEGER("offset", &r->offset, 0, 1 << 20, "run copy_offset at this offset alone"),
        OPT_INTEGER("stride", &r->stride, 1, 1 << 20, "run copy_stride at this stride alone"),
        OPT_INTEGERS("offsets", &r->offsets, 0, 1 << 20, "the same at several: 0,1,8"),
        OPT_INTEGERS("strides", &r->strides, 1, 1 << 20, "the same at several: 1,2,64"),
        OPT_CHOICE("bytes", &size, sizes, "element size of copy_offset and copy_stride"),
        OPT_FLAG("tile", &r->tile, "draw the transposes' tile over the banks, and stop"),
        OPT_TEXT("svg", &r->svg, "write the picture of that offset or stride as SVG to FILE"),
        OPT_FLAG("all", &r->all, "all rows in tables of their own, and the pictures"),
        OPT_INTEGER("n", &r->n, 64, 1 << 30, "each array holds n floats (or the same bytes)"),
    };
    const struct options_about about = {
        "step03_coalescing",
        "what a warp's 32 addresses cost: sectors, requests, bandwidth",
        true,
        3,
        15,
        predict_lesson};
    int code = options_parse(&r->o, argc, argv, &about, own, sizeof own / sizeof own[0]);
    if (code >= 0)
        return code;
    if (r->o.list) {
        print_list(kernels, kernel_count);
        return 0;
    }
    code = merge_lists(r);
    if (code >= 0)
        return code;
    if (r->tile) {
        options_banner(&r->o);
        draw_tile(stdout);
        return 0;
    }
    r->element_bytes = 1u << size;
    if (r->o.kernel) {
        int found = options_find("kernel", r->o.kernel, kernels, kernel_count, sizeof kernels[0]);
        if (found < 0)
            return 2;
        r->kernel = &kernels[found];
    }
    const int bad = check_options(r);
    return bad >= 0 ? bad : write_svg(r);
}

/* ---------------------------------------------------------------------------------- the lesson */

/* clang-format off */
static const struct heading {
    const char *experiment, *title;
    const char *parameter; /* what the column of that name holds */
} headings[] = {
    {"copy", "The speed of light", "offset"},
    {"simple_offset", "Two lines: one float a thread, at an offset", "offset"},
    {"simple_stride", "Two lines: one float a thread, at a stride", "stride"},
    {"in_flight", "Bytes in flight: floats per thread, and threads per block", "block"},
    {"offset", "Offset: the warp starts at element `offset` of an aligned array", "offset"},
    {"stride", "Stride: lanes lie `stride` elements apart", "stride"},
    {"size", "Element size: 1 to 16 bytes per lane, at offset 0 and 1", "offset"},
    {"structs", "Array of structs against struct of arrays: 8 floats per particle", "fields"},
    {"transpose", "Transpose of a square matrix", "width"},
};
/* clang-format on */

static bool same_name(const char *a, const char *b) { return strcmp(a, b) == 0; }

static const struct heading *heading_of(const char *experiment)
{
    size_t i = 0;
    while (!same_name(headings[i].experiment, experiment)) /* every experiment has one */
        i++;
    return &headings[i];
}

struct session {
    const struct request *r;
    struct timing_options timing;
    struct arrays arrays;
    struct table *csv, *overview; /* NULL: every experiment has a table of its own */
    bool all_right;
};

static void run_experiment(struct session *s, const struct entry *entries, size_t count,
                           double *copy_gb_per_s)
{
    const struct heading *heading = heading_of(entries[0].kernel->experiment);
    struct column columns[ROWS_TEXT_COLUMNS];
    memcpy(columns, rows_text_columns, sizeof columns);
    columns[ROWS_PARAMETER].title = heading->parameter;
    rows_name_source(columns, backend_is_sim());
    struct table *text = table_open(columns, launch_columns(ROWS_TEXT_COLUMNS));
    for (size_t i = 0; i < count; i++) {
        const struct entry *e = &entries[i];
        const struct result r = run_entry(e, &s->arrays, &s->timing);
        s->all_right = s->all_right && r.right && r.counts_agree;
        if (same_name(e->kernel->name, "copy_plain"))
            *copy_gb_per_s = timing_gb_per_s(&r.timing, rows_useful_bytes(e));
        rows_add_text(text, e, &r, *copy_gb_per_s);
        rows_add_csv(s->csv, e, &r, *copy_gb_per_s);
        if (s->overview)
            overview_add(s->overview, e, &r, *copy_gb_per_s);
    }
    if (!options_quiet(&s->r->o) && !s->overview) {
        printf("%s\n\n", heading->title);
        table_leave_out(text, "requests store_predicted bytes load_predicted efficiency verified");
        table_print_within(text, stdout, options_width(&s->r->o));
        printf("\n");
        fflush(stdout);
    }
    table_close(text);
}

static void run_plan(struct session *s, const struct plan *p)
{
    double copy_gb_per_s = NAN;
    for (size_t first = 0, next; first < p->count; first = next) {
        const char *experiment = p->entries[first].kernel->experiment;
        for (next = first; next < p->count; next++)
            if (!same_name(p->entries[next].kernel->experiment, experiment))
                break;
        run_experiment(s, &p->entries[first], next - first, &copy_gb_per_s);
    }
}

static void run_odd(struct session *s, const struct plan *p)
{
    const struct timing_options once = {1, 1, 1, false};
    bool right = true;
    for (size_t i = 0; i < p->count; i++) {
        const struct result r = run_entry(&p->entries[i], &s->arrays, &once);
        right = right && r.right && r.counts_agree;
    }
    s->all_right = s->all_right && right;
    if (!options_quiet(&s->r->o) && (!s->overview || !right))
        printf("At sizes that are a multiple of nothing (10,007 floats; matrices of 149 x 71 and\n"
               "148 x 68): %zu runs, %s.\n",
               p->count, right ? "all right" : "NOT ALL RIGHT");
}

/* Arrays at least twice the L2 of any GPU so far, quartered until two of them fit easily; on the
 * simulator a size that takes a second. */
static size_t default_floats(void)
{
    size_t free_bytes, total_bytes, floats = (size_t)8192 * 8192;
    if (backend_is_sim())
        return (size_t)1024 * 1024;
    CUDA_CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
    while (floats > 65536 && 2 * floats * sizeof(float) > free_bytes / 2)
        floats /= 4; /* a square again */
    return floats;
}

/* On the GPU two arrays; on the host two more, and those of the simulator are there as well. */
static int check_memory(const struct request *r, const struct plan *p)
{
    const size_t arrays = plan_array_bytes(p);
    const size_t host_bytes = (backend_is_sim() ? 4 : 2) * arrays;
    const size_t host_total = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
    size_t free_bytes, total_bytes;
    CUDA_CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
    if (2 * arrays > free_bytes)
        return options_error(&r->o,
                             "two arrays of %zu bytes do not fit into %zu free bytes of the "
                             "GPU; a smaller --n needs less",
                             arrays, free_bytes);
    if (host_bytes > host_total / 2)
        return options_error(&r->o,
                             "%zu bytes of host memory are needed, and this machine has "
                             "%zu; a smaller --n needs less",
                             host_bytes, host_total);
    return 0;
}

/* The pattern that was asked for; without one, the four that the lesson begins with. */
static void draw_request(const struct request *r)
{
    if (r->offsets.count == 0 && r->strides.count == 0) {
        draw_predictions(stdout);
        return;
    }
    draw_legend(stdout, DRAW_GLOBAL, draw_style_for(stdout));
    if (r->element_bytes < 4)
        draw_legend_part(stdout, draw_style_for(stdout));
    for (size_t i = 0; i < r->offsets.count; i++)
        draw_pattern(stdout, (uint64_t)r->offsets.values[i], 1, r->element_bytes);
    for (size_t i = 0; i < r->strides.count; i++)
        draw_pattern(stdout, 0, (uint64_t)r->strides.values[i], r->element_bytes);
}

static int run_lesson(const struct request *r)
{
    static struct plan plan, odd;
    struct session s = {r, {r->o.warmup, r->o.repeats, 1, false}, {}, NULL, NULL, true};
    char provenance[256];

    if (!r->all && !r->kernel && r->offsets.count == 0 && r->strides.count == 0 &&
        !options_quiet(&r->o))
        s.overview = overview_open();
    plan_all(&plan, r, r->n != NOT_GIVEN ? (size_t)r->n : default_floats());
    if (check_memory(r, &plan) != 0)
        return 2;
    options_banner(&r->o);
    if (!options_quiet(&r->o) && !s.overview)
        draw_request(r);
    arrays_open(&s.arrays, &plan, r->o.seed);
    s.csv = table_open(rows_csv_columns, launch_columns(ROWS_CSV_COLUMNS));
    run_plan(&s, &plan);
    arrays_close(&s.arrays);
    if (r->n == NOT_GIVEN) { /* --n asks for that size, and for no other */
        plan_odd(&odd, &plan);
        arrays_open(&s.arrays, &odd, r->o.seed);
        run_odd(&s, &odd);
        arrays_close(&s.arrays);
    }
    if (s.overview) {
        overview_print(s.overview, &r->o, plan.count);
        table_close(s.overview);
    }
    if (!options_quiet(&r->o))
        printf("%s\n", report_provenance(provenance, sizeof provenance));
    if (s.overview)
        launch_recorded_explain(stdout);
    else if (!options_quiet(&r->o))
        launch_columns_explain(stdout);
    const bool written = report_csv(s.csv, &r->o);
    table_close(s.csv);
    return !written ? 2 : s.all_right ? 0 : 1;
}

int main(int argc, char **argv)
{
    struct request r = {{}, NOT_GIVEN, NOT_GIVEN, NOT_GIVEN, {}, {}, sizeof(float), NULL};
    const int code = read_request(&r, argc, argv);
    return code >= 0 ? code : run_lesson(&r);
}
