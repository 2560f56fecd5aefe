/* image.h - what tex, tld4, suld, sust, sured and the queries of sizes know besides their
 * registers: decode_image.c fills it, exec_image.c reads it. Their handle is operand a, their
 * values are d, b, c and e. */
#ifndef SIMT_IMAGE_H
#define SIMT_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

enum image_level { LEVEL_FIRST, LEVEL_NAMED, LEVEL_OF_GRADIENTS };
/* What a texel becomes: four registers of 32 bits, four halves in a register each, or four in two.
 */
enum image_result { RESULT_WORDS, RESULT_HALVES, RESULT_PAIRS };
enum image_outside { OUTSIDE_TRAPS, OUTSIDE_CLAMPS, OUTSIDE_IS_ZERO };

struct image_insn {
    uint8_t dimensions; /* coordinates behind the layer: 1, 2, 3; of a cube 3 */
    bool is_layered;    /* the first coordinate is a layer */
    bool has_integers;  /* tex: coordinates are texels */
    bool is_gather;     /* tld4 */
    /* sured.p: x counts elements, and the surface says whether they are signed; sust.p: x counts
     * texels, and the surface says what its channels are. */
    bool is_formatted;
    bool is_texel;       /* sust.p */
    uint8_t result;      /* tex, tld4: enum image_result */
    uint8_t level;       /* tex: enum image_level */
    uint8_t channel;     /* tld4: 0 to 3; txq, suq: 0 width, 1 height, 2 depth */
    uint8_t outside;     /* suld, sust, sured: enum image_outside */
    uint8_t bytes;       /* suld, sust, sured: of an element */
    uint32_t layer;      /* references: a layer, */
    uint32_t at[3];      /* coordinates, */
    uint32_t more[2][3]; /* the level in [0][0], or two gradients, */
    uint32_t offset[3];  /* texels that are added; NO_REF: none. */
    uint32_t resident;   /* the predicate behind the results' `|`; NO_REF: none */
};

#endif
