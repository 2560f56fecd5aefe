/* order_state.h - what the files of order.h share; for them alone. */
#ifndef SIMT_ORDER_STATE_H
#define SIMT_ORDER_STATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "check/host/order.h"

struct stream_entry {
    struct CUstream_st *handle;
    unsigned slot;
};

/* A work that the launch's thread does behind the launch. */
struct put_off {
    struct put_off *next;
    order_run run;
    void *state;
    unsigned stream;
    uint32_t number;
    const void *site;
    int device;
};

struct order_common {
    pthread_mutex_t lock;
    pthread_cond_t ended;
    atomic_bool needed; /* by hazards, or by a launch that is under way */
    struct timeline timeline;
    struct stream_entry *streams;
    unsigned stream_count, stream_room;
    bool many_streams, shares_memory;
    struct variable {
        uint64_t device, bytes, host;
    } * variables; /* managed ones */
    unsigned variable_count;
    struct memory *memory;
    struct launch_bytes *bytes;
    /* The launch that goes on by itself, if there is one. */
    struct {
        bool running;
        unsigned stream;
        uint32_t number;
        struct simt_waiting *waiting;
        struct put_off *first, *last; /* works that are behind it */
    } launch;
};
extern struct order_common order;

struct order_own {
    unsigned slot;                 /* of this thread's own default stream; 0: it has none */
    bool in_order;                 /* this thread holds the lock */
    const struct put_off *put_off; /* this thread does that */
};
extern _Thread_local struct order_own order_own;

/* The lock of it all. */
void order_enter(void);
void order_leave(void);
bool order_has_hazards(void);
void order_settle(const char *call); /* with the lock held, as the next */
void order_wait_for_launch(void);

#endif
