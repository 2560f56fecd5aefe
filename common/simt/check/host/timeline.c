/* timeline.c - see timeline.h. The rules are those of the CUDA programming guide: "Streams",
 * "Default Stream", "Implicit Synchronization". */
#include "check/host/timeline.h"

static void join(struct timeline_clock *to, const struct timeline_clock *from)
{
    for (unsigned i = 0; i < TIMELINE_STREAMS; i++) {
        to->done[i] = to->done[i] > from->done[i] ? to->done[i] : from->done[i];
    }
}

/* A slot that no stream has, and whose works, all that its last stream has left, the host has
 * waited for: those of one slot count as ordered. Where there is none, one that no stream has. */
static unsigned free_slot(const struct timeline *t)
{
    unsigned without_stream = TIMELINE_STREAMS - 1;
    for (unsigned slot = TIMELINE_STREAMS - 1; slot > TIMELINE_LEGACY; slot--) {
        without_stream = t->live[slot] ? without_stream : slot;
    }
    for (unsigned slot = without_stream; slot < TIMELINE_STREAMS - 1; slot++) {
        if (!t->live[slot] && timeline_host_knows(t, slot, t->streams[slot].done[slot])) {
            return slot;
        }
    }
    return without_stream;
}

unsigned timeline_add_stream(struct timeline *t, bool blocking)
{
    const unsigned slot = free_slot(t);
    bool shared = t->live[slot];
    t->live[slot] = true;
    t->blocking[slot] = shared ? t->blocking[slot] || blocking : blocking;
    join(&t->streams[slot], &t->host);
    return slot;
}

void timeline_remove_stream(struct timeline *t, unsigned stream) { t->live[stream] = false; }

/* The legacy stream waits for all blocking ones when it gets a work; and they for it. */
static void catch_up(struct timeline *t, unsigned stream)
{
    for (unsigned i = 0; i < TIMELINE_STREAMS; i++) {
        if (stream == TIMELINE_LEGACY && t->blocking[i]) {
            join(&t->streams[stream], &t->streams[i]);
        }
    }
    if (t->blocking[stream]) {
        join(&t->streams[stream], &t->streams[TIMELINE_LEGACY]);
    }
}

uint32_t timeline_issue(struct timeline *t, unsigned stream)
{
    catch_up(t, stream);
    join(&t->streams[stream], &t->host);
    return ++t->streams[stream].done[stream];
}

bool timeline_is_before(const struct timeline *t, unsigned other, uint32_t number, unsigned stream)
{
    return t->streams[stream].done[other] >= number;
}

bool timeline_host_knows(const struct timeline *t, unsigned stream, uint32_t number)
{
    return t->host.done[stream] >= number;
}

bool timeline_host_asks(struct timeline *t, const struct timeline_clock *event)
{
    bool is_first = false;
    for (unsigned i = 0; i < TIMELINE_STREAMS; i++) {
        is_first |= event->done[i] > t->host.done[i] && event->done[i] > t->asked.done[i];
    }
    join(&t->asked, event);
    return !is_first;
}

void timeline_record(struct timeline *t, unsigned stream, struct timeline_clock *event)
{
    catch_up(t, stream);
    join(&t->streams[stream], &t->host);
    *event = t->streams[stream];
}

void timeline_stream_waits(struct timeline *t, unsigned stream, const struct timeline_clock *event)
{
    catch_up(t, stream);
    join(&t->streams[stream], event);
}

void timeline_host_waits_event(struct timeline *t, const struct timeline_clock *event)
{
    join(&t->host, event);
}

void timeline_host_waits_stream(struct timeline *t, unsigned stream)
{
    catch_up(t, stream);
    join(&t->host, &t->streams[stream]);
}

void timeline_host_waits_all(struct timeline *t)
{
    for (unsigned i = 0; i < TIMELINE_STREAMS; i++) {
        join(&t->host, &t->streams[i]);
    }
}
