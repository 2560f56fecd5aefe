/* registry_state.h - what the files of the registry share: images, their parts and variables.
 * Private to registry*.c; the lock protects all of it but what says otherwise. */
#ifndef SIMT_REGISTRY_STATE_H
#define SIMT_REGISTRY_STATE_H

#include "runtime/registry.h"

struct device_variable {
    const void *shadow; /* the variable's address in host code */
    const char *name;   /* mangled */
    struct image *image;
    struct device_variable *next; /* in the image */
    void **managed_pointer; /* nvcc: host code reads a managed variable through this pointer */
    bool managed;
    unsigned bound; /* a bit for each device: host and device see one copy */
};

/* One of the texts that an image is linked from. */
struct image_part {
    const void *wrapper;   /* what a compiler registered, */
    struct simt_text text; /* or a text that was given at run time */
    struct image_part *next;
};

struct image {
    struct image_part *parts; /* in the order in which they came; NULL once unregistered */
    struct image *next;
    struct image
        *origin; /* itself, or whose copy for another device this is: that has the parts, */
    struct device_variable *variables;        /* and the variables */
    struct image *elsewhere[RUNTIME_DEVICES]; /* copies for other devices; NULL: not yet */
    int device;
    struct simt_module *module; /* NULL: not loaded yet */
    cudaError_t rejection;      /* why it cannot be loaded; explained already */
    int target;                 /* sm_80 is 80 */
    struct CUkern_st *kernels;  /* that registry_kernel_of() has found */
};

void registry_lock(void);
void registry_unlock(void);
void *registry_keep(size_t bytes); /* zeroed; for as long as the program runs */
char *registry_keep_text(const char *text, size_t length);
void registry_add_image(struct image *image);
void registry_add_kernel(const void *key, struct CUkern_st *k);
void registry_add_variable(const void *shadow, struct device_variable *v);
struct CUkern_st *registry_kernel_at(const void *stub); /* as it was registered; NULL: it was not */
struct device_variable *registry_variable(const void *shadow);
void registry_visit_images(void (*visit)(struct image *image));
void registry_visit_kernels(void (*visit)(struct CUkern_st *k));

/* With the lock held: the image as the thread's device has it, loaded. */
struct image *registry_image_here(struct image *image);
cudaError_t registry_load_image(struct image *image);
/* nvcc's and clang's managed variables become memory that both sides share. */
cudaError_t registry_bind_managed(struct device_variable *v, struct image *image);

#endif
