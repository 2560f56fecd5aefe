/* host_order.c - the works of streams: see host_order.h. */
#include "check/host/host_order_state.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/describe.h"
#include "runtime/cudart_devices.h"

/* ---- works ----------------------------------------------------------------------------------- */

bool host_order_has_hazards(void) { return hazard_is_open() && host_order.memory != NULL; }

void host_order_settle(const char *call)
{
    if (host_order_has_hazards() && !host_order_is_under_way()) {
        hazard_settle(call, false);
    }
}

static void issue(struct host_order_work *w, struct CUstream_st *stream)
{
    w->issued = true;
    if (host_order_own.put_off != NULL) { /* issued long ago */
        w->hazard.stream = host_order_own.put_off->entry.stream;
        w->hazard.number = host_order_own.put_off->entry.number;
        return;
    }
    w->hazard.stream = host_order_slot_of(stream);
    w->hazard.number = timeline_issue(&host_order.timeline, w->hazard.stream);
    host_order_wait_for(&host_order.timeline.streams[w->hazard.stream]);
}

/* With the lock held, if the order of works is needed; false: it is not. */
static bool open_work(struct host_order_work *w, struct CUstream_st *stream)
{
    w->kept = w->issued = false;
    if (!host_order_is_needed()) {
        return false;
    }
    memset(&w->hazard, 0, sizeof w->hazard);
    host_order_enter();
    issue(w, stream);
    return true;
}

static _Thread_local const void *node_made_at;
void host_order_node_begins(const void *made_at) { node_made_at = made_at; }

/* What it does will be compared with what others do; messages call it that. */
static void keep(struct host_order_work *w, const char *kind, const char *name, const void *site)
{
    w->kept = true;
    snprintf(w->hazard.what, sizeof w->hazard.what, "%s%s", kind, name);
    w->hazard.site = site;
    w->hazard.node_made_at = node_made_at;
    w->hazard.verbs[0] = "read";
    w->hazard.verbs[1] = "written";
    hazard_lift();
}

void host_order_begin(struct host_order_work *w, struct CUstream_st *stream, const char *call)
{
    if (!open_work(w, stream)) {
        return;
    }
    if (host_order_has_hazards()) {
        keep(w, "", call, describe_here());
    } else {
        host_order_leave();
    }
}

void host_order_touches(struct host_order_work *w, const void *pointer, uint64_t bytes, bool writes)
{
    const uint64_t address = (uint64_t)(uintptr_t)pointer;
    byte_set_add_range(&w->hazard.touched.sets[writes ? TOUCHED_WRITTEN : TOUCHED_READ], address,
                       bytes);
    if (memory_find(devices_memory_of(pointer), address) == NULL) {
        hazard_uses_host(&w->hazard, pointer, bytes, writes);
    }
}

void host_order_end(struct host_order_work *w, bool waits)
{
    if (!w->kept) {
        return;
    }
    hazard_add(&w->hazard);
    if (waits) {
        timeline_host_waits_stream(&host_order.timeline, w->hazard.stream);
    }
    host_order_settle(w->hazard.what);
    host_order_leave();
}

/* ---- launches -------------------------------------------------------------------------------- */

/* With one stream, in which each work begins behind the one before, and no memory that the host can
 * reach, nothing can go wrong. */
static void want_bytes(struct touched_bytes_of *t)
{
    const bool all = host_order.many_streams || host_order.begins_early;
    memory_window(runtime()->memory, &t->begin, &t->end);
    t->what = host_order.shares_memory ? LAUNCH_BYTES_HOST : LAUNCH_BYTES_NONE;
    t->what = all || host_order.variable_count > 0 ? LAUNCH_BYTES_ALL : t->what;
}

void host_order_may_begin_early(void) { host_order.begins_early = true; }

void host_order_begin_launch(struct host_order_work *w, struct CUstream_st *stream,
                             const char *kernel, const void *site)
{
    if (!open_work(w, stream)) {
        return;
    }
    if (host_order_has_hazards()) {
        keep(w, "kernel ", kernel, site);
        w->hazard.is_launch = true;
        want_bytes(&w->hazard.touched);
    }
    host_order_leave(); /* the launch may run in another thread */
}

void host_order_begins_early(struct host_order_work *w)
{
    host_order.begins_early = true;
    if (w->kept) {
        w->hazard.touched.begins_early = true;
        w->hazard.touched.what = LAUNCH_BYTES_ALL;
    }
}

struct touched_bytes_of *host_order_touched(struct host_order_work *w)
{
    return w->kept ? &w->hazard.touched : NULL;
}

static void add_launch(struct host_order_work *w, bool good)
{
    for (unsigned i = 0; i < host_order.variable_count; i++) {
        const struct variable *v = &host_order.variables[i];
        for (unsigned k = 0; k < TOUCHED_KINDS; k++) {
            byte_set_mirror(&w->hazard.touched.sets[k], v->device, v->bytes, v->host);
        }
    }
    if (good) {
        hazard_add(&w->hazard);
    }
}

void host_order_end_launch(struct host_order_work *w, bool good)
{
    if (w->kept) {
        host_order_enter();
        add_launch(w, good);
        host_order_settle(w->hazard.what);
        host_order_leave();
    }
}

void host_order_has_ended(struct host_order_work *w, bool good)
{
    host_order_enter();
    if (w->kept) {
        w->hazard.was_told = true;
        add_launch(w, good);
    }
    host_order_do_behind(w->hazard.stream, w->hazard.number);
    host_order_leave();
}

/* ---- what orders ----------------------------------------------------------------------------- */

/* With the lock held. */
static bool says_done(const struct timeline_clock *event)
{
    return !host_order_is_behind(event) &&
           (!host_order_has_hazards() || timeline_host_asks(&host_order.timeline, event));
}

bool host_order_event_is_done(const struct timeline_clock *event)
{
    if (!host_order_is_needed()) {
        return true;
    }
    host_order_enter();
    const bool done = !host_order_is_behind(event);
    host_order_leave();
    return done;
}

bool host_order_stream_is_done(struct CUstream_st *stream)
{
    struct timeline_clock now;
    host_order_record(stream, &now);
    return host_order_event_is_done(&now);
}

bool host_order_says_event_is_done(const struct timeline_clock *event)
{
    if (!host_order_is_needed()) {
        return true;
    }
    host_order_enter();
    const bool done = says_done(event);
    host_order_leave();
    return done;
}

bool host_order_says_stream_is_done(struct CUstream_st *stream)
{
    struct timeline_clock now;
    host_order_record(stream, &now);
    return host_order_says_event_is_done(&now);
}

void host_order_record(struct CUstream_st *stream, struct timeline_clock *event)
{
    if (host_order_is_needed()) {
        host_order_enter();
        timeline_record(&host_order.timeline, host_order_slot_of(stream), event);
        host_order_leave();
    } else {
        memset(event, 0, sizeof *event);
    }
}

void host_order_stream_waits(struct CUstream_st *stream, const struct timeline_clock *event)
{
    if (host_order_is_needed()) {
        host_order_enter();
        timeline_stream_waits(&host_order.timeline, host_order_slot_of(stream), event);
        host_order_leave();
    }
}

static void host_has_waited(const char *call)
{
    host_order_wait_for(&host_order.timeline.host);
    host_order_settle(call);
    host_order_leave();
}

void host_order_host_waits_event(const char *call, const struct timeline_clock *event)
{
    if (host_order_is_needed()) {
        host_order_enter();
        timeline_host_waits_event(&host_order.timeline, event);
        host_has_waited(call);
    }
}

void host_order_host_waits_stream(const char *call, struct CUstream_st *stream)
{
    if (host_order_is_needed()) {
        host_order_enter();
        timeline_host_waits_stream(&host_order.timeline, host_order_slot_of(stream));
        host_has_waited(call);
    }
}

void host_order_host_waits_all(const char *call)
{
    if (host_order_is_needed()) {
        host_order_enter();
        timeline_host_waits_all(&host_order.timeline);
        host_has_waited(call);
    }
}
