/* uniform.h - is a value the same in all lanes of a warp, and can that be seen before it runs?
 *
 * ptxas asks this of the address of an atomic: if all lanes update one place, it lets the
 * warp add up first and one lane go to memory. The question is answered from the text alone:
 * constants, parameters and block numbers are uniform, and so is what is computed or loaded from
 * uniform values. A register that is written at several places counts as not uniform. */
#ifndef SIMT_UNIFORM_H
#define SIMT_UNIFORM_H

#include "decode/decoder.h"

bool is_uniform(struct decoder *d, const struct ptx_operand *o);
/* Is the register (or one of several) that the instruction's result goes to called `name`? */
bool writes_register(const struct ptx_insn *in, const char *name);

#endif
