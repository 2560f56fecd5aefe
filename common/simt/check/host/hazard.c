/* hazard.c - see hazard.h: the works that the host has not waited for, compared with each new one.
 */
#include "check/host/hazard_state.h"
#include "base/room.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/describe.h"
#include "machine/memory.h"

enum {
    MOST_PENDING = 4096, /* the oldest is forgotten then */
    LOOK_BACK = 16
};

static const struct timeline *timeline;

void hazard_open(struct check *check, const struct timeline *t)
{
    hazard_common.check = check;
    timeline = t;
}

/* ---- comparing ------------------------------------------------------------------------------- */

static void name_stream(unsigned stream, char *text, size_t size)
{
    if (stream == TIMELINE_LEGACY) {
        snprintf(text, size, "the default stream");
    } else {
        snprintf(text, size, "stream %u", stream);
    }
}

/* kinds: of the earlier work's access and of the later one's. */
static void tell_streams(const struct hazard_work *a, const struct hazard_work *b,
                         const unsigned kinds[2], uint64_t address)
{
    char array[448], first[512], second[512], streams[2][32], text[2048], identity[1400];
    hazard_array(address, array, sizeof array);
    hazard_place(a, first, sizeof first);
    hazard_place(b, second, sizeof second);
    name_stream(a->stream, streams[0], sizeof streams[0]);
    name_stream(b->stream, streams[1], sizeof streams[1]);
    snprintf(identity, sizeof identity, "streams %s|%s", first, second);
    snprintf(text, sizeof text,
             "simt: race of two streams: %s: %s by %s in %s, %s by %s in %s: no "
             "cudaStreamWaitEvent() between, and no synchronisation. Cure: cudaEventRecord() "
             "behind the first and cudaStreamWaitEvent() before the second, or one stream for both",
             array, hazard_verb(a, kinds[0]), first, streams[0], hazard_verb(b, kinds[1]), second,
             streams[1]);
    hazard_tell(identity, text);
}

/* A fence and a flag of the one that the other looks at: they order themselves while both run. */
static bool speak_to_each_other(const struct touched_bytes_of *a, const struct touched_bytes_of *b)
{
    static const unsigned flags[][2] = {{TOUCHED_STRONGLY_WRITTEN, TOUCHED_STRONGLY_WRITTEN},
                                        {TOUCHED_STRONGLY_WRITTEN, TOUCHED_STRONGLY_READ},
                                        {TOUCHED_STRONGLY_READ, TOUCHED_STRONGLY_WRITTEN}};
    bool overlap = false;
    for (unsigned i = 0; i < ARRAY_LENGTH(flags) && !overlap; i++) {
        uint64_t at;
        overlap = byte_set_overlap(&a->sets[flags[i][0]], &b->sets[flags[i][1]], &at);
    }
    return overlap && (a->fenced || b->fenced);
}

static void compare(const struct hazard_work *a, const struct hazard_work *b)
{
    for (unsigned i = 0; i < TOUCHED_KINDS * TOUCHED_KINDS; i++) {
        const unsigned kinds[2] = {TOUCHED_KINDS - 1 - i / TOUCHED_KINDS, i % TOUCHED_KINDS};
        uint64_t address;
        if (hazard_conflict(kinds[0], kinds[1]) &&
            byte_set_overlap(&a->touched.sets[kinds[0]], &b->touched.sets[kinds[1]], &address)) {
            if (!speak_to_each_other(&a->touched, &b->touched)) {
                tell_streams(a, b, kinds, address);
            }
            return;
        }
    }
}

static void free_work(struct hazard_work *w)
{
    for (unsigned i = 0; i < TOUCHED_KINDS; i++) {
        byte_set_free(&w->touched.sets[i]);
        byte_set_free(&w->touched.early[i]);
        byte_set_free(&w->touched.late[i]);
    }
    hazard_buffers_free(w->buffers);
    free(w);
}

static bool is_nothing(const struct hazard_work *w)
{
    bool nothing = true;
    for (unsigned i = 0; i < TOUCHED_KINDS; i++) {
        nothing &= byte_set_is_empty(&w->touched.sets[i]);
    }
    return nothing;
}

static bool does_the_same(const struct hazard_work *a, const struct hazard_work *b)
{
    bool same = a->stream == b->stream && a->site == b->site && a->buffers == NULL &&
                b->buffers == NULL && strcmp(a->what, b->what) == 0;
    for (unsigned i = 0; i < TOUCHED_KINDS && same; i++) {
        same = byte_set_equal(&a->touched.sets[i], &b->touched.sets[i]) &&
               byte_set_equal(&a->touched.late[i], &b->touched.late[i]);
    }
    return same;
}

static void forget(unsigned i)
{
    struct hazard_works *all = &hazard_common.pending;
    free_work(all->list[i]);
    memmove(&all->list[i], &all->list[i + 1], (--all->count - i) * sizeof *all->list);
}

/* A work that does the same again in the same stream replaces the one before: works that are not
 * behind that one are not behind this one either. So a loop of launches is one work. */
static void replace(const struct hazard_work *w)
{
    const unsigned count = hazard_common.pending.count;
    for (unsigned back = 1; back <= count && back <= LOOK_BACK; back++) {
        if (does_the_same(hazard_common.pending.list[count - back], w)) {
            forget(count - back);
            return;
        }
    }
}

static void append(const struct hazard_work *w)
{
    struct hazard_works *all = &hazard_common.pending;
    if (all->count == MOST_PENDING) {
        forget(0);
    }
    ROOM_FOR_ONE(all->list, all->count, all->room, 16);
    all->list[all->count++] = room_copy(w, 1, sizeof *w);
}

void hazard_add(struct hazard_work *w)
{
    pthread_mutex_lock(&hazard_common.lock);
    for (unsigned i = 0; i < TOUCHED_KINDS; i++) {
        byte_set_finish(&w->touched.sets[i]);
    }
    for (unsigned i = 0; i < hazard_common.pending.count && !w->was_told; i++) {
        const struct hazard_work *a = hazard_common.pending.list[i];
        if (!timeline_is_before(timeline, a->stream, a->number, w->stream)) {
            compare(a, w);
        }
    }
    hazard_early_compare(w);
    hazard_buffers_rewritten(&w->touched.sets[TOUCHED_WRITTEN]);
    if (is_nothing(w)) {
        hazard_buffers_free(w->buffers);
    } else {
        replace(w);
        append(w);
    }
    pthread_mutex_unlock(&hazard_common.lock);
}

/* ---- the host -------------------------------------------------------------------------------- */

void hazard_lift(void)
{
    pthread_mutex_lock(&hazard_common.lock);
    hazard_pages_lift();
    pthread_mutex_unlock(&hazard_common.lock);
}

static void look_at_works(const char *waits, bool ends)
{
    struct hazard_works *all = &hazard_common.pending;
    const void *site = !ends && hazard_buffers_exist() ? describe_here() : NULL;
    unsigned kept = 0;
    hazard_pages_lift();
    hazard_pages_tell();
    for (unsigned i = 0; i < all->count; i++) {
        struct hazard_work *w = all->list[i];
        bool over = timeline_host_knows(timeline, w->stream, w->number);
        hazard_buffers_look(w, over, waits, site);
        if (over) {
            free_work(w);
        } else {
            all->list[kept++] = w;
        }
    }
    all->count = kept;
    if (hazard_common.memory != NULL) {
        hazard_pages_guard(hazard_common.memory);
    }
}

void hazard_settle(const char *waits, bool ends)
{
    pthread_mutex_lock(&hazard_common.lock);
    if (hazard_common.pending.count > 0 || !hazard_pages_are_idle()) {
        look_at_works(waits, ends);
    }
    pthread_mutex_unlock(&hazard_common.lock);
    check_print_findings(hazard_common.check);
}

/* The simulator gives memory back, too, whatever locks it holds: so no thread may wait here for
 * long. A thread that holds this lock releases it within microseconds, unless it is the one that
 * asks. */
static bool try_lock(void)
{
    enum { MOST_TRIES = 1000 };
    for (unsigned i = 0; i < MOST_TRIES; i++) {
        if (pthread_mutex_trylock(&hazard_common.lock) == 0) {
            return true;
        }
        sched_yield();
    }
    return false;
}

void hazard_freed(const void *host, uint64_t bytes, const void *return_address)
{
    if (!hazard_buffers_may_hold(host, bytes) || !try_lock()) {
        return;
    }
    for (unsigned i = hazard_common.pending.count; i-- > 0;) {
        if (hazard_buffers_freed(hazard_common.pending.list[i], host, bytes, return_address)) {
            hazard_pages_lift(); /* until the next call */
            forget(i);
        }
    }
    pthread_mutex_unlock(&hazard_common.lock);
}

void hazard_attach(struct memory *m)
{
    pthread_mutex_lock(&hazard_common.lock);
    hazard_pages_lift();
    if (m == NULL) {
        hazard_pages_tell();
        for (unsigned i = 0; i < hazard_common.pending.count; i++) {
            free_work(hazard_common.pending.list[i]);
        }
        hazard_common.pending.count = 0;
    }
    hazard_common.memory = m;
    pthread_mutex_unlock(&hazard_common.lock);
}
