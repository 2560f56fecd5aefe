/* registry_load.c - loads images: finds their PTX, links and reads it, once for each device that
 * uses it; then kernels and variables by their names. See registry.h. */
#include "runtime/registry_state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"
#include "check/host/host_order.h"
#include "ptx/fatbin.h"
#include "runtime/cudart_estimate.h"
#include "runtime/registers.h"

/* ---- loading --------------------------------------------------------------------------------- */

/* The number in ".target sm_80" at the beginning of PTX text; 0 if it is not there. */
static int target_of(const char *text, size_t length)
{
    static const char word[] = ".target sm_";
    size_t head = length < 2000 ? length : 2000; /* comments come first, then the directives */
    const char *at = memmem(text, head, word, sizeof word - 1);
    int number = 0;
    for (at = at != NULL ? at + sizeof word - 1 : NULL; at != NULL && at < text + head; at++) {
        if (*at < '0' || *at > '9' || number >= 1000) {
            break;
        }
        number = 10 * number + (*at - '0');
    }
    return number;
}

static cudaError_t reject(struct image *image, cudaError_t code, const char *text)
{
    image->rejection = code;
    return cuda_error_saying(code, "loading the program's GPU code", "%s", text);
}

static unsigned capability(int device) /* 90 for 9.0 */
{
    const struct gpu_limits *g = runtime_limits_of(device);
    return (unsigned)(10 * g->major + g->minor);
}

/* The PTX of a part; in the arena, where it was compressed. */
static bool text_of(const struct image_part *part, unsigned gpu, struct arena *scratch,
                    struct simt_text *out, struct err *e)
{
    if (part->wrapper == NULL) {
        *out = part->text;
        return true;
    }
    const void *data = fatbin_unwrap(part->wrapper, e);
    out->name = program_invocation_short_name;
    return data != NULL && fatbin_ptx(data, 0, gpu, scratch, &out->text, &out->length, e);
}

/* Kernels that wait for, or let go, others: launches may begin before the one before has ended. */
static void look_for_dependents(const struct simt_text *text)
{
    static const char word[] = "griddepcontrol";
    if (memmem(text->text, text->length, word, sizeof word - 1) != NULL) {
        host_order_may_begin_early();
    }
}

static cudaError_t load_texts(struct image *image, struct arena *scratch)
{
    struct err e = {0};
    unsigned count = 0, room = 0;
    const struct image_part *parts = image->origin->parts;
    for (const struct image_part *p = parts; p != NULL; p = p->next) {
        room++;
    }
    if (room == 0) {
        return reject(image, cudaErrorInvalidDeviceFunction, "its library was unloaded");
    }
    struct simt_text *texts = arena_alloc(scratch, room * sizeof *texts);
    for (const struct image_part *p = parts; p != NULL; p = p->next) {
        if (!text_of(p, capability(image->device), scratch, &texts[count], &e)) {
            return reject(image, cudaErrorNoKernelImageForDevice, e.text);
        }
        look_for_dependents(&texts[count++]);
    }
    image->target = target_of(texts[0].text, texts[0].length);
    image->module = simt_module_link(runtime_of(image->device)->simt, texts, count, &e);
    return image->module != NULL ? cudaSuccess : reject(image, cuda_error_from_simt(&e), e.text);
}

/* Every module's managed variables are bound as soon as it is loaded: a kernel may use them. */
cudaError_t registry_load_image(struct image *image)
{
    if (image->module != NULL) {
        return cudaSuccess;
    }
    if (image->rejection != cudaSuccess) {
        return cuda_error(image->rejection);
    }
    struct arena scratch = {0};
    cudaError_t code = load_texts(image, &scratch);
    arena_free(&scratch);
    for (struct device_variable *v = image->origin->variables; v != NULL && code == cudaSuccess;
         v = v->next) {
        code = v->managed ? registry_bind_managed(v, image) : cudaSuccess;
    }
    return code;
}

static struct image *image_on(struct image *image, int device)
{
    struct image *origin = image->origin;
    if (origin->device == device) {
        return origin;
    }
    struct image **copy = &origin->elsewhere[device];
    if (*copy == NULL) {
        *copy = registry_keep(sizeof **copy);
        (*copy)->origin = origin;
        (*copy)->device = device;
    }
    return *copy;
}

struct image *registry_image_here(struct image *image) { return image_on(image, runtime_device()); }

struct CUkern_st *registry_on_device(struct CUkern_st *k, int device)
{
    registry_lock();
    if (k->elsewhere == NULL) {
        k->elsewhere = registry_keep(RUNTIME_DEVICES * sizeof *k->elsewhere);
        k->elsewhere[k->device] = k;
    }
    struct CUkern_st **other = &k->elsewhere[device];
    if (*other == NULL) {
        *other = registry_keep(sizeof **other);
        (*other)->name = k->name;
        (*other)->stub = k->stub;
        (*other)->device = device;
        (*other)->image = image_on(k->image, device);
        (*other)->elsewhere = k->elsewhere;
    }
    registry_unlock();
    return *other;
}

/* Occupancy follows from them. Before the kernel's first launch: what is observed is a copy. */
static void ask_registers(const struct CUkern_st *k)
{
    struct arena scratch = {0};
    struct err e = {0};
    const char *text = NULL;
    size_t length = 0;
    const struct image_part *part = k->image->origin->parts;
    const bool compiled = part != NULL && part->wrapper != NULL && part->next == NULL;
    const void *data = compiled && estimate_is_modelled() ? fatbin_unwrap(part->wrapper, &e) : NULL;
    const unsigned arch = capability(k->device);
    if (data != NULL && fatbin_is_binary(data) &&
        fatbin_ptx(data, 0, arch, &scratch, &text, &length, &e)) {
        const unsigned registers = registers_of(text, length, k->name, arch);
        if (registers > 0) {
            simt_kernel_set_registers(k->kernel, registers);
        }
    }
    arena_free(&scratch);
}

static cudaError_t load_kernel_locked(struct CUkern_st *k)
{
    char plain[512];
    if (k->plain == NULL) {
        demangle_name(k->name, plain, sizeof plain - sizeof " [device 0]");
        if (runtime_device_count() > 1) { /* reports and messages tell the devices apart */
            const size_t length = strlen(plain);
            snprintf(plain + length, sizeof plain - length, " [device %d]", k->device);
        }
        k->plain = registry_keep_text(plain, strlen(plain));
    }
    cudaError_t code = registry_load_image(k->image);
    if (code != cudaSuccess) {
        return code;
    }
    struct err e = {0};
    k->kernel = simt_module_kernel(k->image->module, k->name, &e);
    if (k->kernel == NULL) {
        return cuda_error_saying(cuda_error_from_simt(&e), NULL, "%s", e.text);
    }
    ask_registers(k);
    simt_kernel_attributes(k->kernel, &k->attributes);
    const unsigned *cluster = k->attributes.cluster;
    k->required_cluster = (dim3){cluster[0], cluster[1], cluster[2]};
    uint64_t usual = runtime_limits_of(k->device)->shared_bytes_per_block;
    uint64_t fixed = k->attributes.static_shared_bytes;
    k->max_dynamic_shared = usual > fixed ? usual - fixed : 0;
    k->carveout = cudaSharedmemCarveoutDefault;
    return cudaSuccess;
}

cudaError_t registry_load_kernel(struct CUkern_st *k)
{
    if (__atomic_load_n(&k->ready, __ATOMIC_ACQUIRE)) {
        return cudaSuccess;
    }
    registry_lock();
    cudaError_t code = k->kernel != NULL ? cudaSuccess : load_kernel_locked(k);
    __atomic_store_n(&k->ready, code == cudaSuccess, __ATOMIC_RELEASE);
    registry_unlock();
    return code;
}

struct CUkern_st *registry_kernel(const void *stub)
{
    registry_lock();
    struct CUkern_st *k = registry_kernel_at(stub);
    registry_unlock();
    return registry_here(k);
}

cudaError_t registry_no_kernel(const char *call, const void *stub)
{
    return cuda_error_saying(stub == NULL ? cudaErrorInvalidDeviceFunction
                                          : cudaErrorInvalidResourceHandle,
                             call, "%p is not a kernel of this program", (void *)(uintptr_t)stub);
}

int registry_target(const struct CUkern_st *k) { return k->image->target; }

/* ---- variables ------------------------------------------------------------------------------- */

/* A constructor of the program may have written to a shadow before it was registered: a variable
 * that the PTX gives no value begins with what is there. */
static void keep_early_writes(char *device, const char *shadow, uint64_t bytes)
{
    for (uint64_t i = 0; i < bytes; i++) {
        if (device[i] != 0) {
            return;
        }
    }
    memcpy(device, shadow, bytes);
}

/* nvcc's host code reaches a managed variable through a pointer, which is set to memory that both
 * sides share. clang's host code reaches the shadow itself, which becomes that memory. */
cudaError_t registry_bind_managed(struct device_variable *v, struct image *image)
{
    struct memory *memory = runtime_of(image->device)->memory;
    struct err e = {0};
    uint64_t address = 0, bytes = 0;
    if (v->bound >> image->device & 1) {
        return cudaSuccess;
    }
    if (!simt_module_symbol(image->module, v->name, &address, &bytes, &e)) {
        return reject(image, cudaErrorInvalidSymbol, e.text);
    }
    const struct allocation *device = memory_find(memory, address);
    if (v->bound != 0) { /* on another device: the memory that is shared is this one's, too */
        void *host =
            v->managed_pointer != NULL ? *v->managed_pointer : (void *)(uintptr_t)v->shadow;
        memcpy((void *)(uintptr_t)(device->begin + (uint64_t)device->delta), host, bytes);
        memory_rebind(memory, device->begin, host);
        v->bound |= 1u << image->device;
        return cudaSuccess;
    }
    const struct allocation *shared = device;
    if (v->managed_pointer == NULL) {
        void *shadow = (void *)(uintptr_t)v->shadow;
        keep_early_writes((char *)(uintptr_t)(device->begin + (uint64_t)device->delta), shadow,
                          bytes);
        shared = memory_register(memory, shadow, bytes, MEMORY_MANAGED, v->name, NULL);
    } else if (device->delta != 0) {
        shared = memory_alloc(memory, bytes, MEMORY_MANAGED, v->name, NULL);
    }
    if (shared == NULL) {
        return reject(image, cudaErrorMemoryAllocation, "no memory for a managed variable");
    }
    void *host = (void *)(uintptr_t)shared->begin;
    if (shared != device) {
        memory_rebind(memory, device->begin, host);
    }
    host_order_shares_variable(device->begin, bytes, (uint64_t)(uintptr_t)host);
    if (v->managed_pointer != NULL) {
        *v->managed_pointer = host;
    }
    v->bound |= 1u << image->device;
    return cudaSuccess;
}

cudaError_t registry_symbol(const char *call, const void *shadow, uint64_t *address,
                            uint64_t *bytes)
{
    struct err e = {0};
    registry_lock();
    const struct device_variable *v = registry_variable(shadow);
    struct image *image = v != NULL ? registry_image_here(v->image) : NULL;
    cudaError_t code = v != NULL ? registry_load_image(image) : cudaErrorInvalidSymbol;
    bool found = v != NULL && code == cudaSuccess &&
                 simt_module_symbol(image->module, v->name, address, bytes, &e);
    registry_unlock();
    if (v == NULL) {
        return cuda_error_saying(code, call,
                                 "%p is no __device__ or __constant__ variable: pass the "
                                 "variable itself, not its address or its name",
                                 (void *)(uintptr_t)shadow);
    }
    if (code == cudaSuccess && !found) {
        return cuda_error_saying(cudaErrorInvalidSymbol, call, "%s", e.text);
    }
    return code;
}

/* ---- images that are given at run time ------------------------------------------------------- */

static void close_one(struct image *image)
{
    if (image != NULL && image->module != NULL) {
        simt_module_unload(image->module);
        image->module = NULL;
    }
    for (struct CUkern_st *k = image != NULL ? image->kernels : NULL; k != NULL; k = k->next) {
        k->ready = false;
        k->kernel = NULL;
    }
}

void registry_close_image(struct image *image)
{
    registry_lock();
    close_one(image);
    for (int i = 0; i < RUNTIME_DEVICES; i++) {
        close_one(image->elsewhere[i]);
    }
    image->parts = NULL;
    image->rejection = cudaErrorInvalidResourceHandle;
    registry_unlock();
}

struct image *registry_open_image(const struct simt_text *texts, unsigned count, struct err *e)
{
    struct simt_module *module = simt_module_link(runtime()->simt, texts, count, e);
    if (module == NULL) {
        return NULL;
    }
    if (!simt_module_is_valid(module, e)) {
        simt_module_unload(module);
        return NULL;
    }
    registry_lock();
    struct image *image = registry_keep(sizeof *image);
    struct image_part **last = &image->parts;
    for (unsigned i = 0; i < count; i++) {
        *last = registry_keep(sizeof **last);
        (*last)->text = texts[i];
        (*last)->text.text = registry_keep_text(texts[i].text, texts[i].length);
        (*last)->text.name = registry_keep_text(texts[i].name, strlen(texts[i].name));
        last = &(*last)->next;
    }
    image->origin = image;
    image->device = runtime_device();
    image->module = module;
    image->target = target_of(texts[0].text, texts[0].length);
    registry_add_image(image);
    registry_unlock();
    return image;
}

struct CUkern_st *registry_kernel_of(struct image *image, const char *name, struct err *e)
{
    registry_lock();
    struct CUkern_st *k = image->kernels;
    while (k != NULL && strcmp(k->name, name) != 0) {
        k = k->next;
    }
    const bool loaded = k != NULL || registry_load_image(image) == cudaSuccess;
    if (k == NULL && loaded && simt_module_kernel(image->module, name, e) != NULL) {
        k = registry_keep(sizeof *k);
        k->name = registry_keep_text(name, strlen(name));
        k->image = image;
        k->device = image->device;
        k->next = image->kernels;
        image->kernels = k;
        registry_add_kernel(k, k);
    }
    registry_unlock();
    return k;
}

bool registry_symbol_of(struct image *image, const char *name, uint64_t *address, uint64_t *bytes,
                        struct err *e)
{
    registry_lock();
    const bool good = registry_load_image(image) == cudaSuccess &&
                      simt_module_symbol(image->module, name, address, bytes, e);
    registry_unlock();
    return good;
}
