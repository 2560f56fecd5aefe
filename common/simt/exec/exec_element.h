/* exec_element.h - moving what an ld or st says between memory that has been reached and registers.
 *
 * A vector of up to four elements lives in the registers d, b, c and e; a is the address. */
#ifndef SIMT_EXEC_ELEMENT_H
#define SIMT_EXEC_ELEMENT_H

#include "exec/exec_address.h"
#include "exec/exec_types.h"

/* All elements of all active lanes. */
void exec_load_elements(struct warp *w, const struct insn *in, const struct reach *r);
void exec_store_elements(struct warp *w, const struct insn *in, const struct reach *r);

#endif
