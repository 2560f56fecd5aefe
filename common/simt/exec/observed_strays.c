/* observed_strays.c - see observed_strays.h. */
#include "exec/observed_strays.h"
#include "base/room.h"

#include "exec/observed_access.h"

#include <stdlib.h>

static bool lies_in_memory(const struct warp *w, const struct insn *in, uint64_t address)
{
    const bool global = in->space == PTX_GLOBAL ||
                        (in->space == PTX_GENERIC && address >> WINDOW_SHIFT == WINDOW_GLOBAL);
    const struct allocation *a = global ? memory_find(w->block->memory, address) : NULL;
    return !global || (a != NULL && a->begin + a->bytes - address >= in->bytes);
}

const struct insn *strays_leave(struct warp *w, const struct insn *in, uint32_t pc,
                                lane_mask strays)
{
    const lane_mask active = w->active;
    OBSERVE(w->block->observers, leave, w, pc, strays);
    const struct insn *next = warp_exit(w, in, strays);
    return strays == active ? next : in;
}

static void note_home(struct strays *s, const struct warp *w, uint32_t pc, uint64_t address)
{
    const struct allocation *a = memory_nearest(w->block->memory, address);
    if (s->home == NULL) {
        s->home = room_new(s->count, sizeof *s->home);
    }
    if (a != NULL) {
        s->home[pc] = (struct quiet_range){a->begin, a->begin + a->bytes};
    }
}

const struct insn *strays_after(struct strays *s, struct warp *w, const struct insn *in,
                                uint32_t pc, const struct insn *next)
{
    uint64_t address[WARP_LANES];
    lane_mask strays = 0;
    if (next != NULL || s->matter || !atomic_load_explicit(w->block->stop, memory_order_relaxed)) {
        return next;
    }
    observed_addresses(w, in, address);
    for (lane_mask left = observed_lanes(w, in); left != 0; left &= left - 1) {
        const unsigned i = first_lane(left);
        strays |= (lane_mask)!lies_in_memory(w, in, address[i]) << i;
    }
    if (strays == 0 || !block_survives(w->block)) {
        return NULL;
    }
    note_home(s, w, pc, address[first_lane(strays)]);
    return strays_leave(w, in, pc, strays);
}

lane_mask strays_known(const struct strays *s, const struct warp *w, const struct insn *in,
                       uint32_t pc)
{
    uint64_t address[WARP_LANES];
    lane_mask strays = 0;
    if (s->home == NULL || s->home[pc].end == 0 || !w->block->fault->set) {
        return 0;
    }
    observed_addresses(w, in, address);
    for (lane_mask left = observed_lanes(w, in); left != 0; left &= left - 1) {
        const unsigned i = first_lane(left);
        strays |= (lane_mask)(address[i] - s->home[pc].begin >= s->home[pc].end - s->home[pc].begin)
                  << i;
    }
    return strays;
}
