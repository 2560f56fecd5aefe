/* news.c - see news.h. Why no launch is called endless that can go on:
 *
 * No news is lost. A worker stores first and then looks whether anybody waits (news_tell).
 * Another one says that it waits first and then asks (news_are_heard). Either the first sees
 * that the second waits and tells it, or the second sees what was stored: the fence and the
 * sequentially consistent addition leave no third case.
 *
 * No count is stale. A worker that stands may have been without a core for long, and know
 * nothing of the news since. Its count is under the old number then, and the new one began with
 * none.
 *
 * So if all are counted under one number, suppose that there was a store behind that news which
 * has not been announced, and look at the first such store. Its worker had asked in vain, or stood,
 * and went on since it saw another value. That value was stored before the news, and then its
 * question, which came behind the news, would have seen it; or it was stored by an earlier such
 * store. Both contradict.
 *
 * Workers that leave tell it, and are counted out after that; who looks reads first how many
 * work. So the counts of one number are never compared with fewer workers than they were made
 * among. */
#include "machine/news.h"

#include "base/hostile.h"

enum { COUNT_BITS = 12 }; /* more than there are workers: 1,024 */
#define ONE_STANDS  UINT64_C(1)
#define ONE_ASKED   (UINT64_C(1) << COUNT_BITS)
#define ONE_NEWS    (UINT64_C(1) << 2 * COUNT_BITS)
#define MOST_COUNTS (ONE_ASKED - 1)

static uint64_t number_of(uint64_t state) { return state / ONE_NEWS; }

void news_open(struct news *n, unsigned workers)
{
    n->workers = workers;
    atomic_init(&n->working, workers);
    atomic_init(&n->waiting, 0);
    atomic_init(&n->state, 0);
}

static void add_news(struct news *n)
{
    uint64_t old = atomic_load(&n->state);
    while (!atomic_compare_exchange_weak(&n->state, &old, (number_of(old) + 1) * ONE_NEWS)) {
    }
}

static void stop_waiting(struct news *n, struct listener *l)
{
    if (l->waits) {
        atomic_fetch_sub(&n->waiting, 1);
        l->waits = false;
    }
}

void news_tell(struct news *n, struct listener *l)
{
    if (n->workers == 1 && !l->waits) {
        return; /* nobody else listens */
    }
    hostile_yield();
    atomic_thread_fence(memory_order_seq_cst);
    if (l->waits || atomic_load(&n->waiting) > 0) {
        add_news(n);
    }
    stop_waiting(n, l);
}

bool news_are_heard(struct news *n, struct listener *l)
{
    const uint64_t number = number_of(atomic_load(&n->state));
    if (l->waits && number == l->number) {
        return false;
    }
    l->number = number;
    l->has_asked = l->stands = false;
    hostile_yield();
    if (!l->waits) {
        atomic_fetch_add(&n->waiting, 1);
        l->waits = true;
    }
    return true;
}

/* False: there has been other news. */
static bool count(struct news *n, const struct listener *l, uint64_t one)
{
    uint64_t old = atomic_load(&n->state);
    while (number_of(old) == l->number) {
        if (atomic_compare_exchange_weak(&n->state, &old, old + one)) {
            return true;
        }
    }
    return false;
}

void news_wait(struct news *n, struct listener *l, bool stands)
{
    hostile_yield();
    l->has_asked = l->has_asked || count(n, l, ONE_ASKED);
    l->stands = l->stands || (stands && count(n, l, ONE_STANDS));
}

bool news_all_wait(const struct news *n)
{
    return atomic_load(&n->waiting) == atomic_load(&n->working);
}

static bool all_are(const struct news *n, const struct listener *l, uint64_t one)
{
    const unsigned working = atomic_load(&n->working);
    hostile_yield();
    const uint64_t state = atomic_load(&n->state);
    return number_of(state) == l->number && (state / one & MOST_COUNTS) == working;
}

bool news_all_have_asked(const struct news *n, const struct listener *l)
{
    return all_are(n, l, ONE_ASKED);
}

bool news_all_stand(const struct news *n, const struct listener *l)
{
    return all_are(n, l, ONE_STANDS);
}

void news_leave(struct news *n, struct listener *l)
{
    news_tell(n, l);
    hostile_yield();
    atomic_fetch_sub(&n->working, 1);
}
