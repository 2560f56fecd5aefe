/* launch_bytes.c - see launch_bytes.h. A checked launch runs on one thread (SIMT_CHECK=races). */
#include "watch/launch_bytes.h"
#include "base/room.h"
#include "watch/dependents.h"

#include <stdlib.h>
#include <string.h>

struct launch_bytes {
    struct observer observer;
    struct touched_bytes_of *touched; /* of the launch that runs; NULL: it is not watched */
    uint8_t *strong;                  /* per code index */
    uint32_t strong_room;
    uint64_t strong_of; /* serial of the kernel */
    struct dependents dependents;
    bool is_child; /* launched by the kernel: its launcher has waited, or has not */
};

static bool is_strong(const struct ptx_insn *i)
{
    static const int words[] = {WORD_VOLATILE, WORD_RELAXED, WORD_ACQUIRE,
                                WORD_RELEASE,  WORD_ACQ_REL, WORD_MMIO};
    if (i == NULL) {
        return false;
    }
    bool strong = i->op == PTX_OP_ATOM || i->op == PTX_OP_RED;
    for (unsigned k = 0; k < ARRAY_LENGTH(words) && !strong; k++) {
        strong = ptx_has_modifier(i, words[k]);
    }
    return strong;
}

static void note_release(struct launch_bytes *l, const struct ptx_insn *i)
{
    if (i != NULL && (ptx_has_modifier(i, WORD_RELEASE) || ptx_has_modifier(i, WORD_ACQ_REL))) {
        l->touched->fenced |= !ptx_has_modifier(i, WORD_CTA);
        l->touched->system_fenced |= ptx_has_modifier(i, WORD_SYS);
    }
}

static void inspect(struct launch_bytes *l, const struct kernel *k)
{
    if (l->strong_of == k->serial) {
        return;
    }
    if (l->strong_room < k->code_count) {
        free(l->strong);
        l->strong = room_raw(k->code_count, sizeof *l->strong);
        l->strong_room = k->code_count;
    }
    for (uint32_t pc = 0; pc < k->code_count; pc++) {
        l->strong[pc] = is_strong(k->origin[pc]);
    }
    l->strong_of = k->serial;
}

/* Lanes mostly stand side by side: neighbours are one range. */
static void add_lanes(struct byte_set *s, const struct touched_bytes_of *t,
                      const struct access_event *e, lane_mask lanes)
{
    uint64_t first = 0, end = 0;
    for (lane_mask left = lanes; left != 0; left &= left - 1) {
        const uint64_t at = e->address[first_lane(left)];
        if (t->what == LAUNCH_BYTES_HOST && at >= t->begin && at < t->end) {
            continue;
        }
        if (at == end) {
            end += e->bytes;
        } else if (at < first || at + e->bytes > end) {
            byte_set_add(s, first, end - first);
            first = at;
            end = at + e->bytes;
        }
    }
    byte_set_add(s, first, end - first);
}

/* Beside what a launch touches: what it touches while another one may be running. */
static void add_dependent(struct launch_bytes *l, const struct warp *w,
                          const struct access_event *e, unsigned kind)
{
    struct touched_bytes_of *t = l->touched;
    if (l->is_child) {
        return;
    }
    if (t->begins_early) {
        add_lanes(&t->early[kind], t, e, dependents_ahead(&l->dependents, w, e->lanes));
    }
    add_lanes(&t->late[kind], t, e, dependents_behind(&l->dependents, w, e->lanes));
}

static void on_access(void *state, struct warp *w, const struct access_event *e)
{
    struct launch_bytes *l = state;
    if ((e->space != PTX_GLOBAL && e->space != PTX_CONST) || e->kind == ACCESS_COPY_WRITE) {
        return;
    }
    const bool reads = e->kind == ACCESS_LOAD || e->kind == ACCESS_COPY_READ;
    unsigned kind = reads ? TOUCHED_READ : TOUCHED_WRITTEN;
    if (l->strong[e->pc]) {
        kind = reads ? TOUCHED_STRONGLY_READ : TOUCHED_STRONGLY_WRITTEN;
        note_release(l, e->origin);
    }
    add_lanes(&l->touched->sets[kind], l->touched, e, e->lanes);
    add_dependent(l, w, e, kind);
}

static void on_step(void *state, struct warp *w, uint32_t pc, lane_mask lanes)
{
    struct launch_bytes *l = state;
    l->touched->waits |= dependents_step(&l->dependents, w, pc, lanes);
}

static void on_warp_sync(void *state, struct warp *w, uint32_t pc, lane_mask lanes)
{
    struct launch_bytes *l = state;
    (void)pc;
    dependents_warp(&l->dependents, w, lanes);
}

static void on_barrier_open(void *state, struct warp *w, unsigned id)
{
    struct launch_bytes *l = state;
    (void)id;
    dependents_block(&l->dependents, w->block);
}

static void on_mbarrier(void *state, struct warp *w, uint32_t pc, unsigned lane,
                        enum mbarrier_kind kind, uint64_t offset, unsigned phase)
{
    struct launch_bytes *l = state;
    (void)pc, (void)lane, (void)offset, (void)phase;
    if (kind == MBARRIER_PASSED) {
        dependents_cluster(&l->dependents, w->block->cluster);
    }
}

static void on_cluster_open(void *state, const struct cluster *c)
{
    struct launch_bytes *l = state;
    dependents_cluster(&l->dependents, c);
}

static void on_fence(void *state, struct warp *w, uint32_t pc, lane_mask lanes,
                     enum fence_scope scope)
{
    struct launch_bytes *l = state;
    (void)w, (void)pc, (void)lanes;
    l->touched->fenced |= scope != FENCE_BLOCK;
    l->touched->system_fenced |= scope == FENCE_SYSTEM;
}

static void forget_dependents(struct launch_bytes *l)
{
    dependents_end(&l->dependents); /* after a fault, too */
    l->observer.step = NULL;
    l->observer.warp_sync = NULL;
    l->observer.barrier_open = NULL;
    l->observer.mbarrier = NULL;
    l->observer.cluster_open = NULL;
}

/* What griddepcontrol needs, in a kernel that has it. */
static void watch_dependents(struct launch_bytes *l, const struct launch_event *launch)
{
    l->is_child = l->touched->begun;
    l->touched->begun = true;
    if (!l->is_child && dependents_begin(&l->dependents, launch)) {
        l->observer.wants |= OBSERVE_STEPS;
        l->observer.step_block = EVERY_BLOCK;
        l->observer.step = on_step;
        l->observer.warp_sync = on_warp_sync;
        l->observer.barrier_open = on_barrier_open;
        l->observer.mbarrier = on_mbarrier;
        l->observer.cluster_open = on_cluster_open;
    }
}

static void on_launch_begin(void *state, const struct launch_event *launch)
{
    struct launch_bytes *l = state;
    struct touched_bytes_of *asked = launch->launch->touched;
    l->touched = asked != NULL && asked->what != LAUNCH_BYTES_NONE ? asked : NULL;
    const bool wanted = l->touched != NULL;
    l->observer.serial = wanted;
    l->observer.wants = wanted ? OBSERVE_ACCESSES | OBSERVE_IMAGES | OBSERVE_ORDER : 0;
    l->observer.access = wanted ? on_access : NULL; /* others may want accesses */
    l->observer.image = wanted ? on_access : NULL;
    l->observer.fence = wanted ? on_fence : NULL;
    forget_dependents(l);
    if (wanted) {
        inspect(l, launch->kernel);
        watch_dependents(l, launch);
    }
}

static void on_launch_end(void *state, const struct launch_event *launch)
{
    struct launch_bytes *l = state;
    (void)launch;
    for (unsigned i = 0; l->touched != NULL && i < TOUCHED_KINDS; i++) {
        byte_set_finish(&l->touched->sets[i]);
        byte_set_finish(&l->touched->early[i]);
        byte_set_finish(&l->touched->late[i]);
    }
    dependents_end(&l->dependents);
    l->touched = NULL;
}

struct launch_bytes *launch_bytes_open(void)
{
    struct launch_bytes *l = room_new(1, sizeof *l);
    l->observer =
        (struct observer){.state = l, .launch_begin = on_launch_begin, .launch_end = on_launch_end};
    return l;
}

void launch_bytes_close(struct launch_bytes *l)
{
    if (l != NULL) {
        free(l->strong);
        free(l);
    }
}

const struct observer *launch_bytes_observer(const struct launch_bytes *l) { return &l->observer; }
