/* driver_module.c - modules and libraries of the driver API: PTX text, fat binaries and files, and
 * several of them linked. See driver.h.
 *
 * The PTX is read when a module is loaded, and decoded when a function of it is asked for. What is
 * wrong with it stands on stderr and in the error log that the program gave a buffer for. */
#include "runtime/driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/host/host_order.h"
#include "runtime/driver_jit.h"
#include "runtime/registry.h"

struct CUmod_st {
    struct handle handle;
    CUcontext context;
    struct image *image;
};

static struct handle_pool modules = HANDLE_POOL(struct CUmod_st);

static CUresult check_module(const char *call, CUmodule m)
{
    CUresult code = driver_begin(call);
    runtime_speak_as(NULL);
    if (code == CUDA_SUCCESS && (m == NULL || !handle_is_live(&modules, m))) {
        code =
            driver_reject(CUDA_ERROR_INVALID_HANDLE, call,
                          "module %p does not exist: it was unloaded, or never loaded", (void *)m);
    }
    return code;
}

static void unload(CUmodule m)
{
    registry_close_image(m->image);
    handle_destroy(&modules, m);
}

struct of_context {
    CUcontext context;
    CUmodule found;
};

static void find_of_context(void *state, const struct handle *h)
{
    struct of_context *wanted = state;
    const CUmodule m = (CUmodule)(uintptr_t)h;
    wanted->found = m->context == wanted->context ? m : wanted->found;
}

static void unload_modules(CUcontext context)
{
    struct of_context wanted;
    do {
        wanted = (struct of_context){context, NULL};
        handle_visit(&modules, find_of_context, &wanted);
        if (wanted.found != NULL) {
            unload(wanted.found);
        }
    } while (wanted.found != NULL);
}

/* ---- loading --------------------------------------------------------------------------------- */

static CUresult load(const char *call, CUmodule *module, const void *data, size_t limit,
                     const struct jit_log *log)
{
    struct jit_input input = {0};
    struct err e = {0};
    CUresult code = driver_begin(call);
    runtime_speak_as(NULL);
    if (code != CUDA_SUCCESS) {
        return code;
    }
    if (module == NULL || data == NULL) {
        return driver_reject(CUDA_ERROR_INVALID_VALUE, call, "its image is a null pointer");
    }
    code = jit_read_image(&input, data, limit, "the module", &e);
    struct image *image =
        code == CUDA_SUCCESS ? registry_open_image(input.texts, input.count, &e) : NULL;
    if (image == NULL) {
        if (code == CUDA_SUCCESS) { /* the driver compiles text, and chooses from a fat binary */
            code = e.code == SIMT_NO_IMAGE && !input.is_binary
                       ? CUDA_ERROR_INVALID_PTX
                       : driver_code(cuda_error_from_simt(&e));
        }
        jit_tell(log, e.text);
        driver_reject(code, call, "%s", e.text);
    } else {
        driver_on_destroy(unload_modules);
        *module = handle_create(&modules);
        (*module)->context = driver_current_context();
        (*module)->image = image;
        jit_tell(log, NULL);
    }
    jit_free_input(&input);
    return code;
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int count,
                            CUjit_option *options, void **values)
{
    const struct jit_log log = {count, options, values};
    return load("cuModuleLoadDataEx", module, image, 0, &log);
}

CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
    return load("cuModuleLoadData", module, image, 0, &(struct jit_log){0});
}

CUresult cuModuleLoadFatBinary(CUmodule *module, const void *image)
{
    return load("cuModuleLoadFatBinary", module, image, 0, &(struct jit_log){0});
}

static CUresult load_file(const char *call, CUmodule *module, const char *file,
                          const struct jit_log *log)
{
    size_t bytes;
    char *text = file != NULL ? jit_read_file(file, &bytes) : NULL;
    if (text == NULL) {
        return driver_reject(CUDA_ERROR_FILE_NOT_FOUND, call, "%s cannot be read",
                             file != NULL ? file : "a file without a name");
    }
    const CUresult code = load(call, module, text, bytes, log);
    free(text);
    return code;
}

CUresult cuModuleLoad(CUmodule *module, const char *file)
{
    return load_file("cuModuleLoad", module, file, &(struct jit_log){0});
}

CUresult cuModuleUnload(CUmodule module)
{
    const CUresult code = check_module("cuModuleUnload", module);
    if (code == CUDA_SUCCESS) {
        host_order_wait_for_launches();
        unload(module);
    }
    return code;
}

/* ---- what a module has ----------------------------------------------------------------------- */

static CUresult find_kernel(const char *call, CUmodule module, const char *name,
                            struct CUkern_st **kernel)
{
    struct err e = {0};
    const CUresult code = check_module(call, module);
    if (code != CUDA_SUCCESS || name == NULL) {
        return code != CUDA_SUCCESS ? code : CUDA_ERROR_INVALID_VALUE;
    }
    *kernel = registry_kernel_of(module->image, name, &e);
    return *kernel != NULL
               ? CUDA_SUCCESS
               : driver_reject(driver_code(cuda_error_from_simt(&e)), call, "%s", e.text);
}

/* A function of the driver API is a kernel of the runtime. */
CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
    struct CUkern_st *k = NULL;
    const CUresult code = find_kernel("cuModuleGetFunction", module, name, &k);
    if (code == CUDA_SUCCESS) {
        *function = (CUfunction)(void *)k;
    }
    return code;
}

/* A static variable has a mangled name in clang's PTX, and in nvcc's its own. */
static bool find_symbol(const struct CUmod_st *module, const char *name, uint64_t *at,
                        uint64_t *size, struct err *e)
{
    char mangled[512];
    struct err other = {0};
    snprintf(mangled, sizeof mangled, "_ZL%zu%s", strlen(name), name);
    return registry_symbol_of(module->image, name, at, size, e) ||
           registry_symbol_of(module->image, mangled, at, size, &other);
}

static CUresult find_global(const char *call, CUmodule module, const char *name,
                            CUdeviceptr *address, size_t *bytes)
{
    struct err e = {0};
    uint64_t at, size;
    const CUresult code = check_module(call, module);
    if (code != CUDA_SUCCESS) {
        return code;
    }
    if (name == NULL || !find_symbol(module, name, &at, &size, &e)) {
        return driver_reject(CUDA_ERROR_NOT_FOUND, call, "%s", e.text);
    }
    if (address != NULL) {
        *address = at;
    }
    if (bytes != NULL) {
        *bytes = size;
    }
    return CUDA_SUCCESS;
}

CUresult cuModuleGetGlobal(CUdeviceptr *address, size_t *bytes, CUmodule module, const char *name)
{
    return find_global("cuModuleGetGlobal", module, name, address, bytes);
}

/* ---- libraries: modules that belong to no context -------------------------------------------- */

/* A library is a module that belongs to no context. */
static CUresult without_context(CUresult code, CUlibrary *library)
{
    if (code == CUDA_SUCCESS) {
        (*(CUmodule *)library)->context = NULL;
    }
    return code;
}

CUresult cuLibraryLoadData(CUlibrary *library, const void *image, CUjit_option *options,
                           void **values, unsigned int count, CUlibraryOption *libraryOptions,
                           void **libraryValues, unsigned int libraryCount)
{
    (void)libraryOptions, (void)libraryValues, (void)libraryCount;
    const struct jit_log log = {count, options, values};
    return without_context(load("cuLibraryLoadData", (CUmodule *)library, image, 0, &log), library);
}

CUresult cuLibraryLoadFromFile(CUlibrary *library, const char *file, CUjit_option *options,
                               void **values, unsigned int count, CUlibraryOption *libraryOptions,
                               void **libraryValues, unsigned int libraryCount)
{
    (void)libraryOptions, (void)libraryValues, (void)libraryCount;
    const struct jit_log log = {count, options, values};
    return without_context(load_file("cuLibraryLoadFromFile", (CUmodule *)library, file, &log),
                           library);
}

CUresult cuLibraryUnload(CUlibrary library)
{
    const CUresult code = check_module("cuLibraryUnload", (CUmodule)(void *)library);
    if (code == CUDA_SUCCESS) {
        unload((CUmodule)(void *)library);
    }
    return code;
}

CUresult cuLibraryGetModule(CUmodule *module, CUlibrary library)
{
    const CUresult code = check_module("cuLibraryGetModule", (CUmodule)(void *)library);
    if (code == CUDA_SUCCESS) {
        *module = (CUmodule)(void *)library;
    }
    return code;
}

CUresult cuLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name)
{
    return find_kernel("cuLibraryGetKernel", (CUmodule)(void *)library, name, kernel);
}

CUresult cuLibraryGetGlobal(CUdeviceptr *address, size_t *bytes, CUlibrary library,
                            const char *name)
{
    return find_global("cuLibraryGetGlobal", (CUmodule)(void *)library, name, address, bytes);
}

CUresult cuKernelGetFunction(CUfunction *function, CUkernel kernel)
{
    *function = (CUfunction)(void *)kernel;
    return CUDA_SUCCESS;
}
