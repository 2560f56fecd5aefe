/* split.c - the splits of a warp: room for them, which of them are ready, which one runs. */
#include "machine/split.h"
#include "base/hostile.h"
#include "base/room.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SPLITS = UNLESS_HOSTILE(8, 2) }; /* room for them at first; it doubles */

void split_grow(struct warp *w)
{
    unsigned grown = w->split_count == 0 ? FIRST_SPLITS : w->split_count * 2;
    w->splits = room_resized(w->splits, grown, sizeof *w->splits);
    w->ready = room_resized(w->ready, grown, sizeof *w->ready);
    memset(w->splits + w->split_count, 0, (grown - w->split_count) * sizeof *w->splits);
    w->split_count = grown;
}

int split_new(struct warp *w)
{
    for (unsigned i = 0; i < w->split_count; i++) {
        if (w->splits[i].state == SPLIT_FREE) {
            return (int)i;
        }
    }
    unsigned first = w->split_count;
    split_grow(w);
    return (int)first;
}

void split_push_ready(struct warp *w, int index)
{
    w->splits[index].state = SPLIT_READY;
    w->ready[w->ready_count++] = (uint16_t)index;
}

const struct insn *split_load(struct warp *w, int index)
{
    const struct split *s = &w->splits[index];
    w->current = index;
    w->active = s->mask;
    w->reconverge = s->reconverge;
    w->base[REF_FRAME] = w->stack + s->frame;
    w->local_offset = s->local;
    return split_code(w) + s->pc;
}

void split_save(struct warp *w, const struct insn *in)
{
    w->splits[w->current].mask = w->active;
    w->splits[w->current].pc = split_pc(w, in);
}

int split_insert_parent(struct warp *w, int child, uint32_t pc)
{
    int index = split_new(w);
    struct split *below = &w->splits[child];
    struct split *parent = &w->splits[index];
    *parent = *below;
    parent->state = SPLIT_PARENT;
    parent->is_call = false;
    parent->mask = 0;
    parent->pc = pc;
    parent->turns = 0;
    parent->children = 1;
    below->parent = index;
    return index;
}

void split_release(struct warp *w, int waiting)
{
    int index = split_new(w);
    struct split *p = &w->splits[waiting];
    w->splits[index] = *p;
    w->splits[index].is_call = false;
    w->splits[index].children = 0;
    p->mask = 0;
    p->turns = 0;
    if (p->parent >= 0) {
        w->splits[p->parent].children++;
    }
    split_push_ready(w, index);
}
