/* hazard_host.c - ordinary host memory of asynchronous copies. CUDA may copy it at once or later,
 * so it has to live, and to keep its contents, until the program has waited for the copy.
 *
 * An array on the stack: the frame that holds it is looked for at each call of the runtime.
 * Contents: what is not guarded (hazard_pages.c) has a checksum when the copy is issued and one
 * when it has been waited for. Reading such a target too early is seen on guarded pages alone. */
#include "check/host/hazard_state.h"
#include "base/room.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/describe.h"
#include "runtime/cudart.h"

struct host_buffer {
    const unsigned char *begin;
    uint64_t bytes, checksum;
    uint64_t guarded_first, guarded_end; /* addresses of the pages that may be guarded */
    uint64_t frame;                      /* of the stack, that holds it; 0: not on the stack */
    bool writes, comparable, reported;
    struct host_buffer *next;
};

/* All buffers that there were since there was none lie within: most memory that is freed does not.
 */
static struct {
    _Atomic uint64_t begin, end;
    unsigned count;
} bounds;

static void widen_bounds(const struct host_buffer *b)
{
    const uint64_t begin = (uint64_t)(uintptr_t)b->begin, end = begin + b->bytes;
    if (bounds.count++ == 0 || begin < bounds.begin) {
        bounds.begin = begin;
    }
    bounds.end = bounds.count == 1 || end > bounds.end ? end : bounds.end;
}

/* ---- contents -------------------------------------------------------------------------------- */

struct buffer_sum {
    const struct host_buffer *buffer;
    uint64_t value;
};

static uint64_t add_bytes(uint64_t sum, const unsigned char *from, uint64_t bytes)
{
    for (uint64_t i = 0; i < bytes; i += sizeof sum) {
        uint64_t word = 0;
        memcpy(&word, from + i, bytes - i < sizeof word ? bytes - i : sizeof word);
        sum = (sum ^ word) * HASH_MULTIPLIER;
        sum ^= sum >> 29;
    }
    return sum;
}

/* Before and behind the pages that are guarded. */
static void add_up(void *state)
{
    struct buffer_sum *s = state;
    const struct host_buffer *b = s->buffer;
    const uint64_t begin = (uint64_t)(uintptr_t)b->begin, end = begin + b->bytes;
    if (b->guarded_end > b->guarded_first) {
        s->value = add_bytes(s->value, b->begin, b->guarded_first - begin);
        s->value = add_bytes(s->value, (const unsigned char *)(uintptr_t)b->guarded_end,
                             end - b->guarded_end);
    } else {
        s->value = add_bytes(s->value, b->begin, b->bytes);
    }
}

static bool checksum(const struct host_buffer *b, uint64_t *value)
{
    struct buffer_sum s = {b, 1};
    uint64_t wrong;
    bool good = host_try(add_up, &s, &wrong);
    *value = s.value;
    return good;
}

/* ---- buffers --------------------------------------------------------------------------------- */

void hazard_uses_host(struct hazard_work *w, const void *host, uint64_t bytes, bool writes)
{
    if (bytes == 0) {
        return;
    }
    struct host_buffer *b = room_new(1, sizeof *b);
    b->begin = host;
    b->bytes = bytes;
    b->writes = writes;
    b->frame = describe_frame_end(host);
    if (b->frame == 0 && host_is_writable(host)) {
        const uint64_t begin = (uint64_t)(uintptr_t)host;
        b->guarded_first = align_up(begin, BYTE_SET_PAGE);
        b->guarded_end = (begin + bytes) / BYTE_SET_PAGE * BYTE_SET_PAGE;
    }
    b->comparable = checksum(b, &b->checksum);
    b->next = w->buffers;
    w->buffers = b;
    pthread_mutex_lock(&hazard_common.lock);
    widen_bounds(b);
    pthread_mutex_unlock(&hazard_common.lock);
}

void hazard_buffers_free(struct host_buffer *b)
{
    while (b != NULL) {
        struct host_buffer *next = b->next;
        free(b);
        b = next;
        if (--bounds.count == 0) {
            bounds.begin = bounds.end = 0;
        }
    }
}

bool hazard_buffers_exist(void) { return bounds.count > 0; }

bool hazard_buffers_may_be_guarded(const struct hazard_work *w, uint64_t address)
{
    const struct host_buffer *b = w->buffers;
    while (b != NULL && (address < b->guarded_first || address >= b->guarded_end)) {
        b = b->next;
    }
    return b != NULL;
}

void hazard_buffers_rewritten(const struct byte_set *written)
{
    for (unsigned i = 0; i < hazard_common.pending.count; i++) {
        for (struct host_buffer *b = hazard_common.pending.list[i]->buffers; b != NULL;
             b = b->next) {
            uint64_t at;
            if (byte_set_overlaps_range(written, (uint64_t)(uintptr_t)b->begin, b->bytes, &at)) {
                b->comparable = false;
            }
        }
    }
}

/* ---- telling --------------------------------------------------------------------------------- */

static void tell(const struct hazard_work *w, struct host_buffer *b, const char *what,
                 const char *cure)
{
    char place[512], text[2048], identity[1400];
    b->reported = true;
    hazard_place(w, place, sizeof place);
    snprintf(identity, sizeof identity, "buffer %s|%s", place, what);
    snprintf(text, sizeof text,
             "simt: race of host and device: the host's %" PRIu64 " bytes at %p: %s by %s: %s "
             "before anything waited for the copy. Cure: %s",
             b->bytes, (const void *)b->begin, w->verbs[b->writes], place, what, cure);
    hazard_tell(identity, text);
}

static const char wait_first[] =
    "cudaStreamSynchronize() (or cudaDeviceSynchronize(), cudaEventSynchronize()) first";

static void tell_change(const struct hazard_work *w, struct host_buffer *b, const char *waits,
                        const void *site)
{
    char what[400];
    const char *line = site != NULL ? describe_line(site) : "";
    snprintf(what, sizeof what, "they were overwritten or freed before %s%s%s, and", waits,
             line[0] != '\0' ? " at " : "", line);
    tell(w, b, what, wait_first);
}

void hazard_buffers_look(const struct hazard_work *w, bool over, const char *waits,
                         const void *site)
{
    for (struct host_buffer *b = w->buffers; b != NULL; b = b->next) {
        uint64_t now;
        if (b->reported) {
            continue;
        }
        if (b->frame != 0 && describe_frame_end(b->begin) != b->frame) {
            tell(w, b, "the function whose stack holds them has returned",
                 "wait before it returns, or an array that lives longer");
        } else if (over && b->comparable && (!checksum(b, &now) || now != b->checksum)) {
            tell_change(w, b, waits, site);
        }
    }
}

bool hazard_buffers_may_hold(const void *host, uint64_t bytes)
{
    const uint64_t begin = (uint64_t)(uintptr_t)host;
    return begin < atomic_load_explicit(&bounds.end, memory_order_relaxed) &&
           begin + bytes > atomic_load_explicit(&bounds.begin, memory_order_relaxed);
}

bool hazard_buffers_freed(const struct hazard_work *w, const void *host, uint64_t bytes,
                          const void *return_address)
{
    char what[300];
    const unsigned char *begin = host;
    bool met = false;
    for (struct host_buffer *b = w->buffers; b != NULL; b = b->next) {
        if (b->begin < begin + bytes && begin < b->begin + b->bytes) {
            const char *line = describe_line(describe_call_site(return_address));
            snprintf(what, sizeof what, "they were freed%s%s", line[0] != '\0' ? " at " : "", line);
            met = true;
            if (!b->reported) {
                tell(w, b, what, wait_first);
            }
        }
    }
    return met;
}
