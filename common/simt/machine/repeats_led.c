/* repeats_led.c - leaders that count for their followers: see repeats.h. */
#include "machine/repeats.h"
#include "base/room.h"

static uint32_t follower(const struct repeats *r, const struct led_accesses *led, unsigned i)
{
    return r->kernel->led_sites[led->first + i];
}

/* Of a follower, where it begins when its leader begins there; NULL: it has to look for itself. Who
 * made its first request, and whether that warp has made a second one, need not be asked: the same
 * warps have executed both equally often. */
static const struct repeat_phase *known_phase(const struct repeats *r, const struct warp *w,
                                              const struct repeat *leader, uint32_t site,
                                              uint64_t start)
{
    const struct repeat *own = repeat_of(r, w, site);
    if (!own->has_distance || own->slot != leader->slot ||
        own->version != w->patterns[site].version) {
        return NULL;
    }
    const struct repeat_phase *at = repeat_phase(own, repeats_insn(r, site), start + own->distance);
    return at->epoch == own->epoch ? at : NULL;
}

/* The mask of those that touch what this one does: the leader's, that of somebody before it in the
 * list or, if neither does, its own. */
static uint32_t *who_touches(const struct repeat *leader, struct repeat_phase *own,
                             struct repeat_ask *asks, const struct repeat_ask *ask)
{
    if (ask->apart == (uint64_t)0 - own->below && ask->alike == leader->alike) {
        return &own->same;
    }
    unsigned i = 0;
    while (i < own->asks && (ask->apart != asks[i].apart || ask->alike != asks[i].alike)) {
        i++;
    }
    if (i == own->asks) {
        asks[own->asks++] = *ask;
    }
    return &asks[i].same;
}

/* The lines of a request that begins at that distance from where the leader does, counted from the
 * leader's. */
static void lines_from(uint64_t start, uint64_t distance, const int32_t own[2], int32_t lines[2])
{
    const int64_t apart = (int64_t)((start + distance) / REPEAT_LINE - start / REPEAT_LINE);
    const int64_t low = own[0] + apart, high = own[1] + apart;
    const bool few = low <= high && low >= INT32_MIN && high <= INT32_MAX;
    lines[0] = few ? (int32_t)low : 1;
    lines[1] = few ? (int32_t)high : 0;
}

/* Notes who touches what neither the leader nor somebody before it in the list does. */
static void note_asks(struct repeats *r, struct repeat *leader, const struct led_accesses *led,
                      uint64_t start, const struct repeat_phase *const at[REPEAT_LED])
{
    const struct insn *in = leader->last_told.in;
    struct repeat_phase *own = repeat_phase(leader, in, start);
    if (leader->asks == NULL) {
        leader->asks = room_new(REPEAT_LINE / in->bytes * led->count, sizeof *leader->asks);
    }
    struct repeat_ask *asks = repeat_asks(r, leader, in, start);
    own->asks = 0;
    own->same = 0;
    for (unsigned i = 0; i < led->count; i++) {
        const uint32_t site = follower(r, led, i);
        struct repeat_ask ask = {.apart = r->of[site].distance - at[i]->below,
                                 .alike = r->of[site].alike,
                                 .below = at[i]->below,
                                 .site = site};
        lines_from(start, r->of[site].distance, at[i]->lines, ask.lines);
        *who_touches(leader, own, asks, &ask) |= 1u << i;
    }
}

/* From the next request on that begins there, the leader may count for all, if all of them know
 * where they begin. */
static void make_ready(struct repeats *r, const struct warp *w, struct repeat *leader,
                       const struct led_accesses *led, uint64_t start)
{
    const struct repeat_phase *at[REPEAT_LED];
    const struct insn *in = leader->last_told.in;
    struct repeat_phase *own = repeat_phase(leader, in, start);
    for (unsigned i = 0; i < led->count; i++) {
        at[i] = known_phase(r, w, leader, follower(r, led, i), start);
        if (at[i] == NULL) {
            return;
        }
    }
    own->ready = true;
    leader->followers = (uint8_t)led->count;
    if (in->space == PTX_GLOBAL) {
        note_asks(r, leader, led, start, at);
    } else if (start % REPEAT_LINE == leader->first_place) {
        own->count += leader->first_count;
        leader->first_count = 0;
        leader->first_ready = true;
    }
}

void repeats_lead(struct repeats *r, struct warp *w, const struct insn *in, uint64_t start)
{
    const struct led_accesses *led = &r->kernel->led[in->site];
    repeat_of(r, w, in->site)->joint = false;
    if (repeats_count(r, w, in, start, in->space == PTX_GLOBAL, r->log->samples)) {
        make_ready(r, w, repeat_of(r, w, in->site), led, start);
    } else {
        repeats_tell(r, w, in, w->active, start, NULL);
    }
    struct repeat *own = repeat_of(r, w, in->site);
    own->joint = false;
    own->last = start;
    for (unsigned i = 0; i < led->count; i++) {
        w->patterns[follower(r, led, i)].starts = 0;
    }
}

/* These of its followers touch the same, and the first of them will tell it. */
static void make_due(const struct repeats *r, struct warp *w, const struct repeat *leader,
                     uint32_t followers)
{
    if (followers != 0) {
        const uint32_t site = follower(r, &r->kernel->led[leader->site], first_lane(followers));
        r->of[site].due = followers;
        w->patterns[site].starts = 0; /* it looks for itself */
    }
}

void repeats_led(struct warp *w, const struct insn *in, uint64_t start)
{
    struct repeats *r = w->block->repeats;
    const struct repeat *leader = repeat_of(r, w, r->kernel->led[in->site].leader);
    const uint64_t last = leader->last;
    if (leader->joint) {
        struct repeat *own = &r->of[in->site];
        const uint32_t due = own->due;
        own->due = 0;
        if (due != 0 && repeats_touch(r, w, in, start)) {
            make_due(r, w, leader, due & (due - 1)); /* the first one is itself */
        }
        return;
    }
    if (!repeats_count(r, w, in, start, in->space == PTX_GLOBAL, r->log->samples)) {
        repeats_tell(r, w, in, w->active, start, NULL);
    }
    struct repeat *own = repeat_of(r, w, in->site);
    own->distance = start - last;
    own->has_distance = true;
}

void repeats_touch_first(struct repeats *r, struct warp *w, const struct insn *in, uint64_t start)
{
    const struct repeat *own = &r->of[in->site];
    if (repeats_touch(r, w, in, start) && r->in_order) {
        make_due(r, w, own, repeat_phase(own, in, start)->same);
    }
}

uint32_t repeats_ahead(const struct warp *w, uint32_t pc)
{
    const struct repeats *r = w->block->repeats;
    const struct kernel *k = w->block->kernel;
    uint32_t ahead = 0;
    if (k->led_open == NULL) {
        return 0;
    }
    for (uint32_t i = k->led_open[pc]; i < k->led_open[pc + 1]; i++) {
        ahead += r->of[k->led_ahead[i].leader].joint ? k->led_ahead[i].count : 0;
    }
    return ahead;
}

void repeats_ask(struct repeats *r, struct warp *w, const struct repeat_ask *ask, uint64_t start)
{
    struct repeat *own = &r->of[ask->site];
    own->last_told.early = r->in_order;
    if (repeats_touch(r, w, repeats_insn(r, ask->site), start + own->distance) && r->in_order) {
        make_due(r, w, &r->of[r->kernel->led[ask->site].leader], ask->same);
    }
    own->last_told.early = false;
}
