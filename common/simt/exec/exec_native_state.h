/* exec_native_state.h - what native functions share: the calling lane, its arguments and its
 * result. Private to exec_native.c and exec_device_*.c. */
#ifndef SIMT_EXEC_NATIVE_STATE_H
#define SIMT_EXEC_NATIVE_STATE_H

#include "exec/exec_types.h"
#include "machine/warp.h"

#include <string.h>

struct native_call_state {
    struct warp *w;
    const struct insn *in;
    unsigned lane;
    const void *args[8];
    void *result;
};

typedef bool (*native_fn)(struct native_call_state *s);

#define NATIVE_ARGUMENT(name, T)                                                                   \
    static inline T arg_##name(const struct native_call_state *s, unsigned i)                      \
    {                                                                                              \
        T value;                                                                                   \
        memcpy(&value, s->args[i], sizeof value);                                                  \
        return value;                                                                              \
    }
NATIVE_ARGUMENT(f, f32)
NATIVE_ARGUMENT(d, f64)
NATIVE_ARGUMENT(i, s32)
NATIVE_ARGUMENT(p, u64)

static inline bool native_give(const struct native_call_state *s, const void *value, size_t bytes)
{
    memcpy(s->result, value, bytes);
    return true;
}

/* Host pointer for `bytes` at a generic address of the calling lane; NULL after a fault. */
void *native_bytes(const struct native_call_state *s, const char *what, u64 address, u64 bytes);

/* They have been stored there: observers are notified. */
void native_written(const struct native_call_state *s, u64 address, u64 bytes);

/* For exec_device_query.c. The launch's queue; NULL: no runtime has launched the grid. */
struct device_queue *device_queue_of(const struct native_call_state *s);
/* The call gives this code; unless it is 0, cudaGetLastError() of the thread does so, too. */
bool device_end(const struct native_call_state *s, int code);
/* Writes where the kernel wants a result; false after a fault. */
bool device_store(struct native_call_state *s, u64 address, const void *value, size_t bytes);

/* exec_device_runtime.c and exec_device_query.c: what kernels call of the CUDA runtime. */
#define DEVICE_RUNTIME(name, signature, function) bool function(struct native_call_state *s);
#include "exec/device_runtime.def"
#undef DEVICE_RUNTIME

#endif
