/* unwritten.h - loads of arrays that a launch does not write: no race can come of them.
 *
 * Layer check. The text tells which parameters (or variables) of a kernel go into the address of
 * each access. Where that is known of every store and atomic, the arguments of a launch tell which
 * allocations it may write; a load of another one need not be followed. */
#ifndef SIMT_UNWRITTEN_H
#define SIMT_UNWRITTEN_H

#include "machine/observer.h"

struct unwritten;

struct unwritten *unwritten_open(void);
void unwritten_close(struct unwritten *u);
/* For each code index of the kernel: the allocation that its load stays in and that this launch
 * does not write, or nothing. Valid until the next call. `keeps` says whether an allocation's loads
 * can be left out for other reasons, too. */
const struct quiet_range *unwritten_of(struct unwritten *u, const struct launch_event *launch,
                                       bool (*keeps)(void *state, const struct allocation *a),
                                       void *state);

#endif
