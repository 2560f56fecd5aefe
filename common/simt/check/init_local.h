/* init_local.h - which bytes of a block's local memory have a value; for init.c and its files.
 *
 * Each thread's local memory has a bit for each byte. The bits of 64 bytes of a warp's 32 lanes lie
 * side by side: lanes that use one place of their arrays are answered by one vector load. */
#ifndef SIMT_INIT_LOCAL_H
#define SIMT_INIT_LOCAL_H

#include "machine/observer.h"

struct local_values {
    uint64_t *bits;  /* [warp][64 bytes][lane] */
    size_t room;     /* in elements */
    uint64_t stride; /* bytes of a thread, a multiple of 64 */
    uint32_t begun;  /* warps that have stored something; of the others no byte has a value */
};

/* A block begins: nothing has a value. */
void local_values_begin(struct local_values *v, const struct block *b);
void local_values_free(struct local_values *v);
/* The thread's bits for the 64 bytes around the address; NULL: none of them has a value. */
const uint64_t *local_values_of(const struct local_values *v, const struct warp *w, unsigned lane,
                                uint64_t address);
/* Have all bytes that the access loads a value? */
bool local_values_all(const struct local_values *v, const struct warp *w,
                      const struct access_event *e);
/* All bytes that the access stores have one now. */
void local_values_set(struct local_values *v, const struct warp *w, const struct access_event *e);
/* The same of one lane's bytes, each as its bit says. */
void local_values_set_lane(struct local_values *v, const struct warp *w, unsigned lane,
                           const struct access_event *e, uint32_t bits);

#endif
