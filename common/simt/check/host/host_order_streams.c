/* host_order_streams.c - what is known of streams, and of memory that the host reaches, too: see
 * host_order.h. */
#include "check/host/host_order_state.h"
#include "base/room.h"

#include <stdlib.h>

#include "runtime/cudart_devices.h"

struct host_order_common host_order = {
    .lock = PTHREAD_MUTEX_INITIALIZER, .ended = PTHREAD_COND_INITIALIZER, .beside = BESIDE_NOBODY};
_Thread_local struct host_order_own host_order_own;

/* Defined by what simtcc compiles with --default-stream per-thread. */
extern char simt_default_stream_per_thread __attribute__((weak));

bool host_order_is_needed(void)
{
    return atomic_load_explicit(&host_order.needed, memory_order_relaxed);
}

void host_order_enter(void) { pthread_mutex_lock(&host_order.lock); }

void host_order_leave(void)
{
    host_order_own.in_order = false;
    pthread_mutex_unlock(&host_order.lock);
}

/* ---- streams --------------------------------------------------------------------------------- */

void host_order_stream_created(struct CUstream_st *stream, bool blocking)
{
    host_order_enter();
    ROOM_FOR_ONE(host_order.streams, host_order.stream_count, host_order.stream_room, 16);
    host_order.streams[host_order.stream_count++] =
        (struct stream_entry){stream, timeline_add_stream(&host_order.timeline, blocking)};
    host_order.many_streams = true;
    host_order_leave();
}

static struct stream_entry *entry_of(const struct CUstream_st *stream)
{
    for (unsigned i = 0; i < host_order.stream_count; i++) {
        if (host_order.streams[i].handle == stream) {
            return &host_order.streams[i];
        }
    }
    return NULL;
}

void host_order_stream_destroyed(struct CUstream_st *stream)
{
    host_order_enter();
    struct stream_entry *entry = entry_of(stream);
    if (entry != NULL) {
        timeline_remove_stream(&host_order.timeline, entry->slot);
        *entry = host_order.streams[--host_order.stream_count];
    }
    host_order_leave();
}

void host_order_forget_streams(void)
{
    host_order_enter();
    for (unsigned i = 0; i < host_order.stream_count; i++) {
        timeline_remove_stream(&host_order.timeline, host_order.streams[i].slot);
    }
    host_order.stream_count = 0;
    host_order_leave();
}

unsigned host_order_slot_of(const struct CUstream_st *stream)
{
    bool per_thread = stream == cudaStreamPerThread ||
                      (stream == NULL && &simt_default_stream_per_thread != NULL);
    if (per_thread && host_order_own.slot == 0) {
        host_order_own.slot = timeline_add_stream(&host_order.timeline, true);
        host_order.many_streams = true;
    }
    const struct stream_entry *entry = per_thread ? NULL : entry_of(stream);
    return per_thread ? host_order_own.slot : entry != NULL ? entry->slot : TIMELINE_LEGACY;
}

/* ---- what the host reaches, too -------------------------------------------------------------- */

void host_order_shares_memory(void) { host_order.shares_memory = true; }

void host_order_shares_variable(uint64_t device, uint64_t bytes, uint64_t host)
{
    host_order_enter();
    host_order.shares_memory = true;
    host_order.variables = room_resized(host_order.variables, host_order.variable_count + 1,
                                        sizeof *host_order.variables);
    host_order.variables[host_order.variable_count++] = (struct variable){device, bytes, host};
    host_order_leave();
}

bool host_order_may_wait_for_host(void)
{
    return host_order.shares_memory || host_order.many_streams ||
           &simt_default_stream_per_thread != NULL;
}
