/* hazard_state.h - what the files of hazard.h share; for them alone. */
#ifndef SIMT_HAZARD_STATE_H
#define SIMT_HAZARD_STATE_H

#include "check/host/hazard.h"

#include <pthread.h>

/* ---- hazard_words.c -------------------------------------------------------------------------- */

struct hazard_works {
    struct hazard_work **list;
    unsigned count, room;
};
extern struct hazard_common {
    struct check *check;  /* NULL: races are not checked */
    pthread_mutex_t lock; /* of what follows: a handler of a signal looks at it */
    struct memory *memory;
    struct hazard_works pending; /* what the host has not waited for */
} hazard_common;

/* "the 4096 bytes of cudaMalloc at x.cu:8, byte 12" */
void hazard_array(uint64_t address, char *text, size_t size);
/* "cudaMemcpyAsync at x.cu:12", "kernel k() launched at x.cu:12" */
void hazard_place(const struct hazard_work *w, char *text, size_t size);
/* One finding; identity: what makes two of them one. */
void hazard_tell(const char *identity, const char *text);

/* "read", "updated by an atomic of": what the work does to bytes of that kind */
const char *hazard_verb(const struct hazard_work *w, unsigned kind);
bool hazard_writes(unsigned kind);
/* One of two accesses of these kinds writes, and not both are strong. */
bool hazard_conflict(unsigned a, unsigned b);

/* ---- hazard_early.c -------------------------------------------------------------------------- */

/* A launch that may begin before the one before it in its stream has ended, with that one. */
void hazard_early_compare(const struct hazard_work *w);

/* ---- hazard_pages.c -------------------------------------------------------------------------- */

/* Guards what the pending works use, or nothing more. */
void hazard_pages_guard(struct memory *m);
void hazard_pages_lift(void);
/* Writes what hazard_fault() has noted down. */
void hazard_pages_tell(void);
/* Nothing is guarded, and nothing was noted down. */
bool hazard_pages_are_idle(void);

/* ---- hazard_host.c --------------------------------------------------------------------------- */

void hazard_buffers_free(struct host_buffer *b);
/* Does any work use ordinary host memory? */
bool hazard_buffers_exist(void);
/* Has the stack frame of a buffer ended, or has its content changed? `over`: the host has waited
 * for the work, by this call. */
void hazard_buffers_look(const struct hazard_work *w, bool over, const char *waits,
                         const void *site);
/* The runtime itself writes there. */
void hazard_buffers_rewritten(const struct byte_set *written);
/* The program has given this memory back: true if the work may be using it. */
bool hazard_buffers_freed(const struct hazard_work *w, const void *host, uint64_t bytes,
                          const void *return_address);
/* false: no buffer of any work lies there. Takes no lock. */
bool hazard_buffers_may_hold(const void *host, uint64_t bytes);
/* May the whole pages inside be guarded? */
bool hazard_buffers_may_be_guarded(const struct hazard_work *w, uint64_t address);

#endif
