/* cudart_devices.c - see cudart_devices.h. */
#include "runtime/cudart_devices.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/env.h"

/* ---- how many -------------------------------------------------------------------------------- */

/* SIMT_GPU may name several, separated by commas: the GPUs 0, 1, ... SIMT_DEVICES=4 are four of
 * them, in turns. */
static bool read_names(const char *names, const struct gpu_limits *limits[], int *count,
                       struct err *e)
{
    char list[512], name[128];
    while (*names != '\0') {
        const size_t length = strcspn(names, ",");
        snprintf(name, sizeof name, "%.*s", (int)length, names);
        if (*count == RUNTIME_DEVICES) {
            return err_set(e, "SIMT_GPU names more than %d GPUs", RUNTIME_DEVICES);
        }
        limits[*count] = gpu_limits_find(name);
        if (limits[*count] == NULL) {
            return err_set(e, "SIMT_GPU=%.80s: no such GPU; known: %s", name,
                           gpu_limits_list(list, sizeof list));
        }
        ++*count;
        names += length + (names[length] == ',');
    }
    return true;
}

bool devices_read_environment(runtime_part opened, struct err *e)
{
    const char *names = getenv("SIMT_GPU"), *wanted = getenv("SIMT_DEVICES");
    const struct gpu_limits *limits[RUNTIME_DEVICES];
    int named = 0;
    if (names != NULL && !read_names(names, limits, &named, e)) {
        return false;
    }
    if (named == 0) {
        limits[named++] = gpu_limits_default();
    }
    uint64_t count = (uint64_t)named;
    if (!env_number("SIMT_DEVICES", 1, RUNTIME_DEVICES, &count, e)) {
        return false;
    }
    count = wanted == NULL || wanted[0] == '\0' ? (uint64_t)named : count;
    for (int i = named; i < (int)count; i++) {
        limits[i] = limits[i % named];
    }
    runtime_prepare(limits, (int)count, opened);
    return true;
}

cudaError_t devices_check(const char *call, int device)
{
    const int count = runtime_device_count();
    if (device < 0 || device >= count) {
        return count == 1 ? cuda_error_saying(cudaErrorInvalidDevice, call,
                                              "device %d: there is device 0 only (SIMT_DEVICES=2 "
                                              "simulates two)",
                                              device)
                          : cuda_error_saying(cudaErrorInvalidDevice, call,
                                              "device %d: there are %d", device, count);
    }
    return cudaSuccess;
}

/* ---- which one ------------------------------------------------------------------------------- */

cudaError_t cudaGetDeviceCount(int *count)
{
    if (count == NULL) {
        return cuda_error(cudaErrorInvalidValue);
    }
    runtime_begins();
    *count = runtime_device_count();
    return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device)
{
    cudaError_t code = runtime_enter_lost();
    AND_THEN(code, runtime_need(device));
    if (code == cudaSuccess) {
        *device = runtime_device();
    }
    return code;
}

cudaError_t cudaSetDevice(int device)
{
    cudaError_t code = runtime_enter_lost();
    AND_THEN(code, devices_check("cudaSetDevice", device));
    if (code == cudaSuccess) {
        runtime_set_device(device);
    }
    return code;
}

cudaError_t cudaInitDevice(int device, unsigned int deviceFlags, unsigned int flags)
{
    (void)deviceFlags, (void)flags;
    cudaError_t code = runtime_enter();
    return code == cudaSuccess ? devices_check("cudaInitDevice", device) : code;
}

cudaError_t cudaSetValidDevices(int *devices, int count)
{
    cudaError_t code = runtime_enter();
    if (code == cudaSuccess && (count < 0 || count > runtime_device_count())) {
        return cuda_error(cudaErrorInvalidValue);
    }
    for (int i = 0; i < count && code == cudaSuccess; i++) {
        code = devices_check("cudaSetValidDevices", devices[i]);
    }
    return code;
}

/* The first of the compute capability that is asked for, or better. */
cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *prop)
{
    cudaError_t code = runtime_enter();
    if (code != cudaSuccess || device == NULL || prop == NULL) {
        return code != cudaSuccess ? code : cuda_error(cudaErrorInvalidValue);
    }
    *device = 0;
    for (int i = runtime_device_count() - 1; i >= 0; i--) {
        const struct gpu_limits *g = runtime_limits_of(i);
        if (10 * g->major + g->minor >= 10 * prop->major + prop->minor) {
            *device = i;
        }
    }
    return code;
}

/* ---- whose memory ---------------------------------------------------------------------------- */

/* peers[a] has bit b: kernels of GPU a may use memory of GPU b. */
static unsigned peers[RUNTIME_DEVICES];

static const struct allocation *owned(int device, uint64_t address)
{
    const struct allocation *a =
        runtime_device_is_open(device) ? memory_find(runtime_of(device)->memory, address) : NULL;
    return a != NULL && !a->mirrored ? a : NULL;
}

struct runtime *devices_owner(const void *pointer)
{
    const uint64_t address = (uint64_t)(uintptr_t)pointer;
    struct runtime *own = runtime();
    const int count = runtime_device_count();
    for (int i = 0; i < count && count > 1; i++) {
        const int device = (own->device + i) % count;
        if (owned(device, address) != NULL) {
            return runtime_of(device);
        }
    }
    for (int i = 0; i < count && count > 1; i++) { /* freed, or near one: to be explained */
        if (runtime_device_is_open(i) && memory_is_device_address(runtime_of(i)->memory, address)) {
            return runtime_of(i);
        }
    }
    return own;
}

static void mirror(const struct runtime *to, const struct allocation *a)
{
    struct allocation copy = *a;
    copy.mirrored = true;
    memory_map(to->memory, &copy);
}

/* Everybody reaches memory of the host, peers that of the GPU, too. */
static bool reaches(int device, int owner, const struct allocation *a)
{
    return device != owner && a->freed == false && !a->mirrored && !a->in_kernel &&
           (a->kind == MEMORY_PINNED || a->kind == MEMORY_MANAGED || peers[device] >> owner & 1);
}

void devices_allocated(const struct runtime *gpu, const struct allocation *a)
{
    for (int i = 0; i < runtime_device_count(); i++) {
        if (runtime_device_is_open(i) && reaches(i, gpu->device, a)) {
            mirror(runtime_of(i), a);
        }
    }
}

void devices_freed(const struct runtime *gpu, uint64_t address)
{
    for (int i = 0; i < runtime_device_count(); i++) {
        const struct allocation *a = i != gpu->device && runtime_device_is_open(i)
                                         ? memory_find(runtime_of(i)->memory, address)
                                         : NULL;
        if (a != NULL && a->mirrored && a->begin == address) {
            memory_free(runtime_of(i)->memory, address, NULL);
        }
    }
}

struct two {
    const struct runtime *owner, *user;
};

static void mirror_one(void *state, const struct allocation *a)
{
    const struct two *t = state;
    if (reaches(t->user->device, t->owner->device, a) &&
        memory_find(t->user->memory, a->begin) == NULL) {
        mirror(t->user, a);
    }
}

static void forget_one(void *state, const struct allocation *a)
{
    const struct two *t = state;
    const struct allocation *known = memory_find(t->user->memory, a->begin);
    if (known != NULL && known->mirrored && !reaches(t->user->device, t->owner->device, a)) {
        memory_free(t->user->memory, a->begin, NULL);
    }
}

static void visit_both(const struct runtime *owner, const struct runtime *user,
                       void (*visit)(void *state, const struct allocation *a))
{
    struct two two = {owner, user};
    memory_visit(owner->memory, visit, &two);
}

/* An address that a kernel of another GPU has met. */
static bool explain_stranger(uint64_t address, char *text, size_t size)
{
    for (int i = 0; i < runtime_device_count(); i++) {
        if (owned(i, address) != NULL) {
            snprintf(text, size,
                     "it is memory of device %d, to which this device has no access: "
                     "cudaDeviceEnablePeerAccess(%d, 0) gives it",
                     i, i);
            return true;
        }
    }
    return false;
}

/* It may be called while the GPU is being opened, so runtime_of() must not be asked for it. */
void devices_opened(const struct runtime *gpu)
{
    if (runtime_device_count() > 1) {
        memory_ask_of_strangers(gpu->memory, explain_stranger);
    }
    for (int i = 0; i < runtime_device_count(); i++) {
        if (i != gpu->device && runtime_device_is_open(i)) {
            visit_both(runtime_of(i), gpu, mirror_one);
        }
    }
}

bool devices_are_peers(int device, int peer) { return peers[device] >> peer & 1; }

void devices_set_peer(int device, int peer, bool access)
{
    peers[device] &= ~(1u << peer);
    peers[device] |= access ? 1u << peer : 0;
    visit_both(runtime_of(peer), runtime_of(device), access ? mirror_one : forget_one);
}

void devices_closes(void)
{
    const struct runtime *gpu = runtime();
    peers[gpu->device] = 0;
    for (int i = 0; i < runtime_device_count(); i++) {
        peers[i] &= ~(1u << gpu->device);
        if (i != gpu->device && runtime_device_is_open(i)) {
            struct two two = {gpu, runtime_of(i)};
            memory_visit(gpu->memory, forget_one, &two);
        }
    }
}
