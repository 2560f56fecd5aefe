/* cudart_pointer.c - judges the pointers that a program passes, and explains the wrong ones: freed,
 * never allocated, of the other side, too short. See cudart.h. */
#include "runtime/cudart_devices.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/demangle.h"
#include "base/describe.h"
#include "base/host_array.h"

static uint64_t address_of(const void *pointer) { return (uint64_t)(uintptr_t)pointer; }

static const void *pointer_to(uint64_t address) { return (const void *)(uintptr_t)address; }

/* " at x.cu:12", or nothing where the call is not known. */
static void place_text(const void *site, char *text, size_t size)
{
    const char *line = site != NULL ? describe_line(site) : "";
    snprintf(text, size, "%s%s", line[0] != '\0' ? " at " : "", line);
}

void cudart_describe_allocation(const struct allocation *a, char *text, size_t size)
{
    char made[300], name[300];
    bool is_variable = a->kind == MEMORY_SYMBOL || a->kind == MEMORY_CONSTANT;
    place_text(a->made_at, made, sizeof made);
    demangle_name(a->name, name, sizeof name);
    snprintf(text, size, "allocation %" PRIu64 ", %" PRIu64 " bytes, %s%s%s", a->serial, a->bytes,
             is_variable ? "variable " : "", name, made);
}

/* Beyond this the nearest allocation explains nothing. */
static bool is_near(const struct allocation *a, uint64_t distance)
{
    return distance <= 2 * a->bytes + 65536;
}

static void explain_nearest(uint64_t address, char *text, size_t size)
{
    const struct allocation *a = memory_nearest(devices_memory_of(pointer_to(address)), address);
    char which[800];
    bool behind = a != NULL && address >= a->begin;
    uint64_t distance = a == NULL ? 0
                        : behind  ? address - (a->begin + a->bytes)
                                  : a->begin - address;
    if (a == NULL || !is_near(a, distance) ||
        !memory_is_device_address(devices_memory_of(pointer_to(address)), address)) {
        snprintf(text, size, "0x%" PRIx64 " was never allocated on the device", address);
        return;
    }
    cudart_describe_allocation(a, which, sizeof which);
    snprintf(text, size, "0x%" PRIx64 " lies %" PRIu64 " bytes %s %s", address, distance,
             behind ? "behind the end of" : "before", which);
}

void cudart_explain_pointer(const void *pointer, char *text, size_t size)
{
    uint64_t address = address_of(pointer);
    struct memory *memory = devices_memory_of(pointer);
    char which[800], where[300];
    const struct allocation *a = memory_find(memory, address);
    const struct allocation *freed = memory_find_freed(memory, address);
    if (a != NULL) {
        cudart_describe_allocation(a, which, sizeof which);
        snprintf(text, size, "0x%" PRIx64 " is byte %" PRIu64 " of %s", address, address - a->begin,
                 which);
    } else if (freed != NULL) {
        cudart_describe_allocation(freed, which, sizeof which);
        place_text(freed->freed_at, where, sizeof where);
        snprintf(text, size, "0x%" PRIx64 " was freed already%s (%s)", address, where, which);
    } else {
        explain_nearest(address, text, size);
    }
}

void *cudart_resolve_pointer(const char *call, const char *role, const void *pointer,
                             uint64_t bytes, enum pointer_side side)
{
    struct memory *memory = devices_memory_of(pointer);
    uint64_t address = address_of(pointer);
    const struct allocation *a = memory_find(memory, address);
    const bool on_wrong_side = a != NULL && a->delta != 0 && side == SIDE_HOST;
    const bool fits = a != NULL && bytes <= a->begin + a->bytes - address;
    if (fits && !on_wrong_side && !a->in_kernel) {
        return (void *)(uintptr_t)(address + (uint64_t)a->delta);
    }
    const struct allocation *freed = memory_find_freed(memory, address);
    bool is_plain_host = a == NULL && !memory_is_device_address(memory, address) &&
                         (freed == NULL || freed->registered);
    char text[1000];
    if (pointer == NULL) {
        runtime_say(call, "the %s is a null pointer", role);
    } else if (is_plain_host && side != SIDE_DEVICE) {
        return (void *)(uintptr_t)pointer;
    } else if (on_wrong_side) {
        runtime_say(call, "the %s %p is a device pointer, the copy's direction says host", role,
                    (void *)(uintptr_t)pointer);
    } else if (is_plain_host && freed == NULL) {
        runtime_say(call, "the %s %p is a host pointer, the device's memory is needed", role,
                    (void *)(uintptr_t)pointer);
    } else if (fits && a->in_kernel) {
        runtime_say(call, "the %s %p is memory of %s: kernels alone can use it", role,
                    (void *)(uintptr_t)pointer, a->name);
    } else if (a != NULL) {
        cudart_describe_allocation(a, text, sizeof text);
        runtime_say(call, "the %s needs %" PRIu64 " bytes from byte %" PRIu64 " of %s", role, bytes,
                    address - a->begin, text);
    } else {
        cudart_explain_pointer(pointer, text, sizeof text);
        runtime_say(call, "the %s %s", role, text);
    }
    return NULL;
}

bool cudart_judge_host_array(const char *call, const char *role, const void *pointer,
                             uint64_t bytes)
{
    struct host_array a;
    char name[256] = "";
    const uint64_t at = (uint64_t)(uintptr_t)pointer;
    if (host_array_was_enough(pointer, bytes) ||
        memory_find(devices_memory_of(pointer), at) != NULL || host_array_has(pointer, bytes, &a)) {
        return true;
    }
    if (a.kind[0] == 's') {
        runtime_say(call,
                    "the %s needs %" PRIu64
                    " bytes at %p, but the stack of the function that holds it "
                    "ends after %" PRIu64 " of them",
                    role, bytes, pointer, a.bytes);
    } else {
        demangle_name(a.name, name, sizeof name);
        runtime_say(call,
                    "the %s needs %" PRIu64 " bytes from byte %" PRIu64
                    " of the host's %s%s, which has %" PRIu64,
                    role, bytes, at - a.begin, a.name[0] != '\0' ? "variable " : "block of ",
                    a.name[0] != '\0' ? name : a.kind, a.bytes);
    }
    return false;
}
