/* registry.c - see registry.h. The functions that begin with __cuda are called by code that nvcc
 * and clang generate: each object file registers its fat binary, kernels and variables before
 * main(). Nothing is read then but addresses and names, so that starting costs microseconds. */
#include "runtime/registry.h"

#include "check/host/order.h"
#include "runtime/registers.h"
#include "api/simt_last.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/demangle.h"
#include "base/describe.h"
#include "ptx/fatbin.h"

struct device_variable {
    const void *shadow; /* the variable's address in host code */
    const char *name;   /* mangled */
    struct image *image;
    struct device_variable *next; /* in the image */
    void **managed_pointer; /* nvcc: host code reads a managed variable through this pointer */
    bool managed, bound;    /* bound: host and device see one copy */
};

struct image {
    const void *fatbin; /* what __cudaRegisterFatBinary was given; NULL once unregistered */
    struct image *next;
    struct simt_module *module; /* NULL: not loaded yet */
    cudaError_t rejection;      /* why it cannot be loaded; explained already */
    int target;                 /* sm_80 is 80 */
    struct device_variable *variables;
};

/* Open addressing; a key is the address of a stub or a shadow. */
struct address_table {
    const void **keys;
    void **values;
    unsigned count, capacity;
};

static struct {
    pthread_mutex_t lock;
    struct arena arena;
    struct image *images;
    struct address_table kernels, variables;
} registry = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void lock(void) { pthread_mutex_lock(&registry.lock); }

static void unlock(void) { pthread_mutex_unlock(&registry.lock); }

/* ---- address tables -------------------------------------------------------------------------- */

static unsigned slot_of(const struct address_table *t, const void *key)
{
    uint64_t hash = (uint64_t)(uintptr_t)key * HASH_MULTIPLIER;
    unsigned slot = (unsigned)(hash >> 32) & (t->capacity - 1);
    while (t->keys[slot] != NULL && t->keys[slot] != key) {
        slot = (slot + 1) & (t->capacity - 1);
    }
    return slot;
}

static void *table_find(const struct address_table *t, const void *key)
{
    return t->capacity > 0 && key != NULL ? t->values[slot_of(t, key)] : NULL;
}

static void table_put(struct address_table *t, const void *key, void *value);

static void table_grow(struct address_table *t)
{
    struct address_table old = *t;
    t->capacity = old.capacity > 0 ? 2 * old.capacity : 64;
    t->count = 0;
    t->keys = arena_alloc(&registry.arena, t->capacity * sizeof *t->keys);
    t->values = arena_alloc(&registry.arena, t->capacity * sizeof *t->values);
    for (unsigned i = 0; i < old.capacity; i++) {
        if (old.keys[i] != NULL) {
            table_put(t, old.keys[i], old.values[i]);
        }
    }
}

static void table_put(struct address_table *t, const void *key, void *value)
{
    if (2 * t->count >= t->capacity) {
        table_grow(t);
    }
    unsigned slot = slot_of(t, key);
    t->count += t->keys[slot] == NULL;
    t->keys[slot] = key;
    t->values[slot] = value;
}

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

static cudaError_t load_text(struct image *image, struct arena *scratch)
{
    struct err e = {0};
    const char *text = NULL;
    size_t length = 0;
    if (image->fatbin == NULL) {
        return reject(image, cudaErrorInvalidDeviceFunction, "its library was unloaded");
    }
    const void *data = fatbin_unwrap(image->fatbin, &e);
    if (data == NULL || !fatbin_ptx(data, 0, scratch, &text, &length, &e)) {
        return reject(image, cudaErrorNoKernelImageForDevice, e.text);
    }
    image->target = target_of(text, length);
    image->module =
        simt_module_load(runtime()->simt, text, length, program_invocation_short_name, &e);
    return image->module != NULL ? cudaSuccess : reject(image, cuda_error_from_simt(&e), e.text);
}

static cudaError_t bind_managed(struct device_variable *v);

/* Every module's managed variables are bound as soon as it is loaded: a kernel may use them. */
static cudaError_t load_image(struct image *image)
{
    if (image->module != NULL) {
        return cudaSuccess;
    }
    if (image->rejection != cudaSuccess) {
        return cuda_error(image->rejection);
    }
    struct arena scratch = {0};
    cudaError_t code = load_text(image, &scratch);
    arena_free(&scratch);
    for (struct device_variable *v = image->variables; v != NULL && code == cudaSuccess;
         v = v->next) {
        code = v->managed ? bind_managed(v) : cudaSuccess;
    }
    return code;
}

/* Occupancy follows from them. Before the kernel's first launch: what is observed is a copy. */
static void ask_registers(const struct CUkern_st *k)
{
    struct arena scratch = {0};
    struct err e = {0};
    const char *text = NULL;
    size_t length = 0;
    const struct gpu_limits *g = runtime_limits();
    const void *data = simt_times_wanted() ? fatbin_unwrap(k->image->fatbin, &e) : NULL;
    if (data != NULL && fatbin_is_binary(data) &&
        fatbin_ptx(data, 0, &scratch, &text, &length, &e)) {
        const unsigned arch = (unsigned)(10 * g->major + g->minor);
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
        demangle_name(k->name, plain, sizeof plain);
        k->plain = arena_strndup(&registry.arena, plain, strlen(plain));
    }
    cudaError_t code = load_image(k->image);
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
    uint64_t usual = runtime_limits()->shared_bytes_per_block;
    uint64_t fixed = k->attributes.static_shared_bytes;
    k->max_dynamic_shared = usual > fixed ? usual - fixed : 0;
    return cudaSuccess;
}

cudaError_t registry_load_kernel(struct CUkern_st *k)
{
    if (__atomic_load_n(&k->ready, __ATOMIC_ACQUIRE)) {
        return cudaSuccess;
    }
    lock();
    cudaError_t code = k->kernel != NULL ? cudaSuccess : load_kernel_locked(k);
    __atomic_store_n(&k->ready, code == cudaSuccess, __ATOMIC_RELEASE);
    unlock();
    return code;
}

struct CUkern_st *registry_kernel(const void *stub)
{
    lock();
    struct CUkern_st *k = table_find(&registry.kernels, stub);
    unlock();
    return k;
}

int registry_target(const struct CUkern_st *k) { return k->image->target; }

/* ---- variables ------------------------------------------------------------------------------- */

/* nvcc's host code reaches a managed variable through a pointer, which is set to memory that both
 * sides share. clang's host code reaches the shadow itself, which becomes that memory. */
static cudaError_t bind_managed(struct device_variable *v)
{
    struct memory *memory = runtime()->memory;
    struct err e = {0};
    uint64_t address = 0, bytes = 0;
    if (v->bound) {
        return cudaSuccess;
    }
    if (!simt_module_symbol(v->image->module, v->name, &address, &bytes, &e)) {
        return reject(v->image, cudaErrorInvalidSymbol, e.text);
    }
    const struct allocation *device = memory_find(memory, address);
    const struct allocation *shared = device;
    if (v->managed_pointer == NULL) {
        void *shadow = (void *)(uintptr_t)v->shadow;
        shared = memory_register(memory, shadow, bytes, MEMORY_MANAGED, v->name, NULL);
    } else if (device->delta != 0) {
        shared = memory_alloc(memory, bytes, MEMORY_MANAGED, v->name, NULL);
    }
    if (shared == NULL) {
        return reject(v->image, cudaErrorMemoryAllocation, "no memory for a managed variable");
    }
    void *host = (void *)(uintptr_t)shared->begin;
    if (shared != device) {
        memory_rebind(memory, device->begin, host);
    }
    order_shares_variable(device->begin, bytes, (uint64_t)(uintptr_t)host);
    if (v->managed_pointer != NULL) {
        *v->managed_pointer = host;
    }
    v->bound = true;
    return cudaSuccess;
}

cudaError_t registry_symbol(const char *call, const void *shadow, uint64_t *address,
                            uint64_t *bytes)
{
    struct err e = {0};
    lock();
    const struct device_variable *v = table_find(&registry.variables, shadow);
    cudaError_t code = v != NULL ? load_image(v->image) : cudaErrorInvalidSymbol;
    bool found = v != NULL && code == cudaSuccess &&
                 simt_module_symbol(v->image->module, v->name, address, bytes, &e);
    unlock();
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

/* ---- device reset ---------------------------------------------------------------------------- */

void registry_forget_device(void)
{
    lock();
    for (struct image *image = registry.images; image != NULL; image = image->next) {
        if (image->module != NULL) {
            simt_module_unload(image->module);
            image->module = NULL;
        }
        for (struct device_variable *v = image->variables; v != NULL; v = v->next) {
            v->bound = false;
        }
    }
    for (unsigned i = 0; i < registry.kernels.capacity; i++) {
        struct CUkern_st *k = registry.kernels.values[i];
        if (k != NULL) {
            k->kernel = NULL;
            k->ready = false;
        }
    }
    unlock();
}

static bool has_managed(const struct image *image)
{
    const struct device_variable *v = image->variables;
    while (v != NULL && !v->managed) {
        v = v->next;
    }
    return v != NULL;
}

void registry_load_managed(void)
{
    lock();
    for (struct image *image = registry.images; image != NULL; image = image->next) {
        if (image->fatbin != NULL && has_managed(image)) {
            load_image(image);
        }
    }
    unlock();
}

/* ---- what generated code calls --------------------------------------------------------------- */

void **__cudaRegisterFatBinary(void *fatbin);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *stub, char *device_function,
                            const char *name, int thread_limit, void *thread, void *block,
                            void *block_size, void *grid_size, int *warp_size);
void __cudaRegisterVar(void **handle, char *shadow, char *device_address, const char *name,
                       int is_extern, size_t bytes, int is_constant, int is_global);
void __cudaRegisterManagedVar(void **handle, void **pointer, char *device_address, const char *name,
                              int is_extern, size_t bytes, int is_constant, int is_global);
char __cudaInitModule(void **handle);
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *stub);

void **__cudaRegisterFatBinary(void *fatbin)
{
    lock();
    struct image *image = arena_alloc(&registry.arena, sizeof *image);
    image->fatbin = fatbin;
    image->next = registry.images;
    registry.images = image;
    unlock();
    return (void **)image;
}

void __cudaRegisterFatBinaryEnd(void **handle) { (void)handle; }

/* At exit, or when a shared library is unloaded. */
void __cudaUnregisterFatBinary(void **handle)
{
    struct image *image = (struct image *)handle;
    if (image != NULL) {
        lock();
        image->fatbin = NULL;
        unlock();
    }
}

void __cudaRegisterFunction(void **handle, const char *stub, char *device_function,
                            const char *name, int thread_limit, void *thread, void *block,
                            void *block_size, void *grid_size, int *warp_size)
{
    (void)device_function, (void)thread_limit, (void)thread, (void)block;
    (void)block_size, (void)grid_size, (void)warp_size;
    lock();
    struct CUkern_st *k = arena_alloc(&registry.arena, sizeof *k);
    k->image = (struct image *)handle;
    k->name = arena_strndup(&registry.arena, name, strlen(name));
    table_put(&registry.kernels, stub, k);
    unlock();
}

static struct device_variable *add_variable(void **handle, const void *shadow, const char *name)
{
    struct device_variable *v = arena_alloc(&registry.arena, sizeof *v);
    v->shadow = shadow;
    v->image = (struct image *)handle;
    v->name = arena_strndup(&registry.arena, name, strlen(name));
    v->next = v->image->variables;
    v->image->variables = v;
    table_put(&registry.variables, shadow, v);
    return v;
}

/* clang has no managed variables: our headers put the shadow of one into a section of its own. */
extern char __start_simt_managed[] __attribute__((weak));
extern char __stop_simt_managed[] __attribute__((weak));

static bool is_managed_shadow(const char *shadow)
{
    return __start_simt_managed != NULL && shadow >= __start_simt_managed &&
           shadow < __stop_simt_managed;
}

void __cudaRegisterVar(void **handle, char *shadow, char *device_address, const char *name,
                       int is_extern, size_t bytes, int is_constant, int is_global)
{
    (void)device_address, (void)is_extern, (void)bytes, (void)is_constant, (void)is_global;
    lock();
    struct device_variable *v = add_variable(handle, shadow, name);
    v->managed = is_managed_shadow(shadow);
    if (v->managed) { /* host code may read it before any call of the runtime */
        v->image->module != NULL ? bind_managed(v) : load_image(v->image);
    }
    unlock();
}

void __cudaRegisterManagedVar(void **handle, void **pointer, char *device_address, const char *name,
                              int is_extern, size_t bytes, int is_constant, int is_global)
{
    (void)device_address, (void)is_extern, (void)bytes, (void)is_constant, (void)is_global;
    lock();
    struct device_variable *v = add_variable(handle, pointer, name);
    v->managed = true;
    v->managed_pointer = pointer;
    unlock();
}

/* nvcc: before host code first uses a managed variable of the module. */
char __cudaInitModule(void **handle)
{
    lock();
    cudaError_t code = load_image((struct image *)handle);
    unlock();
    return code == cudaSuccess;
}

cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *stub)
{
    *kernel = registry_kernel(stub);
    return *kernel != NULL ? cudaSuccess : cuda_error(cudaErrorInvalidDeviceFunction);
}
