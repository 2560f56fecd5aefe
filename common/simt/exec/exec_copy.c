/* exec_copy.c - cp.async: a copy of 4, 8 or 16 bytes of each lane, from global to shared memory. */
#include "exec/exec_address.h"
#include "exec/exec_single.h"

#include "common/gpu/access.h"

#include <string.h>

/* What it costs depends on where both sides lie in their lines, and is remembered with the pattern
 * of the shared side. */
static void learn_copy(const struct insn *in, const struct reach *to, const struct reach *from,
                       lane_mask lanes, struct pattern *p)
{
    uint64_t global[WARP_LANES], shared[WARP_LANES];
    LANES
    {
        global[i] = from->start + from->relative[i];
        shared[i] = to->start + to->relative[i];
    }
    const struct access_copy cost = access_async_copy(global, shared, lanes, from->pattern->mask,
                                                      in->bytes, in->flags & INSN_BYPASS);
    p->copy_of = from->pattern->version;
    p->copy_low[0] = to->start & 127u;
    p->copy_low[1] = from->start & 127u;
    p->copy_sectors = (uint8_t)cost.sectors;
    p->copy_load_sectors = (uint8_t)cost.load_sectors;
    p->wavefronts = (uint8_t)cost.wavefronts;
    p->conflicts = (uint8_t)cost.conflicts;
}

static void count_copy(struct warp *w, const struct insn *in, const struct reach *to,
                       const struct reach *from, lane_mask lanes)
{
    struct pattern *p = &w->patterns[in->site + 1];
    struct site *load = &w->sites[in->site], *copy = load + 1, *banks = load + 2;
    if (p->wavefronts == 0 || p->copy_of != from->pattern->version ||
        p->copy_low[0] != (to->start & 127u) || p->copy_low[1] != (from->start & 127u)) {
        learn_copy(in, to, from, lanes, p);
    }
    load->a++;
    load->b += p->copy_load_sectors;
    copy->a++;
    copy->b += p->copy_sectors;
    banks->b += p->wavefronts;
    banks->c += p->conflicts;
}

/* cp.async [d], [b], bytes, src-size: the copy is done at once. a is the shared address, b the
 * global one (both registers), c the number of bytes that are read (NO_REF: all); the rest of the
 * destination becomes zero. in->offset belongs to a, in->guard's place is taken by e: the index of
 * a constant that holds b's offset. */
HANDLER(cp_async)
{
    struct reach to, from;
    uint64_t source[WARP_LANES];
    lane_mask all = w->active, reading = 0;
    for (unsigned i = 0; i < WARP_LANES; i++) {
        /* less the offset, which exec_reach_global adds again */
        source[i] = warp_copy_source(w, in, i) - (u64)in->offset;
        reading |= (lane_mask)(warp_copy_bytes(w, in, i) > 0) << i;
    }
    if (!exec_reach_shared(w, in, exec_reach_addresses(w, in), in->site + 1, SITE_UNCOUNTED, &to)) {
        return NULL;
    }
    w->active = all & reading;
    bool good = w->active == 0 || exec_reach_global(w, in, source, in->site, SITE_COPY, &from);
    if (!good) {
        w->active = all;
        return NULL;
    }
    for (lane_mask left = all; left != 0; left &= left - 1) {
        unsigned i = first_lane(left);
        unsigned read = warp_copy_bytes(w, in, i);
        uint8_t *target = reach_lane(&to, i);
        if (read == in->bytes) {
            single_copy(target, reach_lane(&from, i), in->bytes);
        } else {
            memset(target, 0, in->bytes);
            memcpy(target, read > 0 ? reach_lane(&from, i) : target, read);
        }
    }
    w->active = all;
    if (reading != 0) {
        count_copy(w, in, &to, &from, all);
    }
    return in + 1;
}

const struct handler exec_copy_table[] = {HANDLER_ROW(cp_async, WORK, COPY, OPCODE), {0}};
