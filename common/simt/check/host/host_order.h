/* host_order.h - which launches and copies come after which: streams, events and the host, kept
 * while it is needed. That is SIMT_CHECK=races (hazard.h), and a launch that goes on by itself.
 *
 * Works are executed when they are issued. A kernel that waits for the host, or for a copy or
 * kernel that is issued later, cannot end then: it is let go on by itself, in a thread of its own,
 * and whatever is behind it, or waits for it, waits until it has ended. Private to cudart_*.c.
 * Without checks and such a launch each call costs one comparison. */
#ifndef SIMT_HOST_ORDER_H
#define SIMT_HOST_ORDER_H

#include "check/host/hazard.h"
#include "api/simt.h"

struct CUstream_st;

/* For cudart.c. */
bool host_order_is_needed(void);                 /* no: nothing is kept */
void host_order_open_check(struct check *check); /* SIMT_CHECK=races */
void host_order_device_opened(struct simt *simt, struct memory *memory, struct err *e);
void host_order_device_closes(bool last); /* last: no other is open */
void host_order_ends(void);               /* of the program */

void host_order_stream_created(struct CUstream_st *stream, bool blocking);
void host_order_stream_destroyed(struct CUstream_st *stream);
void host_order_forget_streams(void);
/* There is memory that both host and device can reach; and a managed variable, that has an address
 * for each. */
void host_order_shares_memory(void);
void host_order_shares_variable(uint64_t device, uint64_t bytes, uint64_t host);
/* A module that is loaded has kernels with griddepcontrol. */
void host_order_may_begin_early(void);
/* Could a kernel wait for the host, or for a copy in another stream? */
bool host_order_may_wait_for_host(void);

/* ---- works ----------------------------------------------------------------------------------- */

/* A work between its begin and its end; kept: for hazards, and the lock is held. */
struct host_order_work {
    bool kept;
    bool issued; /* its stream and number are those of the timeline */
    struct hazard_work hazard;
};

/* Waits for launches that the work is behind. call: a word for messages, "cudaMemcpyAsync". */
void host_order_begin(struct host_order_work *w, struct CUstream_st *stream, const char *call);
/* The works of this thread that begin from now on are those of a graph's node, which was made
 * there; NULL: of none. */
void host_order_node_begins(const void *made_at);
/* Rows of a copy or fill; for kept works alone. */
void host_order_touches(struct host_order_work *w, const void *pointer, uint64_t bytes,
                        bool writes);
/* waits: the host has waited for it, as for all of its stream. */
void host_order_end(struct host_order_work *w, bool waits);

/* ---- launches -------------------------------------------------------------------------------- */

void host_order_begin_launch(struct host_order_work *w, struct CUstream_st *stream,
                             const char *kernel, const void *site);
/* It may begin before the launch before it in its stream has ended (programmatic stream
 * serialization). */
void host_order_begins_early(struct host_order_work *w);
/* For struct simt_launch; NULL where nothing is kept. */
struct touched_bytes_of *host_order_touched(struct host_order_work *w);
void host_order_end_launch(struct host_order_work *w, bool good);
/* Of all launches; for struct simt_launch. */
struct beside *host_order_beside(void);
/* The launch of w goes on by itself from now on. waiting->awaited is set while a thread waits for
 * it. */
void host_order_goes_on(struct host_order_work *w, struct CUstream_st *stream,
                        struct simt_waiting *waiting);
/* In its thread: it has ended. Does what was put off until then. */
void host_order_has_ended(struct host_order_work *w, bool good);
/* Work that the host does not wait for, in a stream that is behind such a launch, is put off: a
 * thread whose launch has ended does it, by run(state, waiting), of whose state a copy is made,
 * when all that it is behind is done. false: the stream is behind nothing that is under way, and
 * the caller does the work. */
typedef void (*host_order_run)(void *state, struct simt_waiting *waiting);
bool host_order_put_off(struct CUstream_st *stream, host_order_run run, const void *state,
                        size_t bytes);
/* Waits until no launch is under way. */
void host_order_wait_for_launches(void);

/* ---- what orders ----------------------------------------------------------------------------- */

/* false: a launch that the clock or stream is behind is still under way. */
bool host_order_stream_is_done(struct CUstream_st *stream);
bool host_order_event_is_done(const struct timeline_clock *event);
/* The answers of cudaStreamQuery() and cudaEventQuery(): under SIMT_CHECK=races the first one is
 * no, so that a program that does not look at it is met. */
bool host_order_says_stream_is_done(struct CUstream_st *stream);
bool host_order_says_event_is_done(const struct timeline_clock *event);
void host_order_record(struct CUstream_st *stream, struct timeline_clock *event);
void host_order_stream_waits(struct CUstream_st *stream, const struct timeline_clock *event);
void host_order_host_waits_event(const char *call, const struct timeline_clock *event);
void host_order_host_waits_stream(const char *call, struct CUstream_st *stream);
void host_order_host_waits_all(const char *call);
/* Has the host waited for what came before the event? Without SIMT_CHECK=races: yes. */
bool host_order_host_knows_event(const struct timeline_clock *event);

/* A mistake in a call of the runtime, under SIMT_CHECK=races: "simt: call: ..."; the line is that
 * of the call. */
/* A launch has printed more than the buffer holds; line: " at x.cu:7". */
void host_order_tells_loss(const char *line);
void host_order_tells_call(const char *call, const char *what, const char *cure);

#endif
