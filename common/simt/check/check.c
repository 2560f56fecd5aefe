/* check.c - from the machine's events to the checkers. See check.h. */
#include "check/check_state.h"
#include "base/room.h"
#include "check/init.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORKSPACE_BYTES = 256 }; /* of grid.sync() */
#define OTHERS (UINT64_MAX - 1) /* the key of findings that have only words */

/* ---- launches and blocks --------------------------------------------------------------------- */

static void on_block_begin(void *state, struct block *b) { check_begin_block(state, b); }

static void on_block_end(void *state, struct block *b)
{
    cluster_block_ends(state, b);
    check_end_block(state, b);
}

static bool is_valid(void *state, const struct allocation *a) { return check_is_valid(state, a); }

/* k: the kernel that is about to run, or NULL. Only products of warpgroups use registers behind the
 * instruction, so each step of kernels that have them is reported. */
static unsigned wants_of(unsigned what, const struct kernel *k)
{
    unsigned wants = 0;
    if (what & (CHECK_RACES | CHECK_UNINITIALISED)) {
        wants = OBSERVE_ACCESSES | OBSERVE_STORES | OBSERVE_IMAGES | OBSERVE_ORDER;
    }
    if (what & CHECK_RACES && k != NULL && k->multiplies_shared) {
        wants |= OBSERVE_STEPS;
    }
    if (what & CHECK_UNINITIALISED) {
        wants |= OBSERVE_LATER_STEPS;
    }
    return wants;
}

static void on_launch_begin(void *state, const struct launch_event *launch)
{
    struct check *c = state;
    c->launch = *launch;
    c->observer.wants = wants_of(c->what, launch->kernel);
    check_begin_launch(c);
    check_inspect(c, launch->kernel);
    check_take_changes(c);
    c->observer.quiet = unwritten_of(c->unwritten, launch, is_valid, c);
    c->observer.in_turn = check_may_share_out(c, launch, c->observer.quiet);
    if (c->observer.in_turn) {
        check_make_workers(c, launch->workers);
    }
    c->observer.serial = !c->observer.in_turn;
    c->observer.turns = c->what & CHECK_RACES && c->polls ? c->turns : NULL;
    c->runner = pthread_self();
    c->running = true;
}

static void on_launch_end(void *state, const struct launch_event *launch)
{
    struct check *c = state;
    c->running = false;
    c->failed |= !launch->good;
    findings_print(c->findings);
    if (!c->has_said_forgotten && race_has_forgotten(c->race)) {
        c->has_said_forgotten = true;
        check_say_forgotten(launch->kernel);
    }
}

/* ---- accesses -------------------------------------------------------------------------------- */

/* Memory in which libraries keep their own barriers. */
static bool is_reserved(const struct block *b, const struct access_event *e)
{
    uint64_t first = e->address[first_lane(e->lanes)];
    return e->space == PTX_SHARED ? b->kernel->uses_reserved && first >= b->reserved_offset
                                  : b->workspace != 0 && first - b->workspace < WORKSPACE_BYTES;
}

/* PTX has a fence behind each load of a flag that is no acquire. Volatile loads and atomics come
 * from before there were orders to name: a barrier does for the ones, nothing is needed for the
 * others, as NVIDIA's samples have it. Whoever writes "relaxed" has named one. */
static enum order_behind orders_behind(const struct access_event *e, const struct insn_info *info,
                                       unsigned what)
{
    if (info->acquires || (what == TOUCH_ATOMIC && !info->swaps_lock)) {
        return BEHIND_ITSELF;
    }
    const bool is_relaxed = what == TOUCH_LOAD && ptx_has_modifier(e->origin, WORD_RELAXED);
    return is_relaxed && e->space == PTX_GLOBAL ? BEHIND_FENCE : BEHIND_BARRIER;
}

static void follow_flags(struct check *c, struct checked_block *own, struct order_warp *w,
                         const struct access_event *e, const struct insn_info *info,
                         lane_mask writers)
{
    const unsigned what = touch_kind_of(e->kind);
    const uint64_t base = e->space == PTX_SHARED ? own->race.shared_base : 0;
    const bool reads = what != TOUCH_STORE;
    const enum order_behind behind = orders_behind(e, info, what);
    own->order.flags |= writers != 0;
    if (writers != 0 && e->space == PTX_GLOBAL) {
        race_flags_seen(c->race);
        race_flags_seen(own->worker->race);
    }
    for (lane_mask left = e->lanes; left != 0; left &= left - 1) {
        unsigned lane = first_lane(left);
        uint64_t key = base + e->address[lane];
        if (reads && order_has_flags(own->order.order)) {
            order_acquire(w, lane, key, behind);
        }
        if (writers >> lane & 1u) {
            order_release(w, lane, key, (enum order_scope)info->scope, info->releases);
            (info->locks ? order_takes_lock : order_gives_lock)(w, lane, key);
        }
    }
}

static void race_event(struct check *c, struct warp *w, const struct access_event *e)
{
    const struct insn_info *info = &c->infos[e->pc];
    struct checked_block *own = check_block(c, w->block);
    const struct touched_by by = {w, e, w->block};
    if (own == NULL || (e->space != PTX_GLOBAL && e->space != PTX_SHARED)) {
        return;
    }
    if (!is_reserved(w->block, e)) {
        struct touch t = touch_made(&by, info, &own->order);
        check_touch(c, own, w, &t);
    }
    if (info->what & TOUCH_STRONG) {
        follow_flags(c, own, &own->order.warps[w->number], e, info, touch_writers(&by));
    }
}

static void bulk_event(struct check *c, const struct warp *w, const struct access_event *e)
{
    struct checked_block *own = check_block(c, w->block);
    if (own != NULL && own->bulk != NULL) {
        bulk_access(c, own, w, e);
    }
}

/* What is asked of each access; true: initialisation as well. */
static bool see_access(struct check *c, struct warp *w, const struct access_event *e)
{
    if (e->space == PTX_GLOBAL && !turn_has_come(w->block)) {
        return false;
    }
    neighbours_access(c, w, e);
    if (c->what & CHECK_RACES) {
        race_event(c, w, e);
        bulk_event(c, w, e);
    }
    return c->what & CHECK_UNINITIALISED && !is_reserved(w->block, e);
}

static void on_access(void *state, struct warp *w, const struct access_event *e)
{
    struct check *c = state;
    if (e->kind != ACCESS_STORE && see_access(c, w, e)) { /* on_store has had that */
        init_access(c, check_block(c, w->block), w, e);
    }
}

/* True: there is no more to it. */
static bool on_shared_access(void *state, struct warp *w, const struct shared_access *a)
{
    struct check *c = state;
    struct checked_block *own = check_block(c, w->block);
    return own != NULL && own->bulk == NULL && c->infos[a->pc].what == 0 &&
           !(c->shares_locals && a->bytes >= 8) && !w->block->kernel->uses_reserved &&
           a->high <= w->block->shared_bytes && neighbours_stay(c, a) &&
           (!(c->what & CHECK_UNINITIALISED) || init_shared_access(own, w, a)) &&
           (!(c->what & CHECK_RACES) ||
            race_shared_access(own->worker->race, &own->race, w->number, a));
}

static void on_store(void *state, struct warp *w, const struct access_event *e)
{
    struct check *c = state;
    if (see_access(c, w, e)) {
        init_store(c, check_block(c, w->block), w, e);
    }
}

static void on_image(void *state, struct warp *w, const struct access_event *e)
{
    struct check *c = state;
    if (e->kind == ACCESS_STORE) {
        on_store(state, w, e);
        return;
    }
    if (!turn_has_come(w->block)) {
        return;
    }
    if (c->what & CHECK_RACES) {
        race_event(c, w, e);
    }
    if (c->what & CHECK_UNINITIALISED) {
        init_texels(c, check_block(c, w->block), w, e);
    }
}

static void on_result(void *state, struct warp *w, const struct access_event *e)
{
    struct check *c = state;
    if (c->what & CHECK_UNINITIALISED && (e->space != PTX_GLOBAL || turn_has_come(w->block))) {
        init_given(c, check_block(c, w->block), w, e);
    }
}

static void on_step(void *state, struct warp *w, uint32_t pc, lane_mask lanes)
{
    struct check *c = state;
    struct checked_block *own = check_block(c, w->block);
    if (c->what & CHECK_RACES) {
        products_step(c, own, w, pc, lanes);
        unfenced_step(c, own, w, pc, lanes);
    }
    if (c->what & CHECK_UNINITIALISED) {
        init_step(c, own, w, pc, lanes);
    }
}

/* ---- order ----------------------------------------------------------------------------------- */

static void on_warp_sync(void *state, struct warp *w, uint32_t pc, lane_mask lanes)
{
    struct check *c = state;
    struct checked_block *own = check_block(c, w->block);
    order_warp_sync(&own->order.warps[w->number], lanes);
    if (c->what & CHECK_UNINITIALISED) {
        init_shuffle(c, own, w, pc, lanes);
    }
}

static void on_barrier(void *state, struct warp *w, uint32_t pc, unsigned id, bool waits)
{
    (void)pc;
    struct checked_block *own = check_block(state, w->block);
    own->partial[id] = !w->block->barriers[id].whole_block;
    if (own->partial[id]) {
        order_arrive(&own->order.warps[w->number], id);
    }
    if (waits) {
        own->waiting[id] |= 1u << w->number;
    }
}

static void on_barrier_open(void *state, struct warp *w, unsigned id)
{
    struct check *c = state;
    struct checked_block *own = check_block(c, w->block);
    if (own->partial[id]) {
        order_open_barrier(&own->order, id, own->waiting[id]);
    } else {
        order_barrier(&own->order);
        if (!own->race.copies) {
            interval_next(&own->race.interval);
        }
        init_barrier(c, own, w->block);
    }
    own->waiting[id] = 0;
}

static void on_fence(void *state, struct warp *w, uint32_t pc, lane_mask lanes,
                     enum fence_scope scope)
{
    (void)pc;
    struct checked_block *own = check_block(state, w->block);
    order_fence(&own->order.warps[w->number], lanes,
                scope == FENCE_BLOCK ? ORDER_BLOCK : ORDER_DEVICE);
}

static void on_async(void *state, struct warp *w, uint32_t pc, lane_mask lanes,
                     enum async_kind kind, unsigned groups)
{
    const struct check *c = state;
    struct order_warp *ow = &check_block(state, w->block)->order.warps[w->number];
    if (kind == ASYNC_COMMIT) {
        order_async_commit(ow, lanes);
    } else {
        bool all = ptx_has_modifier(c->launch.kernel->origin[pc], WORD_WAIT_ALL);
        order_async_wait(ow, lanes, groups, all);
    }
}

static void on_mbarrier(void *state, struct warp *w, uint32_t pc, unsigned lane,
                        enum mbarrier_kind kind, uint64_t offset, unsigned phase)
{
    check_mbarrier(state, check_block(state, w->block), w, pc, lane, kind, offset, phase);
}

static void on_bulk(void *state, struct warp *w, uint32_t pc, unsigned lane,
                    const struct bulk_event *e)
{
    struct check *c = state;
    if (!(c->what & CHECK_RACES)) {
        return;
    }
    struct checked_block *own = check_block(c, w->block);
    struct checked_block *owner = e->block != NULL ? check_block(c, e->block) : own;
    bulk_copy(c, own, owner, w, pc, lane, e);
    if (e->kind == BULK_FILLS && owner != NULL && owner != own) {
        cluster_arrives(own, owner, w, lane, e->mbarrier);
    }
    products_event(own, w, pc, e);
}

static void on_proxy_fence(void *state, struct warp *w, uint32_t pc, lane_mask lanes)
{
    (void)pc;
    bulk_fence(check_block(state, w->block), w, lanes);
}

static void on_leave(void *state, struct warp *w, uint32_t pc, lane_mask lanes)
{
    (void)pc;
    order_exit(&check_block(state, w->block)->order.warps[w->number], lanes);
}

/* ---- opening --------------------------------------------------------------------------------- */

bool check_parse(const char *text, unsigned *what, struct err *e)
{
    static const struct {
        const char *word;
        unsigned what;
    } words[] = {{"memory", 0}, /* always on */
                 {"races", CHECK_RACES}, {"uninitialised", CHECK_UNINITIALISED},
                 {"leaks", CHECK_LEAKS}, {"errors", CHECK_ERRORS},
                 {"all", CHECK_ALL}};
    *what = 0;
    for (const char *at = text; at != NULL && *at != '\0';) {
        size_t length = strcspn(at, ",");
        unsigned i = 0;
        while (i < ARRAY_LENGTH(words) &&
               (strlen(words[i].word) != length || strncmp(at, words[i].word, length) != 0)) {
            i++;
        }
        if (i == ARRAY_LENGTH(words)) {
            return err_set(
                e,
                "SIMT_CHECK=%.80s: it is memory, races, uninitialised, leaks, errors (or some "
                "of them with commas between), or all",
                text);
        }
        *what |= words[i].what;
        at += length + (at[length] == ',');
    }
    return true;
}

struct check *check_open(unsigned what)
{
    struct check *c = room_new(1, sizeof *c);
    c->what = what;
    pthread_mutex_init(&c->changes_lock, NULL);
    c->shadow = shadow_open();
    c->findings = findings_open();
    c->roots = room_new(ROOTS, sizeof *c->roots);
    c->unwritten = unwritten_open();
    c->race = race_open(c->shadow, check_report_global_race, c);
    check_make_workers(c, 1);
    c->observer = (struct observer){.state = c,
                                    .wants = wants_of(what, NULL),
                                    .step_block = EVERY_BLOCK,
                                    .step = on_step,
                                    .serial = true,
                                    .launch_begin = on_launch_begin,
                                    .launch_end = on_launch_end,
                                    .block_begin = on_block_begin,
                                    .block_end = on_block_end,
                                    .access = on_access,
                                    .shared_access = on_shared_access,
                                    .before_store = on_store,
                                    .image = on_image,
                                    .result = on_result,
                                    .barrier = on_barrier,
                                    .barrier_open = on_barrier_open,
                                    .warp_sync = on_warp_sync,
                                    .fence = on_fence,
                                    .async = on_async,
                                    .mbarrier = on_mbarrier,
                                    .bulk = on_bulk,
                                    .proxy_fence = on_proxy_fence,
                                    .cluster_open = cluster_opens,
                                    .remote = cluster_access,
                                    .remote_arrive = cluster_arrival,
                                    .leave = on_leave};
    return c;
}

void check_close(struct check *c)
{
    if (c == NULL) {
        return;
    }
    check_free_workers(c);
    free(c->infos);
    free(c->turns);
    free(c->changes);
    free(c->roots);
    map_free(&c->locals);
    pthread_mutex_destroy(&c->changes_lock);
    race_close(c->race);
    unwritten_close(c->unwritten);
    findings_close(c->findings);
    shadow_close(c->shadow);
    free(c);
}

void check_attach(struct check *c, struct memory *m)
{
    c->memory = m;
    check_listen(c, m);
}

const struct observer *check_observer(const struct check *c) { return &c->observer; }

void check_add_finding(struct check *c, const char *identity, const char *text)
{
    findings_add(c->findings, OTHERS, 0, 0, identity, text);
}

void check_print_findings(struct check *c) { findings_print(c->findings); }

uint64_t check_findings(const struct check *c) { return findings_total(c->findings); }

void check_visit_findings(const struct check *c, findings_visitor *visit, void *state)
{
    findings_visit(c->findings, visit, state);
}
