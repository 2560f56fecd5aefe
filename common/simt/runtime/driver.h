/* driver.h - what the files of the CUDA driver API share: how a call begins and ends, and contexts.
 *
 * Private to driver_*.c. The driver API is a second door to the runtime: contexts of a device share
 * its memory, streams and events, and a pointer or stream of one API is good in the other. A call
 * checks that cuInit() has been called and that the thread has a context, and then does what the
 * runtime's function does; messages name the driver's. */
#ifndef SIMT_DRIVER_H
#define SIMT_DRIVER_H

#include "runtime/cudart.h"

#include "include/cuda.h"

struct CUctx_st {
    struct handle handle;
    int device;
    unsigned flags;
    unsigned long long id;
    bool primary;
    unsigned retained; /* of a primary context: how often */
};

void driver_initialise(void); /* cuInit() */
CUresult simt_cuInit(unsigned int flags);
/* Every call: cuInit() must have been called. */
CUresult driver_begin_anywhere(const char *call);
/* Those that need the thread's context. */
CUresult driver_begin(const char *call);
/* The driver's name of the runtime's error; the call is over. */
CUresult driver_end(cudaError_t code);
CUresult driver_code(cudaError_t code);
/* One line on stderr that names the call. */
CUresult driver_reject(CUresult code, const char *call, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A function that does what an expression of the runtime does; messages call it `call`. */
#define FORWARD_FROM(begin, call, name, parameters, expression)                                    \
    CUresult name parameters                                                                       \
    {                                                                                              \
        const CUresult begun = begin(call);                                                        \
        return begun == CUDA_SUCCESS ? driver_end(expression) : begun;                             \
    }
#define FORWARD(name, parameters, expression)                                                      \
    FORWARD_FROM(driver_begin, #name, name, parameters, expression)
#define FORWARD_ANYWHERE(name, parameters, expression)                                             \
    FORWARD_FROM(driver_begin_anywhere, #name, name, parameters, expression)

/* NULL: the thread has none. */
CUcontext driver_current_context(void);
bool driver_context_is_live(CUcontext context);
/* For driver_module.c: the function that unloads a context's modules when it ends. */
void driver_on_destroy(void (*unload)(CUcontext context));

static inline void *driver_pointer(CUdeviceptr address) { return (void *)(uintptr_t)address; }

#endif
