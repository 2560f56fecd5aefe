/* dependents.c - see dependents.h. */
#include "watch/dependents.h"
#include "base/room.h"
#include "machine/cluster.h"

#include <stdlib.h>
#include <string.h>

enum { SOMEBODY = 1, ALL = 2 };

static bool uses_control(const struct kernel *k)
{
    bool uses = false;
    for (uint32_t pc = 0; pc < k->code_count && !uses; pc++) {
        uses = k->origin[pc] != NULL && k->origin[pc]->op == PTX_OP_GRIDDEPCONTROL;
    }
    return uses;
}

static void open_mark(struct dependents_mark *m, const struct dependents *d)
{
    m->lanes = room_new(d->block_count * d->warps, sizeof *m->lanes);
    m->blocks = room_new(d->block_count, sizeof *m->blocks);
}

static void close_mark(struct dependents_mark *m)
{
    free(m->lanes);
    free(m->blocks);
}

bool dependents_begin(struct dependents *d, const struct launch_event *launch)
{
    const struct simt_dim grid = launch->launch->grid, block = launch->launch->block;
    memset(d, 0, sizeof *d);
    if (!uses_control(launch->kernel)) {
        return false;
    }
    d->block_count = (uint64_t)grid.x * grid.y * grid.z;
    d->warps = (block.x * block.y * block.z + WARP_LANES - 1) / WARP_LANES;
    d->grid_waits = launch->launch->cooperative;
    open_mark(&d->waited, d);
    open_mark(&d->let_go, d);
    return true;
}

void dependents_end(struct dependents *d)
{
    close_mark(&d->waited);
    close_mark(&d->let_go);
    memset(d, 0, sizeof *d);
}

/* ---- who knows of it ------------------------------------------------------------------------- */

static lane_mask *lanes_of(const struct dependents_mark *m, const struct dependents *d,
                           const struct warp *w)
{
    return &m->lanes[w->block->number * d->warps + w->number];
}

bool dependents_step(struct dependents *d, const struct warp *w, uint32_t pc, lane_mask lanes)
{
    const struct ptx_insn *i = w->block->kernel->origin[pc];
    if (lanes == 0 || i == NULL || i->op != PTX_OP_GRIDDEPCONTROL) {
        return false;
    }
    const bool waits = !ptx_has_modifier(i, WORD_LAUNCH_DEPENDENTS);
    struct dependents_mark *m = waits ? &d->waited : &d->let_go;
    *lanes_of(m, d, w) |= lanes;
    m->blocks[w->block->number] |= SOMEBODY;
    return waits && !(d->let_go.blocks[w->block->number] & SOMEBODY);
}

static void together_in_warp(const struct dependents_mark *m, const struct dependents *d,
                             const struct warp *w, lane_mask lanes)
{
    if (*lanes_of(m, d, w) & lanes) {
        *lanes_of(m, d, w) |= lanes;
    }
}

void dependents_warp(struct dependents *d, const struct warp *w, lane_mask lanes)
{
    if (d->waited.lanes != NULL) {
        together_in_warp(&d->waited, d, w, lanes);
        together_in_warp(&d->let_go, d, w, lanes);
    }
}

static void together(struct dependents_mark *m, bool grid, struct block *const *blocks,
                     unsigned count)
{
    bool somebody = false;
    for (unsigned i = 0; i < count; i++) {
        somebody |= m->blocks[blocks[i]->number] != 0;
    }
    for (unsigned i = 0; i < count && somebody; i++) {
        m->blocks[blocks[i]->number] = SOMEBODY | ALL;
    }
    m->everybody |= somebody && grid;
}

static void blocks_together(struct dependents *d, struct block *const *blocks, unsigned count)
{
    if (d->waited.lanes != NULL) {
        together(&d->waited, d->grid_waits, blocks, count);
        together(&d->let_go, d->grid_waits, blocks, count);
    }
}

void dependents_block(struct dependents *d, struct block *b) { blocks_together(d, &b, 1); }

void dependents_cluster(struct dependents *d, const struct cluster *c)
{
    blocks_together(d, c->blocks, c->size);
}

/* ---- questions ------------------------------------------------------------------------------- */

static lane_mask marked(const struct dependents_mark *m, const struct dependents *d,
                        const struct warp *w)
{
    if (m->lanes == NULL) {
        return 0;
    }
    const bool all = m->everybody || m->blocks[w->block->number] & ALL;
    return all ? FULL_MASK : *lanes_of(m, d, w);
}

lane_mask dependents_ahead(const struct dependents *d, const struct warp *w, lane_mask lanes)
{
    return lanes & ~marked(&d->waited, d, w);
}

lane_mask dependents_behind(const struct dependents *d, const struct warp *w, lane_mask lanes)
{
    return lanes & marked(&d->let_go, d, w);
}
