/* turn.c - see turn.h. */
#include "machine/turn.h"

#include <time.h>

enum {
    SPINS = 2000,     /* most turns come soon */
    NAP_NS = 2000000, /* until the next look whether the launch was stopped */
    NS = 1000000000
};

void turn_open(struct turn *t, uint64_t first, atomic_bool *stop)
{
    *t = (struct turn){.ended = first,
                       .stop = stop,
                       .lock = PTHREAD_MUTEX_INITIALIZER,
                       .moved = PTHREAD_COND_INITIALIZER};
}

void turn_close(struct turn *t)
{
    pthread_mutex_destroy(&t->lock);
    pthread_cond_destroy(&t->moved);
}

static bool is_over(const struct block *b)
{
    return atomic_load(&b->in_turn->ended) == b->sequence || atomic_load(b->in_turn->stop);
}

static void nap(struct turn *t, const struct block *b)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += NAP_NS;
    until.tv_sec += until.tv_nsec / NS;
    until.tv_nsec %= NS;
    pthread_mutex_lock(&t->lock);
    atomic_fetch_add(&t->waiting, 1);
    if (!is_over(b)) {
        pthread_cond_timedwait(&t->moved, &t->lock, &until);
    }
    atomic_fetch_sub(&t->waiting, 1);
    pthread_mutex_unlock(&t->lock);
}

bool turn_has_come(const struct block *b)
{
    if (b->in_turn == NULL) {
        return true;
    }
    for (unsigned i = 0; i < SPINS && !is_over(b); i++) {
#if defined __x86_64__
        __builtin_ia32_pause();
#endif
    }
    while (!is_over(b)) {
        nap(b->in_turn, b);
    }
    return atomic_load(&b->in_turn->ended) == b->sequence;
}

void turn_pass(const struct block *b)
{
    struct turn *t = b->in_turn;
    if (t == NULL || !turn_has_come(b)) {
        return;
    }
    atomic_store(&t->ended, b->sequence + 1);
    if (atomic_load(&t->waiting) > 0) {
        pthread_mutex_lock(&t->lock);
        pthread_cond_broadcast(&t->moved);
        pthread_mutex_unlock(&t->lock);
    }
}
