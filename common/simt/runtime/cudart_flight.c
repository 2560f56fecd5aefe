/* cudart_flight.c - see cudart_flight.h. */
#include "runtime/cudart_flight.h"
#include "base/room.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/cudart.h"

struct flight {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool waits, ended, good;
    bool left; /* the caller has gone on: the thread cleans up */
    struct order_work work;
    struct CUstream_st *stream;
    const void *site;
    struct simt_waiting waiting;
    bool (*execute)(void *state, struct simt_waiting *waiting, struct touched_bytes_of *touched);
    void *state;
};

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
    struct flight *f = argument;
    runtime_set_launch_site(f->site);
    const bool good = f->execute(f->state, &f->waiting, order_touched(&f->work));
    pthread_mutex_lock(&f->lock);
    f->ended = true;
    f->good = good;
    pthread_cond_signal(&f->changed);
    const bool left = f->left;
    pthread_mutex_unlock(&f->lock);
    if (left) {
        order_has_ended(&f->work, good);
        free_flight(f);
    }
    return NULL;
}

/* One after the other: the caller's clock has seen the launch. */
static void wait_in_place(struct flight *f, pthread_t thread)
{
    pthread_join(thread, NULL);
    order_end_launch(&f->work, f->good);
    free_flight(f);
}

void flight_launch(const struct order_work *work, struct CUstream_st *stream, const void *site,
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
    f->waiting = (struct simt_waiting){.begins = begin_to_wait, .state = f};
    if (pthread_create(&thread, NULL, fly, f) != 0) { /* no thread: nothing waits for the host */
        order_end_launch(&f->work, execute(f->state, NULL, order_touched(&f->work)));
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
        order_goes_on(&f->work, f->stream, &f->waiting);
        pthread_detach(thread);
    }
    pthread_mutex_unlock(&f->lock);
    if (!leaves) {
        wait_in_place(f, thread);
    }
}
