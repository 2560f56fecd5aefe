/* check_cluster.c - blocks of a cluster that work on each other's shared memory. They run on one
 * worker, so the shadow of its blocks' memory serves them all.
 *
 * A block's memory is gone when it ends, so what others do there has to come before, even if the
 * block ends later in this run.
 *
 * Two ways lead from block to block: barrier.cluster, and an mbarrier at which threads of another
 * block, or their copies (check_bulk.c), arrive. */
#include "check/check_state.h"

#include "base/demangle.h"
#include "base/room.h"
#include "machine/cluster.h"
#include "machine/turn.h"
#include "watch/describe_access.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The latest access of a warp of another block. */
struct visitor {
    struct stamp stamp; /* what: 0: none */
    uint8_t lane;
    uint64_t offset;
};

static void keep_visitor(struct checked_block *owner, const struct warp *w, const struct touch *t,
                         const struct checked_block *own)
{
    const size_t count = (size_t)MOST_CLUSTER_BLOCKS * ORDER_WARPS;
    if (owner->visitors == NULL) {
        owner->visitors = room_new(count, sizeof *owner->visitors);
    }
    if (!owner->is_visited) {
        memset(owner->visitors, 0, count * sizeof *owner->visitors);
        owner->is_visited = true;
    }
    const unsigned lane = first_lane(t->lanes);
    owner->visitors[w->block->rank * ORDER_WARPS + w->number] =
        (struct visitor){{.block = own->order.number,
                          .epoch = own->order.epoch,
                          .time = t->time,
                          .pc = t->pc,
                          .warp = (uint8_t)w->number,
                          .what = t->what,
                          .scope = t->scope & 3u,
                          .space = PTX_SHARED},
                         (uint8_t)lane,
                         CLUSTER_OFFSET(t->address[lane])};
}

/* Does some thread of the block know of it? */
static bool is_known(const struct order_block *b, const struct visitor *v)
{
    for (unsigned warp = 0; warp < b->warp_count; warp++) {
        for (unsigned lane = 0; lane < WARP_LANES; lane++) {
            if (order_before(&v->stamp, v->lane, &b->warps[warp], lane)) {
                return true;
            }
        }
    }
    return false;
}

static const char *const deeds[] = {
    [TOUCH_LOAD] = "read", [TOUCH_STORE] = "written", [TOUCH_ATOMIC] = "updated by an atomic"};

static void report_end(struct check *c, const struct block *b, const struct visitor *v)
{
    const struct kernel *k = c->launch.kernel;
    const uint64_t key = k->serial << 8 | 0xfe;
    if (findings_count(c->findings, key, v->stamp.pc, 0)) {
        return;
    }
    char kernel[256], array[448], line[256], who[96], identity[600], text[2048];
    demangle_signature(k->name, kernel, sizeof kernel);
    describe_line_of(k, v->stamp.pc, line, sizeof line);
    describe_array(&c->launch, PTX_SHARED, v->offset, array, sizeof array);
    describe_thread(c->launch.launch, v->stamp.block, v->stamp.warp * WARP_LANES + v->lane, who,
                    sizeof who);
    snprintf(identity, sizeof identity, "end %s|%s", kernel, line);
    snprintf(text, sizeof text,
             "simt: race in kernel %s: %s: %s at %s by %s, in the shared memory of block "
             "(%u,%u,%u), which may have ended by then: nothing keeps it alive. Cure: "
             "cluster.sync() (barrier.cluster) behind the last access, in both blocks",
             kernel, array, deeds[v->stamp.what & TOUCH_KIND], line, who, b->index.x, b->index.y,
             b->index.z);
    findings_add(c->findings, key, v->stamp.pc, 0, identity, text);
}

void cluster_block_ends(struct check *c, const struct block *b)
{
    const struct checked_block *own = check_block(c, b);
    if (own == NULL || !own->is_visited || b->fault->set || !turn_has_come(b)) {
        return;
    }
    for (unsigned i = 0; i < MOST_CLUSTER_BLOCKS * ORDER_WARPS; i++) {
        const struct visitor *v = &own->visitors[i];
        if (v->stamp.what != 0 && !is_known(&own->order, v)) {
            report_end(c, b, v);
        }
    }
}

void cluster_access(void *state, struct warp *w, const struct access_event *e,
                    const struct block *owner)
{
    struct check *c = state;
    struct checked_block *own = check_block(c, w->block), *other = check_block(c, owner);
    const struct touched_by by = {w, e, owner};
    if (!(c->what & CHECK_RACES) || own == NULL || other == NULL) {
        return;
    }
    const struct touch t = touch_made(&by, &c->infos[e->pc], &own->order);
    if (own != other && e->space == PTX_SHARED) {
        keep_visitor(other, w, &t, own);
    }
    race_remote_access(own->worker->race, &own->race, &other->race, w->number, &t);
    bulk_access(c, other, w, e);
}

static uint64_t key_of(const struct checked_block *owner, uint64_t offset)
{
    return owner->race.shared_base + offset;
}

void cluster_arrives(struct checked_block *own, const struct checked_block *owner,
                     const struct warp *w, unsigned lane, uint64_t offset)
{
    order_release(&own->order.warps[w->number], lane, key_of(owner, offset), ORDER_DEVICE, true);
}

void cluster_arrival(void *state, struct warp *w, unsigned lane, const struct block *owner,
                     uint64_t offset)
{
    struct check *c = state;
    struct checked_block *own = check_block(c, w->block), *other = check_block(c, owner);
    if (c->what & CHECK_RACES && own != NULL && other != NULL) {
        cluster_arrives(own, other, w, lane, offset);
    }
}

void cluster_phase_seen(struct checked_block *own, const struct warp *w, unsigned lane,
                        uint64_t offset)
{
    if (own->race.is_reached && order_has_flags(own->order.order)) {
        order_acquire(&own->order.warps[w->number], lane, key_of(own, offset), BEHIND_ITSELF);
    }
}

/* It orders what the threads of all blocks have done so far: each block's first thread passes on
 * what its block knows. */
void cluster_opens(void *state, const struct cluster *cluster)
{
    const uint64_t key = UINT64_MAX - (uintptr_t)cluster; /* no address */
    for (unsigned pass = 0; pass < 2; pass++) {
        for (unsigned i = 0; i < cluster->size; i++) {
            struct checked_block *own = check_block(state, cluster->blocks[i]);
            if (own == NULL) {
                continue;
            }
            struct order_warp *first = &own->order.warps[0];
            if (pass == 0) {
                order_barrier(&own->order);
                if (!own->race.copies) {
                    interval_next(&own->race.interval);
                }
                order_fence(first, 1, ORDER_DEVICE);
                order_release(first, 0, key, ORDER_DEVICE, true);
            } else {
                order_acquire(first, 0, key, BEHIND_ITSELF);
                order_barrier(&own->order);
            }
        }
    }
}
