/* news.h - do all workers of a launch wait for something that cannot happen?
 *
 * A worker whose blocks all wait asks again and again. It may only call the launch endless when
 * every other worker waits as well, and none of them has done anything that this one has not seen.
 * So each thing that a block does while others wait gets a number, and a worker counts under the
 * number that it knew before it asked. What was counted under an older number is void. */
#ifndef SIMT_NEWS_H
#define SIMT_NEWS_H

#include "base/base.h"

#include <stdatomic.h>

/* Of a launch. */
struct news {
    unsigned workers;
    _Atomic unsigned working; /* workers that have not left the launch */
    _Atomic unsigned waiting; /* of these, the ones that have said that they wait */
    /* The number of the last news, and how many workers have asked in vain since then, and how many
     * will stand for ever: one word, so that news sets both counts to zero. */
    _Atomic uint64_t state;
};

/* Of a worker. */
struct listener {
    uint64_t number;        /* of the last news that it has heard */
    bool waits;             /* it has said so */
    bool has_asked, stands; /* it is counted so under that number */
};

void news_open(struct news *n, unsigned workers);
/* A block of this worker has done something that others may be waiting for. */
void news_tell(struct news *n, struct listener *l);
/* The worker can only wait, and says so. True: it did not wait before, or there has been news, so
 * what it has found out is void, and it has to ask again. */
bool news_are_heard(struct news *n, struct listener *l);
/* It has asked again since, in vain; stands: and will for ever unless somebody stores something. */
void news_wait(struct news *n, struct listener *l, bool stands);
/* Do all workers wait? For a while, so that this one may leave the core to others. */
bool news_all_wait(const struct news *n);
/* Have all of them asked in vain since the last news that this one has heard? Do all stand? */
bool news_all_have_asked(const struct news *n, const struct listener *l);
bool news_all_stand(const struct news *n, const struct listener *l);
/* The worker has no blocks any more and gets no other ones. */
void news_leave(struct news *n, struct listener *l);

#endif
