/* repeats.c - see repeats.h. */
#include "machine/repeats.h"
#include "base/hostile.h"
#include "base/room.h"

#include <stdlib.h>
#include <string.h>

enum { SECTOR_BYTES = 32 };

void repeats_begin(struct repeats **made, unsigned worker, const struct kernel *k)
{
    if (*made == NULL) {
        *made = room_new(1, sizeof **made);
    }
    struct repeats *r = *made;
    r->of = room_extended(r->of, &r->room, k->pattern_count, sizeof *r->of);
    for (unsigned i = 0; i < k->pattern_count; i++) {
        struct repeat *own = &r->of[i];
        *own = (struct repeat){.version = NO_VERSION,
                               .seen = NO_VERSION,
                               .phases = own->phases,
                               .phase_room = own->phase_room};
    }
    r->launch_epoch = r->epoch;
    r->count = k->pattern_count;
    r->worker = worker;
    r->kernel = k;
}

/* What the requests of an instruction have come to since the last time. */
static void tell_counted(struct repeats *r, struct repeat *own, const struct observers *to)
{
    const struct insn *in = &r->kernel->code[own->pc];
    struct access_event e = {.pc = own->pc,
                             .in = in,
                             .origin = r->kernel->origin[own->pc],
                             .kind = (enum access_kind)own->kind,
                             .space = (enum ptx_space)in->space,
                             .bytes = in->bytes,
                             .lanes = own->lanes,
                             .low = own->lowest,
                             .high = own->highest};
    repeat_phase(own, in, own->first_place)->count += own->first_count;
    own->first_count = 0;
    for (unsigned i = 0; i < REPEAT_LINE / e.bytes; i++) {
        struct repeat_phase *at = &own->phases[i];
        if (at->epoch == own->epoch && at->count > 0) {
            e.start = i * e.bytes;
            e.cost = (struct site){at->requests, at->sectors, at->conflicts};
            OBSERVE(to, repeats, r->worker, &e, at->count);
            at->count = 0;
        }
    }
    own->counted = false;
}

void repeats_end(struct repeats *r, const struct observers *to)
{
    for (unsigned i = 0; i < r->count; i++) {
        if (r->of[i].counted) {
            tell_counted(r, &r->of[i], to);
        }
    }
}

void repeats_free(struct repeats *r)
{
    for (unsigned i = 0; r != NULL && i < r->room; i++) {
        free(r->of[i].phases);
    }
    if (r != NULL) {
        free(r->of);
    }
    free(r);
}

/* Epochs are given away anew: what has been known by them is forgotten. */
static void forget_epochs(struct repeats *r, const struct observers *to)
{
    repeats_end(r, to);
    for (unsigned i = 0; i < r->room; i++) {
        for (unsigned k = 0; k < r->of[i].phase_room; k++) {
            r->of[i].phases[k].epoch = 0;
        }
        r->of[i].version = NO_VERSION;
    }
    memset(r->known, 0, sizeof r->known);
    memset(r->places, 0, sizeof r->places);
    r->epoch = r->launch_epoch = 0;
}

/* What its places are found by: the number of a pattern like it, or its own. */
static uint32_t alike(struct repeats *r, const struct access_event *e, uint32_t epoch)
{
    const uint64_t *relative = e->pattern->relative;
    uint64_t hash = e->lanes ^ (uint64_t)e->bytes << 32 ^ (uint64_t)e->kind << 40;
    for (unsigned i = 0; i < WARP_LANES; i++) {
        hash += (relative[i] + i) * HASH_MULTIPLIER << (i & 7u);
    }
    struct repeat_alike *known = &r->known[(hash ^ hash >> 32) % REPEAT_KNOWN];
    if (known->number > r->launch_epoch && known->lanes == e->lanes && known->bytes == e->bytes &&
        known->kind == (uint8_t)e->kind &&
        memcmp(known->relative, relative, sizeof known->relative) == 0) {
        return known->number;
    }
    memcpy(known->relative, relative, sizeof known->relative);
    known->lanes = e->lanes;
    known->bytes = (uint8_t)e->bytes;
    known->kind = (uint8_t)e->kind;
    return known->number = epoch;
}

/* The instruction's pattern is there for the second time, so it may stay. */
static void begin_pattern(struct repeats *r, struct repeat *own, const struct access_event *e,
                          const struct observers *to)
{
    const unsigned phases = REPEAT_LINE / e->bytes;
    if (r->epoch == UNLESS_HOSTILE(UINT32_MAX, 20)) {
        forget_epochs(r, to);
    }
    if (own->phase_room < phases) {
        free(own->phases);
        own->phases = room_new(phases, sizeof *own->phases);
        own->phase_room = (uint8_t)phases;
    }
    own->version = e->pattern->version;
    own->epoch = ++r->epoch;
    own->alike = alike(r, e, own->epoch);
    own->pc = e->pc;
    own->kind = (uint8_t)e->kind;
    own->lanes = e->lanes;
    own->uniform = e->pattern->lowest == 0 && e->pattern->highest == 0;
    own->first_place = NO_PLACE;
    own->first_count = 0;
    own->lowest = UINT64_MAX;
    own->highest = 0;
}

/* How far a request can move down until a lane of it comes into another sector. */
static uint8_t room_below(const struct access_event *e)
{
    uint64_t room = SECTOR_BYTES - 1;
    for (unsigned i = 0; i < WARP_LANES; i++) {
        const uint64_t here = e->lanes >> i & 1u ? 0 : SECTOR_BYTES - 1;
        const uint64_t behind = ((e->start + e->pattern->relative[i]) & (SECTOR_BYTES - 1)) | here;
        room = behind < room ? behind : room;
    }
    return (uint8_t)room;
}

static void note_place(struct repeats *r, const struct repeat *own, const struct warp *w,
                       uint64_t lowest)
{
    *repeat_place(r, lowest) =
        (struct repeat_place){lowest, own->alike, (uint32_t)w->block->number};
}

/* A request like this one will be known. */
static void note_phase(struct repeats *r, struct repeat *own, const struct warp *w,
                       const struct access_event *e, bool again)
{
    struct repeat_phase *at = repeat_phase(own, e->in, e->start);
    if (at->epoch != own->epoch) {
        *at = (struct repeat_phase){.epoch = own->epoch,
                                    .sectors = (uint16_t)e->cost.b,
                                    .conflicts = (uint16_t)e->cost.c,
                                    .requests = (uint8_t)e->cost.a,
                                    .below = room_below(e)};
    }
    if (own->first_place == NO_PLACE) {
        own->first_place = e->start % REPEAT_LINE;
        own->first_below = at->below;
    }
    if (!again && e->space == PTX_GLOBAL) {
        note_place(r, own, w, e->start - at->below);
    }
}

void repeats_tell(struct repeats *r, struct warp *w, struct access_event *e)
{
    const struct observers *to = w->block->observers;
    struct repeat *own = &r->of[e->in->site];
    bool again = false;
    if (own->counted && own->version != e->pattern->version) {
        tell_counted(r, own, to);
    }
    e->again = &again;
    OBSERVE(to, access, w, e);
    own->first = !own->begun ? w : own->first == w ? NULL : own->first;
    own->begun = true;
    if (own->seen != e->pattern->version) {
        own->seen = e->pattern->version;
        own->version = NO_VERSION;
        return;
    }
    if (own->version != e->pattern->version) {
        begin_pattern(r, own, e, to);
    }
    note_phase(r, own, w, e, again);
}

void repeats_touch(struct repeats *r, struct warp *w, const struct insn *in, uint64_t start)
{
    struct repeat *own = &r->of[in->site];
    const struct repeat_phase *at = repeat_phase(own, in, start);
    const struct pattern *p = &w->patterns[in->site];
    bool again = false;
    struct access_event e = {.pc = own->pc,
                             .in = in,
                             .origin = r->kernel->origin[own->pc],
                             .kind = (enum access_kind)own->kind,
                             .space = PTX_GLOBAL,
                             .bytes = in->bytes,
                             .lanes = own->lanes,
                             .low = start + (uint64_t)p->lowest,
                             .high = start + (uint64_t)p->highest + in->bytes,
                             .pattern = p,
                             .start = start,
                             .cost = {at->requests, at->sectors, at->conflicts},
                             .again = &again};
    OBSERVE(w->block->observers, touches, w, &e);
    if (!again) {
        note_place(r, own, w, start - at->below);
    }
}
