/* driver_context.c - the driver API's beginning, its errors, devices and contexts. See driver.h.
 *
 * Each thread has a stack of contexts. The one on top is current and says on which device the
 * thread works. A thread that uses the runtime has its device's primary context, without asking. */
#include "runtime/driver.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { STACK_DEPTH = 64 };

static atomic_bool initialised;
static void (*unload_modules)(CUcontext context); /* NULL: none was ever loaded */
static struct CUctx_st primaries[RUNTIME_DEVICES];
static struct handle_pool contexts = HANDLE_POOL(struct CUctx_st);
static atomic_ullong contexts_created;

static _Thread_local struct {
    CUcontext stack[STACK_DEPTH];
    unsigned depth;
} own;

/* ---- calls ----------------------------------------------------------------------------------- */

CUresult driver_code(cudaError_t code)
{
    switch (code) {
    case cudaErrorInvalidConfiguration:
    case cudaErrorInvalidPitchValue:
    case cudaErrorInvalidDevicePointer:
    case cudaErrorInvalidMemcpyDirection:
        return CUDA_ERROR_INVALID_VALUE;
    case cudaErrorInvalidDeviceFunction:
    case cudaErrorInvalidSymbol:
        return CUDA_ERROR_NOT_FOUND;
    default:
        return (CUresult)code; /* the other numbers are the same */
    }
}

CUresult driver_reject(CUresult code, const char *call, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    runtime_say_list(call, format, args);
    va_end(args);
    return code;
}

CUresult driver_begin_anywhere(const char *call)
{
    if (!atomic_load(&initialised) && !runtime_has_begun()) { /* the runtime does it, too */
        return driver_reject(CUDA_ERROR_NOT_INITIALIZED, call,
                             "the driver API is not initialised: call cuInit(0) first");
    }
    runtime_speak_as(call);
    return CUDA_SUCCESS;
}

CUresult driver_begin(const char *call)
{
    const CUresult code = driver_begin_anywhere(call);
    if (code == CUDA_SUCCESS && driver_current_context() == NULL) {
        runtime_speak_as(NULL);
        return driver_reject(CUDA_ERROR_INVALID_CONTEXT, call,
                             "this thread has no context: cuCtxCreate() makes one, or "
                             "cuDevicePrimaryCtxRetain() and cuCtxSetCurrent() take the device's");
    }
    return code;
}

CUresult driver_end(cudaError_t code)
{
    runtime_speak_as(NULL);
    return driver_code(code);
}

/* ---- beginning and errors -------------------------------------------------------------------- */

void driver_initialise(void) { atomic_store(&initialised, true); }

CUresult cuInit(unsigned int flags)
{
    if (flags != 0) {
        return driver_reject(CUDA_ERROR_INVALID_VALUE, "cuInit", "flags 0x%x: they must be 0",
                             flags);
    }
    if (runtime_is_child()) {
        return driver_code(runtime_reject_child());
    }
    driver_initialise();
    return CUDA_SUCCESS;
}

/* A program's own cuInit() hides ours, and not this name of it. */
extern CUresult simt_cuInit(unsigned int flags) __attribute__((alias("cuInit")));

CUresult cuDriverGetVersion(int *version)
{
    return version != NULL ? driver_code(cudaDriverGetVersion(version)) : CUDA_ERROR_INVALID_VALUE;
}

static const struct {
    CUresult code;
    const char *name;
} errors[] = {
    {CUDA_SUCCESS, "CUDA_SUCCESS"},
#define SIMT_ERROR(value, name, driver_name, text) {value, "CUDA_ERROR_" #driver_name},
#define SIMT_RUNTIME_ERROR(value, name, text)
#define SIMT_DRIVER_ERROR(value, driver_name) {value, "CUDA_ERROR_" #driver_name},
#include "include/cuda_errors.def"
};

static const char *name_of(CUresult error)
{
    const char *name = NULL;
    for (unsigned i = 0; i < ARRAY_LENGTH(errors) && name == NULL; i++) {
        name = errors[i].code == error ? errors[i].name : NULL;
    }
    return name;
}

CUresult cuGetErrorName(CUresult error, const char **name)
{
    *name = name_of(error);
    return *name != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* The texts are the runtime's, where it has the same number. */
CUresult cuGetErrorString(CUresult error, const char **text)
{
    *text = name_of(error) != NULL ? cudaGetErrorString((cudaError_t)error) : NULL;
    return *text != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* ---- devices --------------------------------------------------------------------------------- */

FORWARD_ANYWHERE(cuDeviceGetCount, (int *count), cudaGetDeviceCount(count))

static CUresult check_device(const char *call, CUdevice device)
{
    CUresult code = driver_begin_anywhere(call);
    if (code == CUDA_SUCCESS && (device < 0 || device >= runtime_device_count())) {
        code = driver_reject(CUDA_ERROR_INVALID_DEVICE, call,
                             "device %d: there are %d (SIMT_DEVICES simulates more)", device,
                             runtime_device_count());
    }
    runtime_speak_as(NULL);
    return code;
}

/* A function that does something, a statement, if the device is one. */
#define ON_DEVICE(name, parameters, device, statement)                                             \
    CUresult name parameters                                                                       \
    {                                                                                              \
        const CUresult code = check_device(#name, device);                                         \
        if (code == CUDA_SUCCESS) {                                                                \
            statement;                                                                             \
        }                                                                                          \
        return code;                                                                               \
    }

ON_DEVICE(cuDeviceGet, (CUdevice * device, int ordinal), ordinal, *device = ordinal)
ON_DEVICE(cuDeviceTotalMem, (size_t * bytes, CUdevice device), device,
          *bytes = runtime_limits_of(device)->global_memory_bytes)
ON_DEVICE(cuDeviceComputeCapability, (int *major, int *minor, CUdevice device), device,
          *major = runtime_limits_of(device)->major;
          *minor = runtime_limits_of(device)->minor)

CUresult cuDeviceGetName(char *name, int length, CUdevice device)
{
    const CUresult code = check_device("cuDeviceGetName", device);
    if (code == CUDA_SUCCESS && length > 0) {
        snprintf(name, (size_t)length, "%s", runtime_limits_of(device)->name);
    }
    return code;
}

CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device)
{
    struct cudaDeviceProp p;
    const CUresult code = check_device("cuDeviceGetUuid", device);
    if (code == CUDA_SUCCESS && cudaGetDeviceProperties(&p, device) == cudaSuccess) {
        memcpy(uuid, &p.uuid, sizeof *uuid);
    }
    return code;
}

/* The numbers of attributes are the runtime's, too; those after its last are abilities that the
 * simulator lacks. */
CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device)
{
    const CUresult code = check_device("cuDeviceGetAttribute", device);
    if (code != CUDA_SUCCESS || value == NULL) {
        return code != CUDA_SUCCESS ? code : CUDA_ERROR_INVALID_VALUE;
    }
    *value = 0;
    if (attribute == CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED) {
        *value = 1;
        return CUDA_SUCCESS;
    }
    if ((int)attribute >= cudaDevAttrMax) {
        return attribute < CU_DEVICE_ATTRIBUTE_MAX ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    }
    return driver_code(cudaDeviceGetAttribute(value, (enum cudaDeviceAttr)attribute, device));
}

FORWARD_ANYWHERE(cuDeviceGetPCIBusId, (char *id, int length, CUdevice device),
                 cudaDeviceGetPCIBusId(id, length, device))
FORWARD_ANYWHERE(cuDeviceGetByPCIBusId, (CUdevice * device, const char *id),
                 cudaDeviceGetByPCIBusId(device, id))
FORWARD_ANYWHERE(cuDeviceGetDefaultMemPool, (CUmemoryPool * pool, CUdevice device),
                 cudaDeviceGetDefaultMemPool(pool, device))
FORWARD_ANYWHERE(cuDeviceGetMemPool, (CUmemoryPool * pool, CUdevice device),
                 cudaDeviceGetMemPool(pool, device))
FORWARD_ANYWHERE(cuDeviceSetMemPool, (CUdevice device, CUmemoryPool pool),
                 cudaDeviceSetMemPool(device, pool))
FORWARD_ANYWHERE(cuDeviceCanAccessPeer, (int *can, CUdevice device, CUdevice peer),
                 cudaDeviceCanAccessPeer(can, device, peer))
FORWARD_ANYWHERE(cuDeviceGetP2PAttribute,
                 (int *value, CUdevice_P2PAttribute attribute, CUdevice source,
                  CUdevice destination),
                 cudaDeviceGetP2PAttribute(value, (enum cudaDeviceP2PAttr)attribute, source,
                                           destination))

/* ---- the current context --------------------------------------------------------------------- */

static CUcontext primary_of(int device)
{
    struct CUctx_st *c = &primaries[device];
    c->primary = true;
    c->device = device;
    c->id = (unsigned long long)device + 1;
    return c;
}

bool driver_context_is_live(CUcontext context)
{
    const bool primary = context >= primaries && context < primaries + RUNTIME_DEVICES;
    return context != NULL && (primary || handle_is_live(&contexts, context));
}

/* cudaSetDevice() makes a primary context current, whatever the stack holds. */
CUcontext driver_current_context(void)
{
    const CUcontext top = own.depth > 0 ? own.stack[own.depth - 1] : NULL;
    const int device = runtime_device();
    if (top != NULL && !top->primary && !handle_is_live(&contexts, top)) {
        return NULL;
    }
    if (top != NULL && top->device == device) {
        return top;
    }
    return top != NULL || runtime_thread_is_bound() ? primary_of(device) : NULL;
}

static void follow_top(void)
{
    if (own.depth > 0) {
        runtime_set_device(own.stack[own.depth - 1]->device);
    }
}

static CUresult push(const char *call, CUcontext context)
{
    if (own.depth == STACK_DEPTH) {
        return driver_reject(CUDA_ERROR_INVALID_VALUE, call,
                             "%d contexts have been pushed by this thread and not popped",
                             STACK_DEPTH);
    }
    own.stack[own.depth++] = context;
    follow_top();
    return CUDA_SUCCESS;
}

static CUresult check_context(const char *call, CUcontext context)
{
    CUresult code = driver_begin_anywhere(call);
    runtime_speak_as(NULL);
    if (code == CUDA_SUCCESS && !driver_context_is_live(context)) {
        code = driver_reject(CUDA_ERROR_INVALID_CONTEXT, call,
                             "context %p does not exist: it was destroyed, or never created",
                             (void *)context);
    }
    return code;
}

CUresult cuCtxPushCurrent(CUcontext context)
{
    const CUresult code = check_context("cuCtxPushCurrent", context);
    return code == CUDA_SUCCESS ? push("cuCtxPushCurrent", context) : code;
}

CUresult cuCtxPopCurrent(CUcontext *context)
{
    CUresult code = driver_begin_anywhere("cuCtxPopCurrent");
    runtime_speak_as(NULL);
    if (code == CUDA_SUCCESS && own.depth == 0) {
        return driver_reject(CUDA_ERROR_INVALID_CONTEXT, "cuCtxPopCurrent",
                             "no context has been pushed by this thread");
    }
    if (code == CUDA_SUCCESS) {
        const CUcontext top = own.stack[--own.depth];
        if (context != NULL) {
            *context = top;
        }
        follow_top();
    }
    return code;
}

/* NULL: the thread has no context any more. */
CUresult cuCtxSetCurrent(CUcontext context)
{
    CUresult code = driver_begin_anywhere("cuCtxSetCurrent");
    runtime_speak_as(NULL);
    if (code == CUDA_SUCCESS && context == NULL) {
        own.depth -= own.depth > 0;
        runtime_bind_thread(own.depth > 0);
        follow_top();
        return code;
    }
    AND_THEN(code, check_context("cuCtxSetCurrent", context));
    if (code == CUDA_SUCCESS) {
        own.depth -= own.depth > 0;
        code = push("cuCtxSetCurrent", context);
    }
    return code;
}

CUresult cuCtxGetCurrent(CUcontext *context)
{
    const CUresult code = driver_begin_anywhere("cuCtxGetCurrent");
    runtime_speak_as(NULL);
    if (code == CUDA_SUCCESS) {
        *context = driver_current_context();
    }
    return code;
}

void driver_on_destroy(void (*unload)(CUcontext context)) { unload_modules = unload; }

/* ---- life of contexts ------------------------------------------------------------------------ */

CUresult cuCtxCreate(CUcontext *context, CUctxCreateParams *parameters, unsigned int flags,
                     CUdevice device)
{
    const CUresult code = check_device("cuCtxCreate", device);
    if (code != CUDA_SUCCESS) {
        return code;
    }
    if (context == NULL || (flags & ~(unsigned)CU_CTX_FLAGS_MASK) != 0) {
        return driver_reject(CUDA_ERROR_INVALID_VALUE, "cuCtxCreate", "flags 0x%x", flags);
    }
    if (parameters != NULL && parameters->numExecAffinityParams > 0) {
        return driver_reject(CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY, "cuCtxCreate",
                             "a context of a part of the SMs is not simulated");
    }
    CUcontext c = handle_create(&contexts);
    c->device = device;
    c->flags = flags;
    c->id = RUNTIME_DEVICES + atomic_fetch_add(&contexts_created, 1) + 1;
    *context = c;
    return push("cuCtxCreate", c);
}

CUresult cuCtxCreate_v2(CUcontext *context, unsigned int flags, CUdevice device);
CUresult cuCtxCreate_v2(CUcontext *context, unsigned int flags, CUdevice device)
{
    return cuCtxCreate(context, NULL, flags, device);
}

CUresult cuCtxDestroy(CUcontext context)
{
    const CUresult code = check_context("cuCtxDestroy", context);
    if (code != CUDA_SUCCESS) {
        return code;
    }
    if (context->primary) {
        return driver_reject(CUDA_ERROR_INVALID_CONTEXT, "cuCtxDestroy",
                             "the primary context is given back with cuDevicePrimaryCtxRelease()");
    }
    const cudaError_t fault = cudaDeviceSynchronize();
    if (unload_modules != NULL) {
        unload_modules(context);
    }
    handle_destroy(&contexts, context);
    if (own.depth > 0 && own.stack[own.depth - 1] == context) {
        own.depth--;
        runtime_bind_thread(own.depth > 0);
        follow_top();
    }
    return driver_code(fault);
}

ON_DEVICE(cuDevicePrimaryCtxRetain, (CUcontext * context, CUdevice device), device,
          *context = primary_of(device);
          __atomic_add_fetch(&(*context)->retained, 1, __ATOMIC_RELAXED))

CUresult cuDevicePrimaryCtxRelease(CUdevice device)
{
    CUresult code = check_device("cuDevicePrimaryCtxRelease", device);
    if (code == CUDA_SUCCESS && primaries[device].retained == 0) {
        code = driver_reject(CUDA_ERROR_INVALID_CONTEXT, "cuDevicePrimaryCtxRelease",
                             "it has not been retained so often");
    } else if (code == CUDA_SUCCESS) {
        __atomic_sub_fetch(&primaries[device].retained, 1, __ATOMIC_RELAXED);
    }
    return code;
}

CUresult cuDevicePrimaryCtxReset(CUdevice device)
{
    const CUresult code = check_device("cuDevicePrimaryCtxReset", device);
    const int before = runtime_device();
    cudaError_t reset = cudaSuccess;
    if (code == CUDA_SUCCESS) {
        if (unload_modules != NULL) {
            unload_modules(primary_of(device));
        }
        runtime_set_device(device);
        reset = cudaDeviceReset();
        runtime_set_device(before);
    }
    return code == CUDA_SUCCESS ? driver_code(reset) : code;
}

ON_DEVICE(cuDevicePrimaryCtxSetFlags, (CUdevice device, unsigned int flags), device,
          primaries[device].flags = flags)
ON_DEVICE(cuDevicePrimaryCtxGetState, (CUdevice device, unsigned int *flags, int *active), device,
          *flags = primaries[device].flags;
          *active = primaries[device].retained > 0 || runtime_is_open())
