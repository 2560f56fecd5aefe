/* host_order_state.h - what the files of host_order.h share; for them alone. */
#ifndef SIMT_HOST_ORDER_STATE_H
#define SIMT_HOST_ORDER_STATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "check/host/host_order.h"
#include "machine/beside.h"

struct stream_entry {
    struct CUstream_st *handle;
    unsigned slot;
};

/* A launch that goes on by itself, or a work behind one. */
struct under_way {
    struct under_way *next;
    unsigned stream;
    uint32_t number;
    struct simt_waiting *waiting;
};

/* A work that is done behind such launches. */
struct put_off {
    struct under_way entry;      /* the first member */
    struct simt_waiting waiting; /* of the launch that it is */
    struct timeline_clock after; /* what comes before it */
    bool begun;
    host_order_run run;
    void *state;
    const void *site;
    int device;
};

struct host_order_common {
    pthread_mutex_t lock;
    pthread_cond_t ended;
    atomic_bool needed; /* by hazards, or by a launch that is under way */
    struct timeline timeline;
    struct stream_entry *streams;
    unsigned stream_count, stream_room;
    bool many_streams, shares_memory;
    bool begins_early; /* a launch has, before the one before it has ended, or may */
    struct variable {
        uint64_t device, bytes, host;
    } * variables; /* managed ones */
    unsigned variable_count;
    struct memory *memory;
    struct launch_bytes *bytes;
    struct under_way *launches; /* that go on by themselves */
    struct under_way *put_off;  /* struct put_off, in order of issue: none is behind a later one */
    unsigned waits;             /* threads of the host that wait for any of these */
    struct beside beside;
};
extern struct host_order_common host_order;

struct host_order_own {
    unsigned slot;                 /* of this thread's own default stream; 0: it has none */
    bool in_order;                 /* this thread holds the lock */
    const struct put_off *put_off; /* this thread does that */
};
extern _Thread_local struct host_order_own host_order_own;

/* The lock of it all. */
void host_order_enter(void);
void host_order_leave(void);
bool host_order_has_hazards(void);
void host_order_settle(const char *call); /* with the lock held, as the next */
unsigned host_order_slot_of(const struct CUstream_st *stream);

/* ---- host_order_under_way.c ------------------------------------------------------------------ */

bool host_order_is_under_way(void); /* anything */
bool host_order_is_behind(const struct timeline_clock *clock);
/* Waits until nothing that comes before the clock is under way; NULL: nothing at all. */
void host_order_wait_for(const struct timeline_clock *clock);
/* That launch has ended, in this thread: does the works that need wait no longer. */
void host_order_do_behind(unsigned stream, uint32_t number);

#endif
