/* exec_known.h - an access whose lanes lie as they did the last time, in the same allocation, with
 * the same cost: most are such.
 *
 * It is recognised here, within its handler: 25 instructions of this machine where the functions of
 * exec_address.h take about 90. Each fills *r and counts; false: it is another access, nothing has
 * been done, and exec_reach_*() is to be asked. */
#ifndef SIMT_EXEC_KNOWN_H
#define SIMT_EXEC_KNOWN_H

#include "exec/exec_address.h"
#include "exec/exec_mask.h"

static inline uint64_t reach_first(const struct warp *w, const struct insn *in)
{
    const unsigned lane = first_lane(w->active);
    const void *operand = warp_ref(w, in->a);
    return in->flags & INSN_ADDRESS64 ? ((const uint64_t *)operand)[lane]
                                      : (uint64_t)((const int32_t *)operand)[lane];
}

/* Where there is a leader, the text says that the lanes lie as that one's, which has just been
 * executed: as long as its pattern is the one that this instruction's was learned beside, the
 * 32 addresses need not be looked at. */
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

#endif
