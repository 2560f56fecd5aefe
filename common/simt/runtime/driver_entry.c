/* driver_entry.c - functions of the driver API by their names: cuGetProcAddress() and the runtime's
 * cudaGetDriverEntryPoint(). simtcc links programs so that dlsym() finds what they are linked with.
 */
#include "runtime/driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { CREATES_CONTEXTS_ANEW = 13000 }; /* cuCtxCreate() has had four arguments since */

/* Is this version of a function one that a program compiled for `version` of CUDA knows? */
static bool is_known(const char *name, int version)
{
    static const struct {
        const char *name;
        int since;
    } later[] = {
        {"cuCtxSynchronize_v2", 13000}, {"cuCtxGetDevice_v2", 13000}, {"cuStreamGetCtx_v2", 12050}};
    for (unsigned i = 0; i < ARRAY_LENGTH(later); i++) {
        if (strcmp(name, later[i].name) == 0) {
            return version >= later[i].since;
        }
    }
    return true;
}

/* The newest version of a function that a program compiled for `version` of CUDA may call; NULL:
 * none. */
static void *find(const char *symbol, int version)
{
    static const char *const suffixes[] = {"_v4", "_v3", "_v2", ""};
    char name[200];
    void *found = NULL;
    const bool old = version < CREATES_CONTEXTS_ANEW && strcmp(symbol, "cuCtxCreate") == 0;
    for (unsigned i = old ? 2 : 0; i < ARRAY_LENGTH(suffixes) && found == NULL; i++) {
        snprintf(name, sizeof name, "%s%s", symbol, suffixes[i]);
        found = is_known(name, version) ? dlsym(RTLD_DEFAULT, name) : NULL;
    }
    return found;
}

static bool is_name(const char *symbol)
{
    return symbol != NULL && strncmp(symbol, "cu", 2) == 0 && symbol[2] >= 'A' && symbol[2] <= 'Z';
}

CUresult cuGetProcAddress(const char *symbol, void **function, int version, cuuint64_t flags,
                          CUdriverProcAddressQueryResult *status)
{
    (void)flags;
    if (function == NULL || !is_name(symbol)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *function = find(symbol, version);
    if (status != NULL) {
        *status =
            *function != NULL ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    }
    if (*function == NULL && status == NULL) {
        return driver_reject(CUDA_ERROR_NOT_FOUND, "cuGetProcAddress", "%s is not simulated",
                             symbol);
    }
    return CUDA_SUCCESS;
}

static cudaError_t entry_point(const char *call, const char *symbol, void **function, int version,
                               enum cudaDriverEntryPointQueryResult *status)
{
    if (function == NULL || !is_name(symbol)) {
        return cuda_error_saying(cudaErrorInvalidValue, call, "%s is no name of the driver API",
                                 symbol != NULL ? symbol : "a null pointer");
    }
    driver_initialise(); /* as the runtime does */
    *function = find(symbol, version);
    if (status != NULL) {
        *status =
            *function != NULL ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
    }
    if (*function == NULL) {
        runtime_say(call, "%s is not simulated", symbol);
    }
    return *function != NULL || status != NULL ? cudaSuccess : cuda_error(cudaErrorSymbolNotFound);
}

cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **function,
                                             unsigned int version, unsigned long long flags,
                                             enum cudaDriverEntryPointQueryResult *status)
{
    (void)flags;
    return entry_point("cudaGetDriverEntryPointByVersion", symbol, function, (int)version, status);
}
PER_THREAD(cudaGetDriverEntryPointByVersion, _ptsz);

cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags,
                                    enum cudaDriverEntryPointQueryResult *status)
{
    (void)flags;
    return entry_point("cudaGetDriverEntryPoint", symbol, function, CUDART_VERSION, status);
}
PER_THREAD(cudaGetDriverEntryPoint, _ptsz);
