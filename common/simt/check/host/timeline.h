/* timeline.h - what the calls of the CUDA runtime order: works of streams, and what the host has
 * waited for. Vector clocks; nothing here knows of memory.
 *
 * A work is a launch, copy, fill or host function that a stream has been given, and has a number in
 * its stream. A clock says of each stream up to which number its works are done before. The host is
 * one: what a thread of it has waited for, its other threads know, too. */
#ifndef SIMT_TIMELINE_H
#define SIMT_TIMELINE_H

#include "base/base.h"

/* Streams beyond these share the last slot: then they count as ordered. */
enum { TIMELINE_STREAMS = 64, TIMELINE_LEGACY = 0 };

struct timeline_clock {
    uint32_t done[TIMELINE_STREAMS];
};

/* All zero: there is the legacy stream alone. */
struct timeline {
    struct timeline_clock host;
    struct timeline_clock streams[TIMELINE_STREAMS];
    bool blocking[TIMELINE_STREAMS]; /* waits for the legacy stream, and that for it */
    bool live[TIMELINE_STREAMS];
    struct timeline_clock asked; /* the works that the host has been told to be under way */
};

/* blocking: not created with cudaStreamNonBlocking. */
unsigned timeline_add_stream(struct timeline *t, bool blocking);
void timeline_remove_stream(struct timeline *t, unsigned stream);

/* The stream gets a work, which begins behind all that the stream and the host have waited for. */
uint32_t timeline_issue(struct timeline *t, unsigned stream);
/* Does work `number` of stream `other` end before the latest work of `stream` begins? */
bool timeline_is_before(const struct timeline *t, unsigned other, uint32_t number, unsigned stream);
bool timeline_host_knows(const struct timeline *t, unsigned stream, uint32_t number);
/* cudaStreamQuery() and cudaEventQuery(): may all that comes before the event be done? Who asks for
 * the first time what the host has not waited for is told no, as on a GPU. */
bool timeline_host_asks(struct timeline *t, const struct timeline_clock *event);

/* cudaEventRecord() and what waits for events and streams. */
void timeline_record(struct timeline *t, unsigned stream, struct timeline_clock *event);
void timeline_stream_waits(struct timeline *t, unsigned stream, const struct timeline_clock *event);
void timeline_host_waits_event(struct timeline *t, const struct timeline_clock *event);
void timeline_host_waits_stream(struct timeline *t, unsigned stream);
void timeline_host_waits_all(struct timeline *t);

#endif
