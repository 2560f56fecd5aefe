/* exec_device_query.c - what kernels ask of the CUDA runtime: attributes of devices and functions,
 * occupancy, limits. The host's side of the runtime answers (struct device_host). */
#include "exec/exec_native_state.h"

#include "machine/device_queue.h"

#include <string.h>

enum {
    SUCCESS = 0,
    INVALID_VALUE = 1,
    NOT_PERMITTED = 800,
    FUNCTION_ATTRIBUTES_MOST = 512 /* bytes */
};

/* NULL: only the runtime knows. */
static const struct device_host *host_of(const struct native_call_state *s)
{
    const struct device_queue *q = device_queue_of(s);
    return q != NULL ? q->host : NULL;
}

static const void *grid_of(const struct native_call_state *s) { return device_queue_of(s)->grid; }

/* A call whose first argument is where the result goes. */
static bool answer(struct native_call_state *s, int code, const void *value, size_t bytes)
{
    if (code == SUCCESS && !device_store(s, arg_p(s, 0), value, bytes)) {
        return false;
    }
    return device_end(s, code);
}

static int device_numbers(const struct native_call_state *s, int *own, int *count)
{
    const struct device_host *host = host_of(s);
    return host != NULL ? host->devices(grid_of(s), own, count) : NOT_PERMITTED;
}

bool device_number(struct native_call_state *s)
{
    int own = 0, count = 0;
    const int code = device_numbers(s, &own, &count);
    return answer(s, code, &own, sizeof own);
}

bool device_count(struct native_call_state *s)
{
    int own = 0, count = 0;
    const int code = device_numbers(s, &own, &count);
    return answer(s, code, &count, sizeof count);
}

bool device_attribute(struct native_call_state *s)
{
    const struct device_host *host = host_of(s);
    int value = 0;
    const int code = host != NULL ? host->attribute(grid_of(s), arg_i(s, 1), arg_i(s, 2), &value)
                                  : NOT_PERMITTED;
    return answer(s, code, &value, sizeof value);
}

bool device_limit(struct native_call_state *s)
{
    const struct device_host *host = host_of(s);
    u64 bytes = 0;
    const int code = host != NULL ? host->limit(grid_of(s), arg_i(s, 1), &bytes) : NOT_PERMITTED;
    return answer(s, code, &bytes, sizeof bytes);
}

bool device_cache(struct native_call_state *s)
{
    const struct device_host *host = host_of(s);
    int config = 0;
    const int code = host != NULL ? host->cache(grid_of(s), &config) : NOT_PERMITTED;
    return answer(s, code, &config, sizeof config);
}

/* Banks of four bytes. */
bool device_banks(struct native_call_state *s)
{
    const int config = 1;
    return answer(s, SUCCESS, &config, sizeof config);
}

bool device_version(struct native_call_state *s)
{
    const struct device_host *host = host_of(s);
    int version = 0;
    const int code = host != NULL ? host->version(grid_of(s), &version) : NOT_PERMITTED;
    return answer(s, code, &version, sizeof version);
}

bool device_function(struct native_call_state *s)
{
    const struct device_host *host = host_of(s);
    u64 attributes[FUNCTION_ATTRIBUTES_MOST / sizeof(u64)] = {0};
    const u64 bytes = host != NULL ? host->attributes_bytes : 0;
    const int code = bytes > 0 && bytes <= sizeof attributes
                         ? host->function(grid_of(s), arg_p(s, 1), attributes)
                         : NOT_PERMITTED;
    return answer(s, code, attributes, bytes);
}

static bool blocks(struct native_call_state *s, u32 flags)
{
    const struct device_host *host = host_of(s);
    int count = 0, code = NOT_PERMITTED;
    if (flags > 1 || arg_i(s, 2) <= 0) { /* 1: cudaOccupancyDisableCachingOverride */
        code = INVALID_VALUE;
    } else if (host != NULL) {
        code = host->blocks(grid_of(s), arg_p(s, 1), arg_i(s, 2), arg_p(s, 3), &count);
    }
    return answer(s, code, &count, sizeof count);
}

bool device_blocks(struct native_call_state *s) { return blocks(s, 0); }

bool device_blocks_flags(struct native_call_state *s) { return blocks(s, (u32)arg_i(s, 4)); }
