/* counts.c - what a shape's launches counted: in all, and by line of the learner's file. */
#include "common/judge/state.h"

#include <math.h>
#include <string.h>

static double ratio(uint64_t part, uint64_t whole, double scale)
{
    return part == 0 ? 0.0 : scale * (double)part / (double)whole;
}

static const char *const metric_names[] = {
#define METRIC(name, part, whole, scale) name,
#include "common/judge/metrics.def"
#undef METRIC
};

double judge_metric_value(unsigned metric, const struct launch_counters *c)
{
    const double values[] = {
#define METRIC(name, part, whole, scale) ratio(part, whole, scale),
#include "common/judge/metrics.def"
#undef METRIC
    };
    return values[metric];
}

int judge_metric_find(const char *name)
{
    for (unsigned i = 0; i < sizeof metric_names / sizeof metric_names[0]; i++) {
        if (strcmp(metric_names[i], name) == 0) {
            return (int)i;
        }
    }
    return -1;
}

/* Utilisation is lost where lanes idle; a sum per warp or request is worst where it is greatest. */
static unsigned cost_of(unsigned metric)
{
    return strcmp(metric_names[metric], "utilisation") == 0
               ? (unsigned)judge_metric_find("idle lanes")
               : metric;
}

uint32_t judge_worst_line(const struct judge *j, unsigned metric)
{
    const unsigned cost = cost_of(metric);
    uint32_t worst = 0;
    double most = 0.0;
    for (unsigned i = 0; i < j->line_count; i++) {
        struct launch_counters c = j->lines[i].counters;
        c.warps = j->counters.warps; /* a line has none of its own */
        const double value = judge_metric_value(cost, &c);
        worst = value > most ? j->lines[i].line : worst;
        most = value > most ? value : most;
    }
    return worst;
}

double judge_metric(struct judge *j, const char *metric)
{
    const int number = judge_metric_find(metric);
    if (number < 0) {
        judge_end(j, JUDGE_BROKEN, 0, metric, "there is no metric '%s'", metric);
    }
    return backend_is_sim() ? judge_metric_value((unsigned)number, &j->counters) : NAN;
}

void judge_predict(struct judge *j, const char *what, double predicted, double counted,
                   const char *think)
{
    const bool is_taken_as_it_is = isnan(counted) && isfinite(predicted);
    if (is_taken_as_it_is || j->count_only || verify_close(predicted, counted, 0.005, 0.005)) {
        return;
    }
    judge_end(j, JUDGE_PREDICTION, 0, what,
              "%s: you say %.6g, and something else is counted.\n%s\n", what, predicted, think);
}

void judge_which_line(struct judge *j, const char *metric, int line)
{
    const int number = judge_metric_find(metric);
    if (number < 0) {
        judge_end(j, JUDGE_BROKEN, 0, metric, "there is no metric '%s'", metric);
    }
    if (!backend_is_sim() || j->count_only) {
        return;
    }
    const uint32_t worst = judge_worst_line(j, (unsigned)number);
    double own = 0.0, most = 0.0;
    for (unsigned i = 0; i < j->line_count; i++) {
        const double value = judge_metric_value((unsigned)number, &j->lines[i].counters);
        own = (int)j->lines[i].line == line ? value : own;
        most = j->lines[i].line == worst ? value : most;
    }
    if (own < most) {
        judge_end(j, JUDGE_PREDICTION, 0, metric, "line %d has %.6g %s; another line has more\n",
                  line, own, metric);
    }
}

bool judge_is_shared(const char *metric)
{
    return strstr(metric, "shared") != NULL || strcmp(metric, "bank conflicts") == 0;
}

void judge_forget(struct judge *j)
{
    memset(&j->counters, 0, sizeof j->counters);
    j->launches = j->host_launches = 0;
    j->host_wrote = j->on_gpu = false;
    j->line_count = 0;
}

#ifdef SIMT
#include "common/simt/api/simt_last.h"
#include "common/simt/watch/accesses.h"

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static void add(struct launch_counters *sum, const struct simt_counters *c)
{
#define COUNTER(field, unit, metric) sum->field += c->field;
#include "common/simt/base/counters.def"
#undef COUNTER
}

static void add_line(void *state, const struct simt_line *line)
{
    struct judge *j = state;
    unsigned i = 0;
    if (line->file == NULL || strcmp(base_name(line->file), base_name(j->source)) != 0) {
        return;
    }
    while (i < j->line_count && j->lines[i].line != line->line) {
        i++;
    }
    if (i == JUDGE_LINES) {
        return;
    }
    if (i == j->line_count) {
        memset(&j->lines[i], 0, sizeof j->lines[i]);
        j->lines[j->line_count++].line = line->line;
    }
    add(&j->lines[i].counters, &line->counters);
}

static enum draw_op op_of(enum access_kind kind)
{
    return kind == ACCESS_LOAD || kind == ACCESS_COPY_READ     ? DRAW_LOAD
           : kind == ACCESS_STORE || kind == ACCESS_COPY_WRITE ? DRAW_STORE
                                                               : DRAW_ATOMIC;
}

/* The first of the dearest requests of this access. */
static void keep_worst(struct judge *j, const struct access_row *row)
{
    const struct access_class *worst = &row->classes[row->class_count - 1];
    struct draw_access *a = &j->out->access;
    if (row->class_count == 0 || row->bytes > 16) {
        return;
    }
    a->space = j->watch_shared ? DRAW_SHARED : DRAW_GLOBAL;
    a->op = op_of(row->kind);
    a->bytes = row->bytes;
    a->mask = worst->sample.lanes;
    memcpy(a->address, worst->sample.address, sizeof a->address);
    j->out->has_access = true;
}

static void look_at_accesses(struct judge *j)
{
    const struct access_row *rows;
    const unsigned count = simt_last_accesses(&rows);
    const enum ptx_space space = j->watch_shared ? PTX_SHARED : PTX_GLOBAL;
    double most = -1.0;
    for (unsigned i = 0; i < count; i++) {
        const struct access_row *r = &rows[i];
        const bool other = (j->watch_loads && op_of(r->kind) == DRAW_STORE) ||
                           (j->watch_stores && op_of(r->kind) == DRAW_LOAD);
        if (other || r->line != j->watched || r->space != space || r->file == NULL ||
            r->requests == 0 || strcmp(base_name(r->file), base_name(j->source)) != 0) {
            continue;
        }
        const double excess = ((double)r->cost - (double)r->least) / (double)r->requests;
        if (excess > most) {
            keep_worst(j, r);
        }
        most = excess > most ? excess : most;
    }
    j->out->is_cheapest = most == 0.0;
}

void judge_watch_accesses(void) { simt_watch_accesses(); }

void judge_name_memory(const void *device, const char *name) { simt_name_memory(device, name); }

static void add_launch(void *state, const struct simt_kernel *kernel,
                       const struct simt_counters *counters)
{
    struct judge *j = state;
    j->launches++;
    add(&j->counters, counters);
    simt_kernel_lines(kernel, add_line, j);
    if (j->watched != 0 && !j->out->has_access) {
        look_at_accesses(j);
    }
}

void judge_listen(struct judge *j) { simt_watch_launches(add_launch, j); }

#else

void judge_listen(struct judge *j) { (void)j; }
void judge_watch_accesses(void) {}
void judge_name_memory(const void *device, const char *name)
{
    (void)device;
    (void)name;
}

#endif
