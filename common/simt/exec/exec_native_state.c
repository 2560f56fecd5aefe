/* exec_native_state.c - memory of the program, from a native function. See exec_native_state.h. */
#include "exec/exec_native_state.h"

#include "machine/observer.h"

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

static enum ptx_space space_of(u64 address)
{
    switch (address >> WINDOW_SHIFT) {
    case WINDOW_SHARED:
        return PTX_SHARED;
    case WINDOW_LOCAL:
        return PTX_LOCAL;
    default:
        return PTX_GLOBAL;
    }
}

void native_written(const struct native_call_state *s, u64 address, u64 bytes)
{
    enum { WORD = 8 };
    const struct observers *observers = s->w->block->observers;
    const enum ptx_space space = space_of(address);
    u64 places[WARP_LANES] = {0};
    const u64 plain = address & (WINDOW_BASE(1) - 1), end = plain + bytes;
    u64 next;
    for (u64 at = plain; observers != NULL && at < end; at = next) {
        next = align_up(at + 1, WORD) < end ? align_up(at + 1, WORD) : end;
        places[s->lane] = at;
        const struct access_event e = {
            .pc = (uint32_t)(s->in - s->w->block->kernel->code),
            .in = s->in,
            .kind = ACCESS_STORE,
            .space = space,
            .bytes = (unsigned)(next - at),
            .lanes = 1u << s->lane,
            .low = at,
            .high = next,
            .address = places,
            .start = at,
        };
        OBSERVE(observers, result, s->w, &e);
    }
}
