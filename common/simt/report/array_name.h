/* array_name.h - what a reader calls the array of an access: a parameter's name in the source, or a
 * variable's. */
#ifndef SIMT_ARRAY_NAME_H
#define SIMT_ARRAY_NAME_H

#include "watch/accesses.h"

/* That of row `index` of an access; kernel: its plain name, by which its parameters are found in
 * the source. "": it has none. Returns text. */
const char *array_name_of(const struct access_row *rows, unsigned count, unsigned index,
                          const char *kernel, char *text, size_t size);

#endif
