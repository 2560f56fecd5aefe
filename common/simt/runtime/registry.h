/* registry.h - what a program's start-up code tells the CUDA runtime: its modules (fat binaries),
 * kernels and device variables.
 *
 * nvcc and clang name a kernel by its host stub and a variable by its host shadow; the
 * registry finds what belongs to such an address. A module's PTX is read when the first of its
 * kernels or variables is used. */
#ifndef SIMT_REGISTRY_H
#define SIMT_REGISTRY_H

#include "runtime/cudart.h"

struct image; /* one fat binary, or several that are linked */

/* A kernel; nvcc's stubs hold a pointer to it (cudaKernel_t). */
struct CUkern_st {
    const char *name; /* mangled */
    const void *stub; /* host code's name of it; NULL: it came at run time */
    struct image *image;
    bool ready;        /* registry_load_kernel() has succeeded; what follows is known then: */
    const char *plain; /* "reduce<float, 256>" */
    const struct simt_kernel *kernel;
    struct simt_kernel_attributes attributes;
    uint64_t max_dynamic_shared;  /* cudaFuncAttributeMaxDynamicSharedMemorySize */
    bool large_clusters;          /* cudaFuncAttributeNonPortableClusterSizeAllowed */
    dim3 required_cluster;        /* cudaFuncAttributeRequiredClusterWidth ..., __cluster_dims__ */
    int carveout;                 /* cudaFuncAttributePreferredSharedMemoryCarveout */
    int device;                   /* where it runs */
    struct CUkern_st **elsewhere; /* the same on each device; NULL: not asked for yet */
    struct CUkern_st *next;       /* in the image */
};

/* On the thread's device. NULL: neither the address of a kernel's stub nor a kernel. */
struct CUkern_st *registry_kernel(const void *stub);
/* Explains that, and returns the code that a card gives. */
cudaError_t registry_no_kernel(const char *call, const void *stub);
struct CUkern_st *registry_on_device(struct CUkern_st *k, int device);
static inline struct CUkern_st *registry_here(struct CUkern_st *k)
{
    const int device = runtime_device();
    return k == NULL || k->device == device ? k : registry_on_device(k, device);
}
/* A program holds the kernel itself: registry_kernel() knows it from now on. */
void registry_remember(struct CUkern_st *k);
/* Loads module and kernel if that has not happened yet. The error is explained on stderr once. */
cudaError_t registry_load_kernel(struct CUkern_st *k);

/* The device address and size of the variable whose shadow this is. */
cudaError_t registry_symbol(const char *call, const void *shadow, uint64_t *address,
                            uint64_t *bytes);

/* The architecture that the kernel's module was compiled for: sm_80 is 80. */
int registry_target(const struct CUkern_st *k);

/* Images that are given at run time: PTX texts, copied, linked and loaded for the thread's device.
 * NULL: *e. */
struct image *registry_open_image(const struct simt_text *texts, unsigned count, struct err *e);
void registry_close_image(struct image *image);
/* NULL: *e says why there is none. */
struct CUkern_st *registry_kernel_of(struct image *image, const char *name, struct err *e);
bool registry_symbol_of(struct image *image, const char *name, uint64_t *address, uint64_t *bytes,
                        struct err *e);

/* For cudaDeviceReset(): every module is read anew at its next use; those with managed variables,
 * which the host may read at any time, by registry_load_managed(). */
void registry_forget_device(void);
void registry_load_managed(void);

#endif
