/* valid.h - what a GPU's driver asks of PTX text that a program gives it, before any kernel of it
 * is asked for. Called when a module is loaded at run time; of the program's own code, which a
 * compiler has made, the decoder asks the same of the kernels that are launched. */
#ifndef SIMT_VALID_H
#define SIMT_VALID_H

#include "base/err.h"
#include "ptx/module.h"

/* Is the .version known, is there a .target, and is, of all instructions, each one that target and
 * version have, with registers, labels and functions that exist? is_native: is the function there
 * without a definition? Otherwise false, *e with SIMT_BAD_PTX or SIMT_NEWER_PTX and the line. */
bool ptx_is_valid(const struct ptx_module *m, bool (*is_native)(const char *name), struct err *e);

#endif
