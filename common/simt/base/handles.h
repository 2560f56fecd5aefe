/* handles.h - the objects that a program holds by handle: streams and events.
 *
 * A handle is the address of a slot whose memory is never given back, and a slot is used again only
 * after many others, so a destroyed handle, or a pointer that never was one, is recognised and not
 * followed. Used by the CUDA runtime. Thread-safe. */
#ifndef SIMT_HANDLES_H
#define SIMT_HANDLES_H

#include <pthread.h>

#include "arena.h"
#include "base.h"

/* The first member of every object. */
struct handle {
    bool live;
    const char *made_by; /* the call, and where it was made: for the report of leaks */
    const void *made_at;
    struct handle *next_free;
};

struct handle_chunk;

struct handle_pool {
    size_t object_bytes;
    pthread_mutex_t lock;
    struct arena arena;
    struct handle_chunk *chunks;
    struct handle *oldest_free, *newest_free; /* a queue */
    unsigned free_count;
};

#define HANDLE_POOL(type)                                                                          \
    {                                                                                              \
        .object_bytes = sizeof(type), .lock = PTHREAD_MUTEX_INITIALIZER                            \
    }

void *handle_create(struct handle_pool *pool); /* zeroed, live */
bool handle_is_live(struct handle_pool *pool, const void *handle);
/* false: it was not live. */
bool handle_destroy(struct handle_pool *pool, void *handle);
/* Calls visit for every live one, the oldest first. */
void handle_visit(struct handle_pool *pool, void (*visit)(void *state, const struct handle *h),
                  void *state);
void handle_destroy_all(struct handle_pool *pool);

#endif
