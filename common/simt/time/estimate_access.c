/* estimate_access.c - what the accesses of a launch add up to, while it runs; see estimate.h. */
#include "time/estimate_state.h"

#include <math.h>
#include <string.h>

/* TAGS: lines that L1 looks up in a cycle (an H200: loads of 32 lines each, all of which L1 has,
 * take it 8.4 cycles; local memory's are the same). */
enum { LINE_BYTES = 128, TAGS = 4 };

/* L2 takes longer for a line of which only some bytes are written. In sectors' time, times 256. */
static uint64_t extra_of_partial(const struct access_event *a, unsigned sectors, unsigned lines)
{
    const double filled = lanes_in(a->lanes) * (double)a->bytes / (32.0 * sectors);
    const double empty = filled < 1 ? 1 - filled : 0;
    return (uint64_t)(256 * lines * gpu_model.partial_line * empty * empty * sqrt(empty));
}

/* The words of four groups of eight lanes, as bits from the lowest word on; a group's words lie in
 * one sector of each of their lines. Returns false: they lie further apart than 32 words. */
static bool words_of_groups(const struct access_event *a, uint32_t group[4])
{
    const struct pattern *p = a->pattern;
    if (p == NULL || (a->high - 1) / 4 - a->low / 4 >= 32) {
        return false;
    }
    const uint32_t start = (uint32_t)a->start, low = (uint32_t)a->low / 4;
    uint32_t word[WARP_LANES];
    for (unsigned i = 0; i < WARP_LANES; i++) {
        const uint32_t at = (start + (uint32_t)p->relative[i]) / 4 - low;
        word[i] = (a->lanes >> i & 1u) << (at & 31);
    }
    for (unsigned g = 0; g < 4; g++) {
        uint64_t two[4];
        memcpy(two, word + g * (WARP_LANES / 4), sizeof two);
        const uint64_t all = two[0] | two[1] | two[2] | two[3];
        group[g] = (uint32_t)(all | all >> 32);
    }
    return true;
}

/* Local memory: word w of lane i lies at 128 w + 4 i, so lanes at one place of their arrays share a
 * line, and others do not. */
static struct footprint_local lines_of_words(const uint32_t group[4])
{
    uint32_t any = 0, several = 0;
    struct footprint_local l = {0, 0, 0};
    for (unsigned g = 0; g < 4; g++) {
        several |= any & group[g];
        any |= group[g];
        l.sectors += (uint8_t)lanes_in(group[g]);
    }
    l.lines = (uint8_t)lanes_in(any);
    l.lonely = (uint8_t)lanes_in(any & ~several);
    return l;
}

static __attribute__((noinline)) struct footprint_local
lines_far_apart(const struct access_event *a)
{
    uint64_t room[WARP_LANES], moved[WARP_LANES], lines[TOUCHED_LINES];
    uint8_t masks[TOUCHED_LINES];
    struct footprint_local l = {0, 0, 0};
    const uint64_t *address = observer_addresses(a, room);
    for (unsigned i = 0; i < WARP_LANES; i++) {
        moved[i] = address[i] / 4 * 128 + 4 * i;
    }
    l.lines = (uint8_t)touched_lines(moved, a->lanes, 4, lines, masks);
    for (unsigned i = 0; i < l.lines; i++) {
        l.sectors += (uint8_t)__builtin_popcount(masks[i]);
        l.lonely += __builtin_popcount(masks[i]) == 1;
    }
    return l;
}

static struct footprint_local local_lines(const struct access_event *a)
{
    uint32_t group[4];
    return words_of_groups(a, group) ? lines_of_words(group) : lines_far_apart(a);
}

static void add_local(struct estimate_worker *w, const struct access_event *a, uint64_t count)
{
    const struct footprint_local *l = &w->footprints[a->pc].local[a->slot][a->start % 4];
    w->local_wavefronts += count * ((l->lines + TAGS - 1u) / TAGS);
    if (a->kind == ACCESS_STORE) {
        w->local_store_sectors += count * l->sectors;
        w->lonely_stores += count * l->lonely;
        const double again = 256 * gpu_model.local_store * (l->sectors - l->lonely);
        w->partial_stores += count * (extra_of_partial(a, l->sectors, l->lines) + (uint64_t)again);
    }
}

static void access_local(struct estimate_worker *w, const struct access_event *a)
{
    w->footprints[a->pc].local[a->slot][a->start % 4] = local_lines(a);
    add_local(w, a, 1);
}

/* A constant is broadcast; each other address is another turn. */
static void access_constant(struct estimate_worker *w, const struct access_event *a)
{
    unsigned different = 0;
    for (lane_mask left = a->lanes; left != 0; different++) {
        lane_mask same = 0;
        for (unsigned i = 0; i < WARP_LANES; i++) {
            same |= (lane_mask)(a->address[i] == a->address[first_lane(left)]) << i;
        }
        left &= ~same;
    }
    w->constant_replays += different - 1;
    w->constant_loads++;
}

/* What an address in it is moved by, counted in lines, so that each allocation lies where its
 * number says: then caches see the same lines in every run. */
static uint64_t shift_of(const struct allocation *a)
{
    return (a->serial << 32) - (a->begin - a->lead) / LINE_BYTES;
}

uint64_t estimate_moved_line(const struct estimator *e, uint64_t line)
{
    const struct allocation *a = memory_find(e->memory, line * LINE_BYTES);
    if (a == NULL) { /* it begins in the middle of this line */
        a = memory_find(e->memory, line * LINE_BYTES + LINE_BYTES - 1);
    }
    return a != NULL ? line + shift_of(a) : line;
}

/* Where the lines lie in every run. Mostly in the allocation of the last time. */
static void move_lines(const struct estimator *e, struct footprint *s, const struct access_event *a,
                       struct footprint_place at, uint64_t *moved)
{
    const struct footprint_phase *p = &s->phases[at.phase];
    const uint64_t first = a->start / LINE_BYTES;
    if (a->low < s->begin || a->high > s->end) {
        const struct allocation *found = memory_find(e->memory, a->low);
        if (found == NULL || a->high > found->begin + found->bytes) {
            for (unsigned i = 0; i < at.count; i++) {
                moved[i] = estimate_moved_line(e, first + p->lines[i]);
            }
            return;
        }
        s->begin = found->begin;
        s->end = found->begin + found->bytes;
        s->shift = shift_of(found);
    }
    for (unsigned i = 0; i < at.count; i++) {
        moved[i] = first + p->lines[i] + s->shift;
    }
}

static enum sector_use use_of(const struct access_event *a)
{
    return a->kind == ACCESS_ATOMIC || a->kind == ACCESS_REDUCTION ? SECTOR_UPDATED
           : a->kind == ACCESS_STORE                               ? SECTOR_WRITTEN
                                                                   : SECTOR_READ;
}

static __attribute__((noinline)) uint32_t sampled_lines(const struct estimator *e,
                                                        struct footprint *s,
                                                        struct footprint_place at,
                                                        const struct access_event *a)
{
    uint64_t lines[TOUCHED_LINES];
    move_lines(e, s, a, at, lines);
    return caches_sampled(lines, at.count);
}

/* It is found without its key, whose parts come late from memory. */
static struct recent *recent_of(struct estimate_worker *own, uint64_t start)
{
    return &own->recent[start / FOOTPRINT_SECTOR * HASH_MULTIPLIER >> RECENT_SHIFT];
}

/* What each block reports only once: which sectors it touches, and which of their lines the L2
 * sees. Blocks of a loop ask for the same again and again. Without caches, it is not asked whether
 * a block has done so, as long as none runs beside it: sectors may be touched twice. */
static const struct recent *look_up(struct estimator *e, const struct warp *w, struct footprint *s,
                                    struct footprint_place at, const struct access_event *a)
{
    const enum sector_use how = use_of(a);
    const uint64_t key = footprint_key(s, a->start, at.twin, how), block = w->block->number;
    struct estimate_worker *own = &e->workers[w->block->worker];
    struct recent *r = recent_of(own, a->start);
    if ((e->caches != NULL || own->beside) && r->key == key && r->block == (uint32_t)block + 1) {
        return r;
    }
    const struct footprint_phase *p = &s->phases[at.phase];
    if (e->caches != NULL && (r->key != key || r->block == 0)) {
        r->sampled = sampled_lines(e, s, at, a);
    }
    touched_add(e->touched, w->block->worker, block, a->start / LINE_BYTES, p->lines, p->masks,
                at.count, how);
    r->key = key;
    r->block = (uint32_t)block + 1;
    return r;
}

/* What requests like this one add up to. */
static void add_requests(struct estimator *e, struct estimate_worker *own, struct footprint *s,
                         struct footprint_place at, const struct access_event *a, uint64_t count)
{
    const unsigned words = footprint_wavefronts(s, a), tags = (at.count + TAGS - 1) / TAGS;
    const uint64_t wavefronts = count * (words > tags ? words : tags);
    if (e->kernel->hoisted[a->pc]) {
        own->hoisted_requests += count;
    } else {
        *(use_of(a) == SECTOR_READ ? &own->load_wavefronts : &own->store_wavefronts) += wavefronts;
    }
    if (a->kind == ACCESS_LOAD || a->kind == ACCESS_STORE) {
        *(a->kind == ACCESS_LOAD ? &own->lonely_loads : &own->lonely_stores) +=
            count * s->brief[at.phase].lonely;
    }
    if (a->kind == ACCESS_STORE && a->cost.b > 0) {
        own->partial_stores += count * extra_of_partial(a, (unsigned)a->cost.b, at.count);
    }
}

static __attribute__((noinline)) void ask_caches(struct estimator *e, struct warp *w,
                                                 struct footprint *s, struct footprint_place at,
                                                 const struct access_event *a, uint32_t sampled)
{
    const struct footprint_phase *p = &s->phases[at.phase];
    uint64_t moved[TOUCHED_LINES];
    move_lines(e, s, a, at, moved);
    const struct cache_lines l = {moved,   p->masks, at.count, sampled, a->start / LINE_BYTES,
                                  p->lines};
    caches_access(e->caches, w, a, &l);
}

/* Reads that touch these lines alone may be noted: the estimate knows in which allocation the
 * instruction's last one lay. */
static void note_area(const struct footprint *s, struct touch_area *area)
{
    const uint64_t first = (s->begin + LINE_BYTES - 1) / LINE_BYTES, end = s->end / LINE_BYTES;
    *area = (struct touch_area){first, end > first ? end - first : 0, s->shift};
}

/* Which sectors it touches, and what the caches are asked for. */
static inline __attribute__((always_inline)) void touch(struct estimator *e, struct warp *w,
                                                        struct footprint *s,
                                                        struct footprint_place at,
                                                        const struct access_event *a)
{
    const struct recent *r = look_up(e, w, s, at, a);
    if (e->caches != NULL && a->area != NULL && a->kind == ACCESS_LOAD) {
        note_area(s, a->area);
    }
    if (e->caches != NULL && caches_wants(e->caches, w, a, r->sampled)) {
        if (!a->early) {
            ask_caches(e, w, s, at, a, r->sampled);
        }
        if (a->again != NULL) {
            *a->again = true;
        }
    }
}

static void access_global(struct estimator *e, struct warp *w, const struct access_event *a)
{
    struct estimate_worker *own = &e->workers[w->block->worker];
    struct footprint *s = &own->footprints[a->pc];
    estimate_noted(e, w->block->worker);
    const struct footprint_place at = footprint_find(s, a);
    s->use = (uint8_t)use_of(a);
    if (e->caches != NULL) {
        caches_request(e->caches, w, a->pc, at.count);
    }
    touch(e, w, s, at, a);
    add_requests(e, own, s, at, a, 1);
}

/* What look_up() does in short where the caches need not be asked. */
static void touch_noted(struct estimator *e, unsigned worker, const struct touch_note *n)
{
    struct estimate_worker *own = &e->workers[worker];
    const struct footprint *s = &own->footprints[e->launched->sites[n->site].insn];
    const struct footprint_place at = footprint_known(s, n->start);
    const struct footprint_phase *p = &s->phases[at.phase];
    struct recent *r = recent_of(own, n->start);
    r->key = footprint_key(s, n->start, at.twin, s->use);
    r->block = (uint32_t)own->block + 1;
    r->sampled = 0; /* else it would not be noted */
    touched_add(e->touched, worker, own->block, n->start / LINE_BYTES, p->lines, p->masks, at.count,
                (enum sector_use)s->use);
}

void estimate_noted(struct estimator *e, unsigned worker)
{
    struct touch_log *log = &e->workers[worker].log;
    for (unsigned i = 0; i < log->count; i++) {
        touch_noted(e, worker, &log->notes[i]);
    }
    log->count = 0;
}

struct touch_log *estimate_log(void *state, unsigned worker)
{
    struct estimator *e = state;
    return &e->workers[worker].log;
}

/* A repeat: what it adds up to is reported by repeats(). */
void estimate_touches(void *state, struct warp *w, const struct access_event *a)
{
    struct estimator *e = state;
    struct estimate_worker *own = &e->workers[w->block->worker];
    struct footprint *s = &own->footprints[a->pc];
    if (own->log.count == own->log.room || a->kind != ACCESS_LOAD) { /* reads need no order */
        estimate_noted(e, w->block->worker);
    }
    touch(e, w, s, footprint_known(s, a->start), a);
}

/* Each repeats a request that estimate_access() has seen, of the footprint that it has seen last.
 */
void estimate_repeats(void *state, unsigned worker, const struct access_event *a, uint64_t count)
{
    struct estimator *e = state;
    struct estimate_worker *own = &e->workers[worker];
    struct footprint *s = &own->footprints[a->pc];
    if (e->caches != NULL && a->space == PTX_LOCAL) {
        add_local(own, a, count);
    }
    if (a->space != PTX_GLOBAL) {
        return;
    }
    const struct footprint_place at = footprint_known(s, a->start);
    add_requests(e, own, s, at, a, count);
    if (e->caches != NULL) {
        caches_repeats(e->caches, worker, a->pc, at.count, count);
    }
}

/* Bulk engines: lines that follow each other, at most as many as the tables take at once. */
static void bulk_lines(struct estimator *e, struct warp *w, uint32_t pc, uint64_t address,
                       uint64_t bytes, bool writes)
{
    uint64_t lines[TOUCHED_LINES] = {0};
    uint8_t masks[TOUCHED_LINES] = {0};
    const unsigned count = touched_range(address, bytes, lines, masks);
    estimate_noted(e, w->block->worker);
    touched_add(e->touched, w->block->worker, w->block->number, 0, lines, masks, count,
                writes ? SECTOR_WRITTEN : SECTOR_READ);
    for (unsigned i = 0; e->caches != NULL && i < count; i++) {
        lines[i] = estimate_moved_line(e, lines[i]);
    }
    if (e->caches != NULL) {
        caches_bulk(e->caches, w, pc, address, bytes, writes, lines, masks);
    }
}

void estimate_bulk_row(void *state, struct warp *w, uint32_t pc, uint64_t address, uint64_t bytes,
                       bool writes)
{
    for (const uint64_t end = address + bytes; address < end;) {
        const uint64_t whole = (address / LINE_BYTES + TOUCHED_LINES) * LINE_BYTES;
        const uint64_t next = whole < end ? whole : end;
        bulk_lines(state, w, pc, address, next - address, writes);
        address = next;
    }
}

void estimate_access(void *state, struct warp *w, const struct access_event *a)
{
    struct estimator *e = state;
    if (a->space == PTX_GLOBAL) {
        access_global(e, w, a);
    } else if (e->caches != NULL && a->space == PTX_LOCAL) {
        access_local(&e->workers[w->block->worker], a);
    } else if (e->caches != NULL && a->space == PTX_CONST) {
        access_constant(&e->workers[w->block->worker], a);
    }
}
