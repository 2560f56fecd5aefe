/* computed.h - what instructions compute, in the words of the source: parameters, built-in
 * variables, arrays, what was loaded from them, and all that follows from these and from variables.
 *
 * No source says what a register stands for that a pass or the compiler has made, but the
 * instruction does: `mul.wide.s32 %rd4, %r1, 4` behind `i` is `i * 4`, and the sum of that with
 * `in` is `&in[i]`. A text holds as long as none of the variables in it changes. */
#ifndef SIMT_COMPUTED_H
#define SIMT_COMPUTED_H

#include "decode/kernel.h"
#include "report/declared.h"

struct computed;
struct expression;

/* What an instruction computes, and where it touches memory; false: it is not known. operations.h
 */
typedef bool computed_words(struct computed *c, uint32_t insn, struct expression *e);

struct computed_of {
    struct arena *arena; /* where all of it lives */
    const struct kernel *k;
    const struct function_ir *ir;
    struct declared_in declared;
    bool is_entry;
    const char *const
        *names; /* by register: the variable of the source that its last write belongs to */
    const char *const *results; /* variables that instructions write, see result.h */
    computed_words *value, *place;
};

struct computed *computed_new(const struct computed_of *of);
/* What an instruction writes to a register; NULL: it is not known. Lives in the arena. */
const char *computed_result(struct computed *c, uint32_t insn, uint32_t reg);
/* What a register that it reads holds by then. */
const char *computed_source(struct computed *c, uint32_t insn, uint32_t reg);

#endif
