/* host_order_under_way.c - launches that go on by themselves, and the works that were put off until
 * they have ended. See host_order.h.
 *
 * A thread that has come to the end of such a launch does the works that need wait no longer, one
 * after the other. Where one of these is a launch that waits for something outside of its grid,
 * another thread does the rest. */
#include "check/host/host_order_state.h"
#include "base/room.h"

#include <stdlib.h>

#include "runtime/cudart_devices.h"

struct beside *host_order_beside(void) { return &host_order.beside; }

/* ---- what is under way ----------------------------------------------------------------------- */

bool host_order_is_under_way(void)
{
    return host_order.launches != NULL || host_order.put_off != NULL;
}

/* until: of a list, what stands before that; NULL: all of it. */
static bool is_behind(const struct under_way *list, const struct under_way *until,
                      const struct timeline_clock *clock)
{
    for (const struct under_way *u = list; u != until; u = u->next) {
        if (clock == NULL || clock->done[u->stream] >= u->number) {
            return true;
        }
    }
    return false;
}

bool host_order_is_behind(const struct timeline_clock *clock)
{
    return is_behind(host_order.launches, NULL, clock) ||
           is_behind(host_order.put_off, NULL, clock);
}

static void tell(struct under_way *list, int awaited)
{
    for (struct under_way *u = list; u != NULL; u = u->next) {
        __atomic_store_n(&u->waiting->awaited, awaited, __ATOMIC_RELAXED);
    }
}

/* Whoever waits for one of them may wait for all: they may wait for each other. */
static void tell_launches(void)
{
    tell(host_order.launches, host_order.waits > 0);
    tell(host_order.put_off, host_order.waits > 0);
}

/* What was put off waited for that before it began. */
void host_order_wait_for(const struct timeline_clock *clock)
{
    if (host_order_own.put_off != NULL || !host_order_is_behind(clock)) {
        return;
    }
    host_order.waits++;
    tell_launches();
    while (host_order_is_behind(clock)) {
        pthread_cond_wait(&host_order.ended, &host_order.lock);
    }
    host_order.waits--;
    tell_launches();
}

void host_order_wait_for_launches(void)
{
    if (host_order_is_needed()) {
        host_order_enter();
        host_order_wait_for(NULL);
        host_order_leave();
    }
}

static void add(struct under_way **list, struct under_way *u)
{
    while (*list != NULL) {
        list = &(*list)->next;
    }
    *list = u;
    u->next = NULL;
    tell_launches();
}

static void take_out(struct under_way **list, const struct under_way *u)
{
    while (*list != u) {
        list = &(*list)->next;
    }
    *list = u->next;
    if (!host_order_is_under_way()) {
        atomic_store(&host_order.needed, hazard_is_open());
    }
    pthread_cond_broadcast(&host_order.ended);
}

/* ---- works that were put off ----------------------------------------------------------------- */

bool host_order_put_off(struct CUstream_st *stream, host_order_run run, const void *state,
                        size_t bytes)
{
    if (!host_order_is_needed() || host_order_own.put_off != NULL) {
        return false;
    }
    struct timeline_clock now;
    host_order_enter();
    const unsigned slot = host_order_slot_of(stream);
    timeline_record(&host_order.timeline, slot, &now);
    const bool is_behind_any = host_order_is_behind(&now);
    if (is_behind_any) {
        struct put_off *p = room_new(1, sizeof *p);
        *p = (struct put_off){.run = run,
                              .state = room_copy(state, bytes, 1),
                              .after = now,
                              .site = runtime_site(),
                              .device = runtime_device()};
        p->entry.stream = slot;
        p->entry.number = timeline_issue(&host_order.timeline, slot);
        p->entry.waiting = &p->waiting;
        add(&host_order.put_off, &p->entry);
    }
    host_order_leave();
    return is_behind_any;
}

/* The first that need not wait any longer; NULL: none. */
static struct put_off *next_ready(void)
{
    for (struct under_way *u = host_order.put_off; u != NULL; u = u->next) {
        struct put_off *p = (struct put_off *)u;
        if (!p->begun && !is_behind(host_order.launches, NULL, &p->after) &&
            !is_behind(host_order.put_off, u, &p->after)) {
            return p;
        }
    }
    return NULL;
}

static void do_ready(void);

static void *do_others(void *nothing)
{
    struct listener nothing_heard = {0};
    (void)nothing;
    host_order_enter();
    do_ready();
    host_order_leave();
    beside_leave(&host_order.beside, &nothing_heard);
    return NULL;
}

/* Called by a worker of a launch that was put off. Without a thread, what is behind other launches
 * waits for the end of this one, too. */
static void begin_to_wait(void *state)
{
    struct listener nothing_heard = {0};
    pthread_t thread;
    (void)state;
    beside_join(&host_order.beside);
    if (pthread_create(&thread, NULL, do_others, NULL) == 0) {
        pthread_detach(thread);
    } else {
        beside_leave(&host_order.beside, &nothing_heard);
    }
}

/* All of them; the lock is held, but not meanwhile. The thread counts among those beside. */
static void do_ready(void)
{
    struct put_off *p;
    while ((p = next_ready()) != NULL) {
        p->begun = true;
        p->waiting.begins = begin_to_wait;
        p->waiting.joined = true;
        host_order_own.put_off = p;
        host_order_leave();
        runtime_set_device(p->device);
        runtime_set_launch_site(p->site);
        p->run(p->state, &p->waiting);
        host_order_enter();
        host_order_own.put_off = NULL;
        take_out(&host_order.put_off, &p->entry);
        free(p->state);
        free(p);
    }
}

/* ---- launches -------------------------------------------------------------------------------- */

void host_order_goes_on(struct host_order_work *w, struct CUstream_st *stream,
                        struct simt_waiting *waiting)
{
    host_order_enter();
    if (!w->issued) { /* before it nothing was under way, in its thread */
        if (!host_order_is_under_way()) {
            timeline_host_waits_all(&host_order.timeline);
        }
        w->hazard.stream = host_order_slot_of(stream);
        w->hazard.number = timeline_issue(&host_order.timeline, w->hazard.stream);
    }
    struct under_way *u = room_new(1, sizeof *u);
    *u = (struct under_way){
        .stream = w->hazard.stream, .number = w->hazard.number, .waiting = waiting};
    add(&host_order.launches, u);
    atomic_store(&host_order.needed, true);
    host_order_leave();
}

void host_order_do_behind(unsigned stream, uint32_t number)
{
    struct under_way *u = host_order.launches;
    while (u->stream != stream || u->number != number) {
        u = u->next;
    }
    take_out(&host_order.launches, u);
    free(u);
    do_ready();
}
