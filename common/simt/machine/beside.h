/* beside.h - launches that run at the same time, and whether all of them wait for something that
 * cannot happen.
 *
 * A kernel may wait for one of another stream. It may only be called endless when every other
 * launch that has begun waits as well, and none of them has stored anything that this one has not
 * seen. That is the question of news.h, one level up: there among the workers of a launch, here
 * among launches, which come and go. */
#ifndef SIMT_BESIDE_H
#define SIMT_BESIDE_H

#include "machine/news.h"

#include <pthread.h>

/* Of all launches that may wait for each other. */
struct beside {
    pthread_mutex_t lock; /* of what a listener knows */
    struct news news;
};
#define BESIDE_NOBODY                                                                              \
    {                                                                                              \
        .lock = PTHREAD_MUTEX_INITIALIZER                                                          \
    }

/* NULL for b: the launch is alone, and these do nothing. */
void beside_join(struct beside *b);
void beside_leave(struct beside *b, struct listener *l);
/* A block of this launch has done something that other launches may be waiting for. */
void beside_tell(struct beside *b, struct listener *l);

/* How many have joined; 1 for NULL. */
unsigned beside_count(const struct beside *b);

enum beside_state {
    BESIDE_ASK_AGAIN, /* others may have stored something since its blocks have asked */
    BESIDE_GOES_ON,   /* another launch can go on */
    BESIDE_ALL_STAND
};
/* The launch stands still. */
enum beside_state beside_stands(struct beside *b, struct listener *l);

#endif
