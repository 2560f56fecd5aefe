/* link.h - several modules become one, as a device linker makes them.
 *
 * What one module declares (.extern) another defines. Names that a module keeps to itself (static
 * functions, strings) get a suffix where another module has the same. Of weak definitions the first
 * is taken. */
#ifndef SIMT_LINK_H
#define SIMT_LINK_H

#include "base/err.h"
#include "ptx/module.h"

/* modules[0] takes the parts of the others, which belong to it from then on. NULL, with *e set,
 * where a name is defined twice or nowhere; then all of them have been freed. */
struct ptx_module *ptx_link(struct ptx_module **modules, unsigned count, struct err *e);

#endif
