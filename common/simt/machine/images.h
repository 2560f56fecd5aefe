/* images.h - texture and surface objects: what a handle in a kernel stands for.
 *
 * The runtime adds and removes them, kernels look them up by number. Numbers begin with 1 and are
 * not used again. Thread-safe: finding takes no lock. */
#ifndef SIMT_IMAGES_H
#define SIMT_IMAGES_H

#include "common/gpu/texture.h"
#include "machine/memory.h"

#include <stdatomic.h>

struct image {
    bool is_surface;     /* else a texture */
    bool is_linear;      /* plain memory: tex1Dfetch() alone reads it */
    uint32_t texels;     /* of plain memory: so many are there, maybe fewer than the width says */
    unsigned dimensions; /* of the array: 1, 2 or 3 */
    struct texture texture;          /* of a surface its format and first level */
    uint64_t begin, bytes;           /* device memory that holds the texels, */
    uint64_t allocation;             /* and the serial number of whose it is */
    atomic_uint_fast64_t frees_seen; /* memory_frees() when that was last looked at */
};

/* 0: no memory, or as many objects as there can be. */
uint64_t images_add(const struct image *image);
bool images_remove(uint64_t handle); /* false: there is none */
void images_remove_all(void);
/* NULL: there is none. */
struct image *images_find(uint64_t handle);
/* The memory behind it has not been freed since. */
bool image_is_alive(struct memory *m, struct image *image);

#endif
