/* own_file.h - the file of a report may replace an earlier report of the same kind, but no other
 * file. */
#ifndef SIMT_OWN_FILE_H
#define SIMT_OWN_FILE_H

#include "base/err.h"

/* Can `path` be written, and is it empty or new, or does it begin with `mark`, as a `kind` ("record
 * of launches") does? false, explained: it cannot, or it holds something else. */
bool own_file_may_be_written(const char *path, const char *mark, const char *kind, struct err *e);

#endif
