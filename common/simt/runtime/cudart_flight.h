/* cudart_flight.h - launches of kernels that may be waiting for the host: for a flag in memory that
 * both reach, or for a copy or kernel in another stream that the host has yet to issue.
 *
 * Such a launch runs in a thread of its own while the caller waits for it. If it turns out to wait
 * for something outside of its grid, the caller goes on, as after every launch on a card; whatever
 * is behind the launch waits for its end (host_order.h), and only then it may be called endless. */
#ifndef SIMT_CUDART_FLIGHT_H
#define SIMT_CUDART_FLIGHT_H

#include "check/host/host_order.h"

/* execute() runs the launch of *state, of which a copy is made, and says whether it went well. */
void flight_launch(const struct host_order_work *work, struct CUstream_st *stream, const void *site,
                   bool (*execute)(void *state, struct simt_waiting *waiting,
                                   struct touched_bytes_of *touched),
                   const void *state, size_t bytes);

/* Before the host waits: what other threads of the host are launching has ended, or goes on by
 * itself, and then the works behind it are known. */
void flight_wait_for_others(void);

#endif
