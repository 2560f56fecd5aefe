/* moved.h - accesses that the compiler has moved away from the line that a learner wrote. */
#ifndef SIMT_MOVED_H
#define SIMT_MOVED_H

#include "watch/accesses.h"

/* Has the compiler moved row `index` to where the report shows it? True where it has no line at
 * all, and where nothing on its line can reach the array: no call, no pointer or reference of
 * unknown origin, no subscript but those of other arrays. In doubt false. kernel: its plain name.
 */
bool moved_by_compiler(const struct access_row *rows, unsigned count, unsigned index,
                       const char *kernel);

#endif
