/* cudart_flight.c - see cudart_flight.h. */
#include "runtime/cudart_flight.h"
#include "base/room.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "machine/beside.h"
#include "runtime/cudart.h"

struct flight {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool waits, ended, good;
    bool left; /* the caller has gone on: the thread cleans up */
    struct host_order_work work;
    struct CUstream_st *stream;
    const void *site;
    uint64_t number; /* of all that have begun */
    struct flight *next_undecided;
    struct simt_waiting waiting;
    bool (*execute)(void *state, struct simt_waiting *waiting, struct touched_bytes_of *touched);
    void *state;
};

/* Launches of which it is not known yet whether they go on by themselves. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    uint64_t begun;
    struct flight *undecided; /* the latest first */
} all = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void begin(struct flight *f)
{
    pthread_mutex_lock(&all.lock);
    f->number = ++all.begun;
    f->next_undecided = all.undecided;
    all.undecided = f;
    pthread_mutex_unlock(&all.lock);
}

/* It has ended, or the works behind it know of it. */
static void decide(const struct flight *f)
{
    pthread_mutex_lock(&all.lock);
    struct flight **at = &all.undecided;
    while (*at != f) {
        at = &(*at)->next_undecided;
    }
    *at = f->next_undecided;
    pthread_cond_broadcast(&all.changed);
    pthread_mutex_unlock(&all.lock);
}

static bool is_undecided(uint64_t until)
{
    const struct flight *f = all.undecided;
    while (f != NULL && f->number > until) {
        f = f->next_undecided;
    }
    return f != NULL;
}

void flight_wait_for_others(void)
{
    pthread_mutex_lock(&all.lock);
    const uint64_t until = all.begun;
    while (is_undecided(until)) {
        pthread_cond_wait(&all.changed, &all.lock);
    }
    pthread_mutex_unlock(&all.lock);
    runtime_lock(); /* a kernel that waits for no other work runs under it */
    runtime_unlock();
}

static void free_flight(struct flight *f)
{
    pthread_mutex_destroy(&f->lock);
    pthread_cond_destroy(&f->changed);
    free(f->state);
    free(f);
}

/* Called by a worker: no block has come to its end for long. */
static void begin_to_wait(void *state)
{
    struct flight *f = state;
    pthread_mutex_lock(&f->lock);
    f->waits = true;
    pthread_cond_signal(&f->changed);
    pthread_mutex_unlock(&f->lock);
}

static void *fly(void *argument)
{
    struct listener nothing_heard = {0};
    struct flight *f = argument;
    runtime_set_launch_site(f->site);
    const bool good = f->execute(f->state, &f->waiting, host_order_touched(&f->work));
    pthread_mutex_lock(&f->lock);
    f->ended = true;
    f->good = good;
    pthread_cond_signal(&f->changed);
    const bool left = f->left;
    pthread_mutex_unlock(&f->lock);
    if (left) {
        host_order_has_ended(&f->work, good);
        free_flight(f);
    }
    beside_leave(host_order_beside(), &nothing_heard);
    return NULL;
}

/* One after the other: the caller's clock has seen the launch. */
static void wait_in_place(struct flight *f, pthread_t thread)
{
    pthread_join(thread, NULL);
    host_order_end_launch(&f->work, f->good);
    decide(f);
    free_flight(f);
}

void flight_launch(const struct host_order_work *work, struct CUstream_st *stream, const void *site,
                   bool (*execute)(void *state, struct simt_waiting *waiting,
                                   struct touched_bytes_of *touched),
                   const void *state, size_t bytes)
{
    struct flight *f = room_new(1, sizeof *f);
    pthread_t thread;
    f->state = room_copy(state, bytes, 1);
    pthread_mutex_init(&f->lock, NULL);
    pthread_cond_init(&f->changed, NULL);
    f->work = *work;
    f->stream = stream;
    f->site = site;
    f->execute = execute;
    f->waiting = (struct simt_waiting){.begins = begin_to_wait, .state = f, .joined = true};
    begin(f);
    beside_join(host_order_beside());
    if (pthread_create(&thread, NULL, fly, f) != 0) { /* no thread: nothing waits for the host */
        struct listener nothing_heard = {0};
        beside_leave(host_order_beside(), &nothing_heard);
        host_order_end_launch(&f->work, execute(f->state, NULL, host_order_touched(&f->work)));
        decide(f);
        free_flight(f);
        return;
    }
    pthread_mutex_lock(&f->lock);
    while (!f->waits && !f->ended) {
        pthread_cond_wait(&f->changed, &f->lock);
    }
    const bool leaves = !f->ended;
    f->left = leaves;
    if (leaves) {
        host_order_goes_on(&f->work, f->stream, &f->waiting);
        decide(f);
        pthread_detach(thread);
    }
    pthread_mutex_unlock(&f->lock);
    if (!leaves) {
        wait_in_place(f, thread);
    }
}
