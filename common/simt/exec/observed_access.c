/* observed_access.c - see observed_access.h. */
#include "exec/observed_access.h"

#include "exec/exec_address.h"
#include "machine/turn.h"

lane_mask observed_lanes(const struct warp *w, const struct insn *in)
{
    if (in->flags & INSN_ROWS) {
        return INSN_ROW_LANES(in);
    }
    return in->guard == NO_REF
               ? w->active
               : w->active & read_predicate(w, in->guard, in->flags & INSN_GUARD_NEGATED);
}

/* Finds the space of the first lane's address and narrows *lanes to those whose generic address
 * lies in the same window. Returns the addresses without the window: in room, if they have one. */
const uint64_t *observed_resolve(const struct insn *in, const uint64_t *generic, lane_mask *lanes,
                                 enum ptx_space *space, uint64_t *room)
{
    static const enum ptx_space space_of[] = {[WINDOW_GLOBAL] = PTX_GLOBAL,
                                              [WINDOW_SHARED] = PTX_SHARED,
                                              [WINDOW_LOCAL] = PTX_LOCAL,
                                              [WINDOW_PARAM] = PTX_PARAM};
    if (in->space != PTX_GENERIC) {
        *space = (enum ptx_space)in->space;
        return generic;
    }
    uint64_t window = generic[first_lane(*lanes)] >> WINDOW_SHIFT;
    lane_mask same = 0;
    LANES
    {
        same |= (lane_mask)(generic[i] >> WINDOW_SHIFT == window) << i;
        room[i] = window <= WINDOW_PARAM ? generic[i] - WINDOW_BASE(window) : generic[i];
    }
    *lanes &= same;
    *space = window <= WINDOW_PARAM ? space_of[window] : PTX_GLOBAL;
    return room;
}

void observed_addresses(const struct warp *w, const struct insn *in, uint64_t *address)
{
    const uint64_t *from = exec_reach_addresses(w, in);
    LANES { address[i] = from[i] + (uint64_t)in->offset; }
}

void observed_bounds(struct access_event *e)
{
    uint64_t low = UINT64_MAX, high = 0;
    LANES
    {
        uint64_t here = 0 - (uint64_t)(e->lanes >> i & 1u); /* all ones: it takes part */
        uint64_t least = e->address[i] | ~here, most = e->address[i] & here;
        low = least < low ? least : low;
        high = most > high ? most : high;
    }
    e->start = e->address[first_lane(e->lanes)];
    e->low = low;
    e->high = high + e->bytes;
}

/* An event is handed on by its address alone: a copy would wait until what was just written has
 * left the store buffer. */
void observed_stores(struct warp *w, const struct insn *in, const uint64_t *generic,
                     struct access_event *event, lane_mask left)
{
    uint64_t room[WARP_LANES];
    event->bytes = in->bytes;
    LANES /* what is misaligned will be a fault, and no shadow has a place for it */
    {
        left &= ~((lane_mask)((generic[i] & (in->bytes - 1u)) != 0) << i);
    }
    while (left != 0) {
        event->lanes = left;
        event->address = observed_resolve(in, generic, &event->lanes, &event->space, room);
        observed_bounds(event);
        OBSERVE(w->block->observers, before_store, w, event);
        left &= ~event->lanes;
    }
}

/* One loop over the lanes: the addresses of operand a (of 32 or 64 bits), their lowest and highest,
 * and whether lanes stand side by side. */
#define FIND_SHAPE(from)                                                                           \
    do {                                                                                           \
        const uint32_t base = (uint32_t)(from)[first] + offset - first * bytes;                    \
        LANES                                                                                      \
        {                                                                                          \
            uint32_t here = 0u - (lanes >> i & 1u); /* all ones: it takes part */                  \
            uint32_t at = (uint32_t)(from)[i] + offset;                                            \
            uint32_t least = at | ~here, most = at & here;                                         \
            address[i] = at;                                                                       \
            low = least < low ? least : low;                                                       \
            high = most > high ? most : high;                                                      \
            differs |= (at - base - i * bytes) & here;                                             \
        }                                                                                          \
    } while (0)

void observed_shared_access(const struct warp *w, const struct insn *in, struct shared_access *a,
                            uint32_t *address)
{
    const lane_mask lanes = a->lanes;
    const uint32_t first = first_lane(lanes), bytes = in->bytes, offset = (uint32_t)in->offset;
    uint32_t low = UINT32_MAX, high = 0, differs = 0;
    if (in->flags & INSN_ADDRESS64) {
        const uint64_t *wide = warp_ref(w, in->a);
        FIND_SHAPE(wide);
    } else {
        const uint32_t *narrow = warp_ref(w, in->a);
        FIND_SHAPE(narrow);
    }
    a->bytes = bytes;
    a->address = address;
    a->low = low;
    a->high = high + bytes;
    a->row = differs == 0;
}

/* Nobody is interested: the first lane and the last one read where nothing can be found. */
bool observed_is_quiet(const struct warp *w, const struct insn *in, uint32_t pc)
{
    const struct quiet_range *quiet = w->block->observers->quiet;
    const lane_mask lanes = observed_lanes(w, in);
    if (quiet == NULL || quiet[pc].end == 0 || lanes == 0 || !(in->flags & INSN_ADDRESS64)) {
        return false;
    }
    const uint64_t *from = warp_ref(w, in->a);
    const uint64_t begin = quiet[pc].begin, room = quiet[pc].end - begin;
    return from[first_lane(lanes)] + (uint64_t)in->offset - begin < room &&
           from[WARP_LANES - 1 - (unsigned)__builtin_clz(lanes)] + (uint64_t)in->offset - begin <
               room;
}

bool observed_may_arrive(const struct warp *w, const struct insn *in)
{
    const lane_mask lanes = observed_lanes(w, in);
    return w->block->launch->cooperative && lanes != 0 && (lanes & (lanes - 1)) == 0;
}

/* The pattern that the handler has recognised says all addresses, and nothing has to be read before
 * a load may overwrite it. */
static void describe_by_pattern(struct access_event *event, const struct warp *w, uint64_t start,
                                const struct site *before)
{
    const struct insn *in = event->in;
    const struct pattern *p = &w->patterns[in->site];
    event->space = (enum ptx_space)in->space;
    event->bytes = in->bytes;
    event->pattern = p;
    event->slot = p->slot;
    event->start = start;
    event->low = start + (uint64_t)p->lowest;
    event->high = start + (uint64_t)p->highest + in->bytes;
    event->cost = observed_cost(&w->sites[in->site], before);
}

const struct insn *observed_pattern(struct warp *w, exec_fn run, struct access_event *event)
{
    const struct insn *in = event->in;
    const struct site before = w->sites[in->site];
    event->lanes = observed_lanes(w, in);
    const uint64_t start = event->lanes != 0 ? observed_first_address(w, in, event->lanes) : 0;
    const struct insn *next = run(w, in);
    if (next != NULL && event->lanes != 0) {
        describe_by_pattern(event, w, start, &before);
        OBSERVE(w->block->observers, access, w, event);
    }
    return next;
}

const struct insn *observed_copy(struct warp *w, const struct insn *in, exec_fn run,
                                 struct access_event event)
{
    uint64_t to[WARP_LANES], from[WARP_LANES];
    const struct site before = w->sites[in->site];
    const lane_mask lanes = observed_lanes(w, in);
    lane_mask reading = 0;
    observed_addresses(w, in, to);
    LANES
    {
        from[i] = warp_copy_source(w, in, i);
        reading |= (lane_mask)(warp_copy_bytes(w, in, i) > 0) << i;
    }
    turn_has_come(w->block); /* as before any access of global memory that is reported */
    const struct insn *next = run(w, in);
    if (next == NULL || lanes == 0) {
        return next;
    }
    event.bytes = in->bytes;
    event.kind = ACCESS_COPY_READ;
    event.space = PTX_GLOBAL;
    event.lanes = lanes & reading;
    event.address = from;
    event.cost = observed_cost(&w->sites[in->site], &before);
    if (event.lanes != 0) {
        observed_bounds(&event);
        OBSERVE(w->block->observers, access, w, &event);
    }
    event.kind = ACCESS_COPY_WRITE;
    event.space = PTX_SHARED;
    event.lanes = lanes;
    event.address = to;
    event.cost = (struct site){0, 0, 0};
    observed_bounds(&event);
    OBSERVE(w->block->observers, access, w, &event);
    return next;
}

static void tell_branching(struct warp *w, uint32_t pc, lane_mask taken)
{
    const struct observers *to = w->block->observers;
    for (unsigned i = 0; i < to->branching_count; i++) {
        to->branching[i]->branch(to->branching[i]->state, w, pc, w->active, taken);
    }
}

void observed_branch(struct warp *w, const struct insn *in, uint32_t pc)
{
    tell_branching(w, pc, observed_taken(w, in));
}

void observed_table_branch(struct warp *w, const struct insn *in, uint32_t pc)
{
    const uint32_t *index = warp_ref(w, in->a);
    const uint32_t *table = w->block->kernel->tables[in->number];
    uint32_t first = index[first_lane(w->active)];
    lane_mask elsewhere = 0;
    for (lane_mask left = w->active; left != 0; left &= left - 1) {
        unsigned i = first_lane(left);
        bool known = index[i] < table[0] && first < table[0];
        bool differs = known && table[1 + index[i]] != table[1 + first];
        elsewhere |= (lane_mask)differs << i;
    }
    tell_branching(w, pc, elsewhere);
}
