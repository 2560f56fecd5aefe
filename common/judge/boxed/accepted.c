/* accepted.c - calls that change no result: hints and settings. Their parameters, which differ from
 * one version of CUDA to the next, are not looked at. */
#define ACCEPTED(name)                                                                             \
    int name(void);                                                                                \
    int name(void) { return 0; }

ACCEPTED(cudaDeviceReset)
ACCEPTED(cudaDeviceSetLimit)
ACCEPTED(cudaDeviceSetCacheConfig)
ACCEPTED(cudaFuncSetCacheConfig)
ACCEPTED(cudaHostRegister)
ACCEPTED(cudaHostUnregister)
ACCEPTED(cudaMemAdvise)
ACCEPTED(cudaMemPrefetchAsync)
ACCEPTED(cudaProfilerStart)
ACCEPTED(cudaProfilerStop)
ACCEPTED(cudaSetDeviceFlags)
ACCEPTED(cudaStreamAttachMemAsync)
