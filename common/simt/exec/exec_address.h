/* exec_address.h - from 32 addresses to host pointers and counts; used by exec_memory.c and
 * exec_atomic.c.
 *
 * Most instructions repeat the address pattern they had before, moved by some distance. Then
 * shape, bounds, sectors and bank conflicts are known, and what is left is one comparison of 32
 * addresses and one of the range. */
#ifndef SIMT_EXEC_ADDRESS_H
#define SIMT_EXEC_ADDRESS_H

#include "exec/exec.h"
#include "exec/exec_mask.h"

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

/* The 32 addresses of operand a, without in->offset, as 64-bit values; wide is scratch. */
const uint64_t *exec_reach_addresses(const struct warp *w, const struct insn *in, uint64_t *wide);

/* --- what most accesses are ---------------------------------------------------------------------
 *
 * An access whose lanes lie as they did the last time, in the same allocation, with the same cost,
 * is recognised here, within its handler: 25 instructions of this machine where the functions below
 * take about 90. Each fills *r and counts; false: it is another access, nothing has been done, and
 * exec_reach_*() is to be asked. */

static inline uint64_t reach_first(const struct warp *w, const struct insn *in)
{
    const unsigned lane = first_lane(w->active);
    const void *operand = warp_ref(w, in->a);
    return in->flags & INSN_ADDRESS64 ? ((const uint64_t *)operand)[lane]
                                      : (uint64_t)((const int32_t *)operand)[lane];
}

/* Where there is a leader, the text says that the lanes lie as that one's, which has just been
 * executed: as long as its pattern is the one that this instruction's was learned beside, nobody
 * has to look at 32 addresses. */
static inline bool reach_lies_as_before(const struct warp *w, const struct insn *in,
                                        const struct pattern *p, uint64_t first)
{
    if (in->leader != 0) {
        return p->leader_version == p[-(int)in->leader].version;
    }
    const void *operand = warp_ref(w, in->a);
    const lane_mask moved = in->flags & INSN_ADDRESS64
                                ? mask_of_moved(operand, first, p->relative)
                                : mask_of_moved_narrow(operand, first, p->relative);
    return p->mask == w->active && (moved & w->active) == 0;
}

static inline bool reach_is_known(const struct warp *w, const struct insn *in, struct reach *r)
{
    const struct pattern *p = &w->patterns[in->site];
    const uint64_t first = reach_first(w, in);
    r->relative = p->relative;
    r->pattern = p;
    r->start = first + (uint64_t)in->offset;
    return r->start - p->first_start < p->starts &&
           ((r->start | p->low_bits) & (in->bytes - 1u)) == 0 &&
           reach_lies_as_before(w, in, p, first);
}

static inline bool reach_known_global(struct warp *w, const struct insn *in, struct reach *r)
{
    if (!reach_is_known(w, in, r)) {
        return false;
    }
    const unsigned sectors = r->pattern->sectors[r->start & 31u];
    struct site *s = &w->sites[in->site];
    r->host = (uint8_t *)(uintptr_t)(r->start + (uint64_t)r->pattern->delta);
    s->a += sectors != 0;
    s->b += sectors;
    return sectors != 0;
}

static inline bool reach_known_shared(struct warp *w, const struct insn *in, struct reach *r)
{
    if (!reach_is_known(w, in, r)) {
        return false;
    }
    const struct pattern *p = r->pattern;
    struct site *s = &w->sites[in->site];
    r->host = w->block->shared + r->start;
    if (in->flags & INSN_MERGED) {
        return true; /* another access has paid for this one */
    }
    if (p->wavefronts == 0 || p->low_address != (r->start & 3u)) {
        return false;
    }
    s->a++;
    s->b += p->wavefronts;
    s->c += p->conflicts;
    return true;
}

/* Where each lane's own memory begins, plus the address. */
static inline void reach_own_memory(const struct warp *w, struct reach *r)
{
    const uintptr_t first = (uintptr_t)warp_local(w, 0) + r->start;
    const uint32_t stride = (uint32_t)(warp_local(w, 1) - warp_local(w, 0));
    r->host = NULL;
    for (uint32_t i = 0; i < WARP_LANES; i++) {
        r->each[i] = (uint8_t *)(first + i * stride + r->relative[i]);
    }
}

/* pattern.begin is where the function's variables began when the pattern was found inside them. */
static inline bool reach_known_local(struct warp *w, const struct insn *in, struct reach *r)
{
    if (w->patterns[in->site].begin != w->local_offset || !reach_is_known(w, in, r)) {
        return false;
    }
    reach_own_memory(w, r);
    return true;
}

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
