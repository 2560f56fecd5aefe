/* cudart_estimate.c - floors and modelled times of the runtime's launches, with what SIMT_MODEL
 * and SIMT_L2 say and which calls ask for them; samples of large launches. See simt_last.h. */
#include "runtime/cudart_estimate.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "runtime/cudart.h"
#include "report/report.h"
#include "report/trace_events.h"
#include "api/simt_last.h"

static struct {
    struct estimate_options options;
    struct estimator *estimator; /* NULL: times have not been asked for */
    uint64_t sample_budget;      /* SIMT_SAMPLE */
    bool asked;                  /* by the program, which shows the times itself */
} own;

/* SIMT_MODEL=1, and neither a report nor the program shows the times. */
static void say_where_times_are(void)
{
    if (!own.asked) {
        fflush(stdout);
        fprintf(stderr, "simt: SIMT_MODEL=1: modelled times stand in reports: set SIMT_REPORT to "
                        "explain, lines, FILE.csv, FILE.html or FILE.json as well\n");
    }
}

/* explain, explain:a,b, x.trace.json, and pages whose name is timeline.html or timeline.json. */
static bool shows_the_model(const char *report)
{
    const char *slash = strrchr(report, '/'), *name = slash != NULL ? slash + 1 : report;
    return strncmp(report, "explain", 7) == 0 || strcmp(name, "timeline.html") == 0 ||
           strcmp(name, "timeline.json") == 0 || trace_events_wanted(report);
}

bool estimate_read_environment(struct err *e)
{
    const char *l2 = getenv("SIMT_L2");
    uint64_t model = 0;
    if (!env_number("SIMT_MODEL", 0, 1, &model, e) ||
        !env_number("SIMT_SAMPLE", 1, INT64_MAX, &own.sample_budget, e)) {
        return false;
    }
    if (l2 != NULL && l2[0] != '\0' && strcmp(l2, "cold") != 0 && strcmp(l2, "warm") != 0) {
        return err_set(e, "SIMT_L2=%.80s: it is `cold` or `warm`", l2);
    }
    const char *report = getenv("SIMT_REPORT");
    own.options.model = model == 1 || (report != NULL && shows_the_model(report));
    own.options.timeline = report_is_drawn();
    own.options.cold = l2 != NULL && strcmp(l2, "cold") == 0;
    if (model == 1 && !report_wants_times()) {
        atexit(say_where_times_are);
    }
    if ((own.options.model || report_wants_times()) && !simt_watch_times()) {
        return err_set(e, "SIMT_MODEL: too many others observe the launches");
    }
    return true;
}

bool simt_watch_times(void)
{
    if (own.estimator == NULL) {
        own.estimator = estimator_open(runtime_limits(), own.options);
        return simt_observe_runtime(estimator_observer(own.estimator));
    }
    return true;
}

bool simt_want_times(void)
{
    const char *said = getenv("SIMT_MODEL");
    if (own.estimator == NULL && (said == NULL || said[0] == '\0')) {
        own.options.model = true;
        return simt_watch_times();
    }
    return true;
}

const struct estimate *estimate_last(void)
{
    return own.estimator != NULL ? estimator_last(own.estimator) : NULL;
}

bool estimate_is_modelled(void) { return own.options.model; }

bool simt_times_wanted(void)
{
    own.asked = true;
    return own.options.model;
}

static struct simt_times times_of(const struct estimate *e)
{
    struct simt_times t = {.floor_us = NAN, .model_us = NAN};
    if (e != NULL && !isnan(e->floors.floor_us)) {
        t = (struct simt_times){e->floors.floor_us, e->model_us, floor_name(e->floors.limiter),
                                e->model_limiter, e->calibrated};
    }
    return t;
}

bool simt_last_times(struct simt_times *out)
{
    runtime_lock();
    own.asked = true;
    *out = times_of(estimate_last());
    runtime_unlock();
    return !isnan(out->floor_us);
}

/* --- sums over launches ----------------------------------------------------------------------- */

static struct {
    struct simt_times sum;
    double longest_us;
    bool any;
} total;

void estimate_add_to_total(void)
{
    const struct simt_times t = times_of(estimate_last());
    if (isnan(t.floor_us)) {
        return;
    }
    if (!total.any || t.floor_us > total.longest_us) {
        total.longest_us = t.floor_us;
        total.sum.floor_limiter = t.floor_limiter;
        total.sum.model_limiter = t.model_limiter;
        total.sum.calibrated = t.calibrated;
    }
    total.sum.floor_us = total.any ? total.sum.floor_us + t.floor_us : t.floor_us;
    total.sum.model_us = total.any ? total.sum.model_us + t.model_us : t.model_us;
    total.any = true;
}

/* Since simt_times_start(): a launch was a sample; another one came behind it. */
static struct {
    bool sampled, built_on;
    unsigned launches; /* so far */
} chain;

void simt_times_start(void)
{
    runtime_lock();
    total.any = false;
    chain.sampled = chain.built_on = false;
    chain.launches = 0;
    runtime_unlock();
}

bool simt_times_total(struct simt_times *out)
{
    runtime_lock();
    own.asked = true;
    const bool any = total.any;
    *out = any ? total.sum : (struct simt_times){.floor_us = NAN, .model_us = NAN};
    runtime_unlock();
    return any;
}

/* --- samples ---------------------------------------------------------------------------------- */

void simt_sample_launches(uint64_t budget) { simt_sample_behind(budget, 0); }

unsigned simt_sample_was_built_on(void) { return chain.built_on ? chain.launches : 0; }

void simt_sample_behind(uint64_t budget, unsigned whole)
{
    simt_sample(runtime()->simt, budget, whole);
}

void estimate_tell_sample(const char *kernel)
{
    static char reported[128]; /* of one kernel the first launch is reported */
    struct simt_sample s;
    simt_last_sample(runtime()->simt, &s);
    chain.built_on |= chain.sampled;
    chain.sampled |= s.executed < s.blocks;
    chain.launches++;
    if (own.sample_budget == 0 || strncmp(reported, kernel, sizeof reported - 1) == 0) {
        return;
    }
    if (s.whole != NULL) {
        fprintf(stderr, "simt: SIMT_SAMPLE: %s runs whole: %s", kernel, s.whole);
        fprintf(stderr, s.line > 0 ? ", line %u\n" : "\n", s.line);
    } else if (s.executed < s.blocks) {
        fprintf(stderr,
                "simt: SIMT_SAMPLE: %s: %" PRIu64 " of %" PRIu64
                " blocks ran: counts are scaled%s, "
                "results are incomplete\n",
                kernel, s.executed, s.blocks, s.exact ? ", exactly" : "");
    }
    snprintf(reported, sizeof reported, "%s", kernel);
}

void estimate_open_device(struct simt *simt)
{
    if (own.sample_budget > 0) {
        simt_sample(simt, own.sample_budget, 0);
    }
}

bool simt_last_launch_sample(struct simt_sample *out)
{
    *out = (struct simt_sample){0};
    if (!runtime_is_open()) {
        return false;
    }
    runtime_lock();
    simt_last_sample(runtime()->simt, out);
    runtime_unlock();
    return out->blocks > 0;
}
