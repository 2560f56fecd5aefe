/* exec_conditional.c - see exec_conditional.h. A handle is a slot's number behind a mark that no
 * pointer has, so that any other number is recognised. */
#include "exec/exec_conditional.h"

#include <stdatomic.h>

enum { SLOTS = 4096 };
#define MARK ((uint64_t)0xc07d17 << 32)

static struct {
    atomic_uint users;
    atomic_uint value;
} slots[SLOTS];

uint64_t conditional_create(uint32_t value)
{
    for (unsigned i = 0; i < SLOTS; i++) {
        unsigned none = 0;
        if (atomic_compare_exchange_strong(&slots[i].users, &none, 1)) {
            atomic_store(&slots[i].value, value);
            return MARK | i;
        }
    }
    return 0;
}

static bool is_handle(uint64_t handle)
{
    return (handle & ~(uint64_t)0xffffffff) == MARK && (uint32_t)handle < SLOTS &&
           atomic_load(&slots[(uint32_t)handle].users) > 0;
}

void conditional_retain(uint64_t handle)
{
    if (is_handle(handle)) {
        atomic_fetch_add(&slots[(uint32_t)handle].users, 1);
    }
}

void conditional_free(uint64_t handle)
{
    if (is_handle(handle)) {
        atomic_fetch_sub(&slots[(uint32_t)handle].users, 1);
    }
}

bool conditional_set(uint64_t handle, uint32_t value)
{
    const bool good = is_handle(handle);
    if (good) {
        atomic_store(&slots[(uint32_t)handle].value, value);
    }
    return good;
}

bool conditional_get(uint64_t handle, uint32_t *value)
{
    const bool good = is_handle(handle);
    if (good) {
        *value = atomic_load(&slots[(uint32_t)handle].value);
    }
    return good;
}
