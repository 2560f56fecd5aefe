/* exec_write.c - results that a handler has computed for all lanes go to those that are active:
 * shared by the handlers that run seldom (WRITE_LANES_SELDOM), whose own loops would be as long. */
#include "exec/exec.h"

void exec_write_32(const struct warp *w, void *d, const void *results)
{
    const uint32_t *from = results;
    uint32_t *to = d;
    WRITE_LANES(uint32_t, to, from[i]);
}

void exec_write_64(const struct warp *w, void *d, const void *results)
{
    const uint64_t *from = results;
    uint64_t *to = d;
    WRITE_LANES(uint64_t, to, from[i]);
}
