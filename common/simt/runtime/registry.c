/* registry.c - see registry.h. The functions that begin with __cuda are called by code that nvcc
 * and clang generate: each object file registers its fat binary, kernels and variables before
 * main(). Nothing is read then but addresses and names, so that starting costs microseconds. */
#include "runtime/registry_state.h"

#include <string.h>

/* ---- device reset ---------------------------------------------------------------------------- */

static void forget_kernel(struct CUkern_st *k)
{
    const int device = runtime_device();
    if (k->device != device) {
        k = k->elsewhere != NULL ? k->elsewhere[device] : NULL;
    }
    if (k != NULL) {
        k->kernel = NULL;
        k->ready = false;
    }
}

static void forget_image(struct image *origin)
{
    struct image *image = registry_image_here(origin);
    if (image->module != NULL) {
        simt_module_unload(image->module);
        image->module = NULL;
    }
    for (struct device_variable *v = origin->variables; v != NULL; v = v->next) {
        v->bound &= ~(1u << runtime_device());
    }
}

void registry_forget_device(void)
{
    registry_lock();
    registry_visit_images(forget_image);
    registry_visit_kernels(forget_kernel);
    registry_unlock();
}

static void load_managed(struct image *image)
{
    const struct device_variable *v = image->variables;
    while (v != NULL && !v->managed) {
        v = v->next;
    }
    if (v != NULL && image->parts != NULL) {
        registry_load_image(registry_image_here(image));
    }
}

void registry_load_managed(void)
{
    registry_lock();
    registry_visit_images(load_managed);
    registry_unlock();
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

static void add_part(struct image *image, const void *wrapper)
{
    struct image_part **last = &image->parts;
    while (*last != NULL) {
        last = &(*last)->next;
    }
    *last = registry_keep(sizeof **last);
    (*last)->wrapper = wrapper;
}

void **__cudaRegisterFatBinary(void *fatbin)
{
    registry_lock();
    struct image *image = registry_keep(sizeof *image);
    image->origin = image;
    add_part(image, fatbin);
    registry_add_image(image);
    registry_unlock();
    return (void **)image;
}

/* nvcc and clang compile relocatable device code (-rdc=true) to objects that call a function of this kind each; simtcc
 * has the linker take this one for all of them. Their device code is linked when it is first used. */
void simt_register_linked_binary(void (*registers)(void **handle), void *fatbin, void *module_id,
                                 void (*refers)(void *));
void simt_register_linked_binary(void (*registers)(void **handle), void *fatbin, void *module_id,
                                 void (*refers)(void *))
{
    static struct image *linked;
    (void)module_id, (void)refers;
    registry_lock();
    if (linked == NULL) {
        linked = registry_keep(sizeof *linked);
        linked->origin = linked;
        registry_add_image(linked);
    }
    add_part(linked, fatbin);
    registry_unlock();
    registers((void **)linked);
}

void __cudaRegisterFatBinaryEnd(void **handle) { (void)handle; }

/* At exit, or when a shared library is unloaded. */
void __cudaUnregisterFatBinary(void **handle)
{
    struct image *image = (struct image *)handle;
    if (image != NULL) {
        registry_lock();
        image->parts = NULL;
        registry_unlock();
    }
}

void __cudaRegisterFunction(void **handle, const char *stub, char *device_function,
                            const char *name, int thread_limit, void *thread, void *block,
                            void *block_size, void *grid_size, int *warp_size)
{
    (void)device_function, (void)thread_limit, (void)thread, (void)block;
    (void)block_size, (void)grid_size, (void)warp_size;
    registry_lock();
    struct CUkern_st *k = registry_keep(sizeof *k);
    k->image = (struct image *)handle;
    k->name = registry_keep_text(name, strlen(name));
    k->stub = stub;
    k->next = k->image->kernels;
    k->image->kernels = k;
    registry_add_kernel(stub, k);
    registry_unlock();
}

static struct device_variable *add_variable(void **handle, const void *shadow, const char *name)
{
    struct device_variable *v = registry_keep(sizeof *v);
    v->shadow = shadow;
    v->image = (struct image *)handle;
    v->name = registry_keep_text(name, strlen(name));
    v->next = v->image->variables;
    v->image->variables = v;
    registry_add_variable(shadow, v);
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
    registry_lock();
    struct device_variable *v = add_variable(handle, shadow, name);
    v->managed = is_managed_shadow(shadow);
    if (v->managed) { /* host code may read it before any call of the runtime */
        struct image *image = v->image;
        image->module != NULL ? registry_bind_managed(v, image) : registry_load_image(image);
    }
    registry_unlock();
}

void __cudaRegisterManagedVar(void **handle, void **pointer, char *device_address, const char *name,
                              int is_extern, size_t bytes, int is_constant, int is_global)
{
    (void)device_address, (void)is_extern, (void)bytes, (void)is_constant, (void)is_global;
    registry_lock();
    struct device_variable *v = add_variable(handle, pointer, name);
    v->managed = true;
    v->managed_pointer = pointer;
    registry_unlock();
}

/* nvcc: before host code first uses a managed variable of the module. */
char __cudaInitModule(void **handle)
{
    registry_lock();
    cudaError_t code = registry_load_image(registry_image_here((struct image *)handle));
    registry_unlock();
    return code == cudaSuccess;
}

cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *stub)
{
    *kernel = registry_kernel(stub);
    return *kernel != NULL ? cudaSuccess : cuda_error(cudaErrorInvalidDeviceFunction);
}
