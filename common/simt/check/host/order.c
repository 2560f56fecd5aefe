/* order.c - see order.h. */
#include "check/host/order.h"
#include "check/host/hazard_state.h"
#include "base/room.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/describe.h"
#include "runtime/cudart_devices.h"

struct stream_entry {
    struct CUstream_st *handle;
    unsigned slot;
};

/* A work that the launch's thread does behind the launch. */
struct put_off {
    struct put_off *next;
    order_run run;
    void *state;
    unsigned stream;
    uint32_t number;
    const void *site;
    int device;
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t ended;
    atomic_bool needed; /* by hazards, or by a launch that is under way */
    struct timeline timeline;
    struct stream_entry *streams;
    unsigned stream_count, stream_room;
    bool many_streams, shares_memory;
    struct variable {
        uint64_t device, bytes, host;
    } * variables; /* managed ones */
    unsigned variable_count;
    struct memory *memory;
    struct launch_bytes *bytes;
    /* The launch that goes on by itself, if there is one. */
    struct {
        bool running;
        unsigned stream;
        uint32_t number;
        struct simt_waiting *waiting;
        struct put_off *first, *last; /* works that are behind it */
    } launch;
} order = {.lock = PTHREAD_MUTEX_INITIALIZER, .ended = PTHREAD_COND_INITIALIZER};

static _Thread_local struct {
    unsigned slot;                 /* of this thread's own default stream; 0: it has none */
    bool in_order;                 /* this thread holds the lock */
    const struct put_off *put_off; /* this thread does that */
} own;

/* Defined by what simtcc compiles with --default-stream per-thread. */
extern char simt_default_stream_per_thread __attribute__((weak));

bool order_is_needed(void) { return atomic_load_explicit(&order.needed, memory_order_relaxed); }

static void enter(void) { pthread_mutex_lock(&order.lock); }

static void leave(void)
{
    own.in_order = false;
    pthread_mutex_unlock(&order.lock);
}

/* ---- streams --------------------------------------------------------------------------------- */

void order_stream_created(struct CUstream_st *stream, bool blocking)
{
    enter();
    ROOM_FOR_ONE(order.streams, order.stream_count, order.stream_room, 16);
    order.streams[order.stream_count++] =
        (struct stream_entry){stream, timeline_add_stream(&order.timeline, blocking)};
    order.many_streams = true;
    leave();
}

static struct stream_entry *entry_of(const struct CUstream_st *stream)
{
    for (unsigned i = 0; i < order.stream_count; i++) {
        if (order.streams[i].handle == stream) {
            return &order.streams[i];
        }
    }
    return NULL;
}

void order_stream_destroyed(struct CUstream_st *stream)
{
    enter();
    struct stream_entry *entry = entry_of(stream);
    if (entry != NULL) {
        timeline_remove_stream(&order.timeline, entry->slot);
        *entry = order.streams[--order.stream_count];
    }
    leave();
}

void order_forget_streams(void)
{
    enter();
    for (unsigned i = 0; i < order.stream_count; i++) {
        timeline_remove_stream(&order.timeline, order.streams[i].slot);
    }
    order.stream_count = 0;
    leave();
}

static unsigned slot_of(const struct CUstream_st *stream)
{
    bool per_thread = stream == cudaStreamPerThread ||
                      (stream == NULL && &simt_default_stream_per_thread != NULL);
    if (per_thread && own.slot == 0) {
        own.slot = timeline_add_stream(&order.timeline, true);
        order.many_streams = true;
    }
    const struct stream_entry *entry = per_thread ? NULL : entry_of(stream);
    return per_thread ? own.slot : entry != NULL ? entry->slot : TIMELINE_LEGACY;
}

/* ---- launches that go on by themselves ------------------------------------------------------- */

/* What was put off is behind the launch, and waits for nobody. */
static void wait_for_launch(void)
{
    while (order.launch.running && own.put_off == NULL) {
        __atomic_store_n(&order.launch.waiting->awaited, 1, __ATOMIC_RELAXED);
        pthread_cond_wait(&order.ended, &order.lock);
    }
}

static bool is_behind_launch(const struct timeline_clock *clock)
{
    return order.launch.running && clock->done[order.launch.stream] >= order.launch.number;
}

void order_wait_for_launches(void)
{
    if (order_is_needed()) {
        enter();
        wait_for_launch();
        leave();
    }
}

void order_shares_memory(void) { order.shares_memory = true; }

void order_shares_variable(uint64_t device, uint64_t bytes, uint64_t host)
{
    enter();
    order.shares_memory = true;
    order.variables =
        room_resized(order.variables, order.variable_count + 1, sizeof *order.variables);
    order.variables[order.variable_count++] = (struct variable){device, bytes, host};
    leave();
}

bool order_may_wait_for_host(void)
{
    return order.shares_memory || order.many_streams || &simt_default_stream_per_thread != NULL;
}

/* ---- works ----------------------------------------------------------------------------------- */

static bool has_hazards(void) { return hazard_is_open() && order.memory != NULL; }

static void settle(const char *call)
{
    if (has_hazards() && !order.launch.running) {
        hazard_settle(call, false);
    }
}

static void begin(struct order_work *w, struct CUstream_st *stream)
{
    if (own.put_off != NULL) { /* issued long ago */
        w->hazard.stream = own.put_off->stream;
        w->hazard.number = own.put_off->number;
        return;
    }
    w->hazard.stream = slot_of(stream);
    w->hazard.number = timeline_issue(&order.timeline, w->hazard.stream);
    /* Others wait with it: launches run one after the other. */
    if (is_behind_launch(&order.timeline.streams[w->hazard.stream])) {
        wait_for_launch();
    }
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
    w->kept = false;
    if (!order_is_needed()) {
        return;
    }
    memset(&w->hazard, 0, sizeof w->hazard);
    enter();
    begin(w, stream);
    if (has_hazards()) {
        keep(w, "", call, describe_here());
    } else {
        leave();
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
    settle(w->hazard.what);
    leave();
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
    w->kept = false;
    if (!order_is_needed()) {
        return;
    }
    memset(&w->hazard, 0, sizeof w->hazard);
    enter();
    begin(w, stream);
    wait_for_launch();
    if (has_hazards()) {
        keep(w, "kernel ", kernel, site);
        want_bytes(&w->hazard.touched);
    }
    leave(); /* the launch may run in another thread */
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
        enter();
        add_launch(w, good);
        settle(w->hazard.what);
        leave();
    }
}

void order_goes_on(struct order_work *w, struct CUstream_st *stream, struct simt_waiting *waiting)
{
    enter();
    if (!order_is_needed()) { /* what was issued before has been executed */
        timeline_host_waits_all(&order.timeline);
        begin(w, stream);
    }
    order.launch.running = true;
    order.launch.stream = w->hazard.stream;
    order.launch.number = w->hazard.number;
    order.launch.waiting = waiting;
    atomic_store(&order.needed, true);
    leave();
}

bool order_put_off(struct CUstream_st *stream, order_run run, const void *state, size_t bytes)
{
    if (!order_is_needed() || own.put_off != NULL) {
        return false;
    }
    struct timeline_clock now;
    enter();
    const unsigned slot = slot_of(stream);
    timeline_record(&order.timeline, slot, &now);
    const bool is_behind = is_behind_launch(&now);
    if (is_behind) {
        struct put_off *w = room_new(1, sizeof *w);
        *w = (struct put_off){.run = run,
                              .state = room_copy(state, bytes, 1),
                              .stream = slot,
                              .number = timeline_issue(&order.timeline, slot),
                              .site = runtime_site(),
                              .device = runtime_device()};
        *(order.launch.first != NULL ? &order.launch.last->next : &order.launch.first) = w;
        order.launch.last = w;
    }
    leave();
    return is_behind;
}

/* The first of them; the lock is held, but not meanwhile. */
static void do_put_off(void)
{
    struct put_off *w = order.launch.first;
    order.launch.first = w->next;
    leave();
    own.put_off = w;
    runtime_set_device(w->device);
    runtime_set_launch_site(w->site);
    w->run(w->state, order.launch.waiting);
    own.put_off = NULL;
    free(w->state);
    free(w);
    enter();
}

void order_has_ended(struct order_work *w, bool good)
{
    enter();
    if (w->kept) {
        w->hazard.was_told = true;
        add_launch(w, good);
    }
    while (order.launch.first != NULL) {
        do_put_off();
    }
    order.launch.running = false;
    atomic_store(&order.needed, hazard_is_open());
    pthread_cond_broadcast(&order.ended);
    leave();
}

/* ---- what orders ----------------------------------------------------------------------------- */

bool order_stream_is_done(struct CUstream_st *stream)
{
    if (!order_is_needed()) {
        return true;
    }
    struct timeline_clock now;
    enter();
    timeline_record(&order.timeline, slot_of(stream), &now);
    bool done = !is_behind_launch(&now);
    leave();
    return done;
}

bool order_event_is_done(const struct timeline_clock *event)
{
    if (!order_is_needed()) {
        return true;
    }
    enter();
    bool done = !is_behind_launch(event);
    leave();
    return done;
}

void order_record(struct CUstream_st *stream, struct timeline_clock *event)
{
    if (order_is_needed()) {
        enter();
        timeline_record(&order.timeline, slot_of(stream), event);
        leave();
    } else {
        memset(event, 0, sizeof *event);
    }
}

void order_stream_waits(struct CUstream_st *stream, const struct timeline_clock *event)
{
    if (order_is_needed()) {
        enter();
        timeline_stream_waits(&order.timeline, slot_of(stream), event);
        leave();
    }
}

static void host_has_waited(const char *call)
{
    if (is_behind_launch(&order.timeline.host)) {
        wait_for_launch();
    }
    settle(call);
    leave();
}

void order_host_waits_event(const char *call, const struct timeline_clock *event)
{
    if (order_is_needed()) {
        enter();
        timeline_host_waits_event(&order.timeline, event);
        host_has_waited(call);
    }
}

void order_host_waits_stream(const char *call, struct CUstream_st *stream)
{
    if (order_is_needed()) {
        enter();
        timeline_host_waits_stream(&order.timeline, slot_of(stream));
        host_has_waited(call);
    }
}

void order_host_waits_all(const char *call)
{
    if (order_is_needed()) {
        enter();
        timeline_host_waits_all(&order.timeline);
        host_has_waited(call);
    }
}

/* ---- the device ------------------------------------------------------------------------------ */

void order_open_check(struct check *check)
{
    hazard_open(check, &order.timeline);
    atomic_store(&order.needed, true);
}

/* Of several devices the one that was opened first stands for what the host shares with all. */
void order_device_opened(struct simt *simt, struct memory *memory, struct err *e)
{
    const bool first = order.memory == NULL;
    order.memory = first ? memory : order.memory;
    if (!hazard_is_open()) {
        return;
    }
    order.bytes = first ? launch_bytes_open() : order.bytes;
    if (order.bytes == NULL) {
        err_set(e, "out of memory for SIMT_CHECK");
        return;
    }
    if (first) {
        hazard_attach(memory);
    }
    simt_observe(simt, launch_bytes_observer(order.bytes), e);
}

void order_ends(void)
{
    if (has_hazards() && !own.in_order) {
        enter();
        hazard_lift();
        hazard_settle("the end of the program", true);
        leave();
    }
}

void order_device_closes(bool last)
{
    enter();
    timeline_host_waits_all(&order.timeline);
    wait_for_launch();
    if (has_hazards()) {
        settle("cudaDeviceReset");
    }
    if (last) {
        hazard_attach(NULL);
        launch_bytes_close(order.bytes);
        order.bytes = NULL;
        order.memory = NULL;
        order.variable_count = 0;
    }
    leave();
}

bool order_host_knows_event(const struct timeline_clock *event)
{
    bool knows = true;
    enter();
    for (unsigned i = 0; i < TIMELINE_STREAMS && has_hazards(); i++) {
        knows &= timeline_host_knows(&order.timeline, i, event->done[i]);
    }
    leave();
    return knows;
}

void order_tells_call(const char *call, const char *what, const char *cure)
{
    char text[1024];
    if (!has_hazards()) {
        return;
    }
    snprintf(text, sizeof text, "simt: call: %s at %s %s. Cure: %s", call,
             describe_line(describe_here()), what, cure);
    enter();
    hazard_tell(text, text);
    leave();
}

void order_tells_loss(const char *line)
{
    char text[600];
    if (!has_hazards()) {
        return;
    }
    snprintf(text, sizeof text,
             "simt: printf%s: the launch prints more than the buffer of a GPU holds until the host "
             "waits: lines are lost there. Cure: fewer lines, or cudaDeviceSetLimit("
             "cudaLimitPrintfFifoSize, ...) before the launch",
             line);
    enter();
    hazard_tell(text, text);
    leave();
}
