/* init_registers.c - see init_registers.h. */
#include "check/init_registers.h"
#include "base/room.h"

#include "exec/exec_observed.h"

#include <stdlib.h>
#include <string.h>

void marks_forget(struct marks *m)
{
    for (unsigned i = 0; i < m->used_count; i++) {
        m->of[m->used[i]] = (struct mark){0};
    }
    m->used_count = 0;
    memset(m->any, 0, sizeof m->any);
}

static size_t index_of(const struct marks *m, const struct warp *w, uint32_t ref)
{
    size_t frame = (size_t)(w->base[REF_FRAME] - w->stack);
    return m->stride * w->number + (frame + (ref & ~3u)) / 4;
}

void marks_follow(struct marks *m, const struct warp *w)
{
    if (!m->any[w->number]) {
        m->any[w->number] = true;
        observed_kernel_steps(w->block->kernel, true);
    }
}

struct mark marks_get(const struct marks *m, const struct warp *w, uint32_t ref)
{
    if (ref == NO_REF || (ref & 3u) != REF_FRAME || m->stride == 0) {
        return (struct mark){0};
    }
    struct mark known = m->of[index_of(m, w, ref)];
    known.pc = known.pc == NO_PC ? m->pc : known.pc;
    return known;
}

void marks_begin_function(struct marks *m, const struct warp *w, const struct kernel_func *f,
                          lane_mask lanes)
{
    for (unsigned i = 0; i < f->undefined_count; i++) {
        marks_set(m, w, f->undefined[i], lanes,
                  (struct mark){.certain = lanes, .pc = NO_PC, .space = INIT_REGISTER});
    }
}

void marks_set(struct marks *m, const struct warp *w, uint32_t ref, lane_mask lanes,
               struct mark value)
{
    if (ref == NO_REF || (ref & 3u) != REF_FRAME || m->stride == 0) {
        return;
    }
    size_t at = index_of(m, w, ref);
    struct mark *old = &m->of[at];
    bool was_empty = (old->copied | old->certain) == 0;
    old->copied = (old->copied & ~lanes) | (value.copied & lanes);
    old->certain = (old->certain & ~lanes) | (value.certain & lanes);
    if (((value.copied | value.certain) & lanes) == 0) {
        return;
    }
    if (was_empty || old->pc != value.pc) { /* else it tells of the first lane */
        old->pc = value.pc;
        old->address = value.address;
        old->space = value.space;
    }
    marks_follow(m, w);
    if (was_empty) {
        ROOM_FOR_ONE(m->used, m->used_count, m->used_room, 64);
        m->used[m->used_count++] = (uint32_t)at;
    }
}

void marks_add(struct mark *sum, struct mark m)
{
    if ((sum->copied | sum->certain) == 0) {
        sum->pc = m.pc;
        sum->address = m.address;
        sum->space = m.space;
    }
    sum->copied |= m.copied;
    sum->certain |= m.certain;
}

struct mark marks_of_sources(const struct marks *m, const struct warp *w, const struct insn *in)
{
    struct mark sum = marks_get(m, w, in->a);
    marks_add(&sum, marks_get(m, w, in->b));
    marks_add(&sum, marks_get(m, w, in->c));
    marks_add(&sum, marks_get(m, w, in->e));
    return sum;
}
