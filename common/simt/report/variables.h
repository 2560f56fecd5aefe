/* variables.h - what the source calls the registers of a kernel.
 *
 * Only names that are certain: clang's debug information (-G; cc/variables.awk), with nvcc's code,
 * which has no debug information, the statements that assigned.h understands, and whatever follows
 * from these, parameters, built-in variables and arrays (computed.h). A register without a name is
 * called as in PTX. */
#ifndef SIMT_VARIABLES_H
#define SIMT_VARIABLES_H

#include "decode/kernel.h"

struct variables;
struct variables *variables_find(const struct kernel *k);
/* Of a register of k->funcs[func] as an instruction of its IR reads or writes it; NULL: it is
 * not known. Lives as long as the variables. */
const char *variables_name(const struct variables *v, uint32_t func, uint32_t insn, uint32_t reg);
/* The type of what the register holds: halves are distinguished from bits (packed.h). */
enum ptx_type variables_type(const struct variables *v, uint32_t func, uint32_t reg);
void variables_free(struct variables *v);

#endif
