/* exec_stack.c - alloca, stacksave, stackrestore.
 *
 * A thread's stack are the first bytes of its local memory, as many as cudaLimitStackSize says; the
 * frames of functions lie behind it. It grows down, lane by lane: by the bytes that are asked for,
 * and on to a multiple of the alignment, which is 8 at least (32 probes of 40 sizes each on an
 * H200). There, too, so many bytes fit exactly, but the fault comes with the first access beyond. */
#include "exec/exec.h"
#include "exec/exec_types.h"

enum { LEAST_ALIGNMENT = 8 };

/* Gives the lane so many bytes; false after a fault. */
static bool take(struct warp *w, const struct insn *in, unsigned lane, u64 bytes)
{
    const u32 end = w->stack_end[lane];
    const u32 unit = in->literal > LEAST_ALIGNMENT ? (u32)in->literal : LEAST_ALIGNMENT;
    if (bytes > end) {
        fault(w, in, lane, SIMT_ILLEGAL_ADDRESS,
              "stack overflow: alloca of %llu bytes, of which the thread's stack has %u left of %u "
              "(cudaDeviceSetLimit(cudaLimitStackSize, ...) gives more)",
              (unsigned long long)bytes, end, w->block->stack_bytes);
        return false;
    }
    w->stack_end[lane] = (u32)(end - bytes) & ~(unit - 1);
    return true;
}

static bool is_in_stack(struct warp *w, const struct insn *in, unsigned lane, u64 end)
{
    if (end > w->block->stack_bytes) {
        fault(w, in, lane, SIMT_ILLEGAL_ADDRESS,
              "stackrestore to 0x%llx, which stacksave cannot have given", (unsigned long long)end);
        return false;
    }
    return true;
}

#define STACK(bits)                                                                                \
    HANDLER(alloca_##bits)                                                                         \
    {                                                                                              \
        const u##bits *a = warp_ref(w, in->a);                                                     \
        u##bits *d = in->d != NO_REF ? warp_ref(w, in->d) : NULL;                                  \
        for (lane_mask left = w->active; left != 0; left &= left - 1) {                            \
            const unsigned i = first_lane(left);                                                   \
            if (!take(w, in, i, a[i])) {                                                           \
                return NULL;                                                                       \
            }                                                                                      \
            if (d != NULL) {                                                                       \
                d[i] = w->stack_end[i];                                                            \
            }                                                                                      \
        }                                                                                          \
        return in + 1;                                                                             \
    }                                                                                              \
    HANDLER(stack_save_##bits)                                                                     \
    {                                                                                              \
        u##bits *d = in->d != NO_REF ? warp_ref(w, in->d) : NULL;                                  \
        for (lane_mask left = d != NULL ? w->active : 0; left != 0; left &= left - 1) {            \
            d[first_lane(left)] = w->stack_end[first_lane(left)];                                  \
        }                                                                                          \
        return in + 1;                                                                             \
    }                                                                                              \
    HANDLER(stack_restore_##bits)                                                                  \
    {                                                                                              \
        const u##bits *a = warp_ref(w, in->a);                                                     \
        for (lane_mask left = w->active; left != 0; left &= left - 1) {                            \
            const unsigned i = first_lane(left);                                                   \
            if (!is_in_stack(w, in, i, a[i])) {                                                    \
                return NULL;                                                                       \
            }                                                                                      \
            w->stack_end[i] = (u32)a[i];                                                           \
        }                                                                                          \
        return in + 1;                                                                             \
    }
STACK(32)
STACK(64)

#define STACK_ROWS(bits)                                                                           \
    HANDLER_ROW(alloca_##bits, WORK, QUIET, CLEAR),                                                \
        HANDLER_ROW(stack_save_##bits, WORK, QUIET, CLEAR),                                        \
        HANDLER_ROW(stack_restore_##bits, WORK, QUIET, NONE)
const struct handler exec_stack_table[] = {STACK_ROWS(32), STACK_ROWS(64), {0}};
