/* shapes.h - sizes that the kernels and the predictions of their counts must agree on. */
#ifndef STEP03_SHAPES_H
#define STEP03_SHAPES_H

/* Shapes that the kernels and the predictions must agree on. */
enum {
    PLAIN_BLOCK = 128,   /* threads of a block of copy_plain */
    COPY_BLOCK = 256,    /* and of copy_offset and copy_stride */
    COPY_PER_THREAD = 4, /* elements that one of their threads copies */
    TILE = 64,           /* the transposes work on tiles of TILE x TILE floats, */
    TILE_ROWS = 4,       /* with blocks of TILE x TILE_ROWS threads */
    PARTICLE_FIELDS = 8
};

/* Eight floats, 32 bytes: exactly one sector, so that the sectors of the array-of-structs kernels
 * are easy to count. */
struct particle {
    float x, y, z, vx, vy, vz, mass, charge;
};

#endif
