/* order.c - the works of streams: see order.h. */
#include "check/host/order_state.h"
#include "check/host/hazard_state.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/describe.h"
#include "runtime/cudart_devices.h"

/* ---- works ----------------------------------------------------------------------------------- */

bool order_has_hazards(void) { return hazard_is_open() && order.memory != NULL; }

void order_settle(const char *call)
{
    if (order_has_hazards() && !order_is_under_way()) {
        hazard_settle(call, false);
    }
}

static void issue(struct order_work *w, struct CUstream_st *stream)
{
    w->issued = true;
    if (order_own.put_off != NULL) { /* issued long ago */
        w->hazard.stream = order_own.put_off->entry.stream;
        w->hazard.number = order_own.put_off->entry.number;
        return;
    }
    w->hazard.stream = order_slot_of(stream);
    w->hazard.number = timeline_issue(&order.timeline, w->hazard.stream);
    order_wait_for(&order.timeline.streams[w->hazard.stream]);
}

/* With the lock held, if somebody needs to know; false: nobody does. */
static bool open_work(struct order_work *w, struct CUstream_st *stream)
{
    w->kept = w->issued = false;
    if (!order_is_needed()) {
        return false;
    }
    memset(&w->hazard, 0, sizeof w->hazard);
    order_enter();
    issue(w, stream);
    return true;
}

/* What it does will be compared with what others do; messages call it that. */
static void keep(struct order_work *w, const char *kind, const char *name, const void *site)
{
    w->kept = true;
    snprintf(w->hazard.what, sizeof w->hazard.what, "%s%s", kind, name);
    w->hazard.site = site;
    w->hazard.verbs[0] = "read";
    w->hazard.verbs[1] = "written";
    hazard_lift();
}

void order_begin(struct order_work *w, struct CUstream_st *stream, const char *call)
{
    if (!open_work(w, stream)) {
        return;
    }
    if (order_has_hazards()) {
        keep(w, "", call, describe_here());
    } else {
        order_leave();
    }
}

void order_touches(struct order_work *w, const void *pointer, uint64_t bytes, bool writes)
{
    const uint64_t address = (uint64_t)(uintptr_t)pointer;
    byte_set_add_range(&w->hazard.touched.sets[writes ? TOUCHED_WRITTEN : TOUCHED_READ], address,
                       bytes);
    if (memory_find(devices_memory_of(pointer), address) == NULL) {
        hazard_uses_host(&w->hazard, pointer, bytes, writes);
    }
}

void order_end(struct order_work *w, bool waits)
{
    if (!w->kept) {
        return;
    }
    hazard_add(&w->hazard);
    if (waits) {
        timeline_host_waits_stream(&order.timeline, w->hazard.stream);
    }
    order_settle(w->hazard.what);
    order_leave();
}

/* ---- launches -------------------------------------------------------------------------------- */

/* With one stream and no memory that the host can reach, nothing can go wrong. */
static void want_bytes(struct touched_bytes_of *t)
{
    memory_window(runtime()->memory, &t->begin, &t->end);
    t->what = order.many_streams || order.variable_count > 0 ? LAUNCH_BYTES_ALL
              : order.shares_memory                          ? LAUNCH_BYTES_HOST
                                                             : LAUNCH_BYTES_NONE;
}

void order_begin_launch(struct order_work *w, struct CUstream_st *stream, const char *kernel,
                        const void *site)
{
    if (!open_work(w, stream)) {
        return;
    }
    if (order_has_hazards()) {
        keep(w, "kernel ", kernel, site);
        want_bytes(&w->hazard.touched);
    }
    order_leave(); /* the launch may run in another thread */
}

struct touched_bytes_of *order_touched(struct order_work *w)
{
    return w->kept ? &w->hazard.touched : NULL;
}

static void add_launch(struct order_work *w, bool good)
{
    for (unsigned i = 0; i < order.variable_count; i++) {
        const struct variable *v = &order.variables[i];
        for (unsigned k = 0; k < TOUCHED_KINDS; k++) {
            byte_set_mirror(&w->hazard.touched.sets[k], v->device, v->bytes, v->host);
        }
    }
    if (good) {
        hazard_add(&w->hazard);
    }
}

void order_end_launch(struct order_work *w, bool good)
{
    if (w->kept) {
        order_enter();
        add_launch(w, good);
        order_settle(w->hazard.what);
        order_leave();
    }
}

void order_has_ended(struct order_work *w, bool good)
{
    order_enter();
    if (w->kept) {
        w->hazard.was_told = true;
        add_launch(w, good);
    }
    order_do_behind(w->hazard.stream, w->hazard.number);
    order_leave();
}

/* ---- what orders ----------------------------------------------------------------------------- */

bool order_stream_is_done(struct CUstream_st *stream)
{
    if (!order_is_needed()) {
        return true;
    }
    struct timeline_clock now;
    order_enter();
    timeline_record(&order.timeline, order_slot_of(stream), &now);
    bool done = !order_is_behind(&now);
    order_leave();
    return done;
}

bool order_event_is_done(const struct timeline_clock *event)
{
    if (!order_is_needed()) {
        return true;
    }
    order_enter();
    bool done = !order_is_behind(event);
    order_leave();
    return done;
}

void order_record(struct CUstream_st *stream, struct timeline_clock *event)
{
    if (order_is_needed()) {
        order_enter();
        timeline_record(&order.timeline, order_slot_of(stream), event);
        order_leave();
    } else {
        memset(event, 0, sizeof *event);
    }
}

void order_stream_waits(struct CUstream_st *stream, const struct timeline_clock *event)
{
    if (order_is_needed()) {
        order_enter();
        timeline_stream_waits(&order.timeline, order_slot_of(stream), event);
        order_leave();
    }
}

static void host_has_waited(const char *call)
{
    order_wait_for(&order.timeline.host);
    order_settle(call);
    order_leave();
}

void order_host_waits_event(const char *call, const struct timeline_clock *event)
{
    if (order_is_needed()) {
        order_enter();
        timeline_host_waits_event(&order.timeline, event);
        host_has_waited(call);
    }
}

void order_host_waits_stream(const char *call, struct CUstream_st *stream)
{
    if (order_is_needed()) {
        order_enter();
        timeline_host_waits_stream(&order.timeline, order_slot_of(stream));
        host_has_waited(call);
    }
}

void order_host_waits_all(const char *call)
{
    if (order_is_needed()) {
        order_enter();
        timeline_host_waits_all(&order.timeline);
        host_has_waited(call);
    }
}
