/* exec_element.h - moving what an ld or st says between memory that has been reached and registers.
 *
 * A vector of up to four elements lives in the registers d, b, c and e; a is the address. All
 * elements of a lane are one access of this machine, as they are one of a GPU: no other thread sees
 * a half of it. */
#ifndef SIMT_EXEC_ELEMENT_H
#define SIMT_EXEC_ELEMENT_H

#include "exec/exec_address.h"
#include "exec/exec_types.h"

/* All elements of all active lanes. */
void exec_load_elements(struct warp *w, const struct insn *in, const struct reach *r);
void exec_store_elements(struct warp *w, const struct insn *in, const struct reach *r);
/* The same for strong accesses (volatile, relaxed, acquire, release), by which other threads are
 * met: each load acquires and each store releases, whatever the PTX asks for. */
void exec_load_strong(struct warp *w, const struct insn *in, const struct reach *r);
void exec_store_strong(struct warp *w, const struct insn *in, const struct reach *r);

#endif
