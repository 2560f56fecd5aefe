/* exec_native_state.c - memory of the program, from a native function. See exec_native_state.h. */
#include "exec/exec_native_state.h"

#include "exec/exec_address.h"

void *native_bytes(const struct native_call_state *s, const char *what, u64 address, u64 bytes)
{
    const struct block *b = s->w->block;
    u64 plain = address & (WINDOW_BASE(1) - 1);
    u64 window = address >> WINDOW_SHIFT;
    void *host = NULL;
    if (window == WINDOW_GLOBAL) {
        host = memory_host(b->memory, address, bytes);
    } else if (window == WINDOW_SHARED && plain + bytes <= b->shared_bytes) {
        host = b->shared + plain;
    } else if (window == WINDOW_LOCAL && plain + bytes <= b->local_stride) {
        host = warp_local(s->w, s->lane) + plain;
    } else if (window == WINDOW_PARAM && plain + bytes <= b->kernel->param_bytes) {
        host = (uint8_t *)(uintptr_t)b->params + plain;
    }
    if (host == NULL) {
        fault_address(s->w, s->in, s->lane, what, address, (unsigned)bytes);
    }
    return host;
}
