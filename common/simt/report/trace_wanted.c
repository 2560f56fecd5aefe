/* trace_wanted.c - see trace_wanted.h. */
#include "report/trace_wanted.h"

#include <stdlib.h>

bool trace_wanted_read(const char *text, struct trace_wanted *w, struct err *e)
{
    unsigned part[3] = {0, 0, 0}, count = 0;
    char *end = (char *)(uintptr_t)text;
    for (const char *c = text;; c = end + 1) {
        unsigned long value = strtoul(c, &end, 10);
        if (end == c || *c < '0' || *c > '9' || count == 3 || value > UINT32_MAX) {
            break;
        }
        part[count++] = (unsigned)value;
        if (*end != ',') {
            break;
        }
    }
    char *warp_end = end;
    unsigned long warp = *end == ':' ? strtoul(end + 1, &warp_end, 10) : 0;
    bool has_warp = *end == ':';
    bool good = count > 0 && (!has_warp || (warp_end != end + 1 && warp < 32)) && *warp_end == '\0';
    if (!good) {
        return err_set(e,
                       "SIMT_TRACE=%.80s is not understood: write a block, and a warp of it if you "
                       "like: 5, 5:2 or 1,3,0:2",
                       text);
    }
    *w = (struct trace_wanted){.has_dimensions = count > 1,
                               .block = {part[0], part[1], part[2]},
                               .only_warp = has_warp ? (int)warp : -1};
    return true;
}
