/* exec_address.h - from 32 addresses to host pointers and counts; used by exec_memory.c and
 * exec_atomic.c.
 *
 * Most instructions repeat the address pattern they had before, moved by some distance. Then
 * shape, bounds, sectors and bank conflicts are known, and what is left is one comparison of 32
 * addresses and one of the range. */
#ifndef SIMT_EXEC_ADDRESS_H
#define SIMT_EXEC_ADDRESS_H

#include "exec/exec.h"

enum half_shape { HALF_OTHER, HALF_UNIFORM, HALF_CONTIGUOUS };

/* One access of the active lanes. Lane i touches bytes [start + relative[i], + in->bytes). */
struct reach {
    const uint64_t *relative;
    const struct pattern *pattern;
    uint64_t start;            /* address of the first active lane */
    uint8_t *host;             /* host pointer for start; NULL: use each[] */
    uint8_t *each[WARP_LANES]; /* host pointers where the lanes touch several allocations */
};

static inline uint8_t *reach_lane(const struct reach *r, unsigned lane)
{
    return r->host != NULL ? r->host + (int64_t)r->relative[lane] : r->each[lane];
}

/* The 32 addresses of operand a, without in->offset, as 64-bit values; valid until this thread asks
 * again. */
const uint64_t *exec_reach_addresses(const struct warp *w, const struct insn *in);

/* --- all of them --------------------------------------------------------------------------------
 *
 * Each fills *r and counts into the given site; false after a fault. `what` names the access for
 * messages ("global load"). Kind tells which counters of the site move. */
bool exec_reach_global(struct warp *w, const struct insn *in, const uint64_t *address,
                       unsigned site, enum site_kind kind, struct reach *r);
bool exec_reach_shared(struct warp *w, const struct insn *in, const uint64_t *address,
                       unsigned site, enum site_kind kind, struct reach *r);
bool exec_reach_local(struct warp *w, const struct insn *in, const uint64_t *address, unsigned site,
                      struct reach *r);

/* Where an address of shared::cluster lies in the memory of one of the cluster's blocks; NULL after
 * a fault. */
uint8_t *exec_reach_cluster(struct warp *w, const struct insn *in, unsigned lane, uint64_t address,
                            unsigned bytes, const char *what);

/* Do all lanes mean the own block, by its rank? */
bool exec_reach_is_own(const struct warp *w, const struct reach *r);
/* The same for all lanes of an access, whose pattern exec_reach_shared() has learned. */
bool exec_reach_remote(struct warp *w, const struct insn *in, enum site_kind kind, const char *what,
                       struct reach *r);

/* Counts an atomic that is a loop (WAY_LOOP) on shared memory, once it is done. unchanged: lanes
 * whose update left the value as it was. */
void exec_reach_count_loop(struct warp *w, const struct insn *in, unsigned site, unsigned load_site,
                           const struct reach *r, lane_mask unchanged);

/* Runs `run` once per window that the active lanes' generic addresses lie in, with w->active
 * narrowed to those lanes and the space given. */
typedef bool (*reach_step)(struct warp *w, const struct insn *in, const uint64_t *address,
                           enum ptx_space space);
bool exec_reach_generic(struct warp *w, const struct insn *in, const uint64_t *address,
                        reach_step step);

#endif
