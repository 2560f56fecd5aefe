/* translate.h - kernels that run for long become machine code.
 *
 * A kernel is interpreted first. When it has executed enough that a compiler pays, its text is
 * written as C (emit.c) and compiled in the background (compiler.c); from then on blocks that begin
 * run a copy of its code, of which the heads of parts are compiled functions (unit.h). Counts,
 * values, faults and turns of warps are the interpreter's: the parts are made of its own handlers,
 * and leave to it all that is seldom. Launches that are observed are interpreted.
 *
 * SIMT_TRANSLATE: 0 is never, 1 (as without it) is as described, 2 is every kernel before its first
 * launch, waiting for the compiler: for tests and measurements. */
#ifndef SIMT_TRANSLATE_H
#define SIMT_TRANSLATE_H

#include "machine/grid.h"

enum translate_when { TRANSLATE_NEVER, TRANSLATE_HOT, TRANSLATE_ALWAYS };

struct translation;

/* Reads SIMT_TRANSLATE. */
bool translate_read_environment(enum translate_when *when, struct err *e);

/* Warp instructions that a kernel of so many instructions executes before it is compiled: 75
 * million, or as many as the interpreter executes while a long one is compiled. UINT64_MAX: it
 * never is. */
uint64_t translate_after(uint32_t code_count);

/* Warp instructions that it executes before somebody looks whether an earlier run has compiled it.
 */
uint64_t translate_looks_after(uint32_t code_count);

/* What is known of a kernel, which must live longer; nothing is begun. NULL: it is interpreted
 * however long it runs. */
struct translation *translation_new(const struct kernel *k, enum translate_when when);
void translation_free(struct translation *t);

/* For grid_settings of a launch that nobody observes. NULL: there is none. false: TRANSLATE_ALWAYS,
 * and the kernel cannot be translated. */
bool translation_begin(struct translation *t, struct faster_code **faster, struct err *e);

#endif
