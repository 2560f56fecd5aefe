/* temps.h - registers that are used within one part of a kernel only.
 *
 * Most registers of PTX are written once and read a few instructions later. Where all of that lies
 * in one part, and is done by handlers that are expanded in place, the register is a local variable
 * of the compiled function, and never stored. */
#ifndef SIMT_TEMPS_H
#define SIMT_TEMPS_H

#include "decode/kernel.h"

/* Of a code index, for the code that looks for such registers. */
struct temps_code {
    uint32_t part;    /* the code index at which its part begins */
    bool is_expanded; /* else the interpreter may go on here, and needs all registers */
};

/* What temps_find() has found; free() gives each array back. */
struct temps {
    bool **is; /* function of the kernel, register -> it is such a one */
};

struct temps temps_find(const struct kernel *k, const struct temps_code *code);
void temps_free(const struct kernel *k, struct temps *t);

/* The operand as constants of the unit name it: with base REF_TEMP if it is such a register. */
enum { REF_TEMP = 3 };
uint32_t temps_operand(const struct kernel *k, const struct temps *t, uint32_t pc, uint32_t ref);

#endif
