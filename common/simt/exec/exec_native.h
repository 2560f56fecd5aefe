/* exec_native.h - functions that a kernel calls and the simulator answers itself: device printf,
 * assert, malloc, and the math library of the clang front end. */
#ifndef SIMT_EXEC_NATIVE_H
#define SIMT_EXEC_NATIVE_H

#include "machine/warp.h"

#define NO_NATIVE 0xffffffffu

/* Index of the native function, or NO_NATIVE. */
unsigned native_find(const char *name);
/* Bytes of its i-th parameter and of its result; 0 where there is none. The decoder checks the
 * call against them. */
unsigned native_param_bytes(unsigned native, unsigned i);
unsigned native_result_bytes(unsigned native);
/* Calls it for each active lane; false after a fault. */
bool native_call(struct warp *w, const struct insn *in, const struct call_site *call);

#endif
