/* parse.h - PTX text -> struct ptx_module.
 *
 * It knows characters, tokens and names; nothing of lanes or values. */
#ifndef SIMT_PARSE_H
#define SIMT_PARSE_H

#include "base/err.h"
#include "ptx/module.h"

/* Parses `length` bytes of PTX text (it need not end in NUL; a trailing NUL is allowed). Returns
 * the module, to be given to ptx_module_free(), or NULL with *e set to one line:
 * "name:line: what was wrong; what would be right". Any bytes at all are safe to pass. */
struct ptx_module *parse_module(const char *text, size_t length, const char *name, struct err *e);
/* The same; numbers of source files begin at first_file, so that those of modules that will be
 * linked differ. */
struct ptx_module *parse_module_from(const char *text, size_t length, const char *name,
                                     unsigned first_file, struct err *e);
void ptx_module_free(struct ptx_module *module);

#endif
