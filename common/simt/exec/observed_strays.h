/* observed_strays.h - lanes that leave their array in a launch whose order is checked: the launch
 * fails, but goes on without them for a while, since other lanes may have made mistakes, too. Not
 * where someone may wait for them. For exec_observed.c alone. */
#ifndef SIMT_OBSERVED_STRAYS_H
#define SIMT_OBSERVED_STRAYS_H

#include "machine/observer.h"

struct strays {
    struct quiet_range *home; /* NULL, or per code index: the array that it has missed */
    uint32_t count;
    bool matter; /* others may wait for them: the launch ends */
};

/* What a handler's fault comes to: the same, or the next instruction for the lanes that are good.
 */
const struct insn *strays_after(struct strays *s, struct warp *w, const struct insn *in,
                                uint32_t pc, const struct insn *next);
/* Who misses an array by more than the first did may be found in the next one: lanes about to leave
 * the array that this instruction has missed before. */
lane_mask strays_known(const struct strays *s, const struct warp *w, const struct insn *in,
                       uint32_t pc);
const struct insn *strays_leave(struct warp *w, const struct insn *in, uint32_t pc,
                                lane_mask strays);

#endif
