/* device_queue.c - see device_queue.h. */
#include "machine/device_queue.h"
#include "base/room.h"

#include <stdlib.h>

enum { INVALID_CONFIGURATION = 9 }; /* cudaErrorInvalidConfiguration, as an H200 gives it */

void device_queue_open(struct device_queue *q, unsigned depth, const struct gpu_limits *limits)
{
    *q = (struct device_queue){.lock = PTHREAD_MUTEX_INITIALIZER, .depth = depth, .limits = limits};
}

static struct device_item *copy_of(const struct device_item *item)
{
    struct device_item *copy = room_copy(item, 1, sizeof *item);
    copy->next = NULL;
    return copy;
}

static bool lies_within(struct simt_dim d, const unsigned most[3])
{
    return d.x - 1 < most[0] && d.y - 1 < most[1] && d.z - 1 < most[2]; /* 0 is too large, too */
}

static bool is_possible(const struct gpu_limits *g, const struct device_item *item)
{
    const struct simt_dim block = item->block;
    return lies_within(item->grid, g->max_grid_dim) && lies_within(block, g->max_block_dim) &&
           (uint64_t)block.x * block.y * block.z <= g->max_threads_per_block &&
           item->shared_bytes <= g->shared_bytes_per_block_opt_in;
}

void device_queue_prepare(struct device_queue *q, const struct device_item *item)
{
    struct device_item *copy = copy_of(item);
    copy->code = is_possible(q->limits, item) ? 0 : INVALID_CONFIGURATION;
    pthread_mutex_lock(&q->lock);
    copy->next = q->pending;
    q->pending = copy;
    pthread_mutex_unlock(&q->lock);
}

bool device_queue_name(struct device_queue *q, uint64_t buffer, const struct device_item *launch)
{
    pthread_mutex_lock(&q->lock);
    struct device_item *item = q->pending;
    while (item != NULL && item->buffer != buffer) {
        item = item->next;
    }
    if (item != NULL) {
        item->function = launch->function;
        item->grid = launch->grid;
        item->block = launch->block;
        item->shared_bytes = launch->shared_bytes;
        item->code = is_possible(q->limits, item) ? 0 : INVALID_CONFIGURATION;
    }
    pthread_mutex_unlock(&q->lock);
    return item != NULL;
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

bool device_queue_issue(struct device_queue *q, uint64_t buffer, uint64_t stream, int *code)
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
        *code = item->code;
        append(q, item);
    }
    pthread_mutex_unlock(&q->lock);
    return item != NULL;
}

void device_queue_set_error(struct device_queue *q, uint64_t thread, int code)
{
    pthread_mutex_lock(&q->lock);
    struct device_error *e = q->errors;
    while (e != NULL && e->thread != thread) {
        e = e->next;
    }
    if (e == NULL) {
        e = room_new(1, sizeof *e);
        *e = (struct device_error){.thread = thread, .next = q->errors};
        q->errors = e;
    }
    e->code = code;
    pthread_mutex_unlock(&q->lock);
}

int device_queue_error(struct device_queue *q, uint64_t thread, bool clears)
{
    int code = 0;
    pthread_mutex_lock(&q->lock);
    for (struct device_error *e = q->errors; e != NULL; e = e->next) {
        if (e->thread == thread) {
            code = e->code;
            e->code = clears ? 0 : code;
        }
    }
    pthread_mutex_unlock(&q->lock);
    return code;
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

void device_queue_hand_over(struct device_queue *q)
{
    struct device_queue *to = q->tail_of;
    if (q->first_tail != NULL) {
        q->last_tail->next = to->first_tail;
        to->last_tail = to->first_tail != NULL ? to->last_tail : q->last_tail;
        to->first_tail = q->first_tail;
        q->first_tail = NULL;
    }
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
    while (q->errors != NULL) {
        struct device_error *e = q->errors;
        q->errors = e->next;
        free(e);
    }
    pthread_mutex_destroy(&q->lock);
}
