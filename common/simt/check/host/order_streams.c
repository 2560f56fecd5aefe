/* order_streams.c - what is known of streams, and of memory that the host reaches, too: see
 * order.h. */
#include "check/host/order_state.h"
#include "base/room.h"

#include <stdlib.h>

#include "runtime/cudart_devices.h"

struct order_common order = {
    .lock = PTHREAD_MUTEX_INITIALIZER, .ended = PTHREAD_COND_INITIALIZER, .beside = BESIDE_NOBODY};
_Thread_local struct order_own order_own;

/* Defined by what simtcc compiles with --default-stream per-thread. */
extern char simt_default_stream_per_thread __attribute__((weak));

bool order_is_needed(void) { return atomic_load_explicit(&order.needed, memory_order_relaxed); }

void order_enter(void) { pthread_mutex_lock(&order.lock); }

void order_leave(void)
{
    order_own.in_order = false;
    pthread_mutex_unlock(&order.lock);
}

/* ---- streams --------------------------------------------------------------------------------- */

void order_stream_created(struct CUstream_st *stream, bool blocking)
{
    order_enter();
    ROOM_FOR_ONE(order.streams, order.stream_count, order.stream_room, 16);
    order.streams[order.stream_count++] =
        (struct stream_entry){stream, timeline_add_stream(&order.timeline, blocking)};
    order.many_streams = true;
    order_leave();
}

static struct stream_entry *entry_of(const struct CUstream_st *stream)
{
    for (unsigned i = 0; i < order.stream_count; i++) {
        if (order.streams[i].handle == stream) {
            return &order.streams[i];
        }
    }
    return NULL;
}

void order_stream_destroyed(struct CUstream_st *stream)
{
    order_enter();
    struct stream_entry *entry = entry_of(stream);
    if (entry != NULL) {
        timeline_remove_stream(&order.timeline, entry->slot);
        *entry = order.streams[--order.stream_count];
    }
    order_leave();
}

void order_forget_streams(void)
{
    order_enter();
    for (unsigned i = 0; i < order.stream_count; i++) {
        timeline_remove_stream(&order.timeline, order.streams[i].slot);
    }
    order.stream_count = 0;
    order_leave();
}

unsigned order_slot_of(const struct CUstream_st *stream)
{
    bool per_thread = stream == cudaStreamPerThread ||
                      (stream == NULL && &simt_default_stream_per_thread != NULL);
    if (per_thread && order_own.slot == 0) {
        order_own.slot = timeline_add_stream(&order.timeline, true);
        order.many_streams = true;
    }
    const struct stream_entry *entry = per_thread ? NULL : entry_of(stream);
    return per_thread ? order_own.slot : entry != NULL ? entry->slot : TIMELINE_LEGACY;
}

/* ---- what the host reaches, too -------------------------------------------------------------- */

void order_shares_memory(void) { order.shares_memory = true; }

void order_shares_variable(uint64_t device, uint64_t bytes, uint64_t host)
{
    order_enter();
    order.shares_memory = true;
    order.variables =
        room_resized(order.variables, order.variable_count + 1, sizeof *order.variables);
    order.variables[order.variable_count++] = (struct variable){device, bytes, host};
    order_leave();
}

bool order_may_wait_for_host(void)
{
    return order.shares_memory || order.many_streams || &simt_default_stream_per_thread != NULL;
}
