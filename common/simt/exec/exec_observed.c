/* exec_observed.c - instructions that tell: each runs its handler, and then the observers.
 *
 * The copy of the code differs from the kernel's in `run` alone. What a handler is about to do to
 * memory is read off its operands before it runs, since a load may overwrite its own address. */
#include "exec/exec_observed.h"
#include "base/room.h"
#include "exec/exec_address.h"
#include "exec/observed_access.h"
#include "exec/observed_kernel.h"
#include "exec/observed_led.h"
#include "exec/exec_values.h"
#include "machine/cluster.h"
#include "machine/turn.h"

#include <stdlib.h>
#include <string.h>

/* Which observers want an event: enum observe_wants. */
static const unsigned wanted_by[EVENT_COUNT] = {
    [EVENT_LOAD] = OBSERVE_ACCESSES,      [EVENT_STORE] = OBSERVE_ACCESSES | OBSERVE_STORES,
    [EVENT_ATOMIC] = OBSERVE_ACCESSES,    [EVENT_COPY] = OBSERVE_ACCESSES,
    [EVENT_BRANCH] = OBSERVE_BRANCHES,    [EVENT_TABLE_BRANCH] = OBSERVE_BRANCHES,
    [EVENT_BARRIER] = OBSERVE_ORDER,      [EVENT_ARRIVE] = OBSERVE_ORDER,
    [EVENT_SYNC_A] = OBSERVE_ORDER,       [EVENT_SYNC_B] = OBSERVE_ORDER,
    [EVENT_SYNC_MEMBERS] = OBSERVE_ORDER, [EVENT_FENCE] = OBSERVE_ORDER,
    [EVENT_ASYNC] = OBSERVE_ORDER,        [EVENT_MBARRIER] = OBSERVE_ORDER,
    [EVENT_BULK] = OBSERVE_ORDER,         [EVENT_WARPGROUP] = OBSERVE_ORDER,
    [EVENT_IMAGE] = OBSERVE_IMAGES,       [EVENT_EXIT] = OBSERVE_ORDER,
};

static enum handler_event classify(const struct insn *in, const struct handler *handler,
                                   unsigned wants)
{
    const enum handler_event event = handler->event;
    const bool made_of_guard = event == EVENT_BRANCH && in->flags & INSN_UNCOUNTED;
    const bool beyond = wants & OBSERVE_BEYOND_SHARED && wanted_by[event] & OBSERVE_ACCESSES &&
                        in->space != PTX_SHARED;
    return (wants & wanted_by[event] || beyond) && !made_of_guard ? event : EVENT_QUIET;
}

static const struct observers *observed_by(const struct warp *w) { return w->block->observers; }

/* --- telling ---------------------------------------------------------------------------------- */

/* Of a generic instruction's sites the second is shared memory's, the third the rest's. */
static unsigned site_offset(const struct insn *in, enum ptx_space space)
{
    if (in->space != PTX_GENERIC || space == PTX_GLOBAL) {
        return 0;
    }
    return space == PTX_SHARED ? 1 : 2;
}

static const struct insn *tell_access(struct warp *w, const struct insn *in, exec_fn run,
                                      struct access_event *event)
{
    uint64_t generic[WARP_LANES], room[WARP_LANES];
    struct site before[3];
    const unsigned sites = in->space == PTX_GENERIC ? 3 : 1;
    lane_mask left = observed_lanes(w, in);
    observed_addresses(w, in, generic);
    if (in->flags & INSN_CLUSTER || in->space == PTX_GENERIC) {
        left = observed_remote(w, in, generic, left, *event);
    }
    if (event->kind == ACCESS_STORE && observed_by(w)->wants & OBSERVE_STORES) {
        observed_stores(w, in, generic, event, left);
    }
    for (unsigned i = 0; i < sites; i++) {
        before[i] = w->sites[in->site + i];
    }
    const struct insn *next = run(w, in);
    while (next != NULL && left != 0) {
        event->lanes = left;
        event->address = observed_resolve(in, generic, &event->lanes, &event->space, room);
        event->bytes = in->bytes;
        observed_bounds(event);
        unsigned which = site_offset(in, event->space);
        event->cost = observed_cost(&w->sites[in->site + which], &before[which]);
        OBSERVE(observed_by(w), access, w, event);
        left &= ~event->lanes;
    }
    return next;
}

static const struct insn *tell_unless_astray(struct warp *w, const struct insn *in, exec_fn run,
                                             struct access_event *event)
{
    const struct observed_kernel *o = observed_copy_of(w->block->kernel);
    if (in->space == PTX_GLOBAL || in->space == PTX_GENERIC) {
        turn_has_come(w->block); /* what others have stored is there, now and each time */
    }
    const lane_mask strays = strays_known(o->strays, w, in, event->pc);
    return strays != 0 ? strays_leave(w, in, event->pc, strays)
                       : strays_after(o->strays, w, in, event->pc, tell_access(w, in, run, event));
}

/* Behind an access that others may wait for, an observer may want them to go on at once. */
static const struct insn *give_turn(struct warp *w, uint32_t pc, const struct insn *next)
{
    const bool *turns = observed_by(w)->turns;
    return next != NULL && turns != NULL && turns[pc] ? warp_end_turn(w, next) : next;
}

/* Behind some of the loads, too: what is done then is done by what was seen before. */
static const struct insn *give_turn_behind_load(struct warp *w, uint32_t pc,
                                                const struct insn *next)
{
    const bool *turns = observed_by(w)->turns;
    return next != NULL && turns != NULL && turns[pc] ? warp_may_end_turn(w, next) : next;
}

/* Instructions that touch memory in other ways than a load or a store does. */
static __attribute__((noinline)) const struct insn *tell_other_access(struct warp *w,
                                                                      const struct insn *in,
                                                                      uint32_t pc, exec_fn run,
                                                                      enum handler_event event)
{
    const struct observed_kernel *o = observed_copy_of(w->block->kernel);
    struct access_event access = {.pc = pc, .in = in, .origin = o->kernel.origin[pc]};
    if (event == EVENT_COPY) {
        return observed_copy(w, in, run, access);
    }
    if (event == EVENT_IMAGE) {
        return observed_image(w, in, run, access);
    }
    access.kind = in->d == NO_REF ? ACCESS_REDUCTION : ACCESS_ATOMIC;
    if (o->wants & OBSERVE_ORDER && observed_may_arrive(w, in) && warp_give_way(w, in) == NULL) {
        return NULL;
    }
    return give_turn(w, pc, tell_unless_astray(w, in, run, &access));
}

static const struct insn *tell(struct warp *w, const struct insn *in)
{
    const struct observed_kernel *o = observed_copy_of(w->block->kernel);
    const uint32_t pc = (uint32_t)(in - o->kernel.code);
    const struct ptx_insn *origin = o->kernel.origin[pc];
    const exec_fn run = o->run[pc];
    const enum handler_event event = o->event[pc] & ~FIRST_OF_INSN;
    if (*o->steps && o->event[pc] & FIRST_OF_INSN) {
        OBSERVE(observed_by(w), step, w, pc, observed_lanes(w, in));
    }
    switch (event) {
    case EVENT_ATOMIC:
    case EVENT_COPY:
    case EVENT_IMAGE:
        return tell_other_access(w, in, pc, run, event);
    case EVENT_BRANCH:
        observed_branch(w, in, pc);
        break;
    case EVENT_TABLE_BRANCH:
        observed_table_branch(w, in, pc);
        break;
    case EVENT_BARRIER:
        return observed_barrier(w, in, pc, run, true);
    case EVENT_ARRIVE:
        return observed_barrier(w, in, pc, run, false);
    case EVENT_SYNC_A:
        return observed_if_synced(w, in, pc, run, in->a);
    case EVENT_SYNC_B:
        return observed_if_synced(w, in, pc, run, in->b);
    case EVENT_SYNC_MEMBERS:
        return observed_if_synced(w, in, pc, run, (uint32_t)in->members);
    case EVENT_FENCE:
        if (ptx_has_modifier(origin, WORD_PROXY)) {
            OBSERVE(observed_by(w), proxy_fence, w, pc, observed_lanes(w, in));
            break;
        }
        OBSERVE(observed_by(w), fence, w, pc, observed_lanes(w, in), observed_fence_scope(origin));
        break;
    case EVENT_ASYNC:
        observed_async(w, origin, pc, observed_lanes(w, in));
        break;
    case EVENT_MBARRIER:
        return observed_mbarrier(w, in, origin, pc, run);
    case EVENT_BULK:
        return observed_bulk(w, in, origin, pc, run);
    case EVENT_WARPGROUP:
        return observed_warpgroup(w, in, origin, pc, run);
    case EVENT_EXIT:
        return observed_exit(w, in, pc, run);
    case EVENT_LOAD: /* tell_plain() */
    case EVENT_STORE:
    case EVENT_QUIET:
    case EVENT_COUNT:
        break;
    }
    return run(w, in);
}

/* An access of which an observer says at once that there is no more to it. */
static bool is_short(struct warp *w, const struct insn *in, uint32_t pc, bool writes)
{
    const struct observer *only = observed_by(w)->only;
    alignas(64) uint32_t address[WARP_LANES];
    if (in->space != PTX_SHARED) {
        return !writes && observed_is_quiet(w, in, pc);
    }
    const lane_mask lanes = observed_lanes(w, in);
    if (only == NULL || only->shared_access == NULL || lanes == 0 || in->flags & INSN_CLUSTER) {
        return false;
    }
    struct shared_access access;
    access.pc = pc;
    access.lanes = lanes;
    access.writes = writes;
    observed_shared_access(w, in, &access, address);
    return only->shared_access(only->state, w, &access);
}

/* Most of what checked kernels do: loads and stores of which there is little to say. */
static const struct insn *tell_plain(struct warp *w, const struct insn *in)
{
    const struct observed_kernel *o = observed_copy_of(w->block->kernel);
    const uint32_t pc = (uint32_t)(in - o->kernel.code);
    const bool writes = (o->event[pc] & ~FIRST_OF_INSN) == EVENT_STORE;
    if (*o->steps && o->event[pc] & FIRST_OF_INSN) {
        OBSERVE(observed_by(w), step, w, pc, observed_lanes(w, in));
    }
    if (is_short(w, in, pc, writes)) {
        return strays_after(o->strays, w, in, pc, o->run[pc](w, in));
    }
    struct access_event event = {.pc = pc,
                                 .in = in,
                                 .origin = o->kernel.origin[pc],
                                 .kind = writes ? ACCESS_STORE : ACCESS_LOAD};
    const struct insn *next = tell_unless_astray(w, in, o->run[pc], &event);
    return writes ? give_turn(w, pc, next) : give_turn_behind_load(w, pc, next);
}

static __attribute__((noinline)) const struct insn *tell_new_branch(struct warp *w,
                                                                    const struct insn *in)
{
    const struct observed_kernel *o = observed_copy_of(w->block->kernel);
    const uint32_t pc = (uint32_t)(in - o->kernel.code);
    const struct observer *only = observed_by(w)->branching[0];
    if (observed_by(w)->branching_count != 1) {
        observed_branch(w, in, pc);
    } else {
        only->branch(only->state, w, pc, w->active, observed_taken(w, in));
    }
    return o->run[pc](w, in);
}

/* A branch whose step is not reported. What is seldom has a function of its own: so this one, which
 * nearly every branch goes through, saves one register instead of three. */
static const struct insn *tell_branch(struct warp *w, const struct insn *in)
{
    const struct observed_kernel *o = observed_copy_of(w->block->kernel);
    const uint32_t pc = (uint32_t)(in - o->kernel.code);
    const struct observers *to = observed_by(w);
    if (to->branching_count != 1 ||
        !branch_is_counted(to->branching[0], w, pc, observed_taken(w, in))) {
        return tell_new_branch(w, in);
    }
    return o->run[pc](w, in);
}

/* A barrier whose step is not reported. */
static const struct insn *tell_barrier(struct warp *w, const struct insn *in)
{
    const struct observed_kernel *o = observed_copy_of(w->block->kernel);
    const uint32_t pc = (uint32_t)(in - o->kernel.code);
    return observed_barrier(w, in, pc, o->run[pc], true);
}

/* Whoever observes can do without addresses. */
static const struct insn *tell_pattern(struct warp *w, const struct insn *in)
{
    const struct observed_kernel *o = observed_copy_of(w->block->kernel);
    const uint32_t pc = (uint32_t)(in - o->kernel.code);
    struct access_event event = {.pc = pc,
                                 .in = in,
                                 .origin = o->kernel.origin[pc],
                                 .kind = o->event[pc] == EVENT_LOAD ? ACCESS_LOAD : ACCESS_STORE};
    return observed_pattern(w, o->run[pc], &event);
}

static const struct insn *tell_atomic(struct warp *w, const struct insn *in)
{
    const struct observed_kernel *o = observed_copy_of(w->block->kernel);
    const uint32_t pc = (uint32_t)(in - o->kernel.code);
    struct access_event event = {.pc = pc,
                                 .in = in,
                                 .origin = o->kernel.origin[pc],
                                 .kind = in->d == NO_REF ? ACCESS_REDUCTION : ACCESS_ATOMIC};
    return observed_pattern(w, o->run[pc], &event);
}

/* --- making the copy -------------------------------------------------------------------------- */

/* What it does to memory can be told by its pattern: alone, its step is not reported. */
static bool has_pattern(const struct observed_kernel *o, uint32_t pc)
{
    const struct insn *in = &o->kernel.code[pc];
    const bool in_own = in->space == PTX_SHARED || in->space == PTX_LOCAL;
    return o->wants & OBSERVE_PATTERNS && (in->space == PTX_GLOBAL || in_own) &&
           (o->event[pc] == EVENT_LOAD || o->event[pc] == EVENT_STORE);
}

static bool is_atomic_with_pattern(const struct observed_kernel *o, uint32_t pc)
{
    const struct insn *in = &o->kernel.code[pc];
    return o->wants & OBSERVE_PATTERNS && o->event[pc] == EVENT_ATOMIC &&
           (in->space == PTX_GLOBAL || in->space == PTX_SHARED) && !(in->flags & INSN_CLUSTER);
}

static exec_fn reporter_of(const struct observed_kernel *o, uint32_t pc, bool steps)
{
    const unsigned event = o->event[pc] & ~(unsigned)FIRST_OF_INSN;
    if (has_pattern(o, pc)) {
        return o->wants & OBSERVE_REPEATS ? observed_repeat_reporter(o, pc) : tell_pattern;
    }
    if (is_atomic_with_pattern(o, pc)) {
        return tell_atomic;
    }
    if (event == EVENT_LOAD || event == EVENT_STORE) {
        return tell_plain;
    }
    const bool reports_step = steps && o->event[pc] & FIRST_OF_INSN;
    if (event == EVENT_BRANCH && !reports_step) {
        return tell_branch;
    }
    if (event == EVENT_BARRIER && !reports_step) {
        return tell_barrier;
    }
    return event != EVENT_QUIET || reports_step ? tell : o->run[pc];
}

static void find_led(struct observed_kernel *o)
{
    bool *counted = room_new(o->kernel.code_count, sizeof *counted);
    for (uint32_t pc = 0; pc < o->kernel.code_count; pc++) {
        counted[pc] = has_pattern(o, pc) && observed_is_simple(&o->kernel.code[pc]);
    }
    observed_led_make(&o->kernel, counted);
    free(counted);
}

static void set_steps(const struct observed_kernel *o, bool reported)
{
    *o->steps = reported;
    for (uint32_t pc = 0; pc < o->kernel.code_count; pc++) {
        o->kernel.code[pc].run = reporter_of(o, pc, reported);
    }
}

struct observed_kernel *observed_kernel_make(const struct kernel *k, unsigned wants)
{
    struct observed_kernel *o = room_new(1, sizeof *o);
    struct insn *code = room_copy(k->code, k->code_count, sizeof *code);
    exec_fn *run = room_raw(k->code_count, sizeof *run);
    uint8_t *event = room_raw(k->code_count, sizeof *event);
    bool was_enter = false;
    for (uint32_t pc = 0; pc < k->code_count; pc++) {
        const struct ptx_insn *origin = k->origin[pc];
        run[pc] = code[pc].run;
        if (wants & OBSERVE_ORDER) { /* lanes may go astray, and are then not the leader's */
            code[pc].leader = 0;
        }
        event[pc] = (uint8_t)classify(&code[pc], k->handlers[pc], wants);
        bool first = origin != NULL && (pc == 0 || origin != k->origin[pc - 1] || was_enter);
        was_enter = k->handlers[pc]->kind == KIND_ENTER;
        bool steps = wants & (OBSERVE_STEPS | OBSERVE_LATER_STEPS);
        event[pc] |= steps && first && !was_enter ? FIRST_OF_INSN : 0;
    }
    bool waits = k->uses_workspace || !(wants & OBSERVE_ORDER);
    for (uint32_t pc = 0; pc < k->code_count; pc++) {
        unsigned what = event[pc] & ~FIRST_OF_INSN;
        waits |= what == EVENT_BARRIER || what == EVENT_ARRIVE || what == EVENT_MBARRIER ||
                 what == EVENT_SYNC_A;
    }
    *o = (struct observed_kernel){.kernel = *k,
                                  .wants = wants,
                                  .steps = room_new(1, sizeof *o->steps),
                                  .run = run,
                                  .event = event,
                                  .own_strays = {.count = k->code_count, .matter = waits}};
    o->strays = &o->own_strays;
    o->kernel.code = code;
    if (wants & OBSERVE_REPEATS) {
        find_led(o);
    }
    set_steps(o, wants & OBSERVE_STEPS);
    return o;
}

void observed_kernel_steps(const struct kernel *copy, bool reported)
{
    const struct observed_kernel *o = observed_copy_of(copy);
    if (o->wants & OBSERVE_LATER_STEPS && !(o->wants & OBSERVE_STEPS) && *o->steps != reported) {
        set_steps(o, reported);
    }
}

const struct kernel *observed_kernel(const struct observed_kernel *o) { return &o->kernel; }

unsigned observed_kernel_wants(const struct observed_kernel *o) { return o->wants; }

void observed_kernel_share(struct observed_kernel *copy, struct observed_kernel *with)
{
    copy->strays = &with->own_strays;
}

void observed_kernel_free(struct observed_kernel *o)
{
    if (o != NULL) {
        observed_led_free(&o->kernel);
        free(o->kernel.code);
        free(o->run);
        free(o->steps);
        free(o->event);
        free(o->own_strays.home);
        free(o);
    }
}
