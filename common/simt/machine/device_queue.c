/* device_queue.c - see device_queue.h. */
#include "machine/device_queue.h"
#include "base/room.h"

#include <stdlib.h>

void device_queue_open(struct device_queue *q, unsigned depth)
{
    *q = (struct device_queue){.lock = PTHREAD_MUTEX_INITIALIZER, .depth = depth};
}

static struct device_item *copy_of(const struct device_item *item)
{
    struct device_item *copy = room_copy(item, 1, sizeof *item);
    copy->next = NULL;
    return copy;
}

void device_queue_prepare(struct device_queue *q, const struct device_item *item)
{
    struct device_item *copy = copy_of(item);
    pthread_mutex_lock(&q->lock);
    copy->next = q->pending;
    q->pending = copy;
    pthread_mutex_unlock(&q->lock);
}

static void append(struct device_queue *q, struct device_item *item)
{
    const bool tail = item->stream == DEVICE_STREAM_TAIL;
    struct device_item **first = tail ? &q->first_tail : &q->first;
    struct device_item **last = tail ? &q->last_tail : &q->last;
    item->next = NULL;
    if (*first == NULL) {
        *first = item;
    } else {
        (*last)->next = item;
    }
    *last = item;
}

bool device_queue_issue(struct device_queue *q, uint64_t buffer, uint64_t stream)
{
    pthread_mutex_lock(&q->lock);
    struct device_item **link = &q->pending;
    while (*link != NULL && (*link)->buffer != buffer) {
        link = &(*link)->next;
    }
    struct device_item *item = *link;
    if (item != NULL) {
        *link = item->next;
        item->stream = stream;
        append(q, item);
    }
    pthread_mutex_unlock(&q->lock);
    return item != NULL;
}

void device_queue_add(struct device_queue *q, const struct device_item *item)
{
    struct device_item *copy = copy_of(item);
    pthread_mutex_lock(&q->lock);
    append(q, copy);
    pthread_mutex_unlock(&q->lock);
}

struct device_item *device_queue_take(struct device_queue *q)
{
    struct device_item **first = q->first != NULL ? &q->first : &q->first_tail;
    struct device_item *item = *first;
    if (item != NULL) {
        *first = item->next;
    }
    return item;
}

void device_queue_close(struct device_queue *q, void (*forget)(void *state, uint64_t buffer),
                        void *state)
{
    struct device_item *item;
    while ((item = device_queue_take(q)) != NULL) {
        item->next = q->pending;
        q->pending = item;
    }
    while (q->pending != NULL) {
        item = q->pending;
        q->pending = item->next;
        if (item->kind == DEVICE_LAUNCH) {
            forget(state, item->buffer);
        }
        free(item);
    }
    pthread_mutex_destroy(&q->lock);
}
