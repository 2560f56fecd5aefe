/* trace_events.c - see trace_events.h.
 *
 * Launches stand one behind the other, in the order of issue, as the simulator runs them: what
 * streams would do at the same time is not modelled. A launch takes its modelled time. Of each
 * kernel's largest launch the warps of one scheduler are processes of their own, on the same clock.
 */
#include "report/trace_events.h"
#include "base/room.h"

#include "api/simt_last.h"
#include "report/json.h"
#include "report/own_file.h"
#include "watch/trace.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LAUNCHES = 100000, MOST_STREAMS = 256, MOST_VIEWS = 32, LAUNCHES = 1, FIRST_VIEW = 2 };

static struct {
    char path[4096];
    FILE *body; /* events, until the program ends */
    char *text;
    size_t length;
    struct json json;
    uint64_t launches, views;
    uint64_t streams[MOST_STREAMS]; /* by number; 0: the default one */
    unsigned stream_count;
    double now_us;
    const struct kernel *kernel; /* of the launch that runs */
    struct observer observer;
} trace;

bool trace_events_wanted(const char *path)
{
    static const char suffix[] = ".trace.json";
    const size_t length = strlen(path);
    return length >= sizeof suffix && strcmp(path + length - (sizeof suffix - 1), suffix) == 0;
}

static void begin_event(const char *name, const char *phase, uint64_t process, uint64_t thread)
{
    struct json *j = &trace.json;
    json_open(j, NULL, '{');
    json_text(j, "name", name);
    json_text(j, "ph", phase);
    json_number(j, "pid", process);
    json_number(j, "tid", thread);
}

/* "process_name" or "thread_name". */
static void name_track(const char *what, uint64_t process, uint64_t thread, const char *name)
{
    begin_event(what, "M", process, thread);
    json_open(&trace.json, "args", '{');
    json_text(&trace.json, "name", name);
    json_close(&trace.json, '}');
    json_close(&trace.json, '}');
}

static unsigned stream_number(uint64_t stream)
{
    unsigned i = 0;
    while (i < trace.stream_count && trace.streams[i] != stream) {
        i++;
    }
    if (i == trace.stream_count && i < MOST_STREAMS) {
        char name[40];
        trace.streams[trace.stream_count++] = stream;
        snprintf(name, sizeof name, stream == 0 ? "default stream" : "stream %u", i);
        name_track("thread_name", LAUNCHES, i, name);
    }
    return i;
}

/* ---- one launch ------------------------------------------------------------------------------ */

static void add_launch(const struct report_row *row, double us)
{
    struct json *j = &trace.json;
    const struct estimate *e = row->estimate;
    const uint32_t shape[] = {row->grid.x,  row->grid.y,  row->grid.z,
                              row->block.x, row->block.y, row->block.z};
    static const char *const shape_names[] = {"grid_x",  "grid_y",  "grid_z",
                                              "block_x", "block_y", "block_z"};
    const unsigned stream = stream_number(row->stream);
    begin_event(row->kernel, "X", LAUNCHES, stream);
    json_real(j, "ts", trace.now_us);
    json_real(j, "dur", us);
    json_open(j, "args", '{');
    json_number(j, "launch", row->launch);
    for (unsigned i = 0; i < ARRAY_LENGTH(shape); i++) {
        json_number(j, shape_names[i], shape[i]);
    }
    if (e != NULL) {
        json_real(j, "at_least_us", e->floors.floor_us);
        json_text(j, "limited_by", e->modelled ? e->model_limiter : floor_name(e->floors.limiter));
    }
#define COUNTER(field, unit, metric)                                                               \
    if (row->counters.field != 0) {                                                                \
        json_number(j, #field, row->counters.field);                                               \
    }
#include "base/counters.def"
#undef COUNTER
    json_close(j, '}');
    json_close(j, '}');
}

static void add_text(const char *key, uint32_t pc)
{
    char text[160];
    if (pc < trace.kernel->code_count && trace.kernel->origin[pc] != NULL) {
        trace_text(trace.kernel->origin[pc], text, sizeof text);
        json_text(&trace.json, key, text);
    }
}

static void add_state(const struct sm_view_state *s, uint64_t process, double begin_us,
                      double scale)
{
    struct json *j = &trace.json;
    const char *file;
    begin_event(sm_view_stall_name((enum stall)s->stall), "X", process, s->slot);
    json_real(j, "ts", begin_us + s->from * scale);
    json_real(j, "dur", (s->to - s->from) * scale);
    json_open(j, "args", '{');
    json_number(j, "block", s->block);
    json_number(j, "line", observer_line(trace.kernel, s->pc, &file));
    add_text("next", s->pc);
    add_text("waits_for", s->cause);
    json_close(j, '}');
    json_close(j, '}');
}

/* The same scale as on a page: see record_timeline.c. */
static void add_view(const struct report_row *row)
{
    const struct model *m = &row->estimate->model;
    const struct sm_view *v = row->estimate->timeline;
    const double blocks = (double)row->grid.x * row->grid.y * row->grid.z;
    const double all = v->cycles * fmax(1, ceil(blocks / m->sm_count) / fmax(1, v->blocks));
    const double scale = (m->us - m->part_us[FLOOR_LAUNCH]) / fmax(1, all);
    const uint64_t process = FIRST_VIEW + trace.views++;
    char name[400];
    snprintf(name, sizeof name, "%.300s, launch %llu: warps of one scheduler of an SM (modelled)",
             row->kernel, (unsigned long long)row->launch);
    name_track("process_name", process, 0, name);
    for (unsigned i = 0; i < v->state_count; i++) {
        add_state(&v->states[i], process, trace.now_us + m->part_us[FLOOR_LAUNCH] / 2, scale);
    }
}

void trace_events_add(const struct report_row *row)
{
    const struct estimate *e = row->estimate;
    const bool known = e != NULL && !isnan(e->floors.floor_us);
    const double us = !known ? 1 : e->modelled ? e->model_us : e->floors.floor_us;
    if (trace.launches++ >= MOST_LAUNCHES) {
        return;
    }
    add_launch(row, us);
    if (known && e->timeline != NULL && trace.views < MOST_VIEWS) {
        add_view(row);
    }
    trace.now_us += us;
}

/* ---- the file -------------------------------------------------------------------------------- */

static void on_launch_begin(void *state, const struct launch_event *launch)
{
    (void)state;
    trace.kernel = launch->kernel;
}

static void write_file(void)
{
    json_close(&trace.json, ']');
    struct json *j = &trace.json;
    json_open(j, "otherData", '{');
    json_text(j, "times", "modelled, not measured; launches one behind the other");
    json_number(j, "launches", trace.launches);
    json_number(j, "launches_left_out",
                trace.launches > MOST_LAUNCHES ? trace.launches - MOST_LAUNCHES : 0);
    json_close(j, '}');
    json_close(j, '}');
    room_stream_end(trace.body);
    FILE *out = fopen(trace.path, "w");
    const bool good = out != NULL && fwrite(trace.text, 1, trace.length, out) == trace.length;
    if (!good || fclose(out) != 0) {
        fprintf(stderr, "simt: SIMT_REPORT=%.300s: the trace was not written: %s\n", trace.path,
                strerror(errno));
        _Exit(2);
    }
    free(trace.text);
}

/* What one of ours begins with: another file is not replaced. */
static const char mark[] = "{\"displayTimeUnit\":";

bool trace_events_open(const char *path, struct err *e)
{
    if (snprintf(trace.path, sizeof trace.path, "%s", path) >= (int)sizeof trace.path) {
        return err_set(e, "SIMT_REPORT: the file's name is too long");
    }
    if (!own_file_may_be_written(path, mark, "trace of launches", e)) {
        return false;
    }
    trace.body = room_stream(&trace.text, &trace.length);
    trace.json = (struct json){.out = trace.body};
    json_open(&trace.json, NULL, '{');
    json_text(&trace.json, "displayTimeUnit", "ns");
    json_open(&trace.json, "traceEvents", '[');
    name_track("process_name", LAUNCHES, 0, "launches, by stream (modelled times)");
    atexit(write_file);
    trace.observer = (struct observer){.launch_begin = on_launch_begin};
    return simt_observe_runtime(&trace.observer) ||
           err_set(e, "SIMT_REPORT: too many others observe the launches");
}
