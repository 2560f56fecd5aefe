/* simt_place.c - where a launch runs. Launches of a GPU run one after the other, on the same
 * threads. One that waits for something outside of its grid steps aside: it keeps its threads, and
 * the next launch, which may be what it waits for, gets others. See simt_state.h. */
#include "api/simt_state.h"
#include "base/room.h"

#include "machine/beside.h"

#include <stdlib.h>

enum { MOST_ASIDE = 127 }; /* a GPU runs 128 grids at once: CUDA C++ Programming Guide */

struct place *place_open(unsigned threads)
{
    struct place *p = room_new(1, sizeof *p);
    p->pool = grid_open(threads);
    return p;
}

void place_close(struct place *p)
{
    while (p != NULL) {
        struct place *next = p->next;
        grid_close(p->pool);
        free(p);
        p = next;
    }
}

/* A launch that waits for its place stores nothing meanwhile, whatever the launch before waits for.
 */
void place_enter(struct running *r, const struct simt_launch *launch)
{
    struct listener nothing_heard = {0};
    struct simt *s = r->simt;
    bool joined = launch->waiting != NULL && launch->waiting->joined;
    pthread_mutex_lock(&s->launch_lock);
    while (s->busy) {
        if (joined) {
            beside_leave(launch->beside, &nothing_heard);
            joined = false;
        }
        if (s->holder != NULL && s->holder_stays != NULL) {
            __atomic_store_n(&s->holder->blocks, 1, __ATOMIC_RELAXED);
        }
        pthread_cond_wait(&s->changed, &s->launch_lock);
    }
    r->joins = !joined && (launch->waiting != NULL || beside_count(launch->beside) > 0);
    if (r->joins) {
        beside_join(launch->beside);
    }
    s->busy = true;
    r->place = s->place;
}

/* Called by place_enter()'s caller, with the lock: it is given back. */
void place_hold(struct simt *s, struct simt_waiting *waiting, const char *stays)
{
    s->holder = waiting;
    s->holder_stays = stays;
    pthread_mutex_unlock(&s->launch_lock);
}

void place_step_aside(struct running *r)
{
    struct simt *s = r->simt;
    pthread_mutex_lock(&s->launch_lock);
    if (s->holder_stays == NULL && s->aside < MOST_ASIDE) {
        r->aside = true;
        s->aside++;
        s->place = s->spare != NULL ? s->spare : place_open(grid_workers(r->place->pool));
        s->spare = s->spare != NULL ? s->spare->next : NULL;
        s->place->next = NULL;
        s->busy = false;
        s->holder = NULL;
    } else if (s->holder_stays == NULL) {
        s->holder_stays = "a GPU runs at most 128 kernels at once";
    }
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->launch_lock);
}

void place_leave(struct running *r, const struct simt_launch *launch, struct listener *l)
{
    struct simt *s = r->simt;
    pthread_mutex_lock(&s->launch_lock);
    if (r->aside) {
        r->place->next = s->spare;
        s->spare = r->place;
        s->aside--;
    } else {
        s->busy = false;
        s->holder = NULL;
    }
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->launch_lock);
    if (launch->waiting != NULL && launch->waiting->joined) {
        beside_tell(launch->beside, l);
    } else if (r->joins) {
        beside_leave(launch->beside, l);
    }
}
