/* repeats.c - see repeats.h. */
#include "machine/repeats.h"
#include "base/hostile.h"
#include "base/room.h"
#include "machine/kept_patterns.h"

#include <stdlib.h>
#include <string.h>

/* Apart from what every new pattern goes through. */
#define SELDOM __attribute__((noinline))

enum { SECTOR_BYTES = 32 };

/* Whoever has touches(), where nobody else has, may want notes instead. */
static struct touch_log *log_of(const struct repeats *r)
{
    static struct touch_log no_room;
    const struct observer *only = r->touched[0];
    struct touch_log *log = r->touched_count == 1 && only->touch_log != NULL
                                ? only->touch_log(only->state, r->worker)
                                : NULL;
    return log != NULL ? log : &no_room;
}

/* Another kernel may have other followers. */
static void begin_repeat(struct repeat *own, uint32_t site, unsigned slot)
{
    free(own->asks);
    *own = (struct repeat){.version = NO_VERSION,
                           .seen = NO_VERSION,
                           .phases = own->phases,
                           .phase_room = own->phase_room,
                           .slot = (uint8_t)slot,
                           .site = site};
}

void repeats_forget(struct pattern *p, struct kept_patterns *k, uint32_t site)
{
    p->repeat = site;
    for (unsigned i = 0; k->of != NULL && i < PATTERN_SLOTS; i++) {
        k->of[i].repeat = site;
    }
}

void repeats_begin(struct repeats **made, unsigned worker, const struct kernel *k,
                   const struct observers *to)
{
    if (*made == NULL) {
        *made = room_new(1, sizeof **made);
    }
    struct repeats *r = *made;
    r->of = room_extended(r->of, &r->room, k->pattern_count, sizeof *r->of);
    for (unsigned i = 0; i < k->pattern_count; i++) {
        begin_repeat(&r->of[i], i, 0);
    }
    r->launch_epoch = r->epoch;
    r->count = k->pattern_count;
    r->worker = worker;
    r->kernel = k;
    r->in_order = to->wants & OBSERVE_IN_ORDER;
    r->touched_count = 0;
    for (unsigned i = 0; i < to->count; i++) {
        if (to->list[i]->touches != NULL) {
            r->touched[r->touched_count++] = to->list[i];
        }
    }
    r->log = log_of(r);
}

static const struct led_accesses *led_by(const struct repeats *r, const struct repeat *own)
{
    static const struct led_accesses nobody = {0};
    return r->kernel->led != NULL ? &r->kernel->led[own->site] : &nobody;
}

static uint32_t number_of(const struct repeats *r, uint32_t site, unsigned slot)
{
    return slot == 0 ? site : r->of[site].others + slot - 1;
}

static void add_joint(struct repeats *r, const struct repeat *leader, uint32_t site, uint64_t start,
                      uint64_t count)
{
    struct repeat *own = &r->of[number_of(r, site, leader->slot)];
    repeat_phase(own, repeats_insn(r, site), start + own->distance)->count += count;
    own->counted = true;
    if (own->uniform) {
        const uint64_t lowest = leader->lowest + own->distance;
        const uint64_t highest = leader->highest + own->distance;
        own->lowest = lowest < own->lowest ? lowest : own->lowest;
        own->highest = highest > own->highest ? highest : own->highest;
    }
}

/* What was counted by the leader alone becomes a count of each. */
static void share_out(struct repeats *r, struct repeat *leader)
{
    const struct led_accesses *led = led_by(r, leader);
    const struct insn *in = leader->last_told.in;
    if (leader->first_ready) {
        repeat_phase(leader, in, leader->first_place)->joint += leader->first_count;
        leader->first_count = 0;
    }
    for (unsigned i = leader->lowest_phase; i <= leader->highest_phase; i++) {
        struct repeat_phase *at = &leader->phases[i];
        if (at->epoch == leader->epoch && at->joint > 0) {
            for (unsigned k = 0; k < led->count; k++) {
                add_joint(r, leader, r->kernel->led_sites[led->first + k], i * in->bytes,
                          at->joint);
            }
            at->count += at->joint;
            at->joint = 0;
        }
    }
}

/* What the requests of an instruction have come to since the last time. */
static void tell_counted(struct repeats *r, struct repeat *own, const struct observers *to)
{
    if (led_by(r, own)->count > 0) {
        share_out(r, own);
    }
    struct access_event e = own->last_told;
    e.low = own->lowest;
    e.high = own->highest;
    e.pattern = NULL; /* it may be another one by now */
    repeat_phase(own, e.in, own->first_place)->count += own->first_count;
    own->first_count = 0;
    for (unsigned i = own->lowest_phase; i <= own->highest_phase; i++) {
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
    for (unsigned i = 0; i < r->count; i++) { /* leaders may share out to those before them */
        if (r->of[i].counted && led_by(r, &r->of[i])->count > 0) {
            share_out(r, &r->of[i]);
        }
    }
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
        free(r->of[i].asks);
    }
    if (r != NULL) {
        free(r->of);
    }
    free(r);
}

static SELDOM void make_others(struct repeats *r, uint32_t site)
{
    const uint32_t others = r->count;
    r->count += PATTERN_SLOTS - 1;
    r->of = room_extended(r->of, &r->room, r->count, sizeof *r->of);
    for (unsigned slot = 1; slot < PATTERN_SLOTS; slot++) {
        begin_repeat(&r->of[others + slot - 1], site, slot);
        r->of[others + slot - 1].first = r->of[site].first;
    }
    r->of[site].others = others;
}

/* Those that the pattern is counted by, which has just been found to be the instruction's. */
static struct repeat *repeat_for(struct repeats *r, struct pattern *p, const struct insn *in)
{
    const unsigned slot = in->space == PTX_GLOBAL ? 0 : p->slot;
    if (slot != 0 && r->of[in->site].others == 0) {
        make_others(r, in->site);
    }
    p->repeat = number_of(r, in->site, slot);
    return &r->of[p->repeat];
}

/* Who made the instruction's first request, and has made no second one? */
static SELDOM void note_first(struct repeats *r, struct repeat *of_site, const struct warp *w)
{
    if (of_site->begun && of_site->first != w) {
        return;
    }
    const struct warp *first = of_site->begun ? NULL : w;
    of_site->begun = true;
    of_site->first = first;
    for (unsigned slot = 1; of_site->others != 0 && slot < PATTERN_SLOTS; slot++) {
        r->of[of_site->others + slot - 1].first = first;
    }
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
    own->alike = alike(r, e, own->epoch) * 0xa0761d6478bd642fu;
    own->last_told = *e;
    own->last_told.area = NULL;
    own->uniform = e->pattern->lowest == 0 && e->pattern->highest == 0;
    own->first_place = NO_PLACE;
    own->first_ready = false;
    own->first_count = 0;
    own->lowest = UINT64_MAX;
    own->highest = 0;
    own->lowest_phase = UINT8_MAX;
    own->highest_phase = 0;
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

/* The lines that it touches if these are one or two: see struct repeat_phase. */
static void find_lines(const struct access_event *e, int32_t lines[2])
{
    const uint64_t place = e->start % REPEAT_LINE;
    const int64_t low = ((int64_t)place + e->pattern->lowest) >> 7;
    const int64_t high = ((int64_t)place + e->pattern->highest) >> 7;
    uint64_t between = 0;
    for (unsigned i = 0; i < WARP_LANES; i++) { /* lanes that are off have the first one's place */
        const int64_t line = (int64_t)(place + e->pattern->relative[i]) >> 7;
        between |= (uint64_t)(line != low && line != high);
    }
    const bool few = between == 0 && low >= INT32_MIN && high <= INT32_MAX;
    lines[0] = few ? (int32_t)low : 1;
    lines[1] = few ? (int32_t)high : 0;
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
        if (r->log->samples) {
            find_lines(e, at->lines);
        }
        const uint8_t phase = (uint8_t)(at - own->phases);
        own->lowest_phase = phase < own->lowest_phase ? phase : own->lowest_phase;
        own->highest_phase = phase > own->highest_phase ? phase : own->highest_phase;
    }
    if (own->first_place == NO_PLACE) {
        own->first_place = e->start % REPEAT_LINE;
        own->first_below = at->below;
    }
    if (!again && e->space == PTX_GLOBAL) {
        repeats_note_place(r, own, w, e->start - at->below);
    }
}

static struct access_event event_of(const struct repeats *r, const struct warp *w,
                                    const struct insn *in, lane_mask lanes, uint64_t start)
{
    const struct pattern *p = &w->patterns[in->site];
    const uint32_t pc = (uint32_t)(in - r->kernel->code);
    return (struct access_event){
        .pc = pc,
        .in = in,
        .origin = r->kernel->origin[pc],
        .kind = r->kernel->handlers[pc]->event == EVENT_STORE ? ACCESS_STORE : ACCESS_LOAD,
        .space = (enum ptx_space)in->space,
        .bytes = in->bytes,
        .lanes = lanes,
        .low = start + (uint64_t)p->lowest,
        .high = start + (uint64_t)p->highest + in->bytes,
        .pattern = p,
        .slot = in->space == PTX_GLOBAL ? 0 : p->slot,
        .start = start};
}

/* What it has just added to its counters. */
static struct site cost_of(const struct access_event *e)
{
    const struct pattern *p = e->pattern;
    switch (e->space) {
    case PTX_GLOBAL:
        return (struct site){1, p->sectors[e->start % SECTOR_BYTES], 0};
    case PTX_SHARED:
        return e->in->flags & INSN_MERGED ? (struct site){0, 0, 0}
                                          : (struct site){1, p->wavefronts, p->conflicts};
    default:
        return (struct site){0, 0, 0};
    }
}

void repeats_tell(struct repeats *r, struct warp *w, const struct insn *in, lane_mask lanes,
                  uint64_t start, const struct site *cost)
{
    const struct observers *to = w->block->observers;
    struct repeat *own = repeat_for(r, &w->patterns[in->site], in);
    struct access_event e = event_of(r, w, in, lanes, start);
    bool again = false;
    e.cost = cost != NULL ? *cost : cost_of(&e);
    e.again = &again;
    e.area = &own->area;
    if (own->counted && own->version != e.pattern->version) {
        tell_counted(r, own, to);
    }
    OBSERVE(to, access, w, &e);
    if (!own->begun || own->first == w) {
        note_first(r, &r->of[in->site], w);
        own->begun = true;
    }
    if (own->seen != e.pattern->version) {
        own->seen = e.pattern->version;
        own->version = NO_VERSION;
        return;
    }
    if (own->version != e.pattern->version) {
        begin_pattern(r, own, &e, to);
    }
    note_phase(r, own, w, &e, again);
}

bool repeats_touch(struct repeats *r, struct warp *w, const struct insn *in, uint64_t start)
{
    struct repeat *own = &r->of[in->site];
    const struct repeat_phase *at = repeat_phase(own, in, start);
    struct access_event *e = &own->last_told;
    bool again = false;
    e->start = start;
    e->low = start + (uint64_t)e->pattern->lowest;
    e->high = start + (uint64_t)e->pattern->highest + in->bytes;
    e->cost = (struct site){at->requests, at->sectors, at->conflicts};
    e->again = &again;
    e->area = &own->area;
    for (unsigned i = 0; i < r->touched_count; i++) {
        r->touched[i]->touches(r->touched[i]->state, w, e);
    }
    e->again = NULL;
    e->area = NULL;
    if (!again) {
        repeats_note_place(r, own, w, start - at->below);
    }
    return again;
}
