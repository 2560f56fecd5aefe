/* array_name.c - see array_name.h. */
#include "report/array_name.h"

#include "report/source.h"

#include <stdio.h>

/* The kernel may stand in another file than the function that it calls: the other rows' files. */
static bool parameter_name(const struct access_row *rows, unsigned count, unsigned index,
                           const char *kernel, char *text, size_t size)
{
    const unsigned parameter = (unsigned)rows[index].parameter;
    bool found = source_parameter(rows[index].file, kernel, parameter, text, size);
    for (unsigned i = 0; i < count && !found; i++) {
        const bool seen = i > 0 && rows[i].file == rows[i - 1].file;
        found = !seen && source_parameter(rows[i].file, kernel, parameter, text, size);
    }
    return found;
}

const char *array_name_of(const struct access_row *rows, unsigned count, unsigned index,
                          const char *kernel, char *text, size_t size)
{
    if (rows[index].parameter < 0 || !parameter_name(rows, count, index, kernel, text, size)) {
        snprintf(text, size, "%s", rows[index].array);
    }
    return text;
}
