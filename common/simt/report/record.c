/* record.c - see record.h. A launch becomes text at once: what its observers hold is gone with the
 * next. */
#include "report/record.h"
#include "base/room.h"

#include "base/ranges.h"
#include "runtime/cudart.h"
#include "report/json.h"
#include "report/record_findings.h"
#include "report/record_rows.h"
#include "report/record_timeline.h"
#include "api/simt_last.h"
#include "report/trace_wanted.h"

#include "common/gpu/occupancy.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Under 2 MB with the page's own text and the pictures of accesses. */
enum {
    DETAIL_BYTES = 1000000, /* rows of lines, accesses and branches, and views of an SM */
    TRACE_BYTES = 1400000,  /* steps of the warps that can be played: then no other kernel's, */
    TRACE_BYTES_LARGER = 1450000, /* and no larger launch's in place of a smaller one's */
    TRACE_BYTES_SHORT = 100000,   /* of one kernel, where all of them have no room */
    TRACE_STEPS_SHORT = 420,      /* then, of each of its first */
    TRACE_WARPS_SHORT = 2,        /* warps: two can be compared */
    TRACE_STEPS = 6000,           /* of a block: more than a reader steps through */
    MOST_ATTEMPTS = 24,           /* to trace a kernel, each at twice as many threads */
    MOST_TIMELINES = 16,          /* of which each takes up to 150 KB */
    MOST_ENTRIES = 1000           /* launches in the table: what a reader can still search */
};

struct entry {
    const char *kernel;
    struct report_row row;                    /* of the first of these launches */
    struct simt_kernel_attributes attributes; /* its module may be unloaded when this is written */
    uint64_t launches;
    struct ranges numbers; /* of these launches */
    struct floors floors;  /* floor_us NaN: not known */
    double model_us;       /* NaN: not asked for */
    const char *model_limiter;
    struct fault_seen *fault; /* what ended it; NULL: nothing */
    char *detail;             /* JSON members; NULL: no room */
    char *trace;              /* the same; NULL: not traced, */
    char *short_trace;        /* and of fewer warps, where that is much shorter; or NULL */
};

/* A kernel that has been traced. A lesson verifies its kernels at small sizes first: a launch of
 * twice as many threads is traced again, and kept instead if all of its block was recorded. */
struct traced {
    const char *name; /* mangled */
    uint64_t threads;
    unsigned attempts;
    bool whole;
    size_t entry; /* which holds the trace */
};

static struct {
    struct entry *entries;
    size_t count, capacity, dropped;
    struct ranges measured; /* numbers of launches */
    size_t detail_bytes, trace_bytes;
    struct record_rows *rows;
    struct accesses *accesses;
    struct branches *branches;
    struct trace trace;
    struct fault_seen fault;     /* of the launch that has just run, */
    const struct kernel *kernel; /* and its kernel */
    struct observer first;       /* decides what is traced before the others begin */
    struct traced *traced;
    size_t traced_count, timelines;
    bool has_dimensions;
    struct simt_dim dimensions;
} record;

/* ---- what is traced -------------------------------------------------------------------------- */

static struct traced *traced_as(const char *name)
{
    for (size_t i = 0; i < record.traced_count; i++) {
        if (strcmp(record.traced[i].name, name) == 0) {
            return &record.traced[i];
        }
    }
    return NULL;
}

static uint64_t threads_of(const struct simt_dim *grid, const struct simt_dim *block)
{
    return (uint64_t)grid->x * grid->y * grid->z * block->x * block->y * block->z;
}

static bool is_worth_tracing(const struct traced *before, uint64_t threads)
{
    return before == NULL ? record.trace_bytes < TRACE_BYTES
                          : before->attempts < MOST_ATTEMPTS && threads >= 2 * before->threads;
}

static void on_launch_begin(void *state, const struct launch_event *launch)
{
    const struct simt_dim grid = launch->launch->grid;
    struct trace *t = &record.trace;
    uint64_t blocks = (uint64_t)grid.x * grid.y * grid.z;
    (void)state;
    record.kernel = launch->kernel;
    if (record.has_dimensions) {
        const struct simt_dim *d = &record.dimensions;
        bool inside = d->x < grid.x && d->y < grid.y && d->z < grid.z;
        t->block_number =
            inside ? d->x + (uint64_t)grid.x * (d->y + (uint64_t)grid.y * d->z) : blocks;
    }
    t->wanted =
        t->block_number < blocks && is_worth_tracing(traced_as(launch->kernel->name),
                                                     threads_of(&grid, &launch->launch->block));
}

bool record_open(struct err *e)
{
    const char *wanted = getenv("SIMT_TRACE");
    record.accesses = accesses_open(true);
    record.branches = branches_open();
    record.rows = record_rows_open();
    trace_init(&record.trace);
    record.trace.limit = TRACE_STEPS;
    if (wanted != NULL && wanted[0] != '\0') {
        struct trace_wanted w;
        if (!trace_wanted_read(wanted, &w, e)) {
            return false;
        }
        record.has_dimensions = w.has_dimensions;
        record.dimensions = w.block;
        record.trace.block_number = w.block.x;
        record.trace.only_warp = w.only_warp;
    }
    record.first = (struct observer){
        .state = &record.fault, .launch_begin = on_launch_begin, .fault = record_see_fault};
    return (simt_observe_runtime(&record.first) &&
            simt_observe_runtime(accesses_observer(record.accesses)) &&
            simt_observe_runtime(branches_observer(record.branches)) &&
            simt_observe_runtime(&record.trace.observer)) ||
           err_set(e, "SIMT_REPORT: too many observers");
}

/* ---- adding ---------------------------------------------------------------------------------- */

static bool same_dim(const struct simt_dim *a, const struct simt_dim *b)
{
    return a->x == b->x && a->y == b->y && a->z == b->z;
}

static struct entry *known_entry(const struct report_row *row)
{
    for (size_t i = record.count; i-- > 0;) {
        struct entry *e = &record.entries[i];
        if (e->fault == NULL && same_dim(&e->row.grid, &row->grid) &&
            same_dim(&e->row.block, &row->block) && e->row.shared_bytes == row->shared_bytes &&
            strcmp(e->kernel, row->kernel) == 0 &&
            memcmp(&e->row.counters, &row->counters, sizeof row->counters) == 0) {
            return e;
        }
    }
    return NULL;
}

/* What was traced as JSON members. */
static char *trace_text_of(const struct trace *t)
{
    char *text = NULL;
    size_t length = 0;
    struct json j = {.out = room_stream(&text, &length)};
    record_write_trace(&j, record.rows, t);
    room_stream_end(j.out);
    return text;
}

/* The same of so few warps that it is short, or of two with their first and last steps; NULL: it is
 * short as it is. */
static char *short_text_of(struct trace *t, const char *whole)
{
    struct trace part;
    char *text = NULL;
    const char *now = whole;
    /* where one warp alone was asked for (SIMT_TRACE), it stays, whatever its number */
    const unsigned fewest =
        t->only_warp >= 0 || t->warp_count < TRACE_WARPS_SHORT ? t->warp_count : TRACE_WARPS_SHORT;
    for (unsigned warps = t->warp_count / 2; now != NULL && strlen(now) > TRACE_BYTES_SHORT;
         warps /= 2) {
        const bool whole_warps = warps >= fewest;
        free(text);
        trace_part(t, whole_warps ? warps : fewest, whole_warps ? 0 : TRACE_STEPS_SHORT, &part);
        text = trace_text_of(&part);
        now = whole_warps ? text : NULL;
    }
    return text;
}

/* In the shorter form, where there are two. */
static size_t trace_bytes_of(const struct entry *e)
{
    const char *text = e->short_trace != NULL ? e->short_trace : e->trace;
    return text != NULL ? strlen(text) : 0;
}

static struct traced *new_traced(const char *name)
{
    record.traced = room_resized(record.traced, record.traced_count + 1, sizeof *record.traced);
    record.traced[record.traced_count] = (struct traced){.name = name};
    return &record.traced[record.traced_count++];
}

static void drop_trace(struct entry *e)
{
    record.trace_bytes -= trace_bytes_of(e);
    free(e->trace);
    free(e->short_trace);
    e->trace = e->short_trace = NULL;
}

/* If the launch that has just run was traced: is its trace the one to keep? */
static void keep_trace(struct entry *e)
{
    struct trace *t = &record.trace;
    if (t->kernel == NULL || t->step_count == 0) {
        return;
    }
    struct traced *before = traced_as(t->kernel->name);
    const bool whole = !t->cut, first = before == NULL;
    before = first ? new_traced(t->kernel->name) : before;
    before->attempts++;
    before->threads = threads_of(&e->row.grid, &e->row.block);
    struct entry kept = {.trace = first || whole || !before->whole ? trace_text_of(t) : NULL};
    kept.short_trace = kept.trace != NULL && e->fault == NULL ? short_text_of(t, kept.trace) : NULL;
    struct entry *old = first ? e : &record.entries[before->entry];
    const size_t bytes = record.trace_bytes - trace_bytes_of(old) + trace_bytes_of(&kept);
    if (kept.trace != NULL && (first || bytes <= TRACE_BYTES_LARGER)) {
        drop_trace(old);
        drop_trace(e);
        e->trace = kept.trace;
        e->short_trace = kept.short_trace;
        record.trace_bytes += trace_bytes_of(e);
        before->whole = whole;
        before->entry = (size_t)(e - record.entries);
    } else {
        free(kept.trace);
        free(kept.short_trace);
    }
    trace_forget(t);
}

static char *detail_of(const struct report_row *row)
{
    char *text = NULL;
    size_t length = 0;
    struct json j = {.out = room_stream(&text, &length)};
    const struct access_row *accesses;
    const struct branch_row *branches;
    unsigned access_count = accesses_rows(record.accesses, &accesses);
    unsigned branch_count = branches_rows(record.branches, &branches);
    record_write_lines(&j, record.rows, row->handle);
    record_write_accesses(&j, record.rows, row->kernel, accesses, access_count);
    record_write_branches(&j, record.rows, branches, branch_count, accesses, access_count);
    if (record.timelines < MOST_TIMELINES) {
        record_write_timeline(&j, record.rows, row, record.kernel);
        record.timelines += row->estimate != NULL && row->estimate->timeline != NULL;
    }
    room_stream_end(j.out);
    record.detail_bytes += length;
    return text;
}

static uint64_t size_of_work(const struct entry *e) { return e->row.counters.thread_instructions; }

/* Of each kernel, the largest launch is shown in detail, and the one whose block is played. */
static struct entry *largest_in_detail(const char *kernel)
{
    struct entry *largest = NULL;
    for (size_t i = 0; i < record.count; i++) {
        struct entry *e = &record.entries[i];
        bool larger = largest == NULL || size_of_work(e) > size_of_work(largest);
        if (e->detail != NULL && strcmp(e->kernel, kernel) == 0 && larger) {
            largest = e;
        }
    }
    return largest;
}

void record_add(const struct report_row *row)
{
    struct entry *known = record.fault.any ? NULL : known_entry(row);
    if (known != NULL) {
        known->launches++;
        ranges_add(&known->numbers, row->launch, row->launch + 1);
        keep_trace(known);
        return;
    }
    if (record.count == MOST_ENTRIES) {
        record.dropped++;
        return;
    }
    ROOM_FOR_ONE(record.entries, record.count, record.capacity, 64);
    struct entry *e = &record.entries[record.count++];
    const struct estimate *estimate = row->estimate;
    *e = (struct entry){
        .kernel = row->kernel, .row = *row, .launches = 1, .floors.floor_us = NAN, .model_us = NAN};
    simt_kernel_attributes(row->handle, &e->attributes);
    ranges_add(&e->numbers, row->launch, row->launch + 1);
    if (record.fault.any) {
        e->fault = room_copy(&record.fault, 1, sizeof record.fault);
        record.fault.any = false;
    }
    if (estimate != NULL) {
        e->floors = estimate->floors;
        e->model_us = estimate->model_us;
        e->model_limiter = estimate->model_limiter;
    }
    struct entry *largest = largest_in_detail(row->kernel);
    const bool is_largest = largest == NULL || size_of_work(e) > size_of_work(largest);
    if ((is_largest || e->fault != NULL) &&
        record.detail_bytes + record_rows_bytes(record.rows) < DETAIL_BYTES) {
        e->detail = detail_of(row);
    }
    keep_trace(e);
    if (e->detail != NULL && largest != NULL && largest->trace == NULL) {
        record.detail_bytes -= strlen(largest->detail);
        free(largest->detail);
        largest->detail = NULL;
    }
}

void record_measured(uint64_t from, uint64_t to) { ranges_add(&record.measured, from, to); }

/* ---- writing --------------------------------------------------------------------------------- */

static void write_occupancy(struct json *j, const struct report_row *row,
                            const struct simt_kernel_attributes *a)
{
    struct occupancy o;
    char limiters[80];
    const struct gpu_limits *g = runtime_limits();
    const struct occupancy_request request = {
        .threads_per_block = row->block.x * row->block.y * row->block.z,
        .registers_per_thread = a->registers,
        .static_shared_bytes = a->static_shared_bytes,
        .dynamic_shared_bytes = row->shared_bytes - a->static_shared_bytes};
    json_open(j, "occupancy", '{');
    json_number(j, "registers", a->registers);
    json_number(j, "exact_registers", a->exact_registers); /* 0: an estimate, see kernel.h */
    if (occupancy_compute(g, &request, &o)) {
        json_number(j, "blocks", o.blocks_per_sm);
        json_number(j, "warps", o.warps_per_sm);
        json_number(j, "most_warps", g->max_warps_per_sm);
        json_text(j, "limiter", occupancy_limiters(&o, limiters, sizeof limiters));
    }
    json_close(j, '}');
}

/* The floor, and what the model says where it was asked. */
static void write_times(struct json *j, const struct entry *e)
{
    if (!isfinite(e->floors.floor_us)) {
        return;
    }
    record_write_floor(j, &e->floors);
    if (isfinite(e->model_us)) {
        json_open(j, "model", '{');
        json_real(j, "us", e->model_us);
        json_text(j, "limiter", e->model_limiter);
        json_close(j, '}');
    }
}

static void write_entry(struct json *j, const struct entry *e)
{
    const struct report_row *row = &e->row;
    json_open(j, NULL, '{');
    json_text(j, "kernel", e->kernel);
    json_number(j, "launch", row->launch);
    json_number(j, "launches", e->launches);
    json_number(j, "measured", ranges_common(&e->numbers, &record.measured));
    record_write_dim(j, "grid", &row->grid);
    record_write_dim(j, "block", &row->block);
    json_number(j, "shared_bytes", row->shared_bytes);
    write_occupancy(j, row, &e->attributes);
    json_open(j, "counters", '{');
#define COUNTER(field, unit, metric) json_number(j, #field, row->counters.field);
#include "base/counters.def"
#undef COUNTER
    json_close(j, '}');
    write_times(j, e);
    if (e->fault != NULL) {
        record_write_fault(j, record.rows, e->fault);
    }
    json_bool(j, "detailed", e->detail != NULL);
    if (e->detail != NULL && e->detail[0] != '\0') {
        fputc(',', j->out);
        fputs(e->detail, j->out);
    }
    if (e->trace != NULL && e->trace[0] != '\0') {
        json_raw(j, "trace", strchr(e->trace, ':') + 1); /* without its own name */
    }
    json_close(j, '}');
}

/* A lesson's program is called run: its folder, "step05_reduction", tells more. */
static const char *program_name(char *text, size_t size)
{
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(path, '/');
    if (slash == NULL || strcmp(slash, "/run") != 0) {
        snprintf(text, size, "%s", program_invocation_short_name);
        return text;
    }
    *slash = '\0';
    const char *folder = strrchr(path, '/');
    snprintf(text, size, "%.255s", folder != NULL ? folder + 1 : path);
    return text;
}

/* Where the traces of all kernels take too much room together, the longest become short. */
static void shorten_traces(void)
{
    size_t bytes = 0;
    for (size_t i = 0; i < record.count; i++) {
        bytes += record.entries[i].trace != NULL ? strlen(record.entries[i].trace) : 0;
    }
    while (bytes > TRACE_BYTES) {
        struct entry *longest = NULL;
        for (size_t i = 0; i < record.count; i++) {
            struct entry *e = &record.entries[i];
            if (e->short_trace != NULL &&
                (longest == NULL || strlen(e->trace) > strlen(longest->trace))) {
                longest = e;
            }
        }
        if (longest == NULL) {
            return;
        }
        bytes -= strlen(longest->trace) - strlen(longest->short_trace);
        free(longest->trace);
        longest->trace = longest->short_trace;
        longest->short_trace = NULL;
    }
}

void record_write(FILE *out)
{
    char name[256];
    struct json j = {.out = out};
    shorten_traces();
    json_open(&j, NULL, '{');
    json_number(&j, "schema", RECORD_SCHEMA);
    json_text(&j, "program", program_name(name, sizeof name));
    json_text(&j, "gpu", runtime_limits()->name);
    json_text(&j, "source", "simulated counts");
    json_number(&j, "launches_left_out", record.dropped);
    json_open(&j, "launches", '[');
    for (size_t i = 0; i < record.count; i++) {
        write_entry(&j, &record.entries[i]);
    }
    json_close(&j, ']');
    record_write_findings(&j, record.rows);
    record_write_explained(&j);
    record_rows_write(&j, record.rows); /* what entries refer to by number */
    json_close(&j, '}');
    fputc('\n', out);
}
