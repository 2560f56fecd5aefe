/* hazard.h - SIMT_CHECK=races between streams, and between the device and the host: works that
 * touch the same bytes and that nothing orders, reported once for a pair of places.
 *
 * A work is a launch, a copy or a fill. All of them are executed in the order of issue; what a GPU
 * might have done instead is seen from the order that the program has asked for (timeline.h).
 * Of works that the host has not waited for, the pages that it can reach are guarded: an access of
 * the host meets hazard_fault() first, which notes it down and lets it go on (hazard_pages.c).
 * Private to cudart_*.c; the caller holds the lock of host_order.c, but for hazard_fault(). */
#ifndef SIMT_HAZARD_H
#define SIMT_HAZARD_H

#include "check/host/timeline.h"
#include "check/check.h"
#include "watch/launch_bytes.h"

struct memory;

struct hazard_work {
    unsigned stream;
    uint32_t number;
    char what[200];           /* "kernel add(float*)", "cudaMemcpyAsync" */
    const void *site;         /* of the call */
    const void *node_made_at; /* of the graph's node that it is, or NULL */
    bool is_launch;
    const char *verbs[2]; /* what it does to what it reads and writes: "read", "written" */
    bool was_told; /* a launch that waited for a work behind it: what they share has an order */
    struct touched_bytes_of touched;
    struct host_buffer *buffers; /* ordinary host memory that it uses; NULL: none */
};

void hazard_open(struct check *check, const struct timeline *t);
bool hazard_is_open(void);
/* Where the GPU's memory is; NULL: the GPU is gone, and all works with it. */
void hazard_attach(struct memory *m);

/* Before the runtime itself touches memory that may be guarded. */
void hazard_lift(void);
/* A work that has been executed: compared with those that it is not behind. Takes `touched` over.
 */
void hazard_add(struct hazard_work *w);
/* What the host has waited for is over; the rest is guarded from now on. waits: the call that
 * waited; ends: it is no call, the program ends. */
void hazard_settle(const char *waits, bool ends);

/* Ordinary host memory [host, host + bytes) is used by this work, which is about to be added. */
void hazard_uses_host(struct hazard_work *w, const void *host, uint64_t bytes, bool writes);
/* Memory is given back that works may use. From any thread, without any lock. */
void hazard_freed(const void *host, uint64_t bytes, const void *return_address);

/* In a signal handler: true if the access met a guard and may be tried again. */
bool hazard_fault(void *address, void *context);

#endif
