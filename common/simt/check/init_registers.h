/* init_registers.h - which registers have no value yet; for
 * init.c and init_registers.c.
 *
 * A register has a mark for each lane. Most launches have none, so callers look first at any[]
 * first. */
#ifndef SIMT_INIT_REGISTERS_H
#define SIMT_INIT_REGISTERS_H

#include "check/check_state.h"

/* What is known of a register: lanes whose value was never given. */
struct mark {
    lane_mask copied;  /* the loaded bits themselves: perhaps padding */
    lane_mask certain; /* computed with, or certainly no padding */
    uint32_t pc;       /* of the load; NO_PC: of a register that has not been read yet */
    uint64_t address;
    uint8_t space;
};

struct marks {
    struct mark *of; /* by byte offset / 4 in the block's register stacks */
    uint32_t *used;  /* which are not empty, perhaps */
    unsigned used_count, used_room;
    size_t room, stride; /* entries; of a warp */
    bool any[ORDER_WARPS];
    uint32_t pc; /* the instruction that reads a register without a value */
};

void marks_forget(struct marks *m);
/* From now on the instructions of this warp are to be reported: it has marks, or will have some. */
void marks_follow(struct marks *m, const struct warp *w);
struct mark marks_get(const struct marks *m, const struct warp *w, uint32_t ref);
/* The register `ref` of these lanes is as `value` says, from now on. */
void marks_set(struct marks *m, const struct warp *w, uint32_t ref, lane_mask lanes,
               struct mark value);
void marks_add(struct mark *sum, struct mark m);
/* A function begins: its registers that may be read before they are written have no value. */
void marks_begin_function(struct marks *m, const struct warp *w, const struct kernel_func *f,
                          lane_mask lanes);
/* Of operands a, b, c and e together. */
struct mark marks_of_sources(const struct marks *m, const struct warp *w, const struct insn *in);

#endif
