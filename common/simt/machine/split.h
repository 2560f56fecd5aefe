/* split.h - what the files of a warp share: how its splits are made, wait and go on.
 * See warp.h for the picture.
 *
 * split.c keeps the splits, ways.c knows where code leads to, warp_sync.c picks the next one that
 * can run, warp_diverge.c lets lanes part and come together, warp_call.c enters functions and
 * leaves them, warp.c deals out time. Each calls only those named before it. */
#ifndef SIMT_SPLIT_H
#define SIMT_SPLIT_H

#include "machine/warp.h"

static inline const struct insn *split_code(const struct warp *w) { return w->block->kernel->code; }

static inline uint32_t split_pc(const struct warp *w, const struct insn *in)
{
    return (uint32_t)(in - split_code(w));
}

/* ---- split.c --------------------------------------------------------------------------------- */

/* Room for more splits: twice as many as there were. Pointers to splits are void. */
void split_grow(struct warp *w);
/* The index of a free split; may move them all. */
int split_new(struct warp *w);
void split_push_ready(struct warp *w, int index);
/* The split runs: its lanes are active. Returns where. */
const struct insn *split_load(struct warp *w, int index);
/* Notes down where the running split is. */
void split_save(struct warp *w, const struct insn *in);
/* Puts a parent that resumes at pc between a split and its parent; returns its index. */
int split_insert_parent(struct warp *w, int child, uint32_t pc);
/* Lanes that wait in a parent for others go ahead of them. */
void split_release(struct warp *w, int waiting);

/* ---- ways.c ---------------------------------------------------------------------------------- */

/* Does every way from `from` to an end of its function come past `to`, which is in the same one? */
bool ways_lead_to(const struct kernel *k, uint32_t from, uint32_t to);

/* ---- warp_sync.c ----------------------------------------------------------------------------- */

/* Goes on with another split, or stops the warp: done, or a fault. */
const struct insn *split_next(struct warp *w);

/* ---- warp_diverge.c -------------------------------------------------------------------------- */

/* A child of `parent` has arrived or vanished; the last one wakes the parent. */
void split_drop_child(struct warp *w, int parent);
/* Splits `lanes` off the running split; they go to `target`, which may be the point where they
 * wait. */
void split_off(struct warp *w, lane_mask lanes, uint32_t target);
/* `leaving` lanes go away from the running split; the others go on behind `in`. */
const struct insn *split_leave(struct warp *w, const struct insn *in, lane_mask leaving);

#endif
