/* beside.c - see beside.h. A block that joins has not stored anything before; one that leaves has
 * published what it stored. */
#include "machine/beside.h"

#include "base/hostile.h"

void beside_join(struct beside *b)
{
    if (b != NULL) {
        atomic_fetch_add(&b->news.working, 1);
    }
}

void beside_tell(struct beside *b, struct listener *l)
{
    if (b == NULL) {
        return;
    }
    /* What the launch has stored comes first: an addition is a fence, too. */
    if (atomic_fetch_add(&b->news.waiting, 0) > 0) {
        pthread_mutex_lock(&b->lock);
        news_tell(&b->news, l);
        pthread_mutex_unlock(&b->lock);
    }
}

void beside_leave(struct beside *b, struct listener *l)
{
    if (b != NULL) {
        beside_tell(b, l);
        hostile_yield();
        atomic_fetch_sub(&b->news.working, 1);
    }
}

unsigned beside_count(const struct beside *b)
{
    return b != NULL ? atomic_load_explicit(&b->news.working, memory_order_relaxed) : 1;
}

enum beside_state beside_stands(struct beside *b, struct listener *l)
{
    enum beside_state state = BESIDE_ALL_STAND;
    if (beside_count(b) <= 1) {
        return state; /* whoever joins now had its chance to be the first */
    }
    pthread_mutex_lock(&b->lock);
    if (news_are_heard(&b->news, l)) {
        state = BESIDE_ASK_AGAIN;
    } else {
        news_wait(&b->news, l, true);
        state = news_all_stand(&b->news, l) ? BESIDE_ALL_STAND : BESIDE_GOES_ON;
    }
    pthread_mutex_unlock(&b->lock);
    return state;
}
